//! Reading text: what is refused, and that nothing waits.

use std::fs::File;
use std::path::Path;

use mk_testkit::Fixture;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::{ReadStamp, read_sized, read_text};

pub(super) fn make_pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

/// The text of `path` with at most 10 bytes, or why not; the folder's name is cut off.
#[track_caller]
fn check(fixture: &Fixture, path: &str, expected: Result<Option<&str>, &str>) {
    let path = fixture.path(path);
    let found = read_text(&path, 10).map_err(|error| {
        let folder = format!("{}/", fixture.root());
        error.to_string().replace(&folder, "")
    });
    let found = found.as_ref().map(Option::as_deref).map_err(String::as_str);
    assert_eq!(found, expected);
}

#[test]
fn a_text_is_read_whole() {
    let fixture = Fixture::new("//- /a\nten bytes\n//- /empty\n");
    check(&fixture, "a", Ok(Some("ten bytes\n")));
    check(&fixture, "empty", Ok(Some("")));
}

#[test]
fn what_is_not_there_is_no_error() {
    let fixture = Fixture::new("//- /file\n");
    fixture.link("dangling", "nowhere");
    check(&fixture, "nothing", Ok(None));
    check(&fixture, "no/such/folder", Ok(None));
    check(&fixture, "file/below", Ok(None));
    check(&fixture, "dangling", Ok(None));
}

#[test]
fn one_byte_too_many_is_too_large() {
    let fixture = Fixture::new("//- /a\nten bytes!\n");
    let refusal = "`a` is too large: 11 bytes, at most 10 are read";
    check(&fixture, "a", Err(refusal));
}

#[test]
fn a_file_that_grows_is_not_read_beyond_the_limit() {
    // The system says that it has no bytes, and gives many.
    let path = Path::new("/proc/self/status");
    assert_eq!(std::fs::metadata(path).unwrap().len(), 0);
    let refusal = read_text(path, 10).unwrap_err().to_string();
    assert_eq!(
        refusal,
        "`/proc/self/status` is too large: 11 bytes, at most 10 are read"
    );
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let fixture = Fixture::new("");
    fixture.write("a", b"abc\xff");
    check(&fixture, "a", Err("`a` is not UTF-8 text (byte 3)"));
}

#[test]
fn only_regular_files_are_read() {
    let fixture = Fixture::new("//- /folder/a\n");
    make_pipe(&fixture.path("pipe"));
    fixture.link("device", "/dev/zero");
    fixture.link("terminal", "/dev/ptmx");
    let listener = std::os::unix::net::UnixListener::bind(fixture.path("socket"));
    check(&fixture, "folder", Err("`folder` is not a regular file"));
    check(&fixture, "pipe", Err("`pipe` is not a regular file"));
    check(&fixture, "device", Err("`device` is not a regular file"));
    check(
        &fixture,
        "terminal",
        Err("`terminal` is not a regular file"),
    );
    check(&fixture, "socket", Err("cannot read `socket`"));
    drop(listener);
}

#[test]
fn a_loop_of_links_is_an_error() {
    let fixture = Fixture::new("");
    fixture.link("loop", "loop");
    check(&fixture, "loop", Err("cannot read `loop`"));
}

#[test]
fn a_stamp_changes_with_the_file() {
    let fixture = Fixture::new("//- /a\none\n");
    let path = fixture.path("a");
    let before = ReadStamp::of(&path);
    assert_eq!(before, ReadStamp::of(&path));
    fixture.save("a", "two\n");
    assert_ne!(before, ReadStamp::of(&path));
    fixture.remove("a");
    assert_eq!(ReadStamp::of(&path), None);
}

#[test]
fn a_size_that_is_no_longer_true_changes_nothing() {
    let fixture = Fixture::new("//- /a\nten bytes\n//- /empty\n");
    let mut buffer = Vec::new();
    let mut check = |name: &str, size, most, expected: &str| {
        let file = File::open(fixture.path(name)).unwrap();
        let bytes = read_sized(&file, size, most, &mut buffer).unwrap();
        assert_eq!(bytes, expected.as_bytes(), "{name}, {size} bytes");
    };
    for size in [10, 0, 3, 9, 11, 4000] {
        check("a", size, 10_000, "ten bytes\n");
        check("empty", size, 10_000, "");
    }
    check("a", 3, 7, "ten byt");
    check("a", 10, 7, "ten byt");
}
