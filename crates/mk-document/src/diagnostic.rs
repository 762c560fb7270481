//! What is wrong with a file somebody wrote, and where: the compiler's view of mode files.

use std::fmt;

/// How bad it is: an error keeps a mode from loading, a warning does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Warning,
    Error,
}

/// A place in a file, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

impl Position {
    pub const START: Self = Self { line: 1, column: 1 };
}

/// One problem of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// The file as a person would name it.
    pub file: String,
    pub position: Position,
    /// The mode it concerns, if its slug could be read.
    pub mode: Option<String>,
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
            mode,
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
        if let Some(mode) = mode {
            write!(f, "mode `{mode}`: ")?;
        }
        f.write_str(message)
    }
}

/// Collects the problems of one file.
#[derive(Debug)]
pub struct Diagnostics {
    file: String,
    mode: Option<String>,
    found: Vec<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    pub fn new(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            mode: None,
            found: Vec::new(),
            errors: 0,
        }
    }

    /// From here on, problems concern this mode.
    pub fn enter_mode(&mut self, slug: Option<&str>) {
        self.mode = slug.map(str::to_owned);
    }

    pub fn error(&mut self, position: Position, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Severity::Error, position, message.into())
    }

    pub fn warning(&mut self, position: Position, message: impl Into<String>) -> &mut Diagnostic {
        self.push(Severity::Warning, position, message.into())
    }

    pub fn errors(&self) -> usize {
        self.errors
    }

    pub fn into_found(self) -> Vec<Diagnostic> {
        self.found
    }

    fn push(&mut self, severity: Severity, position: Position, message: String) -> &mut Diagnostic {
        self.errors += usize::from(severity == Severity::Error);
        self.found.push(Diagnostic {
            severity,
            file: self.file.clone(),
            position,
            mode: self.mode.clone(),
            message,
            hint: None,
        });
        let last = self.found.len() - 1;
        &mut self.found[last]
    }
}

impl Diagnostic {
    pub fn hint(&mut self, hint: impl Into<String>) {
        self.hint = Some(hint.into());
    }
}
