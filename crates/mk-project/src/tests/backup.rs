//! Every change can be undone, and what is kept stays within its limits.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use mk_policy::Permit;
use mk_types::AbsPath;
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, prop_assert_eq, prop_oneof, proptest};

use super::project::{Project, name_of, put};
use crate::{Backups, FileEdit, WriteKind};

/// Undoing gives the tree from before, and undoing that the tree from after.
#[track_caller]
fn check_undo(project: &Project, edits: Vec<FileEdit>) {
    let before = project.tree();
    let written = project.edit(edits).unwrap();
    let after = project.tree();
    let undone = project
        .restore(written[0].backup.as_ref().unwrap())
        .unwrap();
    assert_eq!(project.tree(), before);
    let redone = project.restore(undone[0].backup.as_ref().unwrap()).unwrap();
    assert_eq!(project.tree(), after);
    project.restore(redone[0].backup.as_ref().unwrap()).unwrap();
    assert_eq!(project.tree(), before);
}

#[test]
fn every_kind_of_change_can_be_undone_and_redone() {
    let project = Project::new(&[("x", "x\n"), ("a/y", "y\r\n"), ("a/z", "z\n")]);
    project.set_mode("x", 0o750);
    project.put("image", b"\x89PNG\0\0");
    check_undo(&project, vec![project.write_edit("x", "changed\n")]);
    check_undo(&project, vec![project.write_edit("new/deep/file", "new\n")]);
    check_undo(&project, vec![project.delete_edit("x")]);
    check_undo(&project, vec![project.delete_edit("image")]);
    check_undo(&project, vec![project.write_edit("image", "text now\n")]);
    check_undo(&project, vec![project.move_edit("a/y", "b/c/y")]);
    check_undo(
        &project,
        vec![FileEdit::replace(project.path("a/y"), |text| {
            Ok(text.replace('y', "Y"))
        })],
    );
    check_undo(
        &project,
        vec![
            project.write_edit("x", "changed\n"),
            project.delete_edit("a/y"),
            project.move_edit("a/z", "c/z"),
            project.write_edit("c/new", "new\n"),
        ],
    );
}

#[test]
fn a_backup_says_what_it_holds() {
    let project = Project::new(&[("x", "four"), ("from", "")]);
    let written = project
        .edit(vec![
            project.write_edit("x", "new\n"),
            project.write_edit("y", "new\n"),
            project.move_edit("from", "to"),
        ])
        .unwrap();
    let id = written[0].backup.clone().unwrap();
    assert!(
        written
            .iter()
            .all(|written| written.backup.as_ref() == Some(&id))
    );
    let backup = project.backups.get(&id).unwrap();
    assert_eq!(
        (backup.tool.as_str(), backup.at),
        ("test", project.clock.now())
    );
    let entries: Vec<_> = backup
        .entries
        .iter()
        .map(|entry| (entry.path.as_str(), entry.existed, entry.size))
        .collect();
    assert_eq!(
        entries,
        [("x", true, 4), ("y", false, 0), ("from", true, 0)]
    );
    assert_eq!(
        backup.paths(),
        ["x", "y", "from", "to"].map(|path| project.path(path))
    );
    assert_eq!(project.backups.list().unwrap(), [backup]);
}

#[test]
fn backups_are_listed_newest_first_even_within_a_millisecond() {
    let project = Project::new(&[]);
    let mut ids: Vec<String> = (0..20)
        .map(|round| {
            project
                .write("x", &format!("{round}\n"))
                .unwrap()
                .backup
                .unwrap()
        })
        .collect();
    ids.reverse();
    let listed: Vec<String> = project
        .backups
        .list()
        .unwrap()
        .into_iter()
        .map(|backup| backup.id)
        .collect();
    assert_eq!(listed, ids);
}

#[test]
fn unknown_ids_name_no_backup() {
    let project = Project::new(&[]);
    for id in [
        "",
        "x",
        "..",
        "../..",
        "lock",
        "000000000-aaaaaa-1",
        "00000000/-aaaaaa-1",
        "+00000000-aaaaaa-1",
    ] {
        assert_eq!(name_of(&project.backups.get(id)), "NoBackup", "{id}");
    }
    assert_eq!(project.backups.list().unwrap(), []);
}

#[test]
fn a_restore_needs_a_permit_for_every_file() {
    let project = Project::new(&[("x", "x\n")]);
    let written = project.edit(vec![project.move_edit("x", "y")]).unwrap();
    let id = written[0].backup.as_ref().unwrap();
    let permit = Permit::operator("restore", vec![project.path("x")]);
    let restored = project.backups.restore(&project.root, permit, id);
    assert_eq!(name_of(&restored), "NoTarget");
    assert_eq!(project.text("y"), "x\n");
}

#[test]
fn a_restore_overwrites_later_changes_and_can_be_undone_itself() {
    let project = Project::new(&[("x", "first\n")]);
    let id = project.write("x", "second\n").unwrap().backup.unwrap();
    project.put("x", b"by hand\n");
    let restored = project.restore(&id).unwrap();
    assert_eq!(restored[0].diff, "@@ -1 +1 @@\n-by hand\n+first\n");
    assert_eq!(project.text("x"), "first\n");
    let again = project.restore(&id).unwrap();
    assert_eq!(
        (&again[0].kind, &again[0].backup),
        (&WriteKind::Unchanged, &None)
    );
    project
        .restore(restored[0].backup.as_ref().unwrap())
        .unwrap();
    assert_eq!(project.text("x"), "by hand\n");
}

#[test]
fn a_restore_follows_no_link() {
    let project = Project::new(&[("docs/secret.txt", "first\n")]);
    let id = project
        .write("docs/secret.txt", "second\n")
        .unwrap()
        .backup
        .unwrap();
    fs::remove_dir_all(project.at("docs")).unwrap();
    symlink(project.outside(), project.at("docs")).unwrap();
    assert_eq!(name_of(&project.restore(&id)), "Link");
    project.check_outside_untouched();
}

#[test]
fn damaged_and_foreign_things_are_skipped() {
    let project = Project::new(&[("x", "0\n")]);
    let ids: Vec<String> = (1..5)
        .map(|round| {
            project
                .write("x", &format!("{round}\n"))
                .unwrap()
                .backup
                .unwrap()
        })
        .collect();
    let folder = project.backups_folder();
    put(&folder.join(&ids[0]).join("meta.json"), b"{\"version\": 1");
    put(
        &folder.join(&ids[1]).join("meta.json"),
        b"{\"version\": 99}",
    );
    put(&folder.join(&ids[2]).join("0"), b"not what it was\n");
    put(&folder.join("notes.txt"), b"");
    put(&folder.join("zzzzzzzzz-zzzzzz-0"), b"");
    fs::create_dir(folder.join("some folder")).unwrap();
    fs::create_dir(folder.join(".half-made")).unwrap();
    let listed: Vec<String> = project
        .backups
        .list()
        .unwrap()
        .into_iter()
        .map(|backup| backup.id)
        .collect();
    assert_eq!(listed, [ids[3].as_str(), ids[2].as_str()]);
    assert_eq!(name_of(&project.restore(&ids[0])), "NoBackup");
    assert_eq!(name_of(&project.restore(&ids[2])), "Read");
    assert_eq!(project.text("x"), "4\n");
    project.restore(&ids[3]).unwrap();
    assert_eq!(project.text("x"), "3\n");
    assert!(!folder.join(".half-made").exists());
    assert!(folder.join("some folder").exists());
}

#[test]
fn backups_are_for_their_owner_only_and_outside_the_project() {
    let project = Project::new(&[("x", "x\n")]);
    let id = project.write("x", "new\n").unwrap().backup.unwrap();
    let mode = |path: std::path::PathBuf| {
        use std::os::unix::fs::MetadataExt as _;
        fs::metadata(path).unwrap().mode() & 0o777
    };
    let folder = project.backups_folder();
    assert_eq!(mode(folder.clone()), 0o700);
    assert_eq!(mode(folder.join(&id)), 0o700);
    assert_eq!(mode(folder.join(&id).join("0")), 0o600);
    assert_eq!(mode(folder.join(&id).join("meta.json")), 0o600);
    assert_eq!(project.tree().len(), 1);
}

#[test]
fn projects_do_not_share_backups_but_links_to_one_do() {
    let project = Project::new(&[("inner/app/x", "x\n"), ("other/app/x", "x\n")]);
    symlink("inner/app", project.at("link")).unwrap();
    let backups = |path: &str| {
        let root = AbsPath::new(&project.at(path)).unwrap();
        Backups::new(&project.state(), &root, project.clock.clone())
    };
    let folders = || {
        fs::read_dir(project.state().join("backups"))
            .unwrap()
            .count()
    };
    drop(backups("inner/app").lock().unwrap());
    assert_eq!(folders(), 1);
    drop(backups("link").lock().unwrap());
    assert_eq!(folders(), 1);
    drop(backups("other/app").lock().unwrap());
    assert_eq!(folders(), 2);
}

#[test]
fn only_so_many_change_sets_are_kept() {
    let mut project = Project::new(&[]);
    project.backups.keep.sets = 5;
    for round in 0..12 {
        project.write("x", &format!("{round}\n")).unwrap();
    }
    let listed = project.backups.list().unwrap();
    assert_eq!(listed.len(), 5);
    // Restoring keeps what it overwrites, too.
    project.backups.keep.sets = 10;
    for backup in listed {
        project.restore(&backup.id).unwrap();
    }
    assert_eq!(project.text("x"), "6\n");
}

#[test]
fn only_so_many_bytes_are_kept_and_the_newest_always() {
    let mut project = Project::new(&[]);
    project.backups.keep.bytes = 100 * 1024;
    for round in 0..8 {
        project
            .write("x", &round.to_string().repeat(40 * 1024))
            .unwrap();
    }
    assert_eq!(project.backups.list().unwrap().len(), 2);
    project.write("x", &"y".repeat(400 * 1024)).unwrap();
    project.write("x", "small\n").unwrap();
    assert_eq!(project.backups.list().unwrap().len(), 1);
}

#[test]
fn what_is_old_goes_a_little_at_a_time() {
    let project = Project::new(&[]);
    for round in 0..40 {
        project.write("x", &format!("{round}\n")).unwrap();
    }
    project.clock.advance(Duration::from_hours(29 * 24));
    assert_eq!(project.backups.prune().unwrap(), 0);
    project.clock.advance(Duration::from_hours(2 * 24));
    assert_eq!(project.backups.prune().unwrap(), 16);
    project.write("x", "new\n").unwrap();
    assert_eq!(project.backups.list().unwrap().len(), 40 - 16 + 1 - 16);
    while project.backups.prune().unwrap() > 0 {}
    assert_eq!(project.backups.list().unwrap().len(), 1);
}

#[test]
fn without_a_backup_nothing_is_changed() {
    let project = Project::new(&[("x", "old\n")]);
    put(&project.state(), b"a file where the folder should be");
    assert_eq!(name_of(&project.write("x", "new\n")), "Write");
    assert_eq!(project.text("x"), "old\n");
}

const PATHS: [&str; 8] = ["a", "b", "a/b", "c/d", "c/e", "c/f/g", "h.md", "i/j/k/l"];
const TEXTS: [&str; 5] = ["", "one\n", "one\r\ntwo\r\n", "größe", "\u{FEFF}marked\n"];

#[derive(Debug, Clone, Copy)]
enum Wish {
    Write(usize, usize),
    Append(usize),
    Delete(usize),
    Move(usize, usize),
}

fn a_wish() -> impl Strategy<Value = Wish> {
    let path = 0..PATHS.len();
    prop_oneof![
        3 => (path.clone(), 0..TEXTS.len()).prop_map(|(path, text)| Wish::Write(path, text)),
        1 => path.clone().prop_map(Wish::Append),
        1 => path.clone().prop_map(Wish::Delete),
        1 => (path.clone(), path).prop_map(|(from, to)| Wish::Move(from, to)),
    ]
}

fn edit_of(project: &Project, wish: Wish) -> FileEdit {
    match wish {
        Wish::Write(path, text) => project.write_edit(PATHS[path], TEXTS[text]),
        Wish::Append(path) => FileEdit::replace(project.path(PATHS[path]), |text| {
            Ok(format!("{text}more\n"))
        }),
        Wish::Delete(path) => project.delete_edit(PATHS[path]),
        Wish::Move(from, to) => project.move_edit(PATHS[from], PATHS[to]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn undoing_in_reverse_order_gives_every_tree_back(sets in vec(vec(a_wish(), 1..4), 1..10)) {
        let project = Project::new(&[("a", "first\n"), ("c/d", "second\r\n")]);
        project.set_mode("a", 0o750);
        let mut undo = Vec::new();
        for set in sets {
            let before = project.tree();
            let edits = set.into_iter().map(|wish| edit_of(&project, wish)).collect();
            match project.edit(edits) {
                Ok(written) => {
                    if let Some(id) = written.into_iter().find_map(|written| written.backup) {
                        undo.push((id, before));
                    } else {
                        prop_assert_eq!(project.tree(), before);
                    }
                }
                // All or nothing.
                Err(_) => prop_assert_eq!(project.tree(), before),
            }
        }
        for (id, before) in undo.into_iter().rev() {
            project.restore(&id).unwrap();
            prop_assert_eq!(project.tree(), before);
        }
    }
}
