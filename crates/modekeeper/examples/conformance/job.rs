//! Work that outlives its request: the fixtures of the tasks extension.

use std::time::Duration;

use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock},
    task_manager::{TaskContext, TaskExit},
};
use serde_json::Value;

use crate::{
    fixture::{Arguments, decode},
    question,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    SlowCompute,
    Failing,
    ProtocolError,
    ConfirmDelete,
    MultiInput,
}

impl Job {
    /// Does the work of a task until it is done or cancelled.
    pub(crate) async fn run(
        self,
        task: TaskContext,
        arguments: Arguments,
    ) -> Result<CallToolResult, TaskExit> {
        let work = async {
            match self {
                Self::SlowCompute => Ok(slow_compute(&arguments).await),
                Self::Failing => {
                    tokio::time::sleep(Duration::from_millis(500)).await;
                    Ok(CallToolResult::error(vec![ContentBlock::text(
                        "the job failed as it should",
                    )]))
                }
                Self::ProtocolError => Err(TaskExit::Error(ErrorData::internal_error(
                    "the job broke as it should",
                    None,
                ))),
                Self::ConfirmDelete => {
                    let answer = confirm(&task, "confirm").await?;
                    Ok(text(format!("Confirmed: {answer}")))
                }
                Self::MultiInput => {
                    let (first, second) =
                        tokio::join!(confirm(&task, "first"), confirm(&task, "second"));
                    Ok(text(format!("Confirmed: {}, {}", first?, second?)))
                }
            }
        };
        tokio::select! {
            () = task.cancelled() => Err(TaskExit::Cancelled),
            result = work => result,
        }
    }
}

/// Also the answer for clients that do not know tasks.
pub(crate) async fn slow_compute(arguments: &Arguments) -> CallToolResult {
    let seconds = arguments
        .get("seconds")
        .and_then(Value::as_f64)
        .unwrap_or(0.0);
    tokio::time::sleep(Duration::try_from_secs_f64(seconds).unwrap_or_default()).await;
    text(format!("Computed for {seconds} seconds"))
}

async fn confirm(task: &TaskContext, key: &str) -> Result<Value, TaskExit> {
    let question = question::ask("Please confirm", "confirm", "boolean");
    task.request_input(key, decode(question)?).await
}

pub(crate) fn text(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}
