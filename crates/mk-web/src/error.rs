//! Errors of the web face: the one place that knows its codes.

use mk_engine::{Error, MissingThing};
use mk_tools::Toolset;
use serde_json::{Map, Value, json};

/// A refused call: a result like any other, with a code.
pub(crate) fn refused(error: &Error, family: Toolset) -> Value {
    let mut details = Map::new();
    if let Error::Code(code) = error {
        for (key, value) in &code.details {
            details.insert((*key).to_owned(), json!(value));
        }
    }
    if let Some(number) = number_of(error, family) {
        details.insert("code".to_owned(), json!(number));
    }
    if let Some(hint) = error.hint() {
        details.insert("suggestion".to_owned(), json!(hint));
    }
    let message = match error.hint() {
        Some(hint) => format!("{error}\nHint: {hint}"),
        None => error.to_string(),
    };
    result(&message, code_of(error, family), details)
}

pub(crate) fn unknown_tool(name: &str) -> Value {
    let suggestion = "GET /tools/list shows what there is";
    let details = Map::from_iter([("suggestion".to_owned(), json!(suggestion))]);
    result(
        &format!("Tool not found: {name}"),
        "INVALID_ARGUMENTS",
        details,
    )
}

/// A request that is none.
pub(crate) fn malformed(message: &str) -> Value {
    let suggestion = "send {\"name\": …, \"arguments\": {…}}; GET /tools/list shows the tools";
    let details = Map::from_iter([("suggestion".to_owned(), json!(suggestion))]);
    result(message, "INVALID_ARGUMENTS", details)
}

pub(crate) fn rate_limited(tool: &str, seconds: u64) -> Value {
    let details = Map::from_iter([
        ("tool".to_owned(), json!(tool)),
        ("retry_after".to_owned(), json!(seconds)),
        ("suggestion".to_owned(), json!("wait, then try again")),
    ]);
    result(
        &format!("Too many calls of {tool}"),
        "RATE_LIMITED",
        details,
    )
}

/// What a route refuses before any use case was asked.
pub(crate) fn access(code: &str, message: &str, hint: &str) -> Value {
    let details = Map::from_iter([("suggestion".to_owned(), json!(hint))]);
    result(message, code, details)
}

fn result(message: &str, code: &str, details: Map<String, Value>) -> Value {
    json!({
        "content": [{ "type": "text", "text": format!("Error: {message}") }],
        "isError": true,
        "error_code": code,
        "details": Value::Object(details),
    })
}

fn code_of(error: &Error, family: Toolset) -> &'static str {
    match (error, family) {
        (Error::Denied { .. }, _) => "PERMISSION_DENIED",
        (Error::Code(code), _) => code.kind.as_str(),
        (Error::Unavailable { .. }, _) => "INTERNAL_ERROR",
        (
            Error::NotFound {
                what: MissingThing::Mode,
                ..
            },
            Toolset::Modes,
        ) => "MODE_NOT_FOUND",
        (
            Error::NotFound {
                what: MissingThing::Task,
                ..
            },
            Toolset::Modes,
        ) => "TASK_NOT_FOUND",
        (Error::Expired { .. }, Toolset::Modes) => "SESSION_EXPIRED",
        (_, Toolset::Modes) => "VALIDATION_ERROR",
        _ => "INVALID_ARGUMENTS",
    }
}

/// The modes server's numbers, which its clients know.
fn number_of(error: &Error, family: Toolset) -> Option<i32> {
    match error {
        Error::Denied { .. } if error.concerns_file() => Some(-32006),
        Error::Denied { .. } => Some(-32005),
        _ if family != Toolset::Modes => None,
        Error::NotFound {
            what: MissingThing::Mode,
            ..
        } => Some(-32001),
        Error::NotFound {
            what: MissingThing::Task,
            ..
        } => Some(-32002),
        Error::Expired { .. } => Some(-32003),
        Error::InvalidInput { .. } | Error::Conflict { .. } | Error::NotFound { .. } => {
            Some(-32004)
        }
        Error::Code(_) | Error::Playbook { .. } | Error::Unavailable { .. } => None,
    }
}
