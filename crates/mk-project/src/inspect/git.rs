//! The state of a repository, read from git's own files: no process, no library, nothing that a hook could turn.

use std::path::{Path, PathBuf};

use mk_types::AbsPath;

use crate::read::read_text;

/// Git's small files are lines; the packed references of a large repository are many.
const SMALL: u64 = 64 * 1024;
const PACKED: u64 = 32 * 1024 * 1024;
/// A reference may name another one.
const MOST_HOPS: usize = 5;

/// Where a repository stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitState {
    /// `None` when a commit is checked out without a branch.
    pub branch: Option<String>,
    /// The commit; `None` before the first one.
    pub head: Option<String>,
    /// The main working tree, if this is a linked one.
    pub worktree_of: Option<AbsPath>,
}

impl GitState {
    /// The state of the repository that the folder is in.
    pub(super) fn read(root: &AbsPath) -> Option<Self> {
        let repository = Repository::of(root)?;
        let head = read_line(&repository.own.join("HEAD"))?;
        let (branch, head) = match head.strip_prefix("ref:").map(str::trim) {
            Some(name) => (
                name.strip_prefix("refs/heads/")
                    // What `HEAD` says where references are kept in another format.
                    .filter(|branch| *branch != ".invalid")
                    .map(str::to_owned),
                repository.commit_of(name),
            ),
            None => (None, is_commit(&head).then_some(head)),
        };
        Some(Self {
            branch,
            head,
            worktree_of: repository.main_worktree(),
        })
    }
}

/// The main working tree's folder for a folder in a linked one (`git worktree add`), else the folder itself.
///
/// A `.git` file names any folder it likes, so it counts only if the repository names this working tree in return.
pub fn main_worktree(root: &AbsPath) -> AbsPath {
    let main = || {
        let repository = Repository::of(root)?;
        let main = repository.main_worktree()?;
        let below = root.as_path().strip_prefix(&repository.worktree).ok()?;
        let main = main.join(below)?;
        main.as_path().is_dir().then_some(main)
    };
    main().unwrap_or_else(|| root.clone())
}

/// The folders of linked working trees for a folder in the main one: those that [`main_worktree`] leads back from.
pub fn linked_worktrees(root: &AbsPath) -> Vec<AbsPath> {
    let Some(repository) = Repository::of(root) else {
        return Vec::new();
    };
    let Ok(below) = root.as_path().strip_prefix(&repository.worktree) else {
        return Vec::new();
    };
    let names = std::fs::read_dir(repository.shared.join("worktrees"));
    let linked = names.into_iter().flatten().flatten().filter_map(|name| {
        let own = name.path();
        let dot_git = own.join(read_line(&own.join("gitdir"))?);
        let worktree = dot_git.canonicalize().ok()?;
        AbsPath::new(&worktree.parent()?.join(below))
    });
    let real = root.as_path().canonicalize().ok();
    let is_ours = |linked: &AbsPath| {
        linked != root && real.as_deref() == Some(main_worktree(linked).as_path())
    };
    linked.filter(is_ours).collect()
}

/// A working tree and where its repository is.
struct Repository {
    /// The folder with `.git` in it.
    worktree: PathBuf,
    /// What belongs to this working tree.
    own: PathBuf,
    /// What all working trees of the repository share.
    shared: PathBuf,
}

impl Repository {
    fn of(root: &AbsPath) -> Option<Self> {
        let worktree = root
            .as_path()
            .ancestors()
            .find(|ancestor| ancestor.join(".git").exists())?
            .to_owned();
        let dot_git = worktree.join(".git");
        let own = if dot_git.is_dir() {
            dot_git
        } else {
            let line = read_line(&dot_git)?;
            worktree.join(line.strip_prefix("gitdir:")?.trim())
        };
        let shared = match read_line(&own.join("commondir")) {
            Some(line) => own.join(line),
            None => own.clone(),
        };
        Some(Self {
            worktree,
            own,
            shared,
        })
    }

    fn main_worktree(&self) -> Option<AbsPath> {
        if self.own == self.shared {
            return None;
        }
        let in_return = PathBuf::from(read_line(&self.own.join("gitdir"))?);
        // Git may write it relative to its own file.
        let in_return = self.own.join(in_return).canonicalize().ok()?;
        if in_return != self.worktree.join(".git").canonicalize().ok()? {
            return None;
        }
        let shared = self.shared.canonicalize().ok()?;
        // The author of the `.git` file may also have made what it names, with both pointers right. The repository
        // itself knows its working trees: they are listed below its own directory.
        if self.own.canonicalize().ok()?.parent()? != shared.join("worktrees") {
            return None;
        }
        // A bare repository has no main working tree.
        (shared.file_name()? == ".git")
            .then(|| AbsPath::new(shared.parent()?))
            .flatten()
    }

    fn commit_of(&self, name: &str) -> Option<String> {
        let mut name = name.to_owned();
        for _ in 0..MOST_HOPS {
            let is_plain = name.starts_with("refs/") && !name.split('/').any(|part| part == "..");
            if !is_plain {
                return None;
            }
            let loose = [&self.own, &self.shared]
                .into_iter()
                .find_map(|folder| read_line(&folder.join(&name)));
            match loose {
                Some(line) => match line.strip_prefix("ref:") {
                    Some(next) => name = next.trim().to_owned(),
                    None => return is_commit(&line).then_some(line),
                },
                None => return self.packed(&name),
            }
        }
        None
    }

    fn packed(&self, name: &str) -> Option<String> {
        let text = read_text(&self.shared.join("packed-refs"), PACKED).ok()??;
        text.lines()
            .filter_map(|line| line.split_once(' '))
            .find(|(_, packed)| *packed == name)
            .map(|(commit, _)| commit.to_owned())
            .filter(|commit| is_commit(commit))
    }
}

fn read_line(path: &Path) -> Option<String> {
    let text = read_text(path, SMALL).ok()??;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// SHA-1 or SHA-256, in hexadecimal.
fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
