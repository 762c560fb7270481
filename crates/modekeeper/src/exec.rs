//! `modekeeper exec`: runs a command inside the wall, under the mode that holds for it.
//!
//! Dispatched before the command line is parsed and before any runtime starts, because an agent's every line pays for
//! it. Rights never come from the arguments: the conversation's mode says them, or the project's; `--mode` only narrows.

mod arguments;
mod journal;
mod record;
mod rights;
mod server;

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, bail};
use mk_engine::{
    AgentSession, CloseOutcome, CommandAsked, CommandHold, Engine, ProjectWatching, Waiver,
};
use mk_types::{AbsPath, ModeSlug};
use mk_wall::{Rights, Supervised, Supervision, WallOutcome, exit_code};

use crate::cli::install::InstallPlace;
use crate::cli::{block_on, engine_parts};
use crate::config::{Config, Flags};
use crate::env::Env;
use crate::output::print_note;
use crate::process::ancestors_from;
use arguments::{ExecArguments, UsageError};

/// The first argument that leads here.
pub(crate) const NAME: &str = "exec";

const USAGE: &str = "\
Run a command inside the wall: it changes only what the mode allows

Usage: modekeeper exec [OPTIONS] -- <COMMAND>...

Options:
      --mode <SLUG>           Also limit the command to what this mode allows
      --time-limit <SECONDS>  End the command after this time, with exit code 124
      --project-root <DIR>    Project directory (default: found from the working directory)
      --inside                Run nothing; exit code 0 if this process is inside a wall
  -h, --help                  Print help
";

/// Runs `exec` with the arguments after its name.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>, env: &Env) -> u8 {
    let arguments = match arguments::parse(arguments) {
        Ok(arguments) => arguments,
        Err(UsageError::Help) => {
            return match crate::output::print(USAGE) {
                Ok(()) => 0,
                Err(_) => 1,
            };
        }
        Err(UsageError::Inside) => return u8::from(!mk_wall::is_inside()),
        Err(UsageError::Wrong(reason)) => {
            print_note(&format!("{reason}\n\n{USAGE}"));
            return 2;
        }
    };
    let code = start(&arguments, env).unwrap_or_else(|error| {
        print_note(&not_started(&error));
        exit_code::WALL
    });
    u8::try_from(code & 0xff).unwrap_or(u8::MAX)
}

/// What is done after the command, with what came of it.
type Finish = Box<dyn FnOnce(&Rights, &WallOutcome)>;

/// What is known about a command in the supervising process.
enum PreparedExec {
    Hold(Box<Rights>, Finish),
    /// The mode does not allow this line, wall or not.
    Refused(String),
    Unwalled(UnwalledCommand),
}

fn start(arguments: &ExecArguments, env: &Env) -> anyhow::Result<i32> {
    if mk_wall::is_inside() && arguments.mode.is_none() {
        // The outer wall holds this command, too, and cannot be widened from here.
        return Err(replace_with(&arguments.command, arguments.is_shell).into());
    }
    if arguments.permit.is_some() {
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?;
    }
    let parent = rustix::process::getppid().map(|it| it.as_raw_nonzero().get().cast_unsigned());
    let supervised = mk_wall::supervise(|| match prepare(arguments, parent, env) {
        Ok(PreparedExec::Hold(rights, finish)) => Supervision::Hold {
            rights,
            command: Box::new(command_of(&arguments.command)),
            finish,
        },
        Ok(PreparedExec::Unwalled(unwalled)) => {
            if let Some(note) = unwalled.note() {
                print_note(note);
            }
            Supervision::HandBack(unwalled as u8)
        }
        Ok(PreparedExec::Refused(reason)) => {
            print_note(&format!("not started: {reason}"));
            Supervision::End(exit_code::WALL)
        }
        Err(error) => {
            print_note(&not_started(&error));
            Supervision::End(exit_code::WALL)
        }
    })?;
    match supervised {
        Supervised::Ended(code) => Ok(code),
        Supervised::HandedBack(number) => {
            let command = UnwalledCommand::words(number, arguments);
            Err(replace_with(&command, arguments.is_shell).into())
        }
    }
}

fn not_started(error: &anyhow::Error) -> String {
    format!("not started: {error:#}. Run \"modekeeper doctor\".")
}

/// Finds what holds the command. Runs in the supervising process, which keeps the store open for the record; `parent`
/// is who started the one that waits.
fn prepare(
    arguments: &ExecArguments,
    parent: Option<u32>,
    env: &Env,
) -> anyhow::Result<PreparedExec> {
    let flags = Flags::in_project(arguments.project_root.clone());
    let config = Config::load(&flags, env)?;
    if let Some(server) = &arguments.server {
        let rights = server::rights_for(server, &config, env)?;
        return Ok(PreparedExec::Hold(Box::new(rights), Box::new(|_, _| {})));
    }
    let is_set_up = || InstallPlace::of(env).is_some_and(|place| place.program().exists());
    if arguments.is_shell && config.has_missing_store() && is_set_up() {
        // An empty one, made by looking for it, would know of no mode.
        anyhow::bail!("the store is missing, so the mode is unknown: run `modekeeper doctor`");
    }
    let engine = Engine::for_notes(engine_parts(&config, ProjectWatching::Off));
    let line = arguments.line();
    let hold = hold(&engine, &ExecCaller { parent, env }, arguments, &config)?;
    if let Some(unwalled) = UnwalledCommand::of(arguments, &hold) {
        close(&engine)?;
        return Ok(PreparedExec::Unwalled(unwalled));
    }
    let is_probe = std::env::current_exe().is_ok_and(|it| line == mk_clients::inside_line(&it));
    if hold.permit.is_none()
        && !is_probe
        && let Err(refused) = hold.limits.check_line(&line)
    {
        let recorded = block_on(engine.command_records().refuse(&hold, &line, &refused));
        if !matches!(recorded, Ok(Ok(()))) {
            tracing::warn!("the refusal could not be recorded");
        }
        close(&engine)?;
        let hint = refused.hint.map(|hint| format!(". Hint: {hint}."));
        let hint = hint.unwrap_or_else(|| ".".to_owned());
        return Ok(PreparedExec::Refused(format!("{}{hint}", refused.reason)));
    }
    let mut prepared = rights::prepare(&hold.limits, &config, env)?;
    if let Some(limit) = arguments.time_limit {
        let limits = [Some(limit), prepared.rights.time_limit];
        prepared.rights.time_limit = limits.into_iter().flatten().min();
    }
    if arguments.is_shell {
        // Shells inside need not ask whether they are.
        let names = mk_clients::SHELL_VARIABLES.map(str::to_owned);
        prepared.rights.env_drop.extend(names);
    }
    if arguments.permit.is_some() {
        // Our own server lists what it runs; nothing goes on behind its back, or after it.
        prepared.rights.background = mk_wall::Background::End;
    }
    let Ok(ledger) = engine.ledger() else {
        bail!("the store does not answer: the command was not started");
    };
    let record = record::Record::begin(ledger, &line, &hold);
    let journal = prepared.journal;
    let started = Instant::now();
    let finish = move |rights: &Rights, outcome: &WallOutcome| {
        // A command of the same exit code has ended by itself, before its time.
        let limit = rights
            .time_limit
            .filter(|_| outcome.code == exit_code::TIME);
        if let Some(limit) = limit.filter(|limit| started.elapsed() >= *limit) {
            let seconds = limit.as_secs();
            print_note(&format!(
                "ended the command: its time limit of {seconds} s is over"
            ));
        }
        let undo = journal.finish();
        record.finish(outcome, undo);
    };
    Ok(PreparedExec::Hold(
        Box::new(prepared.rights),
        Box::new(finish),
    ))
}

fn close(engine: &Engine) -> anyhow::Result<()> {
    if engine.close() == CloseOutcome::CutOff {
        bail!("the store does not answer: the command was not started");
    }
    Ok(())
}

/// Who asks for the command.
struct ExecCaller<'a> {
    parent: Option<u32>,
    env: &'a Env,
}

/// What holds the command: its conversation's mode, or the project's; narrowed by what was asked for.
fn hold(
    engine: &Engine,
    caller: &ExecCaller<'_>,
    arguments: &ExecArguments,
    config: &Config,
) -> anyhow::Result<CommandHold> {
    let ExecCaller { parent, env } = caller;
    let line = arguments.line();
    let narrowed = arguments.mode.as_deref().map(ModeSlug::parse).transpose()?;
    let directory = env.current_dir.as_deref().and_then(AbsPath::new);
    let directory = directory.context("cannot determine the working directory")?;
    let sessions: Vec<AgentSession> = env
        .client_sessions
        .iter()
        .map(|(name, session)| AgentSession {
            name: (*name).to_owned(),
            session: session.clone(),
        })
        .collect();
    let configured = config.configured_mode();
    let asked = CommandAsked {
        sessions: &sessions,
        above: &ancestors_from(*parent),
        directory: &directory,
        project: &config.project_root.value,
        line_hash: &mk_engine::line_hash(&line),
        configured,
        narrowed: narrowed.as_ref(),
        permit: arguments.permit.as_ref(),
    };
    Ok(block_on(engine.hold_command(&asked))??)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the command runs where its caller is"
)]
fn command_of(words: &[OsString]) -> Command {
    let mut words = words.iter();
    let mut command = Command::new(words.next().map_or_else(OsString::new, OsString::clone));
    command.args(words);
    command
}

/// Becomes the command; only an error comes back.
fn replace_with(words: &[OsString], is_shell: bool) -> std::io::Error {
    let mut command = command_of(words);
    if is_shell {
        for name in mk_clients::SHELL_VARIABLES {
            // What led here would lead here again.
            command.env_remove(name);
        }
    }
    command.exec()
}

/// A command that runs as it is, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum UnwalledCommand {
    /// A person has paused enforcement.
    Paused,
    /// A person has approved the line.
    Approved,
    /// An agent's shell asks, where no mode is set.
    NoMode,
}

impl UnwalledCommand {
    /// `--mode` holds, whatever else does.
    fn of(arguments: &ExecArguments, hold: &CommandHold) -> Option<Self> {
        match hold.waiver {
            _ if arguments.mode.is_some() => None,
            Waiver::Paused => Some(Self::Paused),
            Waiver::Approved => Some(Self::Approved),
            Waiver::NoMode if arguments.is_shell => Some(Self::NoMode),
            Waiver::NoMode | Waiver::None => None,
        }
    }

    const fn note(self) -> Option<&'static str> {
        match self {
            Self::Paused => Some("a person has paused enforcement: the command is not walled"),
            Self::Approved => Some("a person has approved this line: it is not walled"),
            Self::NoMode => None,
        }
    }

    /// What runs. Of an approved line only what the person has read, and not what a client, or a program in its place,
    /// has put around it.
    fn words(number: u8, arguments: &ExecArguments) -> Vec<OsString> {
        if number == Self::Approved as u8 {
            let line = arguments.line();
            ["/bin/bash", "-c", &line].map(OsString::from).into()
        } else {
            arguments.command.clone()
        }
    }
}
