//! The index over time: made, kept, changed, spoilt.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use mk_testkit::Fixture;
use mk_types::ProjectPath;

use crate::{
    IndexAnswer, IndexQuery, IndexState, IndexingProgress, SkipReason, SweptFiles, SymbolHit,
    SymbolIndex,
};

const PROJECT: &str = r"
//- /.gitignore
/target
//- /.rooignore
secret/
//- /a.py
class Alpha: ...
//- /b.rs
struct Beta;
//- /target/c.rs
struct Gamma;
//- /secret/d.py
class Delta: ...
//- /script
#!/usr/bin/env python3
def epsilon(): ...
//- /LICENSE
def not_code
";

fn start(fixture: &Fixture, cache: Option<&Path>) -> SymbolIndex {
    let index = SymbolIndex::start(fixture.root(), cache.map(Path::to_owned)).unwrap();
    let progress = index.wait(Duration::from_secs(60));
    assert_eq!(progress.state, IndexState::Ready);
    assert_eq!(progress.files_done, progress.files_total);
    index
}

#[track_caller]
fn check(index: &SymbolIndex, expected: &[&str]) {
    let query = IndexQuery {
        limit: 100,
        ..IndexQuery::new("a")
    };
    let mut names: Vec<String> = Vec::new();
    for pattern in ["a", "e", "o"] {
        let query = IndexQuery {
            pattern: pattern.to_owned(),
            ..query.clone()
        };
        let hits = index.find(&query, &|_| true).unwrap().hits;
        names.extend(
            hits.iter()
                .map(|hit| format!("{}:{} {}", hit.path, hit.lines.start, hit.name)),
        );
    }
    names.sort();
    names.dedup();
    assert_eq!(names, expected);
}

fn paths(fixture: &Fixture, paths: &[&str]) -> Vec<ProjectPath> {
    let parse = |path: &&str| ProjectPath::parse(path, fixture.root()).unwrap();
    paths.iter().map(parse).collect()
}

const ALL: [&str; 3] = ["a.py:1 Alpha", "b.rs:1 Beta", "script:2 epsilon"];

#[test]
fn ignored_files_are_not_in_it_and_scripts_are() {
    let fixture = Fixture::new(PROJECT);
    check(&start(&fixture, None), &ALL);
}

#[test]
fn a_restart_reads_nothing_again() {
    let fixture = Fixture::new(PROJECT);
    let cache = tempfile::tempdir().unwrap();
    drop(start(&fixture, Some(cache.path())));
    // Another text that looks the same from outside: reading it finds another name.
    let file = fs::File::options().write(true).open(fixture.path("a.py"));
    let mut file = file.unwrap();
    let before = file.metadata().unwrap().modified().unwrap();
    file.write_all(b"class Aleph").unwrap();
    file.set_modified(before).unwrap();
    let index = start(&fixture, Some(cache.path()));
    check(&index, &ALL);
    assert_eq!(index.sweep(), SweptFiles::default());
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 1);
}

#[test]
fn changed_new_moved_and_deleted_files_are_noticed_after_a_restart() {
    let fixture = Fixture::new(PROJECT);
    let cache = tempfile::tempdir().unwrap();
    drop(start(&fixture, Some(cache.path())));
    fixture.write("/a.py", "\nclass Alphabet: ...\n");
    fs::rename(fixture.path("b.rs"), fixture.path("moved.rs")).unwrap();
    fs::remove_file(fixture.path("script")).unwrap();
    fixture.write("/new/e.go", "package e\nfunc Zeta() {}\n");
    let index = start(&fixture, Some(cache.path()));
    check(
        &index,
        &["a.py:2 Alphabet", "moved.rs:1 Beta", "new/e.go:2 Zeta"],
    );
}

#[test]
fn a_sweep_says_what_it_found() {
    let fixture = Fixture::new(PROJECT);
    let index = start(&fixture, None);
    fixture.write("/new.py", "def omega(): ...\n");
    fs::remove_file(fixture.path("script")).unwrap();
    let expected = SweptFiles {
        changed: 1,
        removed: 1,
    };
    assert_eq!(index.sweep(), expected);
    check(&index, &["a.py:1 Alpha", "b.rs:1 Beta", "new.py:1 omega"]);
}

#[test]
fn an_update_reads_what_it_is_told() {
    let fixture = Fixture::new(PROJECT);
    let index = start(&fixture, None);
    fixture.write("/a.py", "\n\nclass Alpha: ...\n");
    fixture.write("/target/new.rs", "struct Hidden_a;\n");
    fixture.write("/fresh.rb", "class Theta\nend\n");
    fs::remove_file(fixture.path("b.rs")).unwrap();
    index.update(&paths(
        &fixture,
        &["a.py", "b.rs", "fresh.rb", "target/new.rs"],
    ));
    check(
        &index,
        &["a.py:3 Alpha", "fresh.rb:1 Theta", "script:2 epsilon"],
    );
}

#[test]
fn a_new_ignore_file_hides_what_was_known() {
    let fixture = Fixture::new(PROJECT);
    let index = start(&fixture, None);
    fixture.write("/.rooignore", "secret/\na.py\n");
    index.update(&paths(&fixture, &[".rooignore"]));
    check(&index, &["b.rs:1 Beta", "script:2 epsilon"]);
}

#[test]
fn a_spoilt_or_foreign_cache_is_made_again() {
    let fixture = Fixture::new(PROJECT);
    let cache = tempfile::tempdir().unwrap();
    drop(start(&fixture, Some(cache.path())));
    let file = fs::read_dir(cache.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let good = fs::read(&file).unwrap();
    let mut spoilt = vec![Vec::new(), b"x".to_vec(), good[..good.len() / 2].to_vec()];
    for position in [0, 9, 20, good.len() - 1] {
        let mut bytes = good.clone();
        bytes[position] ^= 1;
        spoilt.push(bytes);
    }
    for bytes in spoilt {
        spoil(&file, &bytes);
        check(&start(&fixture, Some(cache.path())), &ALL);
        assert_eq!(fs::read(&file).unwrap().len(), good.len());
    }
    // Another project's index under this one's name.
    let other = Fixture::new("\n//- /x.py\nclass Other_a: ...\n");
    let elsewhere = tempfile::tempdir().unwrap();
    drop(start(&other, Some(elsewhere.path())));
    let foreign = fs::read_dir(elsewhere.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    fs::copy(foreign, &file).unwrap();
    check(&start(&fixture, Some(cache.path())), &ALL);
}

fn spoil(path: &Path, bytes: &[u8]) {
    let mut file = fs::File::create(path).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn two_at_once_do_not_spoil_the_cache() {
    let fixture = Fixture::new(PROJECT);
    let cache = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let index = start(&fixture, Some(cache.path()));
                    index.update(&paths(&fixture, &["a.py"]));
                }
            });
        }
    });
    check(&start(&fixture, Some(cache.path())), &ALL);
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 1);
}

#[test]
fn a_cache_that_cannot_be_written_is_no_harm() {
    let fixture = Fixture::new(PROJECT);
    let cache = fixture.path("a.py").join("below/a/file");
    check(&start(&fixture, Some(&cache)), &ALL);
}

const MANY: usize = 600;

fn find_many(index: &SymbolIndex) -> IndexAnswer<SymbolHit> {
    let query = IndexQuery {
        limit: MANY,
        ..IndexQuery::new("Many")
    };
    index.find(&query, &|_| true).unwrap()
}

/// An index with something in it that is not complete, and how far it was.
fn unfinished(fixture: &Fixture, cache: &Path) -> (SymbolIndex, IndexingProgress) {
    // It may be complete before the first look on a machine that has other things to do; then once more.
    for _ in 0..50 {
        let index = SymbolIndex::start(fixture.root(), Some(cache.to_owned())).unwrap();
        while index.size().0 == 0 && index.progress().state != IndexState::Ready {
            std::thread::yield_now();
        }
        let progress = index.progress();
        if progress.state == IndexState::Parsing {
            return (index, progress);
        }
        drop(index);
        fs::remove_dir_all(cache).unwrap();
    }
    panic!("the index is complete before anybody can ask");
}

#[test]
fn it_answers_completely_while_it_is_made() {
    let fixture = Fixture::new(PROJECT);
    for number in 0..MANY {
        let text = format!(
            "class Many{number}:\n{}",
            "    def a(self): ...\n".repeat(50)
        );
        fixture.write(&format!("/many/m{number}.py"), text);
    }
    let cache = tempfile::tempdir().unwrap();
    let (index, progress) = unfinished(&fixture, cache.path());
    // The many, `a.py`, `b.rs`, `script` and `LICENSE`, whose name says nothing.
    assert_eq!(progress.files_total, MANY + 4);
    assert!(progress.files_done < progress.files_total);
    let first = find_many(&index);
    assert_eq!((first.hits.len(), first.is_partial()), (MANY, false));
    // What somebody says has changed meanwhile is not lost.
    fixture.write("/many/m0.py", "\nclass Many0: ...\n");
    index.update(&paths(&fixture, &["many/m0.py"]));
    index.wait(Duration::from_secs(60));
    let whole = find_many(&index);
    assert!(!whole.is_partial());
    assert_eq!(whole.hits.len(), MANY);
    let changed = whole.hits.iter().find(|hit| hit.name == "Many0").unwrap();
    assert_eq!(changed.lines.start, 2);
}

#[test]
fn what_was_done_before_it_was_dropped_is_completed_by_the_next() {
    let fixture = Fixture::new(PROJECT);
    for number in 0..MANY {
        fixture.write(
            &format!("/many/m{number}.py"),
            format!("class Many{number}: ...\n"),
        );
    }
    let cache = tempfile::tempdir().unwrap();
    let (index, _) = unfinished(&fixture, cache.path());
    drop(index);
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 1);
    let index = start(&fixture, Some(cache.path()));
    assert_eq!(find_many(&index).hits.len(), MANY);
}

#[test]
fn what_is_left_out_has_a_reason() {
    let fixture = Fixture::new(PROJECT);
    fixture.write("/binary.py", b"class A:\0\0");
    fixture.write("/large.js", "var a = 1;\n".repeat(300_000));
    fixture.write("/minified.js", format!("var {};", "a=1,b=2,".repeat(5_000)));
    fixture.write("/latin.py", b"class Latin:\n    name = 'caf\xe9'\n");
    let index = start(&fixture, None);
    let skipped: Vec<(String, SkipReason)> = index
        .skipped()
        .into_iter()
        .map(|file| (file.path.to_string(), file.reason))
        .collect();
    assert_eq!(
        skipped,
        [
            ("binary.py".to_owned(), SkipReason::Binary),
            ("large.js".to_owned(), SkipReason::TooLarge),
            ("minified.js".to_owned(), SkipReason::Minified),
        ]
    );
    let found = index.find(&IndexQuery::new("Latin"), &|_| true).unwrap();
    assert_eq!(found.hits.first().map(|hit| hit.lines.start), Some(1));
}

#[test]
fn another_worktree_in_the_project_is_not_part_of_it() {
    let fixture = Fixture::new(
        "//- /a.py\nclass Here: ...\n//- /.claude/worktrees/x/a.py\nclass Here: ...\n//- /vendor/clone/a.py\nclass Here: ...\n//- /sub/a.py\nclass Here: ...\n",
    );
    fixture.write(".claude/worktrees/x/.git", "gitdir: /r/.git/worktrees/x\n");
    fixture.write("vendor/clone/.git/HEAD", "ref: refs/heads/main\n");
    fixture.write("sub/.git", "gitdir: ../.git/modules/sub\n");
    let index = start(&fixture, None);
    let answer = index.find(&IndexQuery::new("Here"), &|_| true).unwrap();
    let paths: Vec<&str> = answer.hits.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(paths, ["a.py", "sub/a.py"]);
}
