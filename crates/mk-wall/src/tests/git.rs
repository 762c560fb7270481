//! Git inside: what it needs works, and what would run later stays byte for byte what it was.

use super::fixture::{Mode, World};

const IDENTITY: &str = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_GLOBAL=/dev/null; ";
const SET_UP: &str = "set -e; git init -q -b main .; git add .; git commit -qm first; echo two >> README.md; git commit -qam second; \
    git branch side HEAD~1; git checkout -q side; echo other > docs/other.md; git add .; git commit -qm side; git checkout -q main; \
    git checkout -q -b sources HEAD~1; echo s >> src/a.rs; git commit -qam sources; git checkout -q main; git config test.x y";

/// Runs a line in a fresh repository in `docs`; whether it succeeded. Configuration and hooks must not have changed.
#[track_caller]
fn git(mode: Mode, line: &str) -> (bool, String, World) {
    let world = World::new(mode);
    assert_eq!(world.outside(&format!("{IDENTITY}{SET_UP}")), 0);
    let state = "(cat .git/config; ls -lR .git/hooks; cat .git/hooks/* .git/info/exclude) | sha256sum > $BASE/state";
    assert_eq!(world.outside(state), 0);
    let before = std::fs::read(world.base.join("state")).unwrap();
    let ran = world.inside(&format!("{IDENTITY}set -e; {line}"));
    assert_eq!(world.outside(state), 0);
    assert_eq!(
        before,
        std::fs::read(world.base.join("state")).unwrap(),
        "{line}"
    );
    (ran.code == 0, format!("{ran:?}"), world)
}

#[test]
fn everyday_git_works_in_docs() {
    for line in [
        "git status",
        "git diff",
        "git log",
        "echo x >> README.md; git add README.md; git commit -qm third; git commit -q --amend -m again",
        "git tag t; git tag -a -m m u; git branch b; git switch -qc c; git switch -q main; git branch -qD b",
        "git pack-refs --all; git gc -q",
        "echo x >> README.md; git stash -q; git stash pop -q",
        "git merge -q -m merged side",
        "git rebase -q side",
        "git cherry-pick side",
        "git reset -q --hard HEAD~1",
        "git reset -q HEAD~1 -- README.md",
        "git fetch -q . side:fetched",
        "git mv README.md RENAMED.md; git rm -q docs/guide.md; git commit -qm moved",
        "git revert --no-edit HEAD",
    ] {
        let (ok, ran, _) = git(Mode::Docs, line);
        assert!(ok, "{line}: {ran}");
    }
}

#[test]
fn what_would_run_later_is_refused() {
    for line in [
        "git config x.y z",
        "git remote add o /tmp",
        "echo x > .git/hooks/pre-commit",
        "mv .git/index .git/config",
        "echo x > .git/info/attributes",
        "echo x > .git/config.lock",
        "git worktree add ../w",
        "git cherry-pick sources",
        "git config --global x.y z",
        "mkdir .git/modules",
        "ln -s /etc .git/rebase-merge.x",
        "mv .git x.md",
        "echo x > docs/.git",
    ] {
        let (ok, ran, _) = git(Mode::Docs, line);
        assert!(!ok, "{line}: {ran}");
    }
}

#[test]
fn a_switch_leaves_sources_alone() {
    let (_, ran, world) = git(Mode::Docs, "git switch -q sources");
    assert_eq!(world.read("src/a.rs"), "fn a() {}\n", "{ran}");
}

#[test]
fn ask_reads_the_repository_and_changes_nothing() {
    assert!(git(Mode::Ask, "git status; git log; git diff").0);
    assert!(!git(Mode::Ask, "git commit -q --allow-empty -m x").0);
}

#[test]
fn a_half_done_rebase_that_would_run_something_is_removed() {
    let (_, ran, world) = git(
        Mode::Docs,
        "GIT_SEQUENCE_EDITOR='printf \"break\\nexec true\\n\" >' git rebase -qi HEAD~1",
    );
    assert!(!world.root.join(".git/rebase-merge").exists(), "{ran}");
    assert!(
        ran.contains("it would run commands outside the wall"),
        "{ran}"
    );
}
