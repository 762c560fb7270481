//! Tools about modes and tasks.

mod complete_task;
mod create_task;
mod exit_plan;
mod get_mode_info;
mod get_task_info;
mod list_modes;
pub(crate) mod mode_info;
mod switch_mode;
mod validate_tool_use;

use crate::tool::Tool;

/// In the order in which they are listed.
pub(crate) static TOOLS: &[&Tool] = &[
    &list_modes::TOOL,
    &get_mode_info::TOOL,
    &create_task::TOOL,
    &switch_mode::TOOL,
    &get_task_info::TOOL,
    &validate_tool_use::TOOL,
    &complete_task::TOOL,
    &exit_plan::TOOL,
];
