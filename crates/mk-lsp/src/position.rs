//! Places in a text: ours, and a server's.
//!
//! Ours count lines and columns from 1, columns in characters. A server counts from 0, columns in bytes or in UTF-16
//! units, whichever it chose. A line ends with `\n`, and a `\r` before it belongs to the end.

use mk_types::{Position, Range};
use serde::{Deserialize, Serialize};

/// What a server counts columns in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
}

/// A place as servers write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WirePosition {
    pub(crate) line: u32,
    pub(crate) character: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WireRange {
    pub(crate) start: WirePosition,
    pub(crate) end: WirePosition,
}

impl Encoding {
    fn units(self, character: char) -> usize {
        match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
        }
    }
}

/// A text that knows where its lines begin.
#[derive(Debug)]
pub(crate) struct LineStarts<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineStarts<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(index, _)| index + 1));
        Self {
            text,
            starts: starts.collect(),
        }
    }

    /// Where a line begins and its text; `line` counts from 0, and past the end is the empty line there.
    fn line(&self, line: u32) -> (usize, &'a str) {
        let index = line as usize;
        let Some(start) = self.starts.get(index).copied() else {
            return (self.text.len(), "");
        };
        let end = self.starts.get(index + 1).copied();
        let line = self
            .text
            .get(start..end.unwrap_or(self.text.len()))
            .unwrap_or_default();
        let line = line.strip_suffix('\n').unwrap_or(line);
        (start, line.strip_suffix('\r').unwrap_or(line))
    }

    /// As a server counts; a column past the end is the end.
    pub(crate) fn to_wire(&self, position: Position, encoding: Encoding) -> WirePosition {
        let line = position.line.saturating_sub(1);
        let before = self.line(line).1.chars();
        let before = before.take(position.column.saturating_sub(1) as usize);
        let units: usize = before.map(|character| encoding.units(character)).sum();
        WirePosition {
            line,
            character: u32::try_from(units).unwrap_or(u32::MAX),
        }
    }

    /// As we count; a column past the end, or inside a character, is the end, or that character.
    pub(crate) fn of_wire(&self, position: WirePosition, encoding: Encoding) -> Position {
        let mut units = 0;
        let mut column = 1;
        for character in self.line(position.line).1.chars() {
            units += encoding.units(character);
            if units > position.character as usize {
                break;
            }
            column += 1;
        }
        Position {
            line: position.line.saturating_add(1),
            column,
        }
    }

    pub(crate) fn range(&self, range: WireRange, encoding: Encoding) -> Range {
        Range {
            start: self.of_wire(range.start, encoding),
            end: self.of_wire(range.end, encoding),
        }
    }

    /// The byte at which a place is.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let (start, line) = self.line(position.line.saturating_sub(1));
        let before = line
            .chars()
            .take(position.column.saturating_sub(1) as usize);
        start + before.map(char::len_utf8).sum::<usize>()
    }
}

impl WireRange {
    /// For a file that cannot be read: right wherever characters are single units.
    pub(crate) fn unread(self) -> Range {
        let position = |place: WirePosition| Position {
            line: place.line.saturating_add(1),
            column: place.character.saturating_add(1),
        };
        Range {
            start: position(self.start),
            end: position(self.end),
        }
    }
}
