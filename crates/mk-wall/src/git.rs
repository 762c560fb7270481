//! A project's own repository: which of its names git itself writes, and which would run something later.
//!
//! Objects, references and logs are trees. In the rest of `.git` only exact names are open, because a configuration, a
//! hook or an attribute is run by the next `git status` outside of the wall.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Names directly in `.git`, without the endings that git gives them while it writes.
const NAMES: [&str; 30] = [
    "index",
    "HEAD",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "BISECT_HEAD",
    "BISECT_LOG",
    "BISECT_START",
    "BISECT_TERMS",
    "BISECT_NAMES",
    "BISECT_EXPECTED_REV",
    "BISECT_ANCESTORS_OK",
    "BISECT_FIRST_PARENT",
    "MERGE_HEAD",
    "MERGE_MSG",
    "MERGE_MODE",
    "MERGE_RR",
    "AUTO_MERGE",
    "SQUASH_MSG",
    "COMMIT_EDITMSG",
    "TAG_EDITMSG",
    "NOTES_EDITMSG",
    "MERGE_EDITMSG",
    "packed-refs",
    "shallow",
    "gc.pid",
    "gc.log",
    "info/refs",
];
/// States of a rebase or a series of picks; everything below them is git's.
const STATES: [&str; 3] = ["rebase-merge", "rebase-apply", "sequencer"];
const TREES: [&str; 3] = ["objects", "refs", "logs"];

/// Where a repository keeps its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Of this worktree: index, HEAD.
    own: PathBuf,
    /// Of all worktrees: objects, references. The same directory unless this is a linked worktree.
    common: PathBuf,
}

impl Layout {
    /// The repository of a project, if there is one at its root that we understand.
    pub(crate) fn of(root: &Path) -> Option<Self> {
        let dot_git = root.join(".git");
        let metadata = dot_git.symlink_metadata().ok()?;
        if metadata.is_dir() {
            return Some(Self {
                own: dot_git.clone(),
                common: dot_git,
            });
        }
        if !metadata.is_file() {
            return None;
        }
        // A linked worktree: both sides must name each other, or a file could point us anywhere.
        let text = std::fs::read_to_string(&dot_git).ok()?;
        let own = root.join(text.strip_prefix("gitdir:")?.trim());
        let own = own.canonicalize().ok()?;
        let back = std::fs::read_to_string(own.join("gitdir")).ok()?;
        if Path::new(back.trim()).canonicalize().ok()? != dot_git {
            return None;
        }
        let common = std::fs::read_to_string(own.join("commondir")).ok()?;
        let common = own.join(common.trim()).canonicalize().ok()?;
        own.starts_with(common.join("worktrees"))
            .then_some(Self { own, common })
    }

    /// What is open to the floor.
    pub(crate) fn trees(&self) -> Vec<PathBuf> {
        let mut trees: Vec<PathBuf> = TREES.iter().map(|name| self.common.join(name)).collect();
        if self.own != self.common {
            trees.extend(["logs", "refs"].map(|name| self.own.join(name)));
        }
        trees
    }

    /// Whether a path of the repository is one that git itself writes; `None` if it is not in the repository.
    pub(crate) fn judge(&self, path: &Path) -> Option<bool> {
        let of_own = path.strip_prefix(&self.own).ok().map(is_open);
        let of_common = path.strip_prefix(&self.common).ok().map(is_open);
        match (of_own, of_common) {
            (None, None) => None,
            (own, common) => Some(own.or(common).unwrap_or(false)),
        }
    }

    /// Where a state of a rebase may have been left.
    pub(crate) fn states(&self) -> impl Iterator<Item = PathBuf> + '_ {
        STATES.iter().map(|name| self.own.join(name))
    }
}

fn is_open(relative: &Path) -> bool {
    let Some(text) = relative.to_str() else {
        return false;
    };
    let state = relative.iter().next().and_then(|it| it.to_str());
    if state.is_some_and(|it| STATES.contains(&it)) {
        return true;
    }
    let plain = ["", ".lock", ".new"]
        .iter()
        .filter_map(|ending| text.strip_suffix(ending));
    plain.into_iter().any(is_open_name)
}

fn is_open_name(name: &str) -> bool {
    let numbered = |prefix: &str| {
        let number = name.strip_prefix(prefix);
        number
            .is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    NAMES.contains(&name)
        || numbered("next-index-")
        || numbered("index.stash.")
        || numbered("sharedindex.")
        || numbered("sharedindex_")
        || numbered("info/refs_")
        || numbered("shallow_")
}

/// Merge strategies that git ships; any other is a program of that name.
const STRATEGIES: [&str; 6] = ["ort", "recursive", "resolve", "octopus", "ours", "subtree"];

/// Whether a rebase that was left half done would run a command, or write outside of the worktree, when a person goes on
/// with it.
pub(crate) fn would_run(state: &Path) -> bool {
    // What is there and cannot be read may say anything.
    let says = |name: &str, is_bad: &dyn Fn(&str) -> bool| match std::fs::read(state.join(name)) {
        Ok(text) => is_bad(&String::from_utf8_lossy(&text)),
        Err(error) => error.kind() != ErrorKind::NotFound,
    };
    let is_program = |text: &str| {
        let strategy = text.trim();
        !strategy.is_empty() && !STRATEGIES.contains(&strategy)
    };
    let leads_out = |text: &str| text.contains("--unsafe-paths") || text.contains("--directory");
    let runs = |text: &str| {
        text.lines().any(|line| {
            let verb = line.split_whitespace().next();
            matches!(verb, Some("exec" | "x"))
        })
    };
    let lists = ["git-rebase-todo", "git-rebase-todo.backup", "todo"];
    says("strategy", &is_program)
        || says("apply-opt", &leads_out)
        || says("opts", &|text| text.contains("strategy"))
        || lists.iter().any(|list| says(list, &runs))
}
