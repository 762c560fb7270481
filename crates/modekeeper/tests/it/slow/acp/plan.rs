//! Leaving a planning mode, and coming back to a session: what is in force afterwards.

use mk_testkit::model::Step;
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
    let results = match world.starts_again() {
        // Its rules are those of the planning mode until the turn is over.
        true => [talk.turn(vec![plan]), talk.turn(vec![write])].concat(),
        false => talk.turn(vec![plan, write]),
    };
    assert!(results[0].contains("approved"), "{results:#?}");
    assert!(world.inner.exists("src/planned.rs"), "{results:#?}");
    let told = talk.editor.modes_told();
    assert_eq!(told.last().map(String::as_str), Some("code"), "{told:?}");
    check_plans(talk, 1);
}

/// The agent plans in a mode of its own, and shows its plan by a tool of its own: the person still chooses among our modes.
#[track_caller]
pub(super) fn leave_by_own_tool(world: &AcpWorld, talk: &mut Talk) {
    let agent = world.inner.agent;
    let write = |name: &str| agent.write(&world.inner.path(name), "new\n");
    set_mode(&talk.editor, &talk.session, "architect", Setter::Mode);
    let results = talk.turn(vec![
        Step::new(&["EnterPlanMode"], json!({})),
        Step::new(&["ExitPlanMode"], json!({ "plan": PLAN })),
        write("src/own_plan.rs"),
    ]);
    assert!(world.inner.exists("src/own_plan.rs"), "{results:#?}");
    let told = talk.editor.modes_told();
    assert_eq!(told.last().map(String::as_str), Some("code"), "{told:?}");
    check_plans(talk, 2);
    // A person who chooses a mode ends the agent's own planning.
    let (editor, session) = (talk.editor.clone(), talk.session.clone());
    let free = write("src/after_plan.rs").after(move || {
        set_mode(&editor, &session, "ask", Setter::Mode);
        set_mode(&editor, &session, "code", Setter::Mode);
    });
    let results = talk.turn(vec![Step::new(&["EnterPlanMode"], json!({})), free]);
    assert!(world.inner.exists("src/after_plan.rs"), "{results:#?}");
    check_plans(talk, 2);
}

/// So many plans were shown, the last with its text and every mode that one may go to.
#[track_caller]
fn check_plans(talk: &Talk, count: usize) {
    let questions = talk.editor.questions();
    let plans: Vec<&Value> = questions.iter().filter(|it| is_plan(it)).collect();
    assert_eq!(plans.len(), count, "{questions:#?}");
    let last = plans[count - 1];
    let call = &last["toolCall"];
    assert_eq!(call["content"][0]["content"]["text"], PLAN, "{call:#}");
    let options = last["options"].as_array().unwrap();
    let ids: Vec<&str> = options
        .iter()
        .filter_map(|it| it["optionId"].as_str())
        .collect();
    assert_eq!(ids, ["code", "ask", "debug", "orchestrator", "reject"]);
}

fn is_plan(params: &Value) -> bool {
    params["toolCall"]["kind"] == "switch_mode"
}

/// The session is opened again by another process, and is in the mode in which it was left. Gives a line for each way.
#[track_caller]
pub(super) fn come_back(world: &AcpWorld, mut talk: Talk) -> String {
    let mut lines = String::new();
    set_mode(&talk.editor, &talk.session, "architect", Setter::Option);
    let capabilities = talk.capabilities.clone();
    let ways = [
        ("session/load", "/loadSession"),
        ("session/resume", "/sessionCapabilities/resume"),
    ];
    for (at, (method, capability)) in ways.into_iter().enumerate() {
        let offered = capabilities.pointer(capability);
        let is_offered = offered.is_some_and(|it| !it.is_null() && *it != json!(false));
        let outcome = match is_offered {
            true => "the mode is kept",
            false => "the agent does not offer it",
        };
        lines.push_str(&format!("session: {method}: {outcome}\n"));
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
    talk.editor.leave();
    let status = talk.editor.end();
    assert!(status.success(), "{status}");
    lines
}
