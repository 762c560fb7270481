//! What universal-ctags finds.

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
    let tag = |line: &str| {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| Some(value[key].as_str()?.to_owned());
        let tag = Tag {
            path: text("path")?.trim_start_matches("./").to_owned(),
            name: text("name")?,
            kind: text("kind")?,
            line: value["line"].as_u64()?,
        };
        // What has no name in the source gets one from ctags; what is inside of a function is nobody else's.
        let is_made_up = tag.name.starts_with("__anon") || tag.name.starts_with("anonymous");
        let is_local = matches!(value["scopeKind"].as_str(), Some("function" | "method"));
        (!is_made_up && !is_local && kinds.contains(&tag.kind.as_str())).then_some(tag)
    };
    ran.stdout.lines().filter_map(tag).collect()
}
