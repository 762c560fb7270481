//! The HTTP room: takes connections, decides who may speak, and serves every tool over plain HTTP.
//!
//! Routes of other faces are mounted beside its own by the binary; what stands in front of them stands here.

mod call;
mod error;
mod guard;
mod language_servers;
mod listen;
mod memories;
mod openapi;
mod peer;
mod server;
mod status;
#[cfg(test)]
mod tests;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{delete, get, post};

pub use guard::{Access, LARGEST_BODY, guarded};
pub use listen::serve;
pub use peer::{Peer, PeerUser};
pub use server::{Active, Web};

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
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .with_state(web)
}
