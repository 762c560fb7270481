//! Agents that lie: what they say to get more through the editor than the mode allows.

use serde_json::{Value, json};

use super::World;

/// A mode that asks before everything, one that asks before changes, and one that runs commands but edits Markdown only.
const MODES: &str = "\
//- /.roomodes
customModes:
- slug: careful
  name: Careful
  roleDefinition: Asks.
  groups: [read, edit, command]
  autoApprove: none
- slug: reader
  name: Reader
  roleDefinition: Reads.
  groups: [read]
  autoApprove: all
- slug: docs
  name: Docs
  roleDefinition: Documents.
  groups: [read, [edit, { fileRegex: '\\.md$' }], command]
  autoApprove: all
";

async fn world(mode: &str) -> World {
    let mut world = World::new(MODES);
    world.usual().await;
    world.set_mode(mode).await;
    world
}

fn write(path: &str) -> Value {
    json!({ "sessionId": "s1", "path": path, "content": "x" })
}

/// Says a line as it stands, then something harmless: the editor must hear nothing in between.
#[track_caller]
fn check_held(heard: &Value, line: &str) {
    assert_eq!(heard["method"], "_it/after", "{line}: {heard:#}");
}

async fn check_line(world: &mut World, line: &str) {
    world.agent.line(line).await;
    // What it is answered comes before the next line is read, or nothing does.
    let id = world
        .agent
        .ask("fs/write_text_file", write("/x/refused"))
        .await;
    world.agent.hear_answer(id).await;
    let after = json!({ "jsonrpc": "2.0", "method": "_it/after" });
    world.agent.say(after).await;
    let heard = world.editor.hear().await;
    check_held(&heard, line);
}

/// Lets the agent go, and looks at all that the editor has heard since then: each line is handled by a task of its own,
/// which may be later than what came after it.
async fn check_silence(world: &mut World) {
    world.agent.leave();
    while let Some(heard) = world.editor.hear_line().await {
        for held in ["fs/", "terminal/", "current_mode_update"] {
            assert!(!heard.contains(held), "{heard}");
        }
    }
}

#[tokio::test]
async fn a_write_reaches_the_editor_in_no_disguise() {
    let mut world = world("ask").await;
    let path = world.path("src/main.rs");
    let params = write(&path);
    let request =
        json!({ "jsonrpc": "2.0", "id": null, "method": "fs/write_text_file", "params": params });
    let notification =
        json!({ "jsonrpc": "2.0", "method": "fs/write_text_file", "params": params });
    let batch =
        json!([{ "jsonrpc": "2.0", "id": 900, "method": "fs/write_text_file", "params": params }]);
    let unknown =
        json!({ "jsonrpc": "2.0", "id": 901, "method": "fs/write_binary_file", "params": params });
    let lines = [
        request.to_string(),
        notification.to_string(),
        batch.to_string(),
        unknown.to_string(),
        format!(r#"{{"id":902,"method":"_it/x","params":{params},"method":"fs/write_text_file"}}"#),
        format!(r#"{{"id":903,"m\u0065thod":"fs\/write_text_file","params":{params}}}"#),
    ];
    for line in lines {
        check_line(&mut world, &line).await;
    }
    check_silence(&mut world).await;
}

#[tokio::test]
async fn a_name_that_stands_twice_hides_nothing() {
    let mut world = world("docs").await;
    let (good, bad) = (world.path("docs/a.md"), world.path("src/main.rs"));
    let lines = [
        format!(
            r#"{{"id":900,"method":"fs/write_text_file","params":{{"sessionId":"s1","path":"{good}","path":"{bad}","content":"x"}}}}"#
        ),
        format!(
            r#"{{"id":901,"method":"fs/write_text_file","params":{{"sessionId":"s1","path":"{bad}","path":"{good}","content":"x"}}}}"#
        ),
        format!(
            r#"{{"id":902,"method":"fs/write_text_file","params":{{"sessionId":"s1","path":"{good}","Path":"{bad}","content":"x"}}}}"#
        ),
        r#"{"id":903,"method":"terminal/create","params":{"sessionId":"s1","command":"git","args":["log"],"args":["rm","src/main.rs"]}}"#.to_owned(),
    ];
    for line in lines {
        check_line(&mut world, &line).await;
    }
    check_silence(&mut world).await;
}

#[tokio::test]
async fn a_mode_that_is_told_twice_is_not_shown() {
    let mut world = world("ask").await;
    let line = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"plan","sessionUpdate":"current_mode_update","currentModeId":"code"}}}"#;
    check_line(&mut world, line).await;
    check_silence(&mut world).await;
}

#[tokio::test]
async fn an_answer_that_shows_modes_twice_shows_ours() {
    let mut world = World::new("");
    let cwd = world.files.root().to_string();
    let params = json!({ "cwd": cwd, "mcpServers": [] });
    let id = world.editor.ask("session/new", params).await;
    let request = world.agent.hear_method("session/new").await;
    let (id_text, own) = (&request["id"], super::own_modes());
    // Some languages spell one number in two ways.
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":{id_text}.0,"result":{{"sessionId":"s1","modes":{own},"modes":{own}}}}}"#
    );
    world.agent.line(&line).await;
    let answer = world.editor.hear_line().await.unwrap();
    assert_eq!(answer.matches("currentModeId").count(), 1, "{answer}");
    assert!(answer.contains("architect"), "{answer}");
    world
        .editor
        .ask(
            "session/set_mode",
            json!({ "sessionId": "s1", "modeId": "ask" }),
        )
        .await;
    world.editor.hear_answer(id + 1).await;
}

#[tokio::test]
async fn permission_to_read_is_not_permission_to_write() {
    let mut world = world("reader").await;
    let path = world.path("src/main.rs");
    let call = json!({
        "toolCallId": "c1", "title": "Read src/main.rs", "kind": "read", "locations": [{ "path": path }],
    });
    let id = world.agent_asks(call).await;
    let answer = world.agent.hear_answer(id).await;
    assert_eq!(answer["result"]["outcome"]["optionId"], "allow");
    let id = world.agent.ask("fs/write_text_file", write(&path)).await;
    let answer = world.agent.hear_answer(id).await;
    assert_eq!(answer["error"]["code"], -32000, "{answer}");
}

#[tokio::test]
async fn an_agent_cannot_answer_for_the_person() {
    let mut world = World::new("");
    world
        .open(json!({ "sessionId": "s1", "modes": super::own_modes() }))
        .await;
    let pin = world.agent.hear_method("session/set_mode").await;
    world.agent.answer(&pin, json!({})).await;
    let path = world.path(".roomodes");
    let id = world.agent.ask("fs/write_text_file", write(&path)).await;
    let question = world.editor.hear_method("session/request_permission").await;
    // The agent has seen one of our ids, and knows how they are made.
    let seen = pin["id"].as_str().unwrap();
    let (start, _) = seen.rsplit_once('-').unwrap();
    let outcome = json!({ "outcome": { "outcome": "selected", "optionId": "allow" } });
    for number in 0..10 {
        let id = format!("{start}-{number}");
        world
            .agent
            .say(json!({ "jsonrpc": "2.0", "id": id, "result": outcome }))
            .await;
    }
    let own = question["id"].clone();
    world
        .agent
        .say(json!({ "jsonrpc": "2.0", "id": own, "result": outcome }))
        .await;
    assert!(!own.as_str().unwrap().starts_with(start), "{own}: {seen}");
    let no = json!({ "outcome": { "outcome": "selected", "optionId": "reject" } });
    world.editor.answer(&question, no).await;
    let answer = world.agent.hear_answer(id).await;
    assert_eq!(answer["error"]["code"], -32000, "{answer}");
}

#[tokio::test]
async fn a_second_question_under_one_id_is_not_asked() {
    let mut world = world("careful").await;
    let options = json!([
        { "optionId": "allow", "name": "Allow", "kind": "allow_once" },
        { "optionId": "reject", "name": "Reject", "kind": "reject_once" },
    ]);
    let request = |call: Value| {
        let params = json!({ "sessionId": "s1", "toolCall": call, "options": options });
        json!({ "jsonrpc": "2.0", "id": 900, "method": "session/request_permission", "params": params })
    };
    let (first, second) = (world.edit("docs/a.md"), world.edit("src/main.rs"));
    world.agent.say(request(first)).await;
    // Heard before the second is sent: each is handled by a task of its own.
    let question = world.editor.hear_method("session/request_permission").await;
    world.agent.say(request(second)).await;
    let refused = world.agent.hear_answer(900).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let outcome = json!({ "outcome": { "outcome": "selected", "optionId": "allow" } });
    world.editor.answer(&question, outcome).await;
    let answer = world.agent.hear_answer(900).await;
    assert_eq!(answer["result"]["outcome"]["optionId"], "allow");
    // What the person has not seen is asked.
    let path = world.path("src/main.rs");
    world.agent.ask("fs/write_text_file", write(&path)).await;
    let asked = world.editor.hear_method("session/request_permission").await;
    assert_eq!(
        asked["params"]["toolCall"]["locations"][0]["path"],
        path.as_str()
    );
}

#[tokio::test]
async fn an_answer_that_comes_after_a_switch_is_judged_by_the_new_mode() {
    for by_file in [false, true] {
        let mut world = world("careful").await;
        let call = world.edit("src/main.rs");
        let asked = world.agent_asks(call).await;
        let question = world.editor.hear_method("session/request_permission").await;
        let path = world.path("docs/a.txt");
        let written = world.agent.ask("fs/write_text_file", write(&path)).await;
        let second = world.editor.hear_method("session/request_permission").await;
        match by_file {
            false => drop(world.set_mode("ask").await),
            true => {
                let narrow = MODES.replace("[read, edit, command]", "[read]");
                let (_, narrow) = narrow.split_once('\n').unwrap();
                // Its name changes, too, so that the picker tells when the file has been read.
                let narrow = narrow.replace("name: Careful", "name: Narrow");
                world.files.write(".roomodes", &narrow);
                world.editor.hear_update("config_option_update").await;
            }
        }
        for question in [question, second] {
            let outcome = json!({ "outcome": { "outcome": "selected", "optionId": "allow" } });
            world.editor.answer(&question, outcome).await;
        }
        let answer = world.agent.hear_answer(asked).await;
        assert_eq!(
            answer["result"]["outcome"]["optionId"], "reject",
            "{answer}"
        );
        let answer = world.agent.hear_answer(written).await;
        assert_eq!(answer["error"]["code"], -32000, "{answer}");
    }
}

#[tokio::test]
async fn an_agreement_ends_with_the_mode_that_gave_it() {
    let mut world = world("code").await;
    let call = world.edit("src/main.rs");
    let id = world.agent_asks(call).await;
    let answer = world.agent.hear_answer(id).await;
    assert_eq!(answer["result"]["outcome"]["optionId"], "allow");
    // Another process sets the mode, as `modekeeper mode` does.
    let conversations = world.engine.conversations();
    let seat = crate::session::seat("acp", "s1", world.files.root().clone());
    let conversation = conversations.open(&seat).await.unwrap();
    let ask = mk_types::ModeSlug::parse("ask").unwrap();
    conversations
        .set_mode(&conversation.id, &ask)
        .await
        .unwrap();
    let path = world.path("src/main.rs");
    let id = world.agent.ask("fs/write_text_file", write(&path)).await;
    let answer = world.agent.hear_answer(id).await;
    assert_eq!(answer["error"]["code"], -32000, "{answer}");
}

#[tokio::test]
async fn a_terminal_runs_nothing_that_its_line_does_not_show() {
    let mut world = world("docs").await;
    let cwd = world.path("src");
    let denied = [
        // The line itself.
        json!({ "command": "touch src/x" }),
        json!({ "command": "touch", "args": ["src/x"] }),
        json!({ "command": "bash", "args": ["-c", "touch src/x"] }),
        // Editors that join the words to one line of a shell.
        json!({ "command": "echo", "args": ["hello; touch src/x"] }),
        json!({ "command": "echo", "args": ["$(touch src/x)"] }),
        // What is not a word.
        json!({ "command": "git log", "env": [{ "name": "A=b; touch src/x; B", "value": "" }] }),
        json!({ "command": "git log", "env": { "LD_PRELOAD": "/tmp/x.so" } }),
        json!({ "command": "git", "args": ["log", { "x": "rm" }] }),
        json!({ "command": "git", "args": "log; touch src/x" }),
        json!({ "command": ["touch", "src/x"] }),
        json!({ "args": ["touch", "src/x"] }),
        // Another directory.
        json!({ "command": "touch", "args": ["x.txt"], "cwd": cwd }),
        json!({ "command": "touch", "args": ["x.md"], "cwd": 5 }),
    ];
    for case in denied {
        let mut params = case.clone();
        params["sessionId"] = json!("s1");
        let id = world.agent.ask("terminal/create", params).await;
        let answer = world.agent.hear_answer(id).await;
        let code = answer["error"]["code"].as_i64();
        assert!(matches!(code, Some(-32000 | -32602)), "{case}: {answer}");
    }
    // Variables that choose what runs: a person is shown them.
    let asked = [
        json!({ "command": "git", "args": ["diff"], "env": [{ "name": "GIT_EXTERNAL_DIFF", "value": "touch src/x" }] }),
        json!({ "command": "git log", "env": [{ "name": "LD_PRELOAD", "value": "/tmp/x.so" }] }),
    ];
    for case in asked {
        let mut params = case.clone();
        params["sessionId"] = json!("s1");
        let id = world.agent.ask("terminal/create", params).await;
        let question = world.editor.hear_method("session/request_permission").await;
        let name = case["env"][0]["name"].as_str().unwrap();
        let shown = question["params"]["toolCall"].to_string();
        assert!(shown.contains(name), "{question:#}");
        let no = json!({ "outcome": { "outcome": "cancelled" } });
        world.editor.answer(&question, no).await;
        let answer = world.agent.hear_answer(id).await;
        assert_eq!(answer["error"]["code"], -32000, "{case}: {answer}");
    }
    let allowed = [
        json!({ "command": "git", "args": ["log", "--oneline"], "env": [{ "name": "A", "value": "b c" }] }),
        json!({ "command": "touch", "args": ["x.md"], "cwd": world.path("docs") }),
    ];
    for mut params in allowed {
        params["sessionId"] = json!("s1");
        world.agent.ask("terminal/create", params.clone()).await;
        let heard = world.editor.hear_method("terminal/create").await;
        assert_eq!(heard["params"], params);
    }
}

#[tokio::test]
async fn a_link_leads_to_the_file_that_it_names() {
    let mut world = world("docs").await;
    std::fs::create_dir_all(world.path("docs")).unwrap();
    std::os::unix::fs::symlink("../src/main.rs", world.path("docs/link.md")).unwrap();
    std::os::unix::fs::symlink("../src", world.path("docs/dir.md")).unwrap();
    for name in [
        "docs/link.md",
        "docs/dir.md/main.rs",
        "docs/../src/main.rs",
        "src/main.rs",
        "",
    ] {
        let path = match name {
            "" => String::new(),
            name => world.path(name),
        };
        let id = world.agent.ask("fs/write_text_file", write(&path)).await;
        let answer = world.agent.hear_answer(id).await;
        assert!(answer["error"]["code"].is_i64(), "{name}: {answer}");
    }
}

#[tokio::test]
async fn nothing_of_another_shape_ends_the_conversation() {
    let mut world = world("careful").await;
    let odd = [json!("x"), json!([1]), json!(5), Value::Null, json!({})];
    for value in &odd {
        let options = json!([{ "optionId": "allow", "kind": "allow_once", "name": "Allow" }]);
        let params = json!({ "sessionId": "s1", "toolCall": value, "options": options });
        let id = world.agent.ask("session/request_permission", params).await;
        // A person has to look, or it is refused; nothing is left open.
        let answer = world.agent.hear_answer(id).await;
        assert_eq!(
            answer["result"]["outcome"]["outcome"], "cancelled",
            "{value}: {answer}"
        );
        for method in [
            "session/request_permission",
            "fs/read_text_file",
            "fs/write_text_file",
            "terminal/create",
        ] {
            let id = world.agent.ask(method, value.clone()).await;
            world.agent.hear_answer(id).await;
        }
        let update = json!({ "jsonrpc": "2.0", "method": "session/update", "params": value });
        world.agent.say(update).await;
    }
    for line in [
        r#"{"jsonrpc":"2.0","method":"session/update","params":["s1",["tool_call"]]}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":["tool_call"]}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":["current_mode_update"]}}"#,
    ] {
        world.agent.line(line).await;
    }
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    world.agent.line(&format!(r#"{{"id":7000,"method":"session/request_permission","params":{{"sessionId":"s1","toolCall":{deep}}}}}"#)).await;
    world.agent.hear_answer(7000).await;
    let id = world.agent.ask("_it/after", json!({})).await;
    world.editor.hear_method("_it/after").await;
    assert!(id > 0);
}

#[tokio::test]
async fn a_new_session_has_no_mode_of_an_old_one() {
    let mut world = World::new("");
    let conversations = world.engine.conversations();
    let seat = crate::session::seat("acp", "s1", world.files.root().clone());
    let old = conversations.open(&seat).await.unwrap();
    let debug = mk_types::ModeSlug::parse("debug").unwrap();
    conversations.set_mode(&old.id, &debug).await.unwrap();
    let answer = world.open(json!({ "sessionId": "s1" })).await;
    assert_eq!(answer["result"]["modes"]["currentModeId"], "code");
    // One that is under way keeps what the person has picked, whatever the agent calls the next.
    world.set_mode("ask").await;
    let answer = world.open(json!({ "sessionId": "s1" })).await;
    assert_eq!(answer["result"]["modes"]["currentModeId"], "ask");
}
