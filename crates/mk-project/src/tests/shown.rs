//! Hidden files that another program's search would show.

use mk_testkit::Fixture;
use mk_types::ProjectPath;

use crate::{ForeignSearch, IgnoredFiles, ShownBySearch, shown_by_search};

const FILES: &str = r"
//- /.git/HEAD
ref: refs/heads/main
//- /.gitignore
ignored/
.env
//- /.rooignore
secret/
ignored/key
.env
.hidden
//- /.env
KEY=1
//- /src/lib.rs
fn one() {}
//- /docs/plan.md
a plan
//- /ignored/key
a key
//- /a/secret/deep/key.pem
a key
//- /b/.hidden
hidden
";

fn ripgrep(start: &str, globs: &[&str]) -> ForeignSearch {
    ForeignSearch {
        start: start.into(),
        globs: globs.iter().map(|&glob| glob.to_owned()).collect(),
        skips_git_ignored: true,
        ..ForeignSearch::default()
    }
}

/// Checks which hidden file is shown; the search starts below the root, and its program works there.
#[track_caller]
fn check(mut search: ForeignSearch, shown: Option<&str>) {
    let fixture = Fixture::new(FILES);
    let root = fixture.root();
    search.start = root.as_path().join(&search.start);
    search.directory = root.as_path().to_owned();
    let ignored = IgnoredFiles::load(root);
    let expected = match shown {
        Some(path) => ShownBySearch::Hidden(ProjectPath::parse(path, root).unwrap()),
        None => ShownBySearch::NothingHidden,
    };
    assert_eq!(shown_by_search(root, &ignored, [search]), expected);
}

#[test]
fn a_directory_without_hidden_files_is_searched() {
    check(ripgrep("src", &[]), None);
    check(ripgrep("docs", &[]), None);
}

#[test]
fn a_directory_with_a_hidden_file_is_not() {
    check(ripgrep("a", &[]), Some("a/secret/deep/key.pem"));
    check(ripgrep("b", &[]), Some("b/.hidden"));
}

#[test]
fn a_glob_that_leaves_it_out_or_matches_others_opens_the_directory() {
    check(ripgrep("a", &["!**/secret/**"]), None);
    check(ripgrep("", &["!**/secret/**", "!.hidden"]), None);
    check(ripgrep("", &["*.rs"]), None);
    check(ripgrep("", &["*.{pem,rs}"]), Some("a/secret/deep/key.pem"));
}

#[test]
fn what_git_ignores_is_passed_over_unless_a_glob_names_it() {
    check(ripgrep("ignored", &[]), Some("ignored/key"));
    let without = &["!**/secret/**", "!.hidden"];
    check(ripgrep("", without), None);
    check(ripgrep("", &[".env"]), Some(".env"));
    let everything = ForeignSearch {
        skips_git_ignored: false,
        ..ripgrep("", &["!**/secret/**", "!.hidden", "!.env"])
    };
    check(everything, Some("ignored/key"));
}

#[test]
fn a_type_narrows_and_an_unknown_one_does_not() {
    let of_type = |file_type: &str| ForeignSearch {
        file_type: Some(file_type.to_owned()),
        ..ripgrep("a", &[])
    };
    check(of_type("rust"), None);
    check(of_type("no such type"), Some("a/secret/deep/key.pem"));
    check(ripgrep("a", &["[unclosed"]), Some("a/secret/deep/key.pem"));
}
