//! Finding symbols: which, and in which order.

use std::time::Duration;

use mk_testkit::Fixture;

use crate::{DefinitionTarget, IndexQuery, Matching, SymbolIndex, SymbolKind};

const PROJECT: &str = r"
//- /src/task/join.rs
cfg_rt! {
    /// Waits for a task.
    pub struct JoinHandle<T> { raw: T }
}
impl<T> JoinHandle<T> {
    pub fn abort(&self) {}
    fn abort_on_drop(&self) {}
}
//- /src/none.rs
cfg_not_rt! {
    pub(crate) struct JoinHandle<R> { _p: PhantomData<R> }
}
//- /src/mocks.rs
/// Stands in.
pub(super) struct JoinHandle<T> { rx: T }
//- /src/mock.rs
pub mod mock { pub struct Handle; }
fn join_handle() {}
//- /tests/task.rs
struct JoinHandle;
fn joinhandle() {}
//- /app/models.py
class Account:
    def abort(self): ...
    class Meta:
        name = 'x'
def handle_join(): ...
";

fn index(fixture: &Fixture) -> SymbolIndex {
    let index = SymbolIndex::start(fixture.root(), None).unwrap();
    index.wait(Duration::from_secs(60));
    index
}

#[track_caller]
fn check(query: &IndexQuery, expected: &[&str]) {
    let fixture = Fixture::new(PROJECT);
    let answer = index(&fixture).find(query, &|_| true).unwrap();
    let found: Vec<String> = answer
        .hits
        .iter()
        .map(|hit| format!("{}:{} {}", hit.path, hit.lines.start, hit.name_path))
        .collect();
    assert_eq!(found, expected);
    assert!(!answer.is_partial());
}

fn query(pattern: &str) -> IndexQuery {
    IndexQuery::new(pattern)
}

#[test]
fn the_exact_name_comes_first_then_code_before_tests_and_what_is_documented() {
    check(
        &query("JoinHandle"),
        &[
            "src/task/join.rs:3 JoinHandle",
            "src/none.rs:2 JoinHandle",
            "src/mocks.rs:2 JoinHandle",
            "tests/task.rs:1 JoinHandle",
            "tests/task.rs:2 joinhandle",
            "src/mock.rs:2 join_handle",
            "src/task/join.rs:5 impl JoinHandle",
        ],
    );
}

#[test]
fn the_beginnings_of_words_are_enough() {
    check(
        &IndexQuery {
            limit: 2,
            ..query("joha")
        },
        &["src/task/join.rs:3 JoinHandle", "src/none.rs:2 JoinHandle"],
    );
}

#[test]
fn a_name_path_is_the_end_of_a_path() {
    let expected = ["src/task/join.rs:6 JoinHandle/abort"];
    let exact = |pattern: &str| IndexQuery {
        matching: Matching::Exact,
        ..query(pattern)
    };
    check(&exact("JoinHandle/abort"), &expected);
    check(&exact("JoinHandle::abort"), &expected);
    check(&exact("JoinHandle.abort"), &expected);
    check(&exact("JoinHandle#abort()"), &expected);
    check(
        &exact("Account/Meta/name"),
        &["app/models.py:4 Account/Meta/name"],
    );
    check(&exact("Meta/name"), &["app/models.py:4 Account/Meta/name"]);
    check(&exact("eta/name"), &[]);
}

#[test]
fn a_whole_path_is_exact() {
    check(&query("/Account/Meta"), &["app/models.py:3 Account/Meta"]);
    check(&query("/Meta"), &[]);
}

#[test]
fn a_typo_is_forgiven_when_nothing_else_fits() {
    check(&query("Acuont"), &[]);
    check(&query("Acount"), &["app/models.py:1 Account"]);
    check(&query("Accuont"), &["app/models.py:1 Account"]);
}

#[test]
fn kinds_and_files_narrow_the_search() {
    check(
        &IndexQuery {
            kind: Some(SymbolKind::Method),
            files: Some("*.py".to_owned()),
            ..query("abort")
        },
        &["app/models.py:2 Account/abort"],
    );
    check(
        &IndexQuery {
            kind: Some(SymbolKind::Class),
            files: Some("src/task".to_owned()),
            ..query("JoinHandle")
        },
        &["src/task/join.rs:3 JoinHandle"],
    );
}

#[test]
fn what_may_not_be_read_is_neither_found_nor_counted() {
    let fixture = Fixture::new(PROJECT);
    let index = index(&fixture);
    let answer = index
        .find(&query("JoinHandle"), &|path| {
            !path.as_str().starts_with("tests")
        })
        .unwrap();
    assert_eq!(answer.total, 5);
}

#[test]
fn the_nearest_names_are_suggested() {
    let fixture = Fixture::new(PROJECT);
    let nearest = index(&fixture).nearest("Account/abrot", 2, &|_| true);
    assert_eq!(nearest, ["Account/abort", "JoinHandle/abort"]);
}

#[track_caller]
fn check_definition(target: impl Fn(&Fixture) -> (String, u32, u32), expected: &str) {
    let fixture = Fixture::new(PROJECT);
    let (file, line, column) = target(&fixture);
    let file = mk_types::ProjectPath::parse(&file, fixture.root()).unwrap();
    let target = DefinitionTarget::Position {
        file: &file,
        line,
        column,
    };
    let answer = index(&fixture).definitions(target, 5, &|_| true).unwrap();
    let first = answer.hits.first().unwrap();
    assert_eq!(format!("{} {}", first.path, first.name_path), expected);
}

#[test]
fn a_position_means_the_name_that_stands_there() {
    check_definition(
        |_| ("src/task/join.rs".to_owned(), 6, 13),
        "src/task/join.rs JoinHandle/abort",
    );
    // A use: `JoinHandle` of the impl.
    check_definition(
        |_| ("src/task/join.rs".to_owned(), 5, 12),
        "src/task/join.rs JoinHandle",
    );
    check_definition(
        |_| ("app/models.py".to_owned(), 4, 17),
        "app/models.py Account/Meta/name",
    );
}

#[test]
fn a_definition_has_its_text() {
    let fixture = Fixture::new(PROJECT);
    let target = DefinitionTarget::Name {
        name_path: "Account/abort",
        file: None,
    };
    let answer = index(&fixture).definitions(target, 5, &|_| true).unwrap();
    let bodies: Vec<&str> = answer.hits.iter().map(|one| one.body.as_str()).collect();
    assert_eq!(bodies, ["    def abort(self): ..."]);
}

const QUALIFIED: &str = "
//- /django/db/models/base.py
class Model:
    def save(self): ...
//- /django/db/models/query.py
class QuerySet:
    def get(self): ...
//- /django/forms/models.py
class ModelForm:
    def save(self): ...
//- /tokio/src/runtime/task/join.rs
pub struct JoinHandle;
impl JoinHandle { pub fn abort(&self) {} }
//- /src/m.erl.ex
defmodule M do
  def g(), do: 1
end
";

#[track_caller]
fn check_qualified(pattern: &str, expected: &[&str]) {
    let fixture = Fixture::new(QUALIFIED);
    let query = IndexQuery {
        matching: Matching::Exact,
        ..IndexQuery::new(pattern)
    };
    let answer = index(&fixture).find(&query, &|_| true).unwrap();
    let shown = |hit: &crate::SymbolHit| format!("{} {}", hit.path, hit.name_path);
    let found: Vec<String> = answer.hits.iter().map(shown).collect();
    assert_eq!(found, expected, "{pattern}");
}

#[test]
fn names_are_found_as_people_and_languages_qualify_them() {
    let model = ["django/db/models/base.py Model"];
    let save = ["django/db/models/base.py Model/save"];
    check_qualified("django.db.models.Model", &model);
    check_qualified("models.Model", &model);
    check_qualified("django.db.models.base.Model", &model);
    check_qualified("django.db.models.Model.save", &save);
    check_qualified("base.py:Model", &model);
    check_qualified("base.py:Model.save", &save);
    check_qualified("db/models/base.py::Model", &model);
    check_qualified("class Model", &model);
    check_qualified(
        "def save",
        &[
            "django/forms/models.py ModelForm/save",
            "django/db/models/base.py Model/save",
        ],
    );
    let handle = ["tokio/src/runtime/task/join.rs JoinHandle"];
    check_qualified("tokio::task::JoinHandle", &handle);
    check_qualified("pub struct JoinHandle", &handle);
    check_qualified("M:g", &["src/m.erl.ex M/g"]);
    check_qualified("os.path.Model", &[]);
    check_qualified("query.py:Model", &[]);
}

#[test]
fn the_first_answer_is_whole_while_the_index_is_not() {
    let mut files = String::from(
        "//- /z/last.py\nfrom a import wanted\nclass Wanted: ...\ndef wanted(): ...\n",
    );
    for number in 0..400 {
        files.push_str(&format!(
            "//- /a/file_{number}.py\ndef other_{number}(): ...\n"
        ));
    }
    let fixture = Fixture::new(&files);
    for _ in 0..5 {
        let cold = SymbolIndex::start(fixture.root(), None).unwrap();
        let answer = cold.find(&IndexQuery::new("wanted"), &|_| true).unwrap();
        let names: Vec<&str> = answer.hits.iter().map(|hit| hit.name.as_str()).collect();
        assert_eq!(names, ["wanted", "Wanted"]);
        assert!(!answer.is_partial());
        let cold = SymbolIndex::start(fixture.root(), None).unwrap();
        let uses = cold.references("wanted", None, 50, &|_| true).unwrap();
        assert_eq!((uses.hits.len(), uses.is_partial()), (2, false));
        let cold = SymbolIndex::start(fixture.root(), None).unwrap();
        let none = cold.find(&IndexQuery::new("nowhere"), &|_| true).unwrap();
        assert!(none.hits.is_empty() && !none.is_partial());
        let cold = SymbolIndex::start(fixture.root(), None).unwrap();
        let exactly = IndexQuery {
            matching: Matching::Exact,
            ..IndexQuery::new("nowhere")
        };
        let none = cold.find(&exactly, &|_| true).unwrap();
        assert!(none.hits.is_empty() && !none.is_partial());
    }
}

#[test]
fn namespaces_of_a_file_and_backticks_are_understood() {
    let fixture = Fixture::new(
        "//- /a.cs\nnamespace My.Space;\n\nclass C\n{\n    void M() { }\n}\n\
         //- /b.kt\nclass K {\n    fun `does a thing`() {}\n}\n\
         //- /c.php\n<?php\nclass P { private $name; }\n\
         //- /d.cs\nclass D\n{\n    public static D operator +(D a, D b) => a;\n}\n",
    );
    let index = index(&fixture);
    for (pattern, expected) in [
        ("My.Space.C", "My/Space/C"),
        ("My.Space.C.M", "My/Space/C/M"),
        ("K.`does a thing`", "K/does a thing"),
        ("P/$name", "P/name"),
        ("P::$name", "P/name"),
        ("D/operator +", "D/+"),
    ] {
        let answer = index.find(&query(pattern), &|_| true).unwrap();
        let first = answer.hits.first().map(|hit| hit.name_path.as_str());
        assert_eq!(first, Some(expected));
    }
}

#[test]
fn a_first_answer_is_a_later_one() {
    let fixture = Fixture::new(PROJECT);
    for n in 0..300 {
        let file = format!("class Filler{n}:\n    def joined_handle_{n}(self): ...\n");
        fixture.write(&format!("filler/f{n}.py"), file);
    }
    let warm = index(&fixture);
    for pattern in [
        "JoinHandle",
        "joha",
        "Filler7",
        "JoinHandle/abort",
        "Meta.name",
        "abort",
    ] {
        let cold = SymbolIndex::start(fixture.root(), None).unwrap();
        let first = cold.find(&query(pattern), &|_| true).unwrap();
        let later = warm.find(&query(pattern), &|_| true).unwrap();
        assert!(!first.is_partial(), "{pattern}");
        assert_eq!(
            (first.hits, first.total),
            (later.hits, later.total),
            "{pattern}"
        );
    }
}
