//! The text of a macOS profile. What it does on a Mac was not seen; here its expressions are tried as what they are.

use std::path::PathBuf;

use crate::rights::Network;
use crate::seatbelt::{SeatbeltGrant, SeatbeltRights};

fn rights(regex: Option<&str>) -> SeatbeltRights {
    SeatbeltRights {
        mode: "docs".to_owned(),
        root: PathBuf::from("/Users/me/my.project"),
        edit: vec![vec![SeatbeltGrant {
            regex: regex.map(str::to_owned),
            globs: Vec::new(),
        }]],
        shut: vec!["**/.roomodes".to_owned(), ".github/**".to_owned()],
        closed: vec![PathBuf::from("/Users/me/my.project/inner")],
        trees: vec![PathBuf::from("/private/tmp/modekeeper-501")],
        hidden: vec![PathBuf::from("/Users/me/.ssh")],
        network: Network::Own,
    }
}

/// Whether the profile would let a file be written: its last rule about writing that matches.
fn may_write(profile: &str, path: &str) -> bool {
    let mut answer = false;
    for line in profile.lines().filter(|line| !line.starts_with(';')) {
        let allows = line.starts_with("(allow file-write*");
        let denies = line.starts_with("(deny file-write*")
            || line.starts_with("(deny file-read* file-write*");
        if !allows && !denies {
            continue;
        }
        let expressions: Vec<&str> = line
            .split("#\"")
            .skip(1)
            .filter_map(|it| it.split('"').next())
            .collect();
        let subpath = line
            .split("subpath \"")
            .nth(1)
            .and_then(|it| it.split('"').next());
        let is_below = subpath.is_none_or(|it| path.starts_with(it));
        let is_any = expressions.is_empty() || expressions.iter().any(|it| matches(it, path));
        if is_below && is_any {
            answer = allows;
        }
    }
    answer
}

fn matches(expression: &str, path: &str) -> bool {
    regex::Regex::new(expression).unwrap().is_match(path)
}

#[track_caller]
fn check(profile: &str, path: &str, expected: bool) {
    assert_eq!(may_write(profile, path), expected, "{path}\n{profile}");
}

#[test]
fn a_profile_opens_what_the_mode_may_edit_and_nothing_else() {
    let profile = rights(Some(r"\.md$|^docs/")).profile();
    check(&profile, "/Users/me/my.project/README.md", true);
    check(&profile, "/Users/me/my.project/docs/a.txt", true);
    check(&profile, "/Users/me/my.project/src/docs/a.txt", false);
    check(&profile, "/Users/me/my.project/inner/README.md", false);
    check(&profile, "/Users/me/my.project/src/a.rs", false);
    check(&profile, "/Users/me/my_project/README.md", false);
    check(&profile, "/Users/me/my.project/README.md.rs", false);
    check(&profile, "/Users/me/other.md", false);
    check(&profile, "/private/tmp/modekeeper-501/x", true);
    check(&profile, "/dev/null", true);
    check(&profile, "/etc/hosts", false);
}

#[test]
fn protected_files_stay_shut_in_any_case() {
    let profile = rights(None).profile();
    check(&profile, "/Users/me/my.project/src/a.rs", true);
    for shut in [
        ".roomodes",
        "a/b/.RooModes",
        ".github",
        ".GitHub/workflows/x.yml",
        ".git/config",
        "a/.git/hooks/x",
    ] {
        check(&profile, &format!("/Users/me/my.project/{shut}"), false);
    }
    check(&profile, "/Users/me/my.project/.gitignore", true);
}

#[test]
fn a_pattern_that_cannot_be_said_opens_nothing() {
    for source in [
        r"(?!x)\.md$",
        r"\d+\.md$",
        r"a{2}\.md$",
        r"(^a|b)\.md$",
        r"[\w]\.md$",
        r"a*?\.md$",
        "a\"b",
    ] {
        let profile = rights(Some(source)).profile();
        assert!(
            profile.contains("cannot be said here"),
            "{source}\n{profile}"
        );
        check(&profile, "/Users/me/my.project/a.md", false);
    }
}

#[test]
fn a_profile_says_that_it_is_untested() {
    let first = rights(None).profile();
    let first = first.lines().next().unwrap();
    assert_eq!(
        first,
        "; Modekeeper: mode \"docs\" for sandbox-exec. UNTESTED: this profile was never run on a Mac."
    );
}
