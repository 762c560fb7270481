//! The HTTP room: takes connections, decides who may speak, and serves every tool over plain HTTP.
//!
//! Routes of other faces are mounted beside its own by the binary; what stands in front of them stands here.

mod approvals;
mod backups;
mod call;
mod decisions;
mod ending;
mod error;
mod events;
mod forwarded;
mod gate;
mod guard;
mod issuer;
mod language_servers;
mod listen;
mod machine;
mod memories;
mod modes;
mod openapi;
mod owner;
mod page;
mod peer;
mod project;
mod reply;
mod resource;
mod server;
mod session;
mod status;
mod tasks;
#[cfg(test)]
mod tests;
mod usage;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};

pub use events::EventStreams;
pub use forwarded::{InvalidProxy, TrustedProxies};
pub use gate::{RequestSender, RouteNeed, gated, need};
pub use guard::{AllowedHosts, LARGEST_BODY, guarded};
pub use issuer::{KeyPlace, KeyPlaceError, TokenIssuer};
pub use listen::serve;
pub use machine::{Machine, PageAttendance};
pub use owner::SocketOwners;
pub use peer::{Peer, PeerUser};
pub use resource::ProtectedResource;
pub use server::{ActiveDirectory, Web};

/// Every route of this face.
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
        .route(
            "/api/memories/{*name}",
            get(memories::show)
                .put(memories::write)
                .delete(memories::remove),
        )
        .merge(of_the_page())
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .with_state(web)
}

/// The page, and what it needs.
fn of_the_page() -> Router<Web> {
    Router::new()
        .route("/", get(page::index))
        .route("/page/{file}", get(page::file))
        .route("/healthz", get(usage::health))
        .route("/readyz", get(usage::ready))
        .route("/metrics", get(usage::metrics))
        .route(
            "/api/session",
            get(session::show)
                .post(session::open)
                .delete(session::close),
        )
        .route("/api/events", get(events::stream))
        .route("/api/approvals", get(approvals::list))
        .route("/api/approvals/{id}", post(approvals::decide))
        .route("/api/acts", get(approvals::acts))
        .route("/api/tasks", get(tasks::list))
        .route("/api/tasks/{id}", get(tasks::show))
        .route("/api/tasks/{id}/switch", post(tasks::switch))
        .route("/api/tasks/{id}/finish", post(tasks::finish))
        .route("/api/backups", get(backups::list))
        .route("/api/backups/{id}/restore", post(backups::restore))
        .route("/api/decisions", get(decisions::list))
        .route("/api/decisions/{id}", get(decisions::show))
        .route("/api/modes", get(modes::list))
        .route("/api/modes/{slug}/prompt", get(modes::prompt))
        .route("/api/modes/{slug}/trust", post(modes::trust))
        .route("/api/modes/draft", post(modes::draft))
        .route("/api/modes/file", get(modes::file).put(modes::save))
        .route("/api/mode", post(modes::choose))
        .route("/api/check", post(modes::check))
        .route("/api/enforcement", get(project::enforcement))
        .route("/api/project", get(project::show))
        .route("/api/playbook", get(project::playbook))
        .route("/api/usage", get(usage::show))
        .route("/api/logs", get(project::logs))
}
