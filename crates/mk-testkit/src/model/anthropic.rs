//! Anthropic's wire: `/v1/messages`.

use serde_json::{Value, json};

use super::http::Reply;
use super::{Answer, Conversation, Turn, list, text_of};

/// How the request begins that Claude Code makes beside a conversation, with all of its past, after a turn.
const ASIDE: &str = "[SUGGESTION MODE";

pub(super) fn read(body: &Value) -> Conversation {
    let mut conversation = Conversation {
        offered: list(body, "tools").iter().map(name).collect(),
        ..Conversation::default()
    };
    for message in list(body, "messages") {
        if message["role"] == "user" {
            let text = text_of(&message["content"]);
            if text.starts_with(ASIDE) {
                return Conversation::default();
            }
            conversation.user.push_str(&text);
            conversation.user.push('\n');
        }
        for block in list(message, "content") {
            match block["type"].as_str() {
                Some("tool_use") => conversation.calls += 1,
                Some("tool_result") => conversation.results.push(text_of(&block["content"])),
                _ => {}
            }
        }
    }
    conversation
}

fn name(tool: &Value) -> String {
    tool["name"].as_str().unwrap_or_default().to_owned()
}

pub(super) fn write(turn: Turn) -> Reply {
    let Turn {
        id,
        model,
        stream,
        answer,
    } = turn;
    let (block, empty, delta, stop) = match answer {
        Answer::Text(text) => (
            json!({ "type": "text", "text": text }),
            json!({ "type": "text", "text": "" }),
            json!({ "type": "text_delta", "text": text }),
            "end_turn",
        ),
        Answer::Call { tool, arguments } => {
            let id = format!("toolu_{id:012}");
            let input = arguments.to_string();
            (
                json!({ "type": "tool_use", "id": id, "name": tool, "input": arguments }),
                json!({ "type": "tool_use", "id": id, "name": tool, "input": {} }),
                json!({ "type": "input_json_delta", "partial_json": input }),
                "tool_use",
            )
        }
    };
    let message = |content: Value, stop: Value| {
        json!({
            "id": format!("msg_{id:012}"), "type": "message", "role": "assistant", "model": model,
            "content": content, "stop_reason": stop, "stop_sequence": null,
            "usage": { "input_tokens": 10, "output_tokens": 5 },
        })
    };
    if !stream {
        return Reply::json(&message(json!([block]), json!(stop)));
    }
    Reply::events(&[
        json!({ "type": "message_start", "message": message(json!([]), Value::Null) }),
        json!({ "type": "content_block_start", "index": 0, "content_block": empty }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({
            "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null },
            "usage": { "output_tokens": 5 },
        }),
        json!({ "type": "message_stop" }),
    ])
}
