//! Collects what is wrong with one file.

use crate::diagnostic::{Diagnostic, DiagnosticSubject, DocumentPosition, Severity};
use crate::node::{DocumentNode, Located};

use crate::literal::{LiteralFault, dangerous_key};

/// The problems of one file.
#[derive(Debug)]
pub struct DocumentReport {
    file: String,
    subject: Option<DiagnosticSubject>,
    found: Vec<Diagnostic>,
    errors: usize,
    /// How many lines of the file stand before the text that positions are counted in.
    lines_before: u32,
}

impl DocumentReport {
    pub fn new(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            subject: None,
            found: Vec::new(),
            errors: 0,
            lines_before: 0,
        }
    }

    /// From here on, problems concern this part of the file.
    pub fn enter(&mut self, kind: &'static str, name: Option<&str>) {
        self.subject = name.map(|name| DiagnosticSubject {
            kind,
            name: name.to_owned(),
        });
    }

    /// From here on, positions are counted from the line after `line`.
    pub fn count_from(&mut self, line: u32) {
        self.lines_before = line;
    }

    pub fn error(
        &mut self,
        position: DocumentPosition,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.push(Severity::Error, position, message.into())
    }

    pub fn warning(
        &mut self,
        position: DocumentPosition,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.push(Severity::Warning, position, message.into())
    }

    pub fn unread(&mut self, unread: LiteralFault) {
        self.error(unread.position, unread.message);
    }

    /// Whether no key of the file may change an object's nature; says so if one does.
    pub fn keys_are_safe(&mut self, node: &DocumentNode) -> bool {
        let Some(key) = dangerous_key(node) else {
            return true;
        };
        let message = format!("the key `{}` is not allowed at any depth", key.value);
        self.error(key.position, message);
        false
    }

    /// The text of a node; says so if it is something else.
    pub fn text<'a>(&mut self, key: &str, node: &'a Located<DocumentNode>) -> Option<&'a str> {
        match &node.value {
            DocumentNode::Text(text) => Some(text),
            DocumentNode::Null => None,
            other => {
                self.expected(key, "text", other, node.position);
                None
            }
        }
    }

    /// The texts of a list; says so of whatever is something else.
    pub fn texts(&mut self, key: &str, node: &Located<DocumentNode>) -> Vec<String> {
        match &node.value {
            DocumentNode::List(items) => items
                .iter()
                .filter_map(|item| self.text(key, item).map(str::to_owned))
                .collect(),
            DocumentNode::Null => Vec::new(),
            other => {
                self.expected(key, "a list of texts", other, node.position);
                Vec::new()
            }
        }
    }

    pub fn expected(
        &mut self,
        key: &str,
        what: &str,
        found: &DocumentNode,
        position: DocumentPosition,
    ) {
        let kind = found.kind();
        self.warning(position, format!("`{key}` must be {what}, not {kind}"));
    }

    pub fn errors(&self) -> usize {
        self.errors
    }

    pub fn into_found(self) -> Vec<Diagnostic> {
        self.found
    }

    fn push(
        &mut self,
        severity: Severity,
        position: DocumentPosition,
        message: String,
    ) -> &mut Diagnostic {
        self.errors += usize::from(severity == Severity::Error);
        self.found.push(Diagnostic {
            severity,
            file: self.file.clone(),
            position: DocumentPosition {
                line: position.line.saturating_add(self.lines_before),
                column: position.column,
            },
            subject: self.subject.clone(),
            message,
            hint: None,
        });
        let last = self.found.len() - 1;
        &mut self.found[last]
    }
}
