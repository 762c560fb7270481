//! `free`, `ask_to_widen` and `locked`, for switching and for creating; and `switchTo`.

use insta::assert_snapshot;
use mk_types::AbsPath;

use super::{MODES, World, ask_to_widen, locked, slug};
use crate::{Actor, ApprovalVerdict, SwitchAudience, TaskState};

#[test]
fn free_lets_every_change_happen() {
    let mut world = World::new(MODES);
    world.create("ask");
    world.switch("sess_1", "code");
    world.create_below("debug", "sess_1");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in ask (❓ Ask), active
    sess_1 from ask to code (💻 Code)
    sess_2 task_2 in debug (🪲 Debug), active, below task_1
    ");
}

#[test]
fn a_mode_that_a_person_has_set_for_the_project_is_widened_by_no_agent() {
    let mut world = World::new(MODES);
    let root = world.fixture.root().clone();
    let conversations = world.engine().conversations();
    let architect = slug("architect");
    let set = conversations.set_project_mode(&root, &architect, SwitchAudience::Everyone);
    world.runtime.block_on(set).unwrap();
    world.create("code");
    world.create("ask");
    assert_snapshot!(world.log(), @"
    asks appr_1 pending: Let the agent change from 'architect' to 'code' mode?
    sess_1 task_1 in ask (❓ Ask), active
    ");
}

#[test]
fn a_person_takes_back_what_an_ended_task_has_left_in_force() {
    let mut world = World::with(MODES, ask_to_widen);
    world.create("code");
    world.complete("sess_1", TaskState::Completed);
    world.pass(1);
    world.in_force(None);
    let root = world.fixture.root().clone();
    for mode in ["ask", "debug"] {
        let conversations = world.engine().conversations();
        let mode = slug(mode);
        let set = conversations.set_project_mode(&root, &mode, SwitchAudience::Everyone);
        world.runtime.block_on(set).unwrap();
        world.in_force(None);
    }
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in code (💻 Code), active
    sess_1 task_1 in code (💻 Code), completed: the result
    in force: code
    in force: ask
    in force: debug
    ");
}

#[test]
fn a_mode_that_a_person_has_set_holds_further_down() {
    let world = World::new(
        "//- /.roomodes\ncustomModes: []\n//- /sub/a.txt\n//- /sub/own/.git/HEAD\nref: x\n",
    );
    // Without anything that marks a project, too.
    std::fs::remove_file(world.fixture.root().as_path().join(".roomodes")).unwrap();
    let conversations = world.engine().conversations();
    let set = |name: &str, mode: &str| {
        let directory = world.fixture.root().as_path().join(name);
        let (directory, mode) = (AbsPath::new(&directory).unwrap(), slug(mode));
        let set = conversations.set_project_mode(&directory, &mode, SwitchAudience::Everyone);
        world.runtime.block_on(set).unwrap();
    };
    let modes = || {
        let modes = ["", "sub", "sub/own"].map(|name| {
            let directory = world.fixture.root().as_path().join(name);
            let standpoint = conversations.standpoint(&AbsPath::new(&directory).unwrap());
            let project = standpoint.unwrap().project;
            project
                .and_then(|it| it.mode)
                .map_or("-".to_owned(), |mode| mode.to_string())
        });
        modes.join(" ")
    };
    assert_eq!(modes(), "- - -");
    set("", "ask");
    assert_eq!(modes(), "ask ask ask");
    set("sub", "architect");
    assert_eq!(modes(), "architect architect architect");
    set("sub/own", "code");
    assert_eq!(modes(), "architect architect code");
    let unset = |name: &str| {
        let directory = world.fixture.root().as_path().join(name);
        let directory = AbsPath::new(&directory).unwrap();
        let unset = conversations.unset_project_mode(&directory);
        let before = world.runtime.block_on(unset).unwrap();
        before.and_then(|it| it.mode).map(|mode| mode.to_string())
    };
    assert_eq!(unset("sub/own").as_deref(), Some("code"));
    assert_eq!(modes(), "architect architect architect");
    // The mode that holds there now is that of the project around it.
    assert_eq!(unset("sub/own"), None);
    assert_eq!(modes(), "architect architect architect");
    assert_eq!(unset("sub").as_deref(), Some("architect"));
    assert_eq!(modes(), "- - -");
}

#[test]
fn a_change_that_does_not_widen_is_not_asked_about() {
    let mut world = World::with(MODES, ask_to_widen);
    world.create("code");
    world.switch("sess_1", "debug");
    world.switch("sess_1", "architect");
    world.switch("sess_1", "architect");
    world.switch("sess_1", "ask");
    world.create_below("ask", "sess_1");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in code (💻 Code), active
    sess_1 from code to debug (🪲 Debug)
    sess_1 from debug to architect (🏗️ Architect)
    sess_1 from architect to architect (🏗️ Architect)
    sess_1 from architect to ask (❓ Ask)
    sess_2 task_2 in ask (❓ Ask), active, below task_1
    ");
}

#[test]
fn a_change_that_widens_is_asked_about_once() {
    let mut world = World::with(MODES, ask_to_widen);
    world.create("ask");
    world.switch("sess_1", "code");
    world.switch("sess_1", "code");
    world.switch("sess_1", "docs");
    world.approvals();
    world.info("sess_1");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in ask (❓ Ask), active
    asks appr_1 pending: Let the agent change from 'ask' to 'code' mode? of sess_1
    asks appr_1 pending: Let the agent change from 'ask' to 'code' mode? of sess_1
    asks appr_2 pending: Let the agent change from 'ask' to 'docs' mode? of sess_1
    2 questions
      appr_1 pending: Let the agent change from 'ask' to 'code' mode? of sess_1
      appr_2 pending: Let the agent change from 'ask' to 'docs' mode? of sess_1
    sess_1 task_1 in ask (❓ Ask), active, age 0s, idle 0s
      - → ask: no reason
    ");
}

#[test]
fn a_yes_is_good_for_one_change() {
    let mut world = World::with(MODES, ask_to_widen);
    world.create("ask");
    world.switch("sess_1", "code");
    world.decide("appr_1", ApprovalVerdict::Granted);
    world.switch("sess_1", "code");
    world.switch("sess_1", "ask");
    world.switch("sess_1", "code");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in ask (❓ Ask), active
    asks appr_1 pending: Let the agent change from 'ask' to 'code' mode? of sess_1
    appr_1 granted: Let the agent change from 'ask' to 'code' mode? of sess_1 by a test
    sess_1 from ask to code (💻 Code)
    sess_1 from code to ask (❓ Ask)
    asks appr_2 pending: Let the agent change from 'ask' to 'code' mode? of sess_1
    ");
}

#[test]
fn a_yes_is_good_for_the_change_that_was_asked_about_and_no_other() {
    let mut world = World::with(MODES, ask_to_widen);
    world.create("ask");
    world.create("ask");
    world.switch("sess_1", "debug");
    world.decide("appr_1", ApprovalVerdict::Granted);
    world.log();
    world.switch("sess_1", "code");
    world.switch("sess_2", "debug");
    world.create_below("debug", "sess_1");
    world.switch("sess_1", "orchestrator");
    world.switch("sess_1", "debug");
    assert_snapshot!(world.log(), @"
    asks appr_2 pending: Let the agent change from 'ask' to 'code' mode? of sess_1
    asks appr_3 pending: Let the agent change from 'ask' to 'debug' mode? of sess_2
    asks appr_4 pending: Let the agent change from 'ask' to 'debug' mode? of sess_1
    sess_1 from ask to orchestrator (🪃 Orchestrator)
    asks appr_5 pending: Let the agent change from 'orchestrator' to 'debug' mode? of sess_1
    ");
}

#[test]
fn a_no_is_a_no_and_the_next_try_asks_anew() {
    let mut world = World::with(MODES, ask_to_widen);
    world.create("ask");
    world.switch("sess_1", "code");
    world.decide("appr_1", ApprovalVerdict::Denied);
    world.approvals();
    world.switch("sess_1", "code");
    world.decide("appr_1", ApprovalVerdict::Granted);
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in ask (❓ Ask), active
    asks appr_1 pending: Let the agent change from 'ask' to 'code' mode? of sess_1
    appr_1 denied: Let the agent change from 'ask' to 'code' mode? of sess_1 by a test
    0 questions
    asks appr_2 pending: Let the agent change from 'ask' to 'code' mode? of sess_1
    ✗ conflict: Approval `appr_1` is already denied
    ");
}

#[test]
fn locked_lets_nothing_change() {
    let mut world = World::with(MODES, locked);
    world.create("ask");
    world.create("code");
    world.switch("sess_1", "ask");
    world.switch("sess_1", "code");
    world.create_below("ask", "sess_1");
    world.create_below("code", "sess_1");
    assert_snapshot!(world.log(), @"
    ✗ denied: Tool 'create_task' cannot be used in 'code' mode. Switching is locked by configuration. (ask the user to change the mode)
    sess_1 task_1 in code (💻 Code), active
    ✗ denied: Tool 'switch_mode' cannot be used in 'code' mode. Switching is locked by configuration. (ask the user to change the mode)
    sess_1 from code to code (💻 Code)
    ✗ denied: Tool 'create_task' cannot be used in 'code' mode. Switching is locked by configuration. (ask the user to change the mode)
    sess_2 task_2 in code (💻 Code), active, below task_1
    ");
}

#[test]
fn a_new_task_starts_from_the_mode_in_force() {
    let mut world = World::with(MODES, |settings| {
        ask_to_widen(settings);
        settings.default_mode = slug("ask");
    });
    world.create("ask");
    world.create("code");
    world.decide("appr_1", ApprovalVerdict::Granted);
    world.create("code");
    world.enter("sess_2");
    world.create("debug");
    world.caller.conversation.tasks.clear();
    world.enter("sess_1");
    world.create("debug");
    world.caller.conversation.tasks.clear();
    world.cap("architect");
    world.create("debug");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in ask (❓ Ask), active
    asks appr_1 pending: Let the agent change from 'ask' to 'code' mode?
    appr_1 granted: Let the agent change from 'ask' to 'code' mode? by a test
    sess_2 task_2 in code (💻 Code), active
    sess_3 task_3 in debug (🪲 Debug), active
    asks appr_2 pending: Let the agent change from 'ask' to 'debug' mode?
    asks appr_3 pending: Let the agent change from 'architect' to 'debug' mode?
    ");
}

#[test]
fn a_task_below_another_starts_from_its_parents_mode() {
    let mut world = World::with(MODES, ask_to_widen);
    world.create("ask");
    world.create_below("code", "sess_1");
    world.decide("appr_1", ApprovalVerdict::Granted);
    world.create_below("code", "sess_1");
    world.create_below("code", "sess_1");
    world.create_below("debug", "sess_2");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in ask (❓ Ask), active
    asks appr_1 pending: Let the agent change from 'ask' to 'code' mode? of sess_1
    appr_1 granted: Let the agent change from 'ask' to 'code' mode? of sess_1 by a test
    sess_2 task_2 in code (💻 Code), active, below task_1
    asks appr_2 pending: Let the agent change from 'ask' to 'code' mode? of sess_1
    sess_3 task_3 in debug (🪲 Debug), active, below task_2
    ");
}

#[test]
fn a_yes_to_a_task_from_one_mode_is_not_one_from_another() {
    let mut world = World::with(MODES, ask_to_widen);
    world.create("architect");
    world.create("ask");
    world.enter("sess_1");
    world.create("code");
    world.decide("appr_1", ApprovalVerdict::Granted);
    world.caller.conversation.tasks.clear();
    world.enter("sess_2");
    world.log();
    world.create("code");
    assert_snapshot!(world.log(), @"asks appr_2 pending: Let the agent change from 'ask' to 'code' mode?");
}

#[test]
fn a_person_changes_what_they_like() {
    for set in [ask_to_widen, locked] {
        let mut world = World::with(MODES, set);
        world.caller.actor = Actor::Operator;
        world.create("scribe");
        world.switch("sess_1", "code");
        world.create_below("debug", "sess_1");
        let log = world.log();
        assert!(!log.contains('✗') && !log.contains("asks"), "{log}");
    }
}

#[test]
fn switch_to_names_the_only_modes_that_a_mode_hands_over_to() {
    let mut world = World::new(MODES);
    world.create("scribe");
    world.create_below("code", "sess_1");
    world.create_below("ask", "sess_1");
    world.switch("sess_1", "code");
    world.switch("sess_1", "scribe");
    world.switch("sess_1", "ask");
    world.switch("sess_1", "code");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in scribe (Scribe), active
    ✗ denied: Tool 'create_task' cannot be used in 'scribe' mode for 'code'. It may hand over to: ask.
    sess_2 task_2 in ask (❓ Ask), active, below task_1
    ✗ denied: Tool 'switch_mode' cannot be used in 'scribe' mode for 'code'. It may hand over to: ask.
    sess_1 from scribe to scribe (Scribe)
    sess_1 from scribe to ask (❓ Ask)
    sess_1 from ask to code (💻 Code)
    ");
}

#[test]
fn leaving_a_mode_that_is_gone_counts_as_widening() {
    for (set, name) in [
        (ask_to_widen as fn(&mut crate::Settings), "asks"),
        (locked, "denied"),
    ] {
        let mut world = World::with(MODES, |_| {});
        world.create("scribe");
        world.fixture.remove(".roomodes");
        set(&mut world.settings);
        world.start_engine_on_same_store();
        world.log();
        world.switch("sess_1", "orchestrator");
        let log = world.log();
        assert!(log.contains(name), "{log}");
        world.caller.actor = Actor::Operator;
        world.switch("sess_1", "ask");
        assert_eq!(world.log(), "sess_1 from scribe to ask (❓ Ask)\n");
    }
}

#[test]
fn of_switches_at_once_each_starts_where_the_one_before_ended() {
    let mut world = World::new(MODES);
    world.create("code");
    let id = world.real("sess_1");
    let engine = world.engine().clone();
    let switch = |to| engine.tasks().switch_mode(&world.caller, &id, to, None);
    world.runtime.block_on(async {
        let (a, b, c) = tokio::join!(switch("ask"), switch("debug"), switch("architect"));
        a.and(b).and(c).unwrap();
    });
    let details = engine
        .tasks()
        .peek(&id, crate::TaskQuery::default())
        .unwrap();
    let changes = details.mode_changes;
    assert_eq!(changes.len(), 4);
    for pair in changes.windows(2) {
        assert_eq!(pair[1].from.as_ref(), Some(&pair[0].to));
    }
}
