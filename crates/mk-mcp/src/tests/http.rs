//! MCP over HTTP, on a real socket of this machine.

mod client;
mod sse;
mod streamable;

use std::net::SocketAddr;

use axum::Extension;
use mk_engine::AgentLimits;
use mk_testkit::names::Names;
use mk_types::ModeSlug;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::World;
use crate::http::router;
use client::{Reply, Request};

/// A server on a port of its own, gone with this.
struct Site {
    world: World,
    address: SocketAddr,
    names: Names,
    serving: JoinHandle<()>,
}

impl Site {
    async fn open(world: World) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        // Its clients are the person's own.
        let limits = AgentLimits {
            answers: true,
            ..AgentLimits::default()
        };
        let routes = router(&world.server).layer(Extension(limits));
        let serving = tokio::spawn(async move {
            axum::serve(listener, routes).await.expect("a listener");
        });
        Self {
            world,
            address,
            names: Names::default(),
            serving,
        }
    }

    fn request(&self, method: &str, path: &str) -> Request {
        Request::new(self.address, method, path)
    }

    /// A message as a client of Streamable HTTP posts it.
    fn post(&self, path: &str, message: &Value) -> Request {
        self.request("POST", path)
            .header("Accept", "application/json, text/event-stream")
            .header("Content-Type", "application/json")
            .body(self.names.reveal(message).to_string())
    }

    /// The one answer in a reply, whether it came as JSON or as an event; ids renamed.
    fn answer(&mut self, reply: &Reply) -> Value {
        let messages = reply.messages();
        let answers = messages.iter().filter(|it| it.get("id").is_some());
        let answers: Vec<&Value> = answers.collect();
        assert_eq!(answers.len(), 1, "{reply:?}");
        self.names.hide(answers[0])
    }

    /// Waits until the server has forgotten all its connections.
    async fn forgets(&self) {
        let waiting = async {
            while self.world.server.connections() > 0 {
                tokio::task::yield_now().await;
            }
        };
        let waited = tokio::time::timeout(super::wire::PATIENCE, waiting).await;
        let left = self.world.server.connections();
        assert!(waited.is_ok(), "{left} connections are left");
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn initialize(id: u32, version: &str) -> Value {
    super::wire::request(
        id,
        "initialize",
        json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": { "name": "client-name", "version": "1.0.0" },
        }),
    )
}

fn modes(world: &World) -> Vec<ModeSlug> {
    let folder = world.server.start().folder();
    let catalogue = world.engine.modes().catalogue_at(folder);
    catalogue
        .modes()
        .iter()
        .map(|mode| mode.slug.clone())
        .collect()
}
