//! Ids in the order of their appearance: `sess_1`, `task_1`, `appr_1`, `<state 1>`. Both ways, so that tests speak in these names.

use serde_json::Value;

#[derive(Debug, Default)]
pub struct Names(Vec<(String, String)>);

impl Names {
    /// A text in our names.
    pub fn text(&mut self, text: &str) -> String {
        words(text, |word| {
            let kind = ["sess_", "task_", "appr_"]
                .into_iter()
                .find(|kind| word.starts_with(kind) && word.len() == kind.len() + 16);
            kind.map_or_else(|| word.to_owned(), |kind| self.name(kind, word, ""))
        })
    }

    /// What the server says, in our names.
    pub fn hide(&mut self, value: &Value) -> Value {
        map(value, &mut |text| {
            // What clients carry for us is opaque to them.
            if text.starts_with("rs1.") {
                return self.name("<state", text, ">");
            }
            self.text(text)
        })
    }

    /// What a test says, as the server knows it.
    pub fn reveal(&self, value: &Value) -> Value {
        map(value, &mut |text| {
            let whole = self.0.iter().find(|(name, _)| name == text);
            if let Some((_, real)) = whole {
                return real.clone();
            }
            words(text, |word| {
                let known = self.0.iter().find(|(name, _)| name == word);
                known.map_or_else(|| word.to_owned(), |(_, real)| real.clone())
            })
        })
    }

    /// The real id behind a name.
    pub fn real(&self, name: &str) -> String {
        self.find(name).expect("a known name").to_owned()
    }

    /// The same, if it is a name.
    pub fn find(&self, name: &str) -> Option<&str> {
        let known = self.0.iter().find(|(known, _)| known == name);
        known.map(|(_, real)| real.as_str())
    }

    fn name(&mut self, prefix: &str, real: &str, suffix: &str) -> String {
        if let Some((name, _)) = self.0.iter().find(|(_, known)| known == real) {
            return name.clone();
        }
        let same_kind = self.0.iter().filter(|(name, _)| name.starts_with(prefix));
        let space = if suffix.is_empty() { "" } else { " " };
        let name = format!("{prefix}{space}{}{suffix}", same_kind.count() + 1);
        self.0.push((name.clone(), real.to_owned()));
        name
    }
}

fn map(value: &Value, change: &mut impl FnMut(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(text)),
        Value::Array(items) => items.iter().map(|item| map(item, change)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            let changed = fields.map(|(key, field)| (key.clone(), map(field, change)));
            Value::Object(changed.collect())
        }
        other => other.clone(),
    }
}

fn words(text: &str, mut change: impl FnMut(&str) -> String) -> String {
    let mut changed = String::new();
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    for piece in text.split_inclusive(|letter| !is_letter(letter)) {
        let word = piece.trim_end_matches(|letter| !is_letter(letter));
        changed.push_str(&change(word));
        changed.push_str(piece.strip_prefix(word).expect("it starts with its word"));
    }
    changed
}
