//! A pattern as a small syntax tree of its own, and how it is laid over code.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::Captures;
use crate::language::Language;
use crate::parse::tree_of;

/// What stands for `$A` and `$$$A` while a pattern is parsed: identifiers in every language.
const ONE: &str = "mkone__";
const MANY: &str = "mkmany__";

/// Where code of a language can stand alone: before and after it. The first that parses is taken.
const PLACES: [(&str, &str); 9] = [
    ("", ""),
    ("", ";"),
    ("<?php ", ";"),
    ("fn f() { ", "; }"),
    ("fn f() { ", " }"),
    ("package p\nfunc f() {\n", "\n}"),
    ("class C { void f() { ", "; } }"),
    ("void f() { ", "; }"),
    ("class C { ", " }"),
];

/// A part of a pattern.
#[derive(Debug)]
enum StructurePart {
    One(String),
    Many(String),
    /// A word or a mark.
    Leaf {
        kind: u16,
        text: String,
    },
    Node {
        kind: u16,
        parts: Vec<Self>,
    },
}

#[derive(Debug)]
pub(super) struct StructurePattern(StructurePart);

impl StructurePattern {
    /// `None` if it does not parse in this language.
    pub(super) fn parse(language: &'static Language, written: &str) -> Option<Self> {
        let code = with_placeholders(written.trim());
        let code = code.trim_end_matches(';');
        PLACES.iter().find_map(|(before, after)| {
            let text = format!("{before}{code}{after}");
            let tree = tree_of(language, &text).ok()?;
            let range = before.len()..before.len() + code.len();
            let node = exactly(&tree, &range)?;
            let root = part(node, &text);
            // A pattern that matches everything says nothing.
            matches!(root, StructurePart::Node { .. }).then_some(Self(root))
        })
    }

    pub(super) fn matches(&self, node: Node<'_>, text: &str) -> Option<Captures> {
        let mut captures = Captures::new();
        fits(&self.0, node, text, &mut captures).then_some(captures)
    }
}

/// `$$$A` and `$A` as identifiers.
fn with_placeholders(written: &str) -> String {
    let mut code = String::new();
    let mut rest = written;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at(at);
        code.push_str(before);
        let n_marks = after.len() - after.trim_start_matches('$').len();
        rest = after.get(n_marks..).unwrap_or_default();
        let is_name = rest.starts_with(|first: char| first.is_ascii_uppercase() || first == '_');
        match n_marks {
            1 if is_name => code.push_str(ONE),
            3 if is_name => code.push_str(MANY),
            _ => code.push_str(&"$".repeat(n_marks)),
        }
    }
    code.push_str(rest);
    code
}

/// The innermost node of exactly this text, if nothing in it is broken.
fn exactly<'tree>(tree: &'tree Tree, range: &Range<usize>) -> Option<Node<'tree>> {
    let mut node = tree
        .root_node()
        .named_descendant_for_byte_range(range.start, range.end)?;
    while node.byte_range() == *range
        && node.named_child_count() == 1
        && let Some(child) = node.named_child(0)
        && child.byte_range() == *range
    {
        node = child;
    }
    let outer = node.parent().is_none_or(|parent| !parent.is_error());
    (node.byte_range() == *range && !node.has_error() && outer).then_some(node)
}

fn part(node: Node<'_>, text: &str) -> StructurePart {
    let written = text.get(node.byte_range()).unwrap_or_default();
    let bare = written.trim_end_matches([';', ' ', '\n']);
    let is_word = |name: &str| {
        name.bytes()
            .all(|it| it.is_ascii_alphanumeric() || it == b'_')
    };
    if let Some(name) = bare.strip_prefix(MANY).filter(|name| is_word(name)) {
        return StructurePart::Many(name.to_owned());
    }
    if let Some(name) = bare.strip_prefix(ONE).filter(|name| is_word(name)) {
        return StructurePart::One(name.to_owned());
    }
    let mut cursor = node.walk();
    let children: Vec<Node<'_>> = node
        .children(&mut cursor)
        .filter(|child| !child.is_extra())
        .collect();
    if children.is_empty() {
        return StructurePart::Leaf {
            kind: node.kind_id(),
            text: written.to_owned(),
        };
    }
    StructurePart::Node {
        kind: node.kind_id(),
        parts: children
            .into_iter()
            .map(|child| part(child, text))
            .collect(),
    }
}

fn fits(part: &StructurePart, node: Node<'_>, text: &str, captures: &mut Captures) -> bool {
    match part {
        StructurePart::One(name) => {
            node.is_named() && capture(name, node.byte_range(), text, captures)
        }
        // Alone it stands for the one that is there.
        StructurePart::Many(name) => capture(name, node.byte_range(), text, captures),
        StructurePart::Leaf { kind, text: wanted } => {
            node.kind_id() == *kind && text.get(node.byte_range()) == Some(wanted)
        }
        StructurePart::Node { kind, parts } => {
            if node.kind_id() != *kind {
                return false;
            }
            let mut cursor = node.walk();
            let children: Vec<Node<'_>> = node
                .children(&mut cursor)
                .filter(|child| !child.is_extra())
                .collect();
            // Where an empty match would stand: behind the opening bracket.
            let start = children.first().map_or(node.start_byte(), Node::end_byte);
            fits_all(parts, &children, start, text, captures)
        }
    }
}

fn fits_all(
    parts: &[StructurePart],
    nodes: &[Node<'_>],
    end_before: usize,
    text: &str,
    captures: &mut Captures,
) -> bool {
    match (parts, nodes) {
        ([], []) => true,
        ([StructurePart::Many(name), rest @ ..], nodes) => {
            // As few as possible first; a comma before the rest belongs to neither.
            (0..=nodes.len()).any(|count| {
                let (own, others) = nodes.split_at(count);
                let range = match (own.first(), own.last()) {
                    (Some(first), Some(last)) => first.start_byte()..last.end_byte(),
                    _ => end_before..end_before,
                };
                if own.last().is_some_and(|last| last.kind() == ",") && !others.is_empty() {
                    return false;
                }
                let end = range.end;
                let mut tried = captures.clone();
                let fits = capture(name, range, text, &mut tried)
                    && (fits_all(rest, others, end, text, &mut tried)
                        // Without neighbours there is no comma either.
                        || count == 0
                            && matches!(rest, [StructurePart::Leaf { text, .. }, ..] if text == ",")
                            && fits_all(rest.get(1..).unwrap_or_default(), others, end, text, &mut tried));
                if fits {
                    *captures = tried;
                }
                fits
            })
        }
        // `f(a, $$$REST)` matches `f(a)`.
        (
            [
                StructurePart::Leaf { text: comma, .. },
                StructurePart::Many(_),
                ..,
            ],
            [node, ..],
        ) if comma == "," && node.kind() != "," => fits_all(
            parts.get(1..).unwrap_or_default(),
            nodes,
            end_before,
            text,
            captures,
        ),
        // A comma behind the last one says nothing.
        ([StructurePart::Leaf { text: closing, .. }, ..], [comma, after, ..])
            if comma.kind() == ","
                && closing != ","
                && text.get(after.byte_range()) == Some(closing.as_str()) =>
        {
            fits_all(
                parts,
                nodes.get(1..).unwrap_or_default(),
                end_before,
                text,
                captures,
            )
        }
        ([part, rest @ ..], [node, others @ ..]) => {
            let mut tried = captures.clone();
            let fits = fits(part, *node, text, &mut tried)
                && fits_all(rest, others, node.end_byte(), text, &mut tried);
            if fits {
                *captures = tried;
            }
            fits
        }
        ([], _) | (_, []) => false,
    }
}

/// Notes what a name stands for; a name that is known must stand for the same text.
fn capture(name: &str, range: Range<usize>, text: &str, captures: &mut Captures) -> bool {
    if name == "_" {
        return true;
    }
    match captures.get(name) {
        Some(known) => text.get(known.clone()) == text.get(range),
        None => {
            captures.insert(name.to_owned(), range);
            true
        }
    }
}
