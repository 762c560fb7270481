//! `modekeeper install`: sets up clients on this machine. `init` and `uninstall` use the same parts.

pub(crate) mod canary;
mod disk;
mod journal;
mod process;
mod program;
mod project;
mod proposal;
mod reach;
pub(crate) mod survey;
mod trust;

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use mk_clients::settings::JsonReading;
use mk_clients::{
    ChangePurpose, ClientFloor, ClientId, FileContent, InstallScope, SettingsChange, Setup,
    ShellScripts, editor_agents,
};

use crate::cli::{block_on_processes, person};
use crate::config::Config;
use crate::env::Env;
use crate::output::{OutputStyle, print, print_progress};

pub(crate) use canary::{Cage, CanaryResult};
use journal::JournalPlace;
pub(crate) use journal::{AppliedChange, InstallJournal, UndoneChange};
pub(crate) use program::InstallPlace;
pub(crate) use project::{
    find_mode, floor, floor_of, has_other_mode, make_store, reachable_floor, require_project,
    set_up_project,
};
pub(crate) use survey::{FoundClient, SurveyPlace, VersionSource, survey};

/// Set up one client: MCP server, hook, rules and shell
///
/// Your own settings stay as they are, comments included. `modekeeper uninstall` undoes every change.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// Client, such as claude-code, codex, copilot, gemini, qwen, opencode or cline
    client: String,
    #[command(flatten)]
    how: HowArgs,
}

/// How clients are set up.
#[derive(Debug, Clone, Args)]
pub(crate) struct HowArgs {
    /// Where to write: your own settings or those of the project
    #[arg(long, value_enum, default_value_t = ScopeArg::User)]
    pub(crate) scope: ScopeArg,
    /// Have each client's own rules refuse what this mode refuses, even if the hook fails
    #[arg(long, value_name = "SLUG")]
    pub(crate) floor: Option<String>,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArg {
    /// All your projects
    User,
    /// This project only
    Project,
}

pub(crate) fn run(args: &InstallArgs, config: &Config, env: &Env) -> anyhow::Result<ExitCode> {
    let client = known_client(&args.client)?;
    if !client.atlas().can_be_installed() {
        let atlas = client.atlas();
        bail!(
            "{} cannot be set up from here: {}",
            atlas.name,
            atlas.open.join("; ")
        );
    }
    let workshop = Workshop::new(config, env, &args.how)?;
    let found = workshop.survey(std::iter::once(client), args.how.versions())?;
    // One that was not found is set up all the same: the user has named it.
    let found = match found.is_empty() {
        false => found,
        true => vec![FoundClient {
            client,
            program: None,
            version: None,
        }],
    };
    if !workshop.propose(&found, &args.how, None)? {
        return Ok(args.how.refused());
    }
    // Without a store hooks deny everything, and the canary would take that for the mode's word.
    make_store(config)?;
    let code = workshop.set_up_all(&found, &args.how)?;
    person::record_in(config, "set up", client.slug());
    Ok(code)
}

impl HowArgs {
    /// Clients write caches when they are started, and a dry run changes nothing.
    pub(crate) fn versions(&self) -> VersionSource {
        match self.dry_run {
            true => VersionSource::Trace,
            false => VersionSource::Itself,
        }
    }

    /// The exit code when nothing was changed: as wished, or because the user did not agree.
    pub(crate) fn refused(&self) -> ExitCode {
        match self.dry_run {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        }
    }
}

pub(crate) fn known_client(name: &str) -> anyhow::Result<ClientId> {
    let Some(client) = ClientId::parse(name) else {
        let slugs: Vec<&str> = ClientId::ALL.into_iter().map(ClientId::slug).collect();
        bail!(
            "`{name}` is not a client that Modekeeper knows: choose one of {}",
            slugs.join(", ")
        );
    };
    Ok(client)
}

/// Everything that setting up and taking out needs.
#[derive(Debug)]
pub(crate) struct Workshop {
    pub(crate) place: InstallPlace,
    state: PathBuf,
    setup: Setup,
    search_path: std::ffi::OsString,
    trust_variables: Vec<(&'static str, String)>,
}

impl Workshop {
    pub(crate) fn new(config: &Config, env: &Env, how: &HowArgs) -> anyhow::Result<Self> {
        let floor = match &how.floor {
            Some(slug) => Some(floor(config, slug)?),
            None => reachable_floor(config, how.scope),
        };
        Self::with_floor(config, env, how.scope, floor)
    }

    pub(crate) fn with_floor(
        config: &Config,
        env: &Env,
        scope: ScopeArg,
        floor: Option<ClientFloor>,
    ) -> anyhow::Result<Self> {
        let home = env
            .home
            .clone()
            .context("cannot determine the home directory, so hooks deny every call: set HOME")?;
        let place = InstallPlace::of(env)
            .context("cannot determine the home directory, so hooks deny every call: set HOME")?;
        let moved = env.xdg_config_home.clone();
        let setup = Setup {
            config_home: moved.unwrap_or_else(|| home.join(".config")),
            project: config.project_root.value.as_path().to_owned(),
            scope: match scope {
                ScopeArg::User => InstallScope::User,
                ScopeArg::Project => InstallScope::Project,
            },
            program: place.program(),
            shell: mk_wall::holds().then(|| place.scripts()),
            floor,
            moved: env.client_directories.clone(),
            own_variables: env.own_directories(),
            agents: editor_agents(|program| process::find(&[program], &env.search_path)),
            home,
        };
        Ok(Self {
            place,
            state: config.folders().state,
            setup,
            search_path: env.search_path.clone(),
            trust_variables: env.trust_variables.clone(),
        })
    }

    pub(crate) fn journal(&self) -> anyhow::Result<InstallJournal> {
        let place = JournalPlace {
            project: self.setup.project.clone(),
            scope: self.setup.scope,
        };
        InstallJournal::open(&self.state, place)
    }

    pub(crate) fn cage(&self) -> Cage<'_> {
        Cage {
            program: &self.setup.program,
            project: &self.setup.project,
            search_path: &self.search_path,
        }
    }

    pub(crate) fn survey(
        &self,
        clients: impl Iterator<Item = ClientId>,
        versions: VersionSource,
    ) -> anyhow::Result<Vec<FoundClient>> {
        let place = SurveyPlace {
            home: &self.setup.home,
            search_path: &self.search_path,
            versions,
        };
        print_progress("asking clients for their versions …");
        block_on_processes(survey(clients, place))?
    }

    /// Writes, and looks whether it holds.
    pub(crate) fn set_up_all(
        &self,
        found: &[FoundClient],
        how: &HowArgs,
    ) -> anyhow::Result<ExitCode> {
        self.place.fill(&self.setup.own_variables)?;
        let mut journal = self.journal()?;
        for found in found {
            self.set_up(&mut journal, found.client)?;
        }
        if found
            .iter()
            .any(|it| it.client == ClientId::Codex && it.program.is_some())
        {
            self.offer_trust(&mut journal, how)?;
        }
        self.report(found)
    }

    /// What is missing of a client's entries; `None` if all are in place or it cannot be told.
    pub(crate) fn missing_entries(&self, client: ClientId) -> anyhow::Result<Option<String>> {
        let missing = self.journal()?.missing(client)?;
        let slug = client.slug();
        Ok(missing.map(|file| {
            format!(
                "{} does not have its entries: run `modekeeper install {slug}`",
                file.display()
            )
        }))
    }

    fn changes(&self, client: ClientId) -> Vec<SettingsChange> {
        let mut setup = self.setup.clone();
        if !self.can_lead(client) {
            setup.shell = None;
        }
        client.atlas().changes(&setup)
    }

    /// Whether lines that a client runs can reach our state. Where its own sandbox keeps them from it, a shell that is led
    /// through `exec` would run nothing.
    fn can_lead(&self, client: ClientId) -> bool {
        let Some(change) = client.atlas().unsandboxed(&self.setup) else {
            return true;
        };
        let text = std::fs::read_to_string(&change.file).unwrap_or_default();
        match &change.content {
            FileContent::Entries { format, edits } => {
                mk_clients::settings::has_all(*format, &text, edits)
            }
            FileContent::Whole { .. } => false,
        }
    }

    /// Our scripts, if the client's settings lead its shell through them.
    pub(crate) fn led_shell(&self, client: ClientId) -> anyhow::Result<Option<&ShellScripts>> {
        let changes = client.atlas().changes(&self.setup);
        let edits = changes
            .iter()
            .filter(|it| it.purpose == ChangePurpose::Shell);
        let mut edits = edits
            .flat_map(|change| match &change.content {
                FileContent::Entries { edits, .. } => edits.as_slice(),
                FileContent::Whole { .. } => &[],
            })
            .peekable();
        let is_led = edits.peek().is_some() && self.journal()?.has_all(client, edits);
        Ok(self.setup.shell.as_ref().filter(|_| is_led))
    }

    fn set_up(&self, journal: &mut InstallJournal, client: ClientId) -> anyhow::Result<()> {
        let changes = self.changes(client);
        if journal.is_stale(client, &changes) {
            journal.retire(client)?;
        }
        let style = OutputStyle::stdout();
        for change in changes {
            let purpose = change.purpose.name();
            // One client whose settings cannot be read must not keep the others from being held.
            let line = match journal.apply(client, &change) {
                Ok(AppliedChange::Written(file)) => {
                    format!("wrote {} ({purpose})\n", file.display())
                }
                Ok(AppliedChange::Unchanged) => continue,
                Ok(AppliedChange::Taken(file, why)) => {
                    let note = format!("left {} alone ({purpose}): {why}", file.display());
                    format!("{}\n", style.yellow(&note))
                }
                Err(error) => {
                    let note = format!("no {purpose} for {}: {error:#}", client.atlas().name);
                    format!("{}\n", style.red(&note))
                }
            };
            print(&line)?;
        }
        Ok(())
    }

    /// Codex asks a person about a new hook before it runs it; so do we.
    fn offer_trust(&self, journal: &mut InstallJournal, how: &HowArgs) -> anyhow::Result<()> {
        let (path, project) = (&self.search_path, &self.setup.project);
        let hooks = match block_on_processes(trust::hooks(path, project))? {
            Ok(hooks) => hooks,
            Err(error) => {
                return print(&format!(
                    "Codex was not asked to trust the hook: {error:#}\n"
                ));
            }
        };
        let new: Vec<_> = hooks.into_iter().filter(|hook| !hook.is_trusted).collect();
        let Some(first) = new.first() else {
            return Ok(());
        };
        print(&format!(
            "\nCodex runs a hook only if you trust it:\n  {}\n",
            first.command
        ))?;
        if agreed("Trust it?", how)? {
            block_on_processes(trust::trust(path, project, &new))??;
            let entries: Vec<_> = new.iter().map(trust::KnownHook::entry).collect();
            let changes = self.changes(ClientId::Codex);
            if let Some(change) = changes.iter().find(|change| change.kept_by_client) {
                journal.adopt(ClientId::Codex, &change.file, &entries)?;
            }
            if how.yes {
                print("trusted, because of `--yes`\n")?;
            }
        }
        Ok(())
    }

    /// Whether a client is held, its shell included.
    pub(crate) fn look(&self, client: ClientId) -> anyhow::Result<CanaryResult> {
        if let Some(reason) = self.missing_entries(client)? {
            return Ok(CanaryResult::NotYet { reason });
        }
        if let Some(file) = self.journal()?.unread_json(client)? {
            let (name, file) = (client.atlas().name, file.display());
            let reason = match client.atlas().json {
                JsonReading::Plain => format!(
                    "{name} passes over {file}, because it is not plain JSON: remove comments and commas before a closing bracket"
                ),
                JsonReading::Comments | JsonReading::Lenient => format!(
                    "{name} does not start with {file}: remove commas before a closing bracket"
                ),
            };
            return Ok(CanaryResult::NotYet { reason });
        }
        if let Some(found) = self.out_of_reach(client)? {
            return Ok(found);
        }
        let scripts = self.led_shell(client)?;
        if scripts.is_some() && !self.can_lead(client) {
            let slug = client.slug();
            let reason = format!(
                "its own sandbox is on and blocks the shell that Modekeeper set up: run `modekeeper install {slug}` again"
            );
            return Ok(CanaryResult::NotYet { reason });
        }
        block_on_processes(async {
            match canary::fire(client, self.cage()).await {
                CanaryResult::Enforced { milliseconds, .. } => {
                    canary::try_shell(client, self.cage(), scripts, milliseconds).await
                }
                other => other,
            }
        })
    }

    /// The canary of each client. Fails if one is not held.
    pub(crate) fn report(&self, found: &[FoundClient]) -> anyhow::Result<ExitCode> {
        let style = OutputStyle::stdout();
        let mut code = ExitCode::SUCCESS;
        print("\n")?;
        let width = found.iter().map(|it| it.title().chars().count()).max();
        for found in found {
            let held = self.look(found.client)?;
            if held.is_bad() {
                code = ExitCode::FAILURE;
            }
            let title = found.title();
            let gap = " ".repeat(width.unwrap_or_default() - title.chars().count());
            print(&format!("{title}{gap}  {}\n", painted(&held, style)))?;
        }
        Ok(code)
    }
}

pub(crate) fn painted(held: &CanaryResult, style: OutputStyle) -> String {
    match held {
        CanaryResult::Enforced { .. } => style.green(&held.text()),
        CanaryResult::ToolsOnly => style.dim(&held.text()),
        CanaryResult::NotYet { .. } => style.red(&held.text()),
    }
}

/// The program on the search path that starts a client.
pub(crate) fn client_program(client: ClientId, env: &Env) -> Option<PathBuf> {
    process::find(client.atlas().programs, &env.search_path)
}

/// The `modekeeper` that a person would start.
pub(crate) fn installed_program(env: &Env) -> Option<PathBuf> {
    process::find(&["modekeeper"], &env.search_path)
}

/// A person's answer, or their `--yes`.
pub(crate) fn agreed(question: &str, how: &HowArgs) -> anyhow::Result<bool> {
    if how.yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() {
        bail!("no terminal to ask on: repeat with --yes");
    }
    print(&format!("{question} [y/N] "))?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
