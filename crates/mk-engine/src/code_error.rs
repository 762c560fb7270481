//! What goes wrong with files, symbols, memories and projects, sorted as callers tell it apart.

use mk_lsp::ServerError;
use mk_project::Error as Project;
use mk_symbols::Error as Symbol;

use crate::error::Error;

/// So many namesakes tell enough.
const MOST_CANDIDATES: usize = 20;

/// One failure of a code tool.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CodeError {
    pub kind: CodeKind,
    pub message: String,
    /// What works instead.
    pub hint: Option<String>,
    /// The file, memory or text it is about, by the name of what it is.
    pub details: Vec<(&'static str, String)>,
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

impl CodeKind {
    /// As the faces name it on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FileNotFound => "FILE_NOT_FOUND",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::InvalidArguments => "INVALID_ARGUMENTS",
            Self::ProjectNotActive => "PROJECT_NOT_ACTIVE",
            Self::MemoryMissing | Self::Memory => "MEMORY_ERROR",
            Self::SymbolNotFound => "SYMBOL_NOT_FOUND",
            Self::LanguageServer | Self::LanguageServerMissing => "LANGUAGE_SERVER_ERROR",
            Self::Timeout => "TIMEOUT",
        }
    }
}

impl CodeError {
    pub(crate) fn new(kind: CodeKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            details: Vec::new(),
        }
    }

    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub(crate) fn with_detail(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.details.push((key, value.into()));
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
        let hint = error.hint().map(str::to_owned);
        let mut message = sentence(&error);
        if let Some(cause) = std::error::Error::source(&error) {
            message.push_str(&format!(": {cause}"));
        }
        let mut code = CodeError {
            hint,
            details: subject_of(&error).into_iter().collect(),
            ..CodeError::new(kind_of(&error), message)
        };
        match error {
            Project::Changed { revision, diff, .. } => {
                code = code.with_detail("revision", revision);
                code.message
                    .push_str(&format!("\n\nWhat you have not seen:\n{diff}"));
            }
            Project::Ambiguous { lines, .. } => {
                let shown: Vec<String> = lines.iter().take(20).map(ToString::to_string).collect();
                code.message
                    .push_str(&format!(" (lines {})", shown.join(", ")));
            }
            Project::NoMemory { nearest, .. } if !nearest.is_empty() => {
                code.hint = Some(format!("the nearest names are: {}", nearest.join(", ")));
            }
            _ => {}
        }
        code.into()
    }
}

/// The file or memory that an error is about.
fn subject_of(error: &Project) -> Option<(&'static str, String)> {
    match error {
        Project::NoMemory { name, .. }
        | Project::BadMemoryName { name, .. }
        | Project::ReadOnlyMemory { name }
        | Project::MemoryExists { name } => Some(("name", name.clone())),
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
        | Project::NamedTwice { path } => Some(("file_path", path.display().to_string())),
        // The lock's path is ours, and nobody's business.
        Project::Busy { .. }
        | Project::NoTarget { .. }
        | Project::BadPattern { .. }
        | Project::UnexpectedCount { .. }
        | Project::NoBackup { .. }
        | Project::Cancelled => None,
    }
}

impl From<Symbol> for Error {
    fn from(error: Symbol) -> Self {
        let hint = error.hint().map(str::to_owned);
        let message = sentence(&error);
        let failed = |kind| CodeError {
            hint,
            ..CodeError::new(kind, message)
        };
        let invalid = CodeKind::InvalidArguments;
        match error {
            Symbol::NoSymbol { name_path, nearest } => {
                let mut failed = failed(CodeKind::SymbolNotFound);
                if !nearest.is_empty() {
                    failed.hint = Some(format!("the nearest names are: {}", nearest.join(", ")));
                }
                failed.with_detail("symbol_name", name_path)
            }
            Symbol::Unfinished { name_path } => {
                failed(CodeKind::Timeout).with_detail("symbol_name", name_path)
            }
            Symbol::NothingHere { path, .. } => failed(CodeKind::SymbolNotFound)
                .with_detail("file_path", path.display().to_string()),
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
                failed.with_detail("symbol_name", name_path)
            }
            Symbol::NoLanguage { path } | Symbol::Skipped { path, .. } => {
                failed(invalid).with_detail("file_path", path.display().to_string())
            }
            Symbol::BadName { name } | Symbol::FixedName { name } | Symbol::NoWord { name } => {
                failed(invalid).with_detail("name", name)
            }
            Symbol::SharedLines { name_path } | Symbol::Emptied { name_path } => {
                failed(invalid).with_detail("symbol_name", name_path)
            }
            Symbol::BadPattern { .. } => failed(invalid),
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
            hint: error.hint(),
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
