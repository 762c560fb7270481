//! Modes in sessions, both setters, both notifications, and the agent's own selector.

use mk_clients::ClientId;
use mk_testkit::wait::wait_for;
use mk_types::ModeSlug;
use serde_json::{Value, json};

use super::{World, model_option, own_modes, own_option};

fn ids(modes: &Value) -> Vec<&str> {
    let modes = modes["availableModes"].as_array().expect("a list");
    modes
        .iter()
        .filter_map(|mode| mode["id"].as_str())
        .collect()
}

#[tokio::test]
async fn a_new_session_has_our_modes_both_ways_and_the_agents_other_options() {
    let mut world = World::new("");
    let options = json!([own_option("auto"), model_option()]);
    let answer = world
        .open(json!({ "sessionId": "s1", "modes": own_modes(), "configOptions": options, "models": { "x": 7.0 } }))
        .await;
    let result = &answer["result"];
    assert_eq!(
        ids(&result["modes"]),
        ["code", "architect", "ask", "debug", "orchestrator"]
    );
    assert_eq!(result["modes"]["currentModeId"], "code");
    let options = result["configOptions"].as_array().unwrap();
    assert_eq!(options.len(), 2, "{options:#?}");
    assert_eq!(options[0]["category"], "mode");
    assert_eq!(options[0]["currentValue"], "code");
    assert_eq!(options[0]["options"][2]["value"], "ask");
    assert_eq!(options[1], model_option());
    assert_eq!(result["models"], json!({ "x": 7.0 }));
}

#[tokio::test]
async fn values_that_are_not_ours_come_through_to_the_letter() {
    let mut world = World::new("");
    let cwd = world.files.root().to_string();
    let id = world
        .editor
        .ask("session/new", json!({ "cwd": cwd, "mcpServers": [] }))
        .await;
    let request = world.agent.hear_method("session/new").await;
    let odd = r#"{"a":1.10,"b":123456789012345678901234567890,"c":"\u00e9\/"}"#;
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"sessionId":"s1","_meta":{odd}}}}}"#,
        request["id"]
    );
    world.agent.line(&line).await;
    let heard = world.editor.hear_line().await.unwrap();
    assert!(heard.contains(odd), "{heard}");
    assert!(heard.contains(&format!("\"id\":{id}")), "{heard}");
}

#[tokio::test]
async fn the_agents_own_selector_is_pinned_to_the_one_that_asks_most() {
    let mut world = World::new("");
    world.usual().await;
    // It leaves its place: the editor sees our mode, and it is put back.
    let update = json!({ "sessionUpdate": "current_mode_update", "currentModeId": "yolo" });
    world.agent.update("s1", update).await;
    let seen = world.editor.hear_update("current_mode_update").await;
    assert_eq!(seen["currentModeId"], "code");
    let pin = world.agent.hear_method("session/set_mode").await;
    assert_eq!(
        pin["params"],
        json!({ "sessionId": "s1", "modeId": "default" })
    );
}

#[tokio::test]
async fn an_agent_that_lacks_one_setter_gets_the_other() {
    let mut world = World::new("");
    let options = json!([own_option("auto")]);
    world
        .open(json!({ "sessionId": "s1", "modes": own_modes(), "configOptions": options }))
        .await;
    let pin = world.agent.hear_method("session/set_mode").await;
    let error = json!({ "code": -32601, "message": "Method not found" });
    world
        .agent
        .say(json!({ "jsonrpc": "2.0", "id": pin["id"], "error": error }))
        .await;
    let pin = world.agent.hear_method("session/set_config_option").await;
    let expected = json!({ "sessionId": "s1", "configId": "mode", "value": "default" });
    assert_eq!(pin["params"], expected);
}

#[tokio::test]
async fn copilots_switch_for_everything_is_hidden_and_turned_off() {
    let mut world = World::of(ClientId::Copilot);
    let all = json!({
        "id": "allow_all", "name": "Allow all", "category": "permissions", "type": "select", "currentValue": "on",
        "options": [{ "value": "on", "name": "On" }, { "value": "off", "name": "Off" }],
    });
    let answer = world
        .open(json!({ "sessionId": "s1", "configOptions": [all, model_option()] }))
        .await;
    let options = answer["result"]["configOptions"].as_array().unwrap();
    assert_eq!(options.len(), 2, "{options:#?}");
    let off = world.agent.hear_method("session/set_config_option").await;
    assert_eq!(off["params"]["configId"], "allow_all");
    assert_eq!(off["params"]["value"], "off");
    let params = json!({ "sessionId": "s1", "configId": "allow_all", "value": "on" });
    let id = world.editor.ask("session/set_config_option", params).await;
    assert_eq!(world.editor.hear_answer(id).await["error"]["code"], -32602);
}

#[tokio::test]
async fn set_mode_tells_both_ways_and_answers() {
    let mut world = World::new("");
    world.usual().await;
    let id = world
        .editor
        .ask(
            "session/set_mode",
            json!({ "sessionId": "s1", "modeId": "architect" }),
        )
        .await;
    let seen = world.editor.hear_update("current_mode_update").await;
    assert_eq!(seen["currentModeId"], "architect");
    assert_eq!(seen["modeId"], "architect");
    let seen = world.editor.hear_update("config_option_update").await;
    assert_eq!(seen["configOptions"][0]["currentValue"], "architect");
    assert_eq!(world.editor.hear_answer(id).await["result"], json!({}));
}

#[tokio::test]
async fn set_config_option_answers_with_the_whole_list() {
    let mut world = World::new("");
    let options = json!([own_option("default"), model_option()]);
    world
        .open(json!({ "sessionId": "s1", "configOptions": options }))
        .await;
    let params = json!({ "sessionId": "s1", "configId": "mode", "value": "ask" });
    let id = world.editor.ask("session/set_config_option", params).await;
    let seen = world.editor.hear_update("current_mode_update").await;
    assert_eq!(seen["currentModeId"], "ask");
    let answer = world.editor.hear_answer(id).await;
    let options = answer["result"]["configOptions"].as_array().unwrap();
    assert_eq!(options.len(), 2, "{answer:#}");
    assert_eq!(options[0]["currentValue"], "ask");
    assert_eq!(options[1], model_option());
}

#[tokio::test]
async fn another_option_is_the_agents_and_ours_stays_in_its_answer() {
    let mut world = World::new("");
    world
        .open(
            json!({ "sessionId": "s1", "configOptions": [own_option("default"), model_option()] }),
        )
        .await;
    let params = json!({ "sessionId": "s1", "configId": "model", "value": "small" });
    let id = world
        .editor
        .ask("session/set_config_option", params.clone())
        .await;
    let request = world.agent.hear_method("session/set_config_option").await;
    assert_eq!(request["params"], params);
    let result = json!({ "configOptions": [own_option("default"), model_option()] });
    world.agent.answer(&request, result).await;
    let answer = world.editor.hear_answer(id).await;
    assert_eq!(
        answer["result"]["configOptions"][0]["options"][0]["value"],
        "code"
    );
    assert_eq!(answer["result"]["configOptions"][1], model_option());
}

#[tokio::test]
async fn an_unsolicited_list_of_options_is_rewritten() {
    let mut world = World::new("");
    world
        .open(json!({ "sessionId": "s1", "configOptions": [own_option("default")] }))
        .await;
    let update = json!({
        "sessionUpdate": "config_option_update", "configOptions": [own_option("default"), model_option()],
        "_meta": { "kept": true },
    });
    world.agent.update("s1", update).await;
    let seen = world.editor.hear_update("config_option_update").await;
    assert_eq!(seen["configOptions"][0]["options"][1]["value"], "architect");
    assert_eq!(seen["configOptions"][1], model_option());
    assert_eq!(seen["_meta"], json!({ "kept": true }));
}

#[tokio::test]
async fn unknown_modes_and_sessions_are_invalid_parameters() {
    let mut world = World::new("");
    world.usual().await;
    let cases = [
        (
            "session/set_mode",
            json!({ "sessionId": "s1", "modeId": "nobody" }),
        ),
        (
            "session/set_mode",
            json!({ "sessionId": "s1", "modeId": "../x" }),
        ),
        (
            "session/set_mode",
            json!({ "sessionId": "s2", "modeId": "code" }),
        ),
        ("session/set_mode", json!({})),
        (
            "session/set_config_option",
            json!({ "sessionId": "s1", "configId": "mode", "value": "yolo" }),
        ),
        (
            "session/set_config_option",
            json!({ "sessionId": "s2", "configId": "mode", "value": "code" }),
        ),
        (
            "session/set_config_option",
            json!({ "sessionId": "s1", "configId": "mode", "value": true }),
        ),
    ];
    for (method, params) in cases {
        let id = world.editor.ask(method, params.clone()).await;
        let answer = world.editor.hear_answer(id).await;
        assert_eq!(
            answer["error"]["code"], -32602,
            "{method} {params}: {answer}"
        );
    }
}

#[tokio::test]
async fn load_and_resume_keep_the_mode() {
    for method in ["session/load", "session/resume"] {
        let mut world = World::new("");
        world.usual().await;
        world.set_mode("architect").await;
        let cwd = world.files.root().to_string();
        let params = json!({ "sessionId": "s1", "cwd": cwd, "mcpServers": [] });
        let id = world.editor.ask(method, params).await;
        let request = world.agent.hear_method(method).await;
        world
            .agent
            .answer(&request, json!({ "modes": own_modes() }))
            .await;
        let answer = world.editor.hear_answer(id).await;
        assert_eq!(
            answer["result"]["modes"]["currentModeId"], "architect",
            "{method}"
        );
    }
}

#[tokio::test]
async fn a_fork_begins_in_the_mode_of_its_parent() {
    let mut world = World::new("");
    world.usual().await;
    world.set_mode("ask").await;
    let id = world
        .editor
        .ask("session/fork", json!({ "sessionId": "s1" }))
        .await;
    let request = world.agent.hear_method("session/fork").await;
    world
        .agent
        .answer(&request, json!({ "sessionId": "s2" }))
        .await;
    let answer = world.editor.hear_answer(id).await;
    assert_eq!(answer["result"]["modes"]["currentModeId"], "ask");
}

#[tokio::test]
async fn a_saved_mode_file_changes_the_picker() {
    let mut world = World::new("");
    world.usual().await;
    let file =
        "customModes:\n- slug: docs\n  name: Docs\n  roleDefinition: Writes.\n  groups: [read]\n";
    world.files.save(".roomodes", file);
    let seen = world.editor.hear_update("config_option_update").await;
    let options = seen["configOptions"][0]["options"].as_array().unwrap();
    assert_eq!(options.last().unwrap()["value"], "docs");
    assert!(world.set_mode("docs").await["error"].is_null());
}

#[tokio::test]
async fn a_mode_set_elsewhere_is_shown() {
    let mut world = World::new("");
    world.usual().await;
    let conversations = world.engine.conversations();
    let standpoint = conversations.standpoint(world.files.root()).unwrap();
    let conversation = &standpoint.conversations[0];
    let slug = ModeSlug::parse("ask").unwrap();
    conversations
        .set_mode(&conversation.id, &slug)
        .await
        .unwrap();
    let seen = world.editor.hear_update("current_mode_update").await;
    assert_eq!(seen["currentModeId"], "ask");
    // What the store says is what the hook sees.
    let mode = wait_for("the mode", || {
        let found = conversations.mode_in_force(&conversation.id).unwrap();
        found.filter(|mode| *mode == slug)
    });
    assert_eq!(mode, slug);
}
