//! Tools that run commands, for clients without a shell of their own.

mod end_command;
mod output;
mod read_command_output;
mod run_command;

use crate::tool::Tool;

/// In the order in which they are listed.
pub(crate) static TOOLS: &[&Tool] = &[
    &run_command::TOOL,
    &read_command_output::TOOL,
    &end_command::TOOL,
];
