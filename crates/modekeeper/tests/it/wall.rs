//! `modekeeper exec` on the built binary: what a mode may not touch stays untouched, and can be undone.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::sandbox::Sandbox;
use crate::support::stdio::Client;
use crate::support::wait_for;

const MODES: &str = r"customModes:
  - slug: docs
    name: Docs
    roleDefinition: You write documents.
    groups: [read, command, [edit, {fileRegex: '\.md$'}]]
";

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(".roomodes", MODES);
    sandbox.write("README.md", "read me\n");
    sandbox.write("src/a.rs", "fn a() {}\n");
    sandbox
}

fn text(sandbox: &Sandbox, path: &str) -> String {
    std::fs::read_to_string(sandbox.project().join(path)).unwrap()
}

#[test]
fn a_mode_s_command_changes_what_the_mode_may_edit() {
    let sandbox = project();
    let line = "echo new > README.md; echo x > src/a.rs; echo x > .roomodes; echo done";
    let ran = sandbox.run(&["exec", "--mode", "docs", "--", "sh", "-c", line]);
    assert_eq!(ran.stdout, "done\n", "{ran:#?}");
    assert_eq!(text(&sandbox, "README.md"), "new\n");
    assert_eq!(text(&sandbox, "src/a.rs"), "fn a() {}\n");
    assert_eq!(text(&sandbox, ".roomodes"), MODES);
    let expected = "modekeeper: mode \"docs\" may edit only \\.md$ – refused: write src/a.rs, write .roomodes. \
                    Switch with: modekeeper mode code";
    assert!(ran.stderr.contains(expected), "{ran:#?}");
}

#[test]
fn a_mode_without_commands_runs_none() {
    let sandbox = project();
    let ran = sandbox.run(&["exec", "--mode", "ask", "--", "true"]);
    assert_eq!(ran.status.code(), Some(125), "{ran:#?}");
}

#[test]
fn what_a_command_changed_is_undone() {
    let sandbox = project();
    let line = "echo new > README.md; rm src/a.rs; echo x > src/b.rs";
    let ran = sandbox.run(&["exec", "--", "sh", "-c", line]);
    assert_eq!(ran.status.code(), Some(0), "{ran:#?}");
    sandbox.ok(&["undo"]);
    assert_eq!(text(&sandbox, "README.md"), "read me\n");
    assert_eq!(text(&sandbox, "src/a.rs"), "fn a() {}\n");
    assert!(!sandbox.project().join("src/b.rs").exists());
}

#[test]
fn the_project_s_mode_holds_a_command() {
    let sandbox = project();
    sandbox.ok(&["mode", "docs"]);
    let ran = sandbox.run(&["exec", "--", "sh", "-c", "echo x > src/a.rs"]);
    assert_eq!(text(&sandbox, "src/a.rs"), "fn a() {}\n", "{ran:#?}");
    assert!(ran.stderr.contains("mode \"docs\""), "{ran:#?}");
    // A mode that is asked for only narrows.
    sandbox.run(&[
        "exec",
        "--mode",
        "code",
        "--",
        "sh",
        "-c",
        "echo x > src/a.rs",
    ]);
    assert_eq!(text(&sandbox, "src/a.rs"), "fn a() {}\n");
}

#[test]
fn the_log_says_what_a_command_changed_wrote_and_was_refused() {
    let sandbox = project();
    sandbox.ok(&["mode", "docs"]);
    let line =
        "echo new > README.md; echo x > src/a.rs; echo x > src/b.rs; echo x > $TMPDIR/scratch";
    sandbox.run(&["exec", "--", "sh", "-c", line]);
    let log = sandbox.json(&["log", "--json"]);
    let command = &log[0];
    assert_eq!(
        command["changed"],
        serde_json::json!(["README.md"]),
        "{log:#}"
    );
    assert_eq!(
        command["removed"],
        serde_json::json!(["src/b.rs"]),
        "{log:#}"
    );
    let refused = serde_json::json!([{ "operation": "write", "target": "src/a.rs", "count": 1 }]);
    assert_eq!(command["refused"], refused, "{log:#}");
    let wrote = command["wrote"][0].as_str().unwrap();
    assert!(wrote.ends_with("/scratch"), "{log:#}");
    assert_eq!(command["held"]["clerk"], true, "{log:#}");
    let shown = sandbox.ok(&["log"]);
    for line in [
        "changed  README.md",
        "removed  src/b.rs",
        "refused  write src/a.rs",
        "undo     modekeeper undo ",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    // By the command's own id.
    sandbox.ok(&["undo", command["command"].as_str().unwrap()]);
    assert_eq!(text(&sandbox, "README.md"), "read me\n");
}

#[test]
fn what_changed_again_since_is_put_back_by_force_only() {
    let sandbox = project();
    sandbox.run(&["exec", "--", "sh", "-c", "echo new > README.md"]);
    sandbox.write("README.md", "by hand\n");
    let ran = sandbox.run(&["undo"]);
    assert!(!ran.status.success(), "{ran:#?}");
    assert!(ran.stderr.contains("README.md"), "{ran:#?}");
    assert_eq!(text(&sandbox, "README.md"), "by hand\n");
    sandbox.ok(&["undo", "--force"]);
    assert_eq!(text(&sandbox, "README.md"), "read me\n");
}

/// Fires Claude Code's hook for one line, as in the project.
fn hooked(sandbox: &Sandbox, line: &str, flags: &[&str]) -> String {
    let event = serde_json::json!({
        "hook_event_name": "PreToolUse",
        "session_id": "one",
        "cwd": sandbox.project(),
        "tool_name": "Bash",
        "tool_input": { "command": line },
    });
    let arguments: Vec<&str> = ["hook", "claude"].iter().chain(flags).copied().collect();
    let mut command = sandbox.command(&arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(event.to_string().as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_permit_of_the_hook_is_used_once_and_named_in_the_log() {
    let sandbox = project();
    sandbox.ok(&["mode", "docs"]);
    assert!(!hooked(&sandbox, "cat README.md", &[]).contains("deny"));
    let run = || {
        let mut command = sandbox.command(&["exec", "--", "/bin/bash", "-c", "cat README.md"]);
        let ran = command
            .env("CLAUDE_CODE_SESSION_ID", "one")
            .output()
            .unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    run();
    run();
    let log = sandbox.json(&["log", "--json"]);
    let commands: Vec<_> = log
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["command"].is_string())
        .collect();
    let permits: Vec<bool> = commands.iter().map(|it| it["permit"].is_string()).collect();
    // Newest first.
    assert_eq!(permits, [false, true], "{log:#}");
    assert!(
        commands.iter().all(|it| it["conversation"].is_string()),
        "{log:#}"
    );
}

#[test]
fn a_line_that_cannot_be_read_passes_where_the_shell_is_walled() {
    let sandbox = project();
    sandbox.ok(&["mode", "docs"]);
    let line = "python3 -c \"exec(open('README.md').read())\"";
    assert!(hooked(&sandbox, line, &["--no-person"]).contains("deny"));
    let passed = hooked(&sandbox, line, &["--no-person", "--walled"]);
    assert!(!passed.contains("deny"), "{passed}");
    // What the line says it does is refused with its reason, wall or not.
    let denied = hooked(&sandbox, "rm src/a.rs", &["--walled"]);
    assert!(denied.contains("deny"), "{denied}");
}

#[test]
fn doctor_says_what_holds() {
    let sandbox = project();
    sandbox.write(
        sandbox.config_file(),
        r#"{ "wall": { "trees": ["node_modules"] } }"#,
    );
    let said = sandbox.run(&["doctor"]).stdout;
    for part in ["landlock", "filter", "clerk", "namespaces"] {
        assert!(said.contains(&format!("wall: {part}")), "{said}");
    }
    assert!(
        said.contains("`node_modules` is shared with outside"),
        "{said}"
    );
}

#[test]
fn directories_that_a_person_opens_are_written_and_links_are_not_followed() {
    let sandbox = project();
    sandbox.write(
        sandbox.config_file(),
        r#"{ "wall": { "trees": ["node_modules", "out"] } }"#,
    );
    let line = "mkdir -p node_modules/x; echo x > node_modules/x/index.js";
    let ran = sandbox.run(&["exec", "--mode", "docs", "--", "sh", "-c", line]);
    assert_eq!(ran.status.code(), Some(0), "{ran:#?}");
    assert_eq!(text(&sandbox, "node_modules/x/index.js"), "x\n");
    std::os::unix::fs::symlink(sandbox.home(), sandbox.project().join("out")).unwrap();
    let ran = sandbox.run(&["exec", "--mode", "docs", "--", "true"]);
    assert_eq!(ran.status.code(), Some(125), "{ran:#?}");
}

#[test]
fn old_caches_are_collected() {
    let sandbox = project();
    sandbox.run(&["exec", "--", "sh", "-c", "echo x > $PIP_CACHE_DIR-x"]);
    let kept = sandbox.ok(&["gc"]);
    assert_eq!(kept, "freed 0 B\n");
    let shown = sandbox.ok(&["gc", "--caches", "0s", "--dry-run"]);
    assert!(shown.contains("/build/"), "{shown}");
    sandbox.ok(&["gc", "--caches", "0s"]);
    assert_eq!(
        std::fs::read_dir(sandbox.state().join("build"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn a_time_limit_ends_a_command() {
    let sandbox = project();
    let ran = sandbox.run(&["exec", "--time-limit", "1", "--", "sleep", "600"]);
    assert_eq!(ran.status.code(), Some(124), "{ran:#?}");
}

fn answer(client: &mut Client, tool: &str, arguments: &Value) -> (String, Value) {
    let answer = client.call(tool, arguments);
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("{answer:#}"));
    (text.to_owned(), result["structuredContent"].clone())
}

#[test]
fn our_own_tool_runs_commands_as_the_task_s_mode_allows() {
    let sandbox = project();
    let mut client = Client::start(&sandbox);
    let session = client.create("docs");
    let run = |line: &str| json!({ "session_id": session, "command": line });
    let line =
        "echo new > README.md; python3 -c \"open('src/a.rs', 'w')\" 2>/dev/null; echo out; exit 3";
    let (said, facts) = answer(&mut client, "run_command", &run(line));
    assert!(said.starts_with("out\n"), "{said}");
    assert!(
        said.contains("mode \"docs\" may edit only \\.md$ – refused: write src/a.rs"),
        "{said}"
    );
    assert!(said.ends_with("[exit code 3]"), "{said}");
    assert_eq!(facts["exit_code"], 3, "{facts}");
    assert_eq!(text(&sandbox, "README.md"), "new\n");
    assert_eq!(text(&sandbox, "src/a.rs"), "fn a() {}\n");
    // What the line itself says is refused before it runs.
    let denied = client.call("run_command", &run("echo x > src/a.rs"));
    assert!(denied.to_string().contains("src/a.rs"), "{denied:#}");
    // What the mode forbids to run is not run.
    let ask = client.create("ask");
    let denied = client.call(
        "run_command",
        &json!({ "session_id": ask, "command": "true" }),
    );
    assert!(denied.to_string().contains("command"), "{denied:#}");
    sandbox.ok(&["undo"]);
    assert_eq!(text(&sandbox, "README.md"), "read me\n");
}

#[test]
fn long_output_is_cut_in_the_middle_and_read_on() {
    let sandbox = project();
    let mut client = Client::start(&sandbox);
    let (said, facts) = answer(
        &mut client,
        "run_command",
        &json!({ "command": "seq 1 20000" }),
    );
    assert!(said.starts_with("1\n2\n"), "{said}");
    assert!(said.contains("\n20000\n"), "{said}");
    let offset = facts["next_offset"].as_u64().unwrap();
    let arguments = json!({ "id": facts["id"], "offset": offset });
    let (more, _) = answer(&mut client, "read_command_output", &arguments);
    assert!(more.len() > 10_000, "{more}");
    assert!(more.contains("read on with offset"), "{more}");
}

#[test]
fn commands_in_the_background_are_listed_read_and_ended() {
    let sandbox = project();
    let mut client = Client::start(&sandbox);
    let line = "echo started; sleep 600 & echo $! > README.md; wait";
    let (said, facts) = answer(
        &mut client,
        "run_command",
        &json!({ "command": line, "background": true }),
    );
    assert!(said.contains("is running"), "{said}");
    let id = facts["id"].clone();
    let sleeper = wait_for("the command's process", || {
        let number: u32 = text(&sandbox, "README.md").trim().parse().ok()?;
        Some(number)
    });
    wait_for("its output", || {
        let (said, _) = answer(&mut client, "read_command_output", &json!({ "id": id }));
        said.starts_with("started\n").then_some(())
    });
    let (list, _) = answer(&mut client, "read_command_output", &json!({}));
    assert!(list.contains("echo started"), "{list}");
    let (_, facts) = answer(&mut client, "end_command", &json!({ "id": id }));
    assert_eq!(facts["running"], false, "{facts}");
    wait_for("its processes to end", || {
        (!std::path::Path::new(&format!("/proc/{sleeper}")).exists()).then_some(())
    });
}

#[test]
fn a_command_ends_after_its_time_and_when_its_call_is_cancelled_or_its_server_dies() {
    let sandbox = project();
    let mut client = Client::start(&sandbox);
    let line = |time: u64| json!({ "command": "sleep 600", "time_limit": time });
    let (said, facts) = answer(&mut client, "run_command", &line(1));
    assert_eq!(facts["exit_code"], 124, "{said}");
    let sleeper = |name: &str| {
        let path = format!("{name}.md");
        let command = format!("echo $$ > {path}; exec sleep 600");
        (json!({ "command": command, "time_limit": 500 }), path)
    };
    let number = |path: &str| {
        wait_for("the command's process", || {
            let file = sandbox.project().join(path);
            let text = std::fs::read_to_string(file).ok()?;
            text.trim().parse::<u32>().ok()
        })
    };
    let gone = |number: u32| {
        wait_for("the command to end", || {
            (!std::path::Path::new(&format!("/proc/{number}")).exists()).then_some(())
        });
    };
    let (arguments, path) = sleeper("cancelled");
    let call = client.post(
        "tools/call",
        &Client::call_params("run_command", &arguments),
    );
    let running = number(&path);
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": call } });
    client.send(&cancel);
    gone(running);
    let (arguments, path) = sleeper("orphan");
    client.post(
        "tools/call",
        &Client::call_params("run_command", &arguments),
    );
    let running = number(&path);
    client.child().kill().unwrap();
    gone(running);
}

#[test]
fn people_s_commands_do_not_run_inside() {
    let sandbox = project();
    let program = env!("CARGO_BIN_EXE_modekeeper");
    let ran = sandbox.run(&["exec", "--", program, "approve"]);
    assert_eq!(ran.status.code(), Some(125), "{ran:#?}");
    assert!(ran.stderr.contains("is for the user to run"), "{ran:#?}");
    // A script does not say in its line what it starts, so the line is not refused by its words.
    for command in [
        "approve",
        "backups list",
        "undo",
        "gc",
        "tasks list",
        "init --yes",
        "install claude",
        "uninstall",
        "self uninstall",
        "dashboard",
        "token list",
    ] {
        sandbox.write("ask.sh", format!("'{program}' {command}\n"));
        let ran = sandbox.run(&["exec", "--", "sh", "ask.sh"]);
        assert_eq!(ran.status.code(), Some(1), "{command}: {ran:#?}");
        assert!(
            ran.stderr.contains("does not run inside the wall"),
            "{command}: {ran:#?}"
        );
    }
    let ran = sandbox.run(&["exec", "--", program, "exec", "--inside"]);
    assert_eq!(ran.status.code(), Some(0), "{ran:#?}");
}
