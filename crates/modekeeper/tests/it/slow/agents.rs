//! Real coding agents, offline, against a model that follows a script: what reaches the disk and what reaches the model.
//!
//! `tests/tools/agents.sh` installs the agents. Each test has a home, a project and a model of its own.

pub(super) mod agent;
mod course;
mod guard;
mod recording;
mod step;
pub(super) mod trial;
pub(super) mod world;

use agent::Agent;
use world::World;

/// Set up by `modekeeper init`, an agent does what its mode allows and nothing else.
#[track_caller]
fn check_held(agent: Agent) {
    let world = World::new(agent);
    course::prepare(&world);
    let said = world.init(&["--mode", "architect"]);
    let title = said
        .lines()
        .rfind(|line| line.contains("enforced"))
        .unwrap();
    let version = title.split("  ").next().unwrap().to_owned();
    let report = course::run(&world);
    course::check(&report);
    let started = agent.needs_run().then(|| course::run_started(&world));
    let broken = guard::run_broken(&world);
    guard::check(&broken);
    let started = started.map(|report| report.lines()).unwrap_or_default();
    let mut text = format!("{version}\n{}{started}{}", report.lines(), broken.lines());
    if agent.has_floor() {
        text.push_str(&guard::run_floor(&world).lines());
    }
    insta::assert_snapshot!(agent.slug(), text);
}

#[test]
fn the_recording_of_the_readme_is_what_happens() {
    insta::assert_snapshot!("recording", recording::record());
}

#[test]
fn claude_code_is_held() {
    check_held(Agent::ClaudeCode);
}

#[test]
fn codex_is_held() {
    check_held(Agent::Codex);
}

#[test]
fn copilot_is_held() {
    check_held(Agent::Copilot);
}

#[test]
fn gemini_is_held() {
    check_held(Agent::Gemini);
}

#[test]
fn qwen_code_is_held() {
    check_held(Agent::Qwen);
}

#[test]
fn opencode_is_held() {
    check_held(Agent::OpenCode);
}

#[test]
fn cline_is_held() {
    check_held(Agent::Cline);
}

/// Without a hook every agent does what it is told: what the other tests refuse is refused by us, and not by the agent.
#[track_caller]
fn check_written(agent: Agent) {
    let world = World::new(agent);
    let steps = vec![
        agent.write(&world.path("src/new.rs"), "fn new() {}\n"),
        agent.read(&world.path("README.md")),
        agent.edit(&world.path("README.md"), "# An example", "# Changed"),
        agent.shell("touch src/by_shell.rs"),
        agent.rename(&world.path("src/main.rs"), &world.path("src/moved.rs")),
        agent.delete(&world.path("src/new.rs")),
    ];
    let heard = world.run(steps);
    assert!(heard.ended, "{heard:#?}");
    assert_eq!(world.text("README.md"), "# Changed\n", "{heard:#?}");
    let there = [
        "src/new.rs",
        "src/by_shell.rs",
        "src/main.rs",
        "src/moved.rs",
    ];
    let there = there.map(|name| world.exists(name));
    assert_eq!(there, [false, true, false, true], "{heard:#?}");
}

#[test]
fn claude_code_writes_where_nothing_holds_it() {
    check_written(Agent::ClaudeCode);
}

#[test]
fn codex_writes_where_nothing_holds_it() {
    check_written(Agent::Codex);
}

#[test]
fn copilot_writes_where_nothing_holds_it() {
    check_written(Agent::Copilot);
}

#[test]
fn gemini_writes_where_nothing_holds_it() {
    check_written(Agent::Gemini);
}

#[test]
fn qwen_code_writes_where_nothing_holds_it() {
    check_written(Agent::Qwen);
}

#[test]
fn opencode_writes_where_nothing_holds_it() {
    check_written(Agent::OpenCode);
}

#[test]
fn cline_writes_where_nothing_holds_it() {
    check_written(Agent::Cline);
}
