//! Hook, server and shell of one client are one conversation.

use mk_clients::{ClientId, HookDecision, parse_event};
use mk_store::{AgentSession, ModeReach, NewProjectMode, ProcessIdentity};
use mk_types::{AbsPath, ModeSlug, Timestamp};
use serde_json::{Value, json};

use super::World;
use crate::{AgentLink, HookSettings, NewTask, Outcome, OwnTool, Seat};

const FILES: &str = r"
//- /.git/HEAD
ref: refs/heads/main
//- /docs/plan.md
a plan
";
const PROCESS: ProcessIdentity = ProcessIdentity {
    id: 100,
    started: 1,
};

fn slug(text: &str) -> ModeSlug {
    ModeSlug::parse(text).unwrap()
}

/// A project with an agent in it, held in `architect`, whose server is tied to it.
fn linked(link: AgentLink) -> World {
    let mut world = World::new(FILES);
    world.settings.start_root = Some(world.fixture.root().clone());
    world.settings.switching = mk_policy::Switching::AskToWiden;
    world.tools(OwnTool::of_client(ClientId::ClaudeCode));
    world.caller.agent = Some(link);
    person_sets(&world, "architect");
    write(&world, "one", "docs/plan.md");
    world
}

fn person_sets(world: &World, mode: &str) {
    let store = &world.store;
    world.runtime.block_on(async {
        let set = store.set_project_mode(NewProjectMode {
            root: world.fixture.root().clone(),
            worktrees: Vec::new(),
            mode: slug(mode),
            reach: ModeReach::AllActiveSince(Timestamp::from_millis(0)),
            switching: None,
            reason: String::new(),
        });
        set.await.unwrap();
    });
}

/// Whether the hook lets the agent's own tool write.
fn write(world: &World, session: &str, name: &str) -> bool {
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": session, "cwd": world.fixture.root().as_str(),
        "tool_name": "Write", "tool_input": { "file_path": world.fixture.path(name) },
    });
    let event = parse_event(ClientId::ClaudeCode, event.to_string().as_bytes()).unwrap();
    let seat = Seat {
        client: AgentSession {
            name: ClientId::ClaudeCode.slug().to_owned(),
            session: session.to_owned(),
        },
        parent: None,
        directory: AbsPath::new(world.fixture.root().as_path()).unwrap(),
        process: Some(PROCESS),
        above: Vec::new(),
    };
    let hooks = world.engine().hooks();
    let settings = HookSettings::default();
    let answer = hooks.answer(&event, &seat, &settings);
    let verdict = world.runtime.block_on(answer).unwrap().verdict();
    verdict.decision == HookDecision::Pass
}

fn in_force(world: &World) -> String {
    let engine = world.engine();
    let in_force = engine.project(&world.caller).in_force().unwrap();
    let bounds = in_force.ceilings.iter().map(|it| it.slug.to_string());
    let bounds: Vec<String> = bounds.collect();
    format!("{} {bounds:?}", in_force.mode.slug)
}

/// Creates a task in a mode, whether it was done or a person has to agree.
fn create(world: &mut World, mode: &str) -> bool {
    let new = NewTask {
        mode: mode.to_owned(),
        parent: None,
        message: None,
    };
    let created = world.engine().tasks().create(&world.caller, new);
    match world.runtime.block_on(created).unwrap() {
        Outcome::Done(task) => {
            world.caller.conversation.enter(task.session.id);
            true
        }
        Outcome::NeedsApproval(_) => false,
    }
}

fn by_session() -> AgentLink {
    AgentLink::default().with_session(ClientId::ClaudeCode.slug(), "one")
}

#[test]
fn a_server_is_in_the_mode_of_its_agents_conversation() {
    assert_eq!(in_force(&linked(by_session())), "architect []");
    assert_eq!(
        in_force(&linked(AgentLink::new(vec![PROCESS]))),
        "architect []"
    );
}

#[test]
fn a_call_that_names_its_session_belongs_to_that_one() {
    let meta = json!({ "session_id": "two" });
    let link = AgentLink::default()
        .with_session("codex", "one")
        .with_call(|name: &str| (name == "x-codex-turn-metadata").then_some(&meta));
    let named = AgentLink::default().with_session("codex", "two");
    assert_eq!(link, named.with_session("codex", "one"));
    assert_eq!(
        by_session().with_call(|_: &str| None::<&Value>),
        by_session()
    );
}

#[test]
fn of_several_conversations_in_one_process_the_narrowest_counts() {
    let world = linked(AgentLink::new(vec![PROCESS]));
    write(&world, "two", "docs/plan.md");
    let client = AgentSession {
        name: ClientId::ClaudeCode.slug().to_owned(),
        session: "two".to_owned(),
    };
    let two = world
        .store
        .conversation_of_client(&client)
        .unwrap()
        .unwrap();
    let set = world
        .store
        .set_conversation_mode(&two.id, Some(slug("ask")));
    world.runtime.block_on(set).unwrap();
    assert_eq!(in_force(&world), "ask []");
}

#[test]
fn a_project_that_a_person_has_set_holds_a_server_without_an_agent() {
    let mut world = linked(AgentLink::default());
    assert_eq!(in_force(&world), "architect []");
    world.caller.agent = None;
    assert_eq!(in_force(&world), "architect []");
}

#[test]
fn a_task_takes_the_hook_along_and_its_end_brings_it_back() {
    let mut world = linked(by_session());
    assert!(!create(&mut world, "code"), "widening asks");
    assert!(write(&world, "one", "docs/a.md"));
    assert!(create(&mut world, "architect"));
    assert!(create(&mut world, "ask"));
    assert!(!write(&world, "one", "docs/b.md"), "the hook follows");
    let session = world.caller.conversation.tasks.last().unwrap().to_string();
    let state = mk_store::TaskState::Completed;
    let tasks = world.engine().tasks();
    let completed = tasks.complete(&world.caller, &session, state, None);
    world.runtime.block_on(completed).unwrap();
    assert!(write(&world, "one", "docs/c.md"), "its end brings it back");
}

#[test]
fn a_person_who_narrows_holds_running_tasks_too() {
    let mut world = linked(by_session());
    assert!(create(&mut world, "architect"));
    person_sets(&world, "ask");
    assert_eq!(in_force(&world), "ask []");
    let session = world.caller.conversation.tasks.last().unwrap().to_string();
    let tasks = world.engine().tasks();
    let switched = tasks.switch_mode(&world.caller, &session, "architect", None);
    let switched = world.runtime.block_on(switched).unwrap();
    assert!(
        matches!(switched, Outcome::NeedsApproval(_)),
        "{switched:?}"
    );
}
