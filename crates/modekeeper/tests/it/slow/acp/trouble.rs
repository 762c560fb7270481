//! Editors that die, agents that die, flood, or send what is too long, through the built binary.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::course::{Setter, set_mode};
use super::editor::Editor;
use super::world::{AcpWorld, initialize};
use crate::slow::agents::agent::Agent;
use crate::slow::tools::repository;
use crate::support::sandbox::Sandbox;
use crate::support::wait_for;

/// The processes of the agent's group, which the proxy has started.
fn agents_of(proxy: u32) -> Vec<u32> {
    let children = std::fs::read_to_string(format!("/proc/{proxy}/task/{proxy}/children"));
    let children = children.unwrap_or_default();
    children
        .split_whitespace()
        .filter_map(|id| id.parse().ok())
        .flat_map(|id| std::iter::once(id).chain(agents_of(id)))
        .collect()
}

fn is_alive(process: u32) -> bool {
    // A process that nobody has waited for yet is dead all the same.
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z')
}

#[track_caller]
fn wait_until_gone(processes: &[u32]) {
    assert!(processes.len() > 1, "an agent and its guard: {processes:?}");
    wait_for("the end of the agent", || {
        (!processes.iter().any(|it| is_alive(*it))).then_some(())
    });
}

#[test]
fn nothing_of_a_real_agent_outlives_the_editor_or_the_proxy() {
    let world = AcpWorld::new(Agent::Codex);
    for killed in [false, true] {
        let talk = world.talk();
        let processes = agents_of(talk.editor.id());
        match killed {
            true => talk.editor.kill_proxy(),
            false => talk.editor.leave(),
        }
        assert_eq!(talk.editor.end().success(), !killed);
        wait_until_gone(&processes);
    }
}

#[test]
fn a_real_agent_that_dies_is_told_of() {
    let world = AcpWorld::new(Agent::Codex);
    let talk = world.talk();
    let processes = agents_of(talk.editor.id());
    let editor = talk.editor.clone();
    // The model is asked, and meanwhile the agent is killed.
    let killed = processes.clone();
    let step = world.inner.agent.shell("true").after(move || {
        for process in &killed {
            let id = i32::try_from(*process)
                .ok()
                .and_then(rustix::process::Pid::from_raw);
            // The first may have taken the others along.
            let _gone = rustix::process::kill_process(id.unwrap(), rustix::process::Signal::KILL);
        }
    });
    world.inner.model.script("main", vec![step]);
    let prompt = json!([{ "type": "text", "text": "SCRIPT main" }]);
    let answer = editor.ask(
        "session/prompt",
        &json!({ "sessionId": talk.session, "prompt": prompt }),
    );
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert!(!editor.end().success());
}

/// An agent of our own, which does as its prompt says.
pub(super) fn misbehaving(sandbox: &Sandbox, arguments: &[&str]) -> Editor {
    let mut command = sandbox.command(&["acp"]);
    let command = command.args(arguments).args(["--", "python3"]);
    let editor = Editor::start(command.arg(agent_script()));
    editor.result("initialize", &initialize());
    let cwd = sandbox.project();
    editor.result("session/new", &json!({ "cwd": cwd, "mcpServers": [] }));
    editor
}

/// The hook may speak of a session before the proxy knows its name; the proxy's own trial of the hook is over by then.
#[test]
fn a_hook_that_speaks_first_is_held_by_the_mode_of_the_picker() {
    let sandbox = Sandbox::new();
    let editor = misbehaving(&sandbox, &["--client", "claude-code"]);
    let path = sandbox.project().join("src/new.rs");
    let write = prompt(&format!("write {}", path.display()));
    for (mode, is_held) in [("architect", true), ("code", false), ("ask", true)] {
        set_mode(&editor, "s1", mode, Setter::Mode);
        let before = editor.said().len();
        editor.result("session/prompt", &write);
        let said = editor.said().split_off(before);
        assert_eq!(said.contains("\"deny\""), is_held, "{mode}: {said}");
    }
}

pub(super) fn agent_script() -> PathBuf {
    repository().join("crates/modekeeper/tests/it/slow/acp/agent.py")
}

pub(super) fn prompt(text: &str) -> Value {
    json!({ "sessionId": "s1", "prompt": [{ "type": "text", "text": text }] })
}

/// The most memory that a process has used, in MB.
fn peak(process: u32) -> u64 {
    let status =
        std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("status"));
    let status = status.unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.unwrap().trim().trim_end_matches(" kB");
    kilobytes.parse::<u64>().unwrap() / 1024
}

#[test]
fn a_flood_comes_out_whole_and_is_not_kept() {
    let sandbox = Sandbox::new();
    let editor = misbehaving(&sandbox, &[]);
    let before = peak(editor.id());
    let answer = editor.result("session/prompt", &prompt("flood"));
    assert_eq!(answer["stopReason"], "end_turn");
    let said = editor.said();
    let numbers = said
        .split(' ')
        .filter_map(|word| word.trim_start_matches('x').parse::<u32>().ok());
    assert!(numbers.eq(0..100_000), "{} bytes", said.len());
    // 100 MB went through.
    let grown = peak(editor.id()) - before;
    assert!(grown < 20, "{grown} MB more than {before}");
}

#[test]
fn a_line_of_fifty_megabytes_goes_there_and_back() {
    let sandbox = Sandbox::new();
    let editor = misbehaving(&sandbox, &[]);
    let text = "long ".repeat(10 << 20);
    let answer = editor.result("session/prompt", &prompt(&text));
    assert_eq!(answer["stopReason"], "end_turn");
    assert!(editor.said() == text, "{} bytes", editor.said().len());
}

#[test]
fn lines_that_are_no_messages_do_not_reach_the_editor() {
    let sandbox = Sandbox::new();
    let editor = misbehaving(&sandbox, &[]);
    let answer = editor.result("session/prompt", &prompt("noise"));
    assert_eq!(answer["stopReason"], "end_turn");
    let answer = editor.result("session/prompt", &prompt("after it"));
    assert_eq!(answer["stopReason"], "end_turn");
    assert_eq!(editor.said(), "after it");
}
