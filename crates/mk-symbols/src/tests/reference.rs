//! Uses of a name, and what a rename by name would write.

use std::time::Duration;

use mk_testkit::Fixture;
use mk_types::ProjectPath;

use crate::{Error, NameRenamePlan, SymbolIndex};

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
//- /other/c.py
total = 1
//- /run
#!/bin/sh
total() { echo 1; }
total
//- /tool
#!/usr/bin/env python3
from a import total
"#;

fn index(fixture: &Fixture) -> SymbolIndex {
    let index = SymbolIndex::start(fixture.root(), None).unwrap();
    index.wait(Duration::from_secs(60));
    index
}

#[track_caller]
fn check(name: &str, limit: usize, expected: &[&str]) {
    let fixture = Fixture::new(PROJECT);
    let answer = index(&fixture)
        .references(name, None, limit, &|_| true)
        .unwrap();
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
        20,
        &[
            "a.py:1:5 total (definition)",
            "other/c.py:1:1 total (definition)",
            "run:2:1 total (definition)",
            "a.py:7:24 Cart/show",
            "a.py:7:46 Cart/show",
            "run:3:1 -",
            "b.rs:1:14 other",
            "b.rs:1:21 other",
            "tool:2:15 -",
            "tests/test_a.py:1:15 -",
            "tests/test_a.py:2:8 -",
        ],
    );
}

#[test]
fn a_limit_is_a_limit() {
    check("a/total", 1, &["a.py:1:5 total (definition)"]);
}

fn rename(from: &str, to: &str) -> Result<NameRenamePlan, Error> {
    let fixture = Fixture::new(PROJECT);
    let file = ProjectPath::parse("a.py", fixture.root()).unwrap();
    let readable = |path: &ProjectPath| path.as_str() != "other/c.py";
    index(&fixture).rename_plan_by_name(from, &file, to, &readable)
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
            "#!/usr/bin/env python3\nfrom a import amount\n",
            "from a import amount\nassert amount([]) == 0\n",
        ]
    );
}

/// The files in which a name that `of` defines is used.
#[track_caller]
fn check_files(name: &str, of: &str, expected: &[&str]) {
    let fixture = Fixture::new(PROJECT);
    let file = ProjectPath::parse(of, fixture.root()).unwrap();
    let answer = index(&fixture).references(name, Some(&file), 100, &|_| true);
    let hits = answer.unwrap().hits;
    let mut files: Vec<&str> = hits.iter().map(|one| one.path.as_str()).collect();
    files.dedup();
    assert_eq!(files, expected);
}

#[test]
fn a_name_means_nothing_in_another_language() {
    check_files(
        "total",
        "a.py",
        &["a.py", "other/c.py", "tool", "tests/test_a.py"],
    );
    check_files("total", "run", &["run"]);
    check_files("total", "b.rs", &["b.rs"]);
}

#[test]
fn a_new_name_must_be_a_name() {
    assert!(matches!(rename("total", "a b"), Err(Error::BadName { .. })));
    assert!(matches!(rename("total", "1a"), Err(Error::BadName { .. })));
}

/// Every way in which languages mark names.
const MARKED: &str = r#"
//- /a.ts
class A { #priv = 1; get() { return this.#priv; } }
export const user$ = 1;
export const $el = user$;
export const user = 2;
//- /b.ts
import { user$, $el } from "./a";
//- /a.rb
class Account
  def save!; end
  def save; end
  def ok?; true; end
  def balance=(value); @balance = value; end
end
account.save! if account.ok?
account.balance = 1
before :save!
//- /a.rs
fn r#type() {}
fn b() { r#type(); }
//- /a.php
<?php
class P { private $name; function get() { return $this->name; } }
//- /a.kt
fun `two words`() {}
fun b() { `two words`() }
"#;

#[track_caller]
fn check_marked(name: &str, of: &str, expected: &[&str]) {
    let fixture = Fixture::new(MARKED);
    let of = ProjectPath::parse(of, fixture.root()).unwrap();
    let answer = index(&fixture).references(name, Some(&of), 50, &|_| true);
    let found: Vec<String> = answer
        .unwrap()
        .hits
        .iter()
        .map(|one| format!("{}:{}", one.path, one.place.line))
        .collect();
    assert_eq!(found, expected, "{name}");
}

#[test]
fn names_with_marks_are_used_with_them() {
    check_marked("/A/#priv", "a.ts", &["a.ts:1", "a.ts:1"]);
    check_marked("user$", "a.ts", &["a.ts:2", "a.ts:3", "b.ts:1"]);
    check_marked("$el", "a.ts", &["a.ts:3", "b.ts:1"]);
    check_marked("user", "a.ts", &["a.ts:4"]);
    check_marked("Account/save!", "a.rb", &["a.rb:2", "a.rb:7", "a.rb:9"]);
    check_marked("Account/save", "a.rb", &["a.rb:3"]);
    check_marked("Account#ok?", "a.rb", &["a.rb:4", "a.rb:7"]);
    check_marked("Account/balance=", "a.rb", &["a.rb:5", "a.rb:8"]);
    check_marked("r#type", "a.rs", &["a.rs:1", "a.rs:2"]);
    check_marked("P/name", "a.php", &["a.php:2", "a.php:2"]);
    check_marked("P/$name", "a.php", &["a.php:2", "a.php:2"]);
    check_marked("two words", "a.kt", &["a.kt:1", "a.kt:2"]);
}

#[test]
fn a_rename_keeps_the_marks() {
    let fixture = Fixture::new(MARKED);
    let index = index(&fixture);
    let renamed = |name: &str, of: &str, new_name: &str| {
        let of = ProjectPath::parse(of, fixture.root()).unwrap();
        let plan = index.rename_plan_by_name(name, &of, new_name, &|_| true);
        plan.map(|plan| {
            plan.files
                .into_iter()
                .map(|file| file.text)
                .collect::<String>()
        })
    };
    let text = renamed("Account/balance=", "a.rb", "total=").unwrap();
    assert!(text.contains("def total=(value)") && text.contains("account.total = 1"));
    let text = renamed("P/name", "a.php", "$title").unwrap();
    assert!(text.contains("private $title") && text.contains("$this->title"));
    let text = renamed("A/#priv", "a.ts", "#own").unwrap();
    assert!(text.contains("{ #own = 1; get() { return this.#own; } }"));
    let text = renamed("two words", "a.kt", "`three more words`").unwrap();
    assert_eq!(text.matches(" `three more words`()").count(), 2, "{text}");
    let text = renamed("two words", "a.kt", "three").unwrap();
    assert_eq!(text.matches(" `three`()").count(), 2, "{text}");
    let public = renamed("A/#priv", "a.ts", "own");
    assert!(matches!(public, Err(Error::BadName { .. })), "{public:?}");
}

#[test]
fn an_operator_is_not_looked_for() {
    let fixture = Fixture::new(MARKED);
    let answer = index(&fixture).references("==", None, 5, &|_| true);
    assert!(matches!(answer, Err(Error::NoWord { .. })), "{answer:?}");
}

#[test]
fn what_is_not_looked_into_is_searched() {
    let fixture = Fixture::new("//- /a.js\nfunction kept() {}\n");
    let line = "x();".repeat(10_000);
    fixture.write("minified.js", format!("{line}kept();{line}"));
    let index = index(&fixture);
    assert_eq!(index.skipped().len(), 1);
    let of = ProjectPath::parse("a.js", fixture.root()).unwrap();
    let answer = index.references("kept", Some(&of), 10, &|_| true).unwrap();
    let paths: Vec<&str> = answer.hits.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(paths, ["a.js", "minified.js"]);
    let plan = index.rename_plan_by_name("kept", &of, "gone", &|_| true);
    let plan = plan.unwrap();
    assert_eq!(plan.files.len(), 1);
    let unparsed: Vec<&str> = plan.unparsed.iter().map(ProjectPath::as_str).collect();
    assert_eq!(unparsed, ["minified.js"]);
}

#[test]
fn what_a_module_of_python_exports_is_used() {
    let fixture = Fixture::new(
        "//- /a.py\n__all__ = [\"kept\", 'other']\ndef kept(): ...\nnames = [\"kept\"]\n__all__ += (\"kept\",)\n",
    );
    let index = index(&fixture);
    let answer = index.references("kept", None, 10, &|_| true).unwrap();
    let lines: Vec<u32> = answer.hits.iter().map(|hit| hit.place.line).collect();
    assert_eq!(lines, [2, 1, 4]);
    let of = ProjectPath::parse("a.py", fixture.root()).unwrap();
    let plan = index.rename_plan_by_name("kept", &of, "gone", &|_| true);
    assert_eq!(
        plan.unwrap().files[0].text,
        "__all__ = [\"gone\", 'other']\ndef gone(): ...\nnames = [\"kept\"]\n__all__ += (\"gone\",)\n"
    );
}

#[test]
fn the_definition_that_a_name_path_means_comes_first() {
    let fixture = Fixture::new(
        "//- /a.py\nclass A:\n    def get(self): ...\n\
         //- /b.py\nclass B:\n    def get(self): ...\nB().get()\n",
    );
    let answer = index(&fixture).references("B/get", None, 1, &|_| true);
    let answer = answer.unwrap();
    let first = answer.hits.first().unwrap();
    assert_eq!((first.path.as_str(), first.place.line), ("b.py", 2));
    assert_eq!(answer.total, 3);
}

#[test]
fn uses_are_those_of_the_text_as_it_is() {
    let fixture = Fixture::new("//- /a.py\ndef kept(): ...\nkept()\n//- /b.py\nkept()\n");
    let lines = || -> Vec<String> {
        let answer = index(&fixture).references("kept", None, 10, &|_| true);
        let hits = answer.unwrap().hits;
        let shown = |hit: &crate::Reference| format!("{}:{}", hit.path, hit.place.line);
        hits.iter().map(shown).collect()
    };
    assert_eq!(lines(), ["a.py:1", "a.py:2", "b.py:1"]);
    assert_eq!(lines(), ["a.py:1", "a.py:2", "b.py:1"]);
    fixture.write("a.py", "# once\ndef kept(): ...\n");
    // The same text in another file.
    fixture.write("c.py", "kept()\n");
    assert_eq!(lines(), ["a.py:2", "b.py:1", "c.py:1"]);
}
