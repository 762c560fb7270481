//! `modekeeper exec` on the built binary: what a mode may not touch stays untouched, and can be undone.
#![cfg(target_os = "linux")]

mod enforced;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

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

/// `modekeeper watch`, which ends with the test.
struct RunningWatch {
    child: Child,
    lines: Receiver<String>,
}

impl RunningWatch {
    fn start(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.command(&["watch"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            lines
                .map_while(Result::ok)
                .try_for_each(|it| sender.send(it))
        });
        Self {
            child,
            lines: receiver,
        }
    }

    #[track_caller]
    fn next(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(60)).unwrap()
    }
}

impl Drop for RunningWatch {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// In a project that nothing was ever recorded about, too.
#[test]
fn watch_and_log_show_what_exec_ran_and_what_it_refused() {
    let sandbox = project();
    let watch = RunningWatch::start(&sandbox);
    assert!(watch.next().starts_with("watching"));
    sandbox.run(&["exec", "--mode", "ask", "--", "touch", "README.md"]);
    let refused = watch.next();
    assert!(refused.contains("deny"), "{refused}");
    assert!(refused.contains("touch README.md"), "{refused}");
    sandbox.run(&["exec", "--", "sh", "-c", "echo new > README.md"]);
    let ran = watch.next();
    assert!(ran.contains("exit 0"), "{ran}");
    assert!(watch.next().contains("changed  README.md"));
    drop(watch);
    let log = sandbox.ok(&["log"]);
    assert!(log.contains(&refused) && log.contains(&ran), "{log}");
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
fn the_log_names_what_cannot_be_undone() {
    let sandbox = project();
    std::os::unix::fs::symlink("a.rs", sandbox.project().join("src/link")).unwrap();
    sandbox.run(&["exec", "--", "rm", "src/link"]);
    let shown = sandbox.ok(&["log"]);
    assert!(shown.contains("not kept src/link"), "{shown}");
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

#[test]
fn a_second_undo_goes_further_back_and_does_not_redo() {
    let sandbox = project();
    sandbox.run(&["exec", "--", "sh", "-c", "echo one > README.md"]);
    sandbox.run(&["exec", "--", "sh", "-c", "echo two > README.md"]);
    sandbox.ok(&["undo"]);
    assert_eq!(text(&sandbox, "README.md"), "one\n");
    sandbox.ok(&["undo"]);
    assert_eq!(text(&sandbox, "README.md"), "read me\n");
    let ran = sandbox.run(&["undo"]);
    assert!(ran.stderr.contains("nothing is left to undo"), "{ran:#?}");
    assert_eq!(text(&sandbox, "README.md"), "read me\n");
    // An undo is brought back by its own ID, and can then be undone again.
    let listed = sandbox.ok(&["backups", "list", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let last = listed[0]["id"].as_str().unwrap();
    sandbox.ok(&["undo", last]);
    assert_eq!(text(&sandbox, "README.md"), "one\n");
    sandbox.ok(&["undo"]);
    assert_eq!(text(&sandbox, "README.md"), "read me\n");
}

#[test]
fn what_cannot_be_put_back_keeps_nothing_else_from_it() {
    let sandbox = project();
    let line = "echo new > README.md; rm src/a.rs";
    sandbox.run(&["exec", "--", "sh", "-c", line]);
    std::fs::create_dir(sandbox.project().join("src/a.rs")).unwrap();
    let ran = sandbox.run(&["undo"]);
    assert_eq!(ran.status.code(), Some(1), "{ran:#?}");
    assert!(ran.stderr.contains("src/a.rs was not put back"), "{ran:#?}");
    assert_eq!(text(&sandbox, "README.md"), "read me\n");
    assert!(sandbox.project().join("src/a.rs").is_dir());
}

/// Fires Claude Code's hook for one line, as in the project.
fn hooked(sandbox: &Sandbox, line: &str, flags: &[&str]) -> String {
    hooked_in(sandbox, line, flags, &[])
}

/// The same with these variables in the client's environment.
fn hooked_in(
    sandbox: &Sandbox,
    line: &str,
    flags: &[&str],
    variables: &[(&str, String)],
) -> String {
    let event = serde_json::json!({
        "hook_event_name": "PreToolUse",
        "session_id": "one",
        "cwd": sandbox.project(),
        "tool_name": "Bash",
        "tool_input": { "command": line },
    });
    let arguments: Vec<&str> = ["hook", "claude"].iter().chain(flags).copied().collect();
    let mut command = sandbox.command(&arguments);
    command.envs(variables.iter().cloned());
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
    let script = sandbox
        .home()
        .join(".local/share/modekeeper/bin/modekeeper-exec");
    let prefix = [("CLAUDE_CODE_SHELL_PREFIX", script.display().to_string())];
    // A script that is not there would not be missed by the client.
    let denied = hooked_in(&sandbox, line, &["--no-person"], &prefix);
    assert!(denied.contains("deny"), "{denied}");
    sandbox.write(&script, "");
    let passed = hooked_in(&sandbox, line, &["--no-person"], &prefix);
    assert!(!passed.contains("deny"), "{passed}");
    // What the line says it does is refused with its reason, wall or not.
    let denied = hooked_in(&sandbox, "rm src/a.rs", &[], &prefix);
    assert!(denied.contains("deny"), "{denied}");
}

/// A shell as `init` leads it: bash reads our script before the line.
fn shell(sandbox: &Sandbox, line: &str) -> crate::support::sandbox::Ran {
    let script = sandbox.root().join("modekeeper-env.sh");
    let program = env!("CARGO_BIN_EXE_modekeeper");
    let scripts = mk_clients::shell_scripts(std::path::Path::new(program), &[]);
    let [.., (_, text)] = scripts;
    sandbox.write(&script, text);
    let mut command = crate::support::sandbox::bare_command("/bin/bash", &sandbox.project());
    for (name, value) in sandbox.command::<&str>(&[]).get_envs() {
        command.env(name, value.unwrap());
    }
    command
        .args(["-c", line])
        .env("BASH_ENV", &script)
        .env("CLAUDE_CODE_SESSION_ID", "one")
        .env("MODEKEEPER_HOOK_DEADLINE", "1000");
    sandbox.run_command(&mut command)
}

#[test]
fn a_led_shell_is_inside_where_a_mode_is_set_and_left_alone_elsewhere() {
    let sandbox = project();
    let program = env!("CARGO_BIN_EXE_modekeeper");
    let line = format!(
        "bash -c 'echo x > src/a.rs'; {program} exec --inside && echo inside; echo $0 \"$BASH_ENV\""
    );
    let free = shell(&sandbox, &line);
    assert_eq!(free.stdout, "/bin/bash \n", "{free:#?}");
    assert_eq!(text(&sandbox, "src/a.rs"), "x\n");
    sandbox.write("src/a.rs", "fn a() {}\n");
    sandbox.ok(&["mode", "docs"]);
    let held = shell(&sandbox, &line);
    assert_eq!(held.stdout, "inside\n/bin/bash \n", "{held:#?}");
    assert!(held.stderr.contains("refused: write src/a.rs"), "{held:#?}");
    assert_eq!(text(&sandbox, "src/a.rs"), "fn a() {}\n");
    // The hooks of our own that a client starts by its shell are not inside: they write the store.
    let hook = shell(&sandbox, &format!("{program} hook gemini"));
    assert!(
        hook.stdout.contains("Modekeeper cannot decide"),
        "{hook:#?}"
    );
}

#[test]
fn a_line_that_a_person_approved_does_what_they_have_read_once() {
    let sandbox = project();
    sandbox.ok(&["mode", "code"]);
    let line = "echo x > .roomodes";
    let asked = hooked(&sandbox, line, &[]);
    let id = asked
        .split("modekeeper approve ")
        .nth(1)
        .unwrap_or_else(|| panic!("{asked}"));
    let id: String = id
        .chars()
        .take_while(|it| it.is_alphanumeric() || *it == '_')
        .collect();
    sandbox.ok(&["approve", &id]);
    let passed = hooked(&sandbox, line, &[]);
    assert!(!passed.contains("deny"), "{passed}");
    let ran = shell(&sandbox, line);
    assert!(
        ran.stderr.contains("a person has approved this line"),
        "{ran:#?}"
    );
    assert_eq!(text(&sandbox, ".roomodes"), "x\n");
    sandbox.write(".roomodes", MODES);
    shell(&sandbox, line);
    assert_eq!(text(&sandbox, ".roomodes"), MODES);
}

#[test]
fn a_client_without_a_led_shell_has_its_unclear_lines_rewritten_or_refused() {
    let sandbox = project();
    sandbox.ok(&["mode", "docs"]);
    let program = sandbox
        .home()
        .join(".local/share/modekeeper/bin/modekeeper");
    sandbox.write(&program, "");
    let line = "python3 -c \"exec(open('README.md').read())\"";
    let ask = |client: &str, event: Value| {
        let mut command = sandbox.command(&["hook", client, "--no-person"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(event.to_string().as_bytes()).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default()
    };
    let copilot = |line: &str| json!({ "sessionId": "two", "cwd": sandbox.project(), "toolName": "bash", "toolArgs": { "command": line } });
    let rewritten = ask("copilot", copilot(line));
    let command = rewritten["modifiedArgs"]["command"].as_str().unwrap();
    assert!(
        command.starts_with(&format!(
            "{} exec --shell -- /bin/bash -c '",
            program.display()
        )),
        "{command}"
    );
    assert_eq!(rewritten.get("permissionDecision"), None, "{rewritten}");
    // What can be read is left as it is.
    assert_eq!(ask("copilot", copilot("cat README.md")), json!({}));
    let qwen = json!({
        "hook_event_name": "PreToolUse", "session_id": "three", "cwd": sandbox.project(),
        "tool_name": "run_shell_command", "tool_input": { "command": line },
    });
    let refused = ask("qwen", qwen);
    assert_eq!(
        refused["hookSpecificOutput"]["permissionDecision"], "deny",
        "{refused}"
    );
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
fn our_own_state_and_credentials_are_hidden_from_commands() {
    let sandbox = project();
    sandbox.ok(&["mode", "docs"]);
    sandbox.write(sandbox.home().join(".vault-token"), "secret");
    let state = sandbox.state();
    let script = format!(
        "import os\n\
         for path in ['{0}/modekeeper.db', '{0}/modekeeper.db-wal', '{1}/.vault-token']:\n \
             print(len(open(path, 'rb').read()) if os.path.exists(path) else 0)\n\
         print(os.environ.get('PGPASSWORD'))\n",
        state.display(),
        sandbox.home().display()
    );
    let mut command = sandbox.command(&["exec", "--", "python3", "-c", &script]);
    let ran = sandbox.run_command(command.env("PGPASSWORD", "secret"));
    assert_eq!(ran.stdout, "0\n0\n0\nNone\n", "{ran:?}");
    assert!(state.join("modekeeper.db").metadata().unwrap().len() > 0);
}

#[test]
fn a_server_s_password_file_and_the_user_s_own_state_are_hidden_from_its_commands() {
    let sandbox = project();
    sandbox.ok(&["mode", "docs"]);
    let passwords = sandbox.home().join("passwords");
    sandbox.write(&passwords, "*:*:*:*:secret");
    // The sandbox keeps its state elsewhere, as a server of a team does.
    let usual = sandbox.home().join(".local/state/modekeeper/modekeeper.db");
    sandbox.write(&usual, "tasks");
    let script = format!(
        "import os\n\
         for path in ['{}', '{}']:\n \
             print(len(open(path, 'rb').read()) if os.path.exists(path) else 0)\n",
        passwords.display(),
        usual.display(),
    );
    let mut command = sandbox.command(&["exec", "--", "python3", "-c", &script]);
    command
        .env("PGPASSFILE", &passwords)
        .env_remove("XDG_STATE_HOME");
    let ran = sandbox.run_command(&mut command);
    assert_eq!(ran.stdout, "0\n0\n", "{ran:?}");
}

#[test]
fn language_servers_read_neither_credentials_nor_our_own_state() {
    let sandbox = project();
    sandbox.ok(&["mode", "docs"]);
    sandbox.write(sandbox.home().join(".vault-token"), "secret");
    let state = sandbox.state();
    sandbox.write(state.join("servers/one/server"), "installed");
    let line = format!(
        "cat {0}/modekeeper.db {1}/.vault-token; cat {0}/servers/one/server src/a.rs; echo x > $PIP_CACHE_DIR-x && \
         cat $PIP_CACHE_DIR-x",
        state.display(),
        sandbox.home().display()
    );
    let ran = sandbox.run(&["exec", "--language-server", "--", "sh", "-c", &line]);
    assert_eq!(ran.stdout, "installedfn a() {}\nx\n", "{ran:#?}");
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
    assert!(
        ran.stderr.contains("its time limit of 1 s is over"),
        "{ran:#?}"
    );
    let ran = sandbox.run(&["exec", "--time-limit", "600", "--", "sh", "-c", "exit 124"]);
    assert!(!ran.stderr.contains("time limit"), "{ran:#?}");
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
fn a_project_inside_another_one_holds_commands_too() {
    let sandbox = project();
    sandbox.write("vendor/.git/HEAD", "ref: refs/heads/main\n");
    sandbox.write("vendor/.roomodes", MODES);
    sandbox.write("vendor/.rooignore", "token.txt\n");
    sandbox.write("vendor/token.txt", "geheim\n");
    sandbox.write("vendor/a.rs", "fn a() {}\n");
    let vendor = sandbox.project().join("vendor");
    sandbox.ok(&["mode", "docs", "--project-root", "vendor"]);
    let line = "python3 -c \"open('vendor/a.rs', 'w')\"; cat vendor/token.txt; echo x > src/a.rs";
    let ran = sandbox.run(&["exec", "--", "sh", "-c", line]);
    assert!(!ran.stdout.contains("geheim"), "{ran:#?}");
    assert_eq!(text(&sandbox, "vendor/a.rs"), "fn a() {}\n", "{ran:#?}");
    assert_eq!(text(&sandbox, "src/a.rs"), "x\n", "{ran:#?}");
    let mut client = Client::start(&sandbox);
    for (line, directory) in [
        ("python3 -c \"open('a.rs', 'w')\"", "vendor"),
        ("python3 -c \"open('vendor/a.rs', 'w')\"", "."),
        (
            "python3 -c \"print(open('token.txt').read())\"",
            "src/../vendor",
        ),
    ] {
        let arguments = json!({ "command": line, "directory": directory });
        let ran = client.call("run_command", &arguments).to_string();
        assert!(!ran.contains("geheim"), "{ran}");
        assert_eq!(text(&sandbox, "vendor/a.rs"), "fn a() {}\n", "{ran}");
    }
    // A person who stands in it is told whose mode this is, and what else holds.
    let mut command = sandbox.command(&["mode"]);
    let shown = sandbox.run_command(command.current_dir(&vendor));
    assert!(
        shown.stderr.contains("is part of the project"),
        "{shown:#?}"
    );
    assert!(shown.stdout.contains("vendor: docs"), "{shown:#?}");
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

/// What agents may call. Whatever else `--help` lists is a person's.
const FOR_AGENTS: &[&str] = &[
    "acp",
    "backups list",
    "backups show",
    "check",
    "completions",
    "config show",
    "doctor",
    "exec",
    "explain",
    "help",
    "hook",
    "index",
    "log",
    "lsp list",
    "man",
    "mcp",
    "memories list",
    "memories show",
    "modes lint",
    "modes list",
    "modes prompt",
    "modes show",
    "playbook lint",
    "playbook list",
    "playbook show",
    "run",
    "schema",
    "serve",
    "status",
    "store check",
    "symbols find",
    "symbols map",
    "symbols outline",
    "symbols refs",
    "tasks list",
    "tasks show",
];

/// Every command that the command line has, as `--help` shows it.
fn all_commands(sandbox: &Sandbox, above: &[&str]) -> Vec<String> {
    let mut words = above.to_vec();
    words.push("--help");
    let help = sandbox.ok(&words);
    let Some((_, listed)) = help.split_once("\nCommands:\n") else {
        return vec![above.join(" ")];
    };
    let names = listed.lines().take_while(|line| !line.is_empty());
    let names = names.filter_map(|line| {
        line.split_whitespace()
            .next()
            .filter(|_| !line.starts_with("   "))
    });
    names
        .filter(|name| above.is_empty() || *name != "help")
        .flat_map(|name| match name {
            "help" => vec!["help".to_owned()],
            name => all_commands(sandbox, &[above, &[name]].concat()),
        })
        .collect()
}

/// The commands of a person, from the binary itself, so that none can be forgotten.
fn people_s_commands(sandbox: &Sandbox) -> Vec<String> {
    let mut all = all_commands(sandbox, &[]);
    for known in FOR_AGENTS {
        assert!(all.iter().any(|it| it == known), "{known} is not a command");
    }
    all.retain(|it| !FOR_AGENTS.contains(&it.as_str()));
    // The contract's list.
    for named in [
        "approve",
        "mode",
        "pause",
        "modes trust",
        "tasks switch",
        "tasks complete",
        "backups restore",
        "undo",
        "gc",
        "init",
        "install",
        "uninstall",
        "token create",
        "dashboard",
        "config init",
        "store recover",
        "self uninstall",
    ] {
        assert!(
            all.iter().any(|it| it == named),
            "{named} is missing in {all:?}"
        );
    }
    all
}

/// Runs each command from a script, whose line does not say what it starts, and looks for the refusal.
#[track_caller]
fn check_refused(
    sandbox: &Sandbox,
    commands: &[String],
    start: impl Fn() -> std::process::Command,
    refusal: &str,
) {
    let program = env!("CARGO_BIN_EXE_modekeeper");
    for command in commands {
        sandbox.write("ask.sh", format!("'{program}' {command}\n"));
        let ran = sandbox.run_command(&mut start());
        assert_eq!(ran.status.code(), Some(1), "{command}: {ran:#?}");
        assert!(ran.stderr.contains(refusal), "{command}: {ran:#?}");
    }
}

#[test]
fn no_command_of_a_person_runs_inside_the_wall() {
    let sandbox = project();
    let commands = people_s_commands(&sandbox);
    let start = || sandbox.command(&["exec", "--", "sh", "ask.sh"]);
    check_refused(&sandbox, &commands, start, "does not run inside the wall");
}

#[test]
fn no_command_of_a_person_runs_below_an_agent() {
    let sandbox = project();
    let commands = people_s_commands(&sandbox);
    let agent = sandbox.root().join("claude");
    std::os::unix::fs::symlink("/bin/sh", &agent).unwrap();
    let start = || {
        let mut command = crate::support::sandbox::bare_command(&agent, &sandbox.project());
        // It goes on after the script, so that it does not become the script's command.
        command
            .args(["-c", "sh ask.sh; exit $?"])
            .env("HOME", sandbox.home());
        command
    };
    check_refused(&sandbox, &commands, start, "cannot be run by `claude`");
}

#[test]
fn no_command_of_a_person_runs_in_what_an_agent_has_left_behind() {
    let sandbox = project();
    let commands = people_s_commands(&sandbox);
    let start = || {
        // No agent is above it any more; what the agent's environment says is all that is left.
        let shell = std::path::Path::new("/bin/sh");
        let mut command = crate::support::sandbox::bare_command(shell, &sandbox.project());
        command
            .args(["-c", "sh ask.sh; exit $?"])
            .env("HOME", sandbox.home())
            .env("CODEX_THREAD_ID", "one");
        command
    };
    check_refused(&sandbox, &commands, start, "cannot be run by `codex`");
}

#[test]
fn people_s_commands_do_not_run_inside() {
    let sandbox = project();
    let program = env!("CARGO_BIN_EXE_modekeeper");
    let ran = sandbox.run(&["exec", "--", program, "approve"]);
    assert_eq!(ran.status.code(), Some(125), "{ran:#?}");
    assert!(ran.stderr.contains("is for the user to run"), "{ran:#?}");
    let ran = sandbox.run(&["exec", "--", program, "exec", "--inside"]);
    assert_eq!(ran.status.code(), Some(0), "{ran:#?}");
}

#[test]
fn the_network_is_what_the_narrowest_mode_says() {
    let sandbox = project();
    let mode = |slug: &str, network: &str| {
        format!(
            "  - slug: {slug}\n    name: {slug}\n    roleDefinition: You build.\n    groups: [read, command, edit]\n    \
             network: {network}\n"
        )
    };
    let modes = format!(
        "customModes:\n{}{}",
        mode("online", "on"),
        mode("offline", "off")
    );
    sandbox.write(".roomodes", modes);
    let udp = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)";
    let tcp = "import socket; socket.socket()";
    let passes = |mode: &str, program: &str| {
        let ran = sandbox.run(&["exec", "--mode", mode, "--", "python3", "-c", program]);
        ran.status.success()
    };
    assert!(passes("online", udp));
    assert!(!passes("offline", tcp), "YAML reads a plain `off` as false");
    sandbox.write(sandbox.config_file(), r#"{ "default_mode": "offline" }"#);
    assert!(!passes("online", tcp), "`--mode` only narrows");
}
