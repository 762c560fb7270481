//! Words that a native technical writer would not use, in everything that people and models read: documents, content, and
//! the texts in the code. Help and the arguments of tools are read in the references that are made of them; comments and
//! tests are not read.

use std::path::{Path, PathBuf};

use crate::workspace::has_extension;

/// What is written instead. In pieces, because this file is checked too.
const WORDS: [(&str, &str); 15] = [
    (concat!("no", "body"), "no one, or name who"),
    (concat!("who", "ever"), "anyone who"),
    (concat!("some", "body"), "someone, or name who"),
    (concat!("a", "new"), "again"),
    (concat!("so ", "many"), "this many"),
    (concat!("at the ", "most"), "at most"),
    (concat!("this is ", "none"), "say what it is not"),
    (concat!("is of ", "another"), "belongs to another"),
    (concat!("for a ", "yes"), "for approval"),
    (concat!("a person's ", "yes"), "approval"),
    (concat!("takes ", "over"), "inherits"),
    (concat!("be", "side"), "next to, or besides"),
    (concat!("fol", "der"), "directory"),
    (concat!("fol", "ders"), "directories"),
    (concat!("what ", "helps"), "hint"),
];
/// It tells what texts were.
const EXEMPT: [&str; 1] = ["CHANGELOG.md"];

pub(crate) fn check(files: &[(PathBuf, String)]) -> Vec<String> {
    let files = files.iter().filter(|(path, _)| is_read(path));
    files
        .flat_map(|(path, text)| {
            let found = found(path, text).into_iter();
            found.map(|it| format!("{}: {it}", path.display()))
        })
        .collect()
}

/// Whether people or models read the texts of a file.
fn is_read(path: &Path) -> bool {
    let Some(name) = path.to_str() else {
        return false;
    };
    if EXEMPT.contains(&name) || name.contains("/tests/") || name.ends_with("tests.rs") {
        return false;
    }
    let is_ours = |name: &str| {
        // What people type is not ours, and the words of a vocabulary are theirs too.
        name.starts_with("content/")
            && !name.starts_with("content/utterances/")
            && !name.starts_with("content/playbook/vocabulary/")
    };
    if has_extension(path, "rs") {
        let parts: Vec<&str> = name.split('/').collect();
        return parts.first() == Some(&"crates")
            && parts.get(2) == Some(&"src")
            && parts.get(1) != Some(&"mk-testkit");
    }
    if has_extension(path, "md") {
        return !name.contains('/') || name.starts_with("docs/") || is_ours(name);
    }
    (has_extension(path, "json") || has_extension(path, "yaml")) && is_ours(name)
}

/// The words of a file that have a better one.
pub(crate) fn found(path: &Path, text: &str) -> Vec<String> {
    let is_code = has_extension(path, "rs");
    let mut problems = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let shown = if is_code {
            texts(line)
        } else {
            line.to_owned()
        };
        let shown = shown.to_lowercase();
        for (word, instead) in WORDS {
            if has_word(&shown, word) {
                problems.push(format!("line {}: `{word}`: write {instead}", at + 1));
            }
        }
    }
    problems
}

/// What is in quotes in a line of code, without the names of values.
pub(super) fn texts(line: &str) -> String {
    let line = line.trim_start();
    if line.starts_with("//") {
        return String::new();
    }
    let mut texts = String::new();
    for quoted in line.replace("\\\"", "'").split('"').skip(1).step_by(2) {
        // A text of one word is a key.
        if !quoted.contains(' ') {
            continue;
        }
        let mut depth = 0_usize;
        for sign in quoted.chars() {
            match sign {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ if depth == 0 => texts.push(sign),
                _ => {}
            }
        }
        texts.push(' ');
    }
    texts
}

pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |sign: Option<char>| sign.is_some_and(|it| it.is_alphanumeric() || it == '_');
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|it| it.chars().next_back());
        let behind = text.get(at + word.len()..).and_then(|it| it.chars().next());
        !is_part(before) && !is_part(behind)
    })
}
