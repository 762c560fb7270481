//! A mode as its author wrote it, and the reader that finds every problem of a file in one pass.
//!
//! Nothing is filled in here: defaults, inheritance and compiled limits are [`crate::mode`]'s business.

mod group_reader;
mod reader;
mod salvage;
mod value;

use mk_document::{Diagnostic, DocumentNode, DocumentReport, Located};
use mk_types::ModeSlug;

use crate::group::Group;

/// One entry of `customModes`, as written. `None` means that the key is not there.
#[derive(Debug, Clone, PartialEq)]
pub struct ModeFile {
    pub slug: Located<ModeSlug>,
    pub name: Option<Located<String>>,
    pub role_definition: Option<Located<String>>,
    pub when_to_use: Option<Located<String>>,
    pub description: Option<Located<String>>,
    pub custom_instructions: Option<Located<String>>,
    pub groups: Option<Vec<GroupFile>>,
    pub extends: Option<Located<ModeSlug>>,
    pub hidden: Option<bool>,
    pub switch_to: Option<Vec<String>>,
    /// Beside the groups, as Zoo Code writes it.
    pub mcp: McpFilter,
    pub model: Option<String>,
    pub auto_approve: Option<AutoApprove>,
    pub examples: Vec<ExampleFile>,
    /// Rules that travel inside the mode: name and text.
    pub rules_files: Vec<(String, String)>,
    /// Keys that mean nothing to us, kept because they mean something to their author.
    pub unknown: Vec<(Located<String>, Located<DocumentNode>)>,
}

/// One entry of `groups`.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupFile {
    pub group: Located<Group>,
    pub options: GroupOptions,
}

/// The second half of `[group, {…}]`. Every option narrows what the entry allows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GroupOptions {
    pub file_regex: Option<Located<String>>,
    pub globs: Vec<Located<String>>,
    pub description: Option<String>,
    pub command_regex: Option<Located<String>>,
    pub command_deny: Option<Located<String>>,
    pub mcp: McpFilter,
}

impl GroupOptions {
    /// Whether nothing narrows the entry.
    fn limits_nothing(&self) -> bool {
        let Self {
            file_regex,
            globs,
            description: _,
            command_regex,
            command_deny,
            mcp,
        } = self;
        file_regex.is_none()
            && globs.is_empty()
            && command_regex.is_none()
            && command_deny.is_none()
            && *mcp == McpFilter::default()
    }
}

/// Which MCP servers and tools are let through; `None` lets all through.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct McpFilter {
    pub allowed_servers: Option<Vec<String>>,
    pub blocked_servers: Vec<String>,
    /// `tool` of any server, or `server/tool`.
    pub allowed_tools: Option<Vec<String>>,
    pub blocked_tools: Vec<String>,
}

/// What an editor may let pass without asking a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutoApprove {
    None,
    Read,
    All,
}

/// A call that the author says is allowed or denied: `write_to_file docs/a.md`.
#[derive(Debug, Clone, PartialEq)]
pub struct ExampleFile {
    pub text: Located<String>,
    pub allowed: bool,
}

/// What a file yields: the modes that can be read, the slugs of those that cannot, and every problem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadedFile {
    pub modes: Vec<ModeFile>,
    /// Slugs that the file means to define but fails to. They hide the same slug of weaker files:
    /// falling back to a wider mode because of a typing error would open what the author closed.
    pub broken: Vec<ModeSlug>,
    pub diagnostics: Vec<Diagnostic>,
    pub legible: LegibleFile,
}

/// How much of a file could be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LegibleFile {
    /// All of it, as a list of modes.
    Whole,
    /// It is empty, perhaps because it is being saved.
    Empty,
    /// Not all: what it says about a mode that was not found in it cannot be told.
    #[default]
    NotAll,
}

/// Slugs that are looked for in a file that cannot be read.
const MOST_GUESSED: usize = 500;

/// Reads a mode file, YAML or JSON. `file` is the name that diagnostics carry.
pub fn load_modes(file: &str, text: &str) -> LoadedFile {
    let error = match DocumentNode::parse(text) {
        Ok(root) => return load_document(file, &root),
        Err(error) => error,
    };
    let mut out = DocumentReport::new(file);
    let mut loaded = LoadedFile::default();
    out.error(error.position, error.message).hint = error.hint.map(str::to_owned);
    salvage::read_items_one_by_one(text, &mut loaded, &mut out);
    for slug in slugs_in(text) {
        let is_known = loaded.modes.iter().any(|mode| mode.slug.value == slug);
        if !is_known && !loaded.broken.contains(&slug) {
            loaded.broken.push(slug);
        }
    }
    loaded.diagnostics = out.into_found();
    loaded
}

/// Reads a mode file that is a document already.
pub(crate) fn load_document(file: &str, root: &Located<DocumentNode>) -> LoadedFile {
    let mut out = DocumentReport::new(file);
    let mut loaded = LoadedFile::default();
    loaded.legible = reader::read_document(root, &mut loaded, &mut out);
    loaded.diagnostics = out.into_found();
    loaded
}

/// The slugs that a file means to define although it cannot be read: they must not fall back to a wider mode either.
fn slugs_in(text: &str) -> Vec<ModeSlug> {
    let mut slugs = Vec::new();
    for line in text.lines() {
        // No person writes that many; going on would take minutes.
        if slugs.len() == MOST_GUESSED {
            break;
        }
        let bare = line.trim_start_matches([' ', '\t', '-', '{', '[', '"', '\'']);
        let Some(rest) = bare.strip_prefix("slug") else {
            continue;
        };
        let value = rest.trim_start_matches(['"', '\'']).trim_start();
        let Some(value) = value.strip_prefix(':') else {
            continue;
        };
        let word =
            value.trim_matches(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
        let word = word
            .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-')
            .next();
        if let Some(Ok(slug)) = word.map(ModeSlug::parse)
            && !slugs.contains(&slug)
        {
            slugs.push(slug);
        }
    }
    slugs
}

/// The known word that differs from `written` only in case, dashes, underscores or a plural.
fn meant(written: &str, known: &[&'static str]) -> Option<&'static str> {
    let fold = |word: &str| {
        let letters = word.chars().filter(char::is_ascii_alphanumeric);
        let folded: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
        folded.trim_end_matches('s').to_owned()
    };
    let written = fold(written);
    known.iter().copied().find(|word| fold(word) == written)
}
