//! Contract 1's workflow, from the handshake to the completed task, with the answers that go wrong beside it.

use serde_json::{Value, json};

use super::rename::Rename;

/// Every transport must repeat the same conversation.
#[track_caller]
pub(crate) fn check(transcript: &str) {
    insta::assert_snapshot!("workflow", transcript);
}

/// Speaks the workflow over any transport; `ask` sends a request and gives the whole answer.
pub(crate) fn speak(mut ask: impl FnMut(&str, &Value) -> Value, rename: &mut Rename) -> String {
    let mut transcript = String::new();
    let mut session = String::new();
    let mut said = |method: &str, params: Value, session: &mut String| {
        let answer = ask(method, &params);
        if let Some(id) = answer["result"]["metadata"]["session_id"].as_str() {
            id.clone_into(session);
        }
        for (arrow, message) in [
            ("→", json!({ "method": method, "params": params })),
            ("←", answer),
        ] {
            transcript.push_str(&format!("{arrow} {:#}\n", rename.value(&message)));
        }
    };
    let call = |tool: &str, arguments: Value| json!({ "name": tool, "arguments": arguments });

    let client = json!({ "name": "client-name", "version": "1.0.0" });
    let handshake =
        json!({ "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": client });
    said("initialize", handshake, &mut session);
    let modes = call("list_modes", json!({ "source": "all" }));
    said("tools/call", modes, &mut session);
    let info = json!({ "mode_slug": "architect", "include_system_prompt": false });
    said("tools/call", call("get_mode_info", info), &mut session);
    let task = json!({ "mode_slug": "architect", "initial_message": "Design a microservices architecture" });
    said("tools/call", call("create_task", task), &mut session);
    let info = json!({ "session_id": session, "include_hierarchy": true });
    said("tools/call", call("get_task_info", info), &mut session);
    for file in ["design.md", "config.json"] {
        let check =
            json!({ "session_id": session, "tool_name": "write_to_file", "file_path": file });
        said("tools/call", call("validate_tool_use", check), &mut session);
    }
    let switch = json!({ "session_id": session, "new_mode_slug": "code", "reason": "Ready to implement the design" });
    said("tools/call", call("switch_mode", switch), &mut session);
    let done = json!({ "session_id": session, "status": "completed", "result": "Architecture designed and approved" });
    said("tools/call", call("complete_task", done), &mut session);

    let again = json!({ "session_id": session, "new_mode_slug": "ask" });
    said("tools/call", call("switch_mode", again), &mut session);
    let unknown = json!({ "session_id": session, "new_mode_slug": "no-such-mode" });
    said("tools/call", call("switch_mode", unknown), &mut session);
    said(
        "resources/read",
        json!({ "uri": "mode://code/config" }),
        &mut session,
    );
    said(
        "resources/read",
        json!({ "uri": "mode://no-such-mode" }),
        &mut session,
    );
    transcript
}
