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
use std::process::{Command, ExitCode};

use anyhow::Context as _;
use mk_engine::{
    AgentSession, CloseOutcome, CommandAsked, CommandHold, Engine, ProjectWatching, Waiver,
};
use mk_types::{AbsPath, ModeSlug};
use mk_wall::exit_code;

use crate::cli::{block_on, engine};
use crate::config::{Config, Flags};
use crate::env::Env;
use crate::output::print_note;
use crate::process::ancestors;
use arguments::{ExecArguments, UsageError};

/// The first argument that leads here.
pub(crate) const NAME: &str = "exec";

const USAGE: &str = "\
Run a command inside the wall: it changes only what the mode allows

Usage: modekeeper exec [OPTIONS] -- <COMMAND>...

Options:
      --mode <SLUG>           Narrow the command to what this mode allows, too
      --time-limit <SECONDS>  End the command after this time, with exit code 124
      --project-root <DIR>    Project directory (default: found from the working directory)
      --inside                Run nothing; exit code 0 if this process is inside a wall
  -h, --help                  Print help
";

/// Runs `exec` with the arguments after its name.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>, env: &Env) -> ExitCode {
    let arguments = match arguments::parse(arguments) {
        Ok(arguments) => arguments,
        Err(UsageError::Help) => {
            return match crate::output::print(USAGE) {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::FAILURE,
            };
        }
        Err(UsageError::Inside) => return ExitCode::from(u8::from(!mk_wall::is_inside())),
        Err(UsageError::Wrong(reason)) => {
            print_note(&format!("{reason}\n\n{USAGE}"));
            return ExitCode::from(2);
        }
    };
    match start(&arguments, env) {
        Ok(StartedExec::Ended(code)) => {
            ExitCode::from(u8::try_from(code & 0xff).unwrap_or(u8::MAX))
        }
        Ok(StartedExec::Refused(reason)) => {
            print_note(&format!("not started: {reason}"));
            ExitCode::from(u8::try_from(exit_code::WALL).unwrap_or(u8::MAX))
        }
        Err(error) => {
            print_note(&format!(
                "not started: {error:#}. Run \"modekeeper doctor\"."
            ));
            ExitCode::from(u8::try_from(exit_code::WALL).unwrap_or(u8::MAX))
        }
    }
}

/// What came of it.
enum StartedExec {
    /// The command's exit code, or the wall's.
    Ended(i32),
    /// The mode does not allow this line, wall or not.
    Refused(String),
}

fn start(arguments: &ExecArguments, env: &Env) -> anyhow::Result<StartedExec> {
    if mk_wall::is_inside() && arguments.mode.is_none() {
        // The outer wall holds this command, too, and cannot be widened from here.
        return Err(replace_with(&arguments.command, arguments.is_shell).into());
    }
    let flags = Flags::in_project(arguments.project_root.clone());
    let config = Config::load(&flags, env)?;
    if let Some(server) = &arguments.server {
        return server::run(server, &arguments.command, &config, env).map(StartedExec::Ended);
    }
    let engine = engine(&config, ProjectWatching::Off);
    let line = arguments.line();
    let hold = hold(&engine, arguments, &line, &config, env)?;
    if let Some(unwalled) = UnwalledCommand::of(arguments, &hold, &line) {
        close(&engine)?;
        if let Some(note) = unwalled.note {
            print_note(note);
        }
        return Err(replace_with(&unwalled.command, arguments.is_shell).into());
    }
    let is_probe = std::env::current_exe().is_ok_and(|it| line == mk_clients::inside_line(&it));
    if hold.permit.is_none()
        && !is_probe
        && let Err(refused) = hold.limits.check_line(&line)
    {
        let hint = refused.hint.map(|hint| format!(". Hint: {hint}."));
        let hint = hint.unwrap_or_else(|| ".".to_owned());
        return Ok(StartedExec::Refused(format!("{}{hint}", refused.reason)));
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
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?;
    }
    let record = record::Record::begin(&config, &line, &hold);
    // Nothing of the engine may run in a thread when the wall forks.
    close(&engine)?;
    let journal = prepared.journal;
    let command = command_of(&arguments.command);
    let code = mk_wall::run(prepared.rights, command, move |_, outcome| {
        let undo = journal.finish();
        record.finish(outcome, undo);
    })?;
    Ok(StartedExec::Ended(code))
}

fn close(engine: &Engine) -> anyhow::Result<()> {
    if engine.close() == CloseOutcome::CutOff {
        anyhow::bail!("the store does not answer: the command was not started");
    }
    Ok(())
}

/// What holds the command: its conversation's mode, or the project's; narrowed by what was asked for.
fn hold(
    engine: &Engine,
    arguments: &ExecArguments,
    line: &str,
    config: &Config,
    env: &Env,
) -> anyhow::Result<CommandHold> {
    let narrowed = arguments.mode.as_deref().map(ModeSlug::parse).transpose()?;
    let directory = env.current_dir.as_deref().and_then(AbsPath::new);
    let directory = directory.context("the working directory cannot be told")?;
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
        above: &ancestors(),
        directory: &directory,
        project: &config.project_root.value,
        line_hash: &mk_engine::line_hash(line),
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

/// A command that runs as it is.
struct UnwalledCommand {
    command: Vec<OsString>,
    note: Option<&'static str>,
}

impl UnwalledCommand {
    /// 1. `--mode` holds, whatever else does.
    /// 2. A person has paused enforcement.
    /// 3. A person has approved the line. Only the line that they have read runs, and not what a client, or somebody in
    ///    its place, has put around it.
    /// 4. An agent's shell asks, where no mode is set.
    fn of(arguments: &ExecArguments, hold: &CommandHold, line: &str) -> Option<Self> {
        let (command, note) = match hold.waiver {
            _ if arguments.mode.is_some() => return None,
            Waiver::Paused => {
                let note = "a person has paused enforcement: the command is not walled";
                (arguments.command.clone(), Some(note))
            }
            Waiver::Approved => {
                let shell = ["/bin/bash", "-c", line].map(OsString::from);
                let note = "a person has approved this line: it is not walled";
                (shell.into(), Some(note))
            }
            Waiver::NoMode if arguments.is_shell => (arguments.command.clone(), None),
            Waiver::NoMode | Waiver::None => return None,
        };
        Some(Self { command, note })
    }
}
