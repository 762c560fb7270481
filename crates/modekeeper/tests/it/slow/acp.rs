//! Real agents behind `modekeeper acp`, offline, against a model that follows a script; the test is the editor.
//!
//! `tests/tools/agents.sh` and `tests/tools/acp.sh` install the agents. Each test has a home, a project and a model of
//! its own.

mod binary;
mod course;
mod editor;
mod judge;
mod peer;
mod plan;
mod trouble;
mod world;

use serde_json::{Value, json};

use crate::slow::agents::agent::Agent;
use world::AcpWorld;

/// An agent behind the proxy does what the mode in the editor's picker allows, and nothing else.
#[track_caller]
fn check_held(agent: Agent) {
    let world = AcpWorld::new(agent);
    course::prepare(&world);
    let mut talk = world.talk();
    check_offered(&talk.opened);
    let rows = course::run(&world, &mut talk);
    rows.check(agent);
    plan::leave(&world, &mut talk);
    let mut text = format!("{}\n{}", world.title(&talk), rows.lines());
    text.push_str("session: leave a plan: the editor asked\n");
    if agent == Agent::ClaudeCode {
        plan::leave_by_own_tool(&world, &mut talk);
    }
    let types = [
        "NewSessionResponse",
        "SetSessionModeResponse",
        "SessionNotification",
        "RequestPermissionRequest",
    ];
    judge::judge(&world.trace(), &types);
    binary::replay(&world.trace());
    text.push_str(&plan::come_back(&world, talk));
    judge::judge(&world.trace(), &[]);
    insta::assert_snapshot!(agent.slug(), text);
}

/// The editor's picker has our modes, in both of its forms, and no others.
#[track_caller]
fn check_offered(opened: &Value) {
    let expected = json!(["code", "architect", "ask", "debug", "orchestrator"]);
    let ids = |list: &Value, key: &str| -> Value {
        let list = list.as_array().into_iter().flatten();
        list.map(|it| it[key].clone()).collect()
    };
    let modes = &opened["modes"];
    assert_eq!(ids(&modes["availableModes"], "id"), expected, "{modes:#}");
    let options = opened["configOptions"].as_array().unwrap();
    let selectors = options.iter().filter(|it| it["category"] == "mode");
    let selectors: Vec<&Value> = selectors.collect();
    assert_eq!(selectors.len(), 1, "{options:#?}");
    assert_eq!(ids(&selectors[0]["options"], "value"), expected);
    assert_eq!(selectors[0]["currentValue"], modes["currentModeId"]);
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
