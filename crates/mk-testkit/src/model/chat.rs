//! OpenAI's older wire: `/chat/completions`.

use serde_json::{Value, json};

use super::http::Reply;
use super::{Answer, Conversation, Turn, list, text_of};

pub(super) fn read(body: &Value) -> Conversation {
    let mut conversation = Conversation {
        offered: list(body, "tools").iter().map(name).collect(),
        ..Conversation::default()
    };
    for message in list(body, "messages") {
        let text = text_of(&message["content"]);
        match message["role"].as_str() {
            Some("user") => conversation.user.push_str(&format!("{text}\n")),
            Some("tool") => conversation.results.push(text),
            Some("assistant") => conversation.calls += list(message, "tool_calls").len(),
            _ => {}
        }
    }
    conversation
}

fn name(tool: &Value) -> String {
    let name = tool["function"]["name"].as_str();
    name.unwrap_or_default().to_owned()
}

pub(super) fn write(turn: Turn) -> Reply {
    let Turn {
        id,
        model,
        stream,
        answer,
    } = turn;
    let (mut message, finish) = match answer {
        Answer::Text(text) => (json!({ "role": "assistant", "content": text }), "stop"),
        Answer::Call { tool, arguments } => {
            let function = json!({ "name": tool, "arguments": arguments.to_string() });
            let call =
                json!({ "id": format!("call_{id}"), "type": "function", "function": function });
            (
                json!({ "role": "assistant", "content": null, "tool_calls": [call] }),
                "tool_calls",
            )
        }
    };
    let usage = json!({ "prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2 });
    let whole = |object: &str, choice: Value| {
        json!({
            "id": format!("chatcmpl-{id}"), "object": object, "created": 1_700_000_000, "model": model,
            "choices": [choice], "usage": usage,
        })
    };
    if !stream {
        let choice = json!({ "index": 0, "message": message, "finish_reason": finish });
        return Reply::json(&whole("chat.completion", choice));
    }
    if let Some(call) = message.pointer_mut("/tool_calls/0") {
        call["index"] = json!(0);
    }
    let chunk = "chat.completion.chunk";
    Reply::data(&[
        whole(
            chunk,
            json!({ "index": 0, "delta": message, "finish_reason": null }),
        ),
        whole(
            chunk,
            json!({ "index": 0, "delta": {}, "finish_reason": finish }),
        ),
    ])
    .done()
}
