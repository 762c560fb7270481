//! What an edit broke: errors of the new text that the old one did not have.

use mk_types::ProjectPath;
use tree_sitter::{Node, Tree};

use super::Change;
use crate::language::Language;
use crate::parse::tree_of;

const MOST_ERRORS: usize = 20;
const LONGEST_EXCERPT: usize = 40;

/// A place that does not parse. Lines and characters are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    pub line: u32,
    pub column: u32,
    pub message: String,
}

/// The places of a text that do not parse; `None` if nobody knows its language.
pub fn syntax_errors(path: &ProjectPath, text: &str) -> Option<Vec<SyntaxError>> {
    let language = Language::of_file(path.as_str(), text)?;
    let tree = tree_of(language, text).ok()?;
    let broken = broken(&tree).into_iter().take(MOST_ERRORS);
    Some(broken.map(|node| describe(node, text)).collect())
}

pub(super) fn new_errors(language: &Language, old: &str, change: &Change) -> Vec<SyntaxError> {
    let new = change.apply(old);
    let Ok(tree) = tree_of(language, &new) else {
        return Vec::new();
    };
    if !tree.root_node().has_error() {
        return Vec::new();
    }
    let known: Vec<usize> = tree_of(language, old)
        .map(|tree| broken(&tree).iter().map(Node::start_byte).collect())
        .unwrap_or_default();
    let moved = |offset: usize| {
        if offset < change.range.start {
            offset
        } else {
            offset + change.new.len() - (change.range.end - change.range.start).min(offset)
        }
    };
    let known: Vec<usize> = known.into_iter().map(moved).collect();
    broken(&tree)
        .into_iter()
        .filter(|node| !known.contains(&node.start_byte()))
        .take(MOST_ERRORS)
        .map(|node| describe(node, &new))
        .collect()
}

/// The innermost places that do not parse, in their order.
fn broken(tree: &Tree) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    let mut depth = 0;
    'walk: loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            found.push(node);
        }
        if found.len() > 1000 {
            break;
        }
        if node.has_error() && cursor.goto_first_child() {
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
    found
}

fn describe(node: Node<'_>, text: &str) -> SyntaxError {
    let start = node.start_byte();
    let before = text.get(..start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let message = if node.is_missing() {
        format!("`{}` is missing", node.kind())
    } else {
        let excerpt = text.get(node.byte_range()).unwrap_or_default();
        let excerpt = excerpt.lines().next().unwrap_or_default().trim();
        let end = excerpt.floor_char_boundary(LONGEST_EXCERPT);
        format!(
            "`{}` does not belong here",
            excerpt.get(..end).unwrap_or(excerpt)
        )
    };
    SyntaxError {
        line: number(node.start_position().row + 1),
        column: number(line.chars().count() + 1),
        message,
    }
}
