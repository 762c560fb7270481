//! The map: what is used most comes first, and the budget holds.

use std::time::Duration;

use mk_testkit::Fixture;

use crate::{RepositoryMap, SymbolIndex};

const PROJECT: &str = r"
//- /core.py
class EventLoop:
    def run_forever(self): ...
def unused_helper(): ...
//- /one.py
from core import EventLoop
class FirstWorker:
    loop = EventLoop().run_forever()
//- /two.py
from core import EventLoop
class SecondWorker(EventLoop): ...
//- /tests/test_core.py
class TestEverything: ...
TestEverything; TestEverything
";

fn map(budget: usize, focus: Option<&str>) -> RepositoryMap {
    let fixture = Fixture::new(PROJECT);
    let index = SymbolIndex::start(fixture.root(), None).unwrap();
    index.wait(Duration::from_secs(60));
    index.map(budget, focus, &|_| true)
}

#[test]
fn what_others_use_comes_first_and_tests_come_last() {
    insta::assert_snapshot!(map(1000, None).text, @r"
    core.py
      1: class EventLoop
        2: def run_forever(self)
      3: def unused_helper()
    one.py
      2: class FirstWorker
    two.py
      2: class SecondWorker(EventLoop)
    tests/test_core.py
      1: class TestEverything
    ");
}

#[test]
fn a_map_never_exceeds_its_budget() {
    for budget in [0, 5, 25, 40] {
        let map = map(budget, None);
        assert!(map.tokens <= budget, "{} > {budget}", map.tokens);
    }
    assert_eq!(map(25, None).files_shown, 1);
    assert_eq!(map(25, None).files_total, 4);
}

#[test]
fn a_focus_brings_its_own_files_up() {
    let text = map(1000, Some("two.py")).text;
    let order: Vec<&str> = text.lines().filter(|line| line.ends_with(".py")).collect();
    assert_eq!(
        order.iter().position(|file| *file == "one.py"),
        Some(2),
        "{text}"
    );
}
