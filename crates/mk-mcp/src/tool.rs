//! `tools/list` and `tools/call`.

use std::sync::Arc;

use mk_tools::{Answer, Context, Family, Hints, Reply, TOOLS};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    MetaObject, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value};

use crate::approval::{self, Asked, Subject};
use crate::connection::Connection;
use crate::era::Era;
use crate::error::{self, Place};
use crate::guard::turn;
use crate::progress::with_progress;

/// Where the contract's `metadata` travels; [`crate::Lift`] moves it to the top level.
pub(crate) const METADATA: &str = "modekeeper/metadata";

pub(crate) fn list(connection: &Connection, era: Era) -> ListToolsResult {
    let engine = connection.engine();
    // A list that cannot be narrowed is shown whole: the call is checked anyway.
    let in_force = match era {
        Era::Connected => engine.project(&connection.caller(era)).in_force().ok(),
        Era::Stateless => None,
    };
    let shown = |tool: &&mk_tools::Tool| {
        let allowed = in_force
            .as_ref()
            .is_none_or(|in_force| engine.could_allow(in_force, tool.name));
        allowed && connection.server().offers(tool.family)
    };
    let mut result =
        ListToolsResult::with_all_items(TOOLS.into_iter().filter(shown).map(describe).collect());
    (result.ttl_ms, result.cache_scope) = era.cache_hints();
    result
}

pub(crate) fn describe(tool: &mk_tools::Tool) -> Tool {
    let mut described = Tool::new(
        tool.name,
        tool.description,
        Arc::new(tool.input_schema().clone()),
    );
    described.title = Some(tool.title.to_owned());
    described.output_schema = tool.output_schema().map(|schema| Arc::new(schema.clone()));
    let annotations = ToolAnnotations::new().open_world(false);
    described.annotations = Some(match tool.hints {
        Hints::ReadOnly => annotations.read_only(true),
        // Unless it is said, a tool changes things and destroys some.
        Hints::Adds => annotations.destructive(false),
        Hints::Changes => annotations.idempotent(true),
    });
    described
}

pub(crate) async fn call(
    connection: &Connection,
    params: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let era = Era::of(context);
    let offered = |tool: &&mk_tools::Tool| connection.server().offers(tool.family);
    let Some(tool) = mk_tools::find(&params.name).filter(offered) else {
        return Err(error::unknown_tool(&params.name, era));
    };
    connection.recognise(&context.extensions);
    if let Some(Err(allowance)) = connection.take_call(tool, &context.extensions) {
        return Ok(error::rate_limited(tool.name, allowance.retry_after()).into());
    }
    let server = connection.server();
    let arguments = params.arguments.unwrap_or_default();
    let place = place_of(&arguments);
    let subject = Subject {
        tool: tool.name,
        arguments: &arguments,
    };
    let refused = |refusal: &mk_engine::Error| {
        match tool.family {
            Family::Modes => error::refused_call(refusal, era, place),
            Family::Rules => Ok(error::refused_rules_call(refusal)),
            _ => error::refused_code_call(refusal, era, place),
        }
        .map(CallToolResponse::from)
    };
    // A second call that brings an answer to the question of the first.
    if era == Era::Stateless
        && let Some(state) = &params.request_state
        && let Some(refusal) =
            approval::take_answer(server, subject, state, params.input_responses.as_ref()).await?
    {
        return refused(&refusal);
    }
    connection.find_project(context).await;
    if era == Era::Connected && tool.name == "activate_project" {
        connection.roots().learn(&context.peer).await;
    }
    let caller = connection.caller(era);
    let run = async || {
        let _turn = turn(server, context).await?;
        let engine = server.engine();
        let within = Context {
            engine,
            caller: &caller,
        };
        let call = tool.call(&within, arguments.clone());
        Ok::<_, ErrorData>(match tool.family {
            Family::Symbols => with_progress(context, engine, &caller.project, call).await,
            _ => call.await,
        })
    };
    let mut answer = run().await?;
    if let Ok(Answer::NeedsApproval(question)) = &answer {
        // Without a turn: a person takes longer than any other call should wait.
        answer = match approval::ask(server, subject, question, context).await {
            Ok(Asked::Granted) => run().await?,
            Ok(Asked::InputRequired(question)) => return Ok(CallToolResponse::from(*question)),
            Err(refusal) => Err(refusal),
        };
    }
    match answer {
        Ok(Answer::Done(reply)) => {
            let result = done(connection, reply);
            if tool.hints != Hints::ReadOnly {
                connection.acted().notify_one();
            }
            Ok(result.into())
        }
        // Granted, and used up by somebody else before we came back.
        Ok(Answer::NeedsApproval(question)) => {
            refused(&mk_engine::Approvals::not_approved(&question, None))
        }
        Err(refusal) => refused(&refusal),
    }
}

/// Whether a call names the session it is about.
fn place_of(arguments: &Map<String, Value>) -> Place {
    let names = |key: &str| {
        arguments
            .get(key)
            .and_then(Value::as_str)
            .is_some_and(|id| id != "current")
    };
    if names("session_id") || names("parent_session_id") {
        Place::CallOnSession
    } else {
        Place::Call
    }
}

fn done(connection: &Connection, reply: Reply) -> CallToolResult {
    if let Some(session) = reply.current {
        connection.set_current(session);
    }
    if let Some(project) = reply.project {
        connection.set_project(project);
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(reply.text)]);
    result.structured_content = Some(reply.structured).filter(|facts| !facts.is_null());
    result.is_error = None;
    if !reply.metadata.is_null() {
        let mut meta = MetaObject::default();
        meta.0.insert(METADATA.to_owned(), reply.metadata);
        result.meta = Some(meta);
    }
    result
}
