//! The web face: every tool over plain HTTP, with its description, its limits and its errors.
//!
//! Whether a request may come in at all (Host, Origin) is decided in front of it.

mod call;
mod error;
mod language_servers;
mod limit;
mod memories;
mod openapi;
mod server;
mod status;
#[cfg(test)]
mod tests;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{delete, get, post};

pub use limit::{Limits, limit};
pub use server::Web;

/// The routes of the REST interface.
pub fn routes(web: Web) -> Router {
    Router::new()
        .route("/server/info", get(server::info))
        .route("/openapi.json", get(openapi::document))
        .route("/tools/list", get(call::list))
        .route("/tools/call", post(call::call))
        .route("/api/status", get(status::show))
        .route(
            "/api/language-servers/{language}/restart",
            post(language_servers::restart),
        )
        .route("/api/memories", get(memories::list))
        .route("/api/memories/{*name}", delete(memories::remove))
        .layer(DefaultBodyLimit::max(limit::LARGEST_BODY))
        .with_state(web)
}
