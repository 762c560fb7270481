//! The values that a word can have: literal text, what a variable was set to, wildcards, and what cannot be told.
//!
//! A pattern is written as the shell writes it: `*`, `?` and `[…]` stay within one name, a backslash makes the next
//! character literal. Two marks are added for what only the running shell knows.

use std::borrow::Cow;

/// Any text, `/` included: an expansion whose value is not known.
pub const ANYTHING: char = '\u{1}';
/// Any text within one name, a leading dot included: `{a,b}`, `$$`, `$(date)`.
pub const SOME_NAME: char = '\u{2}';

/// More alternatives than this are one that can be anything.
const MOST_ALTERNATIVES: usize = 16;
const LONGEST: usize = 4096;

/// A text under construction.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextBuilder {
    /// As passed on if nothing expands; what expands stands as written.
    pub(crate) value: String,
    /// What it can be, once something in it is more than literal.
    pub(crate) alternatives: Option<Vec<String>>,
    braces: Option<Braces>,
}

/// A list in braces that has begun.
#[derive(Debug, Clone, Default)]
struct Braces {
    before: Vec<String>,
    items: Vec<String>,
}

impl TextBuilder {
    pub(crate) fn push(&mut self, character: char) {
        self.value.push(character);
        for alternative in self.alternatives.iter_mut().flatten() {
            push_literal(alternative, character);
        }
    }

    /// A character that is a wildcard where it stands.
    pub(crate) fn push_wildcard(&mut self, character: char) {
        self.start();
        self.value.push(character);
        for alternative in self.alternatives.iter_mut().flatten() {
            alternative.push(character);
        }
    }

    /// Something that expands: as written, and what it can become.
    pub(crate) fn push_expansion(&mut self, written: &str, values: &[String]) {
        self.start();
        self.value.push_str(written);
        let known = self.alternatives.take().unwrap_or_default();
        let longest = known.iter().map(String::len).max().unwrap_or_default()
            + values.iter().map(String::len).max().unwrap_or_default();
        let fits = known.len() * values.len() <= MOST_ALTERNATIVES && longest <= LONGEST;
        self.alternatives = Some(if fits {
            let joined = known
                .iter()
                .flat_map(|start| values.iter().map(move |value| format!("{start}{value}")));
            joined.collect()
        } else {
            vec![ANYTHING.to_string()]
        });
    }

    /// An unquoted `{`, `,` or `}`.
    pub(crate) fn push_brace(&mut self, character: char) {
        match (character, &mut self.braces) {
            ('{', None) => {
                self.start();
                self.braces = Some(Braces {
                    before: self
                        .alternatives
                        .replace(vec![String::new()])
                        .unwrap_or_default(),
                    items: Vec::new(),
                });
            }
            // A list within a list.
            ('{', Some(braces)) => braces.items.push(ANYTHING.to_string()),
            (',', Some(braces)) => {
                let item = self.alternatives.replace(vec![String::new()]);
                braces.items.extend(item.unwrap_or_default());
            }
            ('}', Some(_)) => self.close_braces(),
            _ => {
                self.push(character);
                return;
            }
        }
        self.value.push(character);
    }

    fn close_braces(&mut self) {
        let Some(Braces { before, mut items }) = self.braces.take() else {
            return;
        };
        let last = self.alternatives.take().unwrap_or_default();
        let is_range = last.iter().any(|item| item.contains(".."));
        let after: Vec<String> = match items.is_empty() {
            true if is_range => vec![SOME_NAME.to_string()],
            // `{}` and `{a}` are text.
            true => last.iter().map(|item| format!("{{{item}}}")).collect(),
            false => {
                items.extend(last);
                items
            }
        };
        self.alternatives = Some(before);
        self.push_expansion("", &after);
    }

    /// The value, and what it can be if that is more. `None` for a text that is what it says.
    pub(crate) fn finish(mut self) -> (String, Option<Vec<String>>) {
        if let Some(Braces { before, items }) = self.braces.take() {
            // Not closed: it is text.
            let last = self.alternatives.take().unwrap_or_default();
            let inside: Vec<String> = items.into_iter().chain(last).collect();
            self.alternatives = Some(before);
            self.push_expansion("", &[format!("{{{}", inside.join(","))]);
        }
        for pattern in self.alternatives.iter_mut().flatten() {
            // A bracket that is not closed stands for itself.
            if pattern.contains('[') && !pattern.contains(']') {
                *pattern = pattern.replace("\\[", "[").replace('[', "\\[");
            }
        }
        match self.alternatives.as_deref() {
            None => (self.value, None),
            Some([only]) => match literal(only) {
                Some(text) => (text, None),
                None => (self.value, self.alternatives),
            },
            Some(_) => (self.value, self.alternatives),
        }
    }

    pub(crate) fn start(&mut self) {
        if self.alternatives.is_none() {
            self.alternatives = Some(vec![escape(&self.value).into_owned()]);
        }
    }
}

fn push_literal(pattern: &mut String, character: char) {
    if is_special(character) {
        pattern.push('\\');
    }
    pattern.push(character);
}

const fn is_special(character: char) -> bool {
    matches!(character, '*' | '?' | '[' | ']' | '\\')
}

/// A pattern that is this text and nothing else.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(is_special) {
        return Cow::Borrowed(text);
    }
    let mut pattern = String::with_capacity(text.len() + 4);
    for character in text.chars() {
        push_literal(&mut pattern, character);
    }
    Cow::Owned(pattern)
}

/// The text that is all a pattern matches, if it has no wildcard.
pub fn literal(pattern: &str) -> Option<String> {
    let mut text = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.extend(characters.next()),
            '*' | '?' | '[' | ANYTHING | SOME_NAME => return None,
            other => text.push(other),
        }
    }
    Some(text)
}
