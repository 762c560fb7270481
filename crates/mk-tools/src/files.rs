//! Tools that read, find and change files.

pub(crate) mod changes;
mod delete_file;
mod find_files;
mod list_dir;
mod move_file;
mod read_file;
mod replace_content;
mod replace_in_files;
mod search_for_pattern;
mod write_file;

use crate::tool::Tool;

/// In the order in which they are listed.
pub(crate) static TOOLS: &[&Tool] = &[
    &read_file::TOOL,
    &write_file::TOOL,
    &find_files::TOOL,
    &list_dir::TOOL,
    &search_for_pattern::TOOL,
    &replace_content::TOOL,
    &replace_in_files::TOOL,
    &delete_file::TOOL,
    &move_file::TOOL,
];
