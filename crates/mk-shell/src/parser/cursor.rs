//! Where the parser is in its text: looking ahead, and going on.

use crate::parser::Parser;

impl Parser<'_> {
    pub(crate) fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    pub(crate) fn peek_at(&self, distance: usize) -> Option<char> {
        self.characters.get(self.position + distance).copied()
    }

    pub(crate) fn advance(&mut self) {
        self.position += 1;
    }

    pub(crate) fn next(&mut self) -> Option<char> {
        let character = self.peek();
        self.advance();
        character
    }

    pub(crate) fn text_since(&self, start: usize) -> String {
        let end = self.position.min(self.characters.len());
        self.characters
            .get(start..end)
            .unwrap_or_default()
            .iter()
            .collect()
    }

    pub(super) fn looks_at(&self, text: &str) -> bool {
        text.chars()
            .enumerate()
            .all(|(distance, character)| self.peek_at(distance) == Some(character))
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.looks_at(text);
        if found {
            self.position += text.chars().count();
        }
        found
    }
}
