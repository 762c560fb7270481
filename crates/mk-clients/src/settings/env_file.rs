//! `NAME=value` lines. A name that the user has set stays theirs, whatever kind of entry ours is.

use super::{EditedSettings, SettingsEdit};

pub(super) fn apply(text: &str, edits: &[SettingsEdit]) -> EditedSettings {
    let mut text = text.to_owned();
    let mut taken = Vec::new();
    for edit in edits {
        let (name, line) = entry(edit);
        if text.lines().any(|it| it == line) {
            continue;
        }
        if text.lines().any(|it| names(it, &name)) {
            taken.push(name);
            continue;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&line);
        text.push('\n');
    }
    EditedSettings { text, taken }
}

pub(super) fn remove(text: &str, edits: &[SettingsEdit]) -> String {
    let ours: Vec<String> = edits.iter().map(|edit| entry(edit).1).collect();
    text.split_inclusive('\n')
        .filter(|line| !ours.iter().any(|ours| line.trim_end_matches('\n') == ours))
        .collect()
}

fn entry(edit: &SettingsEdit) -> (String, String) {
    let name = edit.path().join("_");
    let value = edit.value().as_str().unwrap_or_default();
    let line = format!("{name}={value}");
    (name, line)
}

fn names(line: &str, name: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("export ").unwrap_or(line);
    line.split_once('=')
        .is_some_and(|(key, _)| key.trim() == name)
}
