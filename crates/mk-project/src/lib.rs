//! One project on disk: its root, what a path really names, ignore rules, files, search, memories, backups, watching.
//!
//! Knows nothing of what a mode means, of SQL or of protocols.

mod backup;
mod beneath;
mod error;
mod file;
mod find;
mod hooks;
mod ignored;
mod inspect;
mod memory;
mod read;
mod replace;
mod resolve;
mod root;
mod rules;
mod search;
mod walk;
mod watch;
mod write;

pub use backup::{Backup, Backups, Before, CommandJournal, Conflict, Entry, prune_backups};
pub use beneath::RootDir;
pub use error::Error;
pub use file::{
    Change, Edit, FileText, LineEnding, LineRange, NoSuchLine, Written, WrittenKind, wait_for_edits,
};
pub use find::{
    Depth, EntryKind, FindQuery, Found, ListQuery, Listed, ListedEntry, Readable, find_files,
    list_dir,
};
pub use hooks::hooks_directory;
pub use ignored::Ignored;
pub use inspect::{Facts, GitState, LanguageShare, inspect, main_worktree};
pub use memory::{Access, Memories, Memory, MemoryName, Stored};
pub use read::{Stamp, read_text};
pub use replace::{Occurrences, Planned, ReplaceQuery, Replacement, plan_replacements};
pub use resolve::{resolve, resolve_in};
pub use root::{Identity, policy_root};
pub use rules::{RulesFolders, rules_for};
pub use search::{
    Case, FileMatches, MOST_CONTEXT, Match, PatternKind, SearchQuery, SearchResult, Skipped, Span,
    search,
};
pub use walk::any_file;
pub use watch::{Watched, Watcher};
pub use write::write_new;

#[cfg(test)]
mod tests;
