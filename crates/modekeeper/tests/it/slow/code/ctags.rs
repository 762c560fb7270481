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

impl Tag {
    /// Whether a symbol's name is another way to write this one.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let rest = name.strip_prefix(self.name.as_str());
        // `a<b>` is a special case of `a`, and called so; ctags leaves out the marks of aliases in Ruby.
        let is_special = rest.is_some_and(|rest| rest.starts_with('<'));
        let is_marked = self.kind == "alias" && matches!(rest, Some("?" | "!" | "="));
        // `impl A for B`.
        let is_block = self.kind == "implementation" && name.rsplit(' ').next() == Some(&self.name);
        let without_spaces = |name: &str| name.replace(' ', "");
        let is_operator =
            name.starts_with("operator") && without_spaces(name) == without_spaces(&self.name);
        is_special || is_marked || is_block || is_operator
    }
}

/// ctags' name for a language, and the kinds of it that are not looked for, with what they are.
///
/// Everything else counts. Nobody looks for local variables and parameters, for what an import calls something that is
/// defined elsewhere, or for the line that says which package a file belongs to.
fn left_out(language: &str) -> (&'static str, &'static [&'static str]) {
    match language {
        "c" => ("C", &[]),
        "cpp" => ("C++", &[]),
        // Of a `using` with another name.
        "csharp" => ("C#", &["typedef"]),
        // The package of a file, and of an import.
        "go" => ("Go", &["package", "packageName"]),
        // Of a module's name it has the first part only: `Data`.
        "haskell" => ("Haskell", &["module"]),
        "java" => ("Java", &["package"]),
        // Keys of an object: data.
        "javascript" => ("JavaScript", &["property"]),
        "kotlin" => ("Kotlin", &["package"]),
        "lua" => ("Lua", &[]),
        // Of a `use`; the namespace of a file.
        "php" => ("PHP", &["alias", "namespace"]),
        // Of an `import … as`.
        "python" => ("Python", &["unknown", "namespace"]),
        "ruby" => ("Ruby", &[]),
        "rust" => ("Rust", &[]),
        // ctags does not know Swift; what it is told to look for is what a line begins with.
        "swift" => ("MkSwift", &[]),
        "typescript" => ("TypeScript", &[]),
        _ => panic!("{language}"),
    }
}

pub(super) fn tags(directory: &Path, language: &str) -> Vec<Tag> {
    let (name, left_out) = left_out(language);
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
            name: own_name(language, &text("kind"), &written).to_owned(),
            kind: text("kind"),
            line: value["line"].as_u64().unwrap_or_default(),
        };
        let lines = texts.entry(tag.path.clone()).or_insert_with(|| {
            let text = fs::read_to_string(directory.join(&tag.path)).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        });
        // What is inside of a function, no other can use.
        let is_local = matches!(value["scopeKind"].as_str(), Some("function" | "method"));
        let line = usize::try_from(tag.line).unwrap_or_default();
        let line = lines.get(line.wrapping_sub(1)).map_or("", String::as_str);
        let is_wanted = !is_local && !left_out.contains(&tag.kind.as_str());
        if is_wanted && is_defined(language, &tag, line) {
            tags.push(tag);
        }
    }
    tags
}

/// A name without what is around it, which is told elsewhere.
fn own_name<'a>(language: &str, kind: &str, written: &'a str) -> &'a str {
    let last = |marks: &[char]| written.rsplit(marks).next().unwrap_or(written);
    match language {
        "csharp" if written.starts_with("operator ") => {
            written.strip_prefix("operator ").unwrap_or(written)
        }
        "csharp" => last(&['.']),
        "lua" => last(&['.', ':']),
        // `attr_accessor :a` defines `a=` too, and is one definition.
        "ruby" if kind == "accessor" => written.trim_end_matches('='),
        _ => written,
    }
}

/// Whether a line defines what ctags says it does: ctags invents names for what has none, and takes some expressions
/// for definitions.
fn is_defined(language: &str, tag: &Tag, line: &str) -> bool {
    let name = tag.name.as_str();
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let is_operator = name.starts_with("operator ");
    let stands_there = is_operator
        || line.match_indices(name).any(|(at, _)| {
            let before = line.get(..at).and_then(|it| it.chars().next_back());
            let after = line.get(at + name.len()..).and_then(|it| it.chars().next());
            let is_mark = !name.starts_with(is_word);
            // PHP's variables have a mark that is no part of the name.
            let is_inside =
                before.is_some_and(is_word) && !(language == "php" && before == Some('$'));
            is_mark || !is_inside && !after.is_some_and(is_word)
        });
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    let after = line.split_once(name).map_or("", |(_, after)| after);
    let is_at_top = !line.starts_with([' ', '\t']) || line.trim_start().starts_with("export ");
    let is_meant = match (language, tag.kind.as_str()) {
        // Variables of functions, which ctags takes for those of the file where a function has no name.
        ("javascript", "variable" | "constant") => {
            is_at_top && has(&["const ", "let ", "var "]) && !after.starts_with('.')
        }
        // The same, and names that are used behind a comment in the value of another.
        ("typescript", "variable" | "constant") => {
            let declares = |before: &str| {
                let before = before.trim_end();
                ["const", "let", "var", ",", "{", "["]
                    .iter()
                    .any(|word| before.ends_with(word))
            };
            let places = line.match_indices(name);
            let is_declared = places
                .map(|(at, _)| line.get(..at).unwrap_or_default())
                .any(declares);
            is_at_top && is_declared && !after.starts_with('.')
        }
        // Parameters and conditions of types.
        ("typescript", "property") => line.match_indices(name).any(|(at, _)| {
            let after = line.get(at + name.len()..).unwrap_or_default();
            let begins = |mark: &str| after.starts_with(mark);
            after.trim().is_empty() || [":", "?", "!", " =", " :"].into_iter().any(begins)
        }),
        // Properties say who may see them; other variables belong to functions, or to the script that a file is.
        ("php", "variable") => has(&["public ", "protected ", "private ", "static ", "var "]),
        // A key of an object that holds another.
        ("javascript", "class") => has(&["class ", "function ", "exports.", "var ", "const "]),
        // `export { type A } from` defines nothing.
        ("typescript", "alias") => {
            after.trim_start().starts_with(['=', '<']) || after.trim().is_empty()
        }
        // Signatures of constructors, and conditions.
        ("typescript", "method") => !matches!(name, "new" | "if" | "as"),
        ("typescript", "enum") => name != "as",
        // Constraints of a type parameter.
        ("csharp", "struct" | "property") => !has(&["where "]),
        // The same, and parameters of operators.
        ("csharp", "field") => !has(&["where ", " operator "]),
        // A string that holds the word `function`, and a call with one.
        ("lua", "function") => {
            let is_value = line.trim_start().starts_with("return") || name.contains(['%', '[']);
            has(&["function(", "function ("]) || line.contains("function ") && !is_value
        }
        _ => true,
    };
    stands_there && is_meant
}
