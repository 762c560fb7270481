//! Walking a project's files as its ignore files want it.

use ignore::{DirEntry, WalkBuilder};
use mk_types::{AbsPath, ProjectPath};

/// Enough to say that a pattern matches nothing without walking a whole disk.
const MOST_FILES: usize = 200_000;

/// Whether some file of the project satisfies `wanted`; `None` when the project is too large to tell.
pub fn any_file(root: &AbsPath, mut wanted: impl FnMut(&ProjectPath) -> bool) -> Option<bool> {
    let walk = WalkBuilder::new(root.as_path())
        .hidden(false)
        .filter_entry(|entry| entry.file_name() != ".git" && !is_other_repository(entry))
        .build();
    let files = walk
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    for (file_idx, entry) in files.enumerate() {
        if file_idx >= MOST_FILES {
            return None;
        }
        let path = entry
            .path()
            .strip_prefix(root.as_path())
            .ok()
            .and_then(|path| path.to_str());
        if let Some(Ok(path)) = path.map(|path| ProjectPath::parse(path, root))
            && wanted(&path)
        {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether an entry below where a walk began is a repository of its own, or another worktree of this one
/// (`.claude/worktrees/…`): copies of the same files, or other people's. A submodule is part of the project.
pub(crate) fn is_other_repository(entry: &DirEntry) -> bool {
    if entry.depth() == 0 || !entry.file_type().is_some_and(|kind| kind.is_dir()) {
        return false;
    }
    let git = entry.path().join(".git");
    match std::fs::symlink_metadata(&git) {
        Ok(metadata) if metadata.is_dir() => true,
        Ok(metadata) if metadata.is_file() => {
            let text = std::fs::read_to_string(&git).unwrap_or_default();
            text.starts_with("gitdir:") && text.contains("/worktrees/")
        }
        _ => false,
    }
}
