//! Use cases, on projects in temporary folders, with a clock that stands still.
//!
//! A test is a conversation: every call on a [`World`] adds what it answered to a log, in which ids are renamed in
//! order of appearance, and the log is the snapshot.

mod agent;
mod allowance;
mod approval;
mod bound;
mod broken_file;
mod error;
mod hook;
mod in_force;
mod layer;
mod lint;
mod never_wider;
mod project;
mod projects;
mod protected;
mod shared;
mod switching;
mod target;
mod task;
mod time;
mod watch;
mod worktree;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use mk_policy::Switching;
use mk_store::{PostgresUrl, SessionFilter, Store, StoreLocation};
use mk_testkit::Fixture;
use mk_testkit::names::Names;
use mk_types::{ApprovalId, Clock, ModeSlug, SessionId, Timestamp};

use crate::{
    Actor, ApprovalRequest, ApprovalVerdict, Caller, Engine, EngineParts, Error, Folders,
    MissingThing, NewTask, Outcome, Settings, SwitchedMode, Task, TaskDetails, TaskQuery,
    TaskState,
};

/// A mode file with modes of every width: `docs` edits Markdown, `scribe` may only hand over to `ask`.
const MODES: &str = r"
//- /.roomodes
customModes:
  - slug: docs
    name: Docs
    roleDefinition: You write documents.
    groups: [read, [edit, {fileRegex: '\.md$'}]]
  - slug: scribe
    name: Scribe
    roleDefinition: You take notes.
    groups: [read, modes]
    switchTo: [ask]
";

/// An engine, its surroundings, and what it has answered so far.
struct World {
    fixture: Fixture,
    /// Of which the last is in use.
    engines: Vec<Engine>,
    settings: Settings,
    location: StoreLocation,
    store: Store,
    caller: Caller,
    clock: Clock,
    runtime: tokio::runtime::Runtime,
    names: Names,
    log: String,
    more_tools: Vec<crate::OwnTool>,
}

impl World {
    fn new(files: &str) -> Self {
        Self::with(files, |_| {})
    }

    fn with(files: &str, set: impl FnOnce(&mut Settings)) -> Self {
        // Where the tests run with PostgreSQL, it has to hold the same promises.
        Self::at(files, set, |_| match mk_testkit::database::schema() {
            Some(url) => StoreLocation::Postgres(Box::new(PostgresUrl::parse(&url).unwrap())),
            None => StoreLocation::Memory,
        })
    }

    /// With a database that a second engine can open.
    fn in_file(files: &str, set: impl FnOnce(&mut Settings)) -> Self {
        Self::at(files, set, |fixture| {
            StoreLocation::File(fixture.path("global/state/modekeeper.db"))
        })
    }

    fn at(
        files: &str,
        set: impl FnOnce(&mut Settings),
        location: impl FnOnce(&Fixture) -> StoreLocation,
    ) -> Self {
        let fixture = Fixture::new(files);
        let mut settings = Settings::default();
        set(&mut settings);
        let clock = Clock::manual(Timestamp::from_millis(1_800_000_000_000));
        let location = location(&fixture);
        let mut world = Self {
            engines: Vec::new(),
            settings,
            store: Store::new(location.clone(), clock.clone()),
            location,
            caller: Caller::in_project(fixture.root().clone(), Actor::Agent),
            clock,
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .build()
                .unwrap(),
            names: Names::default(),
            log: String::new(),
            more_tools: Vec::new(),
            fixture,
        };
        world.start_engine_on_same_store();
        world
    }

    /// One more engine on the same database, as another process would be; it is used from here on.
    fn start_engine(&mut self) {
        self.store = Store::new(self.location.clone(), self.clock.clone());
        self.start_engine_on_same_store();
    }

    /// An engine that has read no files yet.
    fn start_engine_on_same_store(&mut self) {
        let parts = EngineParts {
            settings: self.settings.clone(),
            folders: Folders {
                config: Some(self.global("config")),
                roo_config: Some(self.global("roo")),
                home: Some(self.global("home")),
                state: self.global("state"),
                ..Folders::default()
            },
            clock: self.clock.clone(),
            store: self.location.clone(),
            own_tools: [
                own_tool("switch_mode", None),
                own_tool("create_task", None),
                own_tool("find_symbol", Some(mk_policy::Group::Read)),
            ]
            .into_iter()
            .chain(self.more_tools.iter().copied())
            .collect(),
        };
        self.engines.push(Engine::on(self.store.clone(), parts));
    }

    /// One more engine, which knows these tools besides.
    fn tools(&mut self, tools: impl Iterator<Item = crate::OwnTool>) {
        self.more_tools.extend(tools);
        self.start_engine_on_same_store();
    }

    fn use_engine(&mut self, n: usize) {
        let engine = self.engines.remove(n);
        self.engines.push(engine);
    }

    fn engine(&self) -> &Engine {
        self.engines.last().unwrap()
    }

    /// Where files for all projects are: inside the fixture, but where no project looks.
    fn global(&self, folder: &str) -> PathBuf {
        self.fixture.path("global").join(folder)
    }

    /// The log since the last look at it.
    fn log(&mut self) -> String {
        std::mem::take(&mut self.log)
    }

    fn say(&mut self, line: &str) {
        let line = self.shorten(line);
        self.log.push_str(&line);
        self.log.push('\n');
    }

    /// Renames ids in order of appearance, and the project's folder.
    fn shorten(&mut self, text: &str) -> String {
        let text = text.replace(self.fixture.root().as_str(), "/project");
        self.names.text(&text)
    }

    /// The id behind a name of the log; any other text is itself.
    fn real(&self, name: &str) -> String {
        self.names.find(name).unwrap_or(name).to_owned()
    }

    /// Caps the caller at a builtin or global mode.
    fn cap(&mut self, slug: &str) {
        let ceiling = self.engine().modes().ceiling(slug).unwrap();
        self.caller.ceilings = vec![ceiling];
    }

    /// Makes a task the innermost of the caller's conversation.
    fn enter(&mut self, name: &str) {
        let session = self.session(name);
        self.caller.conversation.enter(session);
    }

    fn session(&self, name: &str) -> SessionId {
        SessionId::parse(&self.real(name)).unwrap()
    }

    fn say_result<T>(&mut self, result: Result<T, Error>, show: impl FnOnce(T) -> String) {
        let line = match result {
            Ok(value) => show(value),
            Err(error) => show_error(&error),
        };
        self.say(&line);
    }

    fn create(&mut self, mode: &str) {
        self.create_task(mode, None, None);
    }

    fn create_below(&mut self, mode: &str, parent: &str) {
        self.create_task(mode, Some(parent), None);
    }

    fn create_task(&mut self, mode: &str, parent: Option<&str>, message: Option<&str>) {
        let new = NewTask {
            mode: mode.to_owned(),
            parent: parent.map(|parent| self.real(parent)),
            message: message.map(str::to_owned),
        };
        let result = self
            .runtime
            .block_on(self.engine().tasks().create(&self.caller, new));
        self.say_result(result, |outcome| show_outcome(outcome, show_task));
    }

    fn switch(&mut self, session: &str, to: &str) {
        self.switch_because(session, to, None);
    }

    fn switch_because(&mut self, session: &str, to: &str, reason: Option<&str>) {
        let session = self.real(session);
        let reason = reason.map(str::to_owned);
        let switching = self
            .engine()
            .tasks()
            .switch_mode(&self.caller, &session, to, reason);
        let result = self.runtime.block_on(switching);
        self.say_result(result, |outcome| show_outcome(outcome, show_switched));
    }

    fn complete(&mut self, session: &str, state: TaskState) {
        let session = self.real(session);
        let (caller, result) = (self.caller.clone(), Some("the result".to_owned()));
        let tasks = self.engine().tasks();
        let completing = tasks.complete(&caller, &session, state, result);
        let result = self.runtime.block_on(completing);
        self.say_result(result, |task| show_task(&task));
    }

    fn info(&mut self, session: &str) {
        let query = TaskQuery {
            messages: true,
            hierarchy: true,
        };
        let result = self
            .engine()
            .tasks()
            .info(&self.caller, &self.real(session), query);
        self.say_result(result, |details| show_details(&details));
    }

    fn peek(&mut self, session: &str) {
        let result = self
            .engine()
            .tasks()
            .peek(&self.real(session), TaskQuery::default());
        self.say_result(result, |details| show_details(&details));
    }

    fn tasks(&mut self, filter: &SessionFilter) {
        let result = self.engine().tasks().list(filter);
        self.say_result(result, |tasks| {
            let shown = tasks.iter().map(|listed| {
                let expired = if listed.is_expired { ", expired" } else { "" };
                format!("\n  {}{expired}", show_task(&listed.task))
            });
            format!("{} tasks{}", tasks.len(), shown.collect::<String>())
        });
    }

    fn in_force(&mut self, session: Option<&str>) {
        let session = session.map(|session| self.session(session));
        let result = self.engine().in_force(&self.caller, session.as_ref());
        self.say_result(result, |in_force| {
            let mut line = format!("in force: {}", in_force.mode.slug);
            for ceiling in &in_force.ceilings {
                write!(line, " within {}", ceiling.slug).unwrap();
            }
            if let Some(session) = &in_force.session {
                write!(line, " of {session}").unwrap();
            }
            line
        });
    }

    /// Says whether a call would be let through, for the session or without one.
    fn call(&mut self, session: Option<&str>, tool: &str, target: &str) {
        let session = session.map(|session| self.session(session));
        let engine = self.engine();
        let call = engine.policy().tools.call_on(tool, Some(target));
        let permit = engine
            .in_force(&self.caller, session.as_ref())
            .and_then(|in_force| engine.check(in_force, call)?.permit());
        self.say_result(permit, |permit| {
            format!("✓ {} {:?}", permit.tool(), permit.targets())
        });
    }

    fn modes(&mut self) {
        let catalogue = self.engine().modes().catalogue(&self.caller);
        let custom = catalogue.modes().iter().map(|mode| mode.slug.as_str());
        let builtin = ["code", "architect", "ask", "debug", "orchestrator"];
        let custom: Vec<&str> = custom.filter(|slug| !builtin.contains(slug)).collect();
        self.say(&format!("{} custom modes: {custom:?}", custom.len()));
        for found in catalogue.diagnostics() {
            let hint = found.hint.as_deref().unwrap_or("no hint");
            self.say(&format!("{found} ({hint})"));
        }
    }

    fn approvals(&mut self) {
        let result = self.engine().approvals().pending();
        self.say_result(result, |pending| {
            let shown = pending
                .iter()
                .map(|approval| format!("\n  {}", show_approval(approval)));
            format!("{} questions{}", pending.len(), shown.collect::<String>())
        });
    }

    fn decide(&mut self, approval: &str, verdict: ApprovalVerdict) {
        let id = ApprovalId::parse(&self.real(approval)).unwrap();
        let deciding = self.engine().approvals().decide(&id, verdict, "a test");
        let result = self.runtime.block_on(deciding);
        self.say_result(result, |approval| show_approval(&approval));
    }

    fn sweep(&mut self) {
        let result = self.runtime.block_on(self.engine().sweep());
        self.say_result(result, |n_swept| format!("swept {n_swept}"));
    }

    fn pass(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }
}

fn show_outcome<T>(outcome: Outcome<T>, show: impl FnOnce(&T) -> String) -> String {
    match outcome {
        Outcome::Done(value) => show(&value),
        Outcome::NeedsApproval(approval) => format!("asks {}", show_approval(&approval)),
    }
}

fn show_task(task: &Task) -> String {
    let session = &task.session;
    let mut line = format!(
        "{} {} in {} ({}), {}",
        session.id,
        session.task,
        session.mode,
        task.mode_name(),
        session.state
    );
    if let Some(parent) = &session.parent {
        write!(line, ", below {parent}").unwrap();
    }
    if let Some(result) = &session.result {
        write!(line, ": {result}").unwrap();
    }
    line
}

fn show_switched(switched: &SwitchedMode) -> String {
    let mut line = format!(
        "{} from {} to {} ({})",
        switched.session.id, switched.old_mode, switched.mode.slug, switched.mode.name
    );
    if let Some(reason) = &switched.reason {
        write!(line, ": {reason}").unwrap();
    }
    line
}

fn show_details(details: &TaskDetails) -> String {
    let mut line = format!(
        "{}, age {}s, idle {}s",
        show_task(&details.task),
        details.age.as_secs(),
        details.idle.as_secs()
    );
    for change in &details.mode_changes {
        let from = change.from.as_ref().map_or("-", ModeSlug::as_str);
        let reason = change.reason.as_deref().unwrap_or("no reason");
        write!(line, "\n  {from} → {}: {reason}", change.to).unwrap();
    }
    for message in &details.messages {
        write!(line, "\n  {}: {}", message.role, message.content).unwrap();
    }
    for child in &details.children {
        write!(line, "\n  child {child}").unwrap();
    }
    line
}

fn show_approval(approval: &ApprovalRequest) -> String {
    let mut line = format!("{} {}: {}", approval.id, approval.state, approval.subject);
    if let Some(session) = &approval.session {
        write!(line, " of {session}").unwrap();
    }
    if let Some(by) = &approval.decided_by {
        write!(line, " by {by}").unwrap();
    }
    line
}

fn own_tool(name: &'static str, group: Option<mk_policy::Group>) -> crate::OwnTool {
    crate::OwnTool {
        name,
        group,
        paths: &[],
        patches: &[],
        directories: &[],
        commands: &[],
        reach: mk_policy::ToolReach::Files,
    }
}

fn subject(missing: &MissingThing) -> &'static str {
    match missing {
        MissingThing::Mode { .. } | MissingThing::ModeInForce(_) => "Mode",
        MissingThing::Task(_) => "Task",
        MissingThing::Session(_) | MissingThing::ParentSession(_) | MissingThing::Expired(_) => {
            "Session"
        }
        MissingThing::Approval(_) => "Approval",
        MissingThing::Decision(_) => "Decision",
        MissingThing::Conversation(_) => "Conversation",
    }
}

fn show_error(error: &Error) -> String {
    let kind = match error {
        Error::InvalidInput { parameter, .. } => format!("invalid {}", parameter.unwrap_or("call")),
        Error::NotFound(what) => format!("no such {}", subject(what)),
        Error::Expired { .. } => "expired".to_owned(),
        Error::Denied { .. } if error.concerns_file() => "denied file".to_owned(),
        Error::Denied { .. } => "denied".to_owned(),
        Error::Conflict(_) => "conflict".to_owned(),
        Error::Unavailable { .. } => "unavailable".to_owned(),
        Error::Playbook { .. } => "playbook".to_owned(),
        Error::Code(code) => format!("{:?}", code.kind),
    };
    match error.next_step() {
        Some(step) => format!("✗ {kind}: {error} ({})", step.for_model()),
        None => format!("✗ {kind}: {error}"),
    }
}

fn ask_to_widen(settings: &mut Settings) {
    settings.switching = Switching::AskToWiden;
}

fn locked(settings: &mut Settings) {
    settings.switching = Switching::Locked;
}

fn slug(text: &str) -> ModeSlug {
    ModeSlug::parse(text).unwrap()
}
