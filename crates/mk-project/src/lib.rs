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
mod shown;
mod walk;
mod watch;
mod write;

pub use backup::{
    Backup, BackupEntry, Backups, CommandJournal, Conflict, FileBefore, prune_backups,
};
pub use beneath::RootDir;
pub use error::Error;
pub use file::{
    FileEdit, FileText, LineEnding, LineRange, NoSuchLine, TextRewrite, WriteKind, WrittenFile,
    diff_to_decide, wait_for_edits,
};
pub use find::{
    Depth, DirectoryQuery, EntryKind, FindQuery, FirstFiles, ListedEntries, ListedEntry, Readable,
    find_files, find_files_to_open, list_dir,
};
pub use hooks::hooks_directory;
pub use ignored::IgnoredFiles;
pub use inspect::{Facts, GitState, LanguageShare, inspect, linked_worktrees, main_worktree};
pub use memory::{Memories, Memory, MemoryAccess, MemoryName, MemoryWrite};
pub use read::{ReadStamp, read_sized, read_text};
pub use replace::{FileReplacement, Occurrences, ReplaceQuery, Replacement, plan_replacements};
pub use resolve::{resolve, resolve_in};
pub use root::{DirectoryIdentity, is_project, policy_root};
pub use rules::{RulesFolders, rules_for};
pub use search::{
    FileMatches, LetterCase, MOST_CONTEXT, Match, MatchSpan, PatternKind, SearchQuery,
    SkippedFiles, TextSearchResult, search,
};
pub use shown::{ForeignSearch, ShownBySearch, shown_by_search};
pub use walk::any_file;
pub use watch::{WatchedPaths, Watcher};
pub use write::write_new;

#[cfg(test)]
mod tests;
