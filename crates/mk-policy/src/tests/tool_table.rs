//! The content that the policy ships with: tool names and protected files.

use insta::assert_snapshot;
use serde_json::Value;

use crate::protected::ProtectedFiles;
use crate::{Group, ToolTable};

const TOOLS: &str = include_str!("../../../../content/policy/tools.yaml");
const PROTECTED: &str = include_str!("../../../../content/policy/protected.yaml");

/// The names belong to the group; `always` is the group of tools that every mode has.
#[track_caller]
fn check(group: &str, names: &str) {
    let table = ToolTable::foreign();
    for name in names.split_whitespace() {
        let found = match table.group_of(name) {
            None => "unknown",
            Some(None) => "always",
            Some(Some(group)) => group.as_str(),
        };
        assert_eq!(found, group, "{name}");
    }
}

#[test]
fn every_tool_that_the_family_ever_had_is_known() {
    check(
        "read",
        "read_file search_files list_files codebase_search fetch_instructions list_code_definition_names",
    );
    check(
        "edit",
        "apply_diff write_to_file generate_image edit search_replace edit_file apply_patch",
    );
    check(
        "edit",
        "write_file search_and_replace insert_content fast_edit_file delete_file new_rule",
    );
    check("command", "execute_command read_command_output");
    check(
        "mcp",
        "use_mcp_tool access_mcp_resource mcp_a_b mcp--a--b mcp__a__b",
    );
    check("browser", "browser_action fetch_web_content");
    check(
        "always",
        "ask_followup_question attempt_completion switch_mode new_task update_todo_list",
    );
    check(
        "always",
        "run_slash_command skill set_thinking_effort report_bug condense",
    );
    check("unknown", "invalid_tool_call custom_tool mcp_ mcp");
}

#[test]
fn the_table_is_as_large_as_its_file_and_every_group_is_valid() {
    let file: Value = serde_saphyr::from_str(TOOLS).expect("tools.yaml is readable");
    let texts = |value: &Value| -> Vec<String> {
        let texts = value.as_array().into_iter().flatten();
        texts
            .filter_map(|text| text.as_str().map(str::to_owned))
            .collect()
    };
    let mut names = texts(&file["always"]);
    for tool in file["tools"].as_array().expect("a list of tools") {
        let group = tool["group"].as_str().expect("a tool has a group");
        assert!(Group::parse(group).is_some(), "{tool}");
        let own = tool["name"].as_str().expect("a tool has a name").to_owned();
        for name in texts(&tool["aliases"]).into_iter().chain([own]) {
            check(group, &name);
            names.push(name);
        }
    }
    names.sort();
    let table = ToolTable::foreign();
    assert_eq!(
        table.names(),
        names,
        "a name stands there twice, or was lost"
    );
    assert_snapshot!(names.len(), @"55");
}

#[test]
fn every_path_argument_of_an_editing_tool_is_declared() {
    let file: Value = serde_saphyr::from_str(TOOLS).expect("tools.yaml is readable");
    for tool in file["tools"].as_array().expect("a list of tools") {
        let declares = |key: &str| tool.get(key).is_some();
        if tool["group"] == "edit" {
            assert!(declares("paths") || declares("patch"), "{tool}");
        }
    }
}

#[test]
fn the_list_of_protected_files_is_readable_and_gives_reasons() {
    assert!(ProtectedFiles::read(PROTECTED).is_some());
    let file: Value = serde_saphyr::from_str(PROTECTED).expect("protected.yaml is readable");
    let entries = file["protected"].as_array().expect("a list");
    assert!(!entries.is_empty());
    for entry in entries {
        let reason = entry["reason"].as_str().unwrap_or_default();
        assert!(reason.len() > 10 && !reason.ends_with('.'), "{entry}");
    }
}

#[test]
fn a_list_of_protected_files_with_a_slip_is_refused_as_a_whole() {
    assert!(ProtectedFiles::read("protected: [{glob: 'a[', reason: x}]").is_none());
    assert!(ProtectedFiles::read("protected: [{glob: a}]").is_none());
    assert!(ProtectedFiles::read("protected: [{globs: a, reason: x}]").is_none());
}
