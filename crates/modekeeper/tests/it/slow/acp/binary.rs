//! What the built program promises besides holding: it changes nothing where it is told so, its trace has no secrets, it
//! follows the mode files, and it starts no agent whose hook does not answer.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use super::course::{Setter, set_mode};
use super::editor::Editor;
use super::trouble::{agent_script, misbehaving, prompt};
use super::world::initialize;
use crate::support::sandbox::{Sandbox, bare_command, run};

#[test]
fn ten_thousand_lines_come_back_byte_equal_with_modes_off() {
    let sandbox = Sandbox::new();
    let mut sent = Vec::new();
    for number in 0..10_000_u32 {
        let id = number % 7;
        let line = match id {
            0 => format!(
                r#"{{"jsonrpc":"2.0","id":{number},"method":"session/set_mode","params":{{"modeId":"x"}}}}"#
            ),
            1 => format!(
                r#"{{"id":{number},"result":{{"modes":{{"currentModeId":"a"}},"n":1.50e0}}}}"#
            ),
            2 => format!(
                r#"{{"method":"session/update","params":{{"a":1,"a":2,"t":"\u00e9\/{number}"}}}}"#
            ),
            3 => format!("not json {number}\r"),
            4 => String::new(),
            5 => "[1, 2]".to_owned(),
            _ => "x".repeat(usize::try_from(number).unwrap() % 3_000),
        };
        sent.extend(line.into_bytes());
        if id == 3 {
            sent.extend([0xff, 0x00, 0xfe]);
        }
        sent.push(b'\n');
    }
    check_relayed(&sandbox, &sent);
}

/// What was really said in a conversation comes out byte-equal with modes off.
#[track_caller]
pub(super) fn replay(trace: &Path) {
    let recorded = std::fs::read_to_string(trace).unwrap();
    let mut sent = String::new();
    for entry in recorded.lines() {
        let entry: Value = serde_json::from_str(entry).unwrap();
        sent.push_str(&format!("{}\n", entry["message"]));
    }
    assert!(sent.lines().count() > 20, "{sent}");
    check_relayed(&Sandbox::new(), sent.as_bytes());
}

/// An agent that says what it hears, behind a relay that changes nothing.
#[track_caller]
fn check_relayed(sandbox: &Sandbox, sent: &[u8]) {
    let mut command = sandbox.command(&["acp", "--passthrough", "--", "cat"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut proxy = command.spawn().unwrap();
    let (mut input, mut output) = (proxy.stdin.take().unwrap(), proxy.stdout.take().unwrap());
    let text = sent.to_owned();
    let writing = std::thread::spawn(move || input.write_all(&text).map(|()| input));
    let mut heard = vec![0; sent.len()];
    // The input stays open until all has come back: at its end, the proxy gives the agent only so much time.
    output.read_exact(&mut heard).unwrap();
    drop(writing.join().unwrap().unwrap());
    output.read_to_end(&mut heard).unwrap();
    assert!(proxy.wait().unwrap().success());
    assert!(heard == sent, "{} bytes of {}", heard.len(), sent.len());
}

#[test]
fn a_trace_has_the_conversation_and_no_secrets() {
    let sandbox = Sandbox::new();
    let trace = sandbox.root().join("trace.jsonl");
    let file = trace.display().to_string();
    let mut command = sandbox.command(&["acp", "--trace", &file, "--", "python3"]);
    let editor = Editor::start(command.arg(agent_script()));
    editor.result("initialize", &initialize());
    let servers = json!([{
        "name": "x", "command": "x", "args": ["--token", "PLANTED-1"],
        "env": [{ "name": "KEY", "value": "PLANTED-2" }],
    }]);
    let params = json!({ "cwd": sandbox.project(), "mcpServers": servers });
    editor.result("session/new", &params);
    let texts = [
        "said api_key=PLANTED-3 here",
        "said Authorization: Bearer PLANTED-4-abcdef here",
        "said https://me:PLANTED-5@host/x here",
        "said {\"password\": \"PLANTED-6\"} here",
        "said sk-PLANTED-7-0123456789 here",
    ];
    for text in texts {
        editor.result("session/prompt", &prompt(text));
    }
    editor.leave();
    assert!(editor.end().success());
    let text = std::fs::read_to_string(&trace).unwrap();
    assert!(!text.contains("PLANTED"), "{text}");
    assert_eq!(text.matches("\"session/prompt\"").count(), 2 * texts.len());
    assert!(text.contains("said "), "{text}");
    let mode = trace.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_mode_that_is_saved_is_in_the_picker_and_holds_as_its_file_says() {
    let sandbox = Sandbox::new();
    let editor = misbehaving(&sandbox, &["--client", "claude-code"]);
    let save = |groups: &str| {
        let text = format!(
            "customModes:\n- slug: saved\n  name: Saved {groups}\n  roleDefinition: Saved.\n  groups: {groups}\n"
        );
        sandbox.write(".roomodes", text);
        let shown = format!("Saved {groups}");
        editor.wait("the mode in the picker", |heard| {
            let mut updates = heard.messages.iter().map(|it| &it["params"]["update"]);
            let is_shown = updates.any(|update| {
                update["sessionUpdate"] == "config_option_update"
                    && update["configOptions"][0].to_string().contains(&shown)
            });
            is_shown.then_some(())
        });
    };
    let path = sandbox.project().join("src/new.rs");
    let write = prompt(&format!("write {}", path.display()));
    let is_denied = || {
        let before = editor.said().len();
        editor.result("session/prompt", &write);
        editor.said().split_off(before).contains("\"deny\"")
    };
    save("[read, edit]");
    set_mode(&editor, "s1", "saved", Setter::Option);
    assert!(!is_denied());
    save("[read]");
    assert!(is_denied());
}

#[test]
fn an_agent_whose_hook_does_not_answer_is_not_started() {
    let sandbox = Sandbox::new();
    let started = sandbox.root().join("started");
    let copy = sandbox.root().join("copy");
    // The program's own file is gone, so that nothing can run it as the hook.
    let script =
        r#"cp "$1" "$2" && exec 3<"$2" && rm "$2" && shift 2 && exec /proc/self/fd/3 "$@""#;
    let proxy = sandbox.command(&["acp", "--client", "claude-code", "--", "touch"]);
    let mut command = bare_command("bash", &sandbox.project());
    command
        .args(["-c", script, "bash"])
        .arg(proxy.get_program())
        .arg(&copy)
        .args(proxy.get_args())
        .arg(&started)
        .env_clear()
        .envs(
            proxy
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
    let ran = run(&mut command);
    assert!(!ran.status.success(), "{ran:#?}");
    assert!(
        ran.stderr
            .contains("the hook of Claude Code does not answer"),
        "{ran:#?}"
    );
    assert!(!started.exists());
}
