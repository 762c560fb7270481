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
    // By a name under which Gemini does not write over the session's past.
    assert_eq!(request["params"]["sessionId"], " s1");
    agent
        .update(
            " s1",
            json!({ "sessionUpdate": "agent_message_chunk", "content": "past" }),
        )
        .await;
    agent.answer(&request, json!({})).await;
    // Gemini tells the past after its answer, too.
    let late = json!({ "sessionUpdate": "agent_message_chunk", "content": "late" });
    agent.update(" s1", late).await;
    let pin = agent.hear_method("session/set_mode").await;
    agent.answer(&pin, json!({})).await;
    let request = agent.hear_method("session/prompt").await;
    assert_eq!(request["params"]["sessionId"], " s1");
    agent
        .update(
            " s1",
            json!({ "sessionUpdate": "agent_message_chunk", "content": "now" }),
        )
        .await;
    let update = world.editor.hear_update("agent_message_chunk").await;
    assert_eq!(update["content"], "now");
}

/// One turn of the first process, so that there is a past.
async fn had_a_turn(world: &mut World) {
    let id = world.editor.ask("session/prompt", prompt()).await;
    let request = world.agent.hear_method("session/prompt").await;
    let result = json!({ "stopReason": "end_turn" });
    world.agent.answer(&request, result).await;
    world.editor.hear_answer(id).await;
}

#[tokio::test]
async fn a_session_that_cannot_be_loaded_goes_on_without_its_past_and_says_so() {
    let mut world = opened().await;
    had_a_turn(&mut world).await;
    world.set_mode("architect").await;
    world.editor.ask("session/prompt", prompt()).await;
    let mut agent = world.next_agent().await;
    let request = agent.hear_method("initialize").await;
    let result = json!({ "protocolVersion": 1 });
    agent.answer(&request, result).await;
    let request = agent.hear_method("session/load").await;
    let error = json!({ "code": -32603, "message": "No previous sessions found" });
    agent
        .say(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }))
        .await;
    let request = agent.hear_method("session/new").await;
    assert_eq!(request["params"].get("sessionId"), None);
    let result = json!({ "sessionId": "s2", "modes": super::own_modes() });
    agent.answer(&request, result).await;
    let pin = agent.hear_method("session/set_mode").await;
    agent.answer(&pin, json!({})).await;
    let request = agent.hear_method("session/prompt").await;
    assert_eq!(request["params"]["sessionId"], "s2");
    let update = world.editor.hear_update("agent_message_chunk").await;
    let text = update["content"]["text"].as_str().unwrap();
    assert!(
        text.contains("does not know what was said before"),
        "{text}"
    );
}

#[tokio::test]
async fn a_mode_file_that_changes_the_rules_starts_the_agent_again() {
    let mut world = opened().await;
    had_a_turn(&mut world).await;
    let narrow = "customModes: [{slug: code, name: Code, roleDefinition: Reads, groups: [read]}]\n";
    world.files.write(".roomodes", narrow);
    // The picker shows the new text before the next prompt comes.
    loop {
        let update = world.editor.hear_update("config_option_update").await;
        if update["configOptions"][0]["options"][0]["name"] == "Code" {
            break;
        }
    }
    world.editor.ask("session/prompt", prompt()).await;
    let mut agent = world.next_agent().await;
    agent.hear_method("initialize").await;
}

#[tokio::test]
async fn what_the_agents_own_rules_refuse_is_explained() {
    let mut world = opened().await;
    world.set_mode("architect").await;
    let id = world.editor.ask("session/prompt", prompt()).await;
    let (mut agent, _) = started_again(&mut world, "session/new", "s2").await;
    let request = agent.hear_method("session/prompt").await;
    let text = "Tool execution for \"WriteFile\" denied by policy.";
    let content = json!([{ "type": "content", "content": { "type": "text", "text": text } }]);
    let failed = json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "write_file__write_file_1_0", "status": "failed",
        "kind": "edit", "content": content,
    });
    agent.update("s2", failed).await;
    let told = world.editor.hear_update("agent_message_chunk").await;
    let told = told["content"]["text"].as_str().unwrap();
    assert!(
        told.contains("write_file") && told.contains("'architect' mode restricts 'edit'"),
        "{told}"
    );
    agent
        .answer(&request, json!({ "stopReason": "end_turn" }))
        .await;
    world.editor.hear_answer(id).await;
    world.editor.ask("session/prompt", prompt()).await;
    let request = agent.hear_method("session/prompt").await;
    let blocks = request["params"]["prompt"].to_string();
    assert!(
        blocks.contains("Modekeeper refused these calls"),
        "{blocks}"
    );
}
