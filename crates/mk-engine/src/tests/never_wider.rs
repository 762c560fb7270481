//! No sequence of calls without a person's yes ends in a wider mode.

use std::sync::Arc;

use mk_policy::{Mode, widens};
use mk_types::SessionId;

use super::{MODES, World, ask_to_widen, slug};
use crate::{NewTask, Outcome, SwitchAudience, TaskState};

/// A vendored repository whose `ask` would like to do everything, and a directory without a say.
const NESTED: &str = r"
//- /vendor/.git/HEAD
ref: refs/heads/main
//- /vendor/.roomodes
customModes:
  - slug: ask
    name: Ask
    roleDefinition: Anything.
    groups: [read, edit, command]
//- /plain/a.txt
a
";
const PLACES: [&str; 6] = [
    "vendor",
    "plain",
    ".",
    "..",
    "vendor/.git",
    "plain/../vendor",
];

const MODE_SLUGS: [&str; 7] = [
    "code",
    "architect",
    "ask",
    "debug",
    "orchestrator",
    "docs",
    "scribe",
];

/// Numbers that look random and are the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

/// A conversation that tries to get more rights.
struct Attack {
    world: World,
    numbers: Numbers,
    /// What the default mode may do before anything has happened, then what a person has set.
    least: Arc<Mode>,
    sessions: Vec<SessionId>,
    done: Vec<String>,
}

impl Attack {
    fn new(seed: u64) -> Self {
        let world = World::with(&format!("{MODES}{NESTED}"), |settings| {
            ask_to_widen(settings);
            settings.default_mode = slug("ask");
        });
        let catalogue = world.engine().modes().catalogue(&world.caller);
        let least = Arc::clone(catalogue.get("ask").unwrap());
        Self {
            world,
            least,
            numbers: Numbers(seed),
            sessions: Vec::new(),
            done: Vec::new(),
        }
    }

    fn mode(&mut self) -> &'static str {
        MODE_SLUGS[self.numbers.below(MODE_SLUGS.len())]
    }

    fn session(&mut self) -> Option<String> {
        let n_known = self.sessions.len();
        (n_known > 0).then(|| self.sessions[self.numbers.below(n_known)].to_string())
    }

    fn create(&mut self) {
        let mode = self.mode();
        let parent = if self.numbers.below(2) == 0 {
            None
        } else {
            self.session()
        };
        self.done.push(format!("create {mode} below {parent:?}"));
        let new = NewTask {
            mode: mode.to_owned(),
            parent,
            message: None,
        };
        let world = &mut self.world;
        let created = world.engine().tasks().create(&world.caller, new);
        if let Ok(Outcome::Done(task)) = world.runtime.block_on(created) {
            self.sessions.push(task.session.id.clone());
            world.caller.conversation.enter(task.session.id);
        }
    }

    fn switch(&mut self) {
        let (mode, Some(session)) = (self.mode(), self.session()) else {
            return;
        };
        self.done.push(format!("switch {session} to {mode}"));
        let world = &mut self.world;
        let tasks = world.engine().tasks();
        let switched = tasks.switch_mode(&world.caller, &session, mode, None);
        if let Ok(Outcome::Done(switched)) = world.runtime.block_on(switched)
            && switched.enters
        {
            world.caller.conversation.enter(switched.session.id);
        }
    }

    fn complete(&mut self) {
        let Some(session) = self.session() else {
            return;
        };
        self.done.push(format!("complete {session}"));
        let world = &self.world;
        let completed = world.engine().tasks();
        let completed = completed.complete(&world.caller, &session, TaskState::Completed, None);
        drop(world.runtime.block_on(completed));
    }

    fn activate(&mut self) {
        let place = PLACES[self.numbers.below(PLACES.len())];
        self.done.push(format!("activate {place}"));
        let world = &mut self.world;
        let activated = world.engine().project(&world.caller).activate(place);
        if let Ok(Outcome::Done(directory)) = world.runtime.block_on(activated) {
            world.caller.project = directory;
        }
    }

    /// What a person sets for the project is the most from then on.
    fn person(&mut self) {
        let mode = self.mode();
        self.done.push(format!("a person sets {mode}"));
        let world = &self.world;
        let root = world.fixture.root();
        let conversations = world.engine().conversations();
        let (slug, whom) = (slug(mode), SwitchAudience::Everyone);
        let set = conversations.set_project_mode(root, &slug, whom);
        (_, self.least) = world.runtime.block_on(set).unwrap();
    }

    fn step(&mut self) {
        match self.numbers.below(11) {
            0..=2 => self.create(),
            3 | 4 => self.switch(),
            5 => self.complete(),
            6 => {
                self.done.push("wait".to_owned());
                self.world.pass(2000);
            }
            7 | 8 => self.activate(),
            9 => self.person(),
            _ => {
                self.done.push("reconnect".to_owned());
                self.world.caller.conversation.tasks.clear();
            }
        }
    }

    /// The mode in force may do nothing that the default mode, or the person's, may not, whichever task a call names.
    fn check(&self) {
        let world = &self.world;
        let named = self.sessions.iter().map(Some);
        for session in std::iter::once(None).chain(named) {
            if let Ok(in_force) = world.engine().in_force(&world.caller, session) {
                let wider = widens(&self.least, &in_force.mode);
                assert!(!wider, "{} after {:#?}", in_force.mode.slug, self.done);
            }
        }
    }
}

#[test]
fn no_sequence_of_calls_without_a_yes_ends_in_a_wider_mode() {
    for seed in 1..=40_u64 {
        let mut attack = Attack::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        for _ in 0..20 {
            attack.step();
            attack.check();
        }
    }
}
