//! Finding files and listing folders.

use std::os::unix::ffi::OsStrExt as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mk_types::ProjectPath;

use super::grove::Grove;
use crate::{
    Depth, DirectoryQuery, EntryKind, Error, FindQuery, FirstFiles, IgnoredFiles, ListedEntries,
    find_files, list_dir,
};

const TREE: &str = "
//- /.gitignore
target/
*.log
!keep.log
//- /.hidden/secret.py
//- /Cargo.toml
//- /README.md
//- /build.log
//- /docs/guide.md
//- /docs/images/plan.svg
//- /keep.log
//- /src/.gitignore
/generated.rs
//- /src/generated.rs
//- /src/lib.rs
//- /src/net/client.rs
//- /src/net/generated.rs
//- /src/net/server.py
//- /target/debug/out.rs
//- /tests/it.rs
//- /.git/HEAD
ref: refs/heads/main
//- /.git/info/exclude
excluded.txt
//- /excluded.txt
//- /src/excluded.txt
";

fn everything(_: &ProjectPath) -> bool {
    true
}

fn find(
    grove: &Grove,
    folder: &str,
    pattern: &str,
    max_results: usize,
) -> Result<FirstFiles, Error> {
    let query = FindQuery {
        pattern: pattern.to_owned(),
        folder: grove.path(folder),
        max_results,
    };
    find_files(&grove.root, &query, &everything, &AtomicBool::new(false))
}

#[track_caller]
fn check(grove: &Grove, folder: &str, pattern: &str, expected: &[&str]) {
    let found = find(grove, folder, pattern, 1000).unwrap();
    let paths: Vec<&str> = found.paths.iter().map(ProjectPath::as_str).collect();
    assert_eq!(paths, expected, "{pattern} in {folder}");
    assert_eq!((found.total, found.cut), (expected.len(), false));
}

fn list(
    grove: &Grove,
    folder: &str,
    depth: Depth,
    max_entries: usize,
) -> Result<ListedEntries, Error> {
    let query = DirectoryQuery {
        folder: grove.path(folder),
        depth,
        max_entries,
    };
    list_dir(&grove.root, &query, &everything, &AtomicBool::new(false))
}

fn names(listed: &ListedEntries) -> Vec<&str> {
    listed
        .entries
        .iter()
        .map(|entry| entry.path.as_str())
        .collect()
}

#[test]
fn a_name_is_found_at_any_depth_and_a_path_from_the_folder() {
    let grove = Grove::new(TREE);
    let rust = [
        "src/lib.rs",
        "src/net/client.rs",
        "src/net/generated.rs",
        "tests/it.rs",
    ];
    check(&grove, ".", "*.rs", &rust);
    check(&grove, ".", "**/*.rs", &rust);
    check(&grove, ".", "src/*.rs", &["src/lib.rs"]);
    check(&grove, ".", "./src/*.rs", &["src/lib.rs"]);
    check(&grove, ".", "/src/*.rs", &["src/lib.rs"]);
    check(
        &grove,
        ".",
        "src/**/*.rs",
        &["src/lib.rs", "src/net/client.rs", "src/net/generated.rs"],
    );
    check(
        &grove,
        ".",
        "{src,tests}/*.rs",
        &["src/lib.rs", "tests/it.rs"],
    );
    check(
        &grove,
        ".",
        "*.{py,svg}",
        &[
            ".hidden/secret.py",
            "docs/images/plan.svg",
            "src/net/server.py",
        ],
    );
    check(&grove, ".", "[cs]*v*.?[sy]", &["src/net/server.py"]);
    check(
        &grove,
        ".",
        "docs/",
        &["docs/guide.md", "docs/images/plan.svg"],
    );
    check(&grove, ".", "lib.rs", &["src/lib.rs"]);
    check(&grove, ".", "/lib.rs", &[]);
    check(&grove, ".", "net", &[]);
    check(
        &grove,
        "src",
        "net/*.rs",
        &["src/net/client.rs", "src/net/generated.rs"],
    );
    check(&grove, "src", "src/net/*.rs", &[]);
    let absolute = format!("{}/src/*.rs", grove.root);
    check(&grove, ".", &absolute, &["src/lib.rs"]);
}

#[test]
fn ignore_files_are_respected_and_git_itself_is_never_shown() {
    let grove = Grove::new(TREE);
    check(&grove, ".", "*.log", &["keep.log"]);
    check(&grove, ".", "HEAD", &[]);
    check(&grove, ".", "excluded.txt", &[]);
    check(&grove, ".", "generated.rs", &["src/net/generated.rs"]);
    // Who names an ignored folder wants to see it.
    check(&grove, "target", "*.rs", &["target/debug/out.rs"]);
    grove.put(".ignore", b"docs\n");
    check(&grove, ".", "*.md", &["README.md"]);
}

#[test]
fn ignore_files_count_outside_of_a_repository_but_only_those_of_the_project() {
    let grove = Grove::new(
        "
//- /.gitignore
/sub/a.txt
*.tmp
//- /sub/.gitignore
!b.tmp
//- /sub/a.txt
//- /sub/b.tmp
//- /sub/c.tmp
//- /sub/d.txt
",
    );
    super::grove::put(&grove.beside(".gitignore"), b"*\n");
    check(&grove, ".", "[a-d].*", &["sub/b.tmp", "sub/d.txt"]);
    check(&grove, "sub", "d.txt", &["sub/d.txt"]);
    check(&grove, "sub", "*.txt", &["sub/d.txt"]);
}

#[test]
fn a_bad_pattern_says_so() {
    let grove = Grove::new(TREE);
    for pattern in [
        "",
        "/",
        "./",
        "[",
        "a{b",
        "../*.rs",
        "src/../../*",
        &"x".repeat(1001),
    ] {
        let error = find(&grove, ".", pattern, 10).unwrap_err();
        assert!(
            matches!(error, Error::BadPattern { .. }),
            "{pattern}: {error}"
        );
    }
}

#[test]
fn what_is_cut_are_the_last_by_path_and_all_are_counted() {
    let grove = Grove::new("");
    for idx in 0..500 {
        grove.put(&format!("f{}/file{idx:03}.txt", idx % 7), b"");
    }
    let found = find(&grove, ".", "*.txt", 3).unwrap();
    let paths: Vec<&str> = found.paths.iter().map(ProjectPath::as_str).collect();
    assert_eq!(
        paths,
        ["f0/file000.txt", "f0/file007.txt", "f0/file014.txt"]
    );
    assert_eq!((found.total, found.cut), (500, true));
    let none = find(&grove, ".", "*.txt", 0).unwrap();
    assert_eq!((none.paths.len(), none.total, none.cut), (0, 500, true));
    let first = find(&grove, ".", "*.txt", 50).unwrap();
    for _ in 0..20 {
        assert_eq!(find(&grove, ".", "*.txt", 50).unwrap(), first);
    }
}

#[test]
fn links_are_shown_and_not_followed() {
    let grove = Grove::new("//- /real/inner.txt\nx\n");
    super::grove::put(&grove.beside("outside/secret.txt"), b"secret");
    grove.link("out", "../outside");
    grove.link("loop", ".");
    grove.link("file.txt", "real/inner.txt");
    grove.link("dangling.txt", "nowhere");
    check(
        &grove,
        ".",
        "*.txt",
        &["dangling.txt", "file.txt", "real/inner.txt"],
    );
    check(
        &grove,
        ".",
        "**",
        &["dangling.txt", "file.txt", "loop", "out", "real/inner.txt"],
    );
    for folder in ["out", "loop", "loop/real"] {
        let error = find(&grove, folder, "*", 10).unwrap_err();
        assert!(matches!(error, Error::Link { .. }), "{folder}: {error}");
    }
    let error = find(&grove, "real/inner.txt", "*", 10).unwrap_err();
    assert!(matches!(error, Error::NotAFolder { .. }), "{error}");
    let error = find(&grove, "nowhere", "*", 10).unwrap_err();
    assert!(matches!(error, Error::Missing { .. }), "{error}");
}

#[test]
fn names_that_nobody_could_write_down_are_left_out() {
    let grove = Grove::new("//- /größe/日本.txt\nx\n");
    grove.put("a\\b.txt", b"");
    let odd = std::ffi::OsStr::from_bytes(b"\xff.txt");
    super::grove::put(&grove.root.as_path().join(odd), b"");
    check(&grove, ".", "*.txt", &["größe/日本.txt"]);
    check(&grove, ".", "gr*ße/*", &["größe/日本.txt"]);
}

#[test]
fn what_the_caller_may_not_read_is_hidden() {
    let grove = Grove::new(TREE);
    grove.put(".rooignore", b"docs/\n*.py\n");
    let ignored = IgnoredFiles::load(&grove.root);
    let readable = |path: &ProjectPath| !ignored.hides(path);
    let cancel = AtomicBool::new(false);
    let query = FindQuery {
        pattern: "*.{md,py}".to_owned(),
        folder: grove.path("."),
        max_results: 100,
    };
    let found = find_files(&grove.root, &query, &readable, &cancel).unwrap();
    assert_eq!(found.paths, [grove.path("README.md")]);
    let query = DirectoryQuery {
        folder: grove.path("."),
        depth: Depth::Flat,
        max_entries: 100,
    };
    let listed = list_dir(&grove.root, &query, &readable, &cancel).unwrap();
    let expected = [
        ".gitignore",
        ".hidden",
        ".rooignore",
        "Cargo.toml",
        "README.md",
        "keep.log",
        "src",
        "tests",
    ];
    assert_eq!(
        names(&listed),
        expected,
        "`docs` is hidden; `.hidden` is not, only what is in it"
    );
}

#[test]
fn a_reader_of_markdown_sees_the_folders_that_have_some() {
    let grove = Grove::new(TREE);
    let readable = |path: &ProjectPath| path.as_str().ends_with(".md");
    let list = |depth| {
        let query = DirectoryQuery {
            folder: grove.path("."),
            depth,
            max_entries: 100,
        };
        list_dir(&grove.root, &query, &readable, &AtomicBool::new(false)).unwrap()
    };
    assert_eq!(names(&list(Depth::Flat)), ["README.md", "docs"]);
    let recursive = list(Depth::Recursive);
    assert_eq!(names(&recursive), ["README.md", "docs", "docs/guide.md"]);
    assert_eq!((recursive.total, recursive.cut), (3, false));
}

#[test]
fn a_folder_is_listed_with_kinds_and_sizes() {
    let grove = Grove::new("//- /docs/guide.md\n12345\n//- /docs/deep/er.md\n");
    grove.link("docs/link", "guide.md");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        grove.at("docs/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let flat = list(&grove, "docs", Depth::Flat, 100).unwrap();
    let rows: Vec<(&str, EntryKind, u64)> = flat
        .entries
        .iter()
        .map(|entry| (entry.path.as_str(), entry.kind, entry.size))
        .collect();
    let expected = [
        ("docs/deep", EntryKind::Folder, 0),
        ("docs/guide.md", EntryKind::File, 6),
        ("docs/link", EntryKind::Link, 0),
        ("docs/pipe", EntryKind::Other, 0),
    ];
    assert_eq!(rows, expected);
    let deep = list(&grove, ".", Depth::Recursive, 3).unwrap();
    assert_eq!(names(&deep), ["docs", "docs/deep", "docs/deep/er.md"]);
    assert_eq!((deep.total, deep.cut), (6, true));
}

#[test]
fn a_walk_can_be_cancelled() {
    let grove = Grove::new(TREE);
    for idx in 0..200 {
        grove.put(&format!("many/{idx}.txt"), b"");
    }
    let cancel = AtomicBool::new(false);
    let n_asked = AtomicUsize::new(0);
    let readable = |_: &ProjectPath| {
        if n_asked.fetch_add(1, Ordering::SeqCst) == 5 {
            cancel.store(true, Ordering::SeqCst);
        }
        true
    };
    let query = FindQuery {
        pattern: "**".to_owned(),
        folder: grove.path("."),
        max_results: 10,
    };
    let error = find_files(&grove.root, &query, &readable, &cancel).unwrap_err();
    assert!(matches!(error, Error::Cancelled));
    assert!(n_asked.load(Ordering::SeqCst) < 100);
    let query = DirectoryQuery {
        folder: grove.path("."),
        depth: Depth::Recursive,
        max_entries: 10,
    };
    let error = list_dir(&grove.root, &query, &readable, &cancel).unwrap_err();
    assert!(matches!(error, Error::Cancelled));
}
