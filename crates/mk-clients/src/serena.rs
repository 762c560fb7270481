//! Serena: where it keeps a project's memories.

/// Its directory in a project.
pub(crate) const DIRECTORY: &str = ".serena";

/// Its memories, relative to the project's root.
pub(crate) const MEMORIES: &str = ".serena/memories";
