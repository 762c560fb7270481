//! The index follows the disk: watched where that is possible, compared where it is not.

use std::fs;
use std::time::{Duration, Instant};

use mk_testkit::Fixture;
use mk_types::Timestamp;

use crate::{IndexQuery, SymbolIndex};

const PROJECT: &str = r"
//- /.gitignore
/target
node_modules
//- /.rooignore
secret/
//- /src/a.py
class Alpha: ...
//- /src/deep/b.rs
struct Beta;
//- /target/debug/c.rs
struct Gamma;
//- /web/node_modules/left/d.js
class Delta {}
//- /secret/inner/e.py
class Epsilon: ...
//- /.git/hooks/f.py
class Zeta: ...
";

/// The root, `src`, `src/deep` and `web`.
const VISIBLE: usize = 4;

const START: Timestamp = Timestamp::from_millis(1_000_000);

fn later(seconds: i64) -> Timestamp {
    Timestamp::from_millis(START.as_millis() + 1_000 * seconds)
}

fn started(fixture: &Fixture) -> SymbolIndex {
    let index = SymbolIndex::start(fixture.root(), None).unwrap();
    index.refresh(START);
    index.wait(Duration::from_secs(60));
    index
}

/// An index that watches; at `later(2)` it has compared everything, and for a minute it does not do so again.
fn watched(fixture: &Fixture) -> SymbolIndex {
    let index = started(fixture);
    index.refresh(later(2));
    let deadline = Instant::now() + Duration::from_secs(60);
    while index.watched_folders().is_none() {
        assert!(Instant::now() < deadline, "it is never watched");
        std::thread::yield_now();
    }
    index
}

#[track_caller]
fn check(index: &SymbolIndex, now: Timestamp, expected: &[&str]) {
    index.refresh(now);
    let mut names: Vec<String> = Vec::new();
    for pattern in ["a", "e"] {
        let hits = index
            .find(&IndexQuery::new(pattern), &|_| true)
            .unwrap()
            .hits;
        names.extend(hits.iter().map(|hit| format!("{} {}", hit.path, hit.name)));
    }
    names.sort();
    names.dedup();
    assert_eq!(names, expected);
}

const ALL: [&str; 2] = ["src/a.py Alpha", "src/deep/b.rs Beta"];

#[test]
fn only_visible_folders_are_watched() {
    let fixture = Fixture::new(PROJECT);
    let index = watched(&fixture);
    assert_eq!(index.watched_folders(), Some(VISIBLE));
    check(&index, later(2), &ALL);
}

#[test]
fn who_asks_once_starts_no_watch() {
    let fixture = Fixture::new(PROJECT);
    let index = started(&fixture);
    check(&index, later(1), &ALL);
    assert_eq!(index.watched_folders(), None);
}

#[test]
fn what_changed_before_a_question_is_in_its_answer() {
    let fixture = Fixture::new(PROJECT);
    let index = watched(&fixture);
    // Many times: what the system tells late would be missed now and then.
    for round in 0..50 {
        fixture.write("/src/a.py", format!("class Alpha{round}: ...\n"));
        let alpha = format!("src/a.py Alpha{round}");
        check(&index, later(2), &[&alpha, "src/deep/b.rs Beta"]);
    }
}

#[test]
fn files_that_come_move_and_go_are_seen() {
    let fixture = Fixture::new(PROJECT);
    let index = watched(&fixture);
    fixture.write("/src/new.py", "class Eta: ...\n");
    fixture.write("/target/debug/new.rs", "struct Hidden_a;\n");
    check(
        &index,
        later(2),
        &["src/a.py Alpha", "src/deep/b.rs Beta", "src/new.py Eta"],
    );
    fs::rename(fixture.path("src/new.py"), fixture.path("moved.py")).unwrap();
    fs::remove_file(fixture.path("src/a.py")).unwrap();
    check(&index, later(2), &["moved.py Eta", "src/deep/b.rs Beta"]);
}

#[test]
fn folders_that_come_move_and_go_are_seen_and_watched() {
    let fixture = Fixture::new(PROJECT);
    let index = watched(&fixture);
    fs::create_dir(fixture.path("empty")).unwrap();
    check(&index, later(2), &ALL);
    fixture.write("/empty/x.py", "class Theta: ...\n");
    check(
        &index,
        later(2),
        &["empty/x.py Theta", "src/a.py Alpha", "src/deep/b.rs Beta"],
    );
    fs::rename(fixture.path("src"), fixture.path("lib")).unwrap();
    fs::remove_dir_all(fixture.path("empty")).unwrap();
    check(&index, later(2), &["lib/a.py Alpha", "lib/deep/b.rs Beta"]);
    // The old name again, and a file deep in what has moved.
    fs::create_dir(fixture.path("src")).unwrap();
    check(&index, later(2), &["lib/a.py Alpha", "lib/deep/b.rs Beta"]);
    fixture.write("/src/y.py", "class Kappa: ...\n");
    fixture.write("/lib/deep/b.rs", "struct Beta2;\n");
    check(
        &index,
        later(2),
        &["lib/a.py Alpha", "lib/deep/b.rs Beta2", "src/y.py Kappa"],
    );
}

#[test]
fn an_ignore_file_that_changes_hides_and_shows() {
    let fixture = Fixture::new(PROJECT);
    let index = watched(&fixture);
    fixture.write("/.gitignore", "node_modules\n/src/deep\n");
    check(
        &index,
        later(2),
        &["src/a.py Alpha", "target/debug/c.rs Gamma"],
    );
    // `src/deep` went, `target` and `target/debug` came.
    assert_eq!(index.watched_folders(), Some(VISIBLE + 1));
    fixture.write("/target/debug/c.rs", "struct Gamma2;\n");
    check(
        &index,
        later(2),
        &["src/a.py Alpha", "target/debug/c.rs Gamma2"],
    );
}

#[test]
fn what_changed_right_after_the_start_is_in_the_answer() {
    let fixture = Fixture::new(PROJECT);
    let index = started(&fixture);
    for round in 0..20 {
        fixture.write("/src/a.py", format!("class Alpha{round}: ...\n"));
        let alpha = format!("src/a.py Alpha{round}");
        let now = Timestamp::from_millis(START.as_millis() + 1 + round);
        check(&index, now, &[&alpha, "src/deep/b.rs Beta"]);
    }
    assert_eq!(index.watched_folders(), None);
}

#[test]
fn too_many_folders_are_compared_again_and_again() {
    let fixture = Fixture::new(PROJECT);
    for number in 0..50 {
        fs::create_dir(fixture.path(&format!("f{number}"))).unwrap();
    }
    let index = started(&fixture);
    check(&index, later(2), &ALL);
    fixture.write("/src/a.py", "class Alpha2: ...\n");
    fixture.write("/f49/g.py", "class Eta: ...\n");
    check(&index, later(2), &ALL);
    check(
        &index,
        later(4),
        &["f49/g.py Eta", "src/a.py Alpha2", "src/deep/b.rs Beta"],
    );
    assert_eq!(index.watched_folders(), None);
}
