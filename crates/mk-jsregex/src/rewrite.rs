//! Writes a pattern's tree for `regex`, or for `fancy-regex` when it looks around.
//!
//! Every character is written by its number, so that nothing is left to an engine's own syntax.

use std::fmt::Write as _;

use crate::set::Set;
use crate::syntax::{Direction, Greed, Node, Sense};

const SURROGATES: std::ops::RangeInclusive<u16> = 0xD800..=0xDFFF;

/// A pattern in the syntax of its engine.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) engine: Engine,
    pub(crate) text: Box<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Linear time.
    Regular,
    /// Look-around; counts its steps.
    Backtracking,
}

pub(crate) fn rewrite(node: &Node) -> Program {
    let engine = if looks_around(node) {
        Engine::Backtracking
    } else {
        Engine::Regular
    };
    let mut text = String::new();
    write_node(engine, node, &mut text);
    Program {
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

fn looks_around(node: &Node) -> bool {
    match node {
        Node::Look { .. } | Node::NotWordBoundary => true,
        Node::Sequence(nodes) | Node::Choice(nodes) => nodes.iter().any(looks_around),
        Node::Repeat { node, .. } => looks_around(node),
        Node::Set(_) | Node::Start | Node::End | Node::WordBoundary => false,
    }
}

fn write_node(engine: Engine, node: &Node, text: &mut String) {
    match node {
        Node::Set(set) => write_set(set, text),
        Node::Start => text.push_str(r"\A"),
        Node::End => text.push_str(r"\z"),
        Node::WordBoundary => match engine {
            Engine::Regular => text.push_str(r"(?-u:\b)"),
            Engine::Backtracking => {
                text.push_str("(?:");
                write_edge("(?<=", "(?!", text);
                text.push('|');
                write_edge("(?<!", "(?=", text);
                text.push(')');
            }
        },
        Node::NotWordBoundary => {
            text.push_str("(?:");
            write_edge("(?<=", "(?=", text);
            text.push('|');
            write_edge("(?<!", "(?!", text);
            text.push(')');
        }
        Node::Sequence(nodes) => {
            text.push_str("(?:");
            for node in nodes {
                write_node(engine, node, text);
            }
            text.push(')');
        }
        Node::Choice(nodes) => {
            text.push_str("(?:");
            for (index, node) in nodes.iter().enumerate() {
                if index > 0 {
                    text.push('|');
                }
                write_node(engine, node, text);
            }
            text.push(')');
        }
        Node::Repeat {
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
        Node::Look {
            node,
            direction,
            sense,
        } => write_look(node, *direction, *sense, text),
    }
}

/// A look-behind is written once for each of its branches, because each has a length of its own.
fn write_look(node: &Node, direction: Direction, sense: Sense, text: &mut String) {
    let opening = match (direction, sense) {
        (Direction::Ahead, Sense::Positive) => "(?=",
        (Direction::Ahead, Sense::Negative) => "(?!",
        (Direction::Behind, Sense::Positive) => "(?<=",
        (Direction::Behind, Sense::Negative) => "(?<!",
    };
    let branches = match node {
        Node::Choice(branches) if direction == Direction::Behind => branches.as_slice(),
        _ => std::slice::from_ref(node),
    };
    text.push_str("(?:");
    for (index, branch) in branches.iter().enumerate() {
        if index > 0 && sense == Sense::Positive {
            text.push('|');
        }
        text.push_str(opening);
        write_node(Engine::Backtracking, branch, text);
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
