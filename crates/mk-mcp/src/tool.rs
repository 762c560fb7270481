//! `tools/list` and `tools/call`.

use std::sync::Arc;

use mk_clients::STRUCTURED_READERS;
use mk_engine::{ApprovalRequest, Caller, DrivenByApproval, DrivenOutcome};
use mk_tools::{Context, ParsedCall, ToolAnswer, ToolEffect, ToolReply, Toolset};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult,
    ListToolsResult, MetaObject, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::approval::{self, ApprovalSubject};
use crate::connection::{Connection, McpServer};
use crate::era::{Era, client_name};
use crate::error::{self, ErrorPlace};
use crate::guard::turn;
use crate::progress::with_progress;
use crate::resource::VIEW;

/// Where the contract's `metadata` travels; [`crate::Lift`] moves it to the top level.
pub(crate) const METADATA: &str = "modekeeper/metadata";

/// Clients that show the model only names, and load a tool when it is searched for, load these at once.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";
/// What every conversation needs.
const ALWAYS_LOADED: [&str; 6] = [
    "create_task",
    "switch_mode",
    "get_task_info",
    "validate_tool_use",
    "parse_mode",
    "exit_plan",
];

/// Whose results clients that show MCP Apps show as a view.
const WITH_VIEW: [&str; 2] = ["list_modes", "get_task_info"];

pub(crate) fn list(
    connection: &Connection,
    context: &RequestContext<RoleServer>,
) -> ListToolsResult {
    let (engine, era) = (connection.engine(), Era::of(context));
    // A list that cannot be narrowed is shown whole: the call is checked anyway.
    let in_force = match (era, connection.caller_of(context)) {
        (Era::Connected, Ok(caller)) => engine.project(&caller).in_force().ok(),
        _ => None,
    };
    let allowed = |tool: &&'static mk_tools::Tool| {
        in_force
            .as_ref()
            .is_none_or(|in_force| engine.could_allow(in_force, tool.target().name))
    };
    let listed = mk_tools::listed(|family| connection.server().offers(family));
    let shown = listed.into_iter().filter(allowed);
    let mut result = ListToolsResult::with_all_items(shown.map(describe).collect());
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
    let mut meta = MetaObject::new();
    if ALWAYS_LOADED.contains(&tool.name) {
        meta.0.insert(ALWAYS_LOAD.to_owned(), Value::Bool(true));
    }
    if WITH_VIEW.contains(&tool.name) {
        meta.0
            .insert("ui".to_owned(), json!({ "resourceUri": VIEW }));
    }
    described.meta = Some(meta).filter(|meta| !meta.0.is_empty());
    described.output_schema = tool.output_schema().map(|schema| Arc::new(schema.clone()));
    let annotations = ToolAnnotations::new().open_world(false);
    described.annotations = Some(match tool.effect {
        ToolEffect::ReadOnly => annotations.read_only(true),
        // Unless it is said, a tool changes things and destroys some.
        ToolEffect::Adds => annotations.destructive(false),
        ToolEffect::Changes => annotations.idempotent(true),
    });
    described
}

pub(crate) async fn call(
    connection: &Connection,
    mut params: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let era = Era::of(context);
    let offers = |family| connection.server().offers(family);
    let Some(tool) = mk_tools::offered(&params.name, offers) else {
        return Err(error::unknown_tool(&params.name, era));
    };
    connection.recognise(&context.extensions);
    if let Some(Err(allowance)) = connection.take_call(tool.target(), &context.extensions) {
        return Ok(error::rate_limited(tool.name, allowance.retry_after()).into());
    }
    let mut arguments = params.arguments.take().unwrap_or_default();
    // Clients send `null` for what they leave out.
    arguments.retain(|_, value| !value.is_null());
    let parsed = tool.parse(arguments);
    let brought = match era {
        Era::Stateless => {
            let subject = ApprovalSubject {
                tool: &params.name,
                arguments: parsed.as_ref().map_or(&Value::Null, ParsedCall::arguments),
                answers: connection.answers(context),
            };
            brought_answer(connection.server(), subject, &params).await?
        }
        Era::Connected => None,
    };
    let names_session = parsed.as_ref().is_ok_and(ParsedCall::names_session);
    let refusals = CallRefusals {
        toolset: tool.toolset,
        era,
        place: if names_session {
            ErrorPlace::CallOnSession
        } else {
            ErrorPlace::Call
        },
    };
    let parsed = match (brought, parsed) {
        (Some(refusal), _) | (None, Err(refusal)) => return refusals.respond(&refusal),
        (None, Ok(parsed)) => parsed,
    };
    match attempt(connection, &parsed, context).await {
        Ok(DrivenOutcome::Done(reply)) => {
            let client = client_name(context);
            Ok(done(connection, client.as_deref(), tool, reply).into())
        }
        Ok(DrivenOutcome::HandedOn(request)) => Ok(CallToolResponse::from(*request)),
        Err(refusal) => refusals.respond(&refusal),
    }
}

/// A second call brings an answer to the request of the first. What comes back is why the call cannot go on.
async fn brought_answer(
    server: &McpServer,
    subject: ApprovalSubject<'_>,
    params: &CallToolRequestParams,
) -> Result<Option<mk_engine::Error>, ErrorData> {
    let Some(state) = &params.request_state else {
        return Ok(None);
    };
    approval::take_answer(server, subject, state, params.input_responses.as_ref()).await
}

/// How a call says why it was refused.
struct CallRefusals {
    toolset: Toolset,
    era: Era,
    place: ErrorPlace,
}

impl CallRefusals {
    fn respond(&self, refusal: &mk_engine::Error) -> Result<CallToolResponse, ErrorData> {
        let result = match self.toolset {
            Toolset::Modes => error::refused_call(refusal, self.era, self.place),
            Toolset::Rules => Ok(error::refused_rules_call(refusal)),
            _ => error::refused_code_call(refusal, self.era, self.place),
        };
        result.map(CallToolResponse::from)
    }
}

async fn attempt(
    connection: &Connection,
    parsed: &ParsedCall,
    context: &RequestContext<RoleServer>,
) -> Result<DrivenOutcome<ToolReply, Box<InputRequiredResult>>, mk_engine::Error> {
    connection.find_project(context).await;
    if Era::of(context) == Era::Connected && parsed.tool.target().name == "activate_project" {
        connection.roots().learn(&context.peer).await;
    }
    let mut caller = connection.caller_of(context)?;
    let meta = |name: &str| context.meta.get(name);
    caller.agent = caller.agent.map(|agent| agent.with_call(meta));
    let server = connection.server();
    let attempt = ToolAttempt {
        server,
        caller: &caller,
        parsed,
        subject: ApprovalSubject {
            tool: parsed.tool.name,
            arguments: parsed.arguments(),
            answers: connection.answers(context),
        },
        context,
    };
    server.engine().approvals().drive(&attempt).await
}

/// A call, tried in its turn.
struct ToolAttempt<'a> {
    server: &'a McpServer,
    caller: &'a Caller,
    parsed: &'a ParsedCall,
    subject: ApprovalSubject<'a>,
    context: &'a RequestContext<RoleServer>,
}

impl DrivenByApproval for ToolAttempt<'_> {
    type Done = ToolReply;
    type HandedOn = Box<InputRequiredResult>;

    async fn attempt(&self) -> Result<ToolAnswer, mk_engine::Error> {
        let Ok(_turn) = turn(self.server, self.context).await else {
            return Err(mk_engine::Error::cancelled());
        };
        let (engine, caller) = (self.server.engine(), self.caller);
        let within = Context { engine, caller };
        let call = self.parsed.run(&within);
        match self.parsed.tool.toolset {
            Toolset::Symbols => with_progress(self.context, engine, &caller.project, call).await,
            // A command ends with the call that waits for it.
            Toolset::Commands => tokio::select! {
                answer = call => answer,
                () = self.context.ct.cancelled() => Err(mk_engine::Error::cancelled()),
                () = self.server.closing().cancelled() => Err(mk_engine::Error::cancelled()),
            },
            _ => call.await,
        }
    }

    /// Without a turn: a person takes longer than any other call should wait.
    async fn ask(
        &self,
        request: &ApprovalRequest,
    ) -> Result<mk_engine::FaceAnswer<Self::HandedOn>, mk_engine::Error> {
        approval::ask(self.server, self.subject, request, self.context).await
    }
}

fn done(
    connection: &Connection,
    client: Option<&str>,
    tool: &mk_tools::Tool,
    reply: ToolReply,
) -> CallToolResult {
    if let Some(session) = reply.current {
        connection.enter(session);
    }
    if let Some(project) = reply.project {
        connection.set_project(project);
    }
    let structured = match tool.output_schema() {
        Some(_) => Some(reply.structured).filter(|facts| !facts.is_null()),
        None => undeclared(client, &reply.text, reply.structured),
    };
    let mut result = CallToolResult::success(vec![ContentBlock::text(reply.text)]);
    // Only the contract of the code tools says so of a success.
    if matches!(tool.toolset, Toolset::Modes | Toolset::Rules) {
        result.is_error = None;
    }
    result.structured_content = structured;
    if !reply.metadata.is_null() {
        let mut meta = MetaObject::default();
        meta.0.insert(METADATA.to_owned(), reply.metadata);
        result.meta = Some(meta);
    }
    if tool.effect != ToolEffect::ReadOnly {
        connection.acted().notify_one();
    }
    result
}

/// The structured content of a tool without a schema for it. Some clients give it to their model in place of the text,
/// so the text is in it; those that are known to do so get the text alone, which reads better than JSON.
fn undeclared(client: Option<&str>, text: &str, mut facts: Value) -> Option<Value> {
    if client.is_some_and(|client| STRUCTURED_READERS.contains(&client)) {
        return None;
    }
    facts
        .as_object_mut()?
        .insert("text".to_owned(), Value::from(text));
    Some(facts)
}
