//! `complete_task`: ends a task, well or not.

use std::fmt::Write as _;

use mk_engine::{Error, TaskState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::mode_info::continued;
use crate::schema;
use crate::tool::{Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, reply};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct CompleteTaskArgs {
    /// Session ID, or `current`
    session_id: String,
    /// Final status of the task
    status: Status,
    /// Completion result or error message
    result: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Completed,
    Failed,
    Cancelled,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CompleteTaskOutput {
    session_id: String,
    task_id: String,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<CompleteTaskArgs>();

impl ToolDefinition for CompleteTaskArgs {
    const SPEC: Spec = Spec {
        name: "complete_task",
        title: "Complete a task",
        description: "Mark a task as completed, failed, or cancelled",
        toolset: Toolset::Modes,
        group: None,
        effect: ToolEffect::Changes,
        calls_per_minute: None,
        paths: &[],
        output: Some(schema::of_output::<CompleteTaskOutput>),
    };

    fn session(&self) -> Option<&str> {
        Some(&self.session_id)
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let Self { status, result, .. } = self;
        let (state, heading) = match status {
            Status::Completed => (TaskState::Completed, "Task completed successfully"),
            Status::Failed => (TaskState::Failed, "Task marked as failed"),
            Status::Cancelled => (TaskState::Cancelled, "Task cancelled"),
        };
        let task = call
            .engine
            .tasks()
            .complete(call.caller, call.session()?.as_str(), state, result)
            .await?;
        let session = task.session;
        let mut text = format!(
            "{heading}\n\nSession: {}\nTask: {}\nStatus: {}\n",
            session.id, session.task, session.state
        );
        if let Some(result) = &session.result {
            let _ = writeln!(text, "Result: {}", continued(result));
        }
        text.push_str("\nThe session will be cleaned up automatically.");
        let output = CompleteTaskOutput {
            session_id: session.id.to_string(),
            task_id: session.task.to_string(),
            status: session.state.to_string(),
            result: session.result,
        };
        let metadata = json!({ "session_id": output.session_id, "task_id": output.task_id, "status": output.status });
        Ok(ToolAnswer::Done(reply(text, &output, metadata)))
    }
}
