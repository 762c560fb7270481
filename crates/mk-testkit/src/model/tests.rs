//! Every wire carries the same script.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::{LAST_WORDS, ScriptedModel, Step};

/// Sends a request and gives the body of the answer.
fn post(model: &ScriptedModel, path: &str, body: &Value) -> String {
    let mut stream = TcpStream::connect(model.address).unwrap();
    let body = body.to_string();
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: model\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

/// The first request gets the call, the second the end; and the model has heard the result.
#[track_caller]
fn check(path: &str, first: &Value, second: &Value) {
    let model = ScriptedModel::start();
    let step = Step::new(&["edit_file", "edit"], json!({ "path": "a.rs" }));
    model.script("main", vec![step]);
    let answer = post(&model, path, first);
    assert!(answer.contains("files_edit"), "{answer}");
    assert!(answer.contains("a.rs"), "{answer}");
    assert!(!model.heard("main").ended);
    let answer = post(&model, path, second);
    assert!(answer.contains(LAST_WORDS), "{answer}");
    let heard = model.heard("main");
    assert!(heard.ended);
    assert_eq!(heard.results.len(), 1, "{heard:?}");
    assert!(heard.results[0].contains("refused"), "{heard:?}");
}

#[test]
fn anthropic() {
    let tools = json!([{ "name": "files_edit" }]);
    let user = json!({ "role": "user", "content": "SCRIPT main" });
    let first = json!({ "stream": true, "tools": tools, "messages": [user] });
    let called = json!({ "role": "assistant", "content": [{ "type": "tool_use" }] });
    let result =
        json!({ "role": "user", "content": [{ "type": "tool_result", "content": "refused" }] });
    let second = json!({ "tools": tools, "messages": [user, called, result] });
    check("/v1/messages?beta=true", &first, &second);
}

#[test]
fn openai_chat() {
    let tools = json!([{ "type": "function", "function": { "name": "files_edit" } }]);
    let user = json!({ "role": "user", "content": [{ "type": "text", "text": "SCRIPT main." }] });
    let first = json!({ "stream": true, "tools": tools, "messages": [user] });
    let called = json!({ "role": "assistant", "tool_calls": [{ "id": "1" }] });
    let result = json!({ "role": "tool", "content": "refused" });
    let second = json!({ "tools": tools, "messages": [user, called, result] });
    check("/v1/chat/completions", &first, &second);
}

#[test]
fn openai_responses() {
    let tools = json!([{ "type": "namespace", "name": "x", "tools": [{ "name": "files_edit" }] }]);
    let user = json!({ "type": "message", "role": "user", "content": [{ "text": "SCRIPT main" }] });
    let first = json!({ "tools": tools, "input": [user] });
    let called = json!({ "type": "function_call" });
    let result = json!({ "type": "function_call_output", "output": "refused" });
    let second = json!({ "tools": tools, "input": [user, called, result] });
    check("/v1/responses", &first, &second);
}

#[test]
fn gemini() {
    let tools = json!([{ "functionDeclarations": [{ "name": "files_edit" }] }]);
    let user = json!({ "role": "user", "parts": [{ "text": "SCRIPT main" }] });
    let first = json!({ "tools": tools, "contents": [user] });
    let called = json!({ "role": "model", "parts": [{ "functionCall": {} }] });
    let result = json!({ "role": "user", "parts": [{
        "functionResponse": { "response": { "error": "refused" } },
    }] });
    let second = json!({ "tools": tools, "contents": [user, called, result] });
    check(
        "/v1beta/models/m:streamGenerateContent?alt=sse",
        &first,
        &second,
    );
}

#[test]
fn a_prompt_without_a_script_and_a_longer_name_get_only_the_last_words() {
    let model = ScriptedModel::start();
    model.script("main", vec![Step::new(&["edit"], json!({}))]);
    let tools = json!([{ "name": "edit" }]);
    for prompt in ["SCRIPT mainly", "hello"] {
        let body = json!({ "tools": tools, "messages": [{ "role": "user", "content": prompt }] });
        let answer = post(&model, "/v1/messages", &body);
        assert!(answer.contains(LAST_WORDS), "{answer}");
    }
    assert_eq!(model.requests(), ["POST /v1/messages"; 2]);
}

#[test]
fn what_qwen_asks_beside_a_turn_is_not_heard() {
    let model = ScriptedModel::start();
    model.script("main", vec![Step::new(&["files_edit"], json!({}))]);
    let tools = json!([{ "type": "function", "function": { "name": "files_edit" } }]);
    let user = json!({ "role": "user", "content": "SCRIPT main" });
    let called = json!({ "role": "assistant", "tool_calls": [{ "id": "1" }] });
    let result = json!({ "role": "tool", "content": "refused" });
    let path = "/v1/chat/completions";
    let turn = json!({ "tools": tools, "messages": [user, called, result] });
    post(&model, path, &turn);
    let beside = json!({ "role": "user", "content": "[SUGGESTION MODE: Suggest what the user might type.]" });
    let cut = json!({ "tools": tools, "messages": [user, beside] });
    let answer = post(&model, path, &cut);
    assert!(answer.contains(LAST_WORDS), "{answer}");
    assert_eq!(model.heard("main").results, ["refused"]);
}

#[test]
fn what_claude_code_asks_beside_a_conversation_is_no_step_of_it() {
    let model = ScriptedModel::start();
    model.script("main", vec![Step::new(&["edit"], json!({}))]);
    let user = json!({ "role": "user", "content": "SCRIPT main" });
    let aside = json!({ "role": "user", "content": "[SUGGESTION MODE: Suggest what comes next.]" });
    let asked = json!({ "tools": [{ "name": "edit" }], "messages": [user, aside] });
    let answer = post(&model, "/v1/messages", &asked);
    assert!(answer.contains(LAST_WORDS), "{answer}");
    assert!(!model.heard("main").ended);
}

#[test]
fn what_is_asked_about_an_earlier_turn_takes_no_step_of_the_next() {
    let model = ScriptedModel::start();
    let tools = json!([{ "name": "edit" }]);
    let ask = |prompts: &[&str]| {
        let messages = prompts
            .iter()
            .map(|it| json!({ "role": "user", "content": it }));
        let body = json!({ "tools": tools, "messages": messages.collect::<Vec<_>>() });
        post(&model, "/v1/messages", &body)
    };
    model.script("turn-1", Vec::new());
    model.script("turn-2", vec![Step::new(&["edit"], json!({}))]);
    let late = ask(&["SCRIPT turn-1", "What of this is worth keeping?"]);
    assert!(late.contains(LAST_WORDS), "{late}");
    let next = ask(&["SCRIPT turn-1", "SCRIPT turn-2"]);
    assert!(next.contains("edit"), "{next}");
}
