//! Bringing text that somebody wrote to the place where it goes: its own indentation off, the place's on.

use std::collections::BTreeSet;

use crate::language::Language;
use crate::parse::tree_of;

/// Text in lines, its first line at the left edge.
#[derive(Debug)]
pub(super) struct Block {
    lines: Vec<Line>,
}

#[derive(Debug, Clone)]
struct Line {
    text: String,
    /// Inside of a string that goes over several lines: moving it would change what it says.
    is_literal: bool,
}

impl Block {
    /// Takes what somebody wrote for a file: indented, at the left edge, or with only its first line at the left edge
    /// because it was copied from where the definition begins.
    pub(super) fn read(language: &Language, written: &str, file: &str) -> Self {
        let written = written.replace("\r\n", "\n");
        let written = written.trim_end();
        let first = written.len() - written.trim_start_matches(['\n', ' ', '\t']).len();
        let first = written.get(..first).and_then(|space| space.rfind('\n'));
        let written = written.get(first.map_or(0, |position| position + 1)..);
        let written = written.unwrap_or_default();
        let literal = literal_lines(language, written);
        let unit = Unit::of(file);
        let lines = written.split('\n').enumerate().map(|(line_idx, text)| {
            let is_literal = literal.contains(&line_idx);
            Line {
                text: if is_literal {
                    text.to_owned()
                } else {
                    unit.adapt(text.trim_end(), written)
                },
                is_literal,
            }
        });
        let mut block = Self {
            lines: lines.collect(),
        };
        block.dedent();
        block
    }

    fn dedent(&mut self) {
        let movable = |line: &&Line| !line.is_literal && !line.text.is_empty();
        let least = self
            .lines
            .iter()
            .filter(movable)
            .map(|line| indent_len(&line.text));
        let least = least.min().unwrap_or(0);
        for line in self.lines.iter_mut().filter(|line| !line.is_literal) {
            line.text = line.text.get(least..).unwrap_or_default().to_owned();
        }
    }

    /// Whether the lines after the first were copied from a place with this indentation, and have it already.
    fn is_placed(&self, indent: &str) -> bool {
        let mut lines = self
            .lines
            .iter()
            .skip(1)
            .filter(|line| !line.is_literal && !line.text.is_empty());
        let least = lines.clone().map(|line| indent_len(&line.text)).min();
        let (Some(least), Some(last)) = (least, lines.next_back()) else {
            return false;
        };
        let end = last.text.trim_start();
        let closes = end.starts_with(['}', ')', ']']) || end == "end";
        !indent.is_empty()
            && if closes {
                indent_len(&last.text) == indent.len()
            } else {
                least > indent.len()
            }
    }

    /// The text for a place with this indentation; the first line stands where the place begins.
    pub(super) fn written(&self, indent: &str, newline: &str) -> String {
        let is_placed = self.is_placed(indent);
        let mut written = String::new();
        for (line_idx, line) in self.lines.iter().enumerate() {
            if line_idx > 0 {
                written.push_str(newline);
            }
            let moves = line_idx > 0 && !line.is_literal && !is_placed;
            if moves && !line.text.is_empty() {
                written.push_str(indent);
            }
            written.push_str(&line.text);
        }
        written
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn is_long(&self) -> bool {
        self.lines.len() > 1
    }

    pub(super) fn starts_with_one_of(&self, marks: &[&str]) -> bool {
        let first = self.lines.first().map_or("", |line| line.text.trim_start());
        marks.iter().any(|mark| first.starts_with(mark))
    }

    /// The comments at its start, and the rest.
    pub(super) fn split_comments(&self, language: &Language) -> (Self, Self) {
        let mut n_comments = 0;
        let mut in_block = false;
        for line in &self.lines {
            let text = line.text.trim_start();
            let is_attribute = language
                .attribute_marks
                .iter()
                .any(|mark| text.starts_with(mark));
            let starts = !is_attribute
                && language
                    .comment_marks
                    .iter()
                    .any(|mark| text.starts_with(mark));
            if !in_block && !starts {
                break;
            }
            in_block = (in_block || text.starts_with("/*")) && !text.contains("*/");
            n_comments += 1;
        }
        let part = |lines: &[Line]| Self {
            lines: lines.to_vec(),
        };
        let (comments, rest) = self
            .lines
            .split_at_checked(n_comments)
            .unwrap_or((&[], &self.lines));
        (part(comments), part(rest))
    }
}

fn indent_len(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// What a file indents with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Tab,
    Spaces(usize),
    /// It does not say.
    Any,
}

impl Unit {
    fn of(text: &str) -> Self {
        let mut n_tabs = 0;
        let mut n_spaces = 0;
        let mut least = usize::MAX;
        for line in text.lines() {
            if line.starts_with('\t') {
                n_tabs += 1;
            } else if line.starts_with("  ") && !line.trim_start().starts_with('*') {
                n_spaces += 1;
                least = least.min(indent_len(line));
            }
        }
        match (n_tabs, n_spaces) {
            (0, 0) => Self::Any,
            _ if n_tabs > n_spaces => Self::Tab,
            _ => Self::Spaces(least),
        }
    }

    /// A line of `whole` indented as the file is.
    fn adapt(self, line: &str, whole: &str) -> String {
        let length = indent_len(line);
        let (space, rest) = line.split_at_checked(length).unwrap_or(("", line));
        match (self, Self::of(whole)) {
            (Self::Tab, Self::Spaces(unit)) => {
                let n_levels = space.len() / unit.max(1);
                let rest_of_space = space.len() % unit.max(1);
                format!(
                    "{}{}{rest}",
                    "\t".repeat(n_levels),
                    " ".repeat(rest_of_space)
                )
            }
            (Self::Spaces(unit), Self::Tab) => {
                format!("{}{rest}", space.replace('\t', &" ".repeat(unit)))
            }
            _ => line.to_owned(),
        }
    }
}

/// The lines that begin inside of a string; a docstring, which documents, moves with its code.
fn literal_lines(language: &Language, written: &str) -> BTreeSet<usize> {
    let mut lines = BTreeSet::new();
    let Ok(tree) = tree_of(language, written) else {
        return lines;
    };
    let mut cursor = tree.walk();
    let mut depth = 0;
    'walk: loop {
        let node = cursor.node();
        let (first, last) = (node.start_position().row, node.end_position().row);
        let is_string = node.kind().contains("string") || node.kind().contains("heredoc");
        if is_string && last > first {
            let parent = node.parent().map_or("", |parent| parent.kind());
            if parent != "expression_statement" {
                lines.extend(first + 1..=last);
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
    lines
}
