//! How the agent is started: together with our hook, or with a policy file where its hooks do not fire.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use mk_acp::{AgentCommand, LaunchAgent, OwnServer};
use mk_clients::{AcpRun, ClientId, Injection, InstallScope, Setup, acp_habits, injection};
use mk_policy::Mode;
use serde_json::Value;
use tempfile::TempDir;

use crate::cli::acp::AcpArgs;
use crate::cli::install::floor_of;
use crate::config::Config;
use crate::env::{CONVERSATION, Env};

/// All that starting needs, more than once for some products.
#[derive(Debug)]
pub(super) struct AgentLauncher {
    client: Option<ClientId>,
    command: AgentCommand,
    setup: Setup,
    own: Vec<(&'static str, String)>,
    /// Files for the agent, where something is injected; gone when we are.
    files: Option<TempDir>,
}

impl AgentLauncher {
    /// `client` is `None` where nothing is injected.
    pub(super) fn new(
        args: &AcpArgs,
        client: Option<ClientId>,
        config: &Config,
        env: &Env,
    ) -> anyhow::Result<Self> {
        let (program, arguments) = args.command.split_first().context("no agent is named")?;
        let directory = env
            .current_dir
            .clone()
            .context("cannot determine the working directory")?;
        let own_program = std::env::current_exe().context("cannot find this program's own file")?;
        let home = env.home.clone().unwrap_or_default();
        let files = client.map(|_| directory_in(&config.folders().state));
        let files = files.transpose()?;
        Ok(Self {
            client,
            command: AgentCommand {
                program: PathBuf::from(program),
                arguments: arguments.iter().map(OsString::from).collect(),
                directory: directory.clone(),
                environment: Vec::new(),
            },
            setup: Setup {
                config_home: env
                    .xdg_config_home
                    .clone()
                    .unwrap_or_else(|| home.join(".config")),
                home,
                project: directory,
                scope: InstallScope::User,
                program: own_program,
                shell: None,
                floor: None,
                moved: env.client_directories.clone(),
                own_variables: env.own_directories(),
                agents: Vec::new(),
            },
            own: env.agent_variables.clone(),
            files,
        })
    }

    /// The product whose hook must answer before it is started.
    pub(super) fn hooked_client(&self) -> Option<ClientId> {
        self.client.filter(|client| acp_habits(Some(*client)).hook)
    }

    /// What sessions carry.
    pub(super) fn meta(&self) -> Option<Value> {
        self.injection(None).meta
    }

    /// Our MCP server, as `init` would set it up.
    pub(super) fn server(&self) -> OwnServer {
        let variables = self.setup.own_variables.iter();
        OwnServer {
            command: self.setup.program.display().to_string(),
            arguments: vec!["mcp".to_owned()],
            environment: variables
                .map(|(name, path)| ((*name).to_owned(), path.display().to_string()))
                .collect(),
            variable: CONVERSATION.to_owned(),
        }
    }

    fn injection(&self, mode: Option<&Mode>) -> Injection {
        let (Some(client), Some(files)) = (self.client, &self.files) else {
            return Injection::default();
        };
        let setup = Setup {
            floor: mode.map(floor_of),
            ..self.setup.clone()
        };
        let run = AcpRun {
            setup: &setup,
            directory: files.path(),
            environment: &self.own,
        };
        injection(client, run)
    }

    /// Starts in `first`, unless another mode is asked for.
    pub(super) fn into_launch(self, first: Option<Arc<Mode>>) -> LaunchAgent {
        Box::new(move |mode| {
            let injection = self.injection(mode.or(first.as_deref()));
            let mut command = self.command.clone();
            let start_error = |source| mk_acp::Error::Start {
                program: command.program.display().to_string(),
                source,
            };
            for (name, text) in &injection.files {
                let Some(files) = &self.files else { break };
                let file = files.path().join(name);
                let folder = file.parent().unwrap_or(files.path());
                fs::create_dir_all(folder).map_err(start_error)?;
                write(&file, text).map_err(start_error)?;
            }
            command
                .arguments
                .extend(injection.arguments.iter().map(OsString::from));
            let variables = injection.environment.into_iter();
            command
                .environment
                .extend(variables.map(|(name, value)| (name.to_owned(), value)));
            mk_acp::start(&command)
        })
    }
}

/// A directory of this run that nobody else can read.
fn directory_in(state: &Path) -> anyhow::Result<TempDir> {
    let mut maker = fs::DirBuilder::new();
    let made = maker.recursive(true).mode(0o700).create(state);
    made.with_context(|| format!("cannot create `{}`", state.display()))?;
    let files = tempfile::Builder::new().prefix("acp-").tempdir_in(state);
    files.with_context(|| format!("cannot create a directory in `{}`", state.display()))
}

fn write(file: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    fs::File::create(file)?.write_all(text.as_bytes())
}
