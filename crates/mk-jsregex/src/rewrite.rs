//! Writes a pattern's tree for `regex`, or for `fancy-regex` when it looks around.
//!
//! Every character is written by its number, so that nothing is left to an engine's own syntax.

use std::fmt::Write as _;

use crate::set::Set;
use crate::syntax::{Greed, LookDirection, PatternNode, Sense};

const SURROGATES: std::ops::RangeInclusive<u16> = 0xD800..=0xDFFF;

/// A pattern in the syntax of its engine.
#[derive(Debug)]
pub(crate) struct RewrittenPattern {
    pub(crate) engine: RegexEngine,
    pub(crate) text: Box<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RegexEngine {
    /// Linear time.
    Regular,
    /// Look-around; counts its steps.
    Backtracking,
}

pub(crate) fn rewrite(node: &PatternNode) -> RewrittenPattern {
    let engine = if looks_around(node) {
        RegexEngine::Backtracking
    } else {
        RegexEngine::Regular
    };
    let mut text = String::new();
    write_node(engine, node, &mut text);
    RewrittenPattern {
        engine,
        text: text.into(),
    }
}

/// What stands for a UTF-16 unit in the engine's text. A surrogate is no `char`: it moves to the last
/// plane, which is free because every character of that plane is itself split into surrogates.
pub(crate) fn character_for_unit(unit: u16) -> Option<char> {
    let number = u32::from(unit);
    char::from_u32(if SURROGATES.contains(&unit) {
        0x10_0000 + number
    } else {
        number
    })
}

fn looks_around(node: &PatternNode) -> bool {
    match node {
        PatternNode::Look { .. } | PatternNode::NotWordBoundary => true,
        PatternNode::Sequence(nodes) | PatternNode::Choice(nodes) => nodes.iter().any(looks_around),
        PatternNode::Repeat { node, .. } => looks_around(node),
        PatternNode::Set(_) | PatternNode::Start | PatternNode::End | PatternNode::WordBoundary => {
            false
        }
    }
}

fn write_node(engine: RegexEngine, node: &PatternNode, text: &mut String) {
    match node {
        PatternNode::Set(set) => write_set(set, text),
        PatternNode::Start => text.push_str(r"\A"),
        PatternNode::End => text.push_str(r"\z"),
        PatternNode::WordBoundary => match engine {
            RegexEngine::Regular => text.push_str(r"(?-u:\b)"),
            RegexEngine::Backtracking => {
                text.push_str("(?:");
                write_edge("(?<=", "(?!", text);
                text.push('|');
                write_edge("(?<!", "(?=", text);
                text.push(')');
            }
        },
        PatternNode::NotWordBoundary => {
            text.push_str("(?:");
            write_edge("(?<=", "(?=", text);
            text.push('|');
            write_edge("(?<!", "(?!", text);
            text.push(')');
        }
        PatternNode::Sequence(nodes) => {
            text.push_str("(?:");
            for node in nodes {
                write_node(engine, node, text);
            }
            text.push(')');
        }
        PatternNode::Choice(nodes) => {
            text.push_str("(?:");
            for (index, node) in nodes.iter().enumerate() {
                if index > 0 {
                    text.push('|');
                }
                write_node(engine, node, text);
            }
            text.push(')');
        }
        PatternNode::Repeat {
            node,
            min,
            max,
            greed,
        } => {
            text.push_str("(?:");
            write_node(engine, node, text);
            text.push(')');
            write_count(*min, *max, text);
            if *greed == Greed::Lazy {
                text.push('?');
            }
        }
        PatternNode::Look {
            node,
            direction,
            sense,
        } => write_look(node, *direction, *sense, text),
    }
}

/// A look-behind is written once for each of its branches, because each has a length of its own.
fn write_look(node: &PatternNode, direction: LookDirection, sense: Sense, text: &mut String) {
    let opening = match (direction, sense) {
        (LookDirection::Ahead, Sense::Positive) => "(?=",
        (LookDirection::Ahead, Sense::Negative) => "(?!",
        (LookDirection::Behind, Sense::Positive) => "(?<=",
        (LookDirection::Behind, Sense::Negative) => "(?<!",
    };
    let branches = match node {
        PatternNode::Choice(branches) if direction == LookDirection::Behind => branches.as_slice(),
        _ => std::slice::from_ref(node),
    };
    text.push_str("(?:");
    for (index, branch) in branches.iter().enumerate() {
        if index > 0 && sense == Sense::Positive {
            text.push('|');
        }
        text.push_str(opening);
        write_node(RegexEngine::Backtracking, branch, text);
        text.push(')');
    }
    text.push(')');
}

fn write_edge(behind: &str, ahead: &str, text: &mut String) {
    for opening in [behind, ahead] {
        text.push_str(opening);
        write_set(&Set::word(), text);
        text.push(')');
    }
}

fn write_count(min: u32, max: Option<u32>, text: &mut String) {
    // Writing to a `String` cannot fail.
    let _ = match (min, max) {
        (0, None) => write!(text, "*"),
        (1, None) => write!(text, "+"),
        (0, Some(1)) => write!(text, "?"),
        (min, None) => write!(text, "{{{min},}}"),
        (min, Some(max)) => write!(text, "{{{min},{max}}}"),
    };
}

fn write_set(set: &Set, text: &mut String) {
    match set.0.as_slice() {
        [] => text.push_str(r"[^\x{0}-\x{10FFFF}]"),
        [(low, high)] if low == high => write_unit(*low, text),
        ranges => {
            text.push('[');
            for (low, high) in ranges {
                write_range(*low, *high, text);
            }
            text.push(']');
        }
    }
}

/// Writes a range without its surrogates, and these where [`character_for_unit`] puts them.
fn write_range(low: u16, high: u16, text: &mut String) {
    let (first_surrogate, last_surrogate) = SURROGATES.into_inner();
    if low < first_surrogate && high == u16::MAX {
        // One range instead of three: nothing else is up there.
        write_unit(low, text);
        text.push_str(r"-\x{10FFFF}");
        return;
    }
    let parts = [
        (low, high.min(first_surrogate - 1)),
        (low.max(first_surrogate), high.min(last_surrogate)),
        (low.max(last_surrogate + 1), high),
    ];
    for (low, high) in parts {
        if low <= high {
            write_unit(low, text);
            text.push('-');
            write_unit(high, text);
        }
    }
}

fn write_unit(unit: u16, text: &mut String) {
    match character_for_unit(unit) {
        Some(character) if character.is_ascii_alphanumeric() => text.push(character),
        Some(character) => {
            let _ = write!(text, r"\x{{{:X}}}", u32::from(character));
        }
        None => {}
    }
}
