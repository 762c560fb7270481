//! Other worktrees of a project's repository, which are as much the caller's as the project is.
//!
//! Only what the project's own `.git` says counts: a `.git` file that points here can be written by anybody.

use std::path::{Path, PathBuf};

use mk_types::AbsPath;

/// Whether a directory is in a worktree of the repository that `project` belongs to. `directory` is a real name.
pub(crate) fn is_worktree(project: &AbsPath, directory: &Path) -> bool {
    let Some(common) = common(project.as_path()) else {
        return false;
    };
    let linked = std::fs::read_dir(common.join("worktrees"));
    let linked = linked.into_iter().flatten().flatten();
    let linked = linked.filter_map(|entry| linked_at(&entry.path()));
    let main = common.parent().map(Path::to_owned);
    main.into_iter()
        .chain(linked)
        .filter_map(|root| root.canonicalize().ok())
        .any(|root| directory.starts_with(root))
}

/// The main worktree of the repository, for a root that is another one: the repository says so, and so does the root.
pub(crate) fn main_worktree(root: &AbsPath) -> Option<AbsPath> {
    Some(mk_project::main_worktree(root)).filter(|main| main != root)
}

/// The directory that all worktrees of a repository share.
fn common(project: &Path) -> Option<PathBuf> {
    let git = project.join(".git");
    let metadata = std::fs::symlink_metadata(&git).ok()?;
    if metadata.is_dir() {
        return git.canonicalize().ok();
    }
    let text = std::fs::read_to_string(&git).ok()?;
    let own = Path::new(text.strip_prefix("gitdir:")?.trim())
        .canonicalize()
        .ok()?;
    // The repository must say so too.
    let is_known = linked_at(&own)?.canonicalize().ok()? == project.canonicalize().ok()?;
    let worktrees = own.parent().filter(|it| it.ends_with("worktrees"))?;
    let common = worktrees.parent().filter(|it| it.ends_with(".git"))?;
    is_known.then(|| common.to_owned())
}

/// The root of the worktree that a directory below `worktrees/` is about.
fn linked_at(own: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(own.join("gitdir")).ok()?;
    Some(Path::new(text.trim()).parent()?.to_owned())
}

#[cfg(test)]
mod tests {
    use mk_testkit::Fixture;

    use super::*;

    #[test]
    fn what_the_repository_lists_is_a_worktree() {
        let fixture = Fixture::new("//- /main/.git/HEAD\nref\n//- /side/a.rs\n//- /forged/a.rs\n");
        let path = |name: &str| fixture.path(name).canonicalize().unwrap();
        let own = fixture.path("main/.git/worktrees/side");
        fixture.write(
            "main/.git/worktrees/side/gitdir",
            format!("{}/.git\n", path("side").display()),
        );
        fixture.write("side/.git", format!("gitdir: {}\n", own.display()));
        fixture.write("forged/.git", format!("gitdir: {}\n", own.display()));
        let root = |name: &str| AbsPath::new(&path(name)).unwrap();
        assert!(is_worktree(&root("main"), &path("side")));
        assert!(is_worktree(&root("side"), &path("main")));
        assert!(!is_worktree(&root("main"), &path("forged")));
        assert!(!is_worktree(&root("forged"), &path("main")));
    }
}
