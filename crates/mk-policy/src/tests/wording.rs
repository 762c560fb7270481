//! The words of an evaluation. The first few stand in the contract.

use insta::assert_snapshot;
use serde_json::json;

use super::fixture::{With, mode, policy, request};
use crate::{
    Catalogue, Diagnostic, DocumentPosition, HeldWhy, ModeLayer, ModeSource, Severity, evaluate,
    evaluate_bounded, load_modes,
};

/// The reason, the hint and the sentence, under a bound if there is one.
#[track_caller]
fn check(mode_text: &str, bound: Option<&str>, tool: &str, with: impl Into<With>) -> String {
    let (own, bound) = (mode(mode_text), bound.map(mode));
    let request = request(policy(), tool, &with.into());
    let evaluation = evaluate_bounded(policy(), &own, bound.as_deref(), &request);
    format!(
        "{} {}\n{}\n{}\n{}",
        evaluation.decision.as_str(),
        evaluation.rule.as_str(),
        evaluation.reason(),
        evaluation.hint().unwrap_or_else(|| "-".to_owned()),
        evaluation.sentence(&own)
    )
}

const CARGO: &str = r"groups: [edit, [command, {commandRegex: ^cargo (test|check)\b}]]";

#[test]
fn denials_are_worded_as_the_contract_shows_them() {
    assert_snapshot!(check("architect", None, "write_to_file", "config.py"), @r"
    deny file-pattern
    Tool group 'edit' is restricted to files matching: \.md$
    the mode says: Markdown files only; switch to a mode that may do this, or hand it to a subtask in such a mode
    Cannot edit 'config.py' in 'architect' mode. Only files matching '\.md$' are allowed.
    ");
    assert_snapshot!(check("ask", None, "write_to_file", "config.py"), @"
    deny group-disabled
    Tool group 'edit' is not enabled
    switch to a mode that may do this, or hand it to a subtask in such a mode
    Tool 'write_to_file' cannot be used in 'ask' mode. Tool group 'edit' is not enabled.
    ");
    assert_snapshot!(check("architect", None, "write_to_file", ()), @r"
    deny target-unknown
    Tool group 'edit' is restricted to files matching: \.md$
    the mode says: Markdown files only; name the file, command or MCP tool, so that it can be checked
    Tool 'write_to_file' cannot be used in 'architect' mode. Tool group 'edit' is restricted to files matching: \.md$.
    ");
    assert_snapshot!(check("code", None, "write_to_file", json!({})), @"
    deny target-unknown
    The call does not say what it would touch
    name the file, command or MCP tool, so that it can be checked
    Tool 'write_to_file' cannot be used in 'code' mode. The call does not say what it would touch.
    ");
    assert_snapshot!(check("code", None, "format_disk", ()), @"
    deny unknown-tool
    Unknown tool 'format_disk'
    use a tool that this client offers
    Tool 'format_disk' cannot be used in 'code' mode. Unknown tool 'format_disk'.
    ");
}

#[test]
fn denials_of_files_say_what_would_have_been_done() {
    assert_snapshot!(check("groups: [[read, {glob: 'docs/**'}]]", None, "read_file", "src/a"), @"
    deny file-pattern
    Tool group 'read' is restricted to files matching: docs/**
    switch to a mode that may do this, or hand it to a subtask in such a mode
    Cannot read 'src/a' in 'm' mode. Only files matching 'docs/**' are allowed.
    ");
    assert_snapshot!(check("code", None, "read_file", "../a"), @"
    deny outside-project
    '../a' is outside the project
    name a file inside the project, relative to its root
    Cannot read '../a' in 'code' mode. '../a' is outside the project.
    ");
    assert_snapshot!(check("code", None, "execute_command", "cat secret"), @"
    deny ignored-file
    'secret' is hidden by .rooignore
    work without this file; its owner keeps it from agents
    Cannot read 'secret' in 'code' mode. 'secret' is hidden by .rooignore.
    ");
    assert_snapshot!(check("code", None, "write_to_file", ".roomodes"), @"
    ask protected-file
    '.roomodes' is protected: mode files decide what agents may do
    ask the user to approve the change
    Cannot edit '.roomodes' in 'code' mode without approval. '.roomodes' is protected: mode files decide what agents may do.
    ");
    assert_snapshot!(check(r"groups: [[edit, {fileRegex: '\.md$'}], [edit, {fileRegex: ^docs/}]]", None, "write_to_file", "a"), @r"
    deny file-pattern
    Tool group 'edit' is restricted to files matching: (?:\.md$)|(?:^docs/)
    switch to a mode that may do this, or hand it to a subtask in such a mode
    Cannot edit 'a' in 'm' mode. Only files matching '(?:\.md$)|(?:^docs/)' are allowed.
    ");
}

#[test]
fn denials_of_commands_name_the_limit() {
    assert_snapshot!(check(CARGO, None, "bash", "rm x"), @r"
    deny command-pattern
    Tool group 'command' is restricted to commands matching: ^cargo (test|check)\b
    run only commands that the mode allows
    Tool 'bash' cannot be used in 'm' mode. Tool group 'command' is restricted to commands matching: ^cargo (test|check)\b.
    ");
    assert_snapshot!(check("groups: [[command, {commandDeny: ^rm, description: nothing is removed}]]", None, "bash", "rm x"), @"
    deny command-deny
    Tool group 'command' forbids commands matching: ^rm
    the mode says: nothing is removed; run only commands that the mode allows
    Tool 'bash' cannot be used in 'm' mode. Tool group 'command' forbids commands matching: ^rm.
    ");
    assert_snapshot!(check(CARGO, None, "bash", ()), @r"
    deny target-unknown
    Tool group 'command' is restricted to commands matching: ^cargo (test|check)\b
    name the file, command or MCP tool, so that it can be checked
    Tool 'bash' cannot be used in 'm' mode. Tool group 'command' is restricted to commands matching: ^cargo (test|check)\b.
    ");
    assert_snapshot!(check("groups: [command]", None, "bash", "echo > x"), @"
    deny command-write
    The command writes 'x', and tool group 'edit' is not enabled
    switch to a mode that may do this, or hand it to a subtask in such a mode
    Cannot edit 'x' in 'm' mode. The command writes 'x', and tool group 'edit' is not enabled.
    ");
    assert_snapshot!(check(r"groups: [command, [edit, {fileRegex: '\.md$'}]]", None, "bash", "echo > x"), @r"
    deny command-write
    The command writes 'x', and tool group 'edit' is restricted to files matching: \.md$
    switch to a mode that may do this, or hand it to a subtask in such a mode
    Cannot edit 'x' in 'm' mode. The command writes 'x', and tool group 'edit' is restricted to files matching: \.md$.
    ");
    assert_snapshot!(check("groups: [read, command]", None, "bash", "eval x"), @"
    unproven command-unproven
    Cannot determine what this command would do: a command runs text or files that cannot be seen
    write it as plain commands with the files written out, or ask the user to approve it
    Tool 'bash' cannot be used in 'm' mode. Cannot determine what this command would do: a command runs text or files that cannot be seen.
    ");
}

#[test]
fn denials_of_mcp_tools_name_the_tool() {
    assert_snapshot!(check("groups: [[mcp, {allowedMcpServers: docs}]]", None, "use_mcp_tool", "github/push"), @"
    deny mcp-filter
    This mode does not allow the MCP server or tool 'github/push'
    use a server or tool that the mode lists
    Tool 'use_mcp_tool' cannot be used in 'm' mode. This mode does not allow the MCP server or tool 'github/push'.
    ");
    assert_snapshot!(check("groups: [[mcp, {allowedMcpServers: docs}]]", None, "mcp_a_b_c", ()), @"
    deny target-unknown
    The call does not say what it would touch
    name the file, command or MCP tool, so that it can be checked
    Tool 'mcp_a_b_c' cannot be used in 'm' mode. The call does not say what it would touch.
    ");
}

#[test]
fn what_is_allowed_has_a_reason_too() {
    assert_snapshot!(check("code", None, "write_to_file", "a"), @"
    allow group
    Tool group 'edit' is enabled
    -
    Tool group 'edit' is enabled.
    ");
    assert_snapshot!(check("architect", None, "write_to_file", "a.md"), @r"
    allow file-pattern
    Tool group 'edit' is enabled for what matches: \.md$
    -
    Tool group 'edit' is enabled for what matches: \.md$.
    ");
    assert_snapshot!(check("code", None, "switch_mode", ()), @"
    allow always-available
    Tool 'switch_mode' is available in every mode
    -
    Tool 'switch_mode' is available in every mode.
    ");
    assert_snapshot!(check("groups: [[mcp, {allowedMcpServers: docs}]]", None, "use_mcp_tool", "docs/x"), @"
    allow mcp-filter
    The mode allows this MCP server and tool
    -
    The mode allows this MCP server and tool.
    ");
}

#[test]
fn under_a_bound_the_stricter_mode_decides_and_is_named() {
    assert_snapshot!(check("code", Some("architect"), "write_to_file", "a.rs"), @r"
    deny file-pattern
    Tool group 'edit' is restricted to files matching: \.md$
    the mode says: Markdown files only; switch to a mode that may do this, or hand it to a subtask in such a mode
    Cannot edit 'a.rs' in 'code' mode under the bound 'architect'. Only files matching '\.md$' are allowed.
    ");
    assert_snapshot!(check("architect", Some("code"), "write_to_file", "a.rs"), @r"
    deny file-pattern
    Tool group 'edit' is restricted to files matching: \.md$
    the mode says: Markdown files only; switch to a mode that may do this, or hand it to a subtask in such a mode
    Cannot edit 'a.rs' in 'architect' mode. Only files matching '\.md$' are allowed.
    ");
    assert_snapshot!(check("code", Some("ask"), "bash", "ls"), @"
    deny group-disabled
    Tool group 'command' is not enabled
    switch to a mode that may do this, or hand it to a subtask in such a mode
    Tool 'bash' cannot be used in 'code' mode under the bound 'ask'. Tool group 'command' is not enabled.
    ");
    assert_snapshot!(check("ask", Some("architect"), "write_to_file", "a.rs"), @"
    deny group-disabled
    Tool group 'edit' is not enabled
    switch to a mode that may do this, or hand it to a subtask in such a mode
    Tool 'write_to_file' cannot be used in 'ask' mode. Tool group 'edit' is not enabled.
    ");
    assert_snapshot!(check("code", Some("architect"), "write_to_file", "AGENTS.md"), @"
    ask protected-file
    'AGENTS.md' is protected: instructions that agents follow
    ask the user to approve the change
    Cannot edit 'AGENTS.md' in 'code' mode without approval. 'AGENTS.md' is protected: instructions that agents follow.
    ");
    assert_snapshot!(check("code", Some("code"), "write_to_file", "a"), @"
    allow group
    Tool group 'edit' is enabled
    -
    Tool group 'edit' is enabled.
    ");
}

/// The hint of a refused edit in `slug`.
fn hint_of_edit(catalogue: &Catalogue, slug: &str) -> String {
    let request = request(policy(), "write_to_file", &With::from("a.rs"));
    let evaluation = evaluate(policy(), catalogue.get(slug).unwrap(), &request);
    evaluation.hint().unwrap()
}

fn project_modes(text: &str) -> Catalogue {
    let layer = ModeLayer {
        source: ModeSource::Project,
        file: ".roomodes".to_owned(),
        loaded: load_modes(".roomodes", text),
    };
    Catalogue::build(vec![layer], policy())
}

#[test]
fn a_refusal_says_that_a_mode_is_held_to_less_than_its_file_says() {
    let broken = project_modes("customModes: [");
    assert_snapshot!(hint_of_edit(&broken, "code"), @"`.roomodes` cannot be read, so 'code' may only read until it is fixed: `modekeeper modes lint` shows what is wrong");
    assert_snapshot!(hint_of_edit(&broken, "ask"), @"switch to a mode that may do this, or hand it to a subtask in such a mode");
    let own = |groups| {
        format!("customModes:\n  - {{slug: own, name: O, roleDefinition: x, groups: [{groups}]}}\n")
    };
    let mut wider = project_modes(&own("read, edit"));
    let before = project_modes(&own("read"));
    let complaint = Diagnostic {
        severity: Severity::Warning,
        file: ".roomodes".to_owned(),
        position: DocumentPosition::START,
        subject: None,
        message: "wider".to_owned(),
        hint: None,
    };
    let slug = before.get("own").unwrap().slug.clone();
    wider.hold(
        &slug,
        before.get("own").unwrap(),
        HeldWhy::Untrusted,
        complaint.clone(),
    );
    assert_snapshot!(hint_of_edit(&wider, "own"), @"the mode's file allows this, but its wider text waits for trust: a person can look at it and run `modekeeper modes trust own`");
    let mut unknown = project_modes(&own("read, edit"));
    let why = HeldWhy::UnknownBefore;
    unknown.hold(&slug, before.get("own").unwrap(), why, complaint);
    assert_snapshot!(hint_of_edit(&unknown, "own"), @"Modekeeper cannot read what 'own' was allowed to do before, so it may only read for now: `modekeeper doctor` shows what is wrong");
}
