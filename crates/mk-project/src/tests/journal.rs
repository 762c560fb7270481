//! A change set that was cut off half way is finished by the next one: forward if it can be, else back.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::project::Project;
use crate::file::revision_of;

const WAITING: &str = ".modekeeper-waiting00000.tmp";

/// Changes `a.txt`, removes `b.txt` and creates `c/d.txt`, then pretends that the process was killed after the change
/// was decided and `a.txt` was not yet in place.
fn cut_off() -> (Project, PathBuf) {
    let project = Project::new(&[("a.txt", "old a\n"), ("b.txt", "old b\n")]);
    let edits = vec![
        project.write_edit("a.txt", "new a\n"),
        project.delete_edit("b.txt"),
        project.write_edit("c/d.txt", "new d\n"),
    ];
    let written = project.edit(edits).unwrap();
    let set = project
        .backups_folder()
        .join(written[0].backup.as_ref().unwrap());
    project.put("a.txt", b"old a\n");
    project.put(WAITING, b"new a\n");
    let journal = json!({ "version": 1, "steps": [
        { "put": "a.txt", "waiting": WAITING, "before": revision_of(b"old a\n"), "after": revision_of(b"new a\n") },
        { "remove": "b.txt", "before": revision_of(b"old b\n") },
        { "put": "c/d.txt", "waiting": "gone", "before": null, "after": revision_of(b"new d\n") },
    ]});
    super::project::put(&set.join("pending"), journal.to_string().as_bytes());
    (project, set)
}

/// What stands where the change set was, after another change of another file.
#[track_caller]
fn check(project: &Project, expected: &[&str]) {
    project.write("other.txt", "x\n").unwrap();
    let show = |path: &str| match fs::read_to_string(project.at(path)) {
        Ok(text) => format!("{path}: {}", text.trim()),
        Err(_) => format!("{path}: -"),
    };
    assert_eq!(["a.txt", "b.txt", "c/d.txt"].map(show), expected);
    let left = fs::read_dir(project.at("")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        !left
            .iter()
            .any(|name| name.to_string_lossy().ends_with(".tmp")),
        "{left:?}"
    );
}

#[test]
fn what_was_decided_is_rolled_forward() {
    let (project, set) = cut_off();
    check(&project, &["a.txt: new a", "b.txt: -", "c/d.txt: new d"]);
    assert!(!set.join("pending").exists());
    // It can still be undone.
    assert_eq!(project.backups.list().unwrap().len(), 2);
}

#[test]
fn what_can_no_longer_be_finished_is_rolled_back() {
    let (project, set) = cut_off();
    fs::remove_file(project.at(WAITING)).unwrap();
    check(&project, &["a.txt: old a", "b.txt: old b", "c/d.txt: -"]);
    assert!(!project.at("c").exists());
    assert!(!set.join("pending").exists() && !set.join("undoing").exists());
}

#[test]
fn what_was_being_taken_back_is_taken_back() {
    let (project, set) = cut_off();
    fs::rename(set.join("pending"), set.join("undoing")).unwrap();
    check(&project, &["a.txt: old a", "b.txt: old b", "c/d.txt: -"]);
}

#[test]
fn what_somebody_changed_since_stays() {
    let (project, _set) = cut_off();
    project.put("a.txt", b"by hand\n");
    check(&project, &["a.txt: by hand", "b.txt: -", "c/d.txt: new d"]);
}

#[test]
fn a_journal_that_cannot_be_read_stops_every_change() {
    let (project, set) = cut_off();
    super::project::put(&set.join("pending"), b"{");
    let outcome = project.write("other.txt", "x\n");
    assert!(
        matches!(outcome, Err(crate::Error::Read { .. })),
        "{outcome:?}"
    );
}

#[test]
fn a_finished_change_leaves_no_journal() {
    let project = Project::new(&[("a.txt", "a\n")]);
    let written = project.write("a.txt", "b\n").unwrap();
    let set = project.backups_folder().join(written.backup.unwrap());
    assert!(set.join("meta.json").exists());
    assert!(!set.join("pending").exists());
}

#[test]
fn a_replacement_that_would_not_fit_is_refused_before_it_is_built() {
    use crate::{Occurrences, PatternKind, Replacement};
    let text = "x".repeat(300_000);
    let project = Project::new(&[]);
    for (find, kind, replace) in [
        ("x", PatternKind::Literal, "y".repeat(10_000)),
        ("(x)", PatternKind::Regex, "y".repeat(10_000)),
        ("(x+)", PatternKind::Regex, "$1".repeat(5_000)),
    ] {
        let replacement = Replacement {
            find: find.to_owned(),
            replace,
            kind,
            occurrences: Occurrences::All,
        };
        let outcome = replacement.apply(&project.path("a.txt"), &text);
        assert!(matches!(outcome, Err(crate::Error::TooLarge { .. })));
    }
}
