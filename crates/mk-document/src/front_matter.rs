//! The YAML head of a Markdown file, and the text after it.
//!
//! Other products read heads leniently, and people write what works there: `globs: **/*.ts` and `description: use when:
//! …` are no YAML, but everybody knows what they mean. Such lines are read as text.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::diagnostic::DocumentPosition;
use crate::node::{DocumentNode, Located};

use crate::report::DocumentReport;

/// A head is a few lines; what is larger is something else.
const LARGEST: usize = 64 * 1024;
const FENCE: &str = "---";

/// A Markdown file in two parts.
#[derive(Debug)]
pub struct MarkdownDocument<'a> {
    /// `None` when the file has no head, or one that cannot be read.
    pub head: Option<Located<DocumentNode>>,
    pub body: &'a str,
    /// The line on which the body starts, counted from 1.
    pub body_line: u32,
}

/// Splits a file and reads its head. Positions in the report count from the file's first line.
pub fn read_document<'a>(text: &'a str, report: &mut DocumentReport) -> MarkdownDocument<'a> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some((head, body, body_line)) = split(text) else {
        let opened = text
            .lines()
            .next()
            .is_some_and(|line| line.trim_end() == FENCE);
        if opened {
            report.error(
                DocumentPosition::START,
                "the head has no closing `---` line",
            );
        }
        return MarkdownDocument {
            head: None,
            body: text,
            body_line: 1,
        };
    };
    report.count_from(1);
    let head = read_head(head, report);
    MarkdownDocument {
        head,
        body,
        body_line,
    }
}

/// The text between the fences, the text after them, and the line that one starts on.
fn split(text: &str) -> Option<(&str, &str, u32)> {
    let mut lines = text.split_inclusive('\n');
    let opening = lines.next().filter(|line| line.trim_end() == FENCE)?;
    let mut end = opening.len();
    for (line_idx, line) in lines.enumerate() {
        if line.trim_end() == FENCE {
            let head = text.get(opening.len()..end)?;
            let body = text.get(end + line.len()..)?;
            return Some((head, body, u32::try_from(line_idx).ok()? + 3));
        }
        end += line.len();
        if end > LARGEST {
            return None;
        }
    }
    None
}

fn read_head(head: &str, report: &mut DocumentReport) -> Option<Located<DocumentNode>> {
    let read = match DocumentNode::parse(head) {
        Ok(node) => node,
        Err(error) => match DocumentNode::parse(&quoted(head)) {
            Ok(node) => {
                if !is_cursor_glob(head, error.position) {
                    let message = format!(
                        "the head is not YAML ({}); read line by line",
                        error.message
                    );
                    report
                        .warning(error.position, message)
                        .hint("put the value in quotes");
                }
                node
            }
            Err(_) => {
                report.error(
                    error.position,
                    format!("the head cannot be read: {}", error.message),
                );
                return None;
            }
        },
    };
    match &read.value {
        DocumentNode::Map(_) => report.keys_are_safe(&read.value).then_some(read),
        DocumentNode::Null => Some(Located {
            value: DocumentNode::Map(Vec::new()),
            position: read.position,
        }),
        other => {
            let message = format!("the head must be a map, not {}", other.kind());
            report.error(read.position, message);
            None
        }
    }
}

/// `globs: *.ts` is what the product that owns the format writes itself.
fn is_cursor_glob(head: &str, position: DocumentPosition) -> bool {
    let line = head.lines().nth(position.line.saturating_sub(1) as usize);
    line.is_some_and(|line| {
        ["globs:", "applyTo:", "paths:", "-"]
            .iter()
            .any(|key| line.trim_start().starts_with(key))
    })
}

/// The head with every plain one-line value in quotes.
fn quoted(head: &str) -> String {
    let mut text = String::new();
    for line in head.lines() {
        match quote_line(line) {
            Some(line) => text.push_str(&line),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

fn quote_line(line: &str) -> Option<Cow<'_, str>> {
    let (key, value) = match line.trim_start().strip_prefix("- ") {
        Some(value) => {
            let indentation = line.len() - line.trim_start().len();
            (line.get(..indentation + 1)?, value)
        }
        None => {
            let colon = line.find(':')?;
            (line.get(..=colon)?, line.get(colon + 1..)?)
        }
    };
    let value = value.trim();
    let is_plain = !value.is_empty() && !value.starts_with(['"', '\'', '[', '{', '|', '>', '#']);
    if !is_plain {
        return None;
    }
    // Numbers and flags keep their kind.
    if value.parse::<f64>().is_ok() || ["true", "false", "null", "~"].contains(&value) {
        return None;
    }
    let mut quoted = format!("{key} \"");
    for character in value.chars() {
        match character {
            '"' | '\\' => {
                let _ = write!(quoted, "\\{character}");
            }
            '\t' => quoted.push(' '),
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    Some(quoted.into())
}
