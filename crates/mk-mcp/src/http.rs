//! MCP over HTTP: Streamable HTTP at `/mcp` and `/mcp/{mode}`, and the older `GET /sse` with `POST /messages`.
//!
//! Gives routes; who may use them, and on which listener, is decided in front of them.

mod batch;
mod lobby;
mod sse;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use mk_engine::AgentLimits;
use mk_types::{CredentialId, ModeSlug, lock};
use rmcp::ServerHandler;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use crate::connection::McpServer;
use crate::handler::Handler;
use crate::transport::line::{LONGEST_LINE, read_message};
use lobby::{ForgetSession, Lobby};

/// The header by which a client names its session.
pub(crate) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
/// When a client may come back that found no room.
const COME_BACK: HeaderValue = HeaderValue::from_static("10");

/// Makes the handler of a connection; the mode is the endpoint's, the limits are the credential's.
pub type ConnectHttp<H> =
    Arc<dyn Fn(Option<&ModeSlug>, &AgentLimits) -> io::Result<H> + Send + Sync>;

/// The routes of a Modekeeper server.
pub fn router(server: &McpServer) -> Router {
    let connect = {
        let server = server.clone();
        Arc::new(move |mode: Option<&ModeSlug>, limits: &AgentLimits| {
            let endpoint = mode.map(|mode| server.engine().modes().ceiling(mode.as_str()));
            let endpoint = endpoint.transpose().map_err(io::Error::other)?;
            let connection = server.connect_within(endpoint, limits);
            connection.map(Handler::new)
        })
    };
    let exists = {
        let server = server.clone();
        move |mode: &ModeSlug| server.engine().modes().ceiling(mode.as_str()).is_ok()
    };
    let forget = {
        let server = server.clone();
        move |session: &str| server.forget(session)
    };
    routes(Endpoints {
        connect,
        exists: Arc::new(exists),
        forget: Arc::new(forget),
        closing: server.closing().clone(),
    })
}

/// What the routes serve: any handler, so that a conformance fixture runs on the very same stack.
#[derive(Clone)]
pub struct Endpoints<H> {
    pub connect: ConnectHttp<H>,
    /// Whether there is such a mode: others are not found.
    pub exists: Arc<dyn Fn(&ModeSlug) -> bool + Send + Sync>,
    /// Told which session is over.
    pub forget: Arc<dyn Fn(&str) + Send + Sync>,
    pub closing: CancellationToken,
}

impl<H> std::fmt::Debug for Endpoints<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoints").finish_non_exhaustive()
    }
}

/// The routes for any handler.
pub fn routes<H: ServerHandler + Clone>(endpoints: Endpoints<H>) -> Router {
    let connect = Arc::clone(&endpoints.connect);
    let connect = Arc::new(move |limits: &AgentLimits| connect(None, limits));
    let sse = sse::Sessions::new(connect, endpoints.closing.clone());
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

/// One endpoint: the protocol and its sessions.
struct Endpoint<H> {
    service: StreamableHttpService<H, Lobby>,
    lobby: Arc<Lobby>,
}

impl<H> Clone for Endpoint<H> {
    fn clone(&self) -> Self {
        Self {
            service: self.service.clone(),
            lobby: Arc::clone(&self.lobby),
        }
    }
}

/// An endpoint's mode, and the credential of its clients.
type EndpointKey = (Option<ModeSlug>, Option<CredentialId>);

struct Streamable<H: ServerHandler> {
    endpoints: Endpoints<H>,
    /// One per mode and credential: its sessions are its own.
    services: Mutex<HashMap<EndpointKey, Endpoint<H>>>,
}

impl<H: ServerHandler + Clone> Streamable<H> {
    fn service(&self, mode: Option<&ModeSlug>, request: &Request) -> Endpoint<H> {
        let limits = request.extensions().get::<AgentLimits>();
        let limits = limits.cloned().unwrap_or_default();
        let key = (mode.cloned(), limits.credential.clone());
        let mut services = lock(&self.services);
        let make = || {
            let connect = Arc::clone(&self.endpoints.connect);
            let mode = mode.cloned();
            // Host and Origin were checked in front, for every route alike.
            let forget: ForgetSession = Arc::clone(&self.endpoints.forget);
            let lobby = Arc::new(Lobby::new(forget));
            let mut config = StreamableHttpServerConfig::default()
                .disable_allowed_hosts()
                .disable_allowed_origins()
                .with_max_request_body_bytes(LONGEST_LINE)
                .with_cancellation_token(self.endpoints.closing.clone());
            config.session_store = Some(Arc::clone(&lobby) as Arc<_>);
            let connect = move || connect(mode.as_ref(), &limits);
            let service = StreamableHttpService::new(connect, Arc::clone(&lobby), config);
            Endpoint { service, lobby }
        };
        if let Some(known) = services.get(&key) {
            return known.clone();
        }
        let made = make();
        services.insert(key, made.clone());
        made
    }
}

async fn serve_any<H: ServerHandler + Clone>(
    State(state): State<Arc<Streamable<H>>>,
    request: Request,
) -> Response {
    serve(&state.service(None, &request), request).await
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
        Some(mode) => serve(&state.service(Some(&mode), &request), request).await,
        None => (
            StatusCode::NOT_FOUND,
            format!("there is no mode `{mode}`\n"),
        )
            .into_response(),
    }
}

/// rmcp answers a body it cannot read with 415 and prose; clients of JSON-RPC want to know what was wrong with it.
async fn serve<H: ServerHandler>(endpoint: &Endpoint<H>, request: Request) -> Response {
    let Endpoint { service, lobby } = endpoint;
    if request.method() != Method::POST {
        return service.handle(request).await.into_response();
    }
    if !request.headers().contains_key(SESSION) && !lobby.has_room() {
        let refusal = "too many sessions are in use\n";
        let come_back = [(header::RETRY_AFTER, COME_BACK)];
        return (StatusCode::SERVICE_UNAVAILABLE, come_back, refusal).into_response();
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LONGEST_LINE).await else {
        let refusal = format!("the body is longer than {LONGEST_LINE} bytes, or was cut off\n");
        return (StatusCode::PAYLOAD_TOO_LARGE, refusal).into_response();
    };
    let session = parts
        .headers
        .get(SESSION)
        .and_then(|name| name.to_str().ok());
    if session.is_some_and(|session| lobby.knows_batches(session))
        && let Some(elements) = batch::elements(&body).filter(|elements| !elements.is_empty())
    {
        let serve = async |request| service.handle(request).await.into_response();
        return batch::answer(&parts, elements, serve).await;
    }
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
