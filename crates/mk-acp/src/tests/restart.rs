//! Agents that read their rules at their start only: another process, the same session.

use mk_clients::ClientId;
use serde_json::{Value, json};

use super::{Peer, World};

/// Gemini with a session; a second start of it is the next one.
async fn opened() -> World {
    let mut world = World::of(ClientId::Gemini);
    let id = world
        .editor
        .ask("initialize", json!({ "protocolVersion": 1 }))
        .await;
    let request = world.agent.hear_method("initialize").await;
    world
        .agent
        .answer(&request, json!({ "protocolVersion": 1 }))
        .await;
    world.editor.hear_answer(id).await;
    world.usual().await;
    world
}

/// What the new process is asked first, and how the session comes back to it.
async fn started_again(world: &mut World, method: &str, session: &str) -> (Peer, Value) {
    let mut agent = world.next_agent().await;
    let request = agent.hear_method("initialize").await;
    agent
        .answer(&request, json!({ "protocolVersion": 1 }))
        .await;
    let request = agent.hear_method(method).await;
    let modes = super::own_modes();
    agent
        .answer(&request, json!({ "sessionId": session, "modes": modes }))
        .await;
    let pin = agent.hear_method("session/set_mode").await;
    assert_eq!(pin["params"]["sessionId"], session);
    agent.answer(&pin, json!({})).await;
    (agent, request["params"].clone())
}

fn prompt() -> Value {
    json!({ "sessionId": "s1", "prompt": [{ "type": "text", "text": "hello" }] })
}

#[tokio::test]
async fn a_session_without_a_past_is_begun_again_under_the_name_that_the_editor_knows() {
    let mut world = opened().await;
    world.set_mode("architect").await;
    let id = world.editor.ask("session/prompt", prompt()).await;
    let (mut agent, params) = started_again(&mut world, "session/new", "other").await;
    assert_eq!(params.get("sessionId"), None);
    let request = agent.hear_method("session/prompt").await;
    assert_eq!(request["params"]["sessionId"], "other");
    agent
        .update(
            "other",
            json!({ "sessionUpdate": "agent_message_chunk", "content": {} }),
        )
        .await;
    let update = loop {
        let update = world.editor.hear_method("session/update").await;
        if update["params"]["update"]["sessionUpdate"] == "agent_message_chunk" {
            break update;
        }
    };
    assert_eq!(update["params"]["sessionId"], "s1");
    agent
        .answer(&request, json!({ "stopReason": "end_turn" }))
        .await;
    let answer = world.editor.hear_answer(id).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
}

#[tokio::test]
async fn a_session_with_a_past_is_loaded_and_its_past_is_not_told_twice() {
    let mut world = opened().await;
    let id = world.editor.ask("session/prompt", prompt()).await;
    let request = world.agent.hear_method("session/prompt").await;
    world
        .agent
        .answer(&request, json!({ "stopReason": "end_turn" }))
        .await;
    world.editor.hear_answer(id).await;
    world.set_mode("architect").await;
    world.editor.ask("session/prompt", prompt()).await;
    let mut agent = world.next_agent().await;
    let request = agent.hear_method("initialize").await;
    agent
        .answer(&request, json!({ "protocolVersion": 1 }))
        .await;
    let request = agent.hear_method("session/load").await;
    assert_eq!(request["params"]["sessionId"], "s1");
    agent
        .update(
            "s1",
            json!({ "sessionUpdate": "agent_message_chunk", "content": "past" }),
        )
        .await;
    agent.answer(&request, json!({})).await;
    let pin = agent.hear_method("session/set_mode").await;
    agent.answer(&pin, json!({})).await;
    agent.hear_method("session/prompt").await;
    agent
        .update(
            "s1",
            json!({ "sessionUpdate": "agent_message_chunk", "content": "now" }),
        )
        .await;
    let update = world.editor.hear_update("agent_message_chunk").await;
    assert_eq!(update["content"], "now");
}
