//! `create_task`: starts a task in a mode. Whether it may is the engine's answer.

use mk_engine::{NewTask, Outcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::tool::{
    Answer, Context, Family, Hints, Reply, Run, Running, Schema, Tool, parse, reply,
};

pub(crate) static TOOL: Tool = Tool {
    name: "create_task",
    title: "Create a task",
    description: "Create a new task in a specific mode",
    group: None,
    family: Family::Modes,
    hints: Hints::Adds,
    paths: &[],
    input: Schema::of::<CreateTaskArgs>(),
    output: Some(Schema::of_output::<CreateTaskOutput>()),
    run: Run::Free(run),
};

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CreateTaskArgs {
    /// Mode to use for this task
    mode_slug: String,
    /// Initial user message for the task
    initial_message: Option<String>,
    /// Parent session ID if this is a subtask
    parent_session_id: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CreateTaskOutput {
    /// Names the task in later calls.
    session_id: String,
    task_id: String,
    mode_slug: String,
    mode_name: String,
    state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_task_id: Option<String>,
}

fn run<'a>(context: &'a Context<'a>, arguments: Value) -> Running<'a> {
    Box::pin(async move {
        let CreateTaskArgs {
            mode_slug,
            initial_message,
            parent_session_id,
        } = parse(arguments)?;
        let parent = parent_session_id
            .as_deref()
            .map(|id| context.session(id))
            .transpose()?;
        let new = NewTask {
            mode: mode_slug,
            message: initial_message,
            parent: parent.map(str::to_owned),
        };
        let task = match context.engine.tasks().create(context.caller, new).await? {
            Outcome::Done(task) => task,
            Outcome::NeedsApproval(approval) => return Ok(Answer::NeedsApproval(approval)),
        };
        let session = &task.session;
        let output = CreateTaskOutput {
            session_id: session.id.to_string(),
            task_id: session.task.to_string(),
            mode_slug: session.mode.to_string(),
            mode_name: task.mode_name().to_owned(),
            state: session.state.to_string(),
            parent_task_id: session.parent.as_ref().map(ToString::to_string),
        };
        let CreateTaskOutput {
            session_id,
            task_id,
            mode_slug,
            mode_name,
            state,
            ..
        } = &output;
        let text = format!(
            "Task created successfully\n\nSession ID: {session_id}\nTask ID: {task_id}\n\
             Mode: {mode_slug} ({mode_name})\nState: {state}\n\n\
             Use this session_id for subsequent operations."
        );
        let metadata =
            json!({ "session_id": session_id, "task_id": task_id, "mode_slug": mode_slug });
        Ok(Answer::Done(Reply {
            current: Some(session.id.clone()),
            ..reply(text, &output, metadata)
        }))
    })
}
