//! Searching.

use mk_testkit::Fixture;
use proptest::prop_assert;
use proptest::test_runner::TestRunner;

use super::playbook;
use crate::{ContentLayer, RuleSearchResult, SearchLimits};

const RULES: &str = r#"
//- /.codingbuddy/rules/tdd.md
# Quux cycle

Write a failing quux first.

## Refactoring

Clean up between two quuxes.
//- /.codingbuddy/rules/other.md
# Other

The quux is mentioned here in passing, among many other words that are of no use.
//- /.codingbuddy/rules/cjk.md
# 규칙

로그인 테스트를 먼저 작성한다.
データベースの接続を確認する。
//- /.codingbuddy/rules/es.md
# Menú

Las pruebas del menú zorrillo.
//- /.codingbuddy/agents/swimmer.json
{
  "name": "Prequux",
  "description": "d",
  "role": {
    "title": "t",
    "expertise": ["snorkel handling"]
  }
}
"#;

fn search(query: &str) -> RuleSearchResult {
    let fixture = Fixture::new(RULES);
    playbook(&fixture).search(query, &SearchLimits::default())
}

/// The project's files that are found, each with its lines' numbers.
#[track_caller]
fn check(query: &str, expected: &[&str]) {
    let result = search(query);
    let found: Vec<String> = result
        .files
        .iter()
        .filter(|file| file.layer == ContentLayer::Project)
        .map(|file| {
            let lines: Vec<String> = file
                .lines
                .iter()
                .map(|line| line.line.to_string())
                .collect();
            format!("{} {}", file.path, lines.join(","))
        })
        .collect();
    assert_eq!(found, expected, "{query}");
}

#[test]
fn the_order_and_the_form_of_words_do_not_matter() {
    check("quux cycles", &["rules/tdd.md 1,3,7", "rules/other.md 3"]);
    check("cycle quux", &["rules/tdd.md 1,3,7", "rules/other.md 3"]);
}

#[test]
fn a_heading_counts_more_than_a_mention() {
    check(
        "quux",
        &[
            "rules/tdd.md 1,3,7",
            "rules/other.md 3",
            "agents/swimmer.json 2",
        ],
    );
}

#[test]
fn a_part_of_a_word_is_found_as_it_is_typed() {
    check("norke", &["agents/swimmer.json 6"]);
    check("failing qu", &["rules/tdd.md 3"]);
    check(
        "ailing quux fi",
        &["rules/tdd.md 1,3,7", "rules/other.md 3"],
    );
}

#[test]
fn text_without_spaces_is_found_in_any_piece() {
    check("테스트", &["rules/cjk.md 3"]);
    check("로그인 테스트", &["rules/cjk.md 3"]);
    check("データベース", &["rules/cjk.md 4"]);
    check("接続", &["rules/cjk.md 4"]);
    check("칙", &["rules/cjk.md 1"]);
}

#[test]
fn accents_do_not_matter() {
    check("menu zorrillo", &["rules/es.md 1,3"]);
    check("MENÚ zorrillo", &["rules/es.md 1,3"]);
    check("prueba zorrillo", &["rules/es.md 3"]);
}

#[test]
fn nothing_that_fits_is_an_empty_answer() {
    for query in ["", "   ", "xyzzyplugh", "?!", "\u{0}", "a"] {
        check(query, &[]);
    }
}

#[test]
fn members_of_json_are_found_with_their_line() {
    let result = search("snorkel");
    let file = &result.files[0];
    assert_eq!(file.path, "agents/swimmer.json");
    assert_eq!(file.lines[0].text, "\"expertise\": [\"snorkel handling\"]");
}

#[test]
fn the_answer_is_cut_and_says_of_how_much() {
    let fixture = Fixture::new("");
    for number in 0..50 {
        fixture.write(
            &format!(".codingbuddy/rules/{number:02}.md"),
            "frobnicate\n".repeat(30),
        );
    }
    let result = playbook(&fixture).search("frobnicate", &SearchLimits::default());
    let n_lines: usize = result.files.iter().map(|file| file.lines.len()).sum();
    assert_eq!((result.files.len(), result.n_files, n_lines), (20, 50, 40));
    assert_eq!(result.files[0].n_lines, 30);
    fixture.write(
        ".codingbuddy/rules/long.md",
        format!("gribble {}", "가".repeat(5000)),
    );
    let result = playbook(&fixture).search("gribble", &SearchLimits::default());
    assert_eq!(result.files[0].lines[0].text.chars().count(), 300);
}

#[test]
fn what_ships_is_found_by_what_it_says() {
    let files = |query: &str| -> Vec<String> {
        search(query)
            .files
            .into_iter()
            .map(|file| file.path)
            .collect()
    };
    assert_eq!(
        files("TDD red green refactor")[0],
        "skills/test-driven-development/SKILL.md"
    );
    assert!(
        files("TDD").contains(&"rules/augmented-coding.md".to_owned()),
        "{:?}",
        files("TDD")
    );
    assert_eq!(
        files("sql injection vulnerabilities")[0],
        "skills/security-audit/SKILL.md"
    );
}

#[test]
fn any_query_is_answered() {
    let fixture = Fixture::new(RULES);
    let playbook = playbook(&fixture);
    let answered = TestRunner::default().run(&"\\PC{0,40}", |query| {
        let result = playbook.search(&query, &SearchLimits::default());
        prop_assert!(result.files.len() <= result.n_files);
        Ok(())
    });
    assert_eq!(answered, Ok(()));
}
