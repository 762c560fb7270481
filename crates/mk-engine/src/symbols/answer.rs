//! What is answered about symbols, in words of our own.

use mk_lsp::ServerSeverity;
use mk_symbols::{
    IndexAnswer, IndexState, IndexingProgress, Reference, SymbolDefinition, SymbolHit, SymbolMember,
};
use mk_types::ProjectPath;

/// How complete the index was that answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexProgress {
    Ready,
    /// Looking which files there are.
    Listing,
    Parsing {
        done: usize,
        total: usize,
    },
    /// The project cannot be read.
    Stopped,
}

/// Symbols or places, the best first, and where they come from.
#[derive(Debug, Clone)]
pub struct SymbolAnswer<T> {
    pub hits: Vec<T>,
    /// How many there are, also those beyond the limit.
    pub total: usize,
    /// Whether all of them were counted; there are more otherwise.
    pub is_counted: bool,
    /// Who answered: the index, or language servers by their names.
    pub source: String,
    pub progress: IndexProgress,
    /// Why the answer is not better.
    pub note: Option<String>,
}

/// A symbol that was found by its name.
#[derive(Debug, Clone)]
pub struct FoundDefinition {
    pub name_path: String,
    pub kind: &'static str,
    pub path: ProjectPath,
    pub start_line: u32,
    pub end_line: u32,
    pub column: u32,
    pub signature: String,
    pub docs: Option<String>,
}

/// A symbol with its text.
#[derive(Debug, Clone)]
pub struct DefinitionText {
    pub name_path: String,
    pub kind: &'static str,
    pub path: ProjectPath,
    pub start_line: u32,
    pub end_line: u32,
    pub signature: String,
    pub docs: Option<String>,
    pub body: String,
    /// The signatures of what is in it, where it is a type or a module that has something in it.
    pub members: Vec<OutlineEntry>,
}

/// A place where a symbol is named.
#[derive(Debug, Clone)]
pub struct SymbolReference {
    pub path: ProjectPath,
    pub line: u32,
    pub column: u32,
    /// The line, without the white space around it.
    pub text: String,
    /// The symbol around it.
    pub within: Option<String>,
    pub is_definition: bool,
    /// A language server was asked, and does not count it to the symbol.
    pub is_unclaimed: bool,
    /// Lines around it, if they were asked for.
    pub context: Vec<ContextLine>,
}

/// A line near a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextLine {
    pub line: u32,
    pub text: String,
}

/// What a file defines, as a tree in the order of its lines.
#[derive(Debug, Clone)]
pub struct FileOutline {
    pub path: ProjectPath,
    pub language: String,
    /// Who answered: the index, or a language server by its name.
    pub source: String,
    pub entries: Vec<OutlineEntry>,
}

#[derive(Debug, Clone)]
pub struct OutlineEntry {
    pub depth: usize,
    pub name_path: String,
    pub kind: &'static str,
    pub start_line: u32,
    pub end_line: u32,
    pub signature: String,
    /// Decorators and attributes above it, each on a line of its own in the text.
    pub attributes: Vec<String>,
    pub docs: Option<String>,
}

/// The symbols that most of a project's code uses.
#[derive(Debug, Clone)]
pub struct ProjectMap {
    pub text: String,
    pub tokens: usize,
    pub files_shown: usize,
    pub files_total: usize,
    pub progress: IndexProgress,
}

/// The problems of a file.
#[derive(Debug, Clone)]
pub struct FileProblems {
    pub path: ProjectPath,
    pub problems: Vec<FileProblem>,
    pub source: String,
    pub note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProblem {
    pub severity: &'static str,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub message: String,
    pub code: Option<String>,
}

/// What an index holds.
#[derive(Debug, Clone)]
pub struct IndexContents {
    pub is_complete: bool,
    pub files: usize,
    pub symbols: usize,
    /// The files that were left out, and why.
    pub skipped: Vec<(ProjectPath, String)>,
}

impl<T> SymbolAnswer<T> {
    pub(crate) fn of<F: Into<T>>(answer: IndexAnswer<F>, note: Option<String>) -> Self {
        Self {
            hits: answer.hits.into_iter().map(Into::into).collect(),
            total: answer.total,
            is_counted: answer.is_counted,
            source: answer.source.to_string(),
            progress: answer.progress.into(),
            note,
        }
    }
}

impl From<IndexingProgress> for IndexProgress {
    fn from(progress: IndexingProgress) -> Self {
        match progress.state {
            IndexState::Ready => Self::Ready,
            IndexState::Listing => Self::Listing,
            IndexState::Parsing => Self::Parsing {
                done: progress.files_done,
                total: progress.files_total,
            },
            IndexState::Stopped => Self::Stopped,
        }
    }
}

impl From<SymbolHit> for FoundDefinition {
    fn from(hit: SymbolHit) -> Self {
        Self {
            name_path: hit.name_path,
            kind: hit.kind.as_str(),
            path: hit.path,
            start_line: hit.lines.start,
            end_line: hit.lines.end,
            column: hit.column,
            signature: hit.signature,
            docs: hit.doc,
        }
    }
}

impl From<mk_lsp::ServerDiagnostic> for FileProblem {
    fn from(found: mk_lsp::ServerDiagnostic) -> Self {
        Self {
            severity: match found.severity {
                ServerSeverity::Error => "error",
                ServerSeverity::Warning => "warning",
                ServerSeverity::Information => "information",
                ServerSeverity::Hint => "hint",
            },
            line: found.range.start.line,
            column: found.range.start.column,
            end_line: found.range.end.line,
            end_column: found.range.end.column,
            message: found.message,
            code: found.code,
        }
    }
}

impl From<SymbolDefinition> for DefinitionText {
    fn from(definition: SymbolDefinition) -> Self {
        Self {
            name_path: definition.name_path,
            kind: definition.symbol.kind.as_str(),
            path: definition.path,
            start_line: definition.body_lines.start,
            end_line: definition.body_lines.end,
            signature: definition.symbol.signature,
            docs: definition.symbol.doc,
            body: definition.body,
            members: definition.members.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<SymbolMember> for OutlineEntry {
    fn from(member: SymbolMember) -> Self {
        Self {
            depth: member.depth,
            name_path: member.name_path,
            kind: member.symbol.kind.as_str(),
            start_line: member.symbol.lines.start,
            end_line: member.symbol.lines.end,
            signature: member.symbol.signature,
            attributes: member.attributes,
            docs: member.symbol.doc,
        }
    }
}

impl From<Reference> for SymbolReference {
    fn from(reference: Reference) -> Self {
        Self {
            path: reference.path,
            line: reference.place.line,
            column: reference.place.column,
            text: reference.place.text,
            within: reference.within,
            is_definition: reference.is_definition,
            is_unclaimed: reference.is_unclaimed,
            context: Vec::new(),
        }
    }
}
