//! What is wrong with arguments, in the contract's words.

use mk_engine::Error;
use serde_json::{Value, json};

use super::World;

/// The message of the refusal; `fits` where the arguments passed the check.
#[track_caller]
fn check(tool: &str, arguments: Value, expected: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let mut world = World::new("");
    let shown = format!("{tool} {arguments}");
    let message = match runtime.block_on(world.call(tool, arguments)) {
        // Ids of nobody get past the check.
        Ok(_) | Err(Error::NotFound(_)) => "fits".to_owned(),
        Err(Error::InvalidInput { message, .. }) => message,
        Err(error) => panic!("{shown}: {error:?}"),
    };
    assert_eq!(message, expected, "{shown}");
}

#[test]
fn a_missing_parameter_is_named_with_its_tool() {
    check(
        "get_mode_info",
        json!({}),
        "Missing required parameter for get_mode_info: mode_slug",
    );
    check(
        "create_task",
        json!({ "initial_message": "x" }),
        "Missing required parameter for create_task: mode_slug",
    );
    check(
        "switch_mode",
        json!({}),
        "Missing required parameter for switch_mode: session_id",
    );
    check(
        "switch_mode",
        json!({ "session_id": "sess_000000000000" }),
        "Missing required parameter for switch_mode: new_mode_slug",
    );
    check(
        "complete_task",
        json!({ "session_id": "sess_000000000000" }),
        "Missing required parameter for complete_task: status",
    );
    check(
        "validate_tool_use",
        json!({ "session_id": "sess_000000000000" }),
        "Missing required parameter for validate_tool_use: tool_name",
    );
}

#[test]
fn a_wrong_type_is_named() {
    check(
        "get_mode_info",
        json!({ "mode_slug": 5 }),
        "Parameter mode_slug must be a string",
    );
    check(
        "get_mode_info",
        json!({ "mode_slug": ["code"] }),
        "Parameter mode_slug must be a string",
    );
    check(
        "get_mode_info",
        json!({ "mode_slug": "code", "include_system_prompt": "yes" }),
        "Parameter include_system_prompt must be a boolean",
    );
    check(
        "get_task_info",
        json!({ "session_id": "sess_000000000000", "include_messages": 1 }),
        "Parameter include_messages must be a boolean",
    );
    check(
        "validate_tool_use",
        json!({ "session_id": "sess_000000000000", "tool_name": "x", "arguments": [] }),
        "Parameter arguments must be an object",
    );
    check(
        "list_modes",
        json!({ "source": {} }),
        "Parameter source must be a string",
    );
}

#[test]
fn a_choice_that_is_not_offered_names_those_that_are() {
    check(
        "list_modes",
        json!({ "source": "Builtin" }),
        "Parameter source must be one of: builtin, global, project, all",
    );
    check(
        "complete_task",
        json!({ "session_id": "sess_000000000000", "status": "done" }),
        "Parameter status must be one of: completed, failed, cancelled",
    );
}

#[test]
fn null_is_as_good_as_left_out() {
    check("list_modes", json!({ "source": null }), "fits");
    check(
        "get_mode_info",
        json!({ "mode_slug": "code", "include_system_prompt": null }),
        "fits",
    );
    check(
        "get_mode_info",
        json!({ "mode_slug": null }),
        "Missing required parameter for get_mode_info: mode_slug",
    );
}

#[test]
fn keys_that_nobody_asked_for_are_allowed() {
    check("list_modes", json!({ "verbose": true, "x": null }), "fits");
    check(
        "create_task",
        json!({ "mode_slug": "code", "n": 1 }),
        "fits",
    );
}

#[test]
fn every_tool_takes_its_required_arguments_only() {
    check("list_modes", json!({}), "fits");
    check("get_mode_info", json!({ "mode_slug": "ask" }), "fits");
    check("create_task", json!({ "mode_slug": "ask" }), "fits");
    let session = "sess_000000000000";
    check("get_task_info", json!({ "session_id": session }), "fits");
    check(
        "switch_mode",
        json!({ "session_id": session, "new_mode_slug": "ask" }),
        "fits",
    );
    check(
        "validate_tool_use",
        json!({ "session_id": session, "tool_name": "read_file" }),
        "fits",
    );
    check(
        "complete_task",
        json!({ "session_id": session, "status": "failed" }),
        "fits",
    );
}

#[test]
fn what_has_the_right_type_may_still_be_wrong() {
    check(
        "validate_tool_use",
        json!({ "session_id": "sess_000000000000", "tool_name": "  " }),
        "Parameter tool_name must not be empty",
    );
    check(
        "switch_mode",
        json!({ "session_id": "current", "new_mode_slug": "ask" }),
        "There is no current task on this connection: name the session_id",
    );
    check(
        "get_task_info",
        json!({ "session_id": "17" }),
        "Invalid session_id: `17` is not a session id (`sess_` and at least 12 letters or digits)",
    );
    check(
        "create_task",
        json!({ "mode_slug": "no such mode" }),
        "Invalid mode_slug: `no such mode` is not a mode slug: only letters, digits and dashes, at most 128 of them",
    );
}
