//! What goes wrong with files, symbols, memories and projects, sorted as callers tell it apart.

use std::path::Path;

use mk_lsp::ServerError;
use mk_project::Error as Project;
use mk_symbols::Error as Symbol;

use crate::error::Error;
use crate::next_step::NextStep;

/// So many namesakes tell enough.
const MOST_CANDIDATES: usize = 20;

/// One failure of a code tool.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CodeError {
    pub kind: CodeKind,
    pub message: String,
    /// What works instead.
    pub hint: Option<NextStep>,
    pub subject: Option<ErrorSubject>,
    /// What a file that has changed is now.
    pub revision: Option<String>,
}

/// What a failure is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorSubject {
    File(String),
    Memory(String),
    /// A symbol's name path.
    Symbol(String),
    /// A name that cannot be given or searched for.
    Name(String),
    Project(String),
}

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeKind {
    FileNotFound,
    PermissionDenied,
    InvalidArguments,
    ProjectNotActive,
    /// There is no such memory, or none can have that name.
    MemoryMissing,
    /// A memory that is there, and must stay as it is.
    Memory,
    SymbolNotFound,
    /// A language server that did not answer as it should.
    LanguageServer,
    /// There is no language server to ask: it is known, and not installed.
    LanguageServerMissing,
    Timeout,
}

impl CodeError {
    pub(crate) fn new(kind: CodeKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            subject: None,
            revision: None,
        }
    }

    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<NextStep>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub(crate) fn about(mut self, subject: ErrorSubject) -> Self {
        self.subject = Some(subject);
        self
    }
}

impl From<CodeError> for Error {
    fn from(error: CodeError) -> Self {
        Self::Code(Box::new(error))
    }
}

impl From<Project> for Error {
    fn from(error: Project) -> Self {
        let hint = match &error {
            Project::Missing { .. } => Some(NextStep::FindFile),
            Project::NoMemory { nearest, .. } if nearest.is_empty() => Some(NextStep::ListMemories),
            Project::NoMemory { nearest, .. } => Some(NextStep::nearest(nearest)),
            Project::NoBackup { .. } => Some(NextStep::ListBackups),
            error => error.hint().map(NextStep::from),
        };
        let mut message = sentence(&error);
        if let Some(cause) = std::error::Error::source(&error) {
            message.push_str(&format!(": {cause}"));
        }
        let mut code = CodeError {
            hint,
            subject: subject_of(&error),
            ..CodeError::new(kind_of(&error), message)
        };
        match error {
            Project::Changed { revision, diff, .. } => {
                code.revision = Some(revision);
                code.message.push_str(&format!(
                    "\n\nChanges since you last read this file:\n{diff}"
                ));
            }
            Project::Ambiguous { lines, .. } => {
                let shown: Vec<String> = lines.iter().take(20).map(ToString::to_string).collect();
                code.message
                    .push_str(&format!(" (lines {})", shown.join(", ")));
            }
            _ => {}
        }
        code.into()
    }
}

/// The file or memory that an error is about.
fn subject_of(error: &Project) -> Option<ErrorSubject> {
    match error {
        Project::NoMemory { name, .. }
        | Project::BadMemoryName { name, .. }
        | Project::ReadOnlyMemory { name }
        | Project::MemoryExists { name } => Some(ErrorSubject::Memory(name.clone())),
        Project::Missing { path }
        | Project::Changed { path, .. }
        | Project::Ambiguous { path, .. }
        | Project::Read { path, .. }
        | Project::NotAFile { path }
        | Project::TooLarge { path, .. }
        | Project::NotText { path, .. }
        | Project::Exists { path }
        | Project::Write { path, .. }
        | Project::Link { path }
        | Project::NotAFolder { path }
        | Project::Binary { path, .. }
        | Project::NoSuchLine { path, .. }
        | Project::NoMatch { path, .. }
        | Project::NamedTwice { path } => Some(file(path)),
        // The lock's path is ours, and nobody's business.
        Project::Busy { .. }
        | Project::NoTarget { .. }
        | Project::BadPattern { .. }
        | Project::UnexpectedCount { .. }
        | Project::NoBackup { .. }
        | Project::Cancelled => None,
    }
}

fn file(path: &Path) -> ErrorSubject {
    ErrorSubject::File(path.display().to_string())
}

impl From<Symbol> for Error {
    fn from(error: Symbol) -> Self {
        let hint = match &error {
            Symbol::NoSymbol { nearest, .. } if nearest.is_empty() => Some(NextStep::FindSymbol),
            Symbol::NoSymbol { nearest, .. } => Some(NextStep::nearest(nearest)),
            Symbol::NothingHere { .. } => Some(NextStep::OutlineFile),
            error => error.hint().map(NextStep::from),
        };
        let message = sentence(&error);
        let failed = |kind| CodeError {
            hint,
            ..CodeError::new(kind, message)
        };
        let invalid = CodeKind::InvalidArguments;
        match error {
            Symbol::NoSymbol { name_path, .. } => {
                failed(CodeKind::SymbolNotFound).about(ErrorSubject::Symbol(name_path))
            }
            Symbol::Unfinished { name_path } => {
                failed(CodeKind::Timeout).about(ErrorSubject::Symbol(name_path))
            }
            Symbol::NothingHere { path, .. } => failed(CodeKind::SymbolNotFound).about(file(&path)),
            Symbol::Ambiguous {
                name_path,
                candidates,
                total,
            } => {
                let mut failed = failed(invalid);
                let shown = candidates.iter().take(MOST_CANDIDATES);
                for candidate in shown.clone() {
                    failed.message.push_str(&format!("\n- {candidate}"));
                }
                let n_shown = shown.len();
                if n_shown < total {
                    failed
                        .message
                        .push_str(&format!("\n[{n_shown} of {total} shown]"));
                }
                failed.about(ErrorSubject::Symbol(name_path))
            }
            Symbol::NoLanguage { path } | Symbol::Skipped { path, .. } => {
                failed(invalid).about(file(&path))
            }
            Symbol::BadName { name } | Symbol::FixedName { name } | Symbol::NoWord { name } => {
                failed(invalid).about(ErrorSubject::Name(name))
            }
            Symbol::SharedLines { name_path } | Symbol::Emptied { name_path } => {
                failed(invalid).about(ErrorSubject::Symbol(name_path))
            }
            Symbol::BadPattern { .. }
            | Symbol::BadStructure { .. }
            | Symbol::UnknownLanguage { .. } => failed(invalid),
            Symbol::Thread(_) => failed(CodeKind::Timeout),
            Symbol::Read { source, .. } | Symbol::Open(source) => return source.into(),
        }
        .into()
    }
}

impl From<ServerError> for Error {
    fn from(error: ServerError) -> Self {
        let kind = match error {
            ServerError::UnknownLanguage { .. } => CodeKind::InvalidArguments,
            ServerError::Timeout { .. } => CodeKind::Timeout,
            ServerError::NotInstalled { .. } => CodeKind::LanguageServerMissing,
            _ => CodeKind::LanguageServer,
        };
        let failed = CodeError {
            hint: error.hint().map(NextStep::from),
            ..CodeError::new(kind, sentence(&error))
        };
        failed.into()
    }
}

fn kind_of(error: &Project) -> CodeKind {
    match error {
        Project::Missing { .. } => CodeKind::FileNotFound,
        Project::NoMemory { .. } | Project::BadMemoryName { .. } => CodeKind::MemoryMissing,
        Project::ReadOnlyMemory { .. } | Project::MemoryExists { .. } => CodeKind::Memory,
        Project::Link { .. }
        | Project::NotAFile { .. }
        | Project::Read { .. }
        | Project::Write { .. }
        | Project::NoTarget { .. } => CodeKind::PermissionDenied,
        Project::Busy { .. } | Project::Cancelled => CodeKind::Timeout,
        _ => CodeKind::InvalidArguments,
    }
}

fn sentence(error: &impl std::error::Error) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
