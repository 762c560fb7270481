//! What the page's routes have in common: reading bodies, and refusing.

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use mk_engine::{Error, MissingThing};
use mk_tools::{RefusalCode, Toolset};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error;

/// The query as a value of its type. axum's own refuses in plain text; every refusal here is JSON.
pub(crate) struct JsonQuery<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for JsonQuery<T> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        match axum::extract::Query::try_from_uri(&parts.uri) {
            Ok(axum::extract::Query(value)) => Ok(Self(value)),
            Err(error) => Err(malformed(&error.body_text())),
        }
    }
}

/// The body as a value of its type, or the refusal.
pub(crate) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Box<Response>> {
    serde_json::from_slice(body).map_err(|error| Box::new(malformed(&error.to_string())))
}

pub(crate) fn malformed(message: &str) -> Response {
    let hint = "GET /openapi.json describes the request";
    let body = error::access("INVALID_ARGUMENTS", message, hint);
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

/// What is not there.
pub(crate) fn missing(message: &str) -> Response {
    let body = error::access("NOT_FOUND", message, "list what there is with GET");
    (StatusCode::NOT_FOUND, Json(body)).into_response()
}

pub(crate) fn refuse(error: &Error) -> Response {
    let status = status_of(error);
    let toolset = match error {
        Error::NotFound(
            MissingThing::Mode { .. }
            | MissingThing::ModeInForce(_)
            | MissingThing::Task(_)
            | MissingThing::Session(_)
            | MissingThing::ParentSession(_)
            | MissingThing::Expired(_),
        )
        | Error::Expired { .. } => Toolset::Modes,
        _ => Toolset::Project,
    };
    (status, Json(error::refused(error, toolset))).into_response()
}

/// What the table of codes says.
pub(crate) fn status_of(error: &Error) -> StatusCode {
    let status = RefusalCode::of(error).status;
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// An answer, or the refusal.
pub(crate) fn answer(made: Result<Value, Error>) -> Response {
    match made {
        Ok(value) => Json(value).into_response(),
        Err(error) => refuse(&error),
    }
}
