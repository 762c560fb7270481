//! The texts of the tools, letter for letter as the contract shows them.

use serde_json::{Value, json};

use mk_testkit::names::Names;

use super::World;
use crate::{ToolAnswer, ToolReply};

/// Text and metadata of a reply, ids renamed together.
#[track_caller]
fn check(reply: &ToolReply, text: &str, metadata: &Value) {
    let both = format!("{}\u{1}{}", reply.text, reply.metadata);
    let renamed = Names::default().text(&both);
    let (actual, actual_metadata) = renamed.split_once('\u{1}').expect("both halves");
    assert_eq!(actual, text);
    let actual_metadata: Value = serde_json::from_str(actual_metadata).expect("JSON");
    assert_eq!(&actual_metadata, metadata);
}

#[tokio::test]
async fn list_modes_shows_the_builtins() {
    let mut world = World::new("");
    let reply = world
        .done("list_modes", json!({ "source": "builtin" }))
        .await;
    check(
        &reply,
        "Available modes:\n\n1. code (💻 Code) - builtin\n   Description: Write, modify, or refactor code\n   Tool groups: read, edit, browser, command, mcp, modes\n\n2. architect (🏗️ Architect) - builtin\n   Description: Plan, design, or strategize before implementation\n   Tool groups: read, browser, mcp, modes, edit (\\.md$)\n\n3. ask (❓ Ask) - builtin\n   Description: Get explanations, documentation, or answers\n   Tool groups: read, browser, mcp, modes\n\n4. debug (🪲 Debug) - builtin\n   Description: Troubleshoot issues, investigate errors\n   Tool groups: read, edit, browser, command, mcp, modes\n\n5. orchestrator (🪃 Orchestrator) - builtin\n   Description: Coordinate complex multi-step projects\n   Tool groups: modes\n",
        &json!({ "count": 5, "source": "builtin" }),
    );
}

const REVIEWER: &str = "\
//- /.roomodes
customModes:
  - slug: reviewer
    name: Reviewer
    roleDefinition: You review.
    description: |
      Reads, and
      comments
    whenToUse: When a change is ready.
    customInstructions: Be kind.
    groups:
      - read
      - - edit
        - fileRegex: ^review/
  - slug: idle
    name: Idle
    roleDefinition: You do nothing.
    groups: []
";

#[tokio::test]
async fn list_modes_shows_the_projects_modes_alone_on_demand() {
    let mut world = World::new(REVIEWER);
    let reply = world
        .done("list_modes", json!({ "source": "project" }))
        .await;
    check(
        &reply,
        "Available modes:\n\n1. reviewer (Reviewer) - project\n   Description: Reads, and comments\n   Tool groups: read, edit (^review/)\n\n2. idle (Idle) - project\n   Tool groups: none\n",
        &json!({ "count": 2, "source": "project" }),
    );
    let all = world.done("list_modes", json!({})).await;
    assert_eq!(all.metadata, json!({ "count": 7, "source": "all" }));
    let none = world
        .done("list_modes", json!({ "source": "global" }))
        .await;
    check(
        &none,
        "Available modes:\n\nNone from this source.\n",
        &json!({ "count": 0, "source": "global" }),
    );
}

#[tokio::test]
async fn get_mode_info_shows_a_mode_in_full() {
    let mut world = World::new(REVIEWER);
    let reply = world
        .done("get_mode_info", json!({ "mode_slug": "reviewer" }))
        .await;
    check(
        &reply,
        "Mode: Reviewer (reviewer)\nSource: project\nDescription: Reads, and\ncomments\n\nWhen to use:\nWhen a change is ready.\n\nTool Groups:\n✓ read\n✓ edit (restricted to: ^review/)\n✗ browser (not available)\n✗ command (not available)\n✗ mcp (not available)\n✗ modes (not available)\n\nCustom Instructions:\nBe kind.\n",
        &json!({ "mode_slug": "reviewer", "source": "project" }),
    );
}

#[tokio::test]
async fn get_mode_info_of_a_builtin_has_the_contracts_form() {
    let mut world = World::new("");
    let arguments = json!({ "mode_slug": "architect", "include_system_prompt": false });
    let text = world.done("get_mode_info", arguments).await.text;
    // The prose between is our own.
    assert!(
        text.starts_with("Mode: 🏗️ Architect (architect)\nSource: builtin\nDescription: Plan, design, or strategize before implementation\n\nWhen to use:\nUse this mode when "),
        "{text}"
    );
    assert!(
        text.contains("\n\nTool Groups:\n✓ read\n✓ edit (restricted to: \\.md$)\n✓ browser\n✗ command (not available)\n✓ mcp\n✓ modes\n\nCustom Instructions:\n1. "),
        "{text}"
    );
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{text:?}");
}

#[tokio::test]
async fn get_mode_info_adds_the_system_prompt_on_demand() {
    let mut world = World::new(REVIEWER);
    let arguments = json!({ "mode_slug": "reviewer", "include_system_prompt": true });
    let reply = world.done("get_mode_info", arguments).await;
    let prompt = reply.structured["system_prompt"]
        .as_str()
        .expect("a prompt");
    assert!(prompt.starts_with("You review.\n\n"), "{prompt}");
    let ending = format!("\nCustom Instructions:\nBe kind.\n\nSystem Prompt:\n{prompt}");
    assert!(reply.text.ends_with(&ending), "{}", reply.text);
}

#[tokio::test]
async fn create_task_tells_the_ids() {
    let mut world = World::new("");
    let arguments = json!({
        "mode_slug": "code",
        "initial_message": "Create a new Python module for data processing",
    });
    let reply = world.done("create_task", arguments).await;
    check(
        &reply,
        "Task created successfully\n\nSession ID: sess_1\nTask ID: task_1\nMode: code (💻 Code)\nState: active\n\nUse this session_id for subsequent operations.",
        &json!({ "session_id": "sess_1", "task_id": "task_1", "mode_slug": "code" }),
    );
}

#[tokio::test]
async fn switch_mode_shows_the_new_groups() {
    let mut world = World::new("");
    let session = world.create("code").await;
    let arguments = json!({
        "session_id": session.as_str(),
        "new_mode_slug": "debug",
        "reason": "Need to investigate a runtime error",
    });
    let reply = world.done("switch_mode", arguments).await;
    check(
        &reply,
        "Mode switched successfully\n\nSession: sess_1\nOld mode: code\nNew mode: debug\nReason: Need to investigate a runtime error\n\nNew tool groups:\n✓ read\n✓ edit\n✓ browser\n✓ command\n✓ mcp\n✓ modes\n",
        &json!({ "old_mode": "code", "new_mode": "debug" }),
    );
    let arguments = json!({ "session_id": "current", "new_mode_slug": "architect" });
    let reply = world.done("switch_mode", arguments).await;
    check(
        &reply,
        "Mode switched successfully\n\nSession: sess_1\nOld mode: debug\nNew mode: architect\n\nNew tool groups:\n✓ read\n✓ edit (restricted to: \\.md$)\n✓ browser\n✗ command (not available)\n✓ mcp\n✓ modes\n",
        &json!({ "old_mode": "debug", "new_mode": "architect" }),
    );
}

#[tokio::test]
async fn get_task_info_shows_times_and_relatives() {
    let mut world = World::new("");
    let parent = world.create("orchestrator").await;
    let create = |parent: &str| json!({ "mode_slug": "code", "parent_session_id": parent });
    let child = world.done("create_task", create(parent.as_str())).await;
    let child = child.current.expect("a task").to_string();
    for _ in 0..2 {
        world.done("create_task", create(&child)).await;
    }
    world.wait(240);
    let validate = json!({ "session_id": child, "tool_name": "read_file" });
    world.done("validate_tool_use", validate).await;
    world.wait(60);
    let query =
        json!({ "session_id": child, "include_messages": false, "include_hierarchy": true });
    let reply = world.done("get_task_info", query.clone()).await;
    check(
        &reply,
        "Task Information\n\nSession ID: sess_1\nTask ID: task_1\nMode: code (💻 Code)\nState: active\nCreated: 2025-01-13T10:30:00.000Z\n\nSession Age: 300s\nIdle Time: 60s\n\nHierarchy:\n  Parent Task: task_2\n  Child Tasks: task_3, task_4\n",
        &json!({ "session_id": "sess_1", "task_id": "task_1", "mode_slug": "code", "state": "active" }),
    );
    // The look itself counts as activity, and shows only next time.
    let again = world.done("get_task_info", query).await;
    assert_eq!(again.structured["idle_seconds"], 0);
}

#[tokio::test]
async fn get_task_info_shows_messages_and_the_end() {
    let mut world = World::new("");
    let arguments = json!({ "mode_slug": "ask", "initial_message": "Why?" });
    world.done("create_task", arguments).await;
    world.wait(5);
    let arguments = json!({ "session_id": "current", "status": "failed", "result": "No idea" });
    world.done("complete_task", arguments).await;
    let query =
        json!({ "session_id": "current", "include_messages": true, "include_hierarchy": true });
    let reply = world.done("get_task_info", query).await;
    check(
        &reply,
        "Task Information\n\nSession ID: sess_1\nTask ID: task_1\nMode: ask (❓ Ask)\nState: failed\nCreated: 2025-01-13T10:30:00.000Z\nCompleted: 2025-01-13T10:30:05.000Z\nResult: No idea\n\nSession Age: 5s\nIdle Time: 0s\n\nHierarchy:\n  Parent Task: none\n  Child Tasks: none\n\nMessages:\n  [2025-01-13T10:30:00.000Z] user: Why?\n",
        &json!({ "session_id": "sess_1", "task_id": "task_1", "mode_slug": "ask", "state": "failed" }),
    );
}

#[tokio::test]
async fn validate_tool_use_allows() {
    let mut world = World::new("");
    world.create("code").await;
    let arguments = json!({
        "session_id": "current",
        "tool_name": "write_to_file",
        "file_path": "config.json",
    });
    let reply = world.done("validate_tool_use", arguments).await;
    check(
        &reply,
        "Tool validation result\n\nTool: write_to_file\nSession: sess_1\nMode: code\n\nResult: ✓ Allowed\n",
        &json!({ "allowed": true, "tool_name": "write_to_file", "mode": "code" }),
    );
}

#[tokio::test]
async fn validate_tool_use_blocks_a_file() {
    let mut world = World::new("");
    world.create("architect").await;
    let arguments = json!({
        "session_id": "current",
        "tool_name": "write_to_file",
        "file_path": "config.json",
    });
    let reply = world.done("validate_tool_use", arguments).await;
    let reason = "Tool group 'edit' is restricted to files matching: \\.md$";
    check(
        &reply,
        &format!(
            "Tool validation result\n\nTool: write_to_file\nSession: sess_1\nMode: architect\nFile: config.json\n\nResult: ❌ Not allowed\nReason: {reason}\n"
        ),
        &json!({ "allowed": false, "tool_name": "write_to_file", "mode": "architect", "restriction": "\\.md$", "error": reason }),
    );
}

#[tokio::test]
async fn validate_tool_use_blocks_a_tool_without_naming_a_file() {
    let mut world = World::new("");
    world.create("ask").await;
    let arguments =
        json!({ "session_id": "current", "tool_name": "write_to_file", "file_path": "a.md" });
    let reply = world.done("validate_tool_use", arguments).await;
    assert!(!reply.text.contains("File:"), "{}", reply.text);
    assert_eq!(reply.metadata["allowed"], false);
    let arguments = json!({ "session_id": "current", "tool_name": "launch_missiles" });
    let reply = world.done("validate_tool_use", arguments).await;
    assert_eq!(reply.metadata["allowed"], false);
}

#[tokio::test]
async fn complete_task_says_how_it_ended() {
    for (status, heading) in [
        ("completed", "Task completed successfully"),
        ("failed", "Task marked as failed"),
        ("cancelled", "Task cancelled"),
    ] {
        let mut world = World::new("");
        world.create("code").await;
        let result = "Successfully created the Python module with all required functions";
        let arguments = json!({ "session_id": "current", "status": status, "result": result });
        let reply = world.done("complete_task", arguments).await;
        check(
            &reply,
            &format!(
                "{heading}\n\nSession: sess_1\nTask: task_1\nStatus: {status}\nResult: {result}\n\nThe session will be cleaned up automatically."
            ),
            &json!({ "session_id": "sess_1", "task_id": "task_1", "status": status }),
        );
    }
}

#[tokio::test]
async fn a_change_that_widens_becomes_a_question_and_passes_once_granted() {
    let mut world = World::asking("");
    let arguments = json!({ "mode_slug": "code" });
    let question = match world.call("create_task", arguments.clone()).await {
        Ok(ToolAnswer::NeedsApproval(question)) => question,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        question.subject,
        "Let the agent change from 'ask' to 'code' mode?"
    );
    let granted = mk_engine::ApprovalVerdict::Granted;
    let decided = world
        .engine
        .approvals()
        .decide(&question.id, granted, "a test")
        .await;
    assert!(decided.is_ok(), "{decided:?}");
    world.done("create_task", arguments.clone()).await;
    // A yes is good for one act. From code, nothing is wider.
    world.caller.conversation.tasks.clear();
    let again = world.call("create_task", arguments).await;
    assert!(
        matches!(again, Ok(ToolAnswer::NeedsApproval(_))),
        "{again:?}"
    );
}

#[tokio::test]
async fn outputs_have_what_their_schemas_require() {
    let mut world = World::new(REVIEWER);
    let calls = [
        ("list_modes", json!({})),
        (
            "get_mode_info",
            json!({ "mode_slug": "architect", "include_system_prompt": true }),
        ),
        (
            "create_task",
            json!({ "mode_slug": "code", "initial_message": "Hello" }),
        ),
        (
            "create_task",
            json!({ "mode_slug": "code", "parent_session_id": "current" }),
        ),
        (
            "switch_mode",
            json!({ "session_id": "current", "new_mode_slug": "reviewer", "reason": "r" }),
        ),
        (
            "get_task_info",
            json!({ "session_id": "current", "include_messages": true, "include_hierarchy": true }),
        ),
        (
            "validate_tool_use",
            json!({ "session_id": "current", "tool_name": "write_to_file", "file_path": "src/lib.rs" }),
        ),
        (
            "complete_task",
            json!({ "session_id": "current", "status": "completed", "result": "ok" }),
        ),
    ];
    for (tool, arguments) in calls {
        let reply = world.done(tool, arguments).await;
        let schema = json!(crate::find(tool).expect("a tool").output_schema());
        fits(tool, &schema, &reply.structured);
    }
}

/// As much of JSON Schema as our schemas use; a property that a schema does not name is a mistake here, unless it
/// names none.
#[track_caller]
fn fits(place: &str, schema: &Value, value: &Value) {
    let right = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64(),
        _ => true,
    };
    assert!(right, "{place}: {value} does not fit {schema}");
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().expect("a name");
        assert!(value.get(name).is_some(), "{place}: {name} is missing");
    }
    for (idx, item) in value.as_array().into_iter().flatten().enumerate() {
        fits(&format!("{place}[{idx}]"), &schema["items"], item);
    }
    let Some(properties) = schema.get("properties") else {
        return;
    };
    for (name, field) in value.as_object().into_iter().flatten() {
        let property = properties.get(name);
        let property = property.unwrap_or_else(|| panic!("{place}: {name} is in no schema"));
        fits(&format!("{place}.{name}"), property, field);
    }
}
