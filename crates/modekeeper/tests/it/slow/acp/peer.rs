//! Editors that others have written: the Python SDK, the protocol's Rust crate and acpx drive the proxy, `set-mode` included.

use std::process::Command;

use serde_json::{Value, json};

use super::judge::judge;
use super::world::AcpWorld;
use crate::slow::agents::agent::Agent;
use crate::slow::tools::{self, repository};
use crate::support::sandbox::{bare_command, run};

/// A model that writes what architect may not and then what it may.
fn world() -> AcpWorld {
    let world = AcpWorld::new(Agent::Codex);
    world.inner.sandbox.write("docs/plan.md", "# A plan\n");
    let agent = world.inner.agent;
    let write = |name: &str| agent.write(&world.inner.path(name), "new\n");
    let steps = vec![write("src/new.rs"), write("docs/new.md")];
    world.inner.model.script("main", steps);
    world
}

#[track_caller]
fn check_held(world: &AcpWorld) {
    let heard = world.inner.model.heard("main");
    let there = ["src/new.rs", "docs/new.md"].map(|name| world.inner.exists(name));
    assert_eq!(there, [false, true], "{:#?}", heard.results);
    assert!(heard.ended, "{:#?}", heard.results);
}

/// The editor's command in the surroundings of the proxy, which it starts.
fn editor(world: &AcpWorld, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let proxy = world.command(&[]);
    let mut command = bare_command("timeout", &world.inner.sandbox.project());
    command.args(["--kill-after=5", "300"]).arg(program);
    command.env_clear();
    command.envs(
        proxy
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    command
}

fn words(command: &Command) -> Vec<String> {
    let words = [command.get_program()]
        .into_iter()
        .chain(command.get_args());
    words
        .map(|word| word.to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_python_sdk_drives_the_proxy() {
    let world = world();
    let trace = world.trace().display().to_string();
    let mut command = editor(&world, tools::python("acp"));
    command
        .arg(repository().join("crates/modekeeper/tests/it/slow/acp/editor.py"))
        .arg(world.inner.sandbox.project())
        .args(words(&world.command(&["--trace", &trace])));
    check_seen(&world, &mut command);
}

#[test]
fn the_rust_crate_drives_the_proxy() {
    let world = world();
    let trace = world.trace().display().to_string();
    let mut command = editor(&world, tools::acp_editor());
    command
        .arg(world.inner.sandbox.project())
        .args(words(&world.command(&["--trace", &trace])));
    check_seen(&world, &mut command);
}

/// What an editor prints that tries both setters, an unknown mode and a turn.
#[track_caller]
fn check_seen(world: &AcpWorld, editor: &mut Command) {
    let ran = run(editor);
    assert!(ran.status.success(), "{ran:#?}");
    let seen: Value = serde_json::from_str(&ran.stdout).unwrap();
    let expected = json!({
        "offered": ["code", "architect", "ask", "debug", "orchestrator"],
        "changed": "architect", "modes": ["ask", "architect"], "hasOptionUpdate": true,
        "refused": -32602, "stopReason": "end_turn", "questions": 1,
    });
    assert_eq!(seen, expected);
    check_held(world);
    judge(&world.trace(), &["SetSessionModeResponse", "Error"]);
}

#[test]
fn acpx_drives_the_proxy() {
    let world = world();
    let agent = words(&world.command(&[])).join(" ");
    let acpx = tools::acp().join("bin/acpx");
    let said = |arguments: &[&str]| {
        let mut command = editor(&world, &acpx);
        command.args(["--approve-all", "--format", "json", "--agent", &agent]);
        run(command.args(arguments))
    };
    let ok = |arguments: &[&str]| {
        let ran = said(arguments);
        assert!(ran.status.success(), "{arguments:?}: {ran:#?}");
        ran.stdout
    };
    ok(&["sessions", "new"]);
    let set = ok(&["set-mode", "architect"]);
    assert!(set.contains("\"modeId\":\"architect\""), "{set}");
    let unknown = said(&["set-mode", "no-such-mode"]);
    assert!(unknown.stdout.contains("-32602"), "{unknown:#?}");
    ok(&["prompt", "SCRIPT main"]);
    check_held(&world);
    ok(&["sessions", "close"]);
}
