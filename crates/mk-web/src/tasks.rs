//! `/api/tasks`: what agents are at, one task in full, and a person's hand on it.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::Response;
use mk_engine::{
    Actor, Caller, Conversation, DecisionFilter, Error, ListedTask, Outcome, SessionFilter, Task,
    TaskDetails, TaskQuery, TaskState,
};
use mk_types::{AbsPath, ConversationId, ModeSlug, TaskId, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::decisions;
use crate::gate::RequestSender;
use crate::reply::{self, JsonQuery};
use crate::server::Web;

/// Tasks in a list at most.
const MOST_TASKS: usize = 500;
/// Decisions shown with a task at most.
const MOST_DECISIONS: usize = 200;

#[derive(Deserialize)]
pub(crate) struct TasksQuery {
    #[serde(default)]
    all: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SwitchBody {
    mode: String,
    reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FinishBody {
    state: String,
    result: Option<String>,
}

pub(crate) async fn list(
    State(web): State<Web>,
    JsonQuery(query): JsonQuery<TasksQuery>,
) -> Response {
    reply::answer(listed(&web, query.all))
}

/// Tasks, newest first, and the live conversations of agents.
pub(crate) fn listed(web: &Web, all: bool) -> Result<Value, Error> {
    let filter = SessionFilter {
        state: (!all).then_some(TaskState::Active),
        limit: Some(MOST_TASKS),
        ..SessionFilter::default()
    };
    let tasks = web.engine.tasks().list(&filter)?;
    let conversations = web.engine.conversations().live_everywhere()?;
    let mut agents = Vec::new();
    for (conversation, project) in &conversations {
        let mode = conversation.mode.as_ref();
        let mode = mode.or_else(|| project.as_ref().and_then(|project| project.mode.as_ref()));
        agents.push(agent(web, conversation, mode)?);
    }
    let tasks: Result<Vec<Value>, Error> = tasks.iter().map(|it| task(web, it)).collect();
    Ok(json!({ "tasks": tasks?, "conversations": agents }))
}

fn agent(web: &Web, conversation: &Conversation, mode: Option<&ModeSlug>) -> Result<Value, Error> {
    Ok(json!({
        "id": conversation.id.as_str(),
        "client": conversation.client.name,
        "mode": mode.map(ModeSlug::as_str),
        "project": conversation.root.path.as_str(),
        "parent": conversation.parent.as_ref().map(ConversationId::as_str),
        "created_at": conversation.created_at.to_string(),
        "last_active": conversation.last_active.to_string(),
        "last": last_decision(web, &conversation.id, conversation.created_at)?,
    }))
}

/// What was last decided in a conversation since then.
fn last_decision(web: &Web, id: &ConversationId, since: Timestamp) -> Result<Option<Value>, Error> {
    let last = web.engine.decisions().list(&DecisionFilter {
        conversation: Some(id.clone()),
        since: Some(since),
        limit: Some(1),
        ..DecisionFilter::default()
    })?;
    Ok(last.first().map(decisions::to_json))
}

fn task(web: &Web, listed: &ListedTask) -> Result<Value, Error> {
    let session = &listed.task.session;
    let mut value = basics(&listed.task);
    if let Some(id) = &session.conversation {
        value["client"] = json!(web.engine.conversations().client_of(id)?);
        value["last"] = json!(last_decision(web, id, session.created_at)?);
    }
    value["title"] = json!(listed.title);
    value["idle_seconds"] = json!(listed.idle.as_secs());
    value["expired"] = json!(listed.is_expired);
    Ok(value)
}

fn basics(task: &Task) -> Value {
    let session = &task.session;
    json!({
        "session_id": session.id.as_str(),
        "task_id": session.task.as_str(),
        "parent": session.parent.as_ref().map(TaskId::as_str),
        "mode": session.mode.as_str(),
        "mode_name": task.mode_name(),
        "state": session.state.as_str(),
        "project": session.project,
        "conversation": session.conversation.as_ref().map(ConversationId::as_str),
        "created_at": session.created_at.to_string(),
        "last_activity": session.last_activity.to_string(),
        "finished_at": session.finished_at.map(|at| at.to_string()),
        "result": session.result,
    })
}

pub(crate) async fn show(State(web): State<Web>, Path(id): Path<String>) -> Response {
    reply::answer(full(&web, &id))
}

fn full(web: &Web, id: &str) -> Result<Value, Error> {
    let query = TaskQuery {
        messages: true,
        hierarchy: true,
    };
    let TaskDetails {
        task,
        is_expired,
        age,
        idle,
        messages,
        mode_changes,
        children,
    } = web.engine.tasks().peek(id, query)?;
    let decided = match &task.session.conversation {
        None => Vec::new(),
        Some(conversation) => web.engine.decisions().list(&DecisionFilter {
            conversation: Some(conversation.clone()),
            since: Some(task.session.created_at),
            limit: Some(MOST_DECISIONS),
            ..DecisionFilter::default()
        })?,
    };
    let until = task.session.finished_at;
    let during = decided
        .iter()
        .filter(|it| until.is_none_or(|until| it.at <= until));
    let mut value = basics(&task);
    let mut put = |key: &str, made: Value| value[key] = made;
    if let Some(id) = &task.session.conversation {
        put("client", json!(web.engine.conversations().client_of(id)?));
    }
    put("expired", json!(is_expired));
    put("age_seconds", json!(age.as_secs()));
    put("idle_seconds", json!(idle.as_secs()));
    put("decisions", during.map(decisions::to_json).collect());
    put("children", children.iter().map(TaskId::as_str).collect());
    let messages = messages.iter().map(|message| {
        json!({
            "role": message.role.as_str(),
            "content": message.content,
            "at": message.at.to_string(),
        })
    });
    put("messages", messages.collect());
    let changes = mode_changes.iter().map(|change| {
        json!({
            "from": change.from.as_ref().map(ModeSlug::as_str),
            "to": change.to.as_str(),
            "reason": change.reason,
            "at": change.at.to_string(),
        })
    });
    put("mode_changes", changes.collect());
    let backups = backups(web, &task)?;
    put("backups", backups);
    Ok(value)
}

/// What was done to files of the task's project since it began, and can be undone.
fn backups(web: &Web, task: &Task) -> Result<Value, Error> {
    let Some(project) = AbsPath::new(std::path::Path::new(&task.session.project)) else {
        return Ok(json!([]));
    };
    let caller = Caller::in_project(project, Actor::Operator);
    let until = task.session.finished_at;
    let found = web.engine.project(&caller).backups().list()?;
    let during = found
        .iter()
        .filter(|it| it.at >= task.session.created_at && until.is_none_or(|until| it.at <= until));
    Ok(during.map(crate::backups::to_json).collect())
}

pub(crate) async fn switch(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let SwitchBody { mode, reason } = match reply::read(&body) {
        Ok(switch) => switch,
        Err(refusal) => return *refusal,
    };
    let caller = web.caller(Actor::Operator);
    let switched = web
        .engine
        .tasks()
        .switch_mode(&caller, &id, &mode, reason)
        .await;
    match switched {
        Ok(Outcome::Done(switched)) => {
            let subject = format!("{id}: {} → {mode}", switched.old_mode);
            web.record(&who, "switch mode", &subject).await;
            reply::answer(Ok(json!({
                "session_id": switched.session.id.as_str(),
                "old_mode": switched.old_mode.as_str(),
                "new_mode": switched.mode.slug.as_str(),
            })))
        }
        Ok(Outcome::NeedsApproval(request)) => {
            reply::answer(Ok(json!({ "approval_id": request.id.as_str() })))
        }
        Err(error) => reply::refuse(&error),
    }
}

pub(crate) async fn finish(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let FinishBody { state, result } = match reply::read(&body) {
        Ok(finish) => finish,
        Err(refusal) => return *refusal,
    };
    let end = TaskState::parse(&state).filter(|state| *state != TaskState::Active);
    let Some(end) = end else {
        return reply::malformed("`state` must be completed, failed or cancelled");
    };
    let caller = web.caller(Actor::Operator);
    let tasks = web.engine.tasks();
    match tasks.complete(&caller, &id, end, result).await {
        Ok(task) => {
            web.record(&who, "end task", &format!("{id}: {state}"))
                .await;
            reply::answer(Ok(basics(&task)))
        }
        Err(error) => reply::refuse(&error),
    }
}
