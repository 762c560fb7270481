//! A linked worktree (`git worktree add`) shares the mode of its main repository, wherever it is.

use mk_store::{AgentSession, DecisionFilter};
use mk_types::{AbsPath, ToolCall};
use serde_json::json;

use super::{World, slug};
use crate::{Actor, Caller, NewTask, Outcome, Seat, SwitchAudience, ToolRequest};

/// `liar` names the same repository, which does not name it in return.
const FILES: &str = r"
//- /main/.git/HEAD
ref: refs/heads/main
//- /main/.git/worktrees/linked/HEAD
ref: refs/heads/other
//- /main/.git/worktrees/linked/commondir
../..
//- /main/.git/worktrees/linked/gitdir
../../../../linked/.git
//- /linked/.git
gitdir: ../main/.git/worktrees/linked
//- /liar/.git
gitdir: ../main/.git/worktrees/linked
";

fn at(world: &World, name: &str) -> AbsPath {
    AbsPath::new(&world.fixture.path(name)).unwrap()
}

/// The mode that holds an agent whose conversation begins in a directory, and where its files are.
fn held(world: &World, name: &str) -> Option<String> {
    let seat = Seat {
        client: AgentSession {
            name: "claude-code".to_owned(),
            session: name.to_owned(),
        },
        parent: None,
        directory: at(world, name),
        process: None,
        above: Vec::new(),
    };
    let conversations = world.engine().conversations();
    let opened = conversations.open(&seat);
    let conversation = world.runtime.block_on(opened).unwrap();
    assert_eq!(conversation.root.path, at(world, name));
    let held = conversations.held(&conversation, None).unwrap();
    held.map(|held| held.mode.slug.to_string())
}

#[test]
fn a_linked_worktree_has_the_mode_of_its_main_one() {
    let world = World::new(FILES);
    let conversations = world.engine().conversations();
    let (ask, whom) = (slug("ask"), SwitchAudience::Everyone);
    let main = at(&world, "main");
    let set = conversations.set_project_mode(&main, &ask, whom);
    world.runtime.block_on(set).unwrap();
    assert_eq!(held(&world, "linked").as_deref(), Some("ask"));
    assert_eq!(held(&world, "liar"), None);
    let caller = Caller::in_project(at(&world, "linked"), Actor::Agent);
    let in_force = world.engine().project(&caller).in_force().unwrap();
    assert_eq!(in_force.mode.slug, ask);
    assert_eq!(in_force.project, at(&world, "linked"));
    let found = conversations.standpoint(&at(&world, "linked")).unwrap();
    assert_eq!(found.project.and_then(|it| it.mode), Some(ask));
}

#[test]
fn a_task_in_a_linked_worktree_gets_the_mode_that_a_person_sets() {
    let world = World::new(FILES);
    let create = |name: &str| {
        let caller = Caller::in_project(at(&world, name), Actor::Agent);
        let new = NewTask {
            mode: "code".to_owned(),
            parent: None,
            message: None,
        };
        let created = world.engine().tasks().create(&caller, new);
        match world.runtime.block_on(created).unwrap() {
            Outcome::Done(task) => task.session.id,
            Outcome::NeedsApproval(_) => panic!("nothing is asked here"),
        }
    };
    let (linked, liar) = (create("linked"), create("liar"));
    let (ask, whom) = (slug("ask"), SwitchAudience::Everyone);
    let conversations = world.engine().conversations();
    let main = at(&world, "main");
    let set = conversations.set_project_mode(&main, &ask, whom);
    world.runtime.block_on(set).unwrap();
    let mode = |id| world.store.session(id).unwrap().unwrap().mode;
    assert_eq!(mode(&linked), ask);
    assert_eq!(mode(&liar), slug("code"));
}

#[test]
fn a_mode_that_a_linked_worktree_does_not_have_is_that_of_its_main_one() {
    let own = "customModes:\n  - {slug: own, name: O, roleDefinition: x, groups: [read]}\n";
    let world = World::new(FILES);
    world.fixture.write("main/.roomodes", own);
    let conversations = world.engine().conversations();
    let (own, whom) = (slug("own"), SwitchAudience::Everyone);
    let main = at(&world, "main");
    let set = conversations.set_project_mode(&main, &own, whom);
    world.runtime.block_on(set).unwrap();
    assert_eq!(held(&world, "linked").as_deref(), Some("own"));
    let caller = Caller::in_project(at(&world, "linked"), Actor::Agent);
    let in_force = world.engine().project(&caller).in_force().unwrap();
    assert_eq!(in_force.mode.slug, own);
}

#[test]
fn a_mode_that_is_set_in_a_linked_worktree_is_that_of_the_repository() {
    let world = World::new(FILES);
    let conversations = world.engine().conversations();
    let (ask, whom) = (slug("ask"), SwitchAudience::Everyone);
    let linked = at(&world, "linked");
    let set = conversations.set_project_mode(&linked, &ask, whom);
    let (project, _) = world.runtime.block_on(set).unwrap();
    assert_eq!(project.root, at(&world, "main"));
    assert_eq!(held(&world, "main").as_deref(), Some("ask"));
    let unset = conversations.unset_project_mode(&linked);
    let before = world.runtime.block_on(unset).unwrap().unwrap();
    assert_eq!(before.root, at(&world, "main"));
    assert_eq!(held(&world, "main"), None);
}

#[test]
fn what_is_decided_in_a_project_without_a_mode_is_in_its_log() {
    let world = World::new("//- /a.rs\nx\n");
    let arguments = json!({});
    let request = ToolRequest {
        call: ToolCall::new("find_symbol"),
        arguments: &arguments,
    };
    let judged = world.engine().project(&world.caller).judge(&request);
    assert!(judged.is_ok());
    // Writes keep their order: after this one, the project is stored.
    let opened = world.store.open_project(world.fixture.root());
    let opened = world.runtime.block_on(opened).unwrap();
    let decisions = world.engine().decisions();
    let project = decisions.project(world.fixture.root()).unwrap();
    assert_eq!(project.as_ref(), Some(&opened.id));
    let filter = DecisionFilter {
        project,
        ..DecisionFilter::default()
    };
    assert_eq!(decisions.list(&filter).unwrap().len(), 1);
}

#[test]
fn the_home_is_no_project() {
    let world = World::new("//- /global/home/a.rs\nx\n");
    let home = at(&world, "global/home");
    let conversations = world.engine().conversations();
    let ask = slug("ask");
    let set = conversations.set_project_mode(&home, &ask, SwitchAudience::Everyone);
    let error = world.runtime.block_on(set).unwrap_err();
    assert!(error.to_string().contains("is not a project"), "{error}");
    let caller = Caller::in_project(home, Actor::Operator);
    let project = world.engine().project(&caller);
    let symbols = project.symbols();
    let indexed = symbols.index(|_| {});
    let error = world.runtime.block_on(indexed).unwrap_err();
    assert!(error.to_string().contains("is not a project"), "{error}");
}
