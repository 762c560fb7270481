//! A symbol as it stands in its file.

use std::ops::Range;

use crate::kind::SymbolKind;

/// A definition. Bytes and lines are those of the text that was parsed; lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub kind: SymbolKind,
    pub name: String,
    /// The name path of what it is in; empty at the top of a file.
    pub container: String,
    /// From the definition's own first line, below its comments and attributes, to its last.
    pub lines: LineSpan,
    /// The definition itself.
    pub range: Range<u32>,
    /// Where its attributes and decorators begin; the start of `range` if it has none.
    pub attributes_start: u32,
    /// Where its comments begin; `attributes_start` if it has none.
    pub comments_start: u32,
    pub name_range: Range<u32>,
    /// On one line, without the body.
    pub signature: String,
    /// The first line of its doc comment.
    pub doc: Option<String>,
    /// The symbol around it, as a position in the outline.
    pub parent: Option<u32>,
}

/// Lines counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineSpan {
    pub start: u32,
    pub end: u32,
}

impl Symbol {
    /// `A/b`: the names on the way to it, without the index that tells namesakes apart.
    pub fn name_path(&self) -> String {
        join_path(&self.container, &self.name)
    }

    /// The attributes and decorators above it, each on one line.
    pub fn attributes(&self, text: &str) -> Vec<String> {
        let above = slice(text, &(self.attributes_start..self.range.start));
        let lines = above.lines().map(str::trim);
        let shown = lines.filter(|line| !line.is_empty());
        shown.map(str::to_owned).collect()
    }

    /// With everything that belongs to it: comments, attributes, definition.
    pub fn whole(&self) -> Range<u32> {
        self.comments_start..self.range.end
    }
}

pub(crate) fn join_path(container: &str, name: &str) -> String {
    if container.is_empty() {
        name.to_owned()
    } else {
        format!("{container}/{name}")
    }
}

/// The part of `text` at a range of bytes; empty if there is none.
pub(crate) fn slice<'a>(text: &'a str, range: &Range<u32>) -> &'a str {
    text.get(range.start as usize..range.end as usize)
        .unwrap_or_default()
}
