//! The shapes of ids, slugs, times and paths.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use crate::{
    AbsPath, Clock, FilePattern, ModeSlug, PathError, ProjectPath, SessionId, Timestamp, lock,
    name_glob, path_glob, random_secret, without_secrets,
};

#[track_caller]
fn check(text: &str, expected: &Result<&str, PathError>) {
    let root = AbsPath::new(Path::new("/home/ada/app")).unwrap();
    let parsed = ProjectPath::parse(text, &root);
    assert_eq!(
        parsed.as_ref().map(ProjectPath::as_str),
        expected.as_ref().copied()
    );
}

#[test]
fn project_paths_are_normalised_and_contained() {
    check("src/main.rs", &Ok("src/main.rs"));
    check("./src//main.rs", &Ok("src/main.rs"));
    check("src\\win\\main.rs", &Ok("src/win/main.rs"));
    check("a/../b", &Ok("b"));
    check("/home/ada/app/src/x", &Ok("src/x"));
    check("/home/ada/app", &Ok(""));
    check("~$draft.docx", &Ok("~$draft.docx"));
    check("", &Err(PathError::Empty));
    check("a\0b", &Err(PathError::Nul));
    for outside in [
        "..",
        "a/../../b",
        "/etc/passwd",
        "/home/ada/app2/x",
        "C:\\x",
        "c:x",
        "\\\\srv\\share",
        "~",
        "~/x",
        "~ada/x",
        "file:///etc/passwd",
    ] {
        check(outside, &Err(PathError::Escapes(outside.to_owned())));
    }
}

#[test]
fn a_random_id_reads_back_and_no_two_are_equal() {
    let id = SessionId::random();
    assert_eq!(SessionId::parse(id.as_str()).unwrap(), id);
    assert_ne!(SessionId::random(), id);
}

#[test]
fn the_older_session_prefix_means_the_same_session() {
    assert_eq!(
        SessionId::parse("ses_1a2b3c4d5e6f").unwrap(),
        SessionId::parse("sess_1a2b3c4d5e6f").unwrap()
    );
}

#[test]
fn other_shapes_are_no_session_ids() {
    for text in [
        "",
        "sess_",
        "sess_short",
        "SESS_1a2b3c4d5e6f",
        "sess_1a2b3c4d5e6é",
        "task_1a2b3c4d5e6f",
    ] {
        assert!(SessionId::parse(text).is_err(), "{text}");
    }
}

#[test]
fn slugs_hold_letters_digits_and_dashes_only() {
    assert!(ModeSlug::parse("code-2").is_ok());
    for text in ["", "a_b", "a b", "../x", "é"] {
        assert!(ModeSlug::parse(text).is_err(), "{text}");
    }
}

#[test]
fn times_are_shown_with_milliseconds() {
    assert_eq!(
        Timestamp::from_millis(1_736_764_200_000).to_string(),
        "2025-01-13T10:30:00.000Z"
    );
}

#[test]
fn a_manual_clock_moves_only_when_told() {
    let clock = Clock::manual(Timestamp::from_millis(1_000));
    let start = clock.now();
    clock.advance(Duration::from_secs(5));
    assert_eq!(clock.now().since(start), Duration::from_secs(5));
    assert_eq!(start.since(clock.now()), Duration::ZERO);
}

#[track_caller]
fn check_without_secrets(text: &str, expected: &str) {
    assert_eq!(without_secrets(text), expected);
}

#[test]
fn credentials_are_taken_out_of_texts_and_words_about_them_are_not() {
    let ours = random_secret();
    check_without_secrets(&ours, "[removed]");
    check_without_secrets(
        &format!("a {ours}, b\\n{ours}"),
        "a [removed], b\\n[removed]",
    );
    let signed = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl-_x";
    check_without_secrets(&format!("curl -H '{signed}' é"), "curl -H '[removed]' é");
    check_without_secrets(
        "Authorization: Bearer abcdefgh12345==\"",
        "Authorization: Bearer [removed]\"",
    );
    for between in [" ", "  ", "\t", " '", "=", "\":\""] {
        for word in ["Bearer", "BEARER", "bEArer"] {
            check_without_secrets(
                &format!("{word}{between}abcdefghijkl12"),
                &format!("{word}{between}[removed]"),
            );
        }
    }
    check_without_secrets("bearers of abcdefghijkl12", "bearers of abcdefghijkl12");
    check_without_secrets(
        "-H 'authorization: bearer abcdefghijkl'",
        "-H 'authorization: bearer [removed]'",
    );
    check_without_secrets(
        "psql 'postgres://ann:s:e@cret@db.example/x?y' b@c",
        "psql 'postgres://ann:[removed]@db.example/x?y' b@c",
    );
    for kept in [
        "",
        "mks_short",
        "https://ann@db.example:5432/a:b@c",
        "https://db.example:5432/ mail ann:x@y",
        "postgres://ann:$PASSWORD@db.example",
        "postgres://ann:@db.example",
        "Bearer $TOKEN",
        "the bearer of a token",
        "eyJ.eyJ.eyJ.eyJ",
        "import keyJar.from.here",
        "eyJhbGciOiJFUzI1NiJ9 alone",
    ] {
        check_without_secrets(kept, kept);
    }
}

#[test]
fn a_signed_token_is_taken_out_whole_however_long_its_parts_are() {
    let long = "x".repeat(5000);
    let signed = format!("eyJhbGciOiJFUzI1NiJ9.eyJ{long}.{long}");
    check_without_secrets(&format!("a {signed} b"), "a [removed] b");
    check_without_secrets(&format!("Bearer {signed} b"), "Bearer [removed] b");
}

#[test]
fn a_text_of_beginnings_is_read_once() {
    // With the square of its length this would not end.
    for beginning in [
        "b",
        "bearer",
        "bearer ",
        "eyJ",
        "mks_ ",
        "://",
        "://a:",
        "eyJhbGciOiJFUzI1NiJ9.",
    ] {
        let text = beginning.repeat(2_000_000 / beginning.len());
        let clean = without_secrets(&text);
        assert!(clean.len() <= text.len());
    }
    let found = format!("{} bbb ", random_secret()).repeat(20_000);
    check_without_secrets(&found, &"[removed] bbb ".repeat(20_000));
}

/// `name`, `path` or `directory`, and the text.
#[track_caller]
fn check_pattern(written: &str, expected: &str) {
    let read = FilePattern::read(written).map(|it| {
        let about = if it.is_name { "name" } else { "path" };
        let directory = if it.names_directory { " directory" } else { "" };
        format!("{about}{directory} {}", it.text)
    });
    assert_eq!(
        read.unwrap_or_else(|error| error.to_string()),
        expected,
        "{written}"
    );
}

#[test]
fn a_bare_name_is_looked_for_at_any_depth() {
    check_pattern("*.rs", "name *.rs");
    check_pattern("target/", "name directory target");
    check_pattern("./*.rs", "path *.rs");
    check_pattern("/.//src/", "path directory src");
    check_pattern("src/**", "path src/**");
    for empty in ["", "/", "./", "."] {
        check_pattern(empty, "it is empty");
    }
}

#[test]
fn a_star_stays_within_a_part_of_a_path_and_braces_may_be_empty() {
    let fits = |glob: &str, path: &str| path_glob(glob).unwrap().compile_matcher().is_match(path);
    assert!(fits("src/*.rs", "src/a.rs"));
    assert!(!fits("src/*.rs", "src/a/b.rs"));
    assert!(fits("src/**/x{,s}", "src/a/x"));
    let too_long = path_glob(&"x".repeat(1001)).unwrap_err();
    assert_eq!(too_long.to_string(), "it is longer than 1000 bytes");
    let fits = |glob: &str, name: &str| name_glob(glob).unwrap().compile_matcher().is_match(name);
    assert!(fits("auth*", "Auth/tokens"));
}

#[test]
fn a_lock_outlives_a_panic() {
    let shared = Mutex::new(1);
    let ended = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let _held = lock(&shared);
            panic!("while it is held");
        });
        thread.join()
    });
    assert!(ended.is_err());
    assert!(shared.is_poisoned());
    assert_eq!(*lock(&shared), 1);
}
