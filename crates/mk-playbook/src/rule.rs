//! Rules: Markdown that tells an agent how this team works, and the files it is meant for.
//!
//! One reader for every product's dialect: the keys of the head differ, their meaning does not. Whether a rule applies
//! to a file is [`crate::applies`]' answer.

use mk_clients::{ClientId, InstructionFile};
use mk_document::{DocumentNode, DocumentReport, Located, read_document};

use crate::glob::{PathGlob, split_list};
use crate::markdown::{self, Section};
use crate::place::{ContentLayer, ContentPlace};

/// When a rule speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// In every conversation.
    Always,
    /// When a file is concerned that its globs match.
    Auto,
    /// When the agent finds from the description that it needs it.
    Requested,
    /// When a person names it.
    Manual,
}

/// A rules file.
#[derive(Debug, Clone)]
pub struct RulesFile {
    /// The path in its `rules://` address, such as `rules/core.md`, `AGENTS.md` or `.cursor/rules/api.mdc`.
    pub path: String,
    pub layer: ContentLayer,
    pub title: String,
    pub description: Option<String>,
    pub activation: Activation,
    /// The folder below which it holds, relative to the project; empty for all of it.
    pub scope: String,
    /// The one mode that it holds in.
    pub mode: Option<String>,
    /// The products that read it; none for our own files.
    pub readers: Vec<ClientId>,
    /// The file as a person would name it, and the line that the text begins on.
    pub file: String,
    pub first_line: u32,
    /// Technologies that it is about, as `detect` names them.
    pub stack: Vec<String>,
    pub globs: Vec<PathGlob>,
    pub sections: Vec<Section>,
    /// Without the head.
    pub text: String,
}

/// Reads a rules file; a head that cannot be read leaves the text, because losing a rule is worse than applying it.
pub(crate) fn read_rule(
    place: &ContentPlace,
    text: &str,
    report: &mut DocumentReport,
) -> RulesFile {
    let document = read_document(text, report);
    let head = document.head.as_ref().map(|head| &head.value);
    let description = head
        .and_then(|head| head.get("description"))
        .and_then(|node| report.text("description", node))
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty());
    let patterns = head.map_or_else(Vec::new, |head| patterns(head, report));
    let everywhere = !patterns.is_empty()
        && patterns
            .iter()
            .all(|(pattern, _)| ["**", "**/*", "*"].contains(&pattern.as_str()));
    let globs = globs(patterns, report);
    let always = head
        .and_then(|head| head.get("alwaysApply"))
        .and_then(|node| flag("alwaysApply", node, report));
    let trigger = head
        .and_then(|head| head.get("trigger"))
        .and_then(|node| report.text("trigger", node));
    let stack = head
        .and_then(|head| head.get("stack"))
        .map_or_else(Vec::new, |node| report.texts("stack", node));
    let activation = match always {
        _ if trigger == Some("always_on") => Activation::Always,
        _ if trigger == Some("manual") => Activation::Manual,
        _ if trigger == Some("model_decision") => Activation::Requested,
        _ if trigger == Some("glob") => Activation::Auto,
        Some(true) => Activation::Always,
        None | Some(false) if everywhere => Activation::Always,
        None | Some(false) if !globs.is_empty() => Activation::Auto,
        // Only one product has rules that wait to be asked for; elsewhere a file without conditions holds.
        None if !place.is_on_request() => Activation::Always,
        None | Some(false) if description.is_some() => Activation::Requested,
        None | Some(false) => Activation::Manual,
    };
    let title = markdown::title(document.body).unwrap_or_else(|| place.stem().to_owned());
    RulesFile {
        path: place.address.clone(),
        layer: place.layer,
        title,
        description,
        activation,
        scope: place.scope.clone(),
        mode: place.mode.clone(),
        readers: place
            .written
            .map_or_else(Vec::new, InstructionFile::readers),
        file: place.file.clone(),
        first_line: document.body_line,
        stack,
        globs,
        sections: markdown::sections(document.body, document.body_line),
        text: document.body.to_owned(),
    }
}

fn globs(
    patterns: Vec<(String, mk_document::DocumentPosition)>,
    report: &mut DocumentReport,
) -> Vec<PathGlob> {
    let mut globs = Vec::new();
    for (pattern, position) in patterns {
        match PathGlob::new(&pattern) {
            Ok(glob) => globs.push(glob),
            Err(reason) => {
                report.warning(position, format!("`{pattern}` is not a glob: {reason}"));
            }
        }
    }
    globs
}

/// The globs of a head, under the names that products give them: a list, or one text with commas.
fn patterns(
    head: &DocumentNode,
    report: &mut DocumentReport,
) -> Vec<(String, mk_document::DocumentPosition)> {
    let mut patterns = Vec::new();
    for key in ["globs", "applyTo", "paths"] {
        let Some(node) = head.get(key) else {
            continue;
        };
        match &node.value {
            DocumentNode::Null => {}
            DocumentNode::Text(text) => {
                patterns
                    .extend(split_list(text).map(|pattern| (pattern.to_owned(), node.position)));
            }
            DocumentNode::List(items) => {
                for item in items {
                    let text = report.text(key, item).unwrap_or_default();
                    patterns.extend(
                        split_list(text).map(|pattern| (pattern.to_owned(), item.position)),
                    );
                }
            }
            other => report.expected(key, "a list of globs", other, node.position),
        }
    }
    patterns
}

/// `true` or `false`, also in quotes.
pub(crate) fn flag(
    key: &str,
    node: &Located<DocumentNode>,
    report: &mut DocumentReport,
) -> Option<bool> {
    match &node.value {
        DocumentNode::Bool(flag) => Some(*flag),
        DocumentNode::Null => None,
        DocumentNode::Text(text) if text.eq_ignore_ascii_case("true") => Some(true),
        DocumentNode::Text(text) if text.eq_ignore_ascii_case("false") => Some(false),
        other => {
            report.expected(key, "true or false", other, node.position);
            None
        }
    }
}
