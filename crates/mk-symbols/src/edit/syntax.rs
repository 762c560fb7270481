//! What an edit broke: errors of the new text that the old one did not have.

use mk_types::ProjectPath;
use tree_sitter::{Node, Tree};

use super::RangeChange;
use super::bracket::{has_macros, uneven_brackets};
use super::indentation::misplaced;
use crate::language::Language;
use crate::parse::tree_of;

const MOST_ERRORS: usize = 20;
const MOST_LOOKED_AT: usize = 1000;
const LONGEST_EXCERPT: usize = 40;

/// A place that does not parse. Lines and characters are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxFault {
    pub line: u32,
    pub column: u32,
    pub message: String,
}

/// The places of a text that do not parse; `None` if nobody knows its language.
pub fn syntax_errors(path: &ProjectPath, text: &str) -> Option<Vec<SyntaxFault>> {
    let language = Language::of_file(path.as_str(), text)?;
    let tree = tree_of(language, text).ok()?;
    let broken = ParseFault::in_tree(language, &tree, text).into_iter();
    let broken = broken.take(MOST_ERRORS);
    Some(broken.map(|one| one.describe(text)).collect())
}

/// What is wrong in a text as far as its language's grammar can be trusted with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxProblems {
    pub faults: Vec<SyntaxFault>,
    /// Whether nothing but brackets was looked at, because only a compiler knows what the macros in it mean.
    pub is_brackets_only: bool,
}

/// What is wrong in a text that nobody has changed; `None` if nobody knows its language.
///
/// An edit is judged by what it adds ([`syntax_errors`]); a text on its own by what cannot be right.
pub fn syntax_problems(path: &ProjectPath, text: &str) -> Option<SyntaxProblems> {
    let language = Language::of_file(path.as_str(), text)?;
    if matches!(language.name(), "c" | "cpp") && has_macros(text) {
        let uneven = uneven_brackets(text).into_iter().take(MOST_ERRORS);
        let faults = uneven.map(|(at, message)| ParseFault { at, message }.describe(text));
        return Some(SyntaxProblems {
            faults: faults.collect(),
            is_brackets_only: true,
        });
    }
    let tree = tree_of(language, text).ok()?;
    let mut broken = ParseFault::in_tree(language, &tree, text);
    if matches!(language.name(), "typescript" | "tsx") {
        broken.retain(|one| !is_known_gap(text, one.at));
    }
    let faults = broken.into_iter().take(MOST_ERRORS);
    Some(SyntaxProblems {
        faults: faults.map(|one| one.describe(text)).collect(),
        is_brackets_only: false,
    })
}

/// Whether something is right that TypeScript's grammar does not know: `<out T>`, and the signature of a function that
/// is exported without a name.
fn is_known_gap(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |position| position + 1);
    let line = text.get(line_start..).and_then(|rest| rest.lines().next());
    let line = line.unwrap_or_default();
    let (left, right) = line.split_at_checked(at - line_start).unwrap_or((line, ""));
    let is_variance = |word: &str| matches!(word, "in" | "out");
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let first = right.split(|letter: char| !is_word(letter)).next();
    let last = left
        .trim_end()
        .rsplit(|letter: char| !is_word(letter))
        .next();
    first.is_some_and(is_variance)
        || last.is_some_and(is_variance)
        || line.trim_start().starts_with("export default function (")
}

/// What an edit broke.
pub(super) fn new_errors(language: &Language, old: &str, change: &RangeChange) -> Vec<SyntaxFault> {
    let known = ParseFault::all(language, old);
    let new = change.apply(old);
    let broken = ParseFault::new_ones(language, old, &known, change).into_iter();
    let broken = broken.take(MOST_ERRORS);
    broken.map(|one| one.describe(&new)).collect()
}

/// What is broken in a text that many places of another one lead to: as many as there are more of them.
pub(crate) fn new_errors_between(language: &Language, old: &str, new: &str) -> Vec<SyntaxFault> {
    let after = ParseFault::all(language, new);
    if after.is_empty() || after.len() <= ParseFault::all(language, old).len() {
        return Vec::new();
    }
    let after = after.into_iter().take(MOST_ERRORS);
    after.map(|one| one.describe(new)).collect()
}

/// A byte at which a text does not parse, and why.
#[derive(Debug)]
pub(super) struct ParseFault {
    at: usize,
    message: String,
}

impl ParseFault {
    /// All such places of a text, in their order; none if it cannot be parsed at all.
    pub(super) fn all(language: &Language, text: &str) -> Vec<Self> {
        let tree = tree_of(language, text);
        tree.map(|tree| Self::in_tree(language, &tree, text))
            .unwrap_or_default()
    }

    /// Those that a change makes.
    pub(super) fn new_ones(
        language: &Language,
        old: &str,
        known: &[Self],
        change: &RangeChange,
    ) -> Vec<Self> {
        let mut broken = Self::all(language, &change.apply(old));
        let range = &change.range;
        let new_end = range.start + change.new.len();
        let mut outside = Vec::new();
        let mut inside = Vec::new();
        for one in known {
            if one.at < range.start {
                outside.push(one.at);
            } else if let Some(behind) = one.at.checked_sub(range.end) {
                outside.push(new_end + behind);
            } else {
                inside.push(one.message.as_str());
            }
        }
        broken.retain(|one| {
            let same = |message: &&str| *message == one.message;
            // What did not parse before, and comes back, is not new.
            let came_back = (range.start..new_end).contains(&one.at);
            let came_back = came_back.then(|| inside.iter().position(same)).flatten();
            came_back
                .map(|position| inside.swap_remove(position))
                .is_none()
                && !outside.contains(&one.at)
        });
        broken
    }

    fn in_tree(language: &Language, tree: &Tree, text: &str) -> Vec<Self> {
        let mut broken: Vec<Self> = broken(tree)
            .into_iter()
            .map(|node| Self {
                at: node.start_byte(),
                message: message(node, text),
            })
            .collect();
        if language.name() == "python" {
            let misplaced = misplaced(tree, text).into_iter();
            let misplaced = misplaced.take(MOST_LOOKED_AT);
            broken.extend(misplaced.map(|(at, message)| Self {
                at,
                message: message.to_owned(),
            }));
            broken.sort_by_key(|one| one.at);
        }
        broken
    }

    fn describe(self, text: &str) -> SyntaxFault {
        let before = text.get(..self.at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        SyntaxFault {
            line: number(before.matches('\n').count() + 1),
            column: number(line.chars().count() + 1),
            message: self.message,
        }
    }
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
        if found.len() > MOST_LOOKED_AT {
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

fn message(node: Node<'_>, text: &str) -> String {
    if node.is_missing() {
        return format!("`{}` is missing", node.kind());
    }
    let excerpt = text.get(node.byte_range()).unwrap_or_default();
    let excerpt = excerpt.lines().next().unwrap_or_default().trim();
    let end = excerpt.floor_char_boundary(LONGEST_EXCERPT);
    let excerpt = excerpt.get(..end).unwrap_or(excerpt);
    format!("`{excerpt}` does not belong here")
}
