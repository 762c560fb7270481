//! Gemini's wire: `…:generateContent` and `…:streamGenerateContent`.

use serde_json::{Value, json};

use super::http::Reply;
use super::{Answer, Conversation, Turn, list};

pub(super) fn read(body: &Value) -> Conversation {
    let mut conversation = Conversation::default();
    for tool in list(body, "tools") {
        let names = list(tool, "functionDeclarations").iter();
        let names = names.filter_map(|it| it["name"].as_str());
        conversation.offered.extend(names.map(str::to_owned));
    }
    for content in list(body, "contents") {
        for part in list(content, "parts") {
            if part.get("functionCall").is_some() {
                conversation.calls += 1;
            } else if let Some(response) = part.get("functionResponse") {
                conversation.results.push(response["response"].to_string());
            } else if let Some(text) = part["text"].as_str()
                && content["role"] == "user"
            {
                // A session that Gemini loads again tells of some calls twice; only those after the last prompt count.
                if text.contains("SCRIPT ") {
                    conversation.calls = 0;
                    conversation.results.clear();
                }
                conversation.user.push_str(&format!("{text}\n"));
            }
        }
    }
    conversation
}

pub(super) fn write(turn: Turn) -> Reply {
    let part = match turn.answer {
        Answer::Text(text) => json!({ "text": text }),
        Answer::Call { tool, arguments } => {
            json!({ "functionCall": { "name": tool, "args": arguments } })
        }
    };
    let answer = json!({
        "candidates": [{
            "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0,
        }],
        "usageMetadata": { "promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2 },
        "modelVersion": "scripted",
        "responseId": format!("response-{}", turn.id),
    });
    if turn.stream {
        Reply::data(&[answer])
    } else {
        Reply::json(&answer)
    }
}
