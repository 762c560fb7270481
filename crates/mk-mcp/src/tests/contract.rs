//! Every example of contract 1 on a line: what it shows must be in the answer, and the whole answer is a snapshot.
//!
//! Our own prose is hidden from the snapshot; `serverInfo`, `instructions` and capabilities are ours (contracts/README.md).

use std::time::Duration;

use mk_tools::Toolset;
use serde_json::{Value, json};

use super::World;
use super::transcript::Transcript;
use super::wire::{Wire, request};

fn called(id: u32, text: &str) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": id,
        "result": { "content": [{ "type": "text", "text": text }] },
    })
}

fn called_with(id: u32, text: &str, metadata: Value) -> Value {
    let mut answer = called(id, text);
    answer["result"]["metadata"] = metadata;
    answer
}

fn refused(id: u32, code: i32, message: &str, data: &str) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": id,
        "error": { "code": code, "message": message, "data": data },
    })
}

fn call(id: u32, tool: &str, arguments: Value) -> Value {
    super::wire::call(id, tool, arguments)
}

fn read_resource(id: u32, uri: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "resources/read", "params": { "uri": uri } })
}

fn resources_of_the_code_mode() -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": 2,
        "result": {
            "resources": [
                {
                    "uri": "mode://code",
                    "name": "💻 Code",
                    "mimeType": "application/json",
                    "description": "Full configuration for code mode"
                },
                {
                    "uri": "mode://code/config",
                    "name": "💻 Code - Configuration",
                    "mimeType": "application/json",
                    "description": "Structured configuration for code mode"
                },
                {
                    "uri": "mode://code/system_prompt",
                    "name": "💻 Code - System Prompt",
                    "mimeType": "text/plain",
                    "description": "System prompt for code mode"
                }
            ]
        }
    })
}

#[tokio::test]
async fn the_handshake_and_the_resources() {
    let mut talk = Transcript::new(World::new("").offering(&[Toolset::Modes]));
    talk.check(
        json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2024-11-05",
                "capabilities": {},
                "clientInfo": { "name": "client-name", "version": "1.0.0" }
            }
        }),
        json!({
            "jsonrpc": "2.0",
            "id": 1,
            "result": {
                "protocolVersion": "2024-11-05",
                "capabilities": {
                    "resources": { "listChanged": true },
                    "tools": { "listChanged": true }
                },
                "serverInfo": { "name": "modekeeper", "version": "9.9.9" }
            }
        }),
    )
    .await;
    talk.wire
        .notify("notifications/initialized", json!({}))
        .await;
    let listed = json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/list", "params": {} });
    talk.check(listed, resources_of_the_code_mode()).await;
    for (uri, mime, text) in [
        (
            "mode://code",
            "application/json",
            "{\"slug\":\"code\",\"name\":\"💻 Code\",\"source\":\"builtin\",\"description\":\"Write, modify, or refactor code\",\"when_to_use\":\"<when to use>\",\"role_definition\":\"<role>\",\"custom_instructions\":\"<instructions>\",\"tool_groups\":{\"read\":{\"enabled\":true},\"edit\":{\"enabled\":true},\"browser\":{\"enabled\":true},\"command\":{\"enabled\":true},\"mcp\":{\"enabled\":true},\"modes\":{\"enabled\":true}}}",
        ),
        (
            "mode://code/config",
            "application/json",
            "{\"slug\":\"code\",\"name\":\"💻 Code\",\"source\":\"builtin\",\"groups\":[\"read\",\"edit\",\"browser\",\"command\",\"mcp\",\"modes\"],\"description\":\"Write, modify, or refactor code\",\"when_to_use\":\"<when to use>\"}",
        ),
        (
            "mode://code/system_prompt",
            "text/plain",
            "<system prompt>\n",
        ),
    ] {
        let contents = json!([{ "uri": uri, "mimeType": mime, "text": text }]);
        talk.check(
            read_resource(3, uri),
            json!({ "jsonrpc": "2.0", "id": 3, "result": { "contents": contents } }),
        )
        .await;
    }
    insta::assert_snapshot!("handshake_and_resources", talk.text);
}

/// Clients send the whole list to their models, with every request.
#[tokio::test]
async fn the_list_of_all_tools_is_at_most_26_kb_on_the_line() {
    let mut wire = Wire::open(&World::new("")).await;
    let list = wire.request(request(1, "tools/list", json!({}))).await;
    let tools = list["result"]["tools"].as_array().unwrap();
    let of_commands = |tool: &&Value| {
        let tool = mk_tools::find(tool["name"].as_str().unwrap()).unwrap();
        tool.toolset == mk_tools::Toolset::Commands
    };
    let size = |tools: Vec<&Value>| json!(tools).to_string().len();
    // Clients with a shell of their own leave them out.
    let commands = size(tools.iter().filter(of_commands).collect());
    assert!(
        commands <= 2560,
        "the tools for commands have {commands} bytes"
    );
    let others = size(tools.iter().filter(|it| !of_commands(it)).collect());
    assert!(others <= 26 * 1024, "the list has {others} bytes");
}

#[tokio::test]
async fn the_list_of_tools() {
    let mut talk = Transcript::new(World::new(""));
    talk.wire.initialize("2024-11-05", json!({})).await;
    talk.check(
        json!({ "jsonrpc": "2.0", "id": 4, "method": "tools/list", "params": {} }),
        json!({
            "jsonrpc": "2.0",
            "id": 4,
            "result": {
                "tools": [
                    {
                        "name": "list_modes",
                        "description": "List all available modes with their metadata",
                        "inputSchema": {
                            "type": "object",
                            "properties": {
                                "source": {
                                    "type": "string",
                                    "enum": ["builtin", "global", "project", "all"],
                                    "description": "Filter modes by source (default: all)"
                                }
                            }
                        }
                    },
                    {
                        "name": "get_mode_info",
                        "description": "Get detailed information about a specific mode",
                        "inputSchema": {
                            "type": "object",
                            "properties": {
                                "mode_slug": {
                                    "type": "string",
                                    "description": "Slug of the mode to get info for"
                                },
                                "include_system_prompt": {
                                    "type": "boolean",
                                    "description": "Include the full system prompt (default: false)"
                                }
                            },
                            "required": ["mode_slug"]
                        }
                    }
                ]
            }
        }),
    )
    .await;
    insta::assert_snapshot!("list_of_tools", talk.text);
}

#[tokio::test]
async fn the_seven_tools() {
    let mut talk = Transcript::new(World::new(""));
    talk.wire.initialize("2024-11-05", json!({})).await;
    talk.check(
        call(10, "list_modes", json!({ "source": "builtin" })),
        called(10, "Available modes:\n\n1. code (💻 Code) - builtin\n   Description: Write, modify, or refactor code\n   Tool groups: read, edit, browser, command, mcp, modes\n\n2. architect (🏗️ Architect) - builtin\n   Description: Plan, design, or strategize before implementation\n   Tool groups: read, browser, mcp, modes, edit (\\.md$)\n\n3. ask (❓ Ask) - builtin\n   Description: Get explanations, documentation, or answers\n   Tool groups: read, browser, mcp, modes\n\n4. debug (🪲 Debug) - builtin\n   Description: Troubleshoot issues, investigate errors\n   Tool groups: read, edit, browser, command, mcp, modes\n\n5. orchestrator (🪃 Orchestrator) - builtin\n   Description: Coordinate complex multi-step projects\n   Tool groups: modes\n"),
    )
    .await;
    talk.check(
        call(11, "get_mode_info", json!({ "mode_slug": "architect", "include_system_prompt": false })),
        called(11, "Mode: 🏗️ Architect (architect)\nSource: builtin\nDescription: Plan, design, or strategize before implementation\n\nWhen to use:\n<when to use>\n\nTool Groups:\n✓ read\n✓ edit (restricted to: \\.md$)\n✓ browser\n✗ command (not available)\n✓ mcp\n✓ modes\n\nCustom Instructions:\n<instructions>\n"),
    )
    .await;
    let message = "Create a new Python module for data processing";
    talk.check(
        call(12, "create_task", json!({ "mode_slug": "code", "initial_message": message })),
        called_with(
            12,
            "Task created successfully\n\nSession ID: sess_1\nTask ID: task_1\nMode: code (💻 Code)\nState: active\n\nUse this session_id for subsequent operations.",
            json!({ "session_id": "sess_1", "task_id": "task_1", "mode_slug": "code" }),
        ),
    )
    .await;
    talk.check(
        call(15, "validate_tool_use", json!({ "session_id": "sess_1", "tool_name": "write_to_file", "file_path": "config.json" })),
        called(15, "Tool validation result\n\nTool: write_to_file\nSession: sess_1\nMode: code\n\nResult: ✓ Allowed\n"),
    )
    .await;
    talk.check(
        call(13, "switch_mode", json!({
            "session_id": "sess_1",
            "new_mode_slug": "debug",
            "reason": "Need to investigate a runtime error"
        })),
        called_with(
            13,
            "Mode switched successfully\n\nSession: sess_1\nOld mode: code\nNew mode: debug\nReason: Need to investigate a runtime error\n\nNew tool groups:\n✓ read\n✓ edit\n✓ browser\n✓ command\n✓ mcp\n✓ modes\n",
            json!({ "old_mode": "code", "new_mode": "debug" }),
        ),
    )
    .await;
    talk.check(
        call(16, "complete_task", json!({
            "session_id": "sess_1",
            "status": "completed",
            "result": "Successfully created the Python module with all required functions"
        })),
        called(16, "Task completed successfully\n\nSession: sess_1\nTask: task_1\nStatus: completed\nResult: Successfully created the Python module with all required functions\n\nThe session will be cleaned up automatically."),
    )
    .await;
    let planning = json!({ "mode_slug": "architect" });
    talk.wire.call("create_task", planning).await;
    talk.check(
        call(15, "validate_tool_use", json!({ "session_id": "sess_2", "tool_name": "write_to_file", "file_path": "config.json" })),
        called(15, "Tool validation result\n\nTool: write_to_file\nSession: sess_2\nMode: architect\nFile: config.json\n\nResult: ❌ Not allowed\nReason: Tool group 'edit' is restricted to files matching: \\.md$\n"),
    )
    .await;
    insta::assert_snapshot!("seven_tools", talk.text);
}

#[tokio::test]
async fn a_task_with_relatives() {
    let mut talk = Transcript::new(World::new(""));
    talk.wire.initialize("2024-11-05", json!({})).await;
    let wire = &mut talk.wire;
    wire.call("create_task", json!({ "mode_slug": "orchestrator" }))
        .await;
    for (parent, times) in [("sess_1", 1), ("sess_2", 2)] {
        for _ in 0..times {
            let subtask = json!({ "mode_slug": "code", "parent_session_id": parent });
            wire.call("create_task", subtask).await;
        }
    }
    talk.world.clock.advance(Duration::from_secs(240));
    let touch = json!({ "session_id": "sess_2", "tool_name": "read_file" });
    talk.wire.call("validate_tool_use", touch).await;
    talk.world.clock.advance(Duration::from_secs(60));
    talk.check(
        call(14, "get_task_info", json!({
            "session_id": "sess_2",
            "include_messages": false,
            "include_hierarchy": true
        })),
        called(14, "Task Information\n\nSession ID: sess_2\nTask ID: task_2\nMode: code (💻 Code)\nState: active\nCreated: 2025-01-13T10:30:00.000Z\n\nSession Age: 300s\nIdle Time: 60s\n\nHierarchy:\n  Parent Task: task_1\n  Child Tasks: task_3, task_4\n"),
    )
    .await;
    insta::assert_snapshot!("task_with_relatives", talk.text);
}

/// The tables of errors under each tool: `sess_1` has expired.
const ERRORS_OF_EACH_TOOL: &str = r#"
get_mode_info { "mode_slug": "no good" } → Validation error
create_task { "mode_slug": "no good" } → Validation error
create_task { "mode_slug": "code", "parent_session_id": "x" } → Validation error
create_task { "mode_slug": "nope" } → Mode not found
create_task { "mode_slug": "code", "parent_session_id": "sess_000000000000" } → Task not found
create_task { "mode_slug": "code", "parent_session_id": "sess_1" } → Session expired
switch_mode { "session_id": "x", "new_mode_slug": "ask" } → Validation error
switch_mode { "session_id": "sess_000000000000", "new_mode_slug": "ask" } → Task not found
switch_mode { "session_id": "sess_1", "new_mode_slug": "ask" } → Session expired
get_task_info { "session_id": "sess_1_" } → Validation error
get_task_info { "session_id": "sess_000000000000" } → Task not found
validate_tool_use { "session_id": "sess_000000000000", "tool_name": "" } → Validation error
validate_tool_use { "session_id": "sess_000000000000", "tool_name": "x" } → Task not found
complete_task { "session_id": "sess_000000000000", "status": "done" } → Validation error
complete_task { "session_id": "sess_000000000000", "status": "failed" } → Task not found
complete_task { "session_id": "sess_1", "status": "failed" } → Session expired
"#;

const ERRORS_OF_A_TASK_THAT_HAS_ENDED: &str = r#"
switch_mode { "session_id": "sess_2", "new_mode_slug": "code" } → Validation error
complete_task { "session_id": "sess_2", "status": "failed" } → Validation error
create_task { "mode_slug": "code", "parent_session_id": "sess_2" } → Validation error
"#;

/// Calls, one per line, each with the name of its error.
async fn check_refusals(talk: &mut Transcript, id: u32, table: &str) {
    for line in table.trim().lines() {
        let (request, name) = line.split_once(" → ").expect("an error's name");
        let (tool, arguments) = request.split_once(' ').expect("arguments");
        let arguments = serde_json::from_str(arguments).expect("JSON");
        let code = match name {
            "Mode not found" => -32001,
            "Task not found" => -32002,
            "Session expired" => -32003,
            "Validation error" => -32004,
            other => panic!("no error {other}"),
        };
        talk.check(
            call(id, tool, arguments),
            json!({ "id": id, "error": { "code": code, "message": name } }),
        )
        .await;
    }
}

#[tokio::test]
async fn the_errors() {
    let mut talk = Transcript::new(World::new(""));
    talk.wire.initialize("2024-11-05", json!({})).await;
    talk.check(
        call(10, "get_mode_info", json!({ "mode_slug": "invalid-mode" })),
        refused(
            10,
            -32001,
            "Mode not found",
            "Mode not found: invalid-mode. Available: code, architect, ask, debug, orchestrator",
        ),
    )
    .await;
    talk.wire
        .call("create_task", json!({ "mode_slug": "code" }))
        .await;
    talk.world.clock.advance(Duration::from_secs(3601));
    talk.check(
        call(11, "get_task_info", json!({ "session_id": "sess_1" })),
        refused(
            11,
            -32003,
            "Session expired",
            "Session sess_1 has expired (timeout: 3600s)",
        ),
    )
    .await;
    check_refusals(&mut talk, 20, ERRORS_OF_EACH_TOOL).await;
    talk.wire
        .call("create_task", json!({ "mode_slug": "ask" }))
        .await;
    check_refusals(
        &mut talk,
        21,
        r#"switch_mode { "session_id": "sess_2", "new_mode_slug": "nope" } → Mode not found"#,
    )
    .await;
    let ended = json!({ "session_id": "sess_2", "status": "cancelled" });
    talk.wire.call("complete_task", ended).await;
    check_refusals(&mut talk, 22, ERRORS_OF_A_TASK_THAT_HAS_ENDED).await;
    for (uri, code) in [
        ("mode://nope", -32001),
        ("mode://code/nope", -32004),
        ("mode://no good", -32004),
        ("code", -32004),
        ("", -32004),
        ("file:///etc/passwd", -32600),
    ] {
        talk.check(
            read_resource(23, uri),
            json!({ "id": 23, "error": { "code": code } }),
        )
        .await;
    }
    insta::assert_snapshot!("errors", talk.text);
}
