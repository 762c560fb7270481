//! A type's name stands for one thing in the whole product, so that it can be read alone and found by search.
//!
//! `Error` is the exception: every crate may have one, as is the custom.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(crate) fn check(files: &[(PathBuf, String)]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<&Path>> = BTreeMap::new();
    for (path, text) in files.iter().filter(|(path, _)| is_product(path)) {
        for name in names(text) {
            places.entry(name).or_default().push(path);
        }
    }
    let doubles = places.into_iter();
    let doubles = doubles.filter(|(name, paths)| *name != "Error" && paths.len() > 1);
    doubles
        .map(|(name, paths)| {
            let paths: Vec<String> = paths.iter().map(|it| it.display().to_string()).collect();
            format!("`{name}` names several types: {}", paths.join(", "))
        })
        .collect()
}

/// Sources of the product; tests may have names of their own.
fn is_product(path: &Path) -> bool {
    let mut parts = path.iter().filter_map(|part| part.to_str());
    parts.next() == Some("crates")
        && parts.next().is_some_and(|name| name != "mk-testkit")
        && parts.next() == Some("src")
        && path.extension().is_some_and(|extension| extension == "rs")
        && !parts.any(|part| part == "tests" || part == "tests.rs")
}

/// The types at the top of a file.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let line = match line.strip_prefix("pub") {
            // `pub(in a::b) struct` has words in the brackets.
            Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
            Some(rest) => rest.trim_start(),
            None => line,
        };
        let (kind, rest) = line.split_once(' ')?;
        let is_type = ["struct", "enum", "trait", "type", "union"].contains(&kind);
        let name = rest
            .split(|it: char| !it.is_alphanumeric() && it != '_')
            .next()?;
        (is_type && !name.is_empty()).then_some(name)
    })
}
