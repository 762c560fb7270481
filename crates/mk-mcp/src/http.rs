//! MCP over HTTP: Streamable HTTP at `/mcp` and `/mcp/{mode}`, and the older `GET /sse` with `POST /messages`.
//!
//! Takes its listener and its shutdown from the caller.

mod access;
mod sse;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use mk_types::ModeSlug;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

pub use access::Access;

use crate::connection::Server;
use crate::handler::Handler;
use crate::transport::line::{LONGEST_LINE, read_message};

/// A session that nobody uses ends after this time. rmcp's five minutes are shorter than a person's lunch, and many
/// clients do not recover from a session that is gone.
const IDLE: Duration = Duration::from_secs(3600);

/// Makes the handler of a connection; the mode is the endpoint's.
pub type Connect<H> = Arc<dyn Fn(Option<ModeSlug>) -> io::Result<H> + Send + Sync>;

/// The routes of a Modekeeper server, without the guard that [`guarded`] puts in front of them and of others.
pub fn router(server: &Server) -> Router {
    let connect = {
        let server = server.clone();
        Arc::new(move |mode: Option<ModeSlug>| server.connect(mode).map(Handler::new))
    };
    let exists = {
        let server = server.clone();
        move |mode: &ModeSlug| {
            server
                .engine()
                .modes()
                .catalogue_at(server.start().folder())
                .get(mode.as_str())
                .is_some()
        }
    };
    unguarded(Endpoints {
        connect,
        exists: Arc::new(exists),
        closing: server.closing().clone(),
    })
}

/// What the routes serve: any handler, so that a conformance fixture runs on the very same stack.
#[derive(Clone)]
pub struct Endpoints<H> {
    pub connect: Connect<H>,
    /// Whether there is such a mode: others are not found.
    pub exists: Arc<dyn Fn(&ModeSlug) -> bool + Send + Sync>,
    pub closing: CancellationToken,
}

impl<H> std::fmt::Debug for Endpoints<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoints").finish_non_exhaustive()
    }
}

/// The routes with their guards, for any handler.
pub fn routes<H: ServerHandler + Clone>(endpoints: Endpoints<H>, access: Access) -> Router {
    guarded(unguarded(endpoints), access)
}

/// Puts the checks of Host and Origin in front of routes.
pub fn guarded(router: Router, access: Access) -> Router {
    router.layer(middleware::from_fn_with_state(
        Arc::new(access),
        access::check,
    ))
}

fn unguarded<H: ServerHandler + Clone>(endpoints: Endpoints<H>) -> Router {
    let connect = Arc::clone(&endpoints.connect);
    let sse = sse::Sessions::new(Arc::new(move || connect(None)), endpoints.closing.clone());
    let streamable = Arc::new(Streamable {
        endpoints,
        services: Mutex::default(),
    });
    Router::new()
        .route("/mcp", any(serve_any::<H>))
        .route("/mcp/{mode}", any(serve_mode::<H>))
        .with_state(streamable)
        .route("/sse", get(sse::open::<H>))
        .route("/messages", post(sse::receive::<H>))
        .with_state(sse)
        .layer(axum::extract::DefaultBodyLimit::max(LONGEST_LINE))
}

type Service<H> = StreamableHttpService<H, LocalSessionManager>;

struct Streamable<H: ServerHandler> {
    endpoints: Endpoints<H>,
    /// One a mode: its sessions are its own.
    services: Mutex<HashMap<Option<ModeSlug>, Service<H>>>,
}

impl<H: ServerHandler + Clone> Streamable<H> {
    fn service(&self, mode: Option<&ModeSlug>) -> Service<H> {
        let mut services = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let (connect, mode) = (Arc::clone(&self.endpoints.connect), mode.cloned());
            // Host and Origin were checked in front, for every route alike.
            let config = StreamableHttpServerConfig::default()
                .disable_allowed_hosts()
                .disable_allowed_origins()
                .with_max_request_body_bytes(LONGEST_LINE)
                .with_cancellation_token(self.endpoints.closing.clone());
            let mut sessions = LocalSessionManager::default();
            sessions.session_config.keep_alive = Some(IDLE);
            StreamableHttpService::new(move || connect(mode.clone()), Arc::new(sessions), config)
        };
        services.entry(mode.cloned()).or_insert_with(make).clone()
    }
}

async fn serve_any<H: ServerHandler + Clone>(
    State(state): State<Arc<Streamable<H>>>,
    request: Request,
) -> Response {
    serve(&state.service(None), request).await
}

async fn serve_mode<H: ServerHandler + Clone>(
    State(state): State<Arc<Streamable<H>>>,
    Path(mode): Path<String>,
    request: Request,
) -> Response {
    match ModeSlug::parse(&mode)
        .ok()
        .filter(|mode| (state.endpoints.exists)(mode))
    {
        Some(mode) => serve(&state.service(Some(&mode)), request).await,
        None => (
            StatusCode::NOT_FOUND,
            format!("there is no mode `{mode}`\n"),
        )
            .into_response(),
    }
}

/// rmcp answers a body it cannot read with 415 and prose; clients of JSON-RPC want to know what was wrong with it.
async fn serve<H: ServerHandler>(service: &Service<H>, request: Request) -> Response {
    if request.method() != Method::POST {
        return service.handle(request).await.into_response();
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LONGEST_LINE).await else {
        let refusal = format!("the body is longer than {LONGEST_LINE} bytes, or was cut off\n");
        return (StatusCode::PAYLOAD_TOO_LARGE, refusal).into_response();
    };
    let request = Request::from_parts(parts, Body::from(body.clone()));
    let response = service.handle(request).await.into_response();
    if response.status() != StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return response;
    }
    match read_message(&body) {
        Err(refusal) => (StatusCode::BAD_REQUEST, Json(refusal.to_json())).into_response(),
        // It was the type after all.
        Ok(_) => response,
    }
}
