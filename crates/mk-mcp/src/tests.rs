//! The face as its clients see it: lines over a pipe in memory, and HTTP over a real socket.

mod approval;
mod briefing;
mod call_line;
mod code;
mod contract;
mod error;
mod http;
mod line;
mod listen;
mod pipeline;
mod progress;
mod resource;
mod roots;
mod rules;
mod stateless;
mod transcript;
mod version;
mod wire;

use mk_engine::{
    Engine, EngineParts, Folders, ProjectWatching, Settings, StartDirectory, StoreLocation,
};
use mk_policy::Switching;
use mk_testkit::Fixture;
use mk_tools::Toolset;
use mk_types::{Clock, ModeSlug, Timestamp};

use crate::{Handler, Lift, McpServer};

/// 2025-01-13T10:30:00.000Z, when the contract's task was created.
const START: Timestamp = Timestamp::from_millis(1_736_764_200_000);

/// A project and a server that works on it; connections are opened by [`wire::Wire`] and [`http::Site`].
struct World {
    files: Fixture,
    /// Backups and locks, which are kept outside the project.
    _state: Fixture,
    clock: Clock,
    engine: Engine,
    server: McpServer,
    bound: Option<mk_engine::Ceiling>,
}

impl World {
    fn new(files: &str) -> Self {
        Self::with(files, |_| {})
    }

    /// The files are watched.
    fn watching(files: &str) -> Self {
        Self::with(files, |settings| settings.watching = ProjectWatching::On)
    }

    /// A change that widens needs a person; calls without a task are in `ask` mode.
    fn asking() -> Self {
        Self::with("", |settings| {
            settings.switching = Switching::AskToWiden;
            settings.default_mode = slug("ask");
        })
    }

    fn with(files: &str, change: impl FnOnce(&mut Settings)) -> Self {
        let files = Fixture::new(files);
        let state = Fixture::new("");
        let mut settings = Settings::default();
        change(&mut settings);
        let clock = Clock::manual(START);
        let engine = Engine::new(EngineParts {
            settings,
            folders: Folders {
                state: state.root().as_path().to_owned(),
                ..Folders::default()
            },
            clock: clock.clone(),
            store: StoreLocation::Memory,
            own_tools: mk_tools::own_tools(),
        });
        let server = McpServer::new(
            engine.clone(),
            "9.9.9",
            StartDirectory::Named(files.root().clone()),
        );
        Self {
            files,
            _state: state,
            clock,
            engine,
            server,
            bound: None,
        }
    }

    /// Only these tools, with what belongs to them.
    fn offering(mut self, families: &[Toolset]) -> Self {
        self.server = self.server.with_toolsets(families.to_vec());
        self
    }

    /// Everything comes in on an endpoint of this mode.
    fn bound_to(mut self, mode: &str) -> Self {
        self.bound = Some(self.engine.modes().ceiling(mode).expect("a ceiling"));
        self
    }

    fn handler(&self) -> Handler {
        Handler::new(self.server.connect(self.bound.clone()).expect("room"))
    }

    fn service(&self) -> Lift<Handler> {
        Lift(self.handler())
    }
}

fn slug(text: &str) -> ModeSlug {
    ModeSlug::parse(text).expect("a slug")
}
