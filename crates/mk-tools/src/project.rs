//! Tools about the project as a whole.

mod activate_project;
mod get_onboarding;
mod get_project_info;

use crate::tool::Tool;

/// In the order in which they are listed.
pub(crate) static TOOLS: &[&Tool] = &[
    &activate_project::TOOL,
    &get_project_info::TOOL,
    &get_onboarding::TOOL,
];
