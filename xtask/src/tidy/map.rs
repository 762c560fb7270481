//! The map in ARCHITECTURE.md, from each tool's name to the files that do its work: complete, and true.

use std::path::{Path, PathBuf};

const FILE: &str = "ARCHITECTURE.md";
const TOOLS: &str = "crates/mk-tools/src";
/// How a definition names its tool.
const NAME: &str = "        name: \"";

pub(crate) fn check(files: &[(PathBuf, String)]) -> Vec<String> {
    let text_of = |wanted: &str| {
        let found = files.iter().find(|(path, _)| path == Path::new(wanted));
        found.map(|(_, text)| text.as_str())
    };
    let Some(map) = text_of(FILE) else {
        return vec![format!("{FILE} is missing")];
    };
    let rows: Vec<&str> = map.lines().filter(|line| line.contains("` in `")).collect();
    let mut problems: Vec<String> = rows
        .iter()
        .filter_map(|row| wrong(row, &text_of))
        .map(|problem| format!("{FILE}: {problem}"))
        .collect();
    for (path, name) in tools(files) {
        let expected = format!("/{name}.rs");
        if !path.to_string_lossy().ends_with(&expected) {
            problems.push(format!(
                "{}: tool `{name}` is not in {name}.rs",
                path.display()
            ));
        }
        if !rows
            .iter()
            .any(|row| row.starts_with(&format!("| `{name}` |")))
        {
            problems.push(format!("{FILE}: the map has no row for tool `{name}`"));
        }
    }
    problems
}

/// Every tool that is defined, and where.
pub(super) fn tools(files: &[(PathBuf, String)]) -> Vec<(&Path, &str)> {
    let mut found = Vec::new();
    for (path, text) in files {
        if !path.starts_with(TOOLS) || path.starts_with(format!("{TOOLS}/tests")) {
            continue;
        }
        let names = text.lines().filter_map(|line| line.strip_prefix(NAME));
        let names = names.filter_map(|rest| rest.split('"').next());
        found.extend(names.map(|name| (path.as_path(), name)));
    }
    found
}

fn wrong<'a>(row: &str, text_of: &impl Fn(&str) -> Option<&'a str>) -> Option<String> {
    let columns: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    let [name, use_case, below] = columns[..] else {
        return Some(format!("a row has three columns: {row}"));
    };
    let (name, below) = (name.trim_matches('`'), below.trim_matches('`'));
    let (function, file) = use_case.split_once(" in ")?;
    let (function, file) = (function.trim_matches('`'), file.trim_matches('`'));
    let Some(source) = text_of(file) else {
        return Some(format!("`{name}`: there is no {file}"));
    };
    let is_there = source.contains(&format!("fn {function}("));
    if !is_there {
        return Some(format!("`{name}`: {file} has no `{function}`"));
    }
    (text_of(below).is_none()).then(|| format!("`{name}`: there is no {below}"))
}
