//! Permissions, files and terminals under the mode.

use serde_json::{Value, json};

use super::World;

fn option_of(answer: &Value) -> &str {
    let outcome = &answer["result"]["outcome"];
    match outcome["outcome"].as_str() {
        Some("selected") => outcome["optionId"].as_str().unwrap(),
        other => other.unwrap_or("no outcome"),
    }
}

#[tokio::test]
async fn a_mode_that_approves_everything_answers_once_by_meaning() {
    let mut world = World::new("");
    world.usual().await;
    let call = world.edit("src/main.rs");
    let id = world.agent_asks(call).await;
    assert_eq!(option_of(&world.agent.hear_answer(id).await), "allow");
}

#[tokio::test]
async fn what_the_mode_forbids_is_rejected_with_the_reason() {
    let mut world = World::new("");
    world.usual().await;
    world.set_mode("architect").await;
    let call = world.edit("src/main.rs");
    let id = world.agent_asks(call).await;
    let said = world.editor.hear_update("agent_message_chunk").await;
    let text = said["content"]["text"].as_str().unwrap();
    assert!(
        text.contains("architect") && text.contains("src/main.rs"),
        "{text}"
    );
    assert_eq!(option_of(&world.agent.hear_answer(id).await), "reject");
    // The model hears it with its next prompt.
    let prompt = json!({ "sessionId": "s1", "prompt": [{ "type": "text", "text": "go on" }] });
    world.editor.ask("session/prompt", prompt).await;
    let prompt = world.agent.hear_method("session/prompt").await;
    let blocks = prompt["params"]["prompt"].as_array().unwrap();
    assert!(
        blocks[1]["text"]
            .as_str()
            .unwrap()
            .contains("'architect' mode"),
        "{blocks:#?}"
    );
    assert!(
        blocks[2]["text"].as_str().unwrap().contains("src/main.rs"),
        "{blocks:#?}"
    );
    assert_eq!(blocks[0], json!({ "type": "text", "text": "go on" }));
}

#[tokio::test]
async fn a_downgrade_by_either_setter_binds_the_very_next_call() {
    for by_option in [false, true] {
        let mut world = World::new("");
        world.usual().await;
        let call = world.edit("src/main.rs");
        let id = world.agent_asks(call.clone()).await;
        assert_eq!(option_of(&world.agent.hear_answer(id).await), "allow");
        let (method, params) = match by_option {
            false => (
                "session/set_mode",
                json!({ "sessionId": "s1", "modeId": "ask" }),
            ),
            true => (
                "session/set_config_option",
                json!({ "sessionId": "s1", "configId": "mode", "value": "ask" }),
            ),
        };
        let id = world.editor.ask(method, params).await;
        assert!(world.editor.hear_answer(id).await["error"].is_null());
        let id = world.agent_asks(call).await;
        assert_eq!(
            option_of(&world.agent.hear_answer(id).await),
            "reject",
            "{method}"
        );
    }
}

const ASKING: &str = "\
//- /.roomodes
customModes:
- slug: careful
  name: Careful
  roleDefinition: Asks.
  groups: [read, edit, command]
  autoApprove: none
- slug: reading
  name: Reading
  roleDefinition: Reads.
  groups: [read, edit, command]
  autoApprove: read
";

#[tokio::test]
async fn a_mode_without_automatic_approval_passes_the_question_on() {
    let mut world = World::new(ASKING);
    world.usual().await;
    world.set_mode("careful").await;
    let call = world.edit("src/main.rs");
    let id = world.agent_asks(call).await;
    let question = world.editor.hear_method("session/request_permission").await;
    assert_eq!(question["id"], id);
    let title = question["params"]["toolCall"]["title"].as_str().unwrap();
    assert!(
        title.starts_with("Edit src/main.rs (") && title.contains("careful"),
        "{title}"
    );
    // The agent would remember «always» over every switch.
    let options = question["params"]["options"].as_array().unwrap();
    assert!(
        options
            .iter()
            .all(|option| option["kind"] != "allow_always"),
        "{options:#?}"
    );
    let outcome = json!({ "outcome": { "outcome": "selected", "optionId": "allow" } });
    world.editor.answer(&question, outcome).await;
    assert_eq!(option_of(&world.agent.hear_answer(id).await), "allow");
}

#[tokio::test]
async fn no_answer_is_a_no() {
    let answers = [
        json!({ "result": null }),
        json!({ "result": { "outcome": { "outcome": "selected", "optionId": "always" } } }),
        json!({ "result": { "outcome": { "outcome": "selected" } } }),
        json!({ "error": { "code": -32603, "message": "nobody is there" } }),
    ];
    for answer in answers {
        let mut world = World::new(ASKING);
        world.usual().await;
        world.set_mode("careful").await;
        let call = world.edit("src/main.rs");
        let id = world.agent_asks(call).await;
        let question = world.editor.hear_method("session/request_permission").await;
        let mut message = answer.clone();
        message["jsonrpc"] = json!("2.0");
        message["id"] = question["id"].clone();
        world.editor.say(message).await;
        assert_eq!(
            option_of(&world.agent.hear_answer(id).await),
            "reject",
            "{answer}"
        );
    }
}

#[tokio::test]
async fn reading_is_approved_where_the_mode_says_so() {
    let mut world = World::new(ASKING);
    world.usual().await;
    world.set_mode("reading").await;
    let mut call = world.edit("src/main.rs");
    call["kind"] = json!("read");
    let id = world.agent_asks(call).await;
    assert_eq!(option_of(&world.agent.hear_answer(id).await), "allow");
    let call = json!({ "toolCallId": "c1", "title": "ls", "kind": "execute", "rawInput": { "command": "ls src" } });
    let id = world.agent_asks(call).await;
    let question = world.editor.hear_method("session/request_permission").await;
    assert_eq!(question["id"], id);
}

#[tokio::test]
async fn a_question_is_judged_by_all_that_was_said_about_the_call() {
    let mut world = World::new("");
    world.usual().await;
    world.set_mode("architect").await;
    let path = world.path("src/main.rs");
    let update = json!({
        "sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Write", "kind": "edit", "status": "pending",
        "content": [{ "type": "diff", "path": path, "oldText": "a", "newText": "b" }],
    });
    world.agent.update("s1", update).await;
    // The question itself names a file that the mode may edit.
    let call = json!({ "toolCallId": "c1", "title": "Write", "locations": [{ "path": world.path("README.md") }] });
    let id = world.agent_asks(call).await;
    assert_eq!(option_of(&world.agent.hear_answer(id).await), "reject");
    let call = json!({
        "toolCallId": "c2", "title": "Write", "kind": "edit", "locations": [{ "path": world.path("README.md") }],
    });
    let id = world.agent_asks(call).await;
    // Architect asks before it edits.
    let question = world.editor.hear_method("session/request_permission").await;
    assert_eq!(question["id"], id);
}

#[tokio::test]
async fn a_call_that_nobody_can_read_is_rejected() {
    let mut world = World::new("");
    world.usual().await;
    world.set_mode("architect").await;
    for call in [
        json!({ "toolCallId": "c1", "title": "Something" }),
        json!({ "toolCallId": "c2", "kind": "edit", "title": "Edit" }),
        json!({ "toolCallId": "c3", "kind": "execute", "title": "rm -rf src" }),
        json!({ "toolCallId": "c4", "kind": "delete", "locations": [{ "path": "src/main.rs" }] }),
        json!({ "toolCallId": "c5", "kind": "read", "locations": [{ "path": "/etc/shadow" }] }),
    ] {
        let id = world.agent_asks(call.clone()).await;
        assert_eq!(
            option_of(&world.agent.hear_answer(id).await),
            "reject",
            "{call}"
        );
    }
}

#[tokio::test]
async fn a_question_in_a_session_that_nobody_opened_is_rejected() {
    let mut world = World::new("");
    let call = world.edit("src/main.rs");
    let id = world.agent_asks(call).await;
    assert_eq!(option_of(&world.agent.hear_answer(id).await), "reject");
}

#[tokio::test]
async fn files_of_the_editor_are_held() {
    let mut world = World::new("");
    world.usual().await;
    world.set_mode("architect").await;
    let params = json!({ "sessionId": "s1", "path": world.path("src/main.rs"), "content": "x" });
    let id = world.agent.ask("fs/write_text_file", params).await;
    let answer = world.agent.hear_answer(id).await;
    let text = answer["error"]["message"].as_str().unwrap();
    assert!(text.contains("architect"), "{text}");
    let params = json!({ "sessionId": "s1", "path": world.path("src/main.rs") });
    let id = world.agent.ask("fs/read_text_file", params.clone()).await;
    let request = world.editor.hear_method("fs/read_text_file").await;
    assert_eq!(request["params"], params);
    world
        .editor
        .answer(&request, json!({ "content": "fn main() {}" }))
        .await;
    assert_eq!(
        world.agent.hear_answer(id).await["result"]["content"],
        "fn main() {}"
    );
}

#[tokio::test]
async fn terminals_of_the_editor_are_held() {
    let mut world = World::new("");
    world.usual().await;
    world.set_mode("architect").await;
    let params = json!({ "sessionId": "s1", "command": "rm", "args": ["-rf", "src"] });
    let id = world.agent.ask("terminal/create", params.clone()).await;
    assert!(world.agent.hear_answer(id).await["error"]["message"].is_string());
    world.set_mode("code").await;
    let id = world.agent.ask("terminal/create", params.clone()).await;
    let request = world.editor.hear_method("terminal/create").await;
    assert_eq!((&request["id"], &request["params"]), (&json!(id), &params));
}

#[tokio::test]
async fn a_write_that_a_person_has_just_agreed_to_is_not_asked_again() {
    let mut world = World::new(ASKING);
    world.usual().await;
    world.set_mode("careful").await;
    let call = world.edit("src/main.rs");
    let id = world.agent_asks(call).await;
    let question = world.editor.hear_method("session/request_permission").await;
    let outcome = json!({ "outcome": { "outcome": "selected", "optionId": "allow" } });
    world.editor.answer(&question, outcome).await;
    world.agent.hear_answer(id).await;
    let params = json!({ "sessionId": "s1", "path": world.path("src/main.rs"), "content": "x" });
    world.agent.ask("fs/write_text_file", params.clone()).await;
    assert_eq!(world.editor.hear().await["method"], "fs/write_text_file");
    // Once.
    world.agent.ask("fs/write_text_file", params).await;
    assert_eq!(
        world.editor.hear().await["method"],
        "session/request_permission"
    );
}

#[tokio::test]
async fn what_an_agent_does_without_asking_is_reported_and_recorded() {
    let mut world = World::new("");
    world.usual().await;
    world.set_mode("ask").await;
    let path = world.path("src/main.rs");
    let begin = json!({
        "sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Write main.rs", "kind": "edit",
        "status": "in_progress", "locations": [{ "path": path }],
    });
    world.agent.update("s1", begin).await;
    let end =
        json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed" });
    world.agent.update("s1", end).await;
    let said = world.editor.hear_update("agent_message_chunk").await;
    let text = said["content"]["text"].as_str().unwrap();
    assert!(
        text.contains("Write main.rs") && text.contains("without asking"),
        "{text}"
    );
    let decisions = world
        .engine
        .decisions()
        .list(&mk_engine::DecisionFilter::default())
        .unwrap();
    assert_eq!(decisions[0].rule, "unasked");
    assert_eq!(decisions[0].tool_use.as_deref(), Some("c1"));
}
