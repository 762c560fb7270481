//! Cuts a file into passages: the sections of Markdown, the members of JSON.

use mk_document::{DocumentNode, Located, read_json};

use crate::markdown;

/// A longer section says several things.
const LONGEST: u32 = 60;
/// A member of JSON with more lines is cut into its own members.
const LONGEST_MEMBER: u32 = 15;

/// Some lines that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Passage {
    /// What stands above it, outermost first.
    pub(super) headings: Vec<String>,
    /// Counted from 1.
    pub(super) line: u32,
    /// The line after it.
    pub(super) end_line: u32,
}

pub(super) fn of_markdown(text: &str) -> Vec<Passage> {
    let sections = markdown::sections(text, 1);
    let passages = sections.into_iter().map(|section| Passage {
        headings: section.headings,
        line: section.line,
        end_line: section.end_line,
    });
    passages.flat_map(split).collect()
}

/// One passage for each pointer that has some lines below it; what is on one line is one passage.
pub(super) fn of_json(text: &str) -> Vec<Passage> {
    let n_lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    let whole = Passage {
        headings: Vec::new(),
        line: 1,
        end_line: n_lines.saturating_add(1),
    };
    let Ok(document) = read_json(text) else {
        return split(whole).collect();
    };
    let mut passages = Vec::new();
    cut(&document, whole, 0, &mut passages);
    passages.into_iter().flat_map(split).collect()
}

fn cut(at: &Located<DocumentNode>, passage: Passage, depth: usize, passages: &mut Vec<Passage>) {
    let members: Vec<(Option<&str>, &Located<DocumentNode>, u32)> = match &at.value {
        DocumentNode::Map(entries) => entries
            .iter()
            .map(|(key, value)| (Some(key.value.as_str()), value, key.position.line))
            .collect(),
        DocumentNode::List(items) => items
            .iter()
            .map(|item| (None, item, item.position.line))
            .collect(),
        DocumentNode::Null
        | DocumentNode::Bool(_)
        | DocumentNode::Number(_)
        | DocumentNode::Text(_) => Vec::new(),
    };
    let is_short = depth > 0 && passage.end_line.saturating_sub(passage.line) <= LONGEST_MEMBER;
    if is_short || members.is_empty() || depth > 3 {
        passages.push(passage);
        return;
    }
    for (member_idx, (key, value, line)) in members.iter().enumerate() {
        let next = members.get(member_idx + 1).map(|(_, _, line)| *line);
        let end_line = next.unwrap_or(passage.end_line).max(*line);
        let mut headings = passage.headings.clone();
        headings.extend(key.map(|key| key.chars().take(100).collect()));
        let member = Passage {
            headings,
            line: *line,
            end_line,
        };
        // Several members on one line are one passage.
        if member.end_line > member.line {
            cut(value, member, depth + 1, passages);
        }
    }
}

fn split(passage: Passage) -> impl Iterator<Item = Passage> {
    let Passage {
        headings,
        line,
        end_line,
    } = passage;
    let n_parts = (end_line.saturating_sub(line)).div_ceil(LONGEST).max(1);
    (0..n_parts).map(move |part_idx| Passage {
        headings: headings.clone(),
        line: line + part_idx * LONGEST,
        end_line: end_line.min(line + (part_idx + 1) * LONGEST),
    })
}
