//! Every tool of ours, defined once: name, arguments, output, group, what it does. Faces list and run them.
//!
//! One module a tool, named like the tool. Knows no JSON-RPC and no transport.

mod complete_task;
mod create_task;
mod get_mode_info;
mod get_task_info;
mod list_modes;
mod mode_info;
mod schema;
mod switch_mode;
mod tool;
mod validate_tool_use;

#[cfg(test)]
mod tests;

pub use mode_info::{ModeConfig, ModeInfo};
pub use tool::{Answer, Context, Hints, Reply, Tool};

/// All tools, in the order in which they are listed.
pub static TOOLS: [&Tool; 7] = [
    &list_modes::TOOL,
    &get_mode_info::TOOL,
    &create_task::TOOL,
    &switch_mode::TOOL,
    &get_task_info::TOOL,
    &validate_tool_use::TOOL,
    &complete_task::TOOL,
];

/// The tool of that name.
pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.into_iter().find(|tool| tool.name == name)
}

/// Names and groups for the policy, which denies what it does not know.
pub fn groups() -> mk_engine::OwnTools {
    TOOLS.iter().map(|tool| (tool.name, tool.group)).collect()
}
