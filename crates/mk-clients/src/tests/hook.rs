//! Each client's contract, in the JSON that the product really sends and reads.

use serde_json::{Value, json};

use crate::{
    ClientId, ClientToolGroup, HookAnswer, HookDecision, HookMoment, HookVerdict, ToolUse,
    TouchedTargets, answer, canary, is_denial, parse_event, refuse_unread,
};

const REASON: &str = "architect may not edit 'src/main.rs'";

/// What is read from an event, in one line: conversation, agent, parent, directory, moment.
#[track_caller]
pub(super) fn check_event(client: ClientId, event: &Value, expected: &str) {
    let event = parse_event(client, event.to_string().as_bytes()).unwrap();
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let cwd = event.cwd.as_ref().map(|cwd| cwd.display().to_string());
    let moment = match &event.moment {
        HookMoment::BeforeTool(tool) => format!("before {}", tool_line(tool)),
        HookMoment::AfterTool(tool) => format!("after {}", tool_line(tool)),
        HookMoment::Permission(tool) => format!("permission {}", tool_line(tool)),
        HookMoment::SessionStart { source } => format!("start {}", or_none(source)),
        HookMoment::Prompt { text } => format!("prompt {text}"),
        HookMoment::Other => "other".to_owned(),
    };
    let found = format!(
        "{} {} {} {} {moment}",
        or_none(&event.conversation),
        or_none(&event.agent),
        or_none(&event.parent),
        or_none(&cwd),
    );
    assert_eq!(found, expected);
}

fn tool_line(tool: &ToolUse) -> String {
    let TouchedTargets {
        paths,
        patches,
        commands,
        unclear,
    } = tool.touched();
    let group = tool
        .group()
        .map_or("unknown".to_owned(), |group| format!("{group:?}"));
    let mut line = format!("{} {group}", tool.name);
    for (what, found) in [("path", paths), ("patch", patches), ("line", commands)] {
        for text in found {
            line.push_str(&format!(" {what}={text}"));
        }
    }
    if let Some(mcp) = &tool.mcp {
        line.push_str(&format!(" mcp={}/{}", mcp.server, mcp.tool));
    }
    if unclear {
        line.push_str(" unclear");
    }
    line
}

/// The answer to an event: standard output, and the exit code where it is not 0.
#[track_caller]
pub(super) fn check_answer(client: ClientId, event: &Value, verdict: &HookVerdict, expected: &str) {
    let event = parse_event(client, event.to_string().as_bytes()).unwrap();
    let answer = answer(&event, verdict);
    assert_eq!((answer.stdout.trim_end(), answer.exit_code), (expected, 0));
    assert_eq!(answer.stderr, "");
}

fn with(mut event: Value, key: &str, input: Value) -> Value {
    event[key] = input;
    event
}

fn claude(tool: &str, input: Value) -> Value {
    let event = json!({"session_id": "s1", "transcript_path": "/t", "cwd": "/p/src", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_use_id": "toolu_1"});
    with(event, "tool_input", input)
}

fn gemini(tool: &str, input: Value) -> Value {
    let event = json!({"session_id": "s1", "transcript_path": "/t", "cwd": "/p", "hook_event_name": "BeforeTool",
        "timestamp": "2026-11-16T00:00:00Z", "tool_name": tool});
    with(event, "tool_input", input)
}

fn copilot(tool: &str, input: Value) -> Value {
    let event = json!({"sessionId": "s1", "timestamp": 1, "cwd": "/p", "toolName": tool});
    with(event, "toolArgs", input)
}

fn opencode(tool: &str, input: Value) -> Value {
    let event = json!({"event": "tool.execute.before", "sessionID": "s1", "callID": "c1", "tool": tool, "cwd": "/p"});
    with(event, "args", input)
}

fn cline(tool: &str, input: Value) -> Value {
    let event = json!({"clineVersion": "3.0.65", "hookName": "tool_call", "taskId": "t1",
        "sessionContext": {"rootSessionId": "s1"}, "workspaceRoots": ["/p"], "userId": "u",
        "agent_id": "a1", "parent_agent_id": null, "iteration": 1});
    let call = with(json!({"id": "c1", "name": tool}), "input", input);
    with(event, "tool_call", call)
}

pub(super) fn cursor(event: &str, more: Value) -> Value {
    let mut all = json!({"hook_event_name": event, "conversation_id": "s1", "generation_id": "g1", "workspace_roots": ["/p"]});
    if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
        all.extend(more);
    }
    all
}

#[test]
fn claude_code_events_are_read() {
    let check = |event: &Value, expected| check_event(ClientId::ClaudeCode, event, expected);
    let edit = claude(
        "Edit",
        json!({"file_path": "/p/src/a.rs", "old_string": "a"}),
    );
    check(&edit, "s1 - - /p/src before Edit Edit path=/p/src/a.rs");
    let bash = claude("Bash", json!({"command": "ls"}));
    check(&bash, "s1 - - /p/src before Bash Command line=ls");
    let mut child = bash.clone();
    child["agent_id"] = json!("a7");
    check(&child, "s1 a7 - /p/src before Bash Command line=ls");
    let own = claude("mcp__modekeeper__switch_mode", json!({}));
    check(
        &own,
        "s1 - - /p/src before mcp__modekeeper__switch_mode Mcp mcp=modekeeper/switch_mode",
    );
    // Which of the underscores is the border is only known from the event.
    let mut odd = claude("mcp__a__b__c", json!({}));
    check(&odd, "s1 - - /p/src before mcp__a__b__c Mcp");
    odd["mcp_server"] = json!({"name": "a__b"});
    check(&odd, "s1 - - /p/src before mcp__a__b__c Mcp mcp=a__b/c");
    check(
        &claude("Teleport", json!({})),
        "s1 - - /p/src before Teleport unknown",
    );
    let wrong = claude("Write", json!({"file_path": 7}));
    check(&wrong, "s1 - - /p/src before Write Edit unclear");
    let start = json!({"session_id": "s1", "cwd": "/p", "hook_event_name": "SessionStart", "source": "resume"});
    check(&start, "s1 - - /p start resume");
    let prompt = json!({"session_id": "s1", "cwd": "/p", "hook_event_name": "UserPromptSubmit", "prompt": "hi"});
    check(&prompt, "s1 - - /p prompt hi");
    let stop = json!({"session_id": "s1", "cwd": "/p", "hook_event_name": "Stop"});
    check(&stop, "s1 - - /p other");
}

#[test]
fn codex_has_shell_lines_and_patches_under_one_key() {
    let check = |event: &Value, expected| check_event(ClientId::Codex, event, expected);
    let bash = claude("Bash", json!({"command": "touch a"}));
    check(&bash, "s1 - - /p/src before Bash Command line=touch a");
    let patch = claude("apply_patch", json!({"command": "*** Begin Patch"}));
    check(
        &patch,
        "s1 - - /p/src before apply_patch Edit patch=*** Begin Patch",
    );
}

#[test]
fn gemini_names_the_server_of_a_tool_apart() {
    let check = |event: &Value, expected| check_event(ClientId::Gemini, event, expected);
    let write = gemini("write_file", json!({"file_path": "a.rs", "content": ""}));
    check(&write, "s1 - - /p before write_file Edit path=a.rs");
    let mut own = gemini("mcp_modekeeper_switch_mode", json!({}));
    own["mcp_context"] = json!({"server_name": "modekeeper", "tool_name": "switch_mode"});
    check(
        &own,
        "s1 - - /p before mcp_modekeeper_switch_mode Mcp mcp=modekeeper/switch_mode",
    );
    let prompt =
        json!({"session_id": "s1", "cwd": "/p", "hook_event_name": "BeforeAgent", "prompt": "hi"});
    check(&prompt, "s1 - - /p prompt hi");
}

#[test]
fn copilot_tells_its_events_by_what_is_in_them() {
    let check = |event: &Value, expected| check_event(ClientId::Copilot, event, expected);
    let create = copilot("create", json!({"path": "a.rs"}));
    check(&create, "s1 - - /p before create Edit path=a.rs");
    // Some versions write the arguments as JSON in a text.
    let text = copilot("create", json!("{\"path\":\"a.rs\"}"));
    check(&text, "s1 - - /p before create Edit path=a.rs");
    let patch = copilot("apply_patch", json!("*** Begin Patch"));
    check(
        &patch,
        "s1 - - /p before apply_patch Edit patch=*** Begin Patch",
    );
    let mut child = copilot("bash", json!({"command": "ls"}));
    child["agentId"] = json!("s2");
    child["parentAgentId"] = json!("s0");
    check(&child, "s1 s2 s0 /p before bash Command line=ls");
    let own = copilot("modekeeper-switch_mode", json!({}));
    check(
        &own,
        "s1 - - /p before modekeeper-switch_mode Mcp mcp=modekeeper/switch_mode",
    );
    let several = copilot("grep", json!({"pattern": "x", "paths": ["a", "b"]}));
    check(&several, "s1 - - /p before grep Read path=a path=b");
    let prompt = json!({"sessionId": "s1", "timestamp": 1, "cwd": "/p", "prompt": "hi"});
    check(&prompt, "s1 - - /p prompt hi");
    let start = json!({"sessionId": "s1", "timestamp": 1, "cwd": "/p", "source": "new"});
    check(&start, "s1 - - /p start new");
    // From a project's Claude settings: Claude's names, its own arguments.
    let twice = claude("Write", json!({"path": "a.rs", "file_text": ""}));
    check(&twice, "s1 - - /p/src before Write Edit path=a.rs");
}

#[test]
fn opencode_is_read_from_our_plugin() {
    let check = |event: &Value, expected| check_event(ClientId::OpenCode, event, expected);
    let mut write = opencode("write", json!({"filePath": "a.rs"}));
    check(&write, "s1 - - /p before write Edit path=a.rs");
    write["parentID"] = json!("s0");
    check(&write, "s1 - s0 /p before write Edit path=a.rs");
    // A built-in tool is no tool of a server `apply`.
    let patch = opencode("apply_patch", json!({"patchText": "x"}));
    check(&patch, "s1 - - /p before apply_patch Edit patch=x");
    let own = opencode("modekeeper_switch_mode", json!({}));
    check(
        &own,
        "s1 - - /p before modekeeper_switch_mode Mcp mcp=modekeeper/switch_mode",
    );
    let open = opencode("github_create_issue", json!({}));
    check(&open, "s1 - - /p before github_create_issue Mcp");
    let system = json!({"event": "system", "sessionID": "s1"});
    check(&system, "s1 - - - start -");
}

#[test]
fn cline_has_its_tool_in_an_object() {
    let check = |event: &Value, expected| check_event(ClientId::Cline, event, expected);
    let run = cline("run_commands", json!({"commands": ["ls", "touch a"]}));
    check(
        &run,
        "s1 - - /p before run_commands Command line=ls line=touch a",
    );
    let read = cline(
        "read_files",
        json!({"files": [{"path": "a"}, {"path": "b"}]}),
    );
    check(&read, "s1 - - /p before read_files Read path=a path=b");
    let mut child = cline("editor", json!({"path": "a.rs"}));
    child["parent_agent_id"] = json!("a0");
    check(&child, "s1 a1 - /p before editor Edit path=a.rs");
    let own = cline("modekeeper__switch_mode", json!({}));
    check(
        &own,
        "s1 - - /p before modekeeper__switch_mode Mcp mcp=modekeeper/switch_mode",
    );
}

#[test]
fn letting_pass_is_silence_and_an_empty_object_where_silence_is_a_failure() {
    let pass = HookVerdict::pass();
    let empty = json!({});
    for client in [ClientId::ClaudeCode, ClientId::Codex, ClientId::Qwen] {
        check_answer(client, &claude("Bash", empty.clone()), &pass, "");
    }
    check_answer(
        ClientId::VsCode,
        &claude("editFiles", empty.clone()),
        &pass,
        "",
    );
    check_answer(
        ClientId::Gemini,
        &gemini("replace", empty.clone()),
        &pass,
        "",
    );
    check_answer(ClientId::Cline, &cline("editor", empty.clone()), &pass, "");
    check_answer(
        ClientId::Copilot,
        &copilot("edit", empty.clone()),
        &pass,
        "{}",
    );
    check_answer(
        ClientId::Copilot,
        &claude("Write", empty.clone()),
        &pass,
        "{}",
    );
    check_answer(
        ClientId::OpenCode,
        &opencode("edit", empty.clone()),
        &pass,
        "{}",
    );
    check_answer(
        ClientId::Cursor,
        &cursor("preToolUse", json!({"tool_name": "Write"})),
        &pass,
        "{}",
    );
}

#[test]
fn a_denial_is_in_each_contract() {
    let deny = HookVerdict::deny(REASON);
    let claude_says = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"architect may not edit 'src/main.rs'"}}"#;
    for client in [
        ClientId::ClaudeCode,
        ClientId::Codex,
        ClientId::Qwen,
        ClientId::VsCode,
    ] {
        check_answer(client, &claude("Bash", json!({})), &deny, claude_says);
    }
    check_answer(
        ClientId::Gemini,
        &gemini("replace", json!({})),
        &deny,
        r#"{"decision":"deny","reason":"architect may not edit 'src/main.rs'"}"#,
    );
    check_answer(
        ClientId::Copilot,
        &copilot("edit", json!({})),
        &deny,
        r#"{"permissionDecision":"deny","permissionDecisionReason":"architect may not edit 'src/main.rs'"}"#,
    );
    check_answer(
        ClientId::Copilot,
        &claude("Write", json!({})),
        &deny,
        claude_says,
    );
    check_answer(
        ClientId::OpenCode,
        &opencode("edit", json!({})),
        &deny,
        r#"{"deny":"architect may not edit 'src/main.rs'"}"#,
    );
    check_answer(
        ClientId::Cursor,
        &cursor("preToolUse", json!({"tool_name": "Write"})),
        &deny,
        r#"{"permission":"deny","user_message":"architect may not edit 'src/main.rs'","agent_message":"architect may not edit 'src/main.rs'"}"#,
    );
}

#[test]
fn cline_is_refused_by_a_call_that_fails_and_its_run_goes_on() {
    let deny = HookVerdict::deny(REASON);
    check_answer(
        ClientId::Cline,
        &cline("run_commands", json!({"commands": ["rm -r src"]})),
        &deny,
        r#"{"overrideInput":{"commands":["printf '%s\\n' 'architect may not edit '\\''src/main.rs'\\''' >&2; exit 1"]},"contextModification":"architect may not edit 'src/main.rs'"}"#,
    );
    check_answer(
        ClientId::Cline,
        &cline("editor", json!({"path": "src/main.rs", "new_text": "x"})),
        &deny,
        r#"{"overrideInput":{"path":"/dev/null/architect may not edit 'src main.rs'","new_text":"x"},"contextModification":"architect may not edit 'src/main.rs'"}"#,
    );
    // Nothing harmless is known for it.
    check_answer(
        ClientId::Cline,
        &cline("fetch_web_content", json!({"requests": []})),
        &deny,
        r#"{"cancel":true,"errorMessage":"architect may not edit 'src/main.rs'","contextModification":"architect may not edit 'src/main.rs'"}"#,
    );
}

#[test]
fn a_context_reaches_the_model_where_the_client_hears_it() {
    let context = HookVerdict::pass().with_context("mode: ask");
    let prompt = |name: &str| json!({"session_id": "s1", "hook_event_name": name, "prompt": "hi"});
    for client in [ClientId::ClaudeCode, ClientId::Codex, ClientId::Qwen] {
        check_answer(
            client,
            &prompt("UserPromptSubmit"),
            &context,
            r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"mode: ask"}}"#,
        );
    }
    check_answer(
        ClientId::ClaudeCode,
        &claude("Bash", json!({})),
        &HookVerdict::deny("no").with_context("mode: ask"),
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"mode: ask"}}"#,
    );
    check_answer(
        ClientId::Gemini,
        &prompt("BeforeAgent"),
        &context,
        r#"{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"mode: ask"}}"#,
    );
    check_answer(
        ClientId::Gemini,
        &gemini("replace", json!({})),
        &context,
        "",
    );
    check_answer(
        ClientId::Copilot,
        &copilot("edit", json!({})),
        &context,
        r#"{"additionalContext":"mode: ask"}"#,
    );
    check_answer(
        ClientId::OpenCode,
        &json!({"event": "system", "sessionID": "s1"}),
        &context,
        r#"{"context":"mode: ask"}"#,
    );
    check_answer(
        ClientId::ClaudeCode,
        &json!({"hook_event_name": "Stop"}),
        &context,
        "",
    );
}

#[test]
fn a_line_is_rewritten_only_where_nothing_else_holds_the_shell() {
    let wrap = |line: &str| Some(format!("exec -- {line}"));
    let rewrite = |client, event: &Value| {
        let event = parse_event(client, event.to_string().as_bytes()).unwrap();
        let HookMoment::BeforeTool(tool) = &event.moment else {
            panic!("no tool");
        };
        let decision = HookDecision::Rewrite {
            input: tool.with_commands(&wrap).unwrap(),
        };
        let verdict = HookVerdict {
            decision,
            context: None,
        };
        answer(&event, &verdict).stdout.trim_end().to_owned()
    };
    let run = cline("run_commands", json!({"commands": ["ls"], "x": 1}));
    assert_eq!(
        rewrite(ClientId::Cline, &run),
        r#"{"overrideInput":{"commands":["exec -- ls"],"x":1}}"#
    );
    let run = copilot("bash", json!({"command": "ls"}));
    assert_eq!(
        rewrite(ClientId::Copilot, &run),
        r#"{"modifiedArgs":{"command":"exec -- ls"}}"#
    );
    let line = json!({"command": "ls"});
    for (client, event) in [
        (ClientId::ClaudeCode, claude("Bash", line.clone())),
        (ClientId::Codex, claude("Bash", line.clone())),
        (ClientId::Qwen, claude("run_shell_command", line.clone())),
        (ClientId::Gemini, gemini("run_shell_command", line.clone())),
        (ClientId::OpenCode, opencode("bash", line.clone())),
    ] {
        let answer = rewrite(client, &event);
        assert!(answer.contains("deny"), "{answer}");
        assert!(!answer.contains("exec --"), "{answer}");
    }
    // A patch under `command` is no line.
    let patch = claude("apply_patch", json!({"command": "*** Begin Patch"}));
    let event = parse_event(ClientId::Codex, patch.to_string().as_bytes()).unwrap();
    let HookMoment::BeforeTool(tool) = &event.moment else {
        panic!("no tool");
    };
    assert_eq!(tool.with_commands(&wrap), None);
    // What is typed into a program that runs is no line of its own.
    let typed = copilot("write_bash", json!({"input": "ls"}));
    let event = parse_event(ClientId::Copilot, typed.to_string().as_bytes()).unwrap();
    let HookMoment::BeforeTool(typed) = &event.moment else {
        panic!("no tool");
    };
    assert_eq!(typed.with_commands(&wrap), None);
    assert_eq!(tool.group(), Some(ClientToolGroup::Edit));
}

#[test]
fn a_line_that_is_walled_is_not_walled_again() {
    let program = std::path::Path::new("/opt/modekeeper");
    let wall = |line: &str| crate::walled_line(program, line).unwrap();
    for line in ["ls", "echo 'a'", "echo 'a'''", "'", ""] {
        let walled = wall(line);
        assert_ne!(walled, line);
        assert_eq!(wall(&walled), walled);
    }
    // What only begins like one is a line of the agent's own.
    for line in [
        "/opt/modekeeper exec --shell -- /bin/bash -c 'ls'; rm a",
        "/opt/modekeeper exec --shell -- /bin/bash -c 'ls' > 'a'",
        "/opt/modekeeper exec --shell -- /bin/bash -c 'ls",
        "/tmp/modekeeper exec --shell -- /bin/bash -c 'ls'",
    ] {
        assert_ne!(wall(line), line);
    }
}

#[test]
fn what_cannot_be_read_is_an_error_and_its_refusal_is_valid_json() {
    let bad: [&[u8]; 6] = [b"", b"{", b"[]", b"7", b"\xff\xfe", b"{\"tool_name\":1}"];
    for client in ClientId::ALL {
        for bytes in bad {
            // Copilot's events carry no name, and one without a tool asks for no decision.
            let nameless = client == ClientId::Copilot && bytes.starts_with(b"{\"");
            assert_eq!(
                parse_event(client, bytes).is_err(),
                !nameless,
                "{}",
                client.slug()
            );
        }
        let HookAnswer {
            stdout,
            stderr,
            exit_code,
        } = refuse_unread(client, REASON);
        assert!(stdout.contains(REASON) || stderr.contains(REASON));
        if client.atlas().has_hooks() {
            assert!(serde_json::from_str::<Value>(&stdout).unwrap().is_object());
        } else {
            assert_eq!(exit_code, 2);
        }
    }
}

#[test]
fn a_tool_call_without_a_tool_is_an_error() {
    for (client, event) in [
        (
            ClientId::ClaudeCode,
            json!({"hook_event_name": "PreToolUse"}),
        ),
        (ClientId::Gemini, json!({"hook_event_name": "BeforeTool"})),
        (ClientId::Copilot, json!({"toolName": ""})),
        (ClientId::OpenCode, json!({"event": "tool.execute.before"})),
        (
            ClientId::Cline,
            json!({"hookName": "tool_call", "tool_call": {}}),
        ),
        (ClientId::Cursor, json!({"hook_event_name": "preToolUse"})),
    ] {
        assert!(parse_event(client, event.to_string().as_bytes()).is_err());
    }
}

#[test]
fn the_canary_is_an_event_of_its_client_and_its_denial_is_told_from_a_pass() {
    for client in ClientId::ALL {
        let Some(event) = canary(client, std::path::Path::new("/p")) else {
            assert!(!client.atlas().has_hooks(), "{}", client.slug());
            continue;
        };
        let event = parse_event(client, event.as_bytes()).unwrap();
        let HookMoment::BeforeTool(tool) = &event.moment else {
            panic!("no tool");
        };
        assert_eq!(tool.group(), None, "{}", client.slug());
        let denied = answer(&event, &HookVerdict::deny(REASON));
        assert!(is_denial(client, &denied), "{}", client.slug());
        assert!(is_denial(client, &refuse_unread(client, REASON)));
        assert!(!is_denial(client, &answer(&event, &HookVerdict::pass())));
    }
}

#[test]
fn qwen_hears_a_denial_before_it_asks_its_user() {
    let event = json!({
        "session_id": "s", "hook_event_name": "PermissionRequest", "cwd": "/p",
        "tool_name": "write_file", "tool_input": { "file_path": "/p/a.rs", "content": "x" },
    });
    let event = parse_event(ClientId::Qwen, event.to_string().as_bytes()).unwrap();
    assert!(matches!(&event.moment, HookMoment::Permission(tool) if tool.name == "write_file"));
    let denied = crate::answer(&event, &HookVerdict::deny(REASON));
    let denied: Value = serde_json::from_str(&denied.stdout).unwrap();
    let decision = json!({ "behavior": "deny", "message": REASON });
    assert_eq!(denied["hookSpecificOutput"]["decision"], decision);
    let passed = crate::answer(&event, &HookVerdict::pass());
    assert_eq!((passed.stdout.as_str(), passed.exit_code), ("", 0));
}
