//! `modekeeper hook <client>`: reads one event of an agent's hook and answers it in that agent's contract.
//!
//! It is started for every call of a tool, so it starts lean: no command line parser, no log, no runtime threads. And it
//! answers whatever happens: the work is done by a thread, and who waits for it denies after a second, or if it fails.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use mk_clients::{ClientId, HookAnswer, HookEvent, HookMoment, HookVerdict};
use mk_engine::{
    AgentSession, AgentShell, ApprovalRequest, ApprovalState, CloseOutcome, Engine, EngineParts,
    HookOutcome, HookSettings, OwnTool, ProjectWatching, Seat, Settings, StoreLocation,
};
use mk_types::{AbsPath, Clock};

use crate::approver;
use crate::cli::install::InstallPlace;
use crate::config::{Config, Flags};
use crate::env::{self, Env};
use crate::process;

/// Longest that a decision takes; printing it and ending must fit into the second, too.
const DEADLINE: Duration = Duration::from_millis(900);
/// How often an answer is looked for while a person is asked.
const LOOK: Duration = Duration::from_millis(100);
/// A longer event is refused.
const LONGEST_EVENT: u64 = 64 * 1024 * 1024;
const REPAIR: &str = "Run `modekeeper doctor` to see what is wrong";

/// What the working thread tells the waiting one.
#[derive(Debug)]
enum News {
    /// What is asked about.
    Read(Box<HookEvent>),
    Answer(HookAnswer),
    /// A person is being asked, for this long at most.
    Waiting(Duration),
}

/// Runs the hook if the arguments ask for it, before anything else is set up.
pub(crate) fn dispatch() -> Option<u8> {
    let mut arguments = std::env::args_os().skip(1);
    let Some(first) = arguments.next() else {
        return run_without_arguments();
    };
    if first != "hook" {
        return None;
    }
    let client = arguments.next()?.into_string().ok()?;
    let rest: Vec<OsString> = arguments.collect();
    // Help and what else a person may type is the command line's business.
    if client.starts_with('-') || rest.iter().any(|it| it == "--help" || it == "-h") {
        return None;
    }
    Some(run(&client, rest))
}

pub(crate) fn run(client: &str, rest: Vec<OsString>) -> u8 {
    let Some(client) = ClientId::parse(client) else {
        let known: Vec<&str> = ClientId::ALL
            .into_iter()
            .filter(|id| id.atlas().has_hooks())
            .map(ClientId::slug)
            .collect();
        let text = format!(
            "modekeeper hook: unknown client `{client}`; known are {}\n",
            known.join(", ")
        );
        return say(&HookAnswer {
            stderr: text,
            exit_code: 2,
            ..HookAnswer::default()
        });
    };
    answer_with(client, move |news| work(client, &rest, news))
}

/// Copilot CLI, VS Code and Cursor run the hooks of Claude Code's settings too, and leave out the arguments. Without this
/// each of their calls would end in our help, whose exit code they take for a refusal.
fn run_without_arguments() -> Option<u8> {
    if std::io::stdin().is_terminal() {
        return None;
    }
    let client = ClientId::ClaudeCode;
    let (sender, receiver) = channel();
    let reader = move || drop(sender.send(read(client)));
    std::thread::Builder::new().spawn(reader).ok()?;
    let limit = env::hook_deadline().unwrap_or(DEADLINE);
    let event = receiver.recv_timeout(limit).ok()?.ok()?;
    Some(answer_with(client, move |news| decided(&event, &[], news)))
}

/// Lets a thread answer, and answers for it if it fails or takes too long.
fn answer_with(client: ClientId, work: impl FnOnce(&Sender<News>) + Send + 'static) -> u8 {
    // What a panic prints would be shown to the model.
    std::panic::set_hook(Box::new(|_| {}));
    let (sender, receiver) = channel();
    let worker = std::thread::Builder::new().spawn(move || work(&sender));
    let answer = match worker {
        Ok(_) => wait(client, &receiver),
        Err(error) => {
            HookQuestion::Unread(client).refuse(&format!("cannot start a thread: {error}"))
        }
    };
    say(&answer)
}

/// Waits for the answer. What has not come in time, or cannot come any more, is a denial.
fn wait(client: ClientId, news: &Receiver<News>) -> HookAnswer {
    let limit = env::hook_deadline().unwrap_or(DEADLINE);
    let mut deadline = Instant::now() + limit;
    let mut asked = HookQuestion::Unread(client);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match news.recv_timeout(left) {
            Ok(News::Answer(answer)) => return answer,
            Ok(News::Read(event)) => asked = HookQuestion::About(event),
            Ok(News::Waiting(time)) => deadline = Instant::now() + time + limit,
            Err(RecvTimeoutError::Timeout) => {
                return asked.refuse(
                    "it did not decide in time; its store may be locked, or the machine too busy",
                );
            }
            Err(RecvTimeoutError::Disconnected) => {
                return asked.refuse("it failed while it decided");
            }
        }
    }
}

/// What is known about the question when no answer comes.
enum HookQuestion {
    Unread(ClientId),
    About(Box<HookEvent>),
}

impl HookQuestion {
    fn refuse(&self, why: &str) -> HookAnswer {
        match self {
            Self::Unread(client) => mk_clients::refuse_unread(*client, &unable(why)),
            Self::About(event) => mk_clients::refuse_event(event, &unable(why)),
        }
    }
}

/// The sentence for everything that keeps us from deciding.
fn unable(why: &str) -> String {
    format!("Modekeeper cannot decide about this call, so it is denied: {why}. {REPAIR}.")
}

fn say(answer: &HookAnswer) -> u8 {
    // Nobody is left to tell if this fails.
    drop(std::io::stderr().write_all(answer.stderr.as_bytes()));
    let mut stdout = std::io::stdout();
    let said = stdout.write_all(answer.stdout.as_bytes());
    match said.and_then(|()| stdout.flush()) {
        Ok(()) => answer.exit_code,
        Err(_) => 2,
    }
}

fn work(client: ClientId, rest: &[OsString], news: &Sender<News>) {
    match read(client) {
        Ok(event) => decided(&event, rest, news),
        Err(why) => {
            let answer = HookQuestion::Unread(client).refuse(&why);
            drop(news.send(News::Answer(answer)));
        }
    }
}

fn decided(event: &HookEvent, rest: &[OsString], news: &Sender<News>) {
    // So that the thread that waits can refuse it in its own words.
    drop(news.send(News::Read(Box::new(event.clone()))));
    let answer = decide(event, rest, news);
    let answer = answer.unwrap_or_else(|why| mk_clients::refuse_event(event, &unable(&why)));
    drop(news.send(News::Answer(answer)));
}

/// The event, or why it cannot be read.
fn read(client: ClientId) -> Result<HookEvent, String> {
    let mut bytes = Vec::new();
    let mut input = std::io::stdin().lock().take(LONGEST_EVENT + 1);
    input
        .read_to_end(&mut bytes)
        .map_err(|error| format!("the hook's input cannot be read: {error}"))?;
    if bytes.len() as u64 > LONGEST_EVENT {
        return Err("the hook's input is too long".to_owned());
    }
    mk_clients::parse_event(client, &bytes).map_err(|error| error.to_string())
}

/// Everything that one event needs, or why it could not be had.
fn decide(event: &HookEvent, rest: &[OsString], news: &Sender<News>) -> Result<HookAnswer, String> {
    if matches!(event.moment, HookMoment::Other) {
        return Ok(mk_clients::answer(event, &HookVerdict::pass()));
    }
    let env = Env::read();
    let config = Config::load(&Flags::default(), &env)
        .map_err(|error| format!("the configuration cannot be used: {error}"))?;
    let asking = EventUnderWay {
        event,
        config: &config,
        directory: directory(event, &env)?,
        person: if rest.iter().any(|it| it == "--no-person") {
            Person::None
        } else {
            Person::Perhaps
        },
        shell: shell(event.client, rest.iter().any(|it| it == "--walled"), &env),
    };
    let verdict = asking.verdict(news)?;
    Ok(mk_clients::answer(event, &verdict))
}

/// Whether a line of this client runs inside the wall. `is_told` is what its entry or plugin says.
fn shell(client: ClientId, is_told: bool, env: &Env) -> AgentShell {
    let Some(place) = InstallPlace::of(env).filter(|_| mk_wall::holds()) else {
        return AgentShell::Open;
    };
    let atlas = client.atlas();
    let scripts = place.scripts();
    // A script that is gone would be passed over without a word.
    let script = atlas
        .shell
        .script(&scripts)
        .filter(|script| script.is_file());
    let is_led = script.is_some_and(|script| match atlas.shell.variable() {
        Some(variable) => {
            let mut named = env.shell_scripts.iter();
            named.any(|(name, path)| *name == variable && path == script)
        }
        None if atlas.shell.is_the_users() => is_told && process::is_bash_login_shell(),
        None => is_told,
    });
    if is_led {
        AgentShell::Walled
    } else if atlas.rewrites_lines && place.program().is_file() {
        AgentShell::Rewritten(place.program())
    } else {
        AgentShell::Open
    }
}

/// Whether there is a database: what was emptied has nothing to say about modes, either.
fn has_content(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|it| !it.is_file() || it.len() > 0)
}

/// Where the agent works: a client that does not say it has started us there.
fn directory(event: &HookEvent, env: &Env) -> Result<AbsPath, String> {
    let named = event.cwd.as_deref().filter(|path| path.is_absolute());
    let directory = named.or(env.current_dir.as_deref());
    directory
        .and_then(AbsPath::new)
        .ok_or_else(|| "the event does not say where the agent works".to_owned())
}

/// Whether somebody can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Person {
    Perhaps,
    None,
}

/// One event on its way to a verdict.
struct EventUnderWay<'a> {
    event: &'a HookEvent,
    config: &'a Config,
    directory: AbsPath,
    person: Person,
    shell: AgentShell,
}

impl EventUnderWay<'_> {
    fn verdict(&self, news: &Sender<News>) -> Result<HookVerdict, String> {
        let settings = self.config.settings(ProjectWatching::Off);
        let location = self.config.store_location();
        if let StoreLocation::File(path) = &location
            && !has_content(path)
        {
            let why = format!("its store {} is missing", path.display());
            // A store that is made by looking for it would be there for the next call, and know of no mode.
            let engine = self.engine(settings, StoreLocation::Memory);
            return Ok(self.without_store(&engine, &why));
        }
        if self.config.has_lost_its_store() {
            let why = "its store has no place, because HOME is not set";
            let engine = self.engine(settings, StoreLocation::Memory);
            return Ok(self.without_store(&engine, why));
        }
        let engine = self.engine(settings.clone(), location.clone());
        match self.ask(&engine, news)? {
            HookOutcome::Elsewhere(root) => {
                close(&engine);
                let settings = Settings {
                    start_root: Some(root),
                    ..settings
                };
                let engine = self.engine(settings, location);
                let outcome = self.ask(&engine, news)?;
                close(&engine);
                match outcome {
                    HookOutcome::Elsewhere(root) => Err(format!("the project {root} has changed")),
                    outcome => Ok(outcome.verdict()),
                }
            }
            outcome => {
                close(&engine);
                Ok(outcome.verdict())
            }
        }
    }

    /// Asks the engine, and again after a person has approved.
    fn ask(&self, engine: &Engine, news: &Sender<News>) -> Result<HookOutcome, String> {
        let seat = self.seat();
        let settings = HookSettings {
            mode: self.config.configured_mode().cloned(),
            shell: self.shell.clone(),
        };
        let hooks = engine.hooks();
        let ask = || {
            let answer = hooks.answer(self.event, &seat, &settings);
            crate::cli::block_on(answer).map_err(|error| error.to_string())
        };
        match ask()? {
            Ok(HookOutcome::Waits(approval, verdict)) => {
                if !self.is_approved(engine, &approval, news) {
                    return Ok(HookOutcome::Decided(verdict));
                }
                ask()?.map_err(|error| describe(&error))
            }
            Ok(outcome) => Ok(outcome),
            Err(mk_engine::Error::Unavailable { source, .. }) => {
                let why = format!("its store cannot be used: {source}");
                Ok(HookOutcome::Decided(self.without_store(engine, &why)))
            }
            Err(error) => Err(describe(&error)),
        }
    }

    fn engine(&self, settings: Settings, store: StoreLocation) -> Engine {
        let mut tools = mk_tools::own_tools();
        tools.extend(OwnTool::of_client(self.event.client));
        Engine::alone(EngineParts {
            settings,
            folders: self.config.folders(),
            store,
            clock: Clock::System,
            own_tools: tools,
        })
    }

    fn without_store(&self, engine: &Engine, why: &str) -> HookVerdict {
        let hooks = engine.hooks();
        hooks.answer_without_store(self.event, &self.directory, &unable(why))
    }

    /// Whose event it is: by the agent's own id, else by its process.
    fn seat(&self) -> Seat {
        let mut above = process::ancestors().into_iter();
        let process = above.next();
        let session = self.event.conversation.clone();
        let session =
            session.or_else(|| process.map(|it| format!("process {}.{}", it.id, it.started)));
        Seat {
            client: AgentSession {
                name: self.event.client.slug().to_owned(),
                session: session.unwrap_or_else(|| "unknown".to_owned()),
            },
            parent: self.event.parent.clone(),
            directory: self.directory.clone(),
            process,
            above: above.collect(),
        }
    }

    /// Whether a person approves in time. Where nobody is connected who could, the answer is no at once.
    fn is_approved(
        &self,
        engine: &Engine,
        approval: &ApprovalRequest,
        news: &Sender<News>,
    ) -> bool {
        let folders = self.config.folders();
        let conversation = approval.conversation.as_ref();
        let is_there = approver::is_connected(&folders.state)
            || conversation.is_some_and(|id| approver::is_connected_in(&folders.state, id));
        if self.person == Person::None || !is_there {
            return false;
        }
        let time = engine.settings().approval_timeout;
        let deadline = Instant::now() + time;
        drop(news.send(News::Waiting(time)));
        while Instant::now() < deadline {
            match engine.approvals().get(&approval.id).map(|it| it.state) {
                Ok(ApprovalState::Pending) => pause(),
                Ok(ApprovalState::Granted) => return true,
                _ => return false,
            }
        }
        false
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this process does nothing but wait for the answer, which another process writes"
)]
fn pause() {
    std::thread::sleep(LOOK);
}

fn close(engine: &Engine) {
    if engine.close() == CloseOutcome::CutOff {
        tracing::warn!("the store did not finish in time; the decision may not be recorded");
    }
}

fn describe(error: &mk_engine::Error) -> String {
    match error.next_step() {
        Some(step) => format!("{error}; {}", step.for_model()),
        None => error.to_string(),
    }
}
