//! Errors meet the wire here, and only here: no other file of this face knows a code, and those of refusals are in the
//! one table of mk-tools.

use std::borrow::Cow;

use mk_engine::{Error, MissingThing};
use mk_tools::{RefusalCode, refusal_details, refusal_hint};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode};
use serde_json::{Map, json};

use crate::era::Era;

/// An error of the contract: its code, and what is said next to it.
#[derive(Debug, PartialEq)]
struct WireError {
    code: RefusalCode,
    data: String,
}

/// Where in the protocol the error happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorPlace {
    /// A call that names its session.
    CallOnSession,
    /// Any other call.
    Call,
}

/// A refused tool call, as the request's era wants it.
pub(crate) fn refused_call(
    error: &Error,
    era: Era,
    place: ErrorPlace,
) -> Result<CallToolResult, ErrorData> {
    let wire = WireError::of(error);
    match (era, error, place) {
        (Era::Stateless, _, _) => Ok(wire.as_result(error)),
        (Era::Connected, Error::Denied { .. }, ErrorPlace::Call) => Ok(wire.as_result(error)),
        // Many clients show only the message, and a refusal must say why.
        (Era::Connected, Error::Denied { .. }, ErrorPlace::CallOnSession) => {
            let message = format!("{}: {}", wire.code.title, explained(error, " "));
            Err(ErrorData::new(
                ErrorCode(wire.code.number),
                message,
                Some(json!(wire.data)),
            ))
        }
        (Era::Connected, _, _) => Err(wire.as_error()),
    }
}

/// A refused call of a rules tool: the contract's words, and apart from them what would help.
pub(crate) fn refused_rules_call(error: &Error) -> CallToolResult {
    let hint = refusal_hint(error).map(Cow::into_owned);
    let texts = [Some(error.to_string()), hint];
    CallToolResult::error(
        texts
            .into_iter()
            .flatten()
            .map(ContentBlock::text)
            .collect(),
    )
}

/// A refused call of a code tool: a result that says what went wrong and what works instead. Only a call that the
/// mode of its own session forbids is an error of the protocol, as it is for the mode tools.
pub(crate) fn refused_code_call(
    error: &Error,
    era: Era,
    place: ErrorPlace,
) -> Result<CallToolResult, ErrorData> {
    if let (Error::Denied { .. }, Era::Connected, ErrorPlace::CallOnSession) = (error, era, place) {
        return refused_call(error, era, place);
    }
    let code = RefusalCode::of(error);
    let mut details = Map::new();
    if let Error::Denied { .. } = error {
        details.insert("code".to_owned(), json!(code.number));
    }
    details.extend(refusal_details(error));
    let text = format!("Error: {}", explained(error, "\n"));
    // Codex hands on this in place of the text, so the reason stands here, too.
    let structured = json!({ "error_code": code.name, "message": text, "details": details });
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    Ok(result)
}

/// A call that came too soon. A result, because a 429 ends the session of real clients.
pub(crate) fn rate_limited(tool: &str, seconds: u64) -> CallToolResult {
    let text = format!("Error: Too many calls of {tool}\nHint: try again in {seconds} s");
    let structured = json!({
        "error_code": "RATE_LIMITED",
        "message": text,
        "details": {
            "tool": tool,
            "retry_after": seconds,
            "suggestion": format!("try again in {seconds} s"),
        },
    });
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    result
}

/// A resource that cannot be read.
pub(crate) fn refused_resource(error: &Error, era: Era) -> ErrorData {
    let wire = WireError::of(error);
    match era {
        Era::Connected => wire.as_error(),
        // Our own trouble is not the parameter's.
        Era::Stateless if matches!(error, Error::Unavailable { .. }) => wire.as_error(),
        Era::Stateless => ErrorData::invalid_params(wire.data, None),
    }
}

/// A URI of a scheme nobody serves.
pub(crate) fn unknown_scheme(uri: &str, era: Era) -> ErrorData {
    let code = match era {
        Era::Connected => ErrorCode::INVALID_REQUEST,
        Era::Stateless => ErrorCode::INVALID_PARAMS,
    };
    ErrorData::new(code, "Invalid URI scheme", Some(json!(uri)))
}

/// A rule, agent, skill or checklist that nobody has written.
pub(crate) fn unknown_resource(uri: &str, era: Era) -> ErrorData {
    let code = match era {
        Era::Connected => ErrorCode::INVALID_REQUEST,
        Era::Stateless => ErrorCode::INVALID_PARAMS,
    };
    ErrorData::new(code, format!("Resource not found: {uri}"), None)
}

/// A project configuration that cannot be used.
pub(crate) fn invalid_config(error: &Error) -> ErrorData {
    let hint = refusal_hint(error).map(|hint| json!(hint));
    ErrorData::new(ErrorCode::INTERNAL_ERROR, explained(error, " "), hint)
}

/// A `role` that no agent has.
pub(crate) fn unknown_role(error: &Error) -> ErrorData {
    let hint = refusal_hint(error).map(|hint| json!(hint));
    ErrorData::new(ErrorCode::INVALID_PARAMS, explained(error, " "), hint)
}

pub(crate) fn unknown_tool(name: &str, era: Era) -> ErrorData {
    let code = match era {
        Era::Connected => ErrorCode::METHOD_NOT_FOUND,
        Era::Stateless => ErrorCode::INVALID_PARAMS,
    };
    ErrorData::new(code, format!("Tool not found: {name}"), None)
}

pub(crate) fn unknown_prompt(name: &str, era: Era) -> ErrorData {
    let code = match era {
        Era::Connected => ErrorCode::METHOD_NOT_FOUND,
        Era::Stateless => ErrorCode::INVALID_PARAMS,
    };
    ErrorData::new(code, format!("Prompt not found: {name}"), None)
}

pub(crate) fn unknown_method(method: &str) -> ErrorData {
    ErrorData::new(
        ErrorCode::METHOD_NOT_FOUND,
        format!("Method not found: {method}"),
        None,
    )
}

pub(crate) fn invalid_params(message: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(message.into(), None)
}

/// State that a client brought back for a call, and that does not belong to it.
pub(crate) fn foreign_state() -> ErrorData {
    invalid_params("invalid requestState: it belongs to another call, was modified, or has expired")
}

/// Something that is our fault: the client gets a number, the log the detail.
pub(crate) fn internal(detail: &str) -> ErrorData {
    let id = mk_types::ApprovalId::random();
    let id = id.as_str().trim_start_matches("appr_");
    tracing::error!(id, detail, "internal error");
    ErrorData::internal_error("Internal error", Some(json!({ "id": id })))
}

/// Work that nobody waits for any more.
pub(crate) fn cancelled() -> ErrorData {
    ErrorData::internal_error("Request cancelled", None)
}

/// A client that wants more of something than it can get.
pub(crate) fn too_many(what: &str) -> ErrorData {
    ErrorData::internal_error(format!("Too many {what} on this connection"), None)
}

/// A line that is not JSON.
pub(crate) fn parse_error(detail: &str) -> ErrorData {
    ErrorData::new(ErrorCode::PARSE_ERROR, "Parse error", Some(json!(detail)))
}

/// JSON that is not a message.
pub(crate) fn invalid_request(detail: &str) -> ErrorData {
    ErrorData::new(
        ErrorCode::INVALID_REQUEST,
        "Invalid Request",
        Some(json!(detail)),
    )
}

impl WireError {
    fn of(error: &Error) -> Self {
        let data = match refusal_hint(error) {
            Some(hint) if matches!(error, Error::Unavailable { .. }) => format!("{error}; {hint}"),
            _ => error.to_string(),
        };
        let code = RefusalCode::of(error);
        Self { code, data }
    }

    fn as_error(&self) -> ErrorData {
        let RefusalCode { number, title, .. } = self.code;
        ErrorData::new(ErrorCode(number), title, Some(json!(self.data)))
    }

    /// What a model reads: the text, and the same for programs.
    fn as_result(&self, error: &Error) -> CallToolResult {
        let Self { code, data } = self;
        let RefusalCode { number, title, .. } = *code;
        let explained = explained(error, "\n");
        // What the contract says of these begins with the title.
        let is_titled = matches!(
            error,
            Error::NotFound(
                MissingThing::Mode { .. } | MissingThing::ModeInForce(_) | MissingThing::Task(_)
            )
        );
        let text = if is_titled {
            explained
        } else {
            format!("{title}: {explained}")
        };
        let mut structured = json!({
            "error": { "code": number, "name": title, "message": text, "data": data }
        });
        if matches!(error, Error::Denied { .. })
            && let Some(structured) = structured.as_object_mut()
        {
            structured.insert("error_code".to_owned(), json!(code.name));
            let mut details = Map::from_iter([("code".to_owned(), json!(number))]);
            details.extend(refusal_details(error));
            structured.insert("details".to_owned(), json!(details));
        }
        let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
        result.structured_content = Some(structured);
        result
    }
}

/// What was refused, by which rule, and what to do next: clients hand on nothing but a text.
fn explained(error: &Error, separator: &str) -> String {
    let mut text = error.to_string();
    if let Error::Denied {
        rule: Some(rule), ..
    } = error
    {
        text.push_str(&format!("{separator}Rule: {}.", rule.as_str()));
    }
    if let Some(hint) = refusal_hint(error) {
        text.push_str(&format!("{separator}Hint: {hint}"));
    }
    text
}
