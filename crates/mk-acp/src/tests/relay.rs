//! The relay: what is not ours goes through to the letter.

use mk_testkit::dice::Dice;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::World;
use crate::Relay;

#[tokio::test]
async fn a_newer_protocol_is_offered_as_the_one_that_we_speak() {
    let mut world = World::new("");
    let id = world
        .editor
        .ask(
            "initialize",
            json!({ "protocolVersion": 2, "clientCapabilities": { "x": 1.0 } }),
        )
        .await;
    let request = world.agent.hear().await;
    assert_eq!(
        request["params"],
        json!({ "protocolVersion": 1, "clientCapabilities": { "x": 1.0 } })
    );
    world
        .agent
        .answer(
            &request,
            json!({ "protocolVersion": 1, "agentInfo": { "name": "x" } }),
        )
        .await;
    assert_eq!(
        world.editor.hear_answer(id).await["result"]["protocolVersion"],
        1
    );
}

#[tokio::test]
async fn instructions_go_into_the_system_prompt_where_the_agent_takes_them() {
    let mut world = World::new("");
    world
        .editor
        .ask("initialize", json!({ "protocolVersion": 1 }))
        .await;
    let request = world.agent.hear().await;
    let capabilities = json!({ "sessionCapabilities": { "systemPrompt": {} } });
    world
        .agent
        .answer(
            &request,
            json!({ "protocolVersion": 1, "agentCapabilities": capabilities }),
        )
        .await;
    world.editor.hear().await;
    let cwd = world.files.root().to_string();
    world
        .editor
        .ask("session/new", json!({ "cwd": cwd, "mcpServers": [] }))
        .await;
    let request = world.agent.hear().await;
    let prompt = &request["params"]["systemPrompt"];
    assert_eq!(prompt["mode"], "append");
    assert!(
        prompt["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("'code' mode"),
        "{prompt}"
    );
    world
        .agent
        .answer(&request, json!({ "sessionId": "s1" }))
        .await;
    world.editor.hear().await;
    // The first prompt need not say it again, the first after a switch must.
    let prompt = json!({ "sessionId": "s1", "prompt": [{ "type": "text", "text": "hello" }] });
    world.editor.ask("session/prompt", prompt.clone()).await;
    assert_eq!(world.agent.hear().await["params"], prompt);
    world.set_mode("ask").await;
    world.editor.ask("session/prompt", prompt).await;
    let blocks = world.agent.hear().await["params"]["prompt"].clone();
    assert!(
        blocks[1]["text"].as_str().unwrap().contains("'ask' mode"),
        "{blocks}"
    );
    assert_eq!(blocks[0]["text"], "hello");
}

#[tokio::test]
async fn unknown_methods_fields_and_notifications_pass_unchanged() {
    let mut world = World::new("");
    world.usual().await;
    let lines = [
        r#"{"jsonrpc":"2.0","method":"_vendor/hello","params":{"n":1.10,"big":12345678901234567890123}}"#,
        r#"{"jsonrpc":"2.0","id":"a\u0062","method":"craft/drainMidTurnQueue","params":{}}"#,
        r#"{ "jsonrpc" : "2.0" , "method" : "session/update", "params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\u00e9"}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"no_such_kind"}}}"#,
        r#"{"jsonrpc":"2.0","id":77,"result":{"of":"nothing that was asked"}}"#,
    ];
    for line in lines {
        world.agent.line(line).await;
        assert_eq!(world.editor.hear_line().await.as_deref(), Some(line));
    }
    for line in lines {
        world.editor.line(line).await;
        assert_eq!(world.agent.hear_line().await.as_deref(), Some(line));
    }
}

#[tokio::test]
async fn lines_that_are_not_messages_do_not_reach_the_editor() {
    let mut world = World::new("");
    for line in [
        "This agent is no longer maintained",
        "[]",
        "{\"a\":1}",
        "\u{0}",
        "{\"method\":\"a\",\"method\":\"b\"}",
    ] {
        world.agent.line(line).await;
    }
    let real = r#"{"jsonrpc":"2.0","method":"_x/y"}"#;
    world.agent.line(real).await;
    assert_eq!(world.editor.hear_line().await.as_deref(), Some(real));
}

/// A value with everything that JSON has.
fn random(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(if depth == 0 { 5 } else { 7 }) {
        0 => Value::Null,
        1 => json!(dice.below(2) == 0),
        2 => json!(dice.below(1 << 40)),
        3 => json!(dice.below(1 << 20) as f64 / 7.0),
        4 => Value::from(text(dice)),
        5 => (0..dice.below(4))
            .map(|_| random(dice, depth - 1))
            .collect(),
        _ => {
            let entries = (0..dice.below(4)).map(|_| (text(dice), random(dice, depth - 1)));
            Value::Object(entries.collect())
        }
    }
}

fn text(dice: &mut Dice) -> String {
    let letters = [
        "a",
        "é",
        "\"",
        "\\",
        "\n",
        "💡",
        "\u{7f}",
        "session/update",
        " ",
    ];
    (0..dice.below(6))
        .map(|_| letters[dice.below(letters.len())])
        .collect()
}

fn message(dice: &mut Dice) -> String {
    let methods = [
        "initialize",
        "session/new",
        "session/prompt",
        "session/set_mode",
        "session/update",
        "session/request_permission",
        "fs/write_text_file",
        "terminal/create",
        "_vendor/x",
    ];
    let method = methods[dice.below(methods.len())];
    let params = random(dice, 3);
    let id = dice.below(1000);
    let message = match dice.below(4) {
        0 => json!({ "jsonrpc": "2.0", "method": method, "params": params }),
        1 => json!({ "jsonrpc": "2.0", "id": id, "result": params }),
        2 => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -1, "message": "x", "data": params } })
        }
        _ => json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }),
    };
    message.to_string()
}

#[tokio::test]
async fn ten_thousand_random_messages_come_out_byte_equal_with_modes_off() {
    let mut dice = Dice::new(14);
    let mut sent: Vec<u8> = Vec::new();
    for _ in 0..10_000 {
        sent.extend(message(&mut dice).into_bytes());
        sent.push(b'\n');
    }
    sent.extend(b"\n\nnot json\r\n{\"cut");
    let World {
        editor,
        agent,
        proxy,
        ..
    } = World::with("", None, Relay::Passthrough);
    let (mut to_proxy, mut from_proxy) = (editor.output.unwrap(), agent.input);
    let text = sent.clone();
    let writing = tokio::spawn(async move {
        to_proxy.write_all(&text).await.unwrap();
    });
    let mut heard = Vec::new();
    from_proxy.read_to_end(&mut heard).await.unwrap();
    writing.await.unwrap();
    assert!(heard == sent, "{} bytes of {}", heard.len(), sent.len());
    // And the other way.
    drop(agent.output);
    proxy.await.unwrap().unwrap();
    let World {
        editor,
        agent,
        proxy,
        ..
    } = World::with("", None, Relay::Passthrough);
    let (mut to_proxy, mut from_proxy) = (agent.output.unwrap(), editor.input);
    let text = sent.clone();
    let writing = tokio::spawn(async move {
        to_proxy.write_all(&text).await.unwrap();
    });
    let mut heard = vec![0; sent.len()];
    from_proxy.read_exact(&mut heard).await.unwrap();
    writing.await.unwrap();
    assert!(heard == sent);
    drop(editor.output);
    proxy.await.unwrap().ok();
}
