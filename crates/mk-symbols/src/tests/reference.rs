//! Uses of a name, and what a rename by name would write.

use std::time::Duration;

use mk_testkit::Fixture;

use crate::{Error, Index, RenamePlan};

const PROJECT: &str = r#"
//- /a.py
def total(items):
    # total of items
    return sum(items)

class Cart:
    def show(self):
        print("total", total(self.items), f"{total(1)}", subtotal)
//- /tests/test_a.py
from a import total
assert total([]) == 0
//- /b.rs
fn other() { total!(total) }
"#;

fn index(fixture: &Fixture) -> Index {
    let index = Index::start(fixture.root(), None).unwrap();
    index.wait(Duration::from_secs(60));
    index
}

#[track_caller]
fn check(name: &str, limit: usize, expected: &[&str]) {
    let fixture = Fixture::new(PROJECT);
    let answer = index(&fixture).references(name, limit, &|_| true);
    let found: Vec<String> = answer
        .hits
        .iter()
        .map(|one| {
            let within = one.within.as_deref().unwrap_or("-");
            let mark = if one.is_definition {
                " (definition)"
            } else {
                ""
            };
            format!(
                "{}:{}:{} {within}{mark}",
                one.path, one.place.line, one.place.column
            )
        })
        .collect();
    assert_eq!(found, expected);
    assert_eq!(answer.source.to_string(), "index (by name)");
}

#[test]
fn comments_strings_and_parts_of_words_are_no_uses() {
    check(
        "total",
        10,
        &[
            "a.py:1:5 total (definition)",
            "a.py:7:24 Cart/show",
            "a.py:7:46 Cart/show",
            "b.rs:1:14 other",
            "b.rs:1:21 other",
            "tests/test_a.py:1:15 -",
            "tests/test_a.py:2:8 -",
        ],
    );
}

#[test]
fn a_limit_is_a_limit() {
    check("a/total", 1, &["a.py:1:5 total (definition)"]);
}

fn rename(from: &str, to: &str) -> Result<RenamePlan, Error> {
    let fixture = Fixture::new(PROJECT);
    index(&fixture).rename_plan_by_name(from, to, &|path| path.as_str() != "b.rs")
}

#[test]
fn a_rename_changes_uses_only_and_only_where_it_may() {
    let plan = rename("total", "amount").unwrap();
    let texts: Vec<&str> = plan.files.iter().map(|file| file.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            r#"def amount(items):
    # total of items
    return sum(items)

class Cart:
    def show(self):
        print("total", amount(self.items), f"{amount(1)}", subtotal)
"#,
            "from a import amount\nassert amount([]) == 0\n",
        ]
    );
}

#[test]
fn a_new_name_must_be_a_name() {
    assert!(matches!(rename("total", "a b"), Err(Error::BadName { .. })));
    assert!(matches!(rename("total", "1a"), Err(Error::BadName { .. })));
}
