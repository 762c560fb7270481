//! Valid messages of every kind and era, as they are before they are mutated.

use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    Connected,
    Stateless,
    Both,
}

pub(super) fn initialize(id: &str) -> Value {
    request(
        id,
        "initialize",
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "roots": { "listChanged": true }, "sampling": {} },
            "clientInfo": { "name": "mutant", "version": "1", "title": "Mutant 🧬" },
        }),
    )
}

fn request(id: &str, method: &str, params: Value) -> Value {
    let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
    message["params"] = params;
    message
}

fn notification(method: &str, params: Value) -> Value {
    let mut message = json!({ "jsonrpc": "2.0", "method": method });
    message["params"] = params;
    message
}

/// All of them with this id; those of the stateless era say so themselves.
pub(super) fn messages(id: &str, era: Era) -> Vec<Value> {
    let mut all = match era {
        Era::Connected => connected(id),
        Era::Stateless => Vec::new(),
        Era::Both => connected(id),
    };
    if era != Era::Connected {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
            "io.modelcontextprotocol/clientInfo": { "name": "mutant", "version": "1" },
            "progressToken": 7,
        });
        let mut stateless = requests(id);
        stateless.push(request(id, "server/discover", json!({})));
        let filter = json!({ "toolsListChanged": true, "resourceSubscriptions": ["mode://code"] });
        stateless.push(request(
            id,
            "subscriptions/listen",
            json!({ "notifications": filter }),
        ));
        for message in &mut stateless {
            message["params"]["_meta"] = meta.clone();
        }
        all.extend(stateless);
    }
    all
}

fn connected(id: &str) -> Vec<Value> {
    let mut all = requests(id);
    all.extend([
        initialize(id),
        request(id, "ping", json!({})),
        request(id, "logging/setLevel", json!({ "level": "debug" })),
        request(id, "resources/subscribe", json!({ "uri": "mode://code" })),
        request(id, "resources/unsubscribe", json!({ "uri": "mode://code" })),
        notification("notifications/initialized", json!({})),
        notification("notifications/roots/list_changed", json!({})),
        notification("notifications/cancelled", json!({ "requestId": "nobody", "reason": "changed my mind" })),
        notification("notifications/progress", json!({ "progressToken": 1, "progress": 0.5, "total": 1 })),
        json!({ "jsonrpc": "2.0", "id": 4711, "result": { "roots": [] } }),
        json!({ "jsonrpc": "2.0", "id": 4711, "error": { "code": -32601, "message": "Method not found" } }),
    ]);
    all
}

fn calls(id: &str) -> Vec<Value> {
    let session = "sess_AAAAAAAAAAAAAAAA";
    let calls = [
        ("list_modes", json!({ "source": "all" })),
        (
            "get_mode_info",
            json!({ "mode_slug": "architect", "include_system_prompt": true }),
        ),
        (
            "create_task",
            json!({ "mode_slug": "code", "initial_message": "Überprüfe das 🧬" }),
        ),
        (
            "create_task",
            json!({ "mode_slug": "ask", "parent_session_id": session }),
        ),
        (
            "switch_mode",
            json!({ "session_id": "current", "new_mode_slug": "debug", "reason": "why not" }),
        ),
        (
            "get_task_info",
            json!({ "session_id": "current", "include_messages": true, "include_hierarchy": true }),
        ),
        (
            "validate_tool_use",
            json!({ "session_id": "current", "tool_name": "write_to_file", "file_path": "src/main.rs" }),
        ),
        (
            "validate_tool_use",
            json!({ "session_id": session, "tool_name": "apply_patch", "file_path": "a.md" }),
        ),
        (
            "complete_task",
            json!({ "session_id": session, "status": "failed", "result": "no" }),
        ),
    ];
    calls
        .into_iter()
        .map(|(name, arguments)| {
            request(
                id,
                "tools/call",
                json!({ "name": name, "arguments": arguments }),
            )
        })
        .collect()
}

fn requests(id: &str) -> Vec<Value> {
    let mut all = calls(id);
    let completion = json!({
        "ref": { "type": "ref/resource", "uri": "mode://{slug}" },
        "argument": { "name": "slug", "value": "co" },
        "context": { "arguments": { "slug": "c" } },
    });
    all.extend([
        request(id, "tools/list", json!({})),
        request(id, "resources/list", json!({ "cursor": "1" })),
        request(id, "resources/templates/list", json!({})),
        request(
            id,
            "resources/read",
            json!({ "uri": "mode://code/system_prompt" }),
        ),
        request(
            id,
            "resources/read",
            json!({ "uri": "mode://architect/config" }),
        ),
        request(id, "prompts/list", json!({})),
        request(
            id,
            "prompts/get",
            json!({ "name": "code", "arguments": { "task": "do it" } }),
        ),
        request(id, "completion/complete", completion),
    ]);
    all
}
