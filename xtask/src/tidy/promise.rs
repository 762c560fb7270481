//! docs/promises.md: every promise names a test, and the test exists.
//!
//! `slow::half::name` is a test of the binary, `mk-store sweep::name` one of a crate; `*` stands for any part of a name.

use std::path::{Path, PathBuf};

const FILE: &str = "docs/promises.md";

pub(crate) fn check(files: &[(PathBuf, String)]) -> Vec<String> {
    let document = files.iter().find(|(path, _)| path == Path::new(FILE));
    let Some((_, document)) = document else {
        return vec![format!("{FILE} is missing")];
    };
    let mut problems = Vec::new();
    let mut is_promise = false;
    for (at, line) in document.lines().enumerate() {
        let columns: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        match columns[..] {
            ["promise", "proof"] => is_promise = true,
            [_, proof] if is_promise && !proof.starts_with("---") => {
                let found = wrong(proof, files);
                problems.extend(found.map(|what| format!("{FILE}: line {}: {what}", at + 1)));
            }
            [_, _] => {}
            _ => is_promise = false,
        }
    }
    problems
}

fn wrong(proof: &str, files: &[(PathBuf, String)]) -> Option<String> {
    let mut tests = proof
        .split('`')
        .filter(|part| part.contains("::"))
        .peekable();
    if tests.peek().is_none() && proof != "the same" {
        return Some("the promise names no test".to_owned());
    }
    let missing = tests.find(|test| !exists(test, files))?;
    Some(format!("there is no test `{missing}`"))
}

fn exists(test: &str, files: &[(PathBuf, String)]) -> bool {
    let (folder, path) = match test.split_once(' ') {
        Some((name, path)) => (format!("crates/{name}/src/tests"), path),
        None => ("crates/modekeeper/tests/it".to_owned(), test),
    };
    let Some((module, name)) = path.rsplit_once("::") else {
        return false;
    };
    let module = format!("{folder}/{}", module.replace("::", "/"));
    let own = PathBuf::from(format!("{module}.rs"));
    let in_module = |path: &Path| path == own || name.contains('*') && path.starts_with(&module);
    let (start, end) = name.split_once('*').unwrap_or((name, ""));
    let fits = |found: &str| {
        found == name || name.contains('*') && found.starts_with(start) && found.ends_with(end)
    };
    files
        .iter()
        .filter(|(path, _)| in_module(path))
        .any(|(_, text)| functions(text).any(fits))
}

/// The names of a file's functions.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (_, rest) = line.split_once("fn ")?;
        let (name, _) = rest.split_once('(')?;
        Some(name)
    })
}
