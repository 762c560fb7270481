//! The older transport: `GET /sse` for answers, `POST /messages` for requests.

use serde_json::{Value, json};

use super::client::Stream;
use super::{Site, initialize};
use crate::tests::World;
use crate::tests::wire::{call, request};

struct Session {
    stream: Stream,
    endpoint: String,
}

impl Session {
    async fn connect(site: &Site) -> Self {
        let listen = site
            .request("GET", "/sse")
            .header("Accept", "text/event-stream");
        let mut stream = listen.open().await;
        assert_eq!(stream.head.status, 200);
        assert_eq!(
            stream.head.header("content-type"),
            Some("text/event-stream")
        );
        let (event, endpoint) = stream.event().await;
        assert_eq!(event, "endpoint");
        assert!(endpoint.starts_with("/messages?sessionId="), "{endpoint}");
        Self { stream, endpoint }
    }

    async fn open(site: &mut Site) -> Self {
        let mut session = Self::connect(site).await;
        let answer = session.ask(site, initialize(0, "2024-11-05")).await;
        assert_eq!(answer["result"]["protocolVersion"], "2024-11-05");
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        session.send(site, &initialized).await;
        session
    }

    async fn send(&self, site: &Site, message: &Value) {
        let reply = site.post(&self.endpoint, message).send().await;
        assert_eq!((reply.status, reply.body.as_str()), (202, "Accepted"));
    }

    async fn ask(&mut self, site: &mut Site, message: Value) -> Value {
        self.send(site, &message).await;
        loop {
            let (event, data) = self.stream.event().await;
            assert_eq!(event, "message");
            let heard: Value = serde_json::from_str(&data).expect("JSON");
            if heard["id"] == message["id"] && heard.get("method").is_none() {
                return site.names.hide(&heard);
            }
        }
    }
}

#[tokio::test]
async fn a_session_is_a_stream_and_an_address() {
    let mut site = Site::open(World::new("")).await;
    let mut session = Session::open(&mut site).await;
    let answer = session
        .ask(
            &mut site,
            call(1, "create_task", json!({ "mode_slug": "ask" })),
        )
        .await;
    // Here `metadata` is where the contract has it.
    let metadata = json!({ "session_id": "sess_1", "task_id": "task_1", "mode_slug": "ask" });
    assert_eq!(answer["result"]["metadata"], metadata);
    assert!(answer["result"].get("_meta").is_none(), "{answer:#}");
    let current = json!({ "session_id": "current" });
    let answer = session
        .ask(&mut site, call(2, "get_task_info", current))
        .await;
    assert_eq!(answer["result"]["metadata"]["mode_slug"], "ask");
    let answer = session
        .ask(&mut site, call(3, "get_mode_info", json!({})))
        .await;
    assert_eq!(answer["error"]["code"], -32004);
}

#[tokio::test]
async fn a_client_that_goes_leaves_nothing_behind_and_disturbs_nobody() {
    let mut site = Site::open(World::asking()).await;
    let mut stays = Session::open(&mut site).await;
    let goes = Session::open(&mut site).await;
    assert_eq!(site.world.server.connections(), 2);
    // One call of it waits for a person.
    goes.send(
        &site,
        &call("waits", "create_task", json!({ "mode_slug": "code" })),
    )
    .await;
    let endpoint = goes.endpoint.clone();
    drop(goes);
    while site.world.server.connections() > 1 {
        tokio::task::yield_now().await;
    }
    let reply = site
        .post(&endpoint, &request(1, "ping", json!({})))
        .send()
        .await;
    assert_eq!(reply.status, 404, "{reply:?}");
    let answer = stays.ask(&mut site, call(2, "list_modes", json!({}))).await;
    assert!(answer.get("result").is_some(), "{answer:#}");
    assert!(!site.world.server.closing().is_cancelled());
    drop(stays);
    site.forgets().await;
}

#[tokio::test]
async fn a_client_that_leaves_before_the_handshake_is_forgotten() {
    let site = Site::open(World::new("")).await;
    let session = Session::connect(&site).await;
    assert_eq!(site.world.server.connections(), 1);
    drop(session);
    site.forgets().await;
}

#[tokio::test]
async fn the_end_of_the_server_ends_its_streams() {
    let mut site = Site::open(World::new("")).await;
    let mut session = Session::open(&mut site).await;
    site.world.server.closing().cancel();
    session.stream.end().await;
    site.forgets().await;
}

#[tokio::test]
async fn a_session_hears_of_changes() {
    let mut site = Site::open(World::watching("")).await;
    let mut session = Session::open(&mut site).await;
    session.ask(&mut site, request(1, "ping", json!({}))).await;
    let file = "customModes:\n  - slug: one\n    name: One\n    roleDefinition: You are one.\n    groups: [read]\n";
    site.world.files.save(".roomodes", file);
    for list in ["resources", "tools", "prompts"] {
        let method = format!("notifications/{list}/list_changed");
        assert_eq!(session.stream.message().await["method"], method);
    }
}

#[tokio::test]
async fn what_cannot_be_delivered_is_refused() {
    let site = Site::open(World::new("")).await;
    let session = Session::connect(&site).await;
    for (body, code) in [("nonsense", -32700), ("[]", -32600), ("{}", -32600)] {
        let reply = site
            .post(&session.endpoint, &Value::Null)
            .body(body)
            .send()
            .await;
        assert_eq!(reply.status, 400, "{body}");
        assert_eq!(reply.json()["error"]["code"], code, "{body}");
    }
    let ping = request(1, "ping", json!({}));
    let reply = site.post("/messages?sessionId=nobody", &ping).send().await;
    assert_eq!(reply.status, 404);
    assert_eq!(
        reply.body,
        "there is no such session; open GET /sse first\n"
    );
    let reply = site.post("/messages", &ping).send().await;
    assert_eq!(reply.status, 400);
}
