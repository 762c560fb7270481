//! Lines that are no messages, lines of every form, and the end of input.

use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use super::World;
use super::wire::{Wire, call, request};
use crate::transport::converse;
use crate::transport::line::LONGEST_LINE;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// What a line is answered with, before any handshake: its id and its code, or `pong`.
async fn check(line: impl AsRef<[u8]>, expected: &str) {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    wire.write(line.as_ref()).await;
    wire.write("\n").await;
    let answers = wire.rest().await;
    let shown: Vec<String> = answers.iter().map(show).collect();
    let line = String::from_utf8_lossy(line.as_ref());
    let line: String = line.chars().take(80).collect();
    assert_eq!(shown.join(", "), expected, "{line}");
}

fn show(answer: &Value) -> String {
    let what = match answer.get("error") {
        Some(error) => error["code"].to_string(),
        None => "pong".to_owned(),
    };
    format!("{} {what}", answer["id"])
}

#[tokio::test]
async fn what_is_no_json_is_a_parse_error() {
    check("nonsense", "null -32700").await;
    check("{", "null -32700").await;
    check("{\"jsonrpc\":\"2.0\",\"id\":1,", "null -32700").await;
    check("Content-Length: 40", "null -32700").await;
    check("[".repeat(100_000), "null -32700").await;
    check(b"\xff\xfe\x00", "null -32700").await;
    check(
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xffng\"}",
        "null -32700",
    )
    .await;
}

#[tokio::test]
async fn what_is_no_message_is_an_invalid_request_with_its_id_where_it_has_one() {
    check("{}", "null -32600").await;
    check("5", "null -32600").await;
    check("null", "null -32600").await;
    check("\"ping\"", "null -32600").await;
    check(r#"{"id":1,"method":"ping"}"#, "1 -32600").await;
    check(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "1 -32600").await;
    check(r#"{"jsonrpc":"2.0","id":"a"}"#, "\"a\" -32600").await;
    check(r#"{"jsonrpc":"2.0","id":1,"method":["ping"]}"#, "1 -32600").await;
    check(r#"{"jsonrpc":"2.0","method":5}"#, "null -32600").await;
}

#[tokio::test]
async fn an_id_that_is_neither_a_string_nor_an_integer_is_an_invalid_request() {
    for id in ["null", "1.5", "{}", "[1]", "true"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        check(line, "null -32600").await;
    }
}

#[tokio::test]
async fn batches_are_refused_as_a_whole_where_the_revision_has_none() {
    check("[]", "null -32600").await;
    check(format!("[{PING}]"), "null -32600").await;
}

/// What a batch is answered with on a revision: the ids and codes of one array, or of one object.
async fn check_batch(version: &str, batch: &Value, expected: &str) {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    let client = json!({ "name": "client-name", "version": "1.0.0" });
    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
    wire.write(request(0, "initialize", params).to_string())
        .await;
    wire.write("\n").await;
    wire.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    wire.write("\n").await;
    wire.write(batch.to_string()).await;
    wire.write("\n").await;
    let answers = wire.rest().await;
    let shown = answers[1..].iter().map(|answer| match answer.as_array() {
        Some(answers) => {
            let mut shown: Vec<String> = answers.iter().map(show).collect();
            shown.sort();
            format!("[{}]", shown.join(", "))
        }
        None => show(answer),
    });
    assert_eq!(shown.collect::<Vec<_>>().join(", "), expected, "{batch}");
}

#[tokio::test]
async fn a_batch_is_answered_as_one_on_the_revision_that_has_them() {
    let ping = |id: u32| request(id, "ping", json!({}));
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let revision = "2025-03-26";
    check_batch(revision, &json!([ping(1), ping(2)]), "[1 pong, 2 pong]").await;
    check_batch(
        revision,
        &json!([ping(1), note, 5]),
        "[1 pong, null -32600]",
    )
    .await;
    check_batch(revision, &json!([note]), "").await;
    check_batch(revision, &json!([5]), "[null -32600]").await;
    check_batch(revision, &json!([]), "null -32600").await;
    check_batch("2025-06-18", &json!([ping(1)]), "null -32600").await;
}

#[tokio::test]
async fn lines_may_be_dressed_differently() {
    check(PING, "1 pong").await;
    check(format!("{PING}\r"), "1 pong").await;
    check(format!("  {PING}\t "), "1 pong").await;
    check(format!("\u{feff}{PING}"), "1 pong").await;
    check(format!("\n\r\n   \n{PING}\n\n"), "1 pong").await;
    check(PING.replace(":1,", ":1.0,"), "1 pong").await;
    check(PING.replace(":1,", ":-7,"), "-7 pong").await;
    check(PING.replace(":1,", ":\"x\","), "\"x\" pong").await;
    check(format!("{PING}\n{PING}"), "1 pong, 1 pong").await;
}

#[tokio::test]
async fn a_line_that_is_too_long_is_refused_and_the_next_one_read() {
    let long = format!("{{\"x\":\"{}\"}}", "x".repeat(LONGEST_LINE));
    check(format!("{long}\n{PING}"), "null -32600, 1 pong").await;
}

#[tokio::test]
async fn the_last_line_needs_no_newline() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    wire.write(PING).await;
    assert_eq!(show(&wire.rest().await[0]), "1 pong");

    let mut wire = Wire::connect(&world);
    wire.write("nonsense").await;
    assert_eq!(show(&wire.rest().await[0]), "null -32700");

    let mut wire = Wire::connect(&world);
    wire.write("x".repeat(LONGEST_LINE + 2)).await;
    assert_eq!(show(&wire.rest().await[0]), "null -32600");
}

/// The process ends when its conversation does: what is not written by then is lost.
#[test]
fn everything_is_written_when_the_conversation_is_over() {
    for (input, expected) in [("nonsense\n", "null -32700"), (PING, "1 pong")] {
        let runtime = || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            runtime.enable_all().build().expect("a runtime")
        };
        let world = World::new("");
        let (mut ours, theirs) = tokio::io::duplex(64 * 1024);
        let closing = world.server.closing().clone();
        let serving = converse(world.service(), closing, input.as_bytes(), theirs);
        runtime().block_on(serving);
        let mut written = String::new();
        let reading = ours.read_to_string(&mut written);
        runtime().block_on(reading).expect("text");
        let answer = serde_json::from_str(&written);
        let answer = answer.unwrap_or_else(|_| panic!("{input:?} is answered {written:?}"));
        assert_eq!(show(&answer), expected);
    }
}

#[tokio::test]
async fn a_message_may_come_in_pieces() {
    let world = World::new("");
    let mut wire = Wire::connect(&world);
    for piece in PING.as_bytes().chunks(3) {
        wire.write(piece).await;
        tokio::task::yield_now().await;
    }
    wire.write("\n").await;
    assert_eq!(show(&wire.next().await), "1 pong");
}

#[tokio::test]
async fn rubbish_in_the_middle_of_a_conversation_does_not_disturb_it() {
    let world = World::new("");
    let mut wire = Wire::open(&world).await;
    wire.write("rubbish\n").await;
    let answer = wire.call("list_modes", json!({})).await;
    assert!(answer.get("result").is_some());
    assert_eq!(show(&wire.next().await), "null -32700");
}

#[tokio::test]
async fn what_was_asked_before_the_end_is_answered() {
    let world = World::new("");
    let mut wire = Wire::open(&world).await;
    for id in 0..100 {
        wire.send(call(id, "list_modes", json!({}))).await;
    }
    assert_eq!(wire.rest().await.len(), 100);
    (&mut wire.serving).await.expect("no panic");
}

#[tokio::test]
async fn strange_methods_and_parameters_are_answered() {
    let world = World::new("");
    let mut wire = Wire::open(&world).await;
    for (method, params, code) in [
        ("", json!({}), -32601),
        ("tools/call/", json!({}), -32601),
        ("TOOLS/LIST", json!({}), -32601),
        ("notifications/initialized", json!({}), -32601),
        ("tools/call", json!([]), -32600),
        ("tools/call", json!({ "name": 5 }), -32602),
        ("resources/read", json!({}), -32602),
        ("resources/read", json!({ "uri": 5 }), -32602),
        ("prompts/get", json!({ "name": [] }), -32602),
        ("completion/complete", json!({}), -32602),
        ("logging/setLevel", json!({}), -32602),
    ] {
        let shown = format!("{method} {params}");
        let answer = wire.request(request(1, method, params)).await;
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer:#}");
    }
}
