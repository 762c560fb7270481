//! `ui://modekeeper/overview`: what waits, the mode with its rights and the tasks, for clients that show MCP Apps.
//!
//! Only to look at: what a view could do, the model that shares its connection could do, too.

use mk_engine::{ApprovalRequest, Caller, Engine, Error, SessionFilter, TaskQuery, TaskState};
use mk_policy::Group;
use mk_types::AbsPath;
use rmcp::ErrorData;
use rmcp::model::{MetaObject, ReadResourceResult, Resource, ResourceContents};
use serde_json::{Value, json};

use crate::connection::Connection;
use crate::era::Era;
use crate::error;
use crate::resource::text_of;

pub(super) const SCHEME: &str = "ui://";
/// The page; tools link to it.
pub(crate) const VIEW: &str = "ui://modekeeper/overview";
/// What the page shows.
const STATE: &str = "ui://modekeeper/overview.json";
const APP: &str = "text/html;profile=mcp-app";
const PAGE: &str = include_str!("app.html");
/// Tasks in the tree at most.
const MOST_TASKS: usize = 200;

pub(super) fn list() -> Resource {
    Resource::new(VIEW, "Modekeeper")
        .with_mime_type(APP)
        .with_description("Pending approvals, the mode with its rights, and the tasks")
}

pub(super) fn read(
    connection: &Connection,
    uri: &str,
    era: Era,
) -> Result<ReadResourceResult, ErrorData> {
    match uri {
        VIEW => Ok(ReadResourceResult::new(vec![page()])),
        STATE => {
            let state = overview(connection.engine(), &connection.caller(era));
            let state = state.map_err(|refusal| error::refused_resource(&refusal, era))?;
            Ok(text_of(uri, "application/json", state.to_string()))
        }
        _ => Err(error::unknown_resource(uri, era)),
    }
}

fn page() -> ResourceContents {
    let mut meta = MetaObject::new();
    // It loads nothing from anywhere.
    let ui =
        json!({ "csp": { "connectDomains": [], "resourceDomains": [] }, "prefersBorder": true });
    meta.0.insert("ui".to_owned(), ui);
    ResourceContents::TextResourceContents {
        uri: VIEW.to_owned(),
        mime_type: Some(APP.to_owned()),
        text: PAGE.to_owned(),
        meta: Some(meta),
    }
}

fn overview(engine: &Engine, caller: &Caller) -> Result<Value, Error> {
    let in_force = engine.project(caller).in_force()?;
    let rights: Vec<Value> = Group::ALL
        .into_iter()
        .map(|group| {
            let mode = in_force.decides(group);
            json!({
                "group": group.as_str(),
                "allowed": mode.enables(group),
                "restriction": mode.restriction(group),
            })
        })
        .collect();
    let tasks = engine.tasks().list(&SessionFilter {
        state: Some(TaskState::Active),
        project: Some(in_force.project.to_string()),
        limit: Some(MOST_TASKS),
        ..SessionFilter::default()
    })?;
    let tasks: Vec<Value> = tasks
        .iter()
        .map(|listed| {
            let session = &listed.task.session;
            json!({
                "task_id": session.task.as_str(),
                "parent": session.parent.as_ref().map(mk_types::TaskId::as_str),
                "title": listed.title,
                "mode": session.mode.as_str(),
                "idle_seconds": listed.idle.as_secs(),
            })
        })
        .collect();
    Ok(json!({
        "project": in_force.project.as_str(),
        "mode": {
            "slug": in_force.mode.slug.as_str(),
            "name": in_force.mode.name,
            "rights": rights,
        },
        "approvals": waiting(engine, caller)?,
        "tasks": tasks,
    }))
}

/// What waits for a person, where the caller's credential is for its project.
fn waiting(engine: &Engine, caller: &Caller) -> Result<Vec<Value>, Error> {
    let now = engine.clock().now();
    let mut shown = Vec::new();
    for request in engine.approvals().pending()? {
        let client = request.conversation.as_ref();
        let client = client.and_then(|id| engine.conversations().get(id).ok().flatten());
        let project = match &client {
            Some(client) => AbsPath::new(std::path::Path::new(client.root.path.as_str())),
            None => project_of(engine, &request),
        };
        let covers = |root: &AbsPath| {
            let project = project.as_ref();
            project.is_some_and(|project| project.as_path().starts_with(root.as_path()))
        };
        if caller.within.is_empty() || caller.within.iter().any(covers) {
            shown.push(json!({
                "subject": request.subject,
                "client": client.as_ref().map(|client| client.client.name.as_str()),
                "waiting_seconds": now.since(request.created_at).as_secs(),
            }));
        }
    }
    Ok(shown)
}

fn project_of(engine: &Engine, request: &ApprovalRequest) -> Option<AbsPath> {
    let session = request.session.as_ref()?;
    let details = engine.tasks().peek(session.as_str(), TaskQuery::default());
    AbsPath::new(std::path::Path::new(&details.ok()?.task.session.project))
}
