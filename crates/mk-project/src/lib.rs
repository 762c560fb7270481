//! One project on disk: its root, what a path really names, ignore rules, safe reads and writes, watching.
//!
//! Knows nothing of what a mode means, of SQL or of protocols.

mod error;
mod ignored;
mod read;
mod resolve;
mod root;
mod rules;
mod walk;
mod watch;
mod write;

pub use error::Error;
pub use ignored::Ignored;
pub use read::{Stamp, read_text};
pub use resolve::resolve;
pub use root::find_root;
pub use rules::{RulesFolders, rules_for};
pub use walk::any_file;
pub use watch::{Watched, Watcher};
pub use write::write_new;

#[cfg(test)]
mod tests;
