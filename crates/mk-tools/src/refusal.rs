//! The one table of codes: what every face calls a refusal. How it is wrapped is each protocol's own.

use std::borrow::Cow;

use mk_engine::{CodeKind, Error, ErrorSubject, MissingThing, NextStep};
use serde_json::{Map, Value, json};

use crate::Toolset;

const INVALID: &str = "INVALID_ARGUMENTS";
const VALIDATION: (i32, &str) = (-32004, "Validation error");

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusalCode {
    /// The mode tools' number, which clients know.
    pub number: i32,
    /// What belongs to the number.
    pub title: &'static str,
    pub name: &'static str,
    /// The mode tools tell apart what is not there.
    mode_name: &'static str,
    /// Of HTTP, for routes that are not tools.
    pub status: u16,
}

impl RefusalCode {
    pub fn of(error: &Error) -> Self {
        let ((number, title), name, mode_name, status) = match error {
            Error::NotFound(MissingThing::Mode { .. } | MissingThing::ModeInForce(_)) => {
                ((-32001, "Mode not found"), INVALID, "MODE_NOT_FOUND", 404)
            }
            Error::NotFound(
                MissingThing::Task(_)
                | MissingThing::Session(_)
                | MissingThing::ParentSession(_)
                | MissingThing::Expired(_),
            ) => ((-32002, "Task not found"), INVALID, "TASK_NOT_FOUND", 404),
            Error::NotFound(
                MissingThing::Approval(_)
                | MissingThing::Decision(_)
                | MissingThing::Conversation(_),
            ) => (VALIDATION, INVALID, "VALIDATION_ERROR", 404),
            Error::Expired { .. } => ((-32003, "Session expired"), INVALID, "SESSION_EXPIRED", 410),
            Error::InvalidInput { .. } | Error::Playbook { .. } => {
                (VALIDATION, INVALID, "VALIDATION_ERROR", 400)
            }
            Error::Conflict(_) => (VALIDATION, INVALID, "VALIDATION_ERROR", 409),
            Error::Denied { .. } => {
                let number = if error.concerns_file() {
                    (-32006, "File restriction error")
                } else {
                    (-32005, "Tool restriction error")
                };
                (number, "PERMISSION_DENIED", "PERMISSION_DENIED", 403)
            }
            Error::Unavailable { .. } => {
                let number = (-32603, "Internal error");
                (number, "INTERNAL_ERROR", "INTERNAL_ERROR", 503)
            }
            Error::Code(code) => {
                let (name, status) = code_row(code.kind);
                (VALIDATION, name, name, status)
            }
        };
        Self {
            number,
            title,
            name,
            mode_name,
            status,
        }
    }

    /// The name, as a tool of this set answers it.
    pub fn name_in(&self, toolset: Toolset) -> &'static str {
        match toolset {
            Toolset::Modes => self.mode_name,
            _ => self.name,
        }
    }
}

const fn code_row(kind: CodeKind) -> (&'static str, u16) {
    match kind {
        CodeKind::FileNotFound => ("FILE_NOT_FOUND", 404),
        CodeKind::PermissionDenied => ("PERMISSION_DENIED", 403),
        CodeKind::InvalidArguments => (INVALID, 400),
        CodeKind::ProjectNotActive => ("PROJECT_NOT_ACTIVE", 400),
        CodeKind::MemoryMissing => ("MEMORY_ERROR", 404),
        CodeKind::Memory => ("MEMORY_ERROR", 403),
        CodeKind::SymbolNotFound => ("SYMBOL_NOT_FOUND", 404),
        CodeKind::LanguageServer => ("LANGUAGE_SERVER_ERROR", 502),
        CodeKind::LanguageServerMissing => ("LANGUAGE_SERVER_ERROR", 409),
        CodeKind::Timeout => ("TIMEOUT", 504),
    }
}

/// What a refusal is about and what to do next, for programs. The next step stands in the text, too.
pub fn refusal_details(error: &Error) -> Map<String, Value> {
    let mut details = Map::new();
    let mut add = |key: &str, value: Value| details.insert(key.to_owned(), value);
    if let Error::Code(code) = error {
        match &code.subject {
            Some(ErrorSubject::File(path)) => drop(add("file_path", json!(path))),
            Some(ErrorSubject::Memory(name) | ErrorSubject::Name(name)) => {
                drop(add("name", json!(name)));
            }
            Some(ErrorSubject::Symbol(name)) => drop(add("symbol_name", json!(name))),
            Some(ErrorSubject::Project(root)) => drop(add("project_root", json!(root))),
            None => {}
        }
        if let Some(revision) = &code.revision {
            add("revision", json!(revision));
        }
    }
    if let Some(hint) = refusal_hint(error) {
        add("suggestion", json!(hint));
    }
    details
}

/// What a model can do next.
pub fn refusal_hint(error: &Error) -> Option<Cow<'_, str>> {
    error.next_step().map(NextStep::for_model)
}
