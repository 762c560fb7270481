//! The routes without a socket: requests go in, whole answers come out.

mod call;
mod events;
mod gate;
mod guard;
mod issuer;
mod language_servers;
mod limit;
mod listen;
mod memory;
mod openapi;
mod page;
mod status;

use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use mk_engine::{
    AccessRole, AgentLink, AgentSession, Engine, EngineParts, Folders, NewToken, ProcessIdentity,
    Seat, Settings, StoreLocation,
};
use mk_testkit::Fixture;
use mk_types::{Clock, ModeSlug, Timestamp};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use mk_tools::Limiter;

use crate::{ProtectedResource, Web};

/// 2025-01-13T10:30:00.000Z.
const START: Timestamp = Timestamp::from_millis(1_736_764_200_000);

/// An agent, and a socket that a process below it has; a socket of a process below nobody.
const AGENT: ProcessIdentity = ProcessIdentity {
    id: 4711,
    started: 1,
};
const AGENTS_SOCKET: u64 = 4712;
const OTHERS_SOCKET: u64 = 4713;
/// Of a process that the agent has left behind, with its session in the environment.
const LEFT_SOCKET: u64 = 4714;

fn owners(socket: u64) -> AgentLink {
    let child = |id| ProcessIdentity { id, started: 2 };
    match socket {
        AGENTS_SOCKET => AgentLink::new(vec![child(4712), AGENT]),
        OTHERS_SOCKET => AgentLink::new(vec![child(4713)]),
        LEFT_SOCKET => AgentLink::new(vec![child(4714)]).with_trace("claude-code", "one"),
        _ => AgentLink::default(),
    }
}

/// A project and the routes that work on it.
struct World {
    files: Fixture,
    _state: Fixture,
    clock: Clock,
    engine: Engine,
    routes: Router,
}

/// An answer; a body that is no JSON is null.
#[derive(Debug)]
struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

impl World {
    fn new(files: &str) -> Self {
        Self::build(files, None, |_| ProtectedResource::local())
    }

    fn limited(files: &str) -> Self {
        Self::build(files, Some(Limiter::default()), |_| {
            ProtectedResource::local()
        })
    }

    fn build(
        files: &str,
        limiter: Option<Limiter>,
        resource: impl FnOnce(&Clock) -> ProtectedResource,
    ) -> Self {
        let files = Fixture::new(files);
        let state = Fixture::new("");
        let clock = Clock::manual(START);
        let engine = Engine::new(EngineParts {
            settings: Settings::default(),
            folders: Folders {
                state: state.root().as_path().to_owned(),
                ..Folders::default()
            },
            clock: clock.clone(),
            store: StoreLocation::Memory,
            own_tools: mk_tools::own_tools(),
        });
        let web = Web {
            engine: engine.clone(),
            version: "9.9.9",
            start: mk_engine::StartDirectory::Named(files.root().clone()),
            active: crate::ActiveDirectory::default(),
            toolsets: mk_tools::Toolset::DEFAULT.to_vec(),
            limiter,
            ceiling: None,
            events: crate::EventStreams::default(),
            machine: crate::Machine::default(),
        };
        Self {
            files,
            _state: state,
            routes: crate::gated(
                crate::routes(web),
                engine.clone(),
                resource(&clock),
                crate::SocketOwners::new(owners),
            ),
            clock,
            engine,
        }
    }

    /// A conversation of the agent whose process is [`AGENT`], in this mode.
    async fn agent_in(&self, mode: &str) {
        let conversations = self.engine.conversations();
        let seat = Seat {
            client: AgentSession {
                name: "claude-code".to_owned(),
                session: "one".to_owned(),
            },
            parent: None,
            directory: self.files.root().clone(),
            process: Some(AGENT),
            above: Vec::new(),
        };
        let conversation = conversations.open(&seat).await.unwrap();
        let slug = ModeSlug::parse(mode).unwrap();
        let set = conversations.set_mode(&conversation.id, &slug).await;
        set.unwrap();
    }

    /// The secret of a new token.
    async fn token(&self, role: AccessRole) -> String {
        let new = NewToken {
            name: "test".to_owned(),
            role,
            mode: None,
            projects: Vec::new(),
            life: Some(Duration::from_secs(3600)),
        };
        self.engine
            .access()
            .create_token(new)
            .await
            .expect("a token")
            .1
    }

    /// A body that is no JSON.
    async fn text(&self, path: &str) -> String {
        text(&self.routes, request(Method::GET, path, "")).await
    }

    async fn text_with(&self, token: &str, path: &str) -> String {
        let mut request = request(Method::GET, path, "");
        let value = format!("Bearer {token}").parse().expect("a header");
        request.headers_mut().insert("authorization", value);
        text(&self.routes, request).await
    }

    /// A request with a token.
    async fn with_token(&self, token: &str, method: Method, path: &str, body: &str) -> Reply {
        let mut request = request(method, path, body);
        let value = format!("Bearer {token}").parse().expect("a header");
        request.headers_mut().insert("authorization", value);
        send(&self.routes, request).await
    }

    async fn get(&self, path: &str) -> Reply {
        send(&self.routes, request(Method::GET, path, "")).await
    }

    async fn delete(&self, path: &str) -> Reply {
        send(&self.routes, request(Method::DELETE, path, "")).await
    }

    async fn post(&self, body: &str) -> Reply {
        send(&self.routes, request(Method::POST, "/tools/call", body)).await
    }

    async fn call(&self, tool: &str, arguments: Value) -> Reply {
        let body = json!({ "name": tool, "arguments": arguments });
        self.post(&body.to_string()).await
    }
}

fn request(method: Method, path: &str, body: &str) -> Request<Body> {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", "application/json");
    request
        .body(Body::from(body.to_owned()))
        .expect("a request")
}

async fn send(routes: &Router, request: Request<Body>) -> Reply {
    let response = routes.clone().oneshot(request).await.expect("an answer");
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.expect("a body");
    Reply {
        status: parts.status,
        headers: parts.headers,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    }
}

async fn text(routes: &Router, request: Request<Body>) -> String {
    let response = routes.clone().oneshot(request).await.expect("an answer");
    let body = to_bytes(response.into_body(), usize::MAX)
        .await
        .expect("a body");
    String::from_utf8(body.to_vec()).expect("text")
}
