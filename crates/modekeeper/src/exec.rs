//! `modekeeper exec`: runs a command inside the wall, under the mode that holds for it.
//!
//! Dispatched before the command line is parsed and before any runtime starts, because an agent's every line pays for
//! it. Rights never come from the arguments: a permit says them, or the project's mode does; `--mode` only narrows.

mod arguments;
mod journal;
mod permit;
mod rights;
mod table;

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use mk_engine::{Actor, Caller, Closed, CommandPermit, Engine, Watching};
use mk_types::ModeSlug;
use mk_wall::exit_code;

use crate::cli::engine;
use crate::config::{Config, Flags};
use crate::env::Env;
use crate::output::print_note;
use arguments::{Arguments, Usage};

/// The first argument that leads here.
pub(crate) const NAME: &str = "exec";

const USAGE: &str = "\
Run a command inside the wall: it changes only what the mode allows

Usage: modekeeper exec [--mode <SLUG>] [--project-root <DIR>] -- <COMMAND>...

Options:
      --mode <SLUG>         Narrow the command to what this mode allows, too
      --project-root <DIR>  Project directory (default: found from the working directory)
      --inside              Run nothing; exit code 0 if this process is inside a wall
  -h, --help                Print help
";

/// Runs `exec` with the arguments after its name.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>, env: &Env) -> ExitCode {
    let arguments = match arguments::parse(arguments) {
        Ok(arguments) => arguments,
        Err(Usage::Help) => {
            return match crate::output::print(USAGE) {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::FAILURE,
            };
        }
        Err(Usage::Inside) => return ExitCode::from(u8::from(!mk_wall::is_inside())),
        Err(Usage::Wrong(reason)) => {
            print_note(&format!("{reason}\n\n{USAGE}"));
            return ExitCode::from(2);
        }
    };
    match start(&arguments, env) {
        Ok(Started::Ended(code)) => ExitCode::from(u8::try_from(code & 0xff).unwrap_or(u8::MAX)),
        Ok(Started::Refused(reason)) => {
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
enum Started {
    /// The command's exit code, or the wall's.
    Ended(i32),
    /// The mode does not allow this line, wall or not.
    Refused(String),
}

fn start(arguments: &Arguments, env: &Env) -> anyhow::Result<Started> {
    if mk_wall::is_inside() && arguments.mode.is_none() {
        // The outer wall holds this command, too, and cannot be widened from here.
        return Err(replace_with(&arguments.command).into());
    }
    let flags = Flags::in_project(arguments.project_root.clone());
    let config = Config::load(&flags, env)?;
    let engine = engine(&config, Watching::Off);
    let narrowed = arguments.mode.as_deref().map(ModeSlug::parse).transpose()?;
    let taken = permit::take(&config, env, &arguments.command)?;
    let limits = limits(&engine, &config, narrowed.as_ref(), taken.as_ref())?;
    if taken.is_none()
        && let Err(refused) = limits.check_line(&arguments.line())
    {
        let hint = refused.hint.map(|hint| format!(". Hint: {hint}."));
        let hint = hint.unwrap_or_else(|| ".".to_owned());
        return Ok(Started::Refused(format!("{}{hint}", refused.reason)));
    }
    let prepared = rights::prepare(&limits, &config, env)?;
    let command = command_of(&arguments.command);
    let record = permit::Record::begin(&config, &arguments.command, &limits, taken);
    // Nothing of the engine may run in a thread when the wall forks.
    if engine.close() == Closed::CutOff {
        anyhow::bail!("the store does not answer: the command was not started");
    }
    let journal = prepared.journal;
    let code = mk_wall::run(prepared.rights, command, move |_, outcome| {
        let undo = journal.finish();
        record.finish(outcome, undo.as_deref());
    })?;
    Ok(Started::Ended(code))
}

/// What the command may do: its permit's mode, or the project's; narrowed by what was asked for.
fn limits(
    engine: &Engine,
    config: &Config,
    narrowed: Option<&ModeSlug>,
    taken: Option<&CommandPermit>,
) -> anyhow::Result<mk_engine::CommandLimits> {
    let mut caller = Caller::in_project(config.project_root.value.clone(), Actor::Agent);
    caller.mode = taken.map(|permit| permit.mode.clone());
    Ok(engine.project(&caller).command_limits(narrowed)?)
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
fn replace_with(words: &[OsString]) -> std::io::Error {
    command_of(words).exec()
}
