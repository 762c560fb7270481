//! Tools for what is worth knowing later.

mod delete_memory;
mod edit_memory;
mod list_memories;
mod read_memory;
mod rename_memory;
mod write_memory;

use crate::tool::Tool;

/// In the order in which they are listed.
pub(crate) static TOOLS: &[&Tool] = &[
    &read_memory::TOOL,
    &write_memory::TOOL,
    &list_memories::TOOL,
    &edit_memory::TOOL,
    &rename_memory::TOOL,
    &delete_memory::TOOL,
];
