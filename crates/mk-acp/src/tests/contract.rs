//! The examples of the contract on session modes, on the wire.

use mk_clients::ClientId;
use serde_json::{Value, json};

use super::World;

/// A project that has the contract's modes besides the builtin ones, word for word.
const MODES: &str = r#"
//- /.roomodes
customModes:
  - slug: ask
    name: Ask
    description: Request permission before making any changes
    roleDefinition: You ask
    groups: [read]
    autoApprove: none
  - slug: architect
    name: Architect
    description: Design and plan software systems without implementation
    roleDefinition: You plan
    groups: [read]
    switchTo: [code, ask]
  - slug: code
    name: Code
    description: Write and modify code with full tool access
    roleDefinition: You code
    groups: [read, edit, command]
    autoApprove: all
"#;

fn named<'a>(list: &'a Value, key: &str, id: &str) -> &'a Value {
    let mut items = list.as_array().unwrap().iter();
    items.find(|it| it[key] == id).unwrap()
}

#[tokio::test]
async fn the_initial_state() {
    let mut world = World::new(MODES);
    let answer = world
        .open(json!({ "sessionId": "sess_abc123def456" }))
        .await;
    let expected = json!([
        { "id": "ask", "name": "Ask", "description": "Request permission before making any changes" },
        {
            "id": "architect", "name": "Architect",
            "description": "Design and plan software systems without implementation",
        },
        { "id": "code", "name": "Code", "description": "Write and modify code with full tool access" },
    ]);
    assert_eq!(answer["jsonrpc"], "2.0");
    assert_eq!(answer["result"]["sessionId"], "sess_abc123def456");
    let modes = &answer["result"]["modes"];
    assert_eq!(modes["currentModeId"], "code");
    for mode in expected.as_array().unwrap() {
        let id = mode["id"].as_str().unwrap();
        assert_eq!(named(&modes["availableModes"], "id", id), mode);
    }
}

#[tokio::test]
async fn setting_the_current_mode() {
    let mut world = World::new(MODES);
    world
        .open(json!({ "sessionId": "sess_abc123def456" }))
        .await;
    for (id, mode) in [(20, "ask"), (21, "code")] {
        let params = json!({ "sessionId": "sess_abc123def456", "modeId": mode });
        let request =
            json!({ "jsonrpc": "2.0", "id": id, "method": "session/set_mode", "params": params });
        world.editor.say(request).await;
        let told = world.editor.hear().await;
        let update = json!({
            "sessionUpdate": "current_mode_update", "modeId": mode, "currentModeId": mode,
        });
        let params = json!({ "sessionId": "sess_abc123def456", "update": update });
        let expected = json!({ "jsonrpc": "2.0", "method": "session/update", "params": params });
        assert_eq!(told, expected);
        let answer = world.editor.hear_answer(id).await;
        let expected = json!({ "jsonrpc": "2.0", "id": id, "result": {} });
        assert_eq!(answer, expected);
    }
}

#[tokio::test]
async fn exiting_a_plan_mode() {
    let mut world = World::with(MODES, Some(ClientId::ClaudeCode), crate::Relay::Modes);
    world.usual().await;
    world.set_mode("architect").await;
    let content = json!([
        { "type": "content", "content": { "type": "text", "text": "## Implementation Plan..." } },
    ]);
    let params = json!({
        "sessionId": "s1",
        "toolCall": {
            "toolCallId": "call_switch_mode_001", "title": "Ready for implementation",
            "kind": "switch_mode", "status": "pending", "content": content,
        },
        "options": [
            { "optionId": "default", "name": "Yes", "kind": "allow_once" },
            { "optionId": "plan", "name": "No", "kind": "reject_once" },
        ],
    });
    let id = world
        .agent
        .ask("session/request_permission", params.clone())
        .await;
    let question = world.editor.hear_method("session/request_permission").await;
    assert_eq!(question["params"]["toolCall"], params["toolCall"]);
    let options = question["params"]["options"].as_array().unwrap();
    let kinds: Vec<(&str, &str)> = options
        .iter()
        .filter_map(|it| Some((it["optionId"].as_str()?, it["kind"].as_str()?)))
        .collect();
    let expected = [
        ("code", "allow_always"),
        ("ask", "allow_once"),
        ("reject", "reject_once"),
    ];
    assert_eq!(kinds, expected);
    let outcome = json!({ "outcome": { "outcome": "selected", "optionId": "ask" } });
    world.editor.answer(&question, outcome).await;
    // The tool runs: the mode is set and told, and the agent may go on.
    let update = world.editor.hear_update("current_mode_update").await;
    assert_eq!(update["modeId"], "ask");
    let answer = world.agent.hear_answer(id).await;
    assert_eq!(answer["result"]["outcome"]["optionId"], "default");
}
