//! An engine in memory whose clock stands still, and ids renamed in their order.

mod argument;
mod cheap;
mod code;
mod contributing;
mod count_lines;
mod listing;
mod symbol;
mod text;

use std::time::Duration;

use mk_engine::{Actor, Caller, Engine, EngineParts, Error, Folders, Settings, StoreLocation};
use mk_policy::Switching;
use mk_testkit::Fixture;
use mk_types::{Clock, ModeSlug, SessionId, Timestamp};
use serde_json::Value;

use crate::{Context, ToolAnswer, ToolReply, find};

/// 2025-01-13T10:30:00.000Z, when the contract's task was created.
const START: Timestamp = Timestamp::from_millis(1_736_764_200_000);

/// A project, its engine, and one caller.
struct World {
    files: Fixture,
    /// Backups and locks, which are kept outside the project.
    _state: Fixture,
    clock: Clock,
    engine: Engine,
    caller: Caller,
}

impl World {
    fn new(files: &str) -> Self {
        Self::with(files, Settings::default())
    }

    fn asking(files: &str) -> Self {
        let settings = Settings {
            switching: Switching::AskToWiden,
            default_mode: ModeSlug::parse("ask").expect("a slug"),
            ..Settings::default()
        };
        Self::with(files, settings)
    }

    fn with(files: &str, settings: Settings) -> Self {
        let files = Fixture::new(files);
        let state = Fixture::new("");
        let clock = Clock::manual(START);
        let engine = Engine::new(EngineParts {
            settings,
            folders: Folders {
                state: state.root().as_path().to_owned(),
                ..Folders::default()
            },
            clock: clock.clone(),
            store: StoreLocation::Memory,
            own_tools: crate::own_tools(),
        });
        let caller = Caller::in_project(files.root().clone(), Actor::Agent);
        Self {
            files,
            _state: state,
            clock,
            engine,
            caller,
        }
    }

    fn wait(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// Calls a tool as a connection does: what it is about afterwards is remembered.
    async fn call(&mut self, tool: &str, arguments: Value) -> Result<ToolAnswer, Error> {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object");
        };
        let context = Context {
            engine: &self.engine,
            caller: &self.caller,
        };
        let tool = find(tool).expect("a tool of ours");
        let answer = tool.parse(arguments)?.run(&context).await?;
        if let ToolAnswer::Done(ToolReply {
            current: Some(session),
            ..
        }) = &answer
        {
            self.caller.conversation.enter(session.clone());
        }
        Ok(answer)
    }

    async fn done(&mut self, tool: &str, arguments: Value) -> ToolReply {
        match self.call(tool, arguments).await {
            Ok(ToolAnswer::Done(reply)) => reply,
            other => panic!("{tool} answered {other:?}"),
        }
    }

    async fn create(&mut self, mode: &str) -> SessionId {
        let arguments = serde_json::json!({ "mode_slug": mode });
        let reply = self.done("create_task", arguments).await;
        reply.current.expect("a new task is the current one")
    }
}
