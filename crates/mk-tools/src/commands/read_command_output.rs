//! `read_command_output`: reads on in a command's output, or lists the commands.

use mk_engine::Error;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::output;
use crate::tool::{
    Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset, code_answer,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ReadCommandOutputArgs {
    /// ID of the command as `run_command` answered it; without it, all commands are listed
    id: Option<String>,
    /// Byte to begin with
    offset: Option<u64>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<ReadCommandOutputArgs>();

impl ToolDefinition for ReadCommandOutputArgs {
    const SPEC: Spec = Spec {
        name: "read_command_output",
        title: "Read a command's output",
        description: "Read what a command has printed, or list the commands that were run",
        toolset: Toolset::Commands,
        group: None,
        effect: ToolEffect::ReadOnly,
        calls_per_minute: None,
        paths: &[],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let commands = call.project().commands();
        if let Some(id) = &self.id {
            let read = commands.read(id, self.offset.unwrap_or_default())?;
            return Ok(ToolAnswer::Done(output::reply(&read)));
        }
        let found = commands.list()?;
        let lines = found.iter().map(|command| {
            let line = command.line.lines().next().unwrap_or_default();
            format!("{} {} {line}\n", command.id, output::status(command))
        });
        let mut text: String = lines.collect();
        if text.is_empty() {
            text.push_str("no commands\n");
        }
        let facts: Vec<_> = found.iter().map(output::facts).collect();
        Ok(code_answer(text, json!({ "commands": facts })))
    }
}
