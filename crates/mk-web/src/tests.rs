//! The routes without a socket: requests go in, whole answers come out.

mod call;
mod guard;
mod language_servers;
mod limit;
mod listen;
mod memory;
mod openapi;
mod status;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use mk_engine::{Engine, Folders, Parts, Settings, StoreLocation};
use mk_testkit::Fixture;
use mk_types::{Clock, Timestamp};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use mk_tools::Limiter;

use crate::Web;

/// 2025-01-13T10:30:00.000Z.
const START: Timestamp = Timestamp::from_millis(1_736_764_200_000);

/// A project and the routes that work on it.
struct World {
    files: Fixture,
    _state: Fixture,
    clock: Clock,
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
        Self::build(files, None)
    }

    fn limited(files: &str) -> Self {
        Self::build(files, Some(Limiter::default()))
    }

    fn build(files: &str, limiter: Option<Limiter>) -> Self {
        let files = Fixture::new(files);
        let state = Fixture::new("");
        let clock = Clock::manual(START);
        let engine = Engine::new(Parts {
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
            engine,
            version: "9.9.9",
            start: mk_engine::Start::Named(files.root().clone()),
            active: crate::Active::default(),
            toolsets: mk_tools::Toolset::DEFAULT.to_vec(),
            limiter,
            ceiling: None,
        };
        Self {
            files,
            _state: state,
            clock,
            routes: crate::routes(web),
        }
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
