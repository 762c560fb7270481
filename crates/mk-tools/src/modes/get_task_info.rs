//! `get_task_info`: what there is to know about a task.

use std::fmt::Write as _;

use mk_engine::{Error, TaskDetails, TaskQuery};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::mode_info::{capped, continued};
use crate::schema;
use crate::tool::{Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, reply};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct GetTaskInfoArgs {
    /// Session ID, or `current`
    session_id: String,
    /// Include conversation history (default: false)
    include_messages: Option<bool>,
    /// Include parent/child task info (default: false)
    include_hierarchy: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GetTaskInfoOutput {
    session_id: String,
    task_id: String,
    mode_slug: String,
    mode_name: String,
    /// `active`, `completed`, `failed` or `cancelled`.
    state: String,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    age_seconds: u64,
    /// Seconds without activity before this call.
    idle_seconds: u64,
    /// Every mode the task has been in, oldest first.
    mode_history: Vec<ModeChange>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_task_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    child_task_ids: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<Message>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ModeChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    timestamp: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Message {
    /// `user` or `assistant`.
    role: String,
    content: String,
    timestamp: String,
}

pub(crate) static TOOL: Tool = Tool::of::<GetTaskInfoArgs>();

impl ToolDefinition for GetTaskInfoArgs {
    const SPEC: Spec = Spec {
        name: "get_task_info",
        title: "Show a task",
        description: "Get information about a task/session",
        toolset: Toolset::Modes,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: Some(schema::of_output::<GetTaskInfoOutput>),
    };

    fn session(&self) -> Option<&str> {
        Some(&self.session_id)
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let Self {
            include_messages,
            include_hierarchy,
            ..
        } = self;
        let query = TaskQuery {
            messages: include_messages.unwrap_or(false),
            hierarchy: include_hierarchy.unwrap_or(false),
        };
        let session = call.session()?;
        let tasks = call.engine.tasks();
        let details = tasks.info(call.caller, session.as_str(), query)?;
        let output = show(details, query);
        let metadata = json!({
            "session_id": output.session_id,
            "task_id": output.task_id,
            "mode_slug": output.mode_slug,
            "state": output.state,
        });
        let in_force = call.project().in_force();
        let capped = in_force.as_ref().map(capped).unwrap_or_default();
        let text = format!("{}{capped}", describe(&output));
        Ok(ToolAnswer::Done(reply(text, &output, metadata)))
    }
}

fn show(details: TaskDetails, query: TaskQuery) -> GetTaskInfoOutput {
    let TaskDetails {
        task,
        is_expired: _,
        age,
        idle,
        messages,
        mode_changes,
        children,
    } = details;
    let mode_name = task.mode_name().to_owned();
    let session = task.session;
    let change = |change: mk_engine::StoredModeChange| ModeChange {
        from: change.from.map(|slug| slug.to_string()),
        to: change.to.to_string(),
        reason: change.reason,
        timestamp: change.at.to_string(),
    };
    let message = |message: mk_engine::StoredMessage| Message {
        role: message.role.to_string(),
        content: message.content,
        timestamp: message.at.to_string(),
    };
    GetTaskInfoOutput {
        session_id: session.id.to_string(),
        task_id: session.task.to_string(),
        mode_slug: session.mode.to_string(),
        mode_name,
        state: session.state.to_string(),
        created_at: session.created_at.to_string(),
        completed_at: session.finished_at.map(|at| at.to_string()),
        result: session.result,
        age_seconds: age.as_secs(),
        idle_seconds: idle.as_secs(),
        mode_history: mode_changes.into_iter().map(change).collect(),
        parent_task_id: session
            .parent
            .filter(|_| query.hierarchy)
            .map(|id| id.to_string()),
        child_task_ids: query
            .hierarchy
            .then(|| children.iter().map(ToString::to_string).collect()),
        messages: query
            .messages
            .then(|| messages.into_iter().map(message).collect()),
    }
}

fn describe(task: &GetTaskInfoOutput) -> String {
    let mut text = format!(
        "Task Information\n\nSession ID: {}\nTask ID: {}\nMode: {} ({})\nState: {}\nCreated: {}\n",
        task.session_id, task.task_id, task.mode_slug, task.mode_name, task.state, task.created_at
    );
    if let Some(completed_at) = &task.completed_at {
        let _ = writeln!(text, "Completed: {completed_at}");
    }
    if let Some(result) = &task.result {
        let _ = writeln!(text, "Result: {}", continued(result));
    }
    let _ = write!(
        text,
        "\nSession Age: {}s\nIdle Time: {}s\n",
        task.age_seconds, task.idle_seconds
    );
    if let Some(children) = &task.child_task_ids {
        let parent = task.parent_task_id.as_deref().unwrap_or("none");
        let children = if children.is_empty() {
            "none".to_owned()
        } else {
            children.join(", ")
        };
        let _ = write!(
            text,
            "\nHierarchy:\n  Parent Task: {parent}\n  Child Tasks: {children}\n"
        );
    }
    if let Some(messages) = &task.messages {
        text.push_str("\nMessages:\n");
        for Message {
            role,
            content,
            timestamp,
        } in messages
        {
            let content = continued(content);
            let _ = writeln!(text, "  [{timestamp}] {role}: {content}");
        }
        if messages.is_empty() {
            text.push_str("  none\n");
        }
    }
    text
}
