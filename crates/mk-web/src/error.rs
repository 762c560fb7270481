//! Errors of the web face: how a refusal is wrapped. The codes of refusals are in the one table of mk-tools.

use mk_engine::Error;
use mk_tools::{RefusalCode, Toolset, refusal_details, refusal_hint};
use serde_json::{Map, Value, json};

/// A refused call: a result like any other, with a code.
pub(crate) fn refused(error: &Error, family: Toolset) -> Value {
    let code = RefusalCode::of(error);
    let mut details = Map::new();
    // The mode tools' numbers are for their clients, and a denial has one wherever it happens.
    if family == Toolset::Modes || matches!(error, Error::Denied { .. }) {
        details.insert("code".to_owned(), json!(code.number));
    }
    details.extend(refusal_details(error));
    let hint = refusal_hint(error);
    result(
        &error.to_string(),
        code.name_in(family),
        hint.as_deref(),
        details,
    )
}

pub(crate) fn unknown_tool(name: &str) -> Value {
    let message = format!("Tool not found: {name}");
    access(
        "INVALID_ARGUMENTS",
        &message,
        "list the tools with GET /tools/list",
    )
}

/// A body that is not a call.
pub(crate) fn malformed(message: &str) -> Value {
    let hint = "send {\"name\": …, \"arguments\": {…}}; list the tools with GET /tools/list";
    access("INVALID_ARGUMENTS", message, hint)
}

pub(crate) fn rate_limited(tool: &str, seconds: u64) -> Value {
    let hint = format!("try again in {seconds} s");
    let details = Map::from_iter([
        ("tool".to_owned(), json!(tool)),
        ("retry_after".to_owned(), json!(seconds)),
        ("suggestion".to_owned(), json!(hint)),
    ]);
    let message = format!("Too many calls of {tool}");
    result(&message, "RATE_LIMITED", Some(&hint), details)
}

/// What a route refuses before any use case was asked.
pub(crate) fn access(code: &str, message: &str, hint: &str) -> Value {
    let details = Map::from_iter([("suggestion".to_owned(), json!(hint))]);
    result(message, code, Some(hint), details)
}

/// The hint stands in the text, too: many clients show nothing else.
fn result(message: &str, code: &str, hint: Option<&str>, details: Map<String, Value>) -> Value {
    let text = match hint {
        Some(hint) => format!("Error: {message}\nHint: {hint}"),
        None => format!("Error: {message}"),
    };
    json!({
        "content": [{ "type": "text", "text": text }],
        "isError": true,
        "error_code": code,
        "details": Value::Object(details),
    })
}
