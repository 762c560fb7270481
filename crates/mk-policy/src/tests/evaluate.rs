//! What a mode says to a call, by the numbers of the list on `evaluate`.

use serde_json::json;

use super::fixture::{With, mode, policy, request};
use crate::evaluate;

/// The verdict and the rule that decided, as the documents write them.
#[track_caller]
fn check(mode_text: &str, tool: &str, with: impl Into<With>, expected: &str) {
    let with = with.into();
    let evaluation = evaluate(policy(), &mode(mode_text), &request(policy(), tool, &with));
    let found = format!(
        "{} {}",
        evaluation.decision.as_str(),
        evaluation.rule.as_str()
    );
    assert_eq!(found, expected, "{tool} {with:?}: {evaluation:?}");
}

#[track_caller]
fn check_patch(mode_text: &str, patch: &str, expected: &str) {
    check(mode_text, "apply_patch", json!({"patch": patch}), expected);
}

const MARKDOWN: &str =
    r"groups: [read, [edit, {fileRegex: '\.md$', description: Markdown files only}]]";
const CARGO: &str = r"groups: [edit, [command, {commandRegex: ^cargo (test|check)\b}]]";

#[test]
fn rule_1_a_tool_nobody_knows_is_denied() {
    check("code", "format_disk", (), "deny unknown-tool");
    check("code", "", (), "deny unknown-tool");
    check("code", " read_file", "a", "deny unknown-tool");
    check("code", "mcp", (), "deny unknown-tool");
    check("code", "mcp_", (), "deny unknown-tool");
}

#[test]
fn rule_1_names_compare_without_regard_to_case() {
    check("code", "Write_To_File", "a.md", "allow group");
    check("architect", "WRITE_TO_FILE", "a.rs", "deny file-pattern");
    check("ask", "Execute_Command", "ls", "deny group-disabled");
}

#[test]
fn rule_2_a_tool_that_every_mode_has_is_allowed() {
    check("groups: []", "switch_mode", (), "allow always-available");
    check(
        "groups: []",
        "ask_followup_question",
        (),
        "allow always-available",
    );
    check(
        "groups: []",
        "new_task",
        json!({"mode": "x"}),
        "allow always-available",
    );
    check(
        "groups: []",
        "run_slash_command",
        json!({"command": "rm -rf /"}),
        "allow always-available",
    );
}

#[test]
fn rule_3_a_group_that_the_mode_does_not_name_is_denied() {
    let none = "groups: []";
    check(none, "read_file", "a", "deny group-disabled");
    check(none, "write_to_file", "a", "deny group-disabled");
    check(none, "browser_action", (), "deny group-disabled");
    check(none, "execute_command", "ls", "deny group-disabled");
    check(none, "use_mcp_tool", "a/b", "deny group-disabled");
    check(none, "mcp__a__b", (), "deny group-disabled");
    check(none, "task", (), "deny group-disabled");
    check("ask", "write_to_file", "../x", "deny group-disabled");
}

#[test]
fn rule_4_a_path_that_leaves_the_project_is_denied_in_every_mode() {
    for path in [
        "..",
        "../x",
        "a/../../x",
        "/etc/passwd",
        "/app2/x",
        "C:\\x",
        "c:x",
        "\\\\server\\x",
        "a\\..\\..\\x",
        "x\0y",
    ] {
        check("code", "read_file", path, "deny outside-project");
        check("code", "write_to_file", path, "deny outside-project");
        check(MARKDOWN, "write_to_file", path, "deny outside-project");
    }
    check("code", "read_file", "/app/src/x", "allow group");
    check("code", "read_file", "a/../b", "allow group");
}

#[test]
fn rule_4_a_path_that_an_ignore_file_hides_is_denied() {
    check("code", "read_file", "secret/key", "deny ignored-file");
    check("code", "write_to_file", "secret.md", "deny ignored-file");
    check(
        "code",
        "execute_command",
        "cat secret.md",
        "deny ignored-file",
    );
    check(
        "code",
        "execute_command",
        "echo x > secret.md",
        "deny ignored-file",
    );
    check(
        "code",
        "read_file",
        json!({"files": [{"path": "a"}, {"path": "secret"}]}),
        "deny ignored-file",
    );
}

#[test]
fn rule_4_arguments_that_do_not_say_what_they_touch_are_denied() {
    check("code", "write_to_file", json!({}), "deny target-unknown");
    check(
        "code",
        "write_to_file",
        json!({"path": ""}),
        "deny target-unknown",
    );
    check(
        "code",
        "write_to_file",
        json!({"path": 5}),
        "deny target-unknown",
    );
    check(
        "code",
        "write_to_file",
        json!({"path": ["a.md", {"path": "b.rs"}]}),
        "deny target-unknown",
    );
    check(
        "code",
        "write_to_file",
        json!({"path": "a.md", "file_path": {"x": 1}}),
        "deny target-unknown",
    );
    check(
        "code",
        "apply_diff",
        json!({"args": "<file><path>a</path></file>"}),
        "deny target-unknown",
    );
    check(
        "code",
        "read_file",
        json!({"files": ["/etc/passwd"]}),
        "deny target-unknown",
    );
    check(
        "code",
        "execute_command",
        json!({"command": ["rm", "-rf", "/"]}),
        "deny target-unknown",
    );
    check("code", "write_to_file", json!(null), "deny target-unknown");
    // What reads the whole project needs no path.
    check(
        "code",
        "codebase_search",
        json!({"query": "x"}),
        "allow group",
    );
    check(
        "code",
        "codebase_search",
        json!({"query": "x", "path": null}),
        "allow group",
    );
}

#[test]
fn rule_5_files_must_match_a_pattern_of_the_group() {
    check(MARKDOWN, "write_to_file", "docs/a.md", "allow file-pattern");
    check(MARKDOWN, "write_to_file", "docs/a.rs", "deny file-pattern");
    check(
        MARKDOWN,
        "write_to_file",
        "docs/../a.md/../a.rs",
        "deny file-pattern",
    );
    check(MARKDOWN, "write_to_file", (), "deny target-unknown");
    check(
        MARKDOWN,
        "write_to_file",
        json!({"content": "x"}),
        "deny target-unknown",
    );
    let folder = r"groups: [[edit, {fileRegex: ^docs/}]]";
    check(
        folder,
        "write_to_file",
        "docs/../src/a",
        "deny file-pattern",
    );
    check(
        folder,
        "write_to_file",
        "src/../docs/a",
        "allow file-pattern",
    );
    check(
        folder,
        "write_to_file",
        "src\\..\\docs\\a",
        "allow file-pattern",
    );
    check(folder, "write_to_file", "/app/docs/a", "allow file-pattern");
    check(folder, "write_to_file", "./docs//a", "allow file-pattern");
    check(folder, "write_to_file", "docs", "deny file-pattern");
}

#[test]
fn rule_5_globs_and_patterns_of_one_entry_must_both_match() {
    let both = r"groups: [[edit, {fileRegex: '\.md$', glob: ['docs/*', 'notes/**']}]]";
    check(both, "write_to_file", "docs/a.md", "allow file-pattern");
    check(both, "write_to_file", "docs/a/b.md", "deny file-pattern");
    check(both, "write_to_file", "notes/a/b.md", "allow file-pattern");
    check(both, "write_to_file", "docs/a.rs", "deny file-pattern");
    check(both, "write_to_file", "a.md", "deny file-pattern");
}

#[test]
fn rule_5_reading_can_be_restricted_too() {
    let docs = "groups: [[read, {glob: 'docs/**'}]]";
    check(docs, "read_file", "docs/a/b", "allow file-pattern");
    check(docs, "read_file", "src/a", "deny file-pattern");
    check(docs, "search_files", ".", "deny file-pattern");
    check(
        docs,
        "codebase_search",
        json!({"query": "x"}),
        "deny target-unknown",
    );
    check(
        docs,
        "read_file",
        json!({"path": "docs/a", "files": [{"path": "src/a"}]}),
        "deny file-pattern",
    );
}

#[test]
fn rule_5_a_pattern_that_cannot_be_run_allows_nothing() {
    check(
        r"groups: [[edit, {fileRegex: '(a)\1'}]]",
        "write_to_file",
        "aa",
        "deny file-pattern",
    );
    check(
        r"groups: [[edit, {fileRegex: '(a)\1'}], [edit, {fileRegex: b}]]",
        "write_to_file",
        "b",
        "allow file-pattern",
    );
    check(
        r"groups: [[command, {commandRegex: '(a)\1'}], edit]",
        "bash",
        "aa",
        "deny command-pattern",
    );
    check(
        r"groups: [[command, {commandDeny: '(a)\1'}], edit]",
        "bash",
        "ls",
        "deny command-deny",
    );
    // Too many steps for the engine.
    check(
        "groups: [[edit, {fileRegex: '^(?=(a+)+$)(a|aa)+$'}]]",
        "write_to_file",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
        "deny file-pattern",
    );
}

#[test]
fn rule_5_every_file_of_a_call_counts() {
    let edit = |files: &[&str]| {
        let files: Vec<_> = files.iter().map(|path| json!({"path": path})).collect();
        json!({"args": {"file": files}})
    };
    check(
        MARKDOWN,
        "apply_diff",
        edit(&["a.md", "b.md"]),
        "allow file-pattern",
    );
    check(
        MARKDOWN,
        "apply_diff",
        edit(&["a.md", "b.rs"]),
        "deny file-pattern",
    );
    check(
        MARKDOWN,
        "apply_diff",
        edit(&["a.md", "../b.md"]),
        "deny outside-project",
    );
    check(
        MARKDOWN,
        "apply_diff",
        json!({"args": {"file": {"path": "b.rs"}}}),
        "deny file-pattern",
    );
    check(
        MARKDOWN,
        "apply_diff",
        json!({"path": "a.md", "args": {"file": {"path": "b.rs"}}}),
        "deny file-pattern",
    );
    check(
        MARKDOWN,
        "multiedit",
        json!({"filePath": "a.md", "edits": [{"filePath": "b.rs"}]}),
        "deny file-pattern",
    );
    check(
        MARKDOWN,
        "edit",
        json!({"path": "a.md", "file_path": "b.rs"}),
        "deny file-pattern",
    );
    check(
        MARKDOWN,
        "generate_image",
        json!({"path": "a.md", "image": "b.png"}),
        "deny file-pattern",
    );
    check(
        "groups: [[edit, {fileRegex: a}], [edit, {fileRegex: b}]]",
        "apply_diff",
        edit(&["a", "b"]),
        "allow file-pattern",
    );
}

#[test]
fn rule_5_every_file_of_a_patch_counts() {
    check_patch(
        MARKDOWN,
        "*** Begin Patch\n*** Update File: a.md\n@@\n-x\n+y\n*** End Patch",
        "allow file-pattern",
    );
    check_patch(
        MARKDOWN,
        "*** Begin Patch\n*** Add File: a.md\n+y\n*** Delete File: b.rs\n*** End Patch",
        "deny file-pattern",
    );
    check_patch(
        MARKDOWN,
        "*** Begin Patch\n*** Update File: a.md\n*** Move to: src/evil.ts\n*** End Patch",
        "deny file-pattern",
    );
    check_patch(
        MARKDOWN,
        "*** Update File: a.md\r\n  *** Move to: b.rs\r\n",
        "deny file-pattern",
    );
    check_patch(
        MARKDOWN,
        "*** Update File: a.md\r*** Update File: b.rs\r",
        "deny file-pattern",
    );
    check(
        MARKDOWN,
        "apply_patch",
        json!({"input": "*** Update File: a.md", "patchText": "*** Update File: b.rs"}),
        "deny file-pattern",
    );
    check_patch(
        MARKDOWN,
        "*** Update File: a.md\n*** Replace File: b.rs",
        "deny target-unknown",
    );
    check_patch(
        MARKDOWN,
        "*** Update File: a.md\n-- b\n--- c\n+d",
        "allow file-pattern",
    );
    check_patch("code", "nothing", "deny target-unknown");
    check_patch("code", "*** Update File: AGENTS.md", "ask protected-file");
    check_patch(
        "code",
        "*** Update File: a\n*** Move to: .roomodes",
        "ask protected-file",
    );
}

#[test]
fn rule_5_every_file_of_a_unified_diff_counts() {
    let folder = "groups: [[edit, {fileRegex: ^docs/}]]";
    check_patch(
        folder,
        "--- a/docs/x\n+++ b/docs/x\n@@ -1 +1 @@\n",
        "allow file-pattern",
    );
    check_patch(
        folder,
        "--- docs/x\t2020-01-01\n+++ docs/x\t2020-01-02\n",
        "allow file-pattern",
    );
    check_patch(
        folder,
        "--- /dev/null\n+++ b/docs/x\n",
        "allow file-pattern",
    );
    check_patch(
        folder,
        "--- a/docs/x\n+++ /dev/null\n",
        "allow file-pattern",
    );
    check_patch(folder, "--- a/docs/x\n+++ b/src/x\n", "deny file-pattern");
    check_patch(folder, "--- a/docs/x\n+++ a/docs/x\n", "deny file-pattern");
    check_patch(folder, "+++ b/docs/x\n+++ src/x\n", "deny file-pattern");
    check_patch(
        folder,
        "diff --git a/docs/x b/docs/y\nrename from docs/x\nrename to docs/y\n",
        "allow file-pattern",
    );
    check_patch(
        folder,
        "diff --git a/docs/x b/src/y\nrename from docs/x\nrename to src/y\n",
        "deny file-pattern",
    );
    check_patch(
        folder,
        "--- a/docs/x\n+++ b/docs/x\ncopy from docs/x\ncopy to src/y\n",
        "deny file-pattern",
    );
}

/// Empty and binary files have no other line with their name.
#[test]
fn rule_5_the_first_line_of_a_diff_names_its_files() {
    let folder = "groups: [[edit, {fileRegex: ^docs/}]]";
    check_patch(
        folder,
        "diff --git a/docs/x b/docs/x\nnew file mode 100644\n",
        "allow file-pattern",
    );
    check_patch(
        folder,
        "diff --git a/src/x b/src/x\nnew file mode 100644\n",
        "deny file-pattern",
    );
    check_patch(
        folder,
        "diff --git a/docs/a b c b/docs/a b c\ndeleted file mode 100644\n",
        "allow file-pattern",
    );
    check_patch(
        folder,
        "diff --git a/docs/a b b/docs/c d\nold mode 100644\n",
        "deny target-unknown",
    );
}

#[test]
fn rule_5_quoted_names_in_a_diff_are_read() {
    let umlaut = "groups: [[edit, {fileRegex: '^bä/\"x$'}]]";
    check_patch(
        umlaut,
        r#"--- "a/b\303\244/\"x"
+++ "b/b\303\244/\"x""#,
        "allow file-pattern",
    );
    check_patch(
        umlaut,
        r#"diff --git "a/b\303\244/\"x" "b/b\303\244/\"x""#,
        "allow file-pattern",
    );
    check_patch(
        MARKDOWN,
        "diff --git a/a.md \"b/src/\\303\\244.rs\"",
        "deny file-pattern",
    );
    check_patch(
        MARKDOWN,
        "rename from a.md\nrename to \"\\056\\056/x.md\"",
        "deny outside-project",
    );
    for unreadable in [r#""a\x.md""#, r#""a\377.md""#, r#""a.md"#, r#""a\4.md""#] {
        check_patch(
            "code",
            &format!("--- {unreadable}\n+++ b/a.md\n"),
            "deny target-unknown",
        );
    }
}

#[test]
fn rule_5_every_command_of_a_line_must_match() {
    check(CARGO, "bash", "cargo test --all", "allow command-pattern");
    check(CARGO, "bash", "cargo  test", "allow command-pattern");
    check(CARGO, "bash", "cargo test 'a b'", "allow command-pattern");
    check(CARGO, "bash", "cargo publish", "deny command-pattern");
    check(
        CARGO,
        "bash",
        "cargo test && rm -rf target",
        "deny command-pattern",
    );
    check(
        CARGO,
        "bash",
        "cargo test | tee log",
        "deny command-pattern",
    );
    check(
        CARGO,
        "bash",
        "cargo test; cargo check",
        "allow command-pattern",
    );
    check(CARGO, "bash", "cargo test $(rm x)", "deny command-pattern");
    check(CARGO, "bash", "cargo test `rm x`", "deny command-pattern");
    check(CARGO, "bash", "cargo test\nrm x", "deny command-pattern");
    check(CARGO, "bash", "rm x # cargo test", "deny command-pattern");
    check(CARGO, "bash", "", "deny command-pattern");
    check(CARGO, "bash", (), "deny target-unknown");
    check(CARGO, "read_command_output", (), "deny target-unknown");
}

#[test]
fn rule_5_wrappers_and_quotes_do_not_hide_a_command() {
    check(CARGO, "bash", "sudo cargo test", "deny command-pattern");
    check(
        CARGO,
        "bash",
        "sh -c 'cargo test; rm x'",
        "deny command-pattern",
    );
    check(CARGO, "bash", "\"cargo\" test", "deny command-pattern");
    check(CARGO, "bash", "car'go' test", "deny command-pattern");
    // The shell runs `cargo testament`.
    check(CARGO, "bash", "cargo test\"ament\"", "deny command-pattern");
    check(CARGO, "bash", "cargo test\\ament", "deny command-pattern");
    check(CARGO, "bash", "cargo test 'a'", "allow command-pattern");
    let no_rm = "groups: [edit, [command, {commandDeny: ^rm\\b}]]";
    check(no_rm, "bash", "ls -l", "allow command-pattern");
    check(no_rm, "bash", "rm x", "deny command-deny");
    check(no_rm, "bash", "ls && rm x", "deny command-deny");
    check(no_rm, "bash", "r''m x", "deny command-deny");
    check(no_rm, "bash", "sudo -u me rm x", "deny command-deny");
    check(no_rm, "bash", "ls | xargs rm", "deny command-deny");
    check(no_rm, "bash", "find . -exec rm {} \\;", "deny command-deny");
    check(no_rm, "bash", "echo rm", "allow command-pattern");
}

#[test]
fn rule_5_a_line_that_cannot_be_followed_is_denied_where_commands_are_restricted() {
    check(CARGO, "bash", "cargo test\u{7}", "deny command-unproven");
    check(
        "groups: [edit, [command, {commandDeny: rm}]]",
        "bash",
        "eval \"$x\"",
        "deny command-unproven",
    );
    check(
        "groups: [edit, [command, {commandDeny: rm}]]",
        "bash",
        "$x",
        "deny command-unproven",
    );
    check(
        "groups: [edit, [command, {commandRegex: .}]]",
        "bash",
        "eval \"$x\"",
        "deny command-unproven",
    );
    check("code", "bash", "eval \"$x\"", "allow group");
}

#[test]
fn rule_5_allow_and_deny_of_one_entry_must_agree_and_entries_add_up() {
    let both = "groups: [edit, [command, {commandRegex: ^git, commandDeny: push|--exec-path}]]";
    check(both, "bash", "git status", "allow command-pattern");
    check(both, "bash", "git push", "deny command-deny");
    check(
        both,
        "bash",
        "git status && git pu''sh",
        "deny command-deny",
    );
    let two = "groups: [edit, [command, {commandRegex: ^git, commandDeny: push}], [command, {commandRegex: ^ls}]]";
    check(two, "bash", "git status && ls", "allow command-pattern");
    check(two, "bash", "git status && rm x", "deny command-pattern");
    check(
        "groups: [edit, [command, {commandRegex: ^git}], command]",
        "bash",
        "rm x",
        "allow group",
    );
}

#[test]
fn rule_5_a_command_may_write_only_what_the_mode_may_edit() {
    let notes = r"groups: [read, command, [edit, {fileRegex: '\.md$'}]]";
    check(notes, "bash", "cargo test > log.md", "allow group");
    check(notes, "bash", "cargo test > log.txt", "deny command-write");
    check(
        notes,
        "bash",
        "cargo test 2>> src/x.rs",
        "deny command-write",
    );
    check(
        notes,
        "bash",
        "echo x | tee a.md b.rs",
        "deny command-write",
    );
    check(notes, "bash", "cp a.md b.rs", "deny command-write");
    check(notes, "bash", "cd src && rm x.rs", "deny command-write");
    check(notes, "bash", "sh -c 'echo > x.rs'", "deny command-write");
    check(notes, "bash", "echo > /etc/x.md", "deny outside-project");
    check(notes, "bash", "cat src/x.rs > /dev/null", "allow group");
    check(notes, "bash", "rm *.rs", "deny command-write");
    check(notes, "bash", "echo > $x.md", "unproven command-unproven");
    check(notes, "bash", "eval x", "unproven command-unproven");
    check(
        "groups: [read, command]",
        "bash",
        "cargo test",
        "allow group",
    );
    check(
        "groups: [read, command]",
        "bash",
        "echo > x",
        "deny command-write",
    );
    check(
        "groups: [read, command, edit]",
        "bash",
        "echo > /tmp/x",
        "allow group",
    );
}

#[test]
fn rule_5_mcp_filters_let_through_what_they_name() {
    let servers = "groups: [[mcp, {allowedMcpServers: [github, io.github.me/docs]}]]";
    check(servers, "use_mcp_tool", "github/x", "allow mcp-filter");
    check(servers, "use_mcp_tool", "gitlab/x", "deny mcp-filter");
    check(
        servers,
        "access_mcp_resource",
        json!({"server_name": "github", "uri": "x"}),
        "allow mcp-filter",
    );
    check(
        servers,
        "use_mcp_tool",
        json!({"server_name": "io.github.me/docs", "tool_name": "x"}),
        "allow mcp-filter",
    );
    check(servers, "mcp__io_github_me_docs__x", (), "allow mcp-filter");
    check(
        servers,
        "use_mcp_tool",
        json!({"server_name": "github"}),
        "deny target-unknown",
    );
    check(
        servers,
        "use_mcp_tool",
        json!({"server_name": ["github", "x"], "tool_name": "x"}),
        "deny target-unknown",
    );
    check(servers, "use_mcp_tool", (), "deny target-unknown");
    let tools = "groups: [[mcp, {allowedTools: [github/read, search]}]]";
    check(tools, "use_mcp_tool", "github/read", "allow mcp-filter");
    check(tools, "use_mcp_tool", "gitlab/read", "deny mcp-filter");
    check(tools, "use_mcp_tool", "gitlab/search", "allow mcp-filter");
    check(
        tools,
        "access_mcp_resource",
        json!({"server_name": "github"}),
        "deny mcp-filter",
    );
    let none = "groups: [[mcp, {allowedMcpServers: []}]]";
    check(none, "use_mcp_tool", "github/x", "deny mcp-filter");
}

#[test]
fn rule_5_what_is_blocked_never_passes_however_a_client_spells_it() {
    let blocked = "groups: [[mcp, {blockedMcpServers: ['my server!'], blockedTools: [github/delete_repo, 'io.github/x/drop', merge]}]]";
    check(blocked, "use_mcp_tool", "github/read", "allow mcp-filter");
    check(blocked, "use_mcp_tool", "my server!/x", "deny mcp-filter");
    check(blocked, "mcp__my_server___x", (), "deny target-unknown");
    check(blocked, "mcp__my_server__x", (), "deny mcp-filter");
    check(blocked, "mcp--My-Server--x", (), "deny mcp-filter");
    check(
        blocked,
        "use_mcp_tool",
        "github/delete_repo",
        "deny mcp-filter",
    );
    check(blocked, "mcp--github--delete-repo", (), "deny mcp-filter");
    check(
        blocked,
        "use_mcp_tool",
        json!({"server_name": "io.github/x", "tool_name": "drop"}),
        "deny mcp-filter",
    );
    check(blocked, "mcp__any__merge", (), "deny mcp-filter");
}

#[test]
fn rule_5_a_dynamic_name_that_can_be_split_in_two_ways_is_denied_where_mcp_is_restricted() {
    let servers = "groups: [[mcp, {blockedMcpServers: [evil]}]]";
    check(servers, "mcp__docs__search", (), "allow mcp-filter");
    check(servers, "mcp__docs__search__all", (), "deny target-unknown");
    check(servers, "mcp__docs___search", (), "deny target-unknown");
    check(servers, "mcp_docs_search", (), "allow mcp-filter");
    check(servers, "mcp_docs_search_all", (), "deny target-unknown");
    check(servers, "mcp--docs---search", (), "deny target-unknown");
    check(servers, "mcp__docs", (), "deny target-unknown");
    check("groups: [mcp]", "mcp__docs__search__all", (), "allow group");
    check(
        "groups: [mcp, [mcp, {blockedMcpServers: [evil]}]]",
        "mcp_docs_search_all",
        (),
        "allow group",
    );
}

#[test]
fn rule_5_lists_beside_the_groups_hold_for_all_entries() {
    let zoo = "groups: [mcp]\nallowedMcpServers: [github]";
    check(zoo, "use_mcp_tool", "github/x", "allow mcp-filter");
    check(zoo, "use_mcp_tool", "docs/x", "deny mcp-filter");
    check(zoo, "mcp_a_b_c", (), "deny target-unknown");
    let both = "groups: [[mcp, {allowedMcpServers: [docs]}]]\nallowedMcpServers: [github]";
    check(both, "use_mcp_tool", "github/x", "deny mcp-filter");
    check(both, "use_mcp_tool", "docs/x", "deny mcp-filter");
}

#[test]
fn rule_6_a_protected_file_needs_approval() {
    for path in [
        ".roomodes",
        "a/b/.roomodes",
        "AGENTS.md",
        "docs/../AGENTS.md",
        ".roo/rules/x.md",
        ".roo",
        "src\\..\\.vscode\\tasks.json",
        ".git/hooks/pre-commit",
        ".claude/settings.local.json",
        ".mcp.json",
    ] {
        check("code", "write_to_file", path, "ask protected-file");
        check("code", "read_file", path, "allow group");
    }
    check("code", "write_to_file", "AGENTS.md.txt", "allow group");
    check(
        "code",
        "write_to_file",
        ".claude/worktrees/x.rs",
        "allow group",
    );
    check(
        "code",
        "write_to_file",
        ".github/ISSUE_TEMPLATE/bug.yml",
        "allow group",
    );
    check(
        "code",
        "apply_diff",
        json!({"args": {"file": [{"path": "a"}, {"path": ".rooignore"}]}}),
        "ask protected-file",
    );
}

#[test]
fn rule_6_other_spellings_of_a_protected_name_are_protected() {
    for path in [
        ".RooModes",
        "agents.MD",
        ".ROO/Rules/x",
        ".roomode\u{17f}",
        ".\u{212a}ilo/x",
        ".g\u{200c}it/config",
        ".git./config",
        ".roomodes ",
        ".roomodes::$DATA",
        ".roo:stream/x",
    ] {
        check("code", "write_to_file", path, "ask protected-file");
    }
}

#[test]
fn rule_6_a_folder_that_holds_protected_files_is_protected() {
    for path in [
        ".",
        "/app",
        "a/..",
        ".github",
        ".github/hooks",
        ".claude",
        "packages/x/.claude",
    ] {
        check("code", "delete_file", path, "ask protected-file");
    }
    check("code", "bash", "rm -rf .claude", "ask protected-file");
    check("code", "bash", "mv .github old", "ask protected-file");
    check("code", "bash", "rm -rf .", "ask protected-file");
    check(
        "code",
        "bash",
        "mkdir -p .github/workflows",
        "ask protected-file",
    );
    check(
        "code",
        "bash",
        "mkdir -p .github/ISSUE_TEMPLATE",
        "allow group",
    );
}

#[test]
fn rule_6_commands_ask_as_well_and_a_mode_that_may_not_edit_is_denied() {
    check("code", "bash", "echo x > .roomodes", "ask protected-file");
    check("code", "bash", "cat .roomodes", "allow group");
    check(
        "code",
        "bash",
        "cp x .vscode/tasks.json",
        "ask protected-file",
    );
    check("code", "bash", "cd .roo && touch x", "ask protected-file");
    check(
        "architect",
        "write_to_file",
        ".roomodes",
        "deny file-pattern",
    );
    check(
        "architect",
        "write_to_file",
        "AGENTS.md",
        "ask protected-file",
    );
    check(
        "groups: [read, command]",
        "bash",
        "echo > .roomodes",
        "deny command-write",
    );
}

#[test]
fn rule_7_everything_else_that_the_group_covers_is_allowed() {
    check("code", "read_file", "src/a.rs", "allow group");
    check("code", "write_to_file", "src/a.rs", "allow group");
    check("code", "write_to_file", (), "allow group");
    check("code", "browser_action", (), "allow group");
    check("code", "execute_command", "cargo test", "allow group");
    check("code", "execute_command", (), "allow group");
    check("code", "use_mcp_tool", "a/b", "allow group");
    check("code", "task", (), "allow group");
}

/// What a line may be where only Markdown is edited.
#[track_caller]
fn check_in_docs(line: &str, expected: &str) {
    let docs = r"groups: [read, [edit, {fileRegex: '\.md$'}], command]";
    check(docs, "execute_command", line, expected);
}

#[test]
fn rule_5_what_runs_outside_the_project_is_unproven_where_edits_are_limited() {
    let unproven = "unproven command-unproven";
    for line in [
        "make -C /tmp/x",
        "cd /tmp/x && make",
        "npm --prefix /tmp/x test",
        "cargo test --manifest-path /tmp/x/Cargo.toml",
        "pytest /tmp/x/test_a.py",
        "eslint -f /tmp/x/f.js src",
        "npm test -- --config=/tmp/x/c.js",
        "python3 -m unittest discover -s ../x",
        "cd /tmp/x && python3 -m json.tool a.json",
        "cd /tmp/x && ./node_modules/.bin/cat a",
        "git -C /tmp/x status",
        "cd ~/x; git log",
    ] {
        check_in_docs(line, unproven);
        check("code", "execute_command", line, "allow group");
    }
    for line in [
        "make",
        "cd /app && cargo test",
        "git -C sub log",
        "npm test",
    ] {
        check_in_docs(line, "allow group");
    }
}

#[test]
fn rule_5_what_the_mode_may_edit_itself_is_not_run() {
    let unproven = "unproven command-unproven";
    for line in [
        "pylint --rcfile=docs/rc.md src",
        "mocha --reporter=./docs/r.md",
        "phpstan analyse -c docs/p.md",
    ] {
        check_in_docs(line, unproven);
    }
    let scripts = r"groups: [read, [edit, {fileRegex: ^scripts/}], command]";
    check(scripts, "execute_command", "make -C scripts", unproven);
    check(scripts, "execute_command", "make", "allow group");
    let json = r"groups: [read, [edit, {fileRegex: '\.json$'}], command]";
    check(json, "execute_command", "npm test", unproven);
}
