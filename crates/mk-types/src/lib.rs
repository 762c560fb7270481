//! The words every crate shares: ids, slugs, paths, places in a text, times and the shape of a tool call.
//!
//! Deliberately without IO (beyond the clock and the random source), async, JSON or SQL.

mod call;
mod edit_distance;
mod glob;
mod id;
mod lock;
mod path;
mod position;
mod secret;
mod slug;
mod time;

pub use call::{McpTarget, ToolCall};
pub use edit_distance::edit_distance;
pub use glob::{FilePattern, GlobError, name_glob, path_glob};
pub use id::{
    ApprovalId, CommandId, ConversationId, CredentialId, DecisionId, IdError, PermitId, ProjectId,
    SessionId, TaskId, random_secret, random_symbols,
};
pub use lock::{lock, read_lock, unpoisoned, write_lock};
pub use path::{AbsPath, PathError, ProjectPath, is_elsewhere};
pub use position::{Position, Range};
pub use secret::without_secrets;
pub use slug::{ModeSlug, SlugError};
pub use time::{Clock, Timestamp};

#[cfg(test)]
mod tests;
