//! Facts about a project.

use std::fs;
use std::sync::atomic::AtomicBool;

use mk_types::ProjectPath;

use super::grove::{Grove, git, put};
use crate::{Facts, GitState, inspect, linked_worktrees, main_worktree};

fn facts(grove: &Grove) -> Facts {
    inspect(&grove.root, &|_| true, &AtomicBool::new(false))
}

fn state(grove: &Grove) -> GitState {
    facts(grove).git.unwrap()
}

#[test]
fn languages_are_counted_and_manifests_found() {
    let grove = Grove::new(
        "
//- /Cargo.toml
[package]
//- /.gitignore
ignored/
//- /ignored/x.py
print()
//- /src/lib.rs
fn a() {}
fn b() {}
//- /src/MAIN.RS
fn c() {}
//- /web/package.json
{}
//- /web/app.tsx
x
//- /a/b/go.mod
module x
//- /a/b/c/go.mod
too deep
//- /Dockerfile
FROM x
//- /data.bin
123
",
    );
    let facts = facts(&grove);
    let languages: Vec<(&str, usize, u64)> = facts
        .languages
        .iter()
        .map(|language| (language.name, language.n_files, language.bytes))
        .collect();
    assert_eq!(
        languages,
        [("Rust", 2, 30), ("Dockerfile", 1, 7), ("TypeScript", 1, 2)]
    );
    let manifests: Vec<&str> = facts.manifests.iter().map(ProjectPath::as_str).collect();
    assert_eq!(manifests, ["Cargo.toml", "web/package.json", "a/b/go.mod"]);
    assert_eq!((facts.n_files, facts.cut, facts.git), (10, false, None));
}

#[test]
fn hidden_files_are_not_counted_and_a_cancelled_look_is_cut() {
    let grove = Grove::new("//- /a.rs\nx\n//- /b.rs\nx\n");
    let only_a = inspect(
        &grove.root,
        &|path| path.as_str() == "a.rs",
        &AtomicBool::new(false),
    );
    assert_eq!((only_a.n_files, only_a.bytes), (1, 2));
    let cancelled = inspect(&grove.root, &|_| true, &AtomicBool::new(true));
    assert!(cancelled.cut);
}

#[test]
fn the_state_of_a_repository_is_read_without_git() {
    let grove = Grove::new("//- /a.rs\nx\n");
    let root = grove.root.as_path();
    git(root, &["init", "-q"]);
    assert_eq!(
        state(&grove),
        GitState {
            branch: Some("main".to_owned()),
            head: None,
            worktree_of: None
        }
    );
    git(root, &["add", "."]);
    git(root, &["commit", "-qm", "first"]);
    git(root, &["checkout", "-qb", "topic/one"]);
    let loose = state(&grove);
    assert_eq!(loose.branch.as_deref(), Some("topic/one"));
    let commit = loose.head.clone().unwrap();
    assert_eq!(commit.len(), 40);
    git(root, &["pack-refs", "--all"]);
    assert!(!grove.at(".git/refs/heads/topic/one").exists());
    assert_eq!(state(&grove), loose);
    git(root, &["checkout", "-q", "--detach"]);
    assert_eq!(
        state(&grove),
        GitState {
            branch: None,
            head: Some(commit),
            worktree_of: None
        }
    );
}

#[test]
fn a_broken_repository_gives_what_can_be_read() {
    let grove = Grove::new("//- /.git/HEAD\nref: refs/heads/../../../secret\n");
    put(&grove.beside("secret"), &[b'a'; 40]);
    assert_eq!(state(&grove).head, None);
    grove.put(".git/HEAD", b"nonsense");
    assert_eq!(
        state(&grove),
        GitState {
            branch: None,
            head: None,
            worktree_of: None
        }
    );
    fs::remove_dir_all(grove.at(".git")).unwrap();
    grove.put(".git", b"gitdir: /nowhere");
    assert_eq!(facts(&grove).git, None);
}

#[test]
fn a_linked_worktree_knows_its_main_one() {
    let grove = Grove::new("//- /sub/a.rs\nx\n");
    let root = grove.root.as_path();
    git(root, &["init", "-q"]);
    git(root, &["add", "."]);
    git(root, &["commit", "-qm", "first"]);
    git(root, &["worktree", "add", "-q", "../linked", "-b", "other"]);
    let linked = mk_types::AbsPath::new(&grove.beside("linked")).unwrap();
    assert_eq!(main_worktree(&grove.root), grove.root);
    assert_eq!(main_worktree(&linked), grove.root);
    let below = linked.join("sub".as_ref()).unwrap();
    assert_eq!(
        main_worktree(&below),
        grove.root.join("sub".as_ref()).unwrap()
    );
    assert_eq!(linked_worktrees(&grove.root), std::slice::from_ref(&linked));
    let main_below = grove.root.join("sub".as_ref()).unwrap();
    assert_eq!(linked_worktrees(&main_below), [below]);
    assert_eq!(linked_worktrees(&linked), []);
    let git_state = inspect(&linked, &|_| true, &AtomicBool::new(false))
        .git
        .unwrap();
    assert_eq!(git_state.branch.as_deref(), Some("other"));
    assert_eq!(git_state.head, state(&grove).head);
    assert_eq!(git_state.worktree_of, Some(grove.root.clone()));
    // A folder that only claims to be a working tree of another project is not believed.
    let claim = fs::read_to_string(linked.as_path().join(".git")).unwrap();
    put(&grove.beside("liar/.git"), claim.as_bytes());
    let liar = mk_types::AbsPath::new(&grove.beside("liar")).unwrap();
    assert_eq!(main_worktree(&liar), liar);
}

#[test]
fn a_worktree_of_a_bare_repository_stands_alone() {
    let grove = Grove::new("//- /a.rs\nx\n");
    let root = grove.root.as_path();
    git(root, &["init", "-q"]);
    git(root, &["add", "."]);
    git(root, &["commit", "-qm", "first"]);
    git(root, &["clone", "-q", "--bare", ".", "../bare.git"]);
    git(
        &grove.beside("bare.git"),
        &["worktree", "add", "-q", "../tree", "-b", "other"],
    );
    let tree = mk_types::AbsPath::new(&grove.beside("tree")).unwrap();
    assert_eq!(main_worktree(&tree), tree);
    let git_state = inspect(&tree, &|_| true, &AtomicBool::new(false))
        .git
        .unwrap();
    assert_eq!(git_state.branch.as_deref(), Some("other"));
    assert_eq!(git_state.worktree_of, None);
}
