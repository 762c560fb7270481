//! `run_command`: runs a shell line inside the wall.

use std::time::Duration;

use mk_engine::{Error, JobCommand, JobWait};
use mk_policy::Group;
use schemars::JsonSchema;
use serde::Deserialize;

use super::output;
use crate::tool::{Spec, Tool, ToolAnswer, ToolDefinition, ToolEffect, ToolRun, Toolset};

/// Unless the call says something else.
const TIME_LIMIT: u64 = 120;
const LONGEST: u64 = 3600;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct RunCommandArgs {
    /// Line for /bin/sh
    command: String,
    /// Directory to run it in, relative to the project
    directory: Option<String>,
    /// Seconds after which it is ended; 120 if not given, at most 3600
    time_limit: Option<u64>,
    /// Do not wait for its end; read its output with `read_command_output`
    background: Option<bool>,
    session_id: Option<String>,
}

pub(crate) static TOOL: Tool = Tool::of::<RunCommandArgs>();

impl ToolDefinition for RunCommandArgs {
    const SPEC: Spec = Spec {
        name: "run_command",
        title: "Run a command",
        description: "Run a shell line in the project. It can change only what the mode allows; what is refused is \
                      listed at the end of the output",
        toolset: Toolset::Commands,
        group: Some(Group::Command),
        effect: ToolEffect::Changes,
        calls_per_minute: Some(60),
        paths: &[],
        output: None,
    };

    fn session(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    async fn run(self, call: ToolRun<'_>) -> Result<ToolAnswer, Error> {
        let background = self.background.unwrap_or_default();
        let default = if background { LONGEST } else { TIME_LIMIT };
        let seconds = self.time_limit.unwrap_or(default).clamp(1, LONGEST);
        let command = JobCommand {
            line: self.command,
            directory: self.directory,
            time_limit: Duration::from_secs(seconds),
            wait: if background {
                JobWait::No
            } else {
                JobWait::ForEnd
            },
        };
        let ran = call.project().commands().run(call.request, command).await?;
        Ok(ran.map(|command| output::reply(&command)))
    }
}
