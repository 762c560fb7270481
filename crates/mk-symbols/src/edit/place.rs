//! Bringing text that somebody wrote to the place where it goes.
//!
//! It may be indented as the file is, stand at the left edge, or have only its first line there because it was copied
//! from where a definition begins. Nobody says which, so every reading is tried in its place: the one that parses wins,
//! then the one that keeps most of the old lines, then the one that the text looks like.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tree_sitter::Tree;

use super::syntax::ParseFault;
use super::{RangeChange, line_start};
use crate::language::Language;
use crate::parse::tree_of;

/// Where text goes, and what stands around it there.
#[derive(Debug, Clone)]
pub(super) struct EditPlace<'a> {
    pub(super) language: &'static Language,
    pub(super) text: &'a str,
    /// What it replaces.
    pub(super) range: Range<usize>,
    pub(super) indent: &'a str,
    pub(super) newline: &'static str,
    /// Written before its first line, and after its last.
    pub(super) before: String,
    pub(super) after: String,
}

/// How text is meant to be indented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndentReading {
    /// As the file is, but perhaps for the first line.
    AsWritten,
    /// At the left edge, or at any other: all lines move together.
    Moved,
    /// The same, but with tabs for spaces, or spaces for tabs.
    Adapted,
    /// The lines of strings move with the others: some languages take their indentation off.
    MovedWhole,
}

/// Text in lines that are indented for their place; the first line begins where the place does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlacedText {
    pub(super) lines: Vec<String>,
}

impl PlacedText {
    pub(super) fn joined(&self, newline: &str) -> String {
        self.lines.join(newline)
    }

    pub(super) fn is_long(&self) -> bool {
        self.lines.len() > 1
    }
}

impl EditPlace<'_> {
    /// The text as it has to be written here.
    pub(super) fn best(&self, written: &str) -> PlacedText {
        let written = written.replace("\r\n", "\n");
        let lines = own_lines(&written);
        let body = TextLines {
            literal: self.literal_lines(&lines),
            lines,
        };
        let preferred = if body.is_placed(self.indent) {
            IndentReading::AsWritten
        } else {
            IndentReading::Adapted
        };
        let readings = [
            preferred,
            IndentReading::Adapted,
            IndentReading::Moved,
            IndentReading::AsWritten,
            IndentReading::MovedWhole,
        ];
        let unit = self.unit();
        let mut candidates: Vec<PlacedText> = Vec::new();
        for reading in readings {
            let placed = body.placed(reading, self.indent, unit);
            if !candidates.contains(&placed) {
                candidates.push(placed);
            }
        }
        if candidates.len() > 1 {
            let known = ParseFault::all(self.language, self.text);
            let old = self.old_lines();
            // Stable: of equals the preferred one stays first.
            candidates.sort_by_cached_key(|placed| {
                let change = self.change(&placed.joined(self.newline));
                let n_errors =
                    ParseFault::new_ones(self.language, self.text, &known, &change).len();
                (n_errors, Reverse(n_common(&old, self.indent, placed)))
            });
        }
        let placed = candidates.into_iter().next();
        placed.unwrap_or(PlacedText { lines: Vec::new() })
    }

    pub(super) fn change(&self, new: &str) -> RangeChange {
        RangeChange {
            range: self.range.clone(),
            new: [self.before.as_str(), new, &self.after].concat(),
            kept_leading: false,
        }
    }

    /// The lines that are replaced, and how often each is there.
    fn old_lines(&self) -> BTreeMap<&str, usize> {
        let start = line_start(self.text, self.range.start);
        let old = self.text.get(start..self.range.end).unwrap_or_default();
        let mut lines = BTreeMap::new();
        if self.range.is_empty() {
            return lines;
        }
        for line in old.lines().filter(|line| !line.is_empty()) {
            *lines.entry(line).or_default() += 1;
        }
        lines
    }

    /// The lines of a text that begin inside of a string when it stands here; moving them would change what they say.
    fn literal_lines(&self, lines: &[&str]) -> BTreeSet<usize> {
        let change = self.change(&lines.join("\n"));
        let Ok(tree) = tree_of(self.language, &change.apply(self.text)) else {
            return BTreeSet::new();
        };
        let above = self.text.get(..self.range.start).unwrap_or_default();
        let n_above = [above, &self.before].concat().matches('\n').count();
        let rows = literal_rows(&tree).into_iter();
        let in_strings = rows
            .filter_map(|row| row.checked_sub(n_above))
            .filter(|line| *line < lines.len());
        // Directives stand at the left edge, wherever their code does.
        let has_directives = ["c", "cpp", "csharp", "swift"].contains(&self.language.name());
        let is_directive = |(_, line): &(usize, &&str)| has_directives && line.starts_with('#');
        let directives = lines.iter().enumerate().filter(is_directive);
        in_strings
            .chain(directives.map(|(line_idx, _)| line_idx))
            .collect()
    }

    /// What the file indents with; the lines of its strings say nothing about it.
    fn unit(&self) -> IndentUnit {
        let literal = tree_of(self.language, self.text).map(|tree| literal_rows(&tree));
        let literal = literal.unwrap_or_default();
        let lines = self.text.lines().enumerate();
        IndentUnit::of(
            lines
                .filter(|(row, _)| !literal.contains(row))
                .map(|(_, line)| line),
        )
    }
}

/// Without blank lines around.
fn own_lines(written: &str) -> Vec<&str> {
    let written = written.trim_end();
    let lines = written
        .split('\n')
        .skip_while(|line| line.trim().is_empty());
    lines.collect()
}

/// How many lines stay as they were.
fn n_common(old: &BTreeMap<&str, usize>, indent: &str, placed: &PlacedText) -> usize {
    let mut left = old.clone();
    let mut n_common = 0;
    for (line_idx, line) in placed.lines.iter().enumerate() {
        let whole = if line_idx == 0 {
            format!("{indent}{line}")
        } else {
            line.clone()
        };
        if let Some(count) = left.get_mut(whole.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            n_common += 1;
        }
    }
    n_common
}

/// Text in lines, as it was written.
#[derive(Debug)]
struct TextLines<'a> {
    lines: Vec<&'a str>,
    literal: BTreeSet<usize>,
}

impl TextLines<'_> {
    /// The lines that say how the text is indented.
    fn movable(&self) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        let lines = self.lines.iter().copied().enumerate();
        lines.filter(|(line_idx, line)| !self.literal.contains(line_idx) && !line.trim().is_empty())
    }

    /// Whether the lines after the first look as if they were copied from a place with this indentation.
    fn is_placed(&self, indent: &str) -> bool {
        let mut lines = self.movable().filter(|(line_idx, _)| *line_idx > 0);
        let (Some((_, last)), false) = (lines.next_back(), indent.is_empty()) else {
            return false;
        };
        let end = last.trim_start();
        let closes = end.starts_with(['}', ')', ']']) || end == "end";
        if closes {
            return indent_len(last) == indent.len();
        }
        let least = lines.map(|(_, line)| indent_len(line)).min();
        least.unwrap_or(usize::MAX).min(indent_len(last)) > indent.len()
    }

    fn placed(&self, reading: IndentReading, indent: &str, unit: IndentUnit) -> PlacedText {
        let own = IndentUnit::of(self.movable().map(|(_, line)| line));
        let adapted = |line_idx: usize, line: &str| {
            if reading == IndentReading::Adapted && !self.literal.contains(&line_idx) {
                unit.adapt(line, own)
            } else {
                line.to_owned()
            }
        };
        let lines = self.lines.iter().enumerate();
        let lines: Vec<String> = lines.map(|(idx, line)| adapted(idx, line)).collect();
        let least = self
            .movable()
            .filter_map(|(line_idx, _)| lines.get(line_idx))
            .map(|line| indent_len(line));
        let least = least.min().unwrap_or(0);
        let place = |(line_idx, line): (usize, String)| {
            if line_idx == 0 {
                line.trim_start_matches([' ', '\t']).to_owned()
            } else if reading == IndentReading::AsWritten
                || reading != IndentReading::MovedWhole && self.literal.contains(&line_idx)
            {
                line
            } else if line.trim().is_empty() {
                String::new()
            } else {
                let moved = least.min(indent_len(&line));
                format!("{indent}{}", line.get(moved..).unwrap_or_default())
            }
        };
        PlacedText {
            lines: lines.into_iter().enumerate().map(place).collect(),
        }
    }
}

pub(super) fn indent_len(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// What lines are indented with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndentUnit {
    Tab,
    Spaces(usize),
    /// They do not say.
    Any,
}

impl IndentUnit {
    fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut n_tabs = 0;
        let mut n_spaces = 0;
        // How often a line is so much deeper than the one above it.
        let mut steps: BTreeMap<usize, usize> = BTreeMap::new();
        let mut above = 0;
        for line in lines.filter(|line| !line.trim().is_empty()) {
            let length = indent_len(line);
            if line.starts_with('\t') {
                n_tabs += 1;
            } else if line.starts_with("  ") && !line.trim_start().starts_with('*') {
                n_spaces += 1;
                if length > above {
                    *steps.entry(length - above).or_default() += 1;
                }
            }
            above = length;
        }
        let step = steps
            .into_iter()
            .max_by_key(|(step, count)| (*count, Reverse(*step)));
        match (n_tabs, n_spaces) {
            (0, 0) => Self::Any,
            _ if n_tabs > n_spaces => Self::Tab,
            _ => Self::Spaces(step.map_or(4, |(step, _)| step)),
        }
    }

    /// A line of a text that is indented with `own`, indented as the file is.
    fn adapt(self, line: &str, own: Self) -> String {
        let length = indent_len(line);
        let (space, rest) = line.split_at_checked(length).unwrap_or(("", line));
        match (self, own) {
            (Self::Tab, Self::Spaces(unit)) if !space.contains('\t') => {
                let n_levels = space.len() / unit.max(1);
                let rest_of_space = space.len() % unit.max(1);
                let rest_of_space = " ".repeat(rest_of_space);
                format!("{}{rest_of_space}{rest}", "\t".repeat(n_levels))
            }
            (Self::Spaces(unit), Self::Tab) => {
                format!("{}{rest}", space.replace('\t', &" ".repeat(unit)))
            }
            _ => line.to_owned(),
        }
    }
}

/// The lines that begin inside of a string; a docstring, which documents, moves with its code.
fn literal_rows(tree: &Tree) -> BTreeSet<usize> {
    let mut rows = BTreeSet::new();
    let mut cursor = tree.walk();
    let mut depth = 0;
    'walk: loop {
        let node = cursor.node();
        let (first, last) = (node.start_position().row, node.end_position().row);
        let kind = node.kind();
        // Several strings side by side are code, and only each of them is a string.
        let is_group = ["concatenated", "chained", "array", "list"]
            .iter()
            .any(|part| kind.contains(part));
        let is_string = !is_group
            && ["string", "heredoc", "nowdoc"]
                .iter()
                .any(|part| kind.contains(part));
        if is_string && last > first {
            let parent = node.parent().map_or("", |parent| parent.kind());
            if parent != "expression_statement" {
                rows.extend(first + 1..=last);
            }
        } else if last > first && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if depth == 0 || !cursor.goto_parent() {
                break 'walk;
            }
            depth -= 1;
        }
    }
    rows
}
