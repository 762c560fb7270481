//! The words every crate shares: ids, slugs, paths, times and the shape of a tool call.
//!
//! Deliberately without IO (beyond the clock and the random source), async, JSON or SQL.

mod call;
mod id;
mod path;
mod slug;
mod time;

pub use call::{McpTarget, ToolCall};
pub use id::{ApprovalId, IdError, SessionId, TaskId};
pub use path::{AbsPath, PathError, ProjectPath, is_elsewhere};
pub use slug::{ModeSlug, SlugError};
pub use time::{Clock, Timestamp};

#[cfg(test)]
mod tests;
