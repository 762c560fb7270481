//! The code tools on source code of other people: nothing is damaged, nothing that is used goes, nothing is overlooked.
//!
//! What is tried is drawn by a seed, which is printed; `code_whole` tries more of it.

mod ctags;
mod project;
mod task;

use std::collections::BTreeMap;

use mk_symbols::Symbol;
use serde_json::{Value, json};

use super::symbols::text;
use crate::support::dice::Dice;
use project::{Drawn, Project};

const SEED: u64 = 20_261_117;

pub(super) const LANGUAGES: [&str; 15] = [
    "c",
    "cpp",
    "csharp",
    "go",
    "haskell",
    "java",
    "javascript",
    "kotlin",
    "lua",
    "php",
    "python",
    "ruby",
    "rust",
    "swift",
    "typescript",
];

/// Those with the most users; the others are tried by `code_whole`.
const MOST_USED: [&str; 12] = [
    "c",
    "cpp",
    "csharp",
    "go",
    "java",
    "javascript",
    "kotlin",
    "php",
    "python",
    "rust",
    "swift",
    "typescript",
];

#[test]
fn what_is_shown_can_be_given_back() {
    give_back(&MOST_USED, 150);
}

#[test]
fn nothing_that_is_used_is_deleted() {
    delete(&LANGUAGES, 200);
}

#[test]
fn what_ctags_finds_is_found() {
    compare_with_ctags(&LANGUAGES);
}

#[test]
fn a_first_answer_that_is_called_complete_is_as_good_as_a_later_one() {
    ask_cold_and_warm(&LANGUAGES, 2);
}

#[test]
fn what_was_just_renamed_is_found_by_its_new_name() {
    rename_cold(&["python", "rust", "typescript"], 3);
}

/// Gives the text of symbols back as it was shown, `count` in each language.
pub(super) fn give_back(languages: &[&str], count: usize) {
    eprintln!("seed {SEED}");
    let mut dice = Dice::new(SEED);
    let mut damaged = Vec::new();
    let (mut n_tried, mut n_more) = (0, 0);
    for language in languages {
        let project = Project::of(language);
        let mut client = project.client();
        for Drawn {
            path, name_path, ..
        } in project.draw(&mut dice, count)
        {
            let symbol = format!("/{name_path}");
            let wanted = json!({ "symbol_name": symbol, "file_path": path, "body": true });
            let answer = client.call("get_symbol_definition", &wanted);
            let (_, body) = text(&answer["result"]).split_once('\n').unwrap();
            if body.contains("\n[cut before line ") {
                continue;
            }
            let before = project.bytes(&path);
            let mut edit = json!({ "symbol_name": symbol, "file_path": path, "content": body });
            let answer = client.call("edit_symbol", &edit);
            n_tried += 1;
            let after = project.bytes(&path);
            let errors = &answer["result"]["structuredContent"]["syntax_errors"];
            if before != after || *errors != json!([]) {
                let told = text(&answer["result"]);
                damaged.push(format!("{language} {path} {name_path}: {told}"));
                project.write(&path, &before);
            }
            // What comes back as it was is left alone; one line more has to be put in its place.
            if !usize::is_multiple_of(n_tried, MORE_IN) {
                continue;
            }
            edit["content"] = json!(with_a_line_more(&mut dice, language, body));
            let answer = client.call("edit_symbol", &edit);
            n_more += 1;
            let after = project.bytes(&path);
            if without_the_line(&after) != before {
                let told = text(&answer["result"]);
                damaged.push(format!(
                    "{language} {path} {name_path}, a line more: {told}"
                ));
            }
            project.write(&path, &before);
        }
    }
    eprintln!("{n_tried} symbols were given back, {n_more} with a line more");
    assert!(n_tried > languages.len() * count / 2 && n_more > 0);
    assert!(damaged.is_empty(), "{}\n{damaged:#?}", damaged.len());
}

/// Of so many symbols one comes back with a line more.
const MORE_IN: usize = 3;
const LINE: &str = " a line that was not there";

/// A comment somewhere between the lines of a text, indented as the line below it.
fn with_a_line_more(dice: &mut Dice, language: &str, body: &str) -> String {
    let mut lines: Vec<String> = body.lines().map(str::to_owned).collect();
    if lines.len() > 1 {
        let at = 1 + dice.below(lines.len() - 1);
        let below = lines[at].as_str();
        let indent = below.len() - below.trim_start().len();
        let mark = match language {
            "python" | "ruby" => "#",
            "haskell" | "lua" => "--",
            _ => "//",
        };
        let indent = below.get(..indent).unwrap_or_default();
        let line = format!("{indent}{mark}{LINE}");
        lines.insert(at, line);
    }
    lines.join("\n")
}

fn without_the_line(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let kept = text
        .split_inclusive('\n')
        .filter(|line| !line.contains(LINE));
    kept.collect::<String>().into_bytes()
}

/// Tries to delete symbols, `count` over all languages, a part of them by the first question to a new server.
pub(super) fn delete(languages: &[&str], count: usize) {
    eprintln!("seed {SEED}");
    let mut dice = Dice::new(SEED);
    let mut wrong = Vec::new();
    let (mut n_allowed, mut n_tried) = (0, 0);
    for language in languages {
        let project = Project::of(language);
        let mut client = project.client();
        let drawn = project.draw(&mut dice, count.div_ceil(languages.len()));
        for (number, drawn) in drawn.into_iter().enumerate() {
            if number < COLD {
                client = project.client_without_cache();
            }
            n_tried += 1;
            let Drawn {
                path, name_path, ..
            } = &drawn;
            let delete = json!({
                "symbol_name": format!("/{name_path}"), "file_path": path, "operation": "delete", "dry_run": true,
            });
            let answer = client.call("edit_symbol", &delete);
            if answer["result"]["isError"] == true {
                continue;
            }
            n_allowed += 1;
            let uses = project.plain_uses(&drawn);
            if !uses.is_empty() {
                wrong.push(format!("{language} {path} {name_path} is used in {uses:?}"));
            }
        }
    }
    eprintln!("{n_tried} deletions tried, {n_allowed} allowed");
    assert!(n_allowed > 0 && n_allowed < n_tried);
    assert!(wrong.is_empty(), "{}\n{wrong:#?}", wrong.len());
}

/// So many deletions of each language ask a server that has just started.
const COLD: usize = 2;

/// Renames symbols by the first question to a new server, and looks for them by the second one, `count` in each language.
///
/// The index is not there yet: it must not answer from what it has read before the rename.
fn rename_cold(languages: &[&str], count: usize) {
    const NEW_NAME: &str = "renamed_a_moment_ago";
    eprintln!("seed {SEED}");
    let mut dice = Dice::new(SEED);
    for language in languages {
        let project = Project::of(language);
        for drawn in project.draw(&mut dice, count) {
            let mut client = project.client_without_cache();
            let symbol = format!("/{}", drawn.name_path);
            let mut rename = json!({
                "symbol_name": symbol, "file_path": drawn.path, "operation": "rename", "new_name": NEW_NAME,
                "dry_run": true,
            });
            let shown = client.call("edit_symbol", &rename)["result"].clone();
            rename["dry_run"] = json!(false);
            rename["expected_count"] = shown["structuredContent"]["total_matches"].clone();
            let done = client.call("edit_symbol", &rename)["result"].clone();
            assert_eq!(done["isError"], false, "{symbol} {done:#}");
            let found =
                client.call("find_symbols", &json!({ "query": NEW_NAME }))["result"].clone();
            let first = &found["structuredContent"]["symbols"][0];
            assert!(
                text(&found).contains(NEW_NAME) && first["name_path"] != Value::Null,
                "{language} {symbol} {found:#}"
            );
            project.restore();
        }
    }
}

/// How much of what universal-ctags finds must be found, in percent.
fn least(language: &str) -> f64 {
    match language {
        "python" | "java" | "go" | "php" | "rust" | "typescript" => 99.0,
        _ => 95.0,
    }
}

pub(super) fn compare_with_ctags(languages: &[&str]) {
    let mut too_few = Vec::new();
    for language in languages {
        let project = Project::of(language);
        let known = project.symbols();
        let mut missing: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let (mut n_found, mut n_tags) = (0, 0);
        for tag in ctags::tags(&project.directory, language) {
            let Some(symbols) = known.get(tag.path.as_str()) else {
                continue;
            };
            n_tags += 1;
            // One of the same name elsewhere in the file is another one.
            let is_it = |symbol: &Symbol| {
                let (start, end) = (u64::from(symbol.lines.start), u64::from(symbol.lines.end));
                let is_there = (start.saturating_sub(1)..=end).contains(&tag.line);
                is_there && (symbol.name == tag.name || tag.is_called(&symbol.name))
            };
            if symbols.iter().any(is_it) {
                n_found += 1;
            } else {
                let place = format!("{}:{} {}", tag.path, tag.line, tag.name);
                missing.entry(tag.kind).or_default().push(place);
            }
        }
        let recall = f64::from(n_found) * 100.0 / f64::from(n_tags.max(1));
        eprintln!("{language}: {n_found} of {n_tags}, {recall:.1} %");
        for (kind, places) in &missing {
            let shown: Vec<&String> = places.iter().take(SHOWN).collect();
            eprintln!("  {} {kind}: {shown:?}", places.len());
        }
        if n_tags == 0 || recall < least(language) {
            too_few.push(format!("{language}: {recall:.1} %"));
        }
    }
    assert!(too_few.is_empty(), "{too_few:?}");
}

/// So many of what is missing are named.
const SHOWN: usize = 12;

/// Asks the same of servers that have just started and of one that has read everything, `count` names in each language.
///
/// How long a first question waits for the index depends on the machine. An answer that says that it is not complete is
/// counted, and asked for again when everything is read.
pub(super) fn ask_cold_and_warm(languages: &[&str], count: usize) {
    eprintln!("seed {SEED}");
    let mut dice = Dice::new(SEED);
    let mut different = Vec::new();
    let (mut n_asked, mut n_incomplete) = (0, 0);
    for language in languages {
        let project = Project::of(language);
        let mut warm = project.client();
        project.wait_for_index(&mut warm);
        for drawn in project.draw(&mut dice, count) {
            let name = drawn.name();
            let asked = [
                ("find_symbols", json!({ "query": name, "max_results": 20 })),
                (
                    "find_references",
                    json!({ "symbol_name": name, "file_path": drawn.path, "max_results": 20 }),
                ),
            ];
            for (tool, arguments) in asked {
                let mut cold = project.client_without_cache();
                let mut first = cold.call(tool, &arguments)["result"].clone();
                n_asked += 1;
                if first["structuredContent"]["complete"] == false {
                    n_incomplete += 1;
                    project.wait_for_index(&mut cold);
                    first = cold.call(tool, &arguments)["result"].clone();
                }
                let later = warm.call(tool, &arguments)["result"].clone();
                let told = |result: &Value| -> Vec<String> {
                    text(result).lines().map(str::to_owned).collect()
                };
                let (first, later) = (told(&first), told(&later));
                assert!(!later.is_empty(), "{language} {tool} {arguments}");
                if first != later {
                    different.push(format!(
                        "{language} {tool} {arguments}\n{first:#?}\n--\n{later:#?}"
                    ));
                }
            }
        }
    }
    eprintln!("{n_asked} first answers, {n_incomplete} of them called incomplete");
    assert!(different.is_empty(), "{}", different.join("\n\n"));
}
