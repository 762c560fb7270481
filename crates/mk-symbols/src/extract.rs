//! From a syntax tree to symbols: runs the language's query and puts what it finds into containers.
//!
//! Everything a symbol needs is taken from the text here, so that nobody keeps the tree.

mod arrange;
mod describe;
mod follow;
mod name;

use std::ops::Range as Bytes;

use tree_sitter::{
    Node, Query, QueryCursor, QueryCursorOptions, QueryCursorState, QueryMatch, Range,
    StreamingIterator as _, Tree,
};

use crate::kind::SymbolKind;
use crate::language::{Capture, CompiledQuery, Language, Role};
use crate::parse::{ParseLimit, Parsers, SkipReason};
use crate::symbol::{LineSpan, Symbol};
use arrange::arrange;
use describe::Description;
pub(crate) use follow::{FoundDefinitions, TextChange};
use name::{
    base_name, instance_subject, one_line, operator_name, scope_parts, split_outside_generics,
    unwrap_declarator,
};

/// Definitions nested deeper than this are not what anybody looks for, but what somebody made up.
const DEEPEST: u32 = 300;
/// A file with more is data.
const MOST_SYMBOLS: usize = 20_000;
/// Nodes that are looked at before it is asked whether to go on.
const VISITS_A_CHECK: u32 = 1024;
const MOST_NESTED_MACROS: usize = 4;
const LONGEST_NAME: usize = 200;

/// Finds the symbols of a text, in their order.
pub(crate) fn extract(
    parsers: &mut Parsers,
    language: &Language,
    text: &str,
    limit: &ParseLimit<'_>,
) -> Result<Vec<Symbol>, SkipReason> {
    let tree = parsers.tree_of(language, text, limit)?;
    extract_from(parsers, language, text, &tree, limit)
}

/// The same for a text that is parsed already.
pub(crate) fn extract_from(
    parsers: &mut Parsers,
    language: &Language,
    text: &str,
    tree: &Tree,
    limit: &ParseLimit<'_>,
) -> Result<Vec<Symbol>, SkipReason> {
    let found = find_in(parsers, language, (text, tree), None, limit)?;
    Ok(arrange(language, found))
}

/// The same for a text that was another before, with what the next change can be followed from.
pub(crate) fn extract_after(
    parsers: &mut Parsers,
    language: &Language,
    (text, tree): (&str, &Tree),
    change: Option<TextChange>,
    limit: &ParseLimit<'_>,
) -> Result<(Vec<Symbol>, FoundDefinitions), SkipReason> {
    let found = find_in(parsers, language, (text, tree), change, limit)?;
    let kept = FoundDefinitions(found.clone());
    Ok((arrange(language, found), kept))
}

fn find_in(
    parsers: &mut Parsers,
    language: &Language,
    (text, tree): (&str, &Tree),
    change: Option<TextChange>,
    limit: &ParseLimit<'_>,
) -> Result<Vec<RawDefinition>, SkipReason> {
    let compiled = language.compiled().ok_or(SkipReason::Unreadable)?;
    let mut extraction = Extraction {
        language,
        compiled,
        text,
        found: Vec::new(),
        cursor: QueryCursor::new(),
    };
    // Where to begin is decided by a walk that leaves out most of the text.
    extraction.cursor.set_max_start_depth(Some(0));
    extraction.cursor.set_match_limit(4096);
    let followed = change.and_then(|change| {
        let top = extraction.changed_top(&change, tree)?;
        Some((change, top))
    });
    if let Some((change, top)) = followed {
        extraction.take_over(change, &top);
        for node in &top.nodes {
            extraction.collect(*node, 1, limit)?;
        }
        return Ok(extraction.found);
    }
    let mut items = extraction.collect(tree.root_node(), 0, limit)?;
    for _ in 0..MOST_NESTED_MACROS {
        items = extraction.collect_items(parsers, &items, limit)?;
        if items.is_empty() {
            break;
        }
    }
    Ok(extraction.found)
}

struct Extraction<'a> {
    language: &'a Language,
    compiled: &'a CompiledQuery,
    text: &'a str,
    found: Vec<RawDefinition>,
    cursor: QueryCursor,
}

/// A definition before it knows what it is in.
#[derive(Debug, Clone)]
struct RawDefinition {
    symbol: Symbol,
    pattern: usize,
    /// What its children have as their container, where that is not its name.
    segment: Option<String>,
    /// A declaration without a body; inside of a function it is nothing to find.
    bare: bool,
    /// What follows it in the file is in it: `namespace A.B;`.
    is_for_file: bool,
}

impl Extraction<'_> {
    /// Adds what the query finds in a node at some depth; returns the texts that may hold further items.
    fn collect(
        &mut self,
        node: Node<'_>,
        depth: u32,
        limit: &ParseLimit<'_>,
    ) -> Result<Vec<Range>, SkipReason> {
        let mut items = Vec::new();
        let mut walk = node.walk();
        let mut n_visited = 0_u32;
        loop {
            n_visited += 1;
            if n_visited.is_multiple_of(VISITS_A_CHECK) && limit.check().is_break() {
                return Err(SkipReason::TimedOut);
            }
            let node = walk.node();
            let role = self.compiled.role(node.kind_id());
            if role == Role::Root && self.found.len() < MOST_SYMBOLS {
                self.collect_at(node, &mut items, limit)?;
            }
            // Where the text is broken, anything can be anywhere.
            let is_opaque = role == Role::Opaque && !node.has_error();
            if !is_opaque && depth + walk.depth() < DEEPEST && walk.goto_first_child() {
                continue;
            }
            while !walk.goto_next_sibling() {
                if !walk.goto_parent() {
                    return Ok(items);
                }
            }
        }
    }

    /// Adds what patterns find that begin at a node.
    fn collect_at(
        &mut self,
        node: Node<'_>,
        items: &mut Vec<Range>,
        limit: &ParseLimit<'_>,
    ) -> Result<(), SkipReason> {
        let mut stopped = false;
        let mut check = |_: &QueryCursorState| {
            let next = limit.check();
            stopped |= next.is_break();
            next
        };
        let options = QueryCursorOptions::new().progress_callback(&mut check);
        let (query, captures): (&Query, _) = (&self.compiled.query, &self.compiled.captures);
        let text = self.text.as_bytes();
        let mut matches = self.cursor.matches_with_options(query, node, text, options);
        while let Some(found) = matches.next() {
            if self.found.len() >= MOST_SYMBOLS {
                break;
            }
            let parts = MatchNodes::of(found, captures);
            if let Some(node) = parts.items {
                items.push(node.range());
            }
            if let Some(found) = parts.read(self.language, self.text) {
                self.found.push(found);
            }
        }
        drop(matches);
        if stopped {
            return Err(SkipReason::TimedOut);
        }
        Ok(())
    }

    /// Parses the bodies of macros as if they stood alone; those that are not items are left out.
    fn collect_items(
        &mut self,
        parsers: &mut Parsers,
        items: &[Range],
        limit: &ParseLimit<'_>,
    ) -> Result<Vec<Range>, SkipReason> {
        let mut deeper = Vec::new();
        for range in items {
            let Some(inner) = inside(self.text, *range) else {
                continue;
            };
            let tree = parsers.parse(self.compiled, self.text, &[inner], limit)?;
            let n_known = self.found.len();
            let more = self.collect(tree.root_node(), 0, limit)?;
            if self.found.len() == n_known {
                continue;
            }
            if tree.root_node().has_error() {
                self.found.truncate(n_known);
            } else {
                deeper.extend(more);
            }
        }
        Ok(deeper)
    }
}

/// A token tree without its brackets; only braces hold items.
fn inside(text: &str, range: Range) -> Option<Range> {
    let inner = text.get(range.start_byte..range.end_byte)?;
    let inner = inner.strip_prefix('{')?.strip_suffix('}')?;
    let mut start_point = range.start_point;
    let mut end_point = range.end_point;
    start_point.column += 1;
    end_point.column = end_point.column.saturating_sub(1);
    (!inner.trim().is_empty()).then_some(Range {
        start_byte: range.start_byte + 1,
        end_byte: range.end_byte - 1,
        start_point,
        end_point,
    })
}

/// The nodes of one match.
#[derive(Default)]
struct MatchNodes<'tree> {
    pattern: usize,
    definition: Option<(Node<'tree>, SymbolKind)>,
    name: Option<Node<'tree>>,
    scope: Option<Node<'tree>>,
    implemented: Option<Node<'tree>>,
    declarator: Option<Node<'tree>>,
    items: Option<Node<'tree>>,
}

impl<'tree> MatchNodes<'tree> {
    fn of(found: &QueryMatch<'_, 'tree>, captures: &[Capture]) -> Self {
        let mut parts = Self {
            pattern: found.pattern_index,
            ..Self::default()
        };
        for capture in found.captures() {
            let node = Some(capture.node);
            match captures.get(capture.index as usize) {
                Some(Capture::Definition(kind)) => parts.definition = Some((capture.node, *kind)),
                Some(Capture::Name) => parts.name = node,
                Some(Capture::Scope) => parts.scope = node,
                Some(Capture::Implemented) => parts.implemented = node,
                Some(Capture::Declarator) => parts.declarator = node,
                Some(Capture::Items) => parts.items = node,
                Some(Capture::Internal) | None => {}
            }
        }
        parts
    }

    fn read(&self, language: &Language, text: &str) -> Option<RawDefinition> {
        let (node, mut kind) = self.definition?;
        let mut bare = false;
        let name_node = match (self.name, self.declarator) {
            (Some(name), _) => name,
            (None, Some(declarator)) => {
                let (name, is_function) = unwrap_declarator(declarator)?;
                if is_function && matches!(kind, SymbolKind::Variable | SymbolKind::Field) {
                    kind = SymbolKind::Function;
                    bare = true;
                }
                name
            }
            (None, None) => return None,
        };
        let text_of = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default();
        let written = text_of(name_node).trim();
        let mut segment = None;
        let mut containers: Vec<&str> = Vec::new();
        let name = if kind == SymbolKind::Impl {
            let is_haskell = language.name() == "haskell";
            let subject = if is_haskell {
                instance_subject(written)
            } else {
                base_name(written)
            };
            segment = Some(subject.to_owned());
            let keyword = text_of(node).split_whitespace().next().unwrap_or_default();
            let keyword = if keyword.starts_with("impl") || keyword == "unsafe" {
                "impl"
            } else if is_haskell {
                "instance"
            } else {
                "extension"
            };
            match self.implemented {
                Some(implemented) => {
                    format!(
                        "{keyword} {} for {subject}",
                        base_name(text_of(implemented))
                    )
                }
                None => format!("{keyword} {subject}"),
            }
        } else {
            if let Some(scope) = self.scope {
                containers.extend(scope_parts(text_of(scope)));
            }
            let name = match language.name() {
                "php" => written.trim_start_matches('$'),
                "ruby" => written.trim_start_matches(':'),
                _ => written,
            };
            // `foldl'` is another name than `foldl`.
            let is_marked = language.name() == "haskell";
            let name = name.trim_matches(['"', '`']);
            let name = if is_marked {
                operator_name(name)
            } else {
                name.trim_matches(['"', '\'', '`'])
            };
            match language.separator {
                Some(separator) if kind != SymbolKind::Heading => {
                    let mut parts: Vec<&str> = split_outside_generics(name, separator);
                    let last = parts.pop().unwrap_or(name);
                    containers.extend(parts.into_iter().map(base_name));
                    last.to_owned()
                }
                _ => name.to_owned(),
            }
        };
        let name = one_line(&name, LONGEST_NAME);
        if name.is_empty() {
            return None;
        }
        if kind == SymbolKind::Function && !containers.is_empty() {
            kind = SymbolKind::Method;
        }
        let description = Description::of(language, text, node, kind);
        // `typedef struct {…} name` has its name at the end.
        let head = if name_node.start_byte() > description.body_start {
            node
        } else {
            name_node
        };
        let first_row = head.start_position().row;
        let end = node.end_position();
        // A section of Markdown ends at the start of a line.
        let last_row = end.row - usize::from(end.column == 0 && end.row > first_row);
        let name_bytes = name_node.byte_range();
        Some(RawDefinition {
            pattern: self.pattern,
            segment,
            bare,
            is_for_file: node.kind() == "file_scoped_namespace_declaration",
            symbol: Symbol {
                kind: refine(kind, &name, language),
                name,
                container: containers.join("/"),
                lines: LineSpan {
                    start: line(first_row),
                    end: line(last_row),
                },
                range: offsets(description.start..description.end),
                attributes_start: offset(description.attributes_start),
                comments_start: offset(description.comments_start),
                name_range: offsets(name_bytes),
                signature: description.signature,
                doc: description.doc,
                parent: None,
            },
        })
    }
}

/// Files are smaller than 2 MB, so every position fits.
fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

fn offsets(range: Bytes<usize>) -> Bytes<u32> {
    offset(range.start)..offset(range.end)
}

fn line(row: usize) -> u32 {
    offset(row).saturating_add(1)
}

/// Some languages tell constants from variables by how they are written only.
fn refine(kind: SymbolKind, name: &str, language: &Language) -> SymbolKind {
    let shouted = name.len() > 1
        && name.bytes().any(|byte| byte.is_ascii_uppercase())
        && !name.bytes().any(|byte| byte.is_ascii_lowercase());
    let by_case = matches!(language.name(), "python" | "bash" | "lua" | "javascript");
    if kind == SymbolKind::Variable && shouted && by_case {
        SymbolKind::Constant
    } else {
        kind
    }
}
