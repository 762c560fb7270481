//! JSON-RPC 2.0 as language servers speak it.
//!
//! Parameters and results stay text until somebody knows their type: that is cheaper, and it bounds what a hostile
//! server can make us allocate.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::frame::frame;

pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INTERNAL_ERROR: i64 = -32603;
pub(crate) const REQUEST_CANCELLED: i64 = -32800;
pub(crate) const CONTENT_MODIFIED: i64 = -32801;
pub(crate) const SERVER_CANCELLED: i64 = -32802;

/// One message from a server.
#[derive(Debug)]
pub(crate) enum Incoming {
    Response {
        id: i64,
        result: Result<Box<RawValue>, ResponseError>,
    },
    Request {
        /// As the server wrote it, to be sent back.
        id: Box<RawValue>,
        method: String,
        params: Box<RawValue>,
    },
    Notification {
        method: String,
        params: Box<RawValue>,
    },
}

/// The error of a response.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ResponseError {
    pub(crate) code: i64,
    #[serde(default)]
    pub(crate) message: String,
}

#[derive(Deserialize)]
struct WireMessage {
    id: Option<Box<RawValue>>,
    method: Option<String>,
    params: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    error: Option<ResponseError>,
}

impl Incoming {
    /// Reads one message; `None` if it is not one.
    pub(crate) fn parse(body: &[u8]) -> Option<Self> {
        // Names of files that are not UTF-8 find their way into messages.
        let text = String::from_utf8_lossy(body);
        let wire: WireMessage = serde_json::from_str(&text).ok()?;
        let params = wire.params.unwrap_or_default();
        match (wire.method, wire.id) {
            (Some(method), Some(id)) => Some(Self::Request { id, method, params }),
            (Some(method), None) => Some(Self::Notification { method, params }),
            (None, Some(id)) => Some(Self::Response {
                id: id.get().trim_matches('"').parse().ok()?,
                result: match wire.error {
                    Some(refusal) => Err(refusal),
                    None => Ok(wire.result.unwrap_or_default()),
                },
            }),
            (None, None) => None,
        }
    }
}

pub(crate) fn request(id: i64, method: &str, params: &Value) -> Vec<u8> {
    framed(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

pub(crate) fn notification(method: &str, params: &Value) -> Vec<u8> {
    framed(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

pub(crate) fn response(id: &RawValue, result: &Result<Value, ResponseError>) -> Vec<u8> {
    framed(&match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(refusal) => json!({
            "jsonrpc": "2.0",
            "id": id,
            "error": {"code": refusal.code, "message": refusal.message},
        }),
    })
}

fn framed(message: &Value) -> Vec<u8> {
    frame(message.to_string().as_bytes())
}
