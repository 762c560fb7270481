//! Many requests at once, ids that repeat, requests that are taken back.

use std::collections::HashMap;

use futures::FutureExt as _;
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::unconstrained;
use tokio_util::sync::CancellationToken;

use super::World;
use super::wire::{Wire, call, request};
use crate::transport::guarded::GuardedTransport;
use crate::transport::line::PeerGone;

#[tokio::test]
async fn five_thousand_pipelined_calls_are_all_answered() {
    const CALLS: usize = 5000;
    let world = World::new("");
    let mut wire = Wire::open(&world).await;
    let mut lines = String::new();
    for id in 0..CALLS {
        lines.push_str(&format!(
            "{}\n",
            call(id, "list_modes", json!({ "source": "global" }))
        ));
    }
    let mut answers = wire.write_while_reading(lines, CALLS).await;
    answers.sort_by_key(|answer| answer["id"].as_u64());
    for (id, answer) in answers.iter().enumerate() {
        assert_eq!(answer["id"], id);
        assert!(answer.get("result").is_some(), "{answer:#}");
    }
}

#[tokio::test]
async fn requests_that_share_an_id_are_all_answered() {
    let world = World::new("");
    let mut wire = Wire::open(&world).await;
    let mut lines = String::new();
    for _ in 0..1000 {
        lines.push_str(&format!(
            "{}\n",
            call("same", "list_modes", json!({ "source": "global" }))
        ));
    }
    let answers = wire.write_while_reading(lines, 1000).await;
    assert!(answers.iter().all(|answer| answer["id"] == "same"));
    assert!(answers.iter().all(|answer| answer.get("result").is_some()));
    // And the connection has forgotten them.
    let answer = wire.request(request("same", "ping", json!({}))).await;
    assert_eq!(answer["result"], json!({}));
}

#[tokio::test]
async fn a_request_that_is_taken_back_is_not_answered() {
    let world = World::asking();
    let mut wire = Wire::open(&world).await;
    // Nobody approves it, so it waits.
    wire.send(call("waits", "create_task", json!({ "mode_slug": "code" })))
        .await;
    let taken_back = json!({ "requestId": "waits", "reason": "changed my mind" });
    wire.notify("notifications/cancelled", taken_back).await;
    // Of requests that were answered, or never sent, there is nothing to take back.
    for id in [json!("waits"), json!("hello"), json!(17)] {
        let stray = json!({ "requestId": id });
        wire.notify("notifications/cancelled", stray).await;
    }
    let answer = wire.call("list_modes", json!({})).await;
    assert!(answer.get("result").is_some());
    assert_eq!(wire.rest().await, Vec::<Value>::new());
}

#[tokio::test]
async fn thousands_of_cancelled_requests_leave_the_connection_as_it_was() {
    let world = World::asking();
    let mut wire = Wire::open(&world).await;
    for id in 0..1000 {
        wire.send(call(id, "create_task", json!({ "mode_slug": "code" })))
            .await;
        let cancelled = json!({ "requestId": id });
        wire.notify("notifications/cancelled", cancelled).await;
    }
    let answer = wire.request(call("after", "list_modes", json!({}))).await;
    assert!(answer.get("result").is_some());
}

/// A transport whose messages a test puts in; what is sent goes nowhere, or waits.
struct Pipe(mpsc::UnboundedReceiver<ClientJsonRpcMessage>);

impl Transport<RoleServer> for Pipe {
    type Error = PeerGone;

    fn send(
        &mut self,
        _message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), PeerGone>> + Send + 'static {
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.0.recv().await
    }

    async fn close(&mut self) -> Result<(), PeerGone> {
        Ok(())
    }
}

fn message(value: Value) -> ClientJsonRpcMessage {
    serde_json::from_value(value).expect("a message")
}

fn piped() -> (
    mpsc::UnboundedSender<ClientJsonRpcMessage>,
    GuardedTransport<Pipe>,
) {
    let (sender, receiver) = mpsc::unbounded_channel();
    (
        sender,
        GuardedTransport::new(Pipe(receiver), CancellationToken::new()),
    )
}

/// How many messages the guard takes before it wants answers first.
fn taken(guarded: &mut GuardedTransport<Pipe>) -> Vec<RequestId> {
    let mut ids = Vec::new();
    // Unconstrained, or tokio itself would make a pause.
    while let Some(Some(message)) = unconstrained(guarded.receive()).now_or_never() {
        if let ClientJsonRpcMessage::Request(request) = message {
            ids.push(request.id);
        }
    }
    ids
}

async fn answer(guarded: &mut GuardedTransport<Pipe>, id: RequestId) {
    let answer = ServerJsonRpcMessage::response(ServerResult::empty(()), id);
    guarded.send(answer).await.expect("sent");
}

#[tokio::test]
async fn no_more_is_read_than_is_being_answered() {
    let (sender, mut guarded) = piped();
    for id in 0..2000 {
        sender
            .send(message(request(id, "ping", json!({}))))
            .expect("a receiver");
    }
    let first = taken(&mut guarded);
    assert_eq!(first.len(), 512);
    assert_eq!(taken(&mut guarded).len(), 0);
    for id in first.into_iter().take(100) {
        answer(&mut guarded, id).await;
    }
    assert_eq!(taken(&mut guarded).len(), 100);
}

#[tokio::test]
async fn taking_back_what_was_never_asked_makes_no_room() {
    let (sender, mut guarded) = piped();
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "1" } });
    sender
        .send(message(request("hello", "initialize", hello)))
        .expect("a receiver");
    for id in 0..1000 {
        sender
            .send(message(request(id, "ping", json!({}))))
            .expect("a receiver");
        let stray = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": format!("stray {id}") } });
        sender.send(message(stray)).expect("a receiver");
    }
    assert_eq!(taken(&mut guarded).len(), 512);
}

#[tokio::test]
async fn errors_make_room_as_results_do() {
    let (sender, mut guarded) = piped();
    for id in 0..1000 {
        sender
            .send(message(request(id, "ping", json!({}))))
            .expect("a receiver");
    }
    for id in taken(&mut guarded) {
        let error = ErrorData::internal_error("no", None);
        let error = ServerJsonRpcMessage::error(error, Some(id));
        guarded.send(error).await.expect("sent");
    }
    assert_eq!(taken(&mut guarded).len(), 488);
}

#[tokio::test]
async fn ids_that_repeat_are_told_apart_inside_only() {
    let (sender, mut guarded) = piped();
    for _ in 0..3 {
        sender
            .send(message(request("x", "ping", json!({}))))
            .expect("a receiver");
    }
    let inside = taken(&mut guarded);
    let mut count: HashMap<RequestId, usize> = HashMap::new();
    for id in &inside {
        *count.entry(id.clone()).or_default() += 1;
    }
    assert_eq!(count.len(), 3, "{inside:?}");
}
