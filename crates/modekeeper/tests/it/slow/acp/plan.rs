//! Leaving a planning mode, and coming back to a session: what is in force afterwards.

use serde_json::{Value, json};

use super::course::{Setter, set_mode};
use super::editor::allow_once;
use super::world::{AcpWorld, Talk};

const PLAN: &str = "## Plan\n\n1. Write src/planned.rs";

/// The model shows its plan; a person chooses the mode that carries it out, and it is carried out.
#[track_caller]
pub(super) fn leave(world: &AcpWorld, talk: &mut Talk) {
    let agent = world.inner.agent;
    let write = agent.write(&world.inner.path("src/planned.rs"), "new\n");
    let plan = agent.own("exit_plan", json!({ "plan": PLAN }));
    set_mode(&talk.editor, &talk.session, "architect", Setter::Mode);
    talk.editor.choose(|params| match is_plan(params) {
        true => Some("code".to_owned()),
        false => allow_once(params),
    });
    let results = talk.turn(vec![plan, write]);
    assert!(results[0].contains("approved"), "{results:#?}");
    assert!(world.inner.exists("src/planned.rs"), "{results:#?}");
    let told = talk.editor.modes_told();
    assert_eq!(told.last().map(String::as_str), Some("code"), "{told:?}");
    let questions = talk.editor.questions();
    let plans: Vec<&Value> = questions.iter().filter(|it| is_plan(it)).collect();
    assert_eq!(plans.len(), 1, "{questions:#?}");
    let call = &plans[0]["toolCall"];
    assert_eq!(call["content"][0]["content"]["text"], PLAN, "{call:#}");
    let options = plans[0]["options"].as_array().unwrap();
    let ids: Vec<&str> = options
        .iter()
        .filter_map(|it| it["optionId"].as_str())
        .collect();
    assert_eq!(ids, ["code", "ask", "debug", "orchestrator", "reject"]);
}

fn is_plan(params: &Value) -> bool {
    params["toolCall"]["kind"] == "switch_mode"
}

/// The session is opened again by another process, and is in the mode in which it was left.
#[track_caller]
pub(super) fn come_back(world: &AcpWorld, mut talk: Talk) {
    set_mode(&talk.editor, &talk.session, "architect", Setter::Option);
    let capabilities = talk.capabilities.clone();
    let ways = [
        ("session/load", "/loadSession"),
        ("session/resume", "/sessionCapabilities/resume"),
    ];
    for (at, (method, capability)) in ways.into_iter().enumerate() {
        let offered = capabilities.pointer(capability);
        let is_offered = offered.is_some_and(|it| !it.is_null() && *it != json!(false));
        if !is_offered {
            continue;
        }
        talk.editor.leave();
        let status = talk.editor.end();
        assert!(status.success(), "{status}");
        let (editor, _) = world.start();
        let opened = world.open(&editor, method, Some(&talk.session));
        assert_eq!(opened["modes"]["currentModeId"], "architect", "{opened:#}");
        talk.editor = editor;
        let name = format!("src/back_{at}.rs");
        let results = talk.turn(vec![
            world.inner.agent.write(&world.inner.path(&name), "x\n"),
        ]);
        assert!(!world.inner.exists(&name), "{results:#?}");
    }
}
