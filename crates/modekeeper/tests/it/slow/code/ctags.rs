//! What universal-ctags finds.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::slow::tools;
use crate::support::sandbox::{bare_command, run};

/// A definition as ctags tells it.
#[derive(Debug)]
pub(super) struct Tag {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) line: u64,
}

/// ctags' name for a language, and the kinds that are definitions to it which others can use: no local variables,
/// parameters, imports or anonymous things.
fn kinds(language: &str) -> (&'static str, &'static [&'static str]) {
    match language {
        "c" => (
            "C",
            &[
                "function",
                "struct",
                "union",
                "enum",
                "typedef",
                "macro",
                "enumerator",
            ],
        ),
        "cpp" => (
            "C++",
            &[
                "class",
                "function",
                "struct",
                "union",
                "enum",
                "typedef",
                "namespace",
                "enumerator",
            ],
        ),
        "csharp" => (
            "C#",
            &[
                "class",
                "enum",
                "interface",
                "method",
                "namespace",
                "property",
                "struct",
                "enumerator",
            ],
        ),
        "go" => (
            "Go",
            &[
                "func",
                "struct",
                "interface",
                "type",
                "const",
                "var",
                "methodSpec",
            ],
        ),
        "java" => (
            "Java",
            &[
                "class",
                "interface",
                "enum",
                "method",
                "field",
                "enumConstant",
            ],
        ),
        "javascript" => ("JavaScript", &["class", "function", "method"]),
        "kotlin" => (
            "Kotlin",
            &["class", "interface", "object", "method", "typealias"],
        ),
        "lua" => ("Lua", &["function"]),
        "php" => (
            "PHP",
            &["class", "interface", "trait", "function", "define"],
        ),
        "python" => ("Python", &["class", "function", "member"]),
        "ruby" => (
            "Ruby",
            &["class", "module", "method", "singletonMethod", "constant"],
        ),
        "rust" => (
            "Rust",
            &[
                "struct",
                "enum",
                "interface",
                "function",
                "method",
                "macro",
                "enumerator",
                "typedef",
            ],
        ),
        // ctags does not know Swift; what it is told to look for is what a line begins with.
        "swift" => ("MkSwift", &["definition"]),
        "typescript" => (
            "TypeScript",
            &[
                "class",
                "interface",
                "enum",
                "function",
                "method",
                "alias",
                "namespace",
            ],
        ),
        _ => panic!("{language}"),
    }
}

pub(super) fn tags(directory: &Path, language: &str) -> Vec<Tag> {
    let (name, kinds) = kinds(language);
    let program = tools::sources().join("bin/ctags");
    let mut command = bare_command(program, directory);
    command.args([
        "--options=NONE",
        "-R",
        "--output-format=json",
        "--fields=+nKZ",
        "-f",
        "-",
    ]);
    if language == "swift" {
        command.args([
            "--langdef=MkSwift",
            "--map-MkSwift=+.swift",
            "--kinddef-MkSwift=d,definition,definitions",
            r"--regex-MkSwift=/^[ \t]*((public|internal|private|fileprivate|open|final|static|override|mutating|convenience|required|indirect) +)*(class|struct|enum|protocol|func|typealias) +([A-Za-z_][A-Za-z0-9_]*)/\4/d/",
        ]);
    }
    if language == "cpp" {
        command.arg("--map-C++=+.h");
    }
    command.args([&format!("--languages={name}"), "."]);
    let ran = run(&mut command);
    assert!(ran.status.success(), "{ran:#?}");
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut tags = Vec::new();
    for line in ran.stdout.lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let written = text("name");
        let tag = Tag {
            path: text("path").trim_start_matches("./").to_owned(),
            name: own_name(language, &written).to_owned(),
            kind: text("kind"),
            line: value["line"].as_u64().unwrap_or_default(),
        };
        let lines = texts.entry(tag.path.clone()).or_insert_with(|| {
            let text = fs::read_to_string(directory.join(&tag.path)).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        });
        // What is inside of a function is nobody else's.
        let is_local = matches!(value["scopeKind"].as_str(), Some("function" | "method"));
        let line = usize::try_from(tag.line).unwrap_or_default();
        let line = lines.get(line.wrapping_sub(1)).map_or("", String::as_str);
        if !is_local && kinds.contains(&tag.kind.as_str()) && is_defined(language, &tag, line) {
            tags.push(tag);
        }
    }
    tags
}

/// A name without what is around it, which is told elsewhere.
fn own_name<'a>(language: &str, written: &'a str) -> &'a str {
    let last = |marks: &[char]| written.rsplit(marks).next().unwrap_or(written);
    match language {
        "csharp" if written.starts_with("operator ") => {
            written.strip_prefix("operator ").unwrap_or(written)
        }
        "csharp" => last(&['.']),
        "lua" => last(&['.', ':']),
        _ => written,
    }
}

/// Whether a line defines what ctags says it does: ctags invents names for what has none, and takes some expressions
/// for definitions.
fn is_defined(language: &str, tag: &Tag, line: &str) -> bool {
    let name = tag.name.as_str();
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let stands_there = line.match_indices(name).any(|(at, _)| {
        let before = line.get(..at).and_then(|it| it.chars().next_back());
        let after = line.get(at + name.len()..).and_then(|it| it.chars().next());
        let is_mark = !name.starts_with(is_word);
        is_mark || !before.is_some_and(is_word) && !after.is_some_and(is_word)
    });
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    let is_meant = match (language, tag.kind.as_str()) {
        // A key of an object, or a variable that holds one.
        ("javascript", "class") => has(&["class ", "function "]),
        ("javascript", "function") => has(&["function", "=>", "= ("]),
        // `export { type A } from` defines nothing.
        ("typescript", "alias") => {
            let after = line.split_once(name).map_or("", |(_, after)| after);
            after.trim_start().starts_with(['=', '<']) || after.trim().is_empty()
        }
        // Signatures of constructors, and conditions.
        ("typescript", "method") => !matches!(name, "new" | "if" | "as"),
        ("typescript", "enum") => name != "as",
        // Constraints of a type parameter.
        ("csharp", "struct" | "property") => !has(&["where "]),
        // `end` of one, and what a string holds.
        ("lua", "function") => {
            let is_value = line.trim_start().starts_with("return") || name.contains(['%', '[']);
            has(&["function(", "function ("]) || line.contains("function ") && !is_value
        }
        // The test whether a header was read has no value.
        ("c" | "cpp", "macro") => {
            let after = line.split_once(name).map_or("", |(_, after)| after);
            !after.trim().is_empty()
        }
        _ => true,
    };
    stands_there && is_meant
}
