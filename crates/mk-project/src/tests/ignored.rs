//! What `.rooignore` hides.

use std::sync::Arc;

use mk_testkit::Fixture;
use mk_types::{AbsPath, ProjectPath};

use crate::IgnoredFiles;

/// Checks paths against an ignore file: those after `hidden` are, those after `open` are not.
#[track_caller]
fn check(ignore_file: impl AsRef<[u8]>, hidden: &[&str], open: &[&str]) {
    let fixture = Fixture::new("");
    fixture.write(".rooignore", ignore_file);
    check_in(&fixture, hidden, open);
}

#[track_caller]
fn check_in(fixture: &Fixture, hidden: &[&str], open: &[&str]) {
    let ignored = IgnoredFiles::load(fixture.root());
    let hides = |path: &str| ignored.hides(&ProjectPath::parse(path, fixture.root()).unwrap());
    for path in hidden {
        assert!(hides(path), "{path} should be hidden");
    }
    for path in open {
        assert!(!hides(path), "{path} should not be hidden");
    }
}

#[test]
fn without_a_file_nothing_is_hidden() {
    let fixture = Fixture::new("");
    check_in(&fixture, &[], &["a", ".env", "."]);
    assert_eq!(IgnoredFiles::load(fixture.root()).text(), None);
}

#[test]
fn names_match_at_any_depth_and_anchored_ones_at_the_root() {
    check(
        ".env\n/build\n",
        &[".env", "deep/er/.env", ".env/below", "build", "build/x"],
        &["env", ".env.example", "src/build", "builder"],
    );
}

#[test]
fn wildcards_follow_git() {
    check(
        "*.pem\nsecret?\nlogs/**/*.log\n[ab].txt\n**/cache/\n",
        &[
            "x.pem",
            "deep/x.pem",
            "secret1",
            "logs/a.log",
            "logs/x/y/a.log",
            "a.txt",
            "deep/cache/x",
        ],
        &["x.pem.md", "secret", "secret12", "logs/z.txt", "c.txt"],
    );
}

#[test]
fn classes_of_characters_follow_git() {
    check(
        "key[[:digit:]].txt\n[[:upper:]_]*.pem\nx[^[:alnum:]]y\nz[[:punct:]]\n\\[[:alpha:]]\n[][:space:]]a\n",
        &[
            "key7.txt",
            "deep/key0.txt",
            "Ab.pem",
            "_b.pem",
            "x-y",
            "z!",
            "z]",
            "z~",
            "[:]",
            "]a",
            " a",
        ],
        &[
            "keyx.txt", "key.txt", "ab.pem", "x1y", "xay", "za", "z", "ba",
        ],
    );
    check("[[:nothing:]]\n", &["a"], &[]);
    check("# [[:nothing:]]\n.env\n", &[".env"], &["a"]);
}

#[test]
fn what_one_of_several_projects_hides_no_other_shows() {
    let fixture =
        Fixture::new("//- /.rooignore\nouter.md\n//- /vendor/.rooignore\n/inner.md\n!outer.md\n");
    let at = |path: &str| AbsPath::new(&fixture.path(path)).unwrap();
    let load = |path: &str| Arc::new(IgnoredFiles::load(&at(path)));
    let hides = |ignored: &IgnoredFiles, root: &AbsPath, path: &str| {
        ignored.hides(&ProjectPath::parse(path, root).unwrap())
    };
    let (outer, vendor) = (at(""), at("vendor"));
    let from_above = load("").with_others(&outer, [(vendor.clone(), load("vendor"))]);
    for path in ["outer.md", "vendor/outer.md", "vendor/inner.md"] {
        assert!(hides(&from_above, &outer, path), "{path}");
    }
    for path in [
        "inner.md",
        "vendor",
        "vendor/deep/inner.md",
        "vendored/inner.md",
    ] {
        assert!(!hides(&from_above, &outer, path), "{path}");
    }
    let from_below = load("vendor").with_others(&vendor, [(outer.clone(), load(""))]);
    for path in ["outer.md", "inner.md"] {
        assert!(hides(&from_below, &vendor, path), "{path}");
    }
    for (path, hidden) in [
        ("vendor/inner.md", true),
        ("inner.md", false),
        ("vendor/a.md", false),
    ] {
        let path = ProjectPath::parse(path, &outer).unwrap();
        assert_eq!(
            IgnoredFiles::hide_on_the_way(&outer, &path),
            hidden,
            "{path}"
        );
    }
    let alone = load("src").with_others(&outer, [(vendor, load("src"))]);
    assert!(matches!(*alone, IgnoredFiles::Nothing));
}

#[test]
fn a_folder_hides_all_that_is_in_it() {
    check(
        "secrets/\n",
        &["secrets/a", "secrets/deep/er/a", "x/secrets/a", "secrets"],
        &["secrets.md", "my-secrets/a"],
    );
}

#[test]
fn later_lines_take_back_what_earlier_ones_hid() {
    check(
        "*.md\n!README.md\nsecrets/*\n!secrets/open.txt\n",
        &["a.md", "secrets/key"],
        &["README.md", "docs/README.md", "secrets/open.txt"],
    );
}

#[test]
fn what_is_in_a_hidden_folder_cannot_be_taken_back() {
    check(
        "secrets/\n!secrets/open.txt\n",
        &["secrets/open.txt", "secrets/key"],
        &["open.txt"],
    );
}

#[test]
fn comments_blank_lines_and_windows_ends_are_understood() {
    check(
        "# .git\r\n\r\n.env\r\n  \r\n\\#odd\r\n",
        &[".env", "#odd"],
        &[".git", "# .git", "a"],
    );
}

#[test]
fn a_mark_at_the_start_of_the_file_is_not_part_of_the_first_pattern() {
    check("\u{feff}.env\n", &[".env"], &["a"]);
}

#[test]
fn the_root_itself_is_never_hidden_by_a_pattern() {
    check("*\n", &["a", "deep/b"], &["."]);
}

#[test]
fn a_line_that_is_no_pattern_hides_everything() {
    check("fine\n[z-a]\n", &["a", "fine", "."], &[]);
}

#[test]
fn a_file_that_is_no_text_hides_everything() {
    check(b"\xff\xfe.env".as_slice(), &["a", "."], &[]);
}

#[test]
fn a_file_that_is_too_large_hides_everything() {
    check("x".repeat(256 * 1024 + 1), &["a"], &[]);
}

#[test]
fn a_folder_or_a_pipe_of_that_name_hides_everything() {
    let folder = Fixture::new("//- /.rooignore/a\n");
    check_in(&folder, &["a"], &[]);
    let pipe = Fixture::new("");
    super::read::make_pipe(&pipe.path(".rooignore"));
    check_in(&pipe, &["a"], &[]);
}

#[test]
fn the_text_is_kept_for_the_prompt() {
    let fixture = Fixture::new("//- /.rooignore\n.env\n");
    assert_eq!(IgnoredFiles::load(fixture.root()).text(), Some(".env\n"));
}

#[test]
fn a_name_that_cannot_be_told_from_a_nested_project_is_hidden() {
    let fixture = Fixture::new("");
    fixture.write("inner/.rooignore", "secret\n");
    let inner = AbsPath::new(&fixture.path("inner")).unwrap();
    let own = Arc::new(IgnoredFiles::Nothing);
    let nested = Arc::new(IgnoredFiles::load(&inner));
    let all = own.with_others(fixture.root(), [(inner, nested)]);
    let hides = |path: &str| all.hides(&ProjectPath::parse(path, fixture.root()).unwrap());
    for path in ["inner/secret", "inner/a:token", "inner/~old/key"] {
        assert!(hides(path), "{path}");
    }
    for path in ["inner/open", "secret", "a/~old"] {
        assert!(!hides(path), "{path}");
    }
}
