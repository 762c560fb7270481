//! The code tools on source code of other people: nothing is damaged, nothing that is used goes, nothing is overlooked.
//!
//! What is tried is drawn by a seed, which is printed.

mod ctags;
mod project;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::world::text;
use crate::support::dice::Dice;
use project::{Drawn, Project};

const SEED: u64 = 20_261_116;
/// In each language.
const GIVEN_BACK: usize = 150;
/// Over all languages, and how many of them ask a server that has just started.
const DELETED: usize = 200;
const COLD: usize = 20;

const LANGUAGES: [&str; 14] = [
    "c",
    "cpp",
    "csharp",
    "go",
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

#[test]
fn what_is_shown_can_be_given_back() {
    eprintln!("seed {SEED}");
    let mut dice = Dice::new(SEED);
    let mut damaged = Vec::new();
    for language in LANGUAGES {
        let project = Project::of(language);
        let mut client = project.client();
        for drawn in project.draw(&mut dice, GIVEN_BACK) {
            let Drawn {
                path, name_path, ..
            } = &drawn;
            let wanted = json!({ "symbol_name": format!("/{name_path}"), "file_path": path });
            let answer = client.call("get_symbol_definition", &wanted);
            let (_, body) = text(&answer["result"]).split_once('\n').unwrap();
            if body.contains("\n[cut before line ") {
                continue;
            }
            let before = project.bytes(path);
            let edit = json!({ "symbol_name": format!("/{name_path}"), "file_path": path, "content": body });
            let answer = client.call("edit_symbol", &edit);
            let after = project.bytes(path);
            let errors = &answer["result"]["structuredContent"]["syntax_errors"];
            if before != after || *errors != json!([]) {
                damaged.push(format!(
                    "{language} {path} {name_path}: {}",
                    text(&answer["result"])
                ));
                project.write(path, &before);
            }
        }
    }
    assert!(damaged.is_empty(), "{}\n{damaged:#?}", damaged.len());
}

#[test]
fn nothing_that_is_used_is_deleted() {
    eprintln!("seed {SEED}");
    let mut dice = Dice::new(SEED);
    let mut wrong = Vec::new();
    let (mut n_allowed, mut n_tried) = (0, 0);
    for language in LANGUAGES {
        let project = Project::of(language);
        let mut client = project.client();
        for (number, drawn) in project
            .draw(&mut dice, DELETED / LANGUAGES.len() + 1)
            .into_iter()
            .enumerate()
        {
            if number < COLD / LANGUAGES.len() + 1 {
                client = project.client();
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

/// How much of what universal-ctags finds must be found, in percent.
fn least(language: &str) -> f64 {
    match language {
        "python" | "java" | "go" | "php" | "rust" | "typescript" => 99.0,
        _ => 95.0,
    }
}

#[test]
fn what_ctags_finds_is_found() {
    let mut too_few = Vec::new();
    for language in LANGUAGES {
        let project = Project::of(language);
        let known: BTreeMap<&str, BTreeSet<String>> = project.names();
        let mut missing: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let (mut n_found, mut n_tags) = (0, 0);
        for tag in ctags::tags(&project.directory, language) {
            let Some(names) = known.get(tag.path.as_str()) else {
                continue;
            };
            n_tags += 1;
            if names.contains(&tag.name) {
                n_found += 1;
            } else {
                let place = format!("{}:{} {}", tag.path, tag.line, tag.name);
                missing.entry(tag.kind).or_default().push(place);
            }
        }
        let recall = f64::from(n_found) * 100.0 / f64::from(n_tags.max(1));
        eprintln!("{language}: {n_found} of {n_tags}, {recall:.1} %");
        for (kind, places) in &missing {
            eprintln!(
                "  {} {kind}: {:?}",
                places.len(),
                places.iter().take(4).collect::<Vec<_>>()
            );
        }
        if n_tags == 0 || recall < least(language) {
            too_few.push(format!("{language}: {recall:.1} %"));
        }
    }
    assert!(too_few.is_empty(), "{too_few:?}");
}
