//! `complete_task`: ends a task, well or not.

use std::fmt::Write as _;

use mk_engine::TaskState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::tool::{Answer, Context, Family, Hints, Run, Running, Schema, Tool, parse, reply};

pub(crate) static TOOL: Tool = Tool {
    name: "complete_task",
    title: "Complete a task",
    description: "Mark a task as completed, failed, or cancelled",
    group: None,
    family: Family::Modes,
    hints: Hints::Changes,
    paths: &[],
    input: Schema::of::<CompleteTaskArgs>(),
    output: Some(Schema::of_output::<CompleteTaskOutput>()),
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
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

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let CompleteTaskArgs {
            session_id,
            status,
            result,
        } = parse(arguments)?;
        let (state, heading) = match status {
            Status::Completed => (TaskState::Completed, "Task completed successfully"),
            Status::Failed => (TaskState::Failed, "Task marked as failed"),
            Status::Cancelled => (TaskState::Cancelled, "Task cancelled"),
        };
        let task = context
            .engine
            .tasks()
            .complete(context.session(&session_id)?, state, result)
            .await?;
        let session = task.session;
        let mut text = format!(
            "{heading}\n\nSession: {}\nTask: {}\nStatus: {}\n",
            session.id, session.task, session.state
        );
        if let Some(result) = &session.result {
            let _ = writeln!(text, "Result: {result}");
        }
        text.push_str("\nThe session will be cleaned up automatically.");
        let output = CompleteTaskOutput {
            session_id: session.id.to_string(),
            task_id: session.task.to_string(),
            status: session.state.to_string(),
            result: session.result,
        };
        let metadata = json!({ "session_id": output.session_id, "task_id": output.task_id, "status": output.status });
        Ok(Answer::Done(reply(text, &output, metadata)))
    })
}
