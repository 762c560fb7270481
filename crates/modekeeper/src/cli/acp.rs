//! `modekeeper acp`: stands between an editor and its agent, on standard input and output.

mod canary;
mod launch;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use mk_acp::{EditorAttendance, Error, Exit, Options, Relay};
use mk_clients::{ACP_TOOLS, ClientId, acp_client};
use mk_engine::{AgentShell, Engine, EngineParts, HookSettings, OwnTool, ProjectWatching};
use mk_types::{AbsPath, Clock, ConversationId};

use crate::approver;
use crate::cli::close;
use crate::cli::install::known_client;
use crate::cli::mcp::stop_signal;
use crate::code_pages::CodePages;
use crate::config::Config;
use crate::env::Env;

/// Give an agent your own modes in any editor that speaks the Agent Client Protocol
///
/// Put it before the agent's command in the editor's settings: `modekeeper acp -- claude-agent-acp`.
#[derive(Debug, Args)]
pub(crate) struct AcpArgs {
    /// Product of the agent, if the program's name does not show it: claude-code, codex, copilot, gemini, qwen or opencode
    #[arg(long, value_name = "CLIENT")]
    client: Option<String>,
    /// Forward all messages unchanged and do nothing else
    #[arg(long)]
    passthrough: bool,
    /// Write the conversation to a file for a bug report, without secrets
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Program that starts the agent, with its arguments
    #[arg(last = true, required = true, value_name = "AGENT")]
    command: Vec<String>,
}

pub(crate) fn run(args: &AcpArgs, config: &Config, env: &Env) -> anyhow::Result<ExitCode> {
    let client = match &args.client {
        Some(name) => Some(known_client(name)?),
        None => acp_client(&args.command),
    };
    let directory = env.current_dir.as_deref().and_then(AbsPath::new);
    let directory = directory.context("cannot determine the working directory")?;
    let relay = match args.passthrough {
        true => Relay::Passthrough,
        false => Relay::Modes,
    };
    let engine = engine(client, config);
    let settings = HookSettings {
        mode: config.configured_mode().cloned(),
        shell: AgentShell::Open,
    };
    let launcher =
        launch::AgentLauncher::new(args, client.filter(|_| relay == Relay::Modes), config, env)?;
    // One thread is enough for one editor, and the fastest to start.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(async {
        if let Some(client) = launcher.hooked_client() {
            canary::require(client, &engine, &directory, &settings).await?;
        }
        let stop = stop_signal()?;
        let state = config.folders().state;
        let pages = CodePages::find();
        let options = Options {
            relay,
            client,
            meta: launcher.meta(),
            server: (relay == Relay::Modes).then(|| launcher.server()),
            trace: args.trace.clone(),
            names: state.join("acp-sessions"),
            attend: Box::new(move |conversation| attend(&state, conversation)),
            rest: Box::new(move || pages.give_back()),
            directory: directory.clone(),
            settings: settings.clone(),
        };
        let first = match relay {
            Relay::Modes => {
                let start = engine.conversations().mode_at(&directory, &settings)?;
                let catalogue = engine.modes().catalogue_at(&directory);
                catalogue.get(start.as_str()).cloned()
            }
            Relay::Passthrough => None,
        };
        let launch = launcher.into_launch(first);
        let editor = mk_acp::stdio::open()?;
        let proxy = mk_acp::run(engine.clone(), options, launch, editor, stop);
        anyhow::Ok(Box::pin(proxy).await)
    });
    let exit = close(&engine);
    // A thread that waits for a terminal's next line would keep us here.
    runtime.shutdown_background();
    match outcome? {
        Ok(Exit::EditorLeft | Exit::Stopped) => Ok(exit),
        Err(Error::AgentEnded { status }) => bail!("the agent ended with {status}"),
        Err(error) => Err(error.into()),
    }
}

/// Knows the agent's own tools besides ours, and the kinds of calls that the protocol tells of.
fn engine(client: Option<ClientId>, config: &Config) -> Engine {
    let mut tools = mk_tools::own_tools();
    tools.extend(OwnTool::of_rows(ACP_TOOLS));
    if let Some(client) = client {
        tools.extend(OwnTool::of_client(client));
    }
    Engine::new(EngineParts {
        settings: config.settings(ProjectWatching::On),
        folders: config.folders(),
        store: config.store_location(),
        clock: Clock::System,
        own_tools: tools,
    })
}

/// The hook waits for an answer as long as this is kept.
fn attend(state: &std::path::Path, conversation: &ConversationId) -> Option<EditorAttendance> {
    match approver::connect_in(state, conversation) {
        Ok(connected) => Some(Box::new(connected)),
        Err(error) => {
            tracing::warn!("approval requests of the hook are not shown in the editor: {error:#}");
            None
        }
    }
}
