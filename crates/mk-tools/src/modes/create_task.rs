//! `create_task`: starts a task in a mode. Whether it may is the engine's answer.

use mk_engine::{Error, NewTask, Outcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::mode_info::capped;

use crate::schema;
use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolReply, ToolRun, Toolset, reply,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
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

pub(crate) static TOOL: Tool = Tool::of::<CreateTaskArgs>();

impl ToolDefinition for CreateTaskArgs {
    const SPEC: Spec = Spec {
        name: "create_task",
        title: "Create a task",
        description: "Create a new task in a specific mode",
        toolset: Toolset::Modes,
        group: None,
        effect: ToolEffect::Adds,
        calls_per_minute: None,
        paths: &[],
        output: Some(schema::of_output::<CreateTaskOutput>),
    };

    const SESSION: &'static str = "parent_session_id";

    fn session(&self) -> Option<&str> {
        self.parent_session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let Self {
            mode_slug,
            initial_message,
            parent_session_id,
        } = self;
        let parent = match parent_session_id {
            Some(_) => Some(call.session()?.to_string()),
            None => None,
        };
        let new = NewTask {
            mode: mode_slug,
            message: initial_message,
            parent,
        };
        let task = match call.engine.tasks().create(call.caller, new).await? {
            Outcome::Done(task) => task,
            Outcome::NeedsApproval(approval) => return Ok(ToolAnswer::NeedsApproval(approval)),
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
        let project = call.engine.project(call.caller);
        let in_force = project.on(Some(session.id.clone())).in_force()?;
        let text = format!("{text}{}", capped(&in_force));
        let metadata =
            json!({ "session_id": session_id, "task_id": task_id, "mode_slug": mode_slug });
        Ok(ToolAnswer::Done(ToolReply {
            current: Some(session.id.clone()),
            ..reply(text, &output, metadata)
        }))
    }
}
