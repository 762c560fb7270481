//! Reading text, and changing it: whole or not at all, in the form it had.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use mk_policy::Permit;

use super::project::{Project, name_of, put};
use crate::{Error, FileEdit, LineEnding, LineRange, WriteKind};

#[track_caller]
fn check_read(bytes: &[u8], expected: Option<(&str, &str, LineEnding)>) {
    let project = Project::new(&[]);
    project.put("x", bytes);
    let read = project.root.read_file(&project.path("x"));
    let found = read
        .as_ref()
        .ok()
        .map(|file| (file.text.as_str(), file.encoding, file.line_ending));
    assert_eq!(found, expected);
    if expected.is_none() {
        assert_eq!(name_of(&read), "Binary");
    }
}

#[test]
fn encodings_and_line_endings_are_recognised() {
    check_read(b"", Some(("", "utf-8", LineEnding::None)));
    check_read(b"one", Some(("one", "utf-8", LineEnding::None)));
    check_read(b"one\ntwo", Some(("one\ntwo", "utf-8", LineEnding::Lf)));
    check_read(
        b"one\r\ntwo\r\n",
        Some(("one\r\ntwo\r\n", "utf-8", LineEnding::CrLf)),
    );
    check_read(
        b"one\r\ntwo\n",
        Some(("one\r\ntwo\n", "utf-8", LineEnding::Mixed)),
    );
    check_read(
        b"one\r\r\n",
        Some(("one\r\r\n", "utf-8", LineEnding::Mixed)),
    );
    check_read(b"one\rtwo", Some(("one\rtwo", "utf-8", LineEnding::Mixed)));
    check_read(
        "größe\n".as_bytes(),
        Some(("größe\n", "utf-8", LineEnding::Lf)),
    );
    check_read(
        b"\xEF\xBB\xBFx\n",
        Some(("x\n", "utf-8-bom", LineEnding::Lf)),
    );
    check_read(
        b"\xFF\xFEx\0\r\0\n\0",
        Some(("x\r\n", "utf-16le", LineEnding::CrLf)),
    );
    check_read(
        b"\xFE\xFF\0x\0\n",
        Some(("x\n", "utf-16be", LineEnding::Lf)),
    );
    check_read(
        b"gr\xF6\xDFe \x80\n",
        Some(("größe €\n", "windows-1252", LineEnding::Lf)),
    );
    check_read(
        b"\x1B[1mbold\x1B[0m\n",
        Some(("\x1B[1mbold\x1B[0m\n", "utf-8", LineEnding::Lf)),
    );
}

#[test]
fn what_is_not_text_is_refused() {
    check_read(b"a\0b", None);
    check_read(b"\x7FELF\x02\x01\xFF", None);
    check_read(b"\xFF\xFEx", None);
    check_read(b"\xFF\xFE\x00\xD8", None);
    check_read(b"\xFF\xFE\0\0", None);
    check_read(b"\x89PNG\r\n\x1A\n\x01\x02", None);
}

#[test]
fn a_large_file_is_refused_without_reading_it() {
    let project = Project::new(&[]);
    let file = File::create(project.at("sparse")).unwrap();
    file.set_len(100 * 1024 * 1024 * 1024).unwrap();
    let path = project.path("sparse");
    assert_eq!(name_of(&project.root.read_file(&path)), "TooLarge");
    assert_eq!(name_of(&project.write("sparse", "x")), "TooLarge");
    assert_eq!(
        name_of(&project.edit(vec![project.delete_edit("sparse")])),
        "TooLarge"
    );
    let moved = project
        .edit(vec![project.move_edit("sparse", "b/sparse")])
        .unwrap();
    assert_eq!(
        moved[0].kind,
        WriteKind::Moved {
            to: project.path("b/sparse")
        }
    );
    assert_eq!(
        name_of(&project.write("new", &"x".repeat(20 * 1024 * 1024 + 1))),
        "TooLarge"
    );
}

#[test]
fn revisions_are_the_same_in_every_process() {
    let project = Project::new(&[("x", "abc")]);
    let read = project.root.read_file(&project.path("x")).unwrap();
    // The beginning of SHA-256("abc"), as the standard prints it.
    assert_eq!(read.revision, "ba7816bf8f01cfea");
    assert_eq!(read.size, 3);
}

#[track_caller]
fn check_lines(
    text: &str,
    start: Option<i64>,
    end: Option<i64>,
    expected: Result<(usize, usize, &str), i64>,
) {
    let project = Project::new(&[("x", text)]);
    let file = project.root.read_file(&project.path("x")).unwrap();
    let lines = file.lines(LineRange { start, end });
    assert_eq!(lines.map_err(|error| error.line), expected);
}

#[test]
fn lines_count_from_one_and_from_the_end() {
    let text = "a\nb\nc\n";
    check_lines(text, None, None, Ok((1, 3, text)));
    check_lines(text, Some(1), Some(3), Ok((1, 3, text)));
    check_lines(text, Some(2), Some(2), Ok((2, 2, "b\n")));
    check_lines(text, Some(2), None, Ok((2, 3, "b\nc\n")));
    check_lines(text, None, Some(2), Ok((1, 2, "a\nb\n")));
    check_lines(text, Some(-1), None, Ok((3, 3, "c\n")));
    check_lines(text, Some(-2), Some(-2), Ok((2, 2, "b\n")));
    check_lines(text, Some(-100), None, Ok((1, 3, text)));
    check_lines(text, None, Some(100), Ok((1, 3, text)));
    check_lines("a\nb", Some(2), None, Ok((2, 2, "b")));
    check_lines("a\r\nb\r\n", Some(1), Some(1), Ok((1, 1, "a\r\n")));
    check_lines("ä\nö\n", Some(2), Some(2), Ok((2, 2, "ö\n")));
    check_lines("", None, None, Ok((1, 0, "")));
    check_lines("", Some(1), Some(1), Ok((1, 0, "")));
}

#[test]
fn lines_that_are_not_there_are_named() {
    let text = "a\nb\nc\n";
    check_lines(text, Some(4), None, Err(4));
    check_lines(text, Some(0), None, Err(0));
    check_lines(text, None, Some(0), Err(0));
    check_lines(text, Some(3), Some(2), Err(2));
    check_lines(text, None, Some(-4), Err(-4));
    check_lines(text, Some(i64::MAX), None, Err(i64::MAX));
    check_lines(text, None, Some(i64::MIN), Err(i64::MIN));
    check_lines("", Some(2), None, Err(2));
    check_lines(text, Some(i64::MIN), None, Err(i64::MIN));
}

/// Writes `new` over `old` and looks at the bytes.
#[track_caller]
fn check_write(old: &[u8], new: &str, expected: &[u8]) {
    let project = Project::new(&[]);
    project.put("x", old);
    project.write("x", new).unwrap();
    assert_eq!(project.bytes("x"), expected);
}

#[test]
fn a_write_keeps_encoding_and_line_endings() {
    check_write(b"a\n", "b\n", b"b\n");
    check_write(b"a\n", "b", b"b");
    check_write(b"a\r\n", "b\nc\n", b"b\r\nc\r\n");
    check_write(b"a\r\n", "b\r\nc\n", b"b\r\nc\n");
    check_write(b"a\r\nb\n", "c\nd\n", b"c\nd\n");
    check_write(b"\xEF\xBB\xBFa\n", "b\n", b"\xEF\xBB\xBFb\n");
    check_write(b"\xEF\xBB\xBFa\n", "\u{FEFF}b\n", b"\xEF\xBB\xBFb\n");
    check_write(b"\xFF\xFEa\0\r\0\n\0", "ä\n", b"\xFF\xFE\xE4\0\r\0\n\0");
    check_write(b"\xFE\xFF\0a", "\u{1F600}", b"\xFE\xFF\xD8\x3D\xDE\x00");
    check_write(b"\xF6\n", "ä€\n", b"\xE4\x80\n");
    check_write(b"a\0b", "text\n", b"text\n");
}

#[test]
fn a_text_its_encoding_lacks_becomes_utf_8_and_says_so() {
    let project = Project::new(&[]);
    project.put("x", b"gr\xF6\xDFe\n");
    let written = project.write("x", "größe 大\n").unwrap();
    assert_eq!(written.recoded_from, Some("windows-1252"));
    assert_eq!(project.text("x"), "größe 大\n");
    let written = project.write("x", "größe\n").unwrap();
    assert_eq!(written.recoded_from, None);
    // `Ã¤` in Windows-1252 is `ä` in UTF-8: it would be read as another text than was written.
    project.put("y", b"\xF6\n");
    let written = project.write("y", "Ã¤\n").unwrap();
    assert_eq!(written.recoded_from, Some("windows-1252"));
    assert_eq!(
        project.root.read_file(&project.path("y")).unwrap().text,
        "Ã¤\n"
    );
}

#[test]
fn text_that_could_not_be_read_again_is_not_written() {
    let project = Project::new(&[("x", "old\n")]);
    assert_eq!(name_of(&project.write("x", "a\0b")), "Binary");
    assert_eq!(project.text("x"), "old\n");
}

#[test]
fn a_replacement_sees_plain_newlines_and_gives_the_old_ones_back() {
    for (old, expected) in [
        (b"a\nb\n".as_slice(), b"a\nB\r\nc\n".as_slice()),
        (b"a\r\nb\r\n", b"a\r\nB\r\nc\r\n"),
        (
            b"\xFF\xFEa\0\r\0\n\0b\0\r\0\n\0",
            b"\xFF\xFEa\0\r\0\n\0B\0\r\0\n\0c\0\r\0\n\0",
        ),
    ] {
        let project = Project::new(&[]);
        project.put("x", old);
        let change = FileEdit::replace(project.path("x"), |text| {
            assert_eq!(text, "a\nb\n");
            Ok(text.replace("\nb\n", "\nB\r\nc\n"))
        });
        project.edit(vec![change]).unwrap();
        assert_eq!(project.bytes("x"), expected);
    }
}

#[test]
fn a_replacement_that_fails_changes_nothing() {
    let project = Project::new(&[("x", "old\n")]);
    let edit = FileEdit::replace(project.path("x"), |_| Err(Error::Cancelled));
    assert_eq!(name_of(&project.edit(vec![edit])), "Cancelled");
    let edit = FileEdit::replace(project.path("y"), |text| Ok(text.to_owned()));
    assert_eq!(name_of(&project.edit(vec![edit])), "Missing");
    project.put("z", b"\0");
    let edit = FileEdit::replace(project.path("z"), |text| Ok(text.to_owned()));
    assert_eq!(name_of(&project.edit(vec![edit])), "Binary");
    assert_eq!(project.text("x"), "old\n");
    assert_eq!(project.backups.list().unwrap(), []);
}

#[test]
fn an_answer_says_what_changed() {
    let project = Project::new(&[("x", "one\ntwo\nthree\n")]);
    let written = project.write("x", "one\n2\nthree\nfour\n").unwrap();
    assert_eq!(written.kind, WriteKind::Changed);
    assert_eq!((written.added, written.removed), (2, 1));
    assert_eq!(
        written.diff,
        "@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n"
    );
    let read = project.root.read_file(&project.path("x")).unwrap();
    assert_eq!(written.revision, Some(read.revision));

    let written = project.write("new/deep/y", "a\nb\n").unwrap();
    assert_eq!(written.kind, WriteKind::Created);
    assert_eq!((written.added, written.removed), (2, 0));

    let written = project.write("x", &"line\n".repeat(5_000)).unwrap();
    assert!(written.diff.len() < 4_300, "{}", written.diff.len());
    assert!(
        written.diff.ends_with(" more lines of this diff)\n"),
        "{}",
        written.diff
    );
    assert_eq!((written.added, written.removed), (5_000, 4));
}

/// What a person would refuse may stand at the end of a long diff, or of a long line.
#[test]
fn who_decides_about_a_change_sees_all_of_it() {
    let project = Project::new(&[("x", "one\n")]);
    let text = format!(
        "{}{} evil\nevil\n",
        "line\n".repeat(5_000),
        "x".repeat(9_000)
    );
    let edits = vec![FileEdit::Write {
        path: project.path("x"),
        contents: text,
        expected: None,
    }];
    let shown = project.root.preview_to_decide(&project.backups, edits);
    let diff = shown.unwrap().pop().unwrap().diff;
    assert!(diff.ends_with("x evil\n+evil\n"), "{}", diff.len());
    assert_eq!(diff.lines().count(), 5_004);
}

#[test]
fn writing_what_is_there_already_does_nothing() {
    let project = Project::new(&[("x", "same\r\n")]);
    let inode = fs::metadata(project.at("x")).unwrap().ino();
    let written = project.write("x", "same\n").unwrap();
    assert_eq!((written.kind, written.backup), (WriteKind::Unchanged, None));
    assert_eq!(fs::metadata(project.at("x")).unwrap().ino(), inode);
    assert_eq!(project.backups.list().unwrap(), []);
}

#[test]
fn mode_bits_stay_and_read_only_files_stay_as_they_are() {
    let project = Project::new(&[("x", "old\n")]);
    for mode in [0o755, 0o600, 0o640, 0o777] {
        project.set_mode("x", mode);
        project.write("x", &format!("{mode:o}\n")).unwrap();
        assert_eq!(project.mode("x"), mode);
    }
    project.set_mode("x", 0o4755);
    project
        .write("x", "no longer the program it was\n")
        .unwrap();
    assert_eq!(project.mode("x"), 0o755);
    project.set_mode("x", 0o444);
    assert_eq!(name_of(&project.write("x", "new\n")), "Write");
    assert_eq!(project.text("x"), "no longer the program it was\n");
    project.write("new", "").unwrap();
    let plain = File::create(project.at("plain")).unwrap();
    assert_eq!(
        project.mode("new"),
        plain.metadata().unwrap().mode() & 0o7777
    );
}

#[test]
fn a_write_replaces_the_name_and_never_a_shared_file() {
    let project = Project::new(&[("x", "shared\n")]);
    fs::hard_link(project.at("x"), project.at("other")).unwrap();
    fs::hard_link(project.outside().join("secret.txt"), project.at("hard")).unwrap();
    project.write("x", "new\n").unwrap();
    project.write("hard", "new\n").unwrap();
    assert_eq!(project.text("x"), "new\n");
    assert_eq!(project.text("other"), "shared\n");
    project.check_outside_untouched();
}

#[test]
fn an_edit_outside_its_permit_is_refused() {
    let project = Project::new(&[("x", "old\n"), ("y", "old\n")]);
    for edit in [
        project.write_edit("x", "new\n"),
        project.delete_edit("x"),
        project.move_edit("x", "y2"),
        project.move_edit("y", "x"),
        FileEdit::replace(project.path("x"), |_| Ok(String::new())),
    ] {
        let permit = Permit::operator("test", vec![project.path("y")]);
        let edited = project.root.edit(permit, &project.backups, vec![edit]);
        assert_eq!(name_of(&edited), "NoTarget");
    }
    assert_eq!(project.text("x"), "old\n");
    assert!(!project.state().exists());
}

#[test]
fn a_file_is_named_once_in_a_call() {
    let project = Project::new(&[("x", "old\n")]);
    let twice = vec![project.write_edit("x", "new\n"), project.delete_edit("x")];
    assert_eq!(name_of(&project.edit(twice)), "NamedTwice");
    assert_eq!(
        name_of(&project.edit(vec![project.move_edit("x", "x")])),
        "NamedTwice"
    );
    assert_eq!(project.text("x"), "old\n");
}

#[test]
fn moving_and_deleting() {
    let project = Project::new(&[("a/x", "x\n"), ("y", "y\n")]);
    project.set_mode("a/x", 0o750);
    project
        .edit(vec![project.move_edit("a/x", "b/c/x")])
        .unwrap();
    assert_eq!(
        (project.text("b/c/x").as_str(), project.mode("b/c/x")),
        ("x\n", 0o750)
    );
    assert_eq!(
        name_of(&project.edit(vec![project.move_edit("y", "b/c/x")])),
        "Exists"
    );
    assert_eq!(
        name_of(&project.edit(vec![project.move_edit("b", "z")])),
        "NotAFile"
    );
    assert_eq!(
        name_of(&project.edit(vec![project.delete_edit("b")])),
        "NotAFile"
    );
    let written = project.edit(vec![project.delete_edit("y")]).unwrap();
    assert_eq!(
        (&written[0].kind, written[0].removed),
        (&WriteKind::Deleted, 1)
    );
    assert!(!project.at("y").exists());
    assert_eq!(
        name_of(&project.edit(vec![project.delete_edit("y")])),
        "Missing"
    );
}

#[test]
fn a_change_set_that_fails_half_way_leaves_nothing_behind() {
    let project = Project::new(&[("x", "x\n"), ("gone", "gone\n"), ("from", "from\n")]);
    project.set_mode("x", 0o640);
    let before = project.tree();
    // `new` becomes a folder because of `new/deep/y`; only the rename of the file `new` notices.
    let edits = vec![
        project.write_edit("x", "changed\n"),
        project.delete_edit("gone"),
        project.move_edit("from", "other/to"),
        project.write_edit("created/y", "y\n"),
        project.write_edit("new", "a file\n"),
        project.write_edit("new/deep/y", "y\n"),
    ];
    assert!(project.edit(edits).is_err());
    assert_eq!(project.tree(), before);
    assert_eq!(project.backups.list().unwrap(), []);
}

#[test]
fn a_preview_changes_nothing() {
    let project = Project::new(&[("x", "x\n")]);
    let before = project.tree();
    let edits = vec![
        project.write_edit("x", "new\n"),
        project.write_edit("d/y", "y\n"),
    ];
    let written = project.root.preview(&project.backups, edits).unwrap();
    assert_eq!(written[0].diff, "@@ -1 +1 @@\n-x\n+new\n");
    assert_eq!(written[1].kind, WriteKind::Created);
    assert_eq!(project.tree(), before);
    assert!(!project.state().exists());
}

/// Writes `contents` as somebody who has seen `revision`.
fn write_seen(project: &Project, contents: &str, revision: &str) -> Result<Option<String>, Error> {
    let edit = FileEdit::Write {
        path: project.path("x"),
        contents: contents.to_owned(),
        expected: Some(revision.to_owned()),
    };
    project
        .edit(vec![edit])
        .map(|written| written[0].revision.clone())
}

#[test]
fn who_has_not_seen_a_change_is_shown_it() {
    let project = Project::new(&[("x", "one\n")]);
    let seen = project.root.read_file(&project.path("x")).unwrap().revision;
    project.write("x", "one\ntwo\n").unwrap();
    let now = project.root.read_file(&project.path("x")).unwrap().revision;
    match write_seen(&project, "mine\n", &seen) {
        Err(Error::Changed { revision, diff, .. }) => {
            assert_eq!(revision, now);
            assert_eq!(
                diff,
                "--- as you read it\n+++ on disk now\n@@ -1 +1,2 @@\n one\n+two\n"
            );
        }
        other => panic!("{other:?}"),
    }
    // A state that no backup knows: the caller sees what it would have overwritten.
    match write_seen(&project, "mine\n", "0123456789abcdef") {
        Err(Error::Changed { diff, .. }) => {
            assert_eq!(
                diff,
                "--- on disk now\n+++ as you would write it\n@@ -1,2 +1 @@\n-one\n-two\n+mine\n"
            );
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(project.text("x"), "one\ntwo\n");
    // Nothing is lost by writing what is there, or by creating what somebody deleted.
    assert_eq!(
        write_seen(&project, "one\ntwo\n", &seen).unwrap(),
        Some(now.clone())
    );
    fs::remove_file(project.at("x")).unwrap();
    write_seen(&project, "again\n", &now).unwrap();
    assert_eq!(project.text("x"), "again\n");
}

#[test]
fn a_replacement_may_insist_on_what_it_has_seen() {
    let project = Project::new(&[("x", "one\n")]);
    let edit = |expected: &str| FileEdit::Replace {
        path: project.path("x"),
        expected: Some(expected.to_owned()),
        change: Box::new(|_| Ok("two\n".to_owned())),
    };
    assert_eq!(
        name_of(&project.edit(vec![edit("0123456789abcdef")])),
        "Changed"
    );
    let seen = project.root.read_file(&project.path("x")).unwrap().revision;
    project.edit(vec![edit(&seen)]).unwrap();
    assert_eq!(project.text("x"), "two\n");
}

#[test]
fn what_an_editor_saved_since_the_plan_is_not_overwritten() {
    let project = Project::new(&[("w", "w\n"), ("x", "x\n"), ("y", "y\n")]);
    // The replacement of `y` is computed last, when the others have been planned.
    let meanwhile = |path: &'static str| {
        let file = project.at(path);
        FileEdit::replace(project.path("y"), move |text| {
            put(&file, b"saved by an editor\n");
            Ok(format!("{text}more\n"))
        })
    };
    for (edit, path, expected) in [
        (project.write_edit("x", "mine\n"), "x", "Changed"),
        (project.delete_edit("x"), "x", "Changed"),
        (project.write_edit("new", "mine\n"), "new", "Exists"),
        (project.move_edit("w", "to"), "to", "Exists"),
    ] {
        project.put("x", b"x\n");
        let edited = project.edit(vec![edit, meanwhile(path)]);
        assert_eq!(name_of(&edited), expected, "{path}");
        assert_eq!(project.text(path), "saved by an editor\n");
        assert_eq!(
            (project.text("w").as_str(), project.text("y").as_str()),
            ("w\n", "y\n")
        );
    }
}

const WRITERS: usize = 8;
const LINES: usize = 6;

#[test]
fn replacements_of_many_writers_all_arrive() {
    let project = Project::new(&[("x", "")]);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let project = &project;
            scope.spawn(move || {
                let backups = project.other_backups();
                for line in 0..LINES {
                    let change = move |text: &str| Ok(format!("{text}{writer} {line}\n"));
                    let edit = FileEdit::replace(project.path("x"), change);
                    let permit = Permit::operator("test", vec![project.path("x")]);
                    project.root.edit(permit, &backups, vec![edit]).unwrap();
                }
            });
        }
    });
    check_all_lines(&project);
}

#[test]
fn writers_that_were_overtaken_are_told_and_nothing_is_lost() {
    let project = Project::new(&[("x", "")]);
    // All have read before the first one writes: one of them wins the first round.
    let all_have_read = Barrier::new(WRITERS);
    let n_conflicts: usize = thread::scope(|scope| {
        let write = |writer: usize| {
            let (project, all_have_read) = (&project, &all_have_read);
            scope.spawn(move || {
                let mut n_conflicts = 0;
                for line in 0..LINES {
                    loop {
                        let read = project.root.read_file(&project.path("x")).unwrap();
                        let text = format!("{}{writer} {line}\n", read.text);
                        if line + n_conflicts == 0 {
                            all_have_read.wait();
                        }
                        match write_seen(project, &text, &read.revision) {
                            Ok(_) => break,
                            Err(Error::Changed { .. }) => n_conflicts += 1,
                            Err(error) => panic!("{error:?}"),
                        }
                    }
                }
                n_conflicts
            })
        };
        let writers: Vec<_> = (0..WRITERS).map(write).collect();
        writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .sum()
    });
    check_all_lines(&project);
    assert!(n_conflicts >= WRITERS - 1, "{n_conflicts}");
}

#[track_caller]
fn check_all_lines(project: &Project) {
    let text = project.text("x");
    let lines: BTreeSet<&str> = text.lines().collect();
    assert_eq!(text.lines().count(), WRITERS * LINES);
    assert_eq!(lines.len(), WRITERS * LINES);
    // Nobody left a file beside it.
    assert_eq!(project.tree().len(), 1);
}

#[test]
fn a_reader_finds_one_text_or_the_other() {
    let project = Project::new(&[]);
    let texts = ["a".repeat(60_000), "b".repeat(100_000)];
    project.write("x", &texts[0]).unwrap();
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 1..40 {
                project.write("x", &texts[round % 2]).unwrap();
            }
        });
        while !writer.is_finished() {
            let text = project.root.read_file(&project.path("x")).unwrap().text;
            assert!(texts.contains(&text), "{} bytes", text.len());
        }
    });
}

#[test]
fn whoever_waits_too_long_for_the_lock_is_told() {
    let mut project = Project::new(&[("x", "old\n")]);
    let other = project.other_backups();
    let lock = other.lock().unwrap();
    project.backups.patience = Duration::from_millis(5);
    assert_eq!(name_of(&project.write("x", "new\n")), "Busy");
    drop(lock);
    project.write("x", "new\n").unwrap();
}

#[test]
fn what_a_killed_writer_left_is_removed_by_the_next() {
    let project = Project::new(&[("a/x", "x\n"), (".modekeeper-kept.tmp", "not noted\n")]);
    let lock = project.backups.lock().unwrap();
    for (folder, name) in [
        ("a", ".modekeeper-abc.tmp"),
        (".", ".modekeeper-def.tmp"),
        ("a", ".modekeeper-not-there.tmp"),
        ("a", "x"),
        ("a", "../../outside/secret.txt"),
    ] {
        lock.note(&project.path(folder), name).unwrap();
    }
    drop(lock);
    project.put("a/.modekeeper-abc.tmp", b"half");
    project.put(".modekeeper-def.tmp", b"half");
    project.write("y", "y\n").unwrap();
    let tree = project.tree();
    let names: Vec<&str> = tree.keys().map(String::as_str).collect();
    assert_eq!(names, [".modekeeper-kept.tmp", "a", "a/x", "y"]);
    project.check_outside_untouched();
}
