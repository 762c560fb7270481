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

use std::time::Duration;

use agent::Agent;
use world::World;

use crate::support::wait_within;

/// Longest that a line in the background takes.
const BACKGROUND: Duration = Duration::from_secs(60);

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

/// A line in the background is held like any other: the kernel lets it write what the mode may edit, and nothing else.
#[track_caller]
fn check_background_held(agent: Agent) {
    let world = World::new(agent);
    course::prepare(&world);
    world.init(&["--mode", "docs"]);
    let tries = "try: open('src/main.rs', 'w')\nexcept OSError: open('docs/refused.md', 'w')";
    let line = format!("python3 -c \"\n{tries}\nopen('docs/ended.md', 'w')\"");
    let ended = world.sandbox.project().join("docs/ended.md");
    let look = agent.read(&world.path("README.md")).after(move || {
        wait_within(BACKGROUND, "the line has ended", || {
            ended.exists().then_some(())
        });
    });
    let heard = world.run_to_its_end(vec![agent.background(&line), look]);
    assert!(world.exists("docs/refused.md"), "{heard:#?}");
}

#[test]
fn a_background_shell_of_claude_code_is_held() {
    check_background_held(Agent::ClaudeCode);
}

#[test]
fn a_background_shell_of_copilot_is_held() {
    check_background_held(Agent::Copilot);
}

#[test]
fn a_background_shell_of_gemini_is_held() {
    check_background_held(Agent::Gemini);
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
