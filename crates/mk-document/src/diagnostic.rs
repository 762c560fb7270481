//! What is wrong with a file that a person wrote, and where.

use std::fmt;
use std::path::Path;

/// How bad it is: an error keeps something from loading, a warning does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Warning,
    Error,
}

/// A place in a file, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DocumentPosition {
    pub line: u32,
    pub column: u32,
}

impl DocumentPosition {
    pub const START: Self = Self { line: 1, column: 1 };
}

/// A part of a file by kind and name: mode `architect`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticSubject {
    pub kind: &'static str,
    pub name: String,
}

/// One problem of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// The file as a person would name it.
    pub file: String,
    pub position: DocumentPosition,
    /// What it concerns within the file, if that could be told.
    pub subject: Option<DiagnosticSubject>,
    pub message: String,
    pub hint: Option<String>,
}

impl fmt::Display for Diagnostic {
    /// `file:line:column: error: message`, the form that editors make clickable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            severity,
            file,
            position,
            subject,
            message,
            hint: _,
        } = self;
        let severity = match severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(
            f,
            "{file}:{}:{}: {severity}: ",
            position.line, position.column
        )?;
        if let Some(DiagnosticSubject { kind, name }) = subject {
            write!(f, "{kind} `{name}`: ")?;
        }
        f.write_str(message)
    }
}

impl Diagnostic {
    /// A problem of a whole file or directory.
    pub fn of_file(path: &Path, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            severity,
            file: path.display().to_string(),
            position: DocumentPosition::START,
            subject: None,
            message: message.into(),
            hint: None,
        }
    }

    pub fn hint(&mut self, hint: impl Into<String>) {
        self.hint = Some(hint.into());
    }
}
