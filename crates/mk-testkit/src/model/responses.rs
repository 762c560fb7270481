//! OpenAI's newer wire: `/responses`, always as events, because every client of it streams.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::http::Reply;
use super::{Answer, Conversation, Turn, list, text_of};

/// The tools that a request offers, by the name a script uses.
#[derive(Debug, Default)]
pub(super) struct Tools {
    /// With the namespace a tool stands in, if any.
    names: BTreeMap<String, Option<String>>,
}

impl Tools {
    pub(super) fn read(body: &Value) -> Self {
        let mut tools = Self::default();
        for tool in list(body, "tools") {
            let name = tool["name"].as_str().or_else(|| tool["type"].as_str());
            let name = name.unwrap_or_default();
            if tool["type"] == "namespace" {
                for inner in list(tool, "tools") {
                    let inner = inner["name"].as_str().unwrap_or_default().to_owned();
                    tools.names.insert(inner, Some(name.to_owned()));
                }
            } else {
                tools.names.insert(name.to_owned(), None);
            }
        }
        tools
    }
}

pub(super) fn read(body: &Value, tools: &Tools) -> Conversation {
    let mut conversation = Conversation {
        offered: tools.names.keys().cloned().collect(),
        ..Conversation::default()
    };
    if let Some(text) = body["input"].as_str() {
        text.clone_into(&mut conversation.user);
    }
    for item in list(body, "input") {
        match item["type"].as_str().unwrap_or("message") {
            "message" if item["role"] == "user" => {
                conversation.user.push_str(&text_of(&item["content"]));
                conversation.user.push('\n');
            }
            "function_call" | "custom_tool_call" | "local_shell_call" => conversation.calls += 1,
            kind if kind.ends_with("_call_output") => {
                conversation.results.push(text_of(&item["output"]));
            }
            _ => {}
        }
    }
    conversation
}

pub(super) fn write(turn: Turn, tools: &Tools) -> Reply {
    let id = turn.id;
    let item = match turn.answer {
        Answer::Text(text) => json!({
            "type": "message", "id": format!("msg_{id}"), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        }),
        // A tool that takes free text, not an object.
        Answer::Call {
            tool,
            arguments: Value::String(input),
        } => json!({
            "type": "custom_tool_call", "id": format!("ctc_{id}"), "call_id": format!("call_{id}"),
            "name": tool, "input": input, "status": "completed",
        }),
        Answer::Call { tool, arguments } => {
            // A tool that is offered only to those who search for it can be called all the same, by both its names.
            let (namespace, name) = match tool.split_once('.') {
                Some((namespace, name)) => (Some(namespace), name),
                None => (tools.names.get(&tool).and_then(Option::as_deref), &*tool),
            };
            let mut item = json!({
                "type": "function_call", "id": format!("fc_{id}"), "call_id": format!("call_{id}"),
                "name": name, "arguments": arguments.to_string(), "status": "completed",
            });
            if let Some(namespace) = namespace {
                item["namespace"] = json!(namespace);
            }
            item
        }
    };
    let response = format!("resp_{id}");
    let mut events = vec![json!({ "type": "response.created", "response": { "id": response } })];
    if let Some(text) = item.pointer("/content/0/text") {
        let mut begun = item.clone();
        begun["content"] = json!([]);
        events.push(
            json!({ "type": "response.output_item.added", "output_index": 0, "item": begun }),
        );
        events.push(json!({
            "type": "response.output_text.delta", "item_id": item["id"], "output_index": 0,
            "content_index": 0, "delta": text,
        }));
    } else {
        events
            .push(json!({ "type": "response.output_item.added", "output_index": 0, "item": item }));
    }
    events.push(json!({ "type": "response.output_item.done", "output_index": 0, "item": item }));
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": null, "output_tokens": 1, "output_tokens_details": null,
        "total_tokens": 2,
    });
    events.push(json!({
        "type": "response.completed",
        "response": { "id": response, "status": "completed", "output": [item], "usage": usage },
    }));
    Reply::events(&events)
}
