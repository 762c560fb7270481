//! The life of a task: created, switched, asked after, ended; and every way in which that is refused.

use insta::assert_snapshot;
use mk_store::SessionFilter;

use super::{MODES, World};
use crate::TaskState;

#[test]
fn a_task_is_created_switched_and_completed() {
    let mut world = World::new("");
    world.create_task("code", None, Some("Write it."));
    world.switch_because("sess_1", "debug", Some("Something is wrong."));
    world.switch("sess_1", "code");
    world.complete("sess_1", TaskState::Completed);
    world.info("sess_1");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in code (💻 Code), active
    sess_1 from code to debug (🪲 Debug): Something is wrong.
    sess_1 from debug to code (💻 Code)
    sess_1 task_1 in code (💻 Code), completed: the result
    sess_1 task_1 in code (💻 Code), completed: the result, age 0s, idle 0s
      - → code: no reason
      code → debug: Something is wrong.
      debug → code: no reason
      user: Write it.
    ");
}

#[test]
fn every_end_is_an_end() {
    for end in [
        TaskState::Completed,
        TaskState::Failed,
        TaskState::Cancelled,
    ] {
        let mut world = World::new("");
        world.create("ask");
        world.complete("sess_1", end);
        let line = format!("sess_1 task_1 in ask (❓ Ask), {end}: the result");
        assert_eq!(world.log().lines().last(), Some(line.as_str()));
    }
}

#[test]
fn a_finished_task_answers_but_does_not_change() {
    let mut world = World::new("");
    world.create("ask");
    world.complete("sess_1", TaskState::Failed);
    world.info("sess_1");
    world.log();
    world.complete("sess_1", TaskState::Completed);
    world.switch("sess_1", "code");
    world.switch("sess_1", "ask");
    world.create_below("ask", "sess_1");
    assert_snapshot!(world.log(), @"
    ✗ invalid session_id: Task of session sess_1 is already failed
    ✗ invalid session_id: Task of session sess_1 is already failed
    ✗ invalid session_id: Task of session sess_1 is already failed
    ✗ invalid parent_session_id: Parent task of session sess_1 is already failed
    ");
}

#[test]
fn being_active_is_no_end() {
    let mut world = World::new("");
    world.create("ask");
    world.complete("sess_1", TaskState::Active);
    world.info("sess_1");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in ask (❓ Ask), active
    ✗ invalid call: A task cannot be completed as `active`
    sess_1 task_1 in ask (❓ Ask), active, age 0s, idle 0s
      - → ask: no reason
    ");
}

#[test]
fn switching_to_the_same_mode_is_recorded() {
    let mut world = World::new("");
    world.create("code");
    world.switch_because("sess_1", "code", Some("Again."));
    world.info("sess_1");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in code (💻 Code), active
    sess_1 from code to code (💻 Code): Again.
    sess_1 task_1 in code (💻 Code), active, age 0s, idle 0s
      - → code: no reason
      code → code: Again.
    ");
}

#[test]
fn an_unknown_mode_names_those_that_there_are() {
    let mut world = World::new("");
    world.create("invalid-mode");
    world.create("code");
    world.switch("sess_1", "invalid-mode");
    assert_snapshot!(world.log(), @"
    ✗ no such Mode: Mode not found: invalid-mode. Available: code, architect, ask, debug, orchestrator
    sess_1 task_1 in code (💻 Code), active
    ✗ no such Mode: Mode not found: invalid-mode. Available: code, architect, ask, debug, orchestrator
    ");
}

#[test]
fn a_hidden_mode_is_not_named_but_can_be_used() {
    let mut world = World::new(
        "
//- /.roomodes
customModes:
  - {slug: secret, name: Secret, roleDefinition: x, groups: [read], hidden: true}
",
    );
    world.create("secret");
    world.create("nothing");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in secret (Secret), active
    ✗ no such Mode: Mode not found: nothing. Available: code, architect, ask, debug, orchestrator
    ");
}

#[test]
fn a_broken_mode_says_why_it_is_not_there() {
    let mut world = World::new(
        "
//- /.roomodes
customModes:
  - {slug: docs, name: Docs, roleDefinition: x, groups: [[edit, {fileRegex: '('}]]}
",
    );
    world.create("docs");
    assert_snapshot!(world.log(), @"✗ no such Mode: Mode not found: docs. Available: code, architect, ask, debug, orchestrator. It is defined but broken: .roomodes:2:77: error: mode `docs`: `(` is not a JavaScript regular expression: Unbalanced parenthesis");
}

#[test]
fn what_is_no_slug_is_invalid() {
    let mut world = World::new("");
    world.create("");
    world.create("no slug");
    world.create("../code");
    world.create("Code");
    world.create("code");
    world.switch("sess_1", "mode://code");
    assert_snapshot!(world.log(), @"
    ✗ invalid mode_slug: Invalid mode_slug: `` is not a mode slug: only letters, digits and dashes, at most 128 of them
    ✗ invalid mode_slug: Invalid mode_slug: `no slug` is not a mode slug: only letters, digits and dashes, at most 128 of them
    ✗ invalid mode_slug: Invalid mode_slug: `../code` is not a mode slug: only letters, digits and dashes, at most 128 of them
    ✗ no such Mode: Mode not found: Code. Available: code, architect, ask, debug, orchestrator
    sess_1 task_1 in code (💻 Code), active
    ✗ invalid new_mode_slug: Invalid new_mode_slug: `mode://code` is not a mode slug: only letters, digits and dashes, at most 128 of them
    ");
}

#[test]
fn what_is_no_session_id_is_invalid() {
    let mut world = World::new("");
    for id in ["", "sess_", "sess_short", "task_0123456789ab", "current"] {
        world.info(id);
    }
    world.switch("sess_0123456789a-", "code");
    world.complete("nothing", TaskState::Completed);
    world.create_below("code", "sess");
    assert_snapshot!(world.log(), @"
    ✗ invalid session_id: Invalid session_id: `` is not a session id (`sess_` and at least 12 letters or digits)
    ✗ invalid session_id: Invalid session_id: `sess_` is not a session id (`sess_` and at least 12 letters or digits)
    ✗ invalid session_id: Invalid session_id: `sess_short` is not a session id (`sess_` and at least 12 letters or digits)
    ✗ no such Task: Task not found: task_0123456789ab
    ✗ invalid session_id: Invalid session_id: `current` is not a session id (`sess_` and at least 12 letters or digits)
    ✗ invalid session_id: Invalid session_id: `sess_0123456789a-` is not a session id (`sess_` and at least 12 letters or digits)
    ✗ invalid session_id: Invalid session_id: `nothing` is not a session id (`sess_` and at least 12 letters or digits)
    ✗ invalid parent_session_id: Invalid parent_session_id: `sess` is not a session id (`sess_` and at least 12 letters or digits)
    ");
}

#[test]
fn a_session_that_never_was_is_not_found() {
    let mut world = World::new("");
    world.info("sess_0123456789ab");
    world.peek("sess_0123456789ab");
    world.switch("sess_0123456789ab", "code");
    world.complete("sess_0123456789ab", TaskState::Completed);
    world.create_below("code", "sess_0123456789ab");
    world.in_force(Some("sess_0123456789ab"));
    assert_snapshot!(world.log(), @"
    ✗ no such Session: Session not found: sess_0123456789ab
    ✗ no such Session: Session not found: sess_0123456789ab
    ✗ no such Session: Session not found: sess_0123456789ab
    ✗ no such Session: Session not found: sess_0123456789ab
    ✗ no such Session: Parent session not found: sess_0123456789ab
    ✗ no such Session: Session not found: sess_0123456789ab
    ");
}

#[test]
fn the_older_prefix_of_an_id_is_understood() {
    let mut world = World::new("");
    world.create("code");
    let older = world.real("sess_1").replace("sess_", "ses_");
    world.peek(&older);
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in code (💻 Code), active
    sess_1 task_1 in code (💻 Code), active, age 0s, idle 0s
      - → code: no reason
    ");
}

#[test]
fn children_know_their_parent_and_parents_their_children() {
    let mut world = World::new("");
    world.create("orchestrator");
    world.create_below("code", "sess_1");
    world.create_below("ask", "sess_1");
    world.create_below("debug", "sess_2");
    world.log();
    world.info("sess_1");
    world.info("sess_2");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in orchestrator (🪃 Orchestrator), active, age 0s, idle 0s
      - → orchestrator: no reason
      child task_2
      child task_3
    sess_2 task_2 in code (💻 Code), active, below task_1, age 0s, idle 0s
      - → code: no reason
      child task_4
    ");
}

#[test]
fn a_child_belongs_to_the_project_of_its_parent() {
    let mut world = World::new(MODES);
    world.create("docs");
    let elsewhere = mk_testkit::Fixture::new("");
    world.caller.project = elsewhere.root().clone();
    world.create("docs");
    world.create_below("docs", "sess_1");
    world.switch("sess_2", "scribe");
    assert_snapshot!(world.log(), @"
    sess_1 task_1 in docs (Docs), active
    ✗ no such Mode: Mode not found: docs. Available: code, architect, ask, debug, orchestrator
    sess_2 task_2 in docs (Docs), active, below task_1
    sess_2 from docs to scribe (Scribe)
    ");
}

#[test]
fn tasks_are_listed_newest_first_and_by_state_and_project() {
    let mut world = World::new(MODES);
    world.create("docs");
    world.create("code");
    world.create("ask");
    world.complete("sess_2", TaskState::Cancelled);
    world.log();
    world.tasks(&SessionFilter::default());
    world.tasks(&SessionFilter {
        state: Some(TaskState::Cancelled),
        ..SessionFilter::default()
    });
    world.tasks(&SessionFilter {
        project: Some("/another".to_owned()),
        ..SessionFilter::default()
    });
    world.tasks(&SessionFilter {
        limit: Some(1),
        ..SessionFilter::default()
    });
    assert_snapshot!(world.log(), @"
    3 tasks
      sess_3 task_3 in ask (❓ Ask), active
      sess_2 task_2 in code (💻 Code), cancelled: the result
      sess_1 task_1 in docs (Docs), active
    1 tasks
      sess_2 task_2 in code (💻 Code), cancelled: the result
    0 tasks
    1 tasks
      sess_3 task_3 in ask (❓ Ask), active
    ");
}

#[test]
fn a_prompt_has_the_mode_and_its_rules() {
    let world = World::new(&format!(
        "{MODES}//- /.roo/rules-docs/a.md\nWrite plainly.\n"
    ));
    let engine = world.engine();
    let prompt = engine
        .modes()
        .system_prompt(&world.caller, &super::slug("docs"));
    let prompt = prompt.unwrap();
    let (first, rest) = prompt.split_once("\n\n").unwrap();
    let (_, rules) = rest.split_once("# Rules\n").unwrap();
    assert_snapshot!(format!("{first}\n…\n{rules}"), @"
    You write documents.
    …

    ## From .roo/rules-docs/a.md

    Write plainly.
    ");
    let missing = engine
        .modes()
        .system_prompt(&world.caller, &super::slug("nothing"));
    assert_snapshot!(super::show_error(&missing.unwrap_err()), @"✗ no such Mode: Mode not found: nothing. Available: code, architect, ask, debug, orchestrator, docs, scribe");
}
