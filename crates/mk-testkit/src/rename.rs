//! Ids, times, ports and paths get names in order of appearance, so that whole conversations can be compared.

use std::path::Path;

use serde_json::Value;

#[derive(Debug)]
pub struct Rename {
    root: String,
    /// Per kind, in order of appearance.
    seen: Vec<(&'static str, Vec<String>)>,
}

/// The product's version, which stands in its manifest only.
fn version() -> &'static str {
    let manifest = include_str!("../../modekeeper/Cargo.toml");
    let line = manifest
        .lines()
        .find_map(|it| it.strip_prefix("version = \""));
    line.and_then(|it| it.split('"').next()).expect("a version")
}

const IDS: [&str; 3] = ["sess", "task", "appr"];

impl Rename {
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.display().to_string(),
            seen: IDS.map(|kind| (kind, Vec::new())).to_vec(),
        }
    }

    pub fn text(&mut self, text: &str) -> String {
        let text = text
            .replace(&self.root, "[root]")
            .replace(version(), "[version]");
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let fresh = !out.ends_with(|it: char| it.is_ascii_alphanumeric() || it == '_');
            let found = if fresh { self.name_of(rest) } else { None };
            let (name, length) = found.unwrap_or((first.to_string(), first.len_utf8()));
            out.push_str(&name);
            rest = rest.split_at(length).1;
        }
        out
    }

    pub fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(key, value)| (key.clone(), self.value(value)))
                .collect(),
            value => value.clone(),
        }
    }

    /// The name of what the text starts with, and how long that is.
    fn name_of(&mut self, text: &str) -> Option<(String, usize)> {
        if let Some(length) = time_at(text) {
            return Some(("[time]".to_owned(), length));
        }
        for (kind, seen) in &mut self.seen {
            let Some(rest) = text.strip_prefix(*kind).and_then(|it| it.strip_prefix('_')) else {
                continue;
            };
            let length = rest
                .find(|it: char| !it.is_ascii_alphanumeric())
                .unwrap_or(rest.len());
            if length < 12 {
                continue;
            }
            let id = rest.split_at(length).0.to_owned();
            let index = seen.iter().position(|it| *it == id).unwrap_or_else(|| {
                seen.push(id);
                seen.len() - 1
            });
            return Some((format!("[{kind} {}]", index + 1), kind.len() + 1 + length));
        }
        None
    }
}

/// `2026-11-15T22:40:00.123Z`, with or without the fraction.
fn time_at(text: &str) -> Option<usize> {
    const SHAPE: &[u8] = b"0000-00-00T00:00:00";
    let bytes = text.as_bytes();
    let shaped = bytes.len() > SHAPE.len()
        && SHAPE.iter().zip(bytes).all(|(shape, byte)| match shape {
            b'0' => byte.is_ascii_digit(),
            shape => shape == byte,
        });
    let end = text
        .char_indices()
        .skip(SHAPE.len())
        .find(|(_, it)| !(it.is_ascii_digit() || *it == '.'))?;
    (shaped && end.1 == 'Z').then_some(end.0 + 1)
}

#[test]
fn the_same_id_has_the_same_name() {
    let mut rename = Rename::new(Path::new("/tmp/x"));
    let text = rename.text("sess_aaaaaaaaaaaaa, task_bbbbbbbbbbbbb at 2026-11-15T22:40:00.123Z in /tmp/x/y sess_aaaaaaaaaaaaa create_task");
    assert_eq!(
        text,
        "[sess 1], [task 1] at [time] in [root]/y [sess 1] create_task"
    );
}
