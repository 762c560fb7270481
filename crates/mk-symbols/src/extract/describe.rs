//! What stands around a definition and belongs to it: attributes and comments above, its signature, its doc line.

use tree_sitter::Node;

use super::name::one_line;
use crate::kind::SymbolKind;
use crate::language::Language;
use crate::mask::with_macros;

const LONGEST_SIGNATURE: usize = 240;
const LONGEST_DOC: usize = 160;
/// More lines of comments than anybody writes above a definition.
const MOST_LEADING: usize = 200;
const MOST_WRAPPERS: usize = 4;

#[derive(Debug)]
pub(super) struct Description {
    /// The definition with its shell, without attributes.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The end, if it has no body.
    pub(super) body_start: usize,
    pub(super) attributes_start: usize,
    pub(super) comments_start: usize,
    pub(super) signature: String,
    pub(super) doc: Option<String>,
}

impl Description {
    pub(super) fn of(language: &Language, text: &str, node: Node<'_>, kind: SymbolKind) -> Self {
        let outer = unwrapped(language, node);
        let same_row = outer.start_position().row == node.start_position().row;
        // A shell that begins where the definition does holds nothing in front of it.
        let is_only_after = outer.start_byte() == node.start_byte();
        let start = if same_row && !is_only_after {
            below_attributes(language, outer)
        } else {
            below_attributes(language, node)
        };
        let above = PrecedingLines::of(language, text, outer);
        let (start, first) = with_macros(language, text, start);
        let in_body = docstring(language, node, text);
        let doc = in_body.or_else(|| above.doc(text));
        let end = outer.end_byte().max(node.end_byte());
        // A section of Markdown ends where the next one begins.
        let end = text
            .get(start..end)
            .map_or(end, |definition| start + definition.trim_end().len());
        let body = body_of(language, node);
        let body_start = body.map(|body| body.start_byte());
        let head = body.map(|body| head_end(language, body).saturating_sub(start));
        Self {
            start,
            end,
            body_start: body_start.unwrap_or(end),
            attributes_start: above.attributes_start.min(first),
            comments_start: above.comments_start.min(first),
            signature: signature(text.get(start..end).unwrap_or_default(), head, kind),
            doc,
        }
    }
}

/// The outermost node that is nothing but a shell around this one.
fn unwrapped<'tree>(language: &Language, node: Node<'tree>) -> Node<'tree> {
    let mut outer = node;
    if language.wrappers.is_empty() {
        return outer;
    }
    for _ in 0..MOST_WRAPPERS {
        let Some(parent) = outer.parent() else { break };
        if !language.wrappers.contains(&parent.kind()) {
            break;
        }
        let mut cursor = parent.walk();
        let alone = parent.named_children(&mut cursor).all(|child| {
            child.id() == outer.id()
                || language.attributes.contains(&child.kind())
                || language.comments.contains(&child.kind())
        });
        if !alone {
            break;
        }
        outer = parent;
    }
    outer
}

/// Where a definition begins below the attributes that its grammar puts into it.
fn below_attributes(language: &Language, node: Node<'_>) -> usize {
    let mut next = node.child(0);
    while let Some(child) = next {
        if language.attributes.contains(&child.kind()) {
            next = child.next_sibling();
        } else if child.kind() == "modifiers" {
            let mut cursor = child.walk();
            let mut modifiers = child.children(&mut cursor);
            let plain = modifiers.find(|one| !language.attributes.contains(&one.kind()));
            if let Some(plain) = plain {
                return plain.start_byte();
            }
            next = child.next_sibling();
        } else {
            return child.start_byte();
        }
    }
    node.start_byte()
}

/// Comments and attributes that stand directly above.
struct PrecedingLines<'tree> {
    attributes_start: usize,
    comments_start: usize,
    /// Topmost first.
    comments: Vec<Node<'tree>>,
}

impl<'tree> PrecedingLines<'tree> {
    fn of(language: &Language, text: &str, outer: Node<'tree>) -> Self {
        let mut above = Self {
            attributes_start: outer.start_byte(),
            comments_start: outer.start_byte(),
            comments: Vec::new(),
        };
        let mut next_row = outer.start_position().row;
        let mut sibling = outer
            .prev_sibling()
            .or_else(|| above_first(language, outer));
        for _ in 0..MOST_LEADING {
            let Some(node) = sibling else { break };
            let is_comment = language.comments.contains(&node.kind());
            let is_attribute = !is_comment && language.attributes.contains(&node.kind());
            // Some grammars count the end of the line to a comment.
            let end = node.end_position();
            let last_row = if end.column == 0 {
                end.row.saturating_sub(1)
            } else {
                end.row
            };
            let adjacent = last_row + 1 >= next_row;
            let wanted =
                is_comment && adjacent && stands_alone(text, node) || is_attribute && adjacent;
            // `@doc` belongs to what follows, `@timeout 5` is a value of its own.
            if !wanted
                || is_attribute && language.name() == "elixir" && !is_elixir_attribute(text, node)
            {
                break;
            }
            if is_comment {
                above.comments.insert(0, node);
            } else {
                above.attributes_start = node.start_byte();
            }
            above.comments_start = node.start_byte();
            next_row = node.start_position().row;
            sibling = node.prev_sibling();
        }
        above.attributes_start = above.attributes_start.max(above.comments_start);
        above
    }

    fn doc(&self, text: &str) -> Option<String> {
        let lines = self
            .comments
            .iter()
            .filter_map(|node| text.get(node.byte_range()))
            .flat_map(str::lines);
        first_words(lines)
    }
}

/// What stands above the first declaration of a Haskell file: its grammar counts that to the imports.
fn above_first<'tree>(language: &Language, node: Node<'tree>) -> Option<Node<'tree>> {
    let around = node.parent().filter(|_| language.name() == "haskell")?;
    let before = around
        .prev_sibling()
        .filter(|_| around.kind() == "declarations")?;
    let last = before.child_count().checked_sub(1);
    last.and_then(|last| before.child(last))
}

/// Whether nothing but white space is before a comment on its line; otherwise it belongs to that.
fn stands_alone(text: &str, node: Node<'_>) -> bool {
    let before = text.get(..node.start_byte()).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |position| position + 1);
    before
        .get(line_start..)
        .is_some_and(|line| line.trim().is_empty())
}

fn is_elixir_attribute(text: &str, node: Node<'_>) -> bool {
    const KNOWN: [&str; 6] = [
        "@doc",
        "@spec",
        "@impl",
        "@deprecated",
        "@since",
        "@typedoc",
    ];
    let written = text.get(node.byte_range()).unwrap_or_default();
    KNOWN.iter().any(|known| written.starts_with(known))
}

/// The first line that says something, without the marks of a comment.
fn first_words<'a>(lines: impl Iterator<Item = &'a str>) -> Option<String> {
    for line in lines {
        let line = line
            .trim()
            .trim_start_matches(['/', '*', '#', '-', '!', ';', '"', '\'', ' ', '[', '|'])
            .trim_end_matches("*/")
            .trim_end_matches(['"', '\'', ' ']);
        // `<summary>` says nothing, and neither does a rule of dashes.
        let line = line
            .trim_start_matches("<summary>")
            .trim_end_matches("</summary>")
            .trim();
        if line.chars().any(char::is_alphanumeric) {
            return Some(one_line(line, LONGEST_DOC));
        }
    }
    None
}

/// What documents a definition from within: the first string of a Python body, the `@doc` of Elixir.
fn docstring(language: &Language, node: Node<'_>, text: &str) -> Option<String> {
    let string = match language.name() {
        "python" => {
            let statement = node.child_by_field_name("body")?.named_child(0)?;
            let string = statement
                .named_child(0)
                .filter(|_| statement.kind() == "expression_statement")?;
            (string.kind() == "string").then_some(string)?
        }
        "elixir" if text.get(node.byte_range())?.starts_with("defmodule") => {
            let mut cursor = node.walk();
            let block = node.named_children(&mut cursor).last()?;
            let first = block.named_child(0)?;
            text.get(first.byte_range())?
                .starts_with("@moduledoc")
                .then_some(first)?
        }
        "elixir" => {
            let mut sibling = node.prev_named_sibling();
            loop {
                let attribute = sibling.filter(|one| is_elixir_attribute(text, *one))?;
                if text.get(attribute.byte_range())?.starts_with("@doc") {
                    break attribute;
                }
                sibling = attribute.prev_named_sibling();
            }
        }
        _ => return None,
    };
    let written = text.get(string.byte_range())?;
    // What is before the quotes is a prefix or the attribute's name.
    let words = written.get(written.find(['"', '\''])?..)?;
    first_words(words.lines())
}

/// The definition up to its body, which begins at `head`, on one line.
fn signature(definition: &str, head: Option<usize>, kind: SymbolKind) -> String {
    let written = match head {
        Some(head) => definition.get(..head).unwrap_or(definition),
        None if kind.is_callable() || kind == SymbolKind::Type => definition,
        None if kind.is_type() => definition.split('{').next().unwrap_or(definition),
        // The rest of a value says little.
        None => definition.lines().next().unwrap_or(definition),
    };
    let line = one_line(written, LONGEST_SIGNATURE);
    let line = line.trim_end_matches([' ', '{', ':', ';', ',']);
    let line = line.trim_end_matches("=>").trim_end_matches(['=', ' ']);
    // The body of an empty function is no node.
    let line = line.strip_suffix(" end").unwrap_or(line);
    line.to_owned()
}

/// Where the head of a definition ends: comments before its body belong to the body.
fn head_end(language: &Language, body: Node<'_>) -> usize {
    let mut first = body;
    while let Some(before) = first.prev_sibling()
        && language.comments.contains(&before.kind())
    {
        first = before;
    }
    first.start_byte()
}

/// Where the definition goes on inside.
fn body_of<'tree>(language: &Language, node: Node<'tree>) -> Option<Node<'tree>> {
    let direct = node.child_by_field_name("body");
    direct
        .or_else(|| {
            // `const name = () => {…}`, `type Name struct {…}`, `typedef struct {…} Name`.
            let inner = node
                .child_by_field_name("value")
                .or_else(|| node.child_by_field_name("type"))
                .or_else(|| node.child_by_field_name("right"));
            inner.and_then(|inner| {
                let list = || {
                    let mut cursor = inner.walk();
                    inner
                        .named_children(&mut cursor)
                        .find(|child| child.kind() == "field_declaration_list")
                };
                inner.child_by_field_name("body").or_else(list)
            })
        })
        .or_else(|| {
            let mut cursor = node.walk();
            node.children(&mut cursor)
                .find(|child| language.bodies.contains(&child.kind()))
        })
}
