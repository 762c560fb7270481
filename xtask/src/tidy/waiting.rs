//! docs/concepts/waiting.md: every constant in its tables exists and has the value that the table says.

use std::path::{Path, PathBuf};

const FILE: &str = "docs/concepts/waiting.md";

pub(crate) fn check(files: &[(PathBuf, String)]) -> Vec<String> {
    let text_of = |wanted: &str| {
        let found = files.iter().find(|(path, _)| path == Path::new(wanted));
        found.map(|(_, text)| text.as_str())
    };
    let Some(table) = text_of(FILE) else {
        return vec![format!("{FILE} is missing")];
    };
    let rows = table.lines().enumerate();
    let rows = rows.filter(|(_, line)| line.contains("` in `"));
    rows.filter_map(|(at, line)| {
        let problem = wrong(line, &text_of)?;
        Some(format!("{FILE}: line {}: {problem}", at + 1))
    })
    .collect()
}

fn wrong<'a>(line: &str, text_of: &impl Fn(&str) -> Option<&'a str>) -> Option<String> {
    let columns: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [_, _, how_long, constant, _] = columns[..] else {
        return Some("five columns".to_owned());
    };
    let Some((name, file)) = constant.split_once(" in ") else {
        return Some("the constant is `NAME` in `file`".to_owned());
    };
    let (name, file) = (name.trim_matches('`'), file.trim_matches('`'));
    let Some(source) = text_of(file) else {
        return Some(format!("there is no {file}"));
    };
    let value = source.lines().find_map(|line| {
        let (_, rest) = line.split_once(&format!("const {name}: Duration = Duration::from_"))?;
        let (unit, rest) = rest.split_once('(')?;
        let (number, _) = rest.split_once(')')?;
        let unit = if unit == "secs" { "s" } else { "ms" };
        Some(format!("{} {unit}", number.replace('_', "")))
    });
    match value {
        None => Some(format!("{file} has no `{name}` in seconds or milliseconds")),
        Some(value) if how_long.ends_with(&value) => None,
        Some(value) => Some(format!("`{name}` is {value}, not {how_long}")),
    }
}
