//! The command line: what there is, and who does it. One module a command.

mod acp;
mod approve;
mod backups;
mod check;
mod completions;
mod config;
mod dashboard;
mod decisions;
mod doctor;
mod duration;
pub(crate) mod gc;
mod hook;
mod index;
mod init;
pub(crate) mod install;
mod itself;
mod lsp;
mod man;
mod mcp;
mod memories;
mod mode;
mod modes;
mod pause;
mod person;
mod playbook;
mod replay;
mod run;
mod schema;
mod seatbelt;
mod serve;
mod status;
mod store;
mod symbols;
mod tasks;
mod token;
mod undo;
mod uninstall;
mod wall;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory as _, Parser, Subcommand};
use mk_engine::{Actor, Caller, CloseOutcome, Engine, EngineParts, ProjectWatching};
use mk_types::Clock;

use crate::config::{CommonFlags, Config, Flags, SettingOrigin};
use crate::env::Env;
use crate::log;
use crate::output::print;

/// Keeps AI coding agents in their mode.
///
/// A mode says who an agent is and what it may touch. Modekeeper serves modes over MCP, remembers tasks, and
/// explains every refusal.
#[derive(Debug, Parser)]
#[command(
    name = "modekeeper",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    /// With --version: print the commit and the target too
    #[arg(long, requires = "version")]
    verbose: bool,
    #[command(subcommand)]
    command: CliCommand,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Hold every agent on this machine in this project's mode
    Init(init::InitArgs),
    /// Check that every client is held: fires a forbidden call at each hook
    Doctor(doctor::DoctorArgs),
    /// Show what is in force here: the project's mode, agents, tasks, pending requests, clients and servers
    Status(status::StatusArgs),
    /// Set up one client: MCP server, hook, rules and shell
    Install(install::InstallArgs),
    /// Undo what `init` and `install` changed
    Uninstall(uninstall::UninstallArgs),
    /// Start a client with its shell held in the mode
    Run(run::RunArgs),
    /// Serve MCP on standard input and output, for clients that start the server themselves
    Mcp(mcp::McpArgs),
    /// Give an agent your own modes in any editor that speaks the Agent Client Protocol
    Acp(acp::AcpArgs),
    /// Serve MCP over HTTP: /mcp, /mcp/{mode}, and /sse for older clients
    Serve(serve::ServeArgs),
    /// Open the dashboard of the running server with a one-time link
    Dashboard(dashboard::DashboardArgs),
    /// Create, list and revoke tokens for programs and other machines
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// List, show and check modes
    #[command(subcommand)]
    Modes(modes::ModesCommand),
    /// Check whether a mode allows a tool call; exit code 0 if allowed, 1 if not
    Check(check::CheckArgs),
    /// List, show and update tasks
    #[command(subcommand)]
    Tasks(tasks::TasksCommand),
    /// Approve or deny a pending request; without an ID, list pending requests
    Approve(approve::ApproveArgs),
    /// Show or set the mode that agents are held in
    Mode(mode::ModeArgs),
    /// Show decisions, commands and requests for approval as they come
    Watch(decisions::WatchArgs),
    /// Show decisions about agents' calls, newest last (with --json, newest first)
    Log(decisions::LogArgs),
    /// Evaluate recorded calls again, with the current modes or others
    Replay(replay::ReplayArgs),
    /// Explain a decision and what would allow the call
    Explain(decisions::ExplainArgs),
    /// Suspend enforcement in this project for a while
    Pause(pause::PauseArgs),
    /// Handle one hook event of an agent; called from clients' settings
    Hook(hook::HookArgs),
    /// Check, copy and recover the database of tasks and decisions
    #[command(subcommand)]
    Store(store::StoreCommand),
    /// List and restore backups of files that agents changed
    #[command(subcommand)]
    Backups(backups::BackupsCommand),
    /// Undo what a command or tool changed; without an ID, the last change
    Undo(undo::UndoArgs),
    /// Remove old backups, build caches and leftovers of killed commands
    Gc(gc::GcArgs),
    /// Run a command inside the wall: it changes only what the mode allows
    Exec(ExecArgs),
    /// Print a profile for `sandbox-exec` on macOS that holds a command in a mode; untested
    Seatbelt(seatbelt::SeatbeltArgs),
    /// Find symbols and their uses, outline files, map the project
    #[command(subcommand)]
    Symbols(symbols::SymbolsCommand),
    /// Build or update the symbol index
    Index(index::IndexArgs),
    /// List, install and restart language servers
    #[command(subcommand)]
    Lsp(lsp::LspCommand),
    /// List and print memories of this project
    #[command(subcommand)]
    Memories(memories::MemoriesCommand),
    /// Set up, show and check rules, agents, skills and checklists
    #[command(subcommand)]
    Playbook(playbook::PlaybookCommand),
    /// Show or write the configuration
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Print the JSON Schema of a file that you write, for editors
    Schema(schema::SchemaArgs),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
    /// Print a manual page
    Man(man::ManArgs),
    /// Manage this installation of Modekeeper
    #[command(subcommand, name = "self")]
    Itself(itself::SelfCommand),
}

/// Run a command inside the wall: it changes only what the mode allows
///
/// A permit that a hook has stored says what the command may do; without one, the project's mode does.
#[derive(Debug, Args)]
struct ExecArgs {
    /// Also limit the command to what this mode allows
    #[arg(long, value_name = "SLUG")]
    mode: Option<String>,
    /// End the command after this time, with exit code 124
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<u64>,
    /// Run nothing; exit code 0 if this process is inside a wall
    #[arg(long)]
    inside: bool,
    /// Program and arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Options of every command.
#[derive(Debug, Args)]
struct CommonArgs {
    /// Configuration file (default: config.json in Modekeeper's configuration directory)
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    settings: CommonFlags,
}

/// Whether the answer is for a person or a program.
#[derive(Debug, Clone, Copy, Args)]
struct FormatArgs {
    /// Answer with JSON
    #[arg(long)]
    json: bool,
}

/// Commands that people try first, and what they are called here.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("setup", "init"),
    ("connect", "init"),
    ("check-install", "doctor"),
    ("remove", "uninstall"),
    ("start", "serve"),
];

/// Reads the command line, or says what is wrong with it and with which code to end.
pub(crate) fn parse(env: &Env) -> Result<Cli, ExitCode> {
    refuse_agents(env)?;
    Cli::try_parse().map_err(|mut error| {
        if error.kind() == ErrorKind::DisplayVersion && is_verbose() {
            return match print(&crate::version::verbose()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::FAILURE,
            };
        }
        let tried = match error.get(ContextKind::InvalidSubcommand) {
            Some(ContextValue::String(tried)) => tried.clone(),
            _ => String::new(),
        };
        if let Some((_, name)) = OTHER_NAMES.iter().find(|(other, _)| *other == tried) {
            let names = ContextValue::Strings(vec![(*name).to_owned()]);
            error.insert(ContextKind::SuggestedSubcommand, names);
        }
        error.exit()
    })
}

/// Refuses what is a person's, before its arguments are looked at. What an agent may call is the policy's list, by which
/// its shell lines are judged, too: a command that is not in it is for people.
fn refuse_agents(env: &Env) -> Result<(), ExitCode> {
    let Some(above) = person::agent_above(env) else {
        return Ok(());
    };
    // Without errors of its own this reads the same words as the real one.
    let Ok(matches) = Cli::command().ignore_errors(true).try_get_matches() else {
        return Ok(());
    };
    let mut words = Vec::new();
    let mut matches = &matches;
    while let Some((word, below)) = matches.subcommand() {
        words.push(word);
        matches = below;
    }
    if words.is_empty() || mk_policy::agents_may_call(&words) {
        return Ok(());
    }
    crate::output::print_error(&above.refusal(&words.join(" ")));
    Err(ExitCode::FAILURE)
}

/// `--version` ends parsing, so what follows it has not been read.
fn is_verbose() -> bool {
    std::env::args_os().any(|argument| argument == "--verbose")
}

pub(crate) fn run(cli: Cli, env: &Env) -> anyhow::Result<ExitCode> {
    let Cli {
        command, common, ..
    } = cli;
    let mut flags = Flags::new(common.config, common.settings);
    match command {
        CliCommand::Init(args) => init::run(&args, &start(&flags, env)?, env),
        CliCommand::Doctor(args) => doctor::run(&args, &start(&flags, env)?, env),
        CliCommand::Status(args) => status::run(&args, &start(&flags, env)?, env),
        CliCommand::Install(args) => install::run(&args, &start(&flags, env)?, env),
        CliCommand::Uninstall(args) => uninstall::run(&args, &start(&flags, env)?, env),
        CliCommand::Run(args) => run::run(&args, env),
        CliCommand::Mcp(args) => mcp::run(&args, &start_server(&flags, env)?, env),
        CliCommand::Acp(args) => acp::run(&args, &start_server(&flags, env)?, env),
        CliCommand::Serve(args) => {
            flags.add(args.settings.clone());
            serve::run(&args, &start_server(&flags, env)?)
        }
        CliCommand::Dashboard(args) => dashboard::run(&args, &start(&flags, env)?, env),
        CliCommand::Token(command) => token::run(&command, &start(&flags, env)?),
        CliCommand::Modes(command) => modes::run(command, &start(&flags, env)?, env),
        CliCommand::Check(args) => check::run(&args, &start(&flags, env)?),
        CliCommand::Tasks(command) => tasks::run(command, &start(&flags, env)?),
        CliCommand::Approve(args) => approve::run(&args, &start(&flags, env)?),
        CliCommand::Mode(args) => mode::run(&args, &start(&flags, env)?, env),
        CliCommand::Watch(args) => decisions::watch(&args, &start(&flags, env)?),
        CliCommand::Log(args) => decisions::log(&args, &start(&flags, env)?),
        CliCommand::Replay(args) => replay::run(&args, &start(&flags, env)?),
        CliCommand::Explain(args) => decisions::explain(&args, &start(&flags, env)?),
        CliCommand::Pause(args) => pause::run(&args, &start(&flags, env)?),
        CliCommand::Hook(args) => hook::run(&args),
        CliCommand::Store(command) => store::run(&command, &start(&flags, env)?),
        CliCommand::Backups(command) => backups::run(&command, &start(&flags, env)?),
        CliCommand::Undo(args) => undo::run(&args, &start(&flags, env)?),
        CliCommand::Gc(args) => gc::run(&args, &start(&flags, env)?),
        CliCommand::Exec(args) => {
            // Where there is a wall, `main` has run it before anything was parsed, if it comes first.
            drop(args);
            if cfg!(target_os = "linux") {
                anyhow::bail!(
                    "options stand behind `exec`: modekeeper exec [OPTIONS] -- <COMMAND>...; \
                     the store is named by MODEKEEPER_STORE or the configuration"
                );
            }
            anyhow::bail!("this system has no wall: the command was not started")
        }
        CliCommand::Seatbelt(args) => seatbelt::run(&args, &start(&flags, env)?, env),
        CliCommand::Symbols(command) => symbols::run(command, &start(&flags, env)?),
        CliCommand::Index(args) => index::run(&args, &start(&flags, env)?),
        CliCommand::Lsp(command) => lsp::run(&command, &start(&flags, env)?),
        CliCommand::Memories(command) => memories::run(&command, &start(&flags, env)?),
        CliCommand::Playbook(command) => playbook::run(&command, &start(&flags, env)?),
        CliCommand::Config(command) => config::run(&command, &start(&flags, env)?),
        CliCommand::Schema(args) => schema::run(&args),
        CliCommand::Completions(args) => completions::run(&args),
        CliCommand::Man(args) => man::run(&args),
        CliCommand::Itself(command) => itself::run(&command, &start(&flags, env)?, env),
    }
}

/// Reads the configuration and starts the log of a server.
fn start_server(flags: &Flags, env: &Env) -> anyhow::Result<Config> {
    let config = Config::load(flags, env)?;
    start_log(&config, log::Level::All(config.log_filter()))?;
    Ok(config)
}

/// The same for a command that a person waits for: the answer is what they want to see, unless they asked for more.
fn start(flags: &Flags, env: &Env) -> anyhow::Result<Config> {
    let config = Config::load(flags, env)?;
    let level = match config.log_level.origin {
        SettingOrigin::Default => log::Level::OwnWords,
        _ => log::Level::All(config.log_filter()),
    };
    start_log(&config, level)?;
    Ok(config)
}

fn start_log(config: &Config, level: log::Level) -> anyhow::Result<()> {
    let log_file = config.log_file.value.as_deref();
    log::start(level, log_file).with_context(|| match log_file {
        Some(path) => format!("cannot write the log file `{}`", path.display()),
        None => "cannot start the log".to_owned(),
    })?;
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    if config.persistence.value && config.storage_path.value.is_none() {
        tracing::warn!(
            "there is no home directory: tasks are kept in memory only and end with this process; set HOME or \
             MODEKEEPER_STATE_DIR"
        );
    }
    Ok(())
}

pub(crate) fn engine(config: &Config, watching: ProjectWatching) -> Engine {
    Engine::new(engine_parts(config, watching))
}

pub(crate) fn engine_parts(config: &Config, watching: ProjectWatching) -> EngineParts {
    EngineParts {
        settings: config.settings(watching),
        folders: config.folders(),
        store: config.store_location(),
        clock: Clock::System,
        own_tools: mk_tools::own_tools(),
    }
}

/// The person at the command line, in the project they are in.
fn operator(config: &Config) -> Caller {
    Caller::in_project(config.project_root.value.clone(), Actor::Operator)
}

/// Puts everything on disk; the exit code tells whether something was cut off.
fn close(engine: &Engine) -> ExitCode {
    match engine.close() {
        CloseOutcome::Complete => ExitCode::SUCCESS,
        CloseOutcome::CutOff => ExitCode::FAILURE,
    }
}

/// Waits for other programs.
fn block_on_processes<T>(work: impl Future<Output = T>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    Ok(runtime.block_on(work))
}

/// Waits for a use case without a server around it.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    Ok(runtime.block_on(work))
}
