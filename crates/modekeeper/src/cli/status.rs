//! `modekeeper status`: what holds here, at a glance. Starts no other program: `modekeeper doctor` does.

use std::process::ExitCode;

use clap::Args;
use mk_clients::ClientId;
use mk_engine::{
    ApprovalRequest, Engine, ListedTask, ProjectWatching, SessionFilter, Standpoint, TaskState,
};
use mk_types::ModeSlug;
use serde_json::{Value, json};

use crate::cli::install::{ScopeArg, Workshop};
use crate::cli::modes::trouble;
use crate::cli::serve::announce::{self, AnnouncedServer};
use crate::cli::{FormatArgs, approve, engine, mode, tasks};
use crate::config::Config;
use crate::env::Env;
use crate::output::{OutputStyle, print, print_json};

/// Show what is in force here: the project's mode, agents, tasks, pending requests, clients and servers
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    format: FormatArgs,
}

/// What there is to say.
struct Overview {
    standpoint: Standpoint,
    configured: Option<ModeSlug>,
    tasks: Vec<ListedTask>,
    approvals: Vec<ApprovalRequest>,
    clients: Vec<HeldClient>,
    servers: Vec<AnnouncedServer>,
    /// What keeps modes from being what their files say.
    trouble: Vec<String>,
}

/// A client that was set up.
struct HeldClient {
    client: ClientId,
    /// Why it is not held any more.
    problem: Option<String>,
}

pub(crate) fn run(args: &StatusArgs, config: &Config, env: &Env) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let found = Overview::of(&engine, config, env)?;
    if args.format.json {
        print_json(&found.json())?;
    } else {
        print(&found.text(OutputStyle::stdout()))?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Overview {
    fn of(engine: &Engine, config: &Config, env: &Env) -> anyhow::Result<Self> {
        let root = &config.project_root.value;
        let standpoint = engine.conversations().standpoint(root)?;
        let filter = SessionFilter {
            state: Some(TaskState::Active),
            project: Some(standpoint.root.as_str().to_owned()),
            ..SessionFilter::default()
        };
        let mut tasks = engine.tasks().list(&filter)?;
        tasks.retain(|task| !task.is_expired);
        Ok(Self {
            configured: config.configured_mode().cloned(),
            tasks,
            approvals: engine.approvals().pending()?,
            clients: clients(config, env)?,
            servers: announce::running(&config.folders().state),
            trouble: trouble::lines(engine, config),
            standpoint,
        })
    }

    /// The mode of conversations that have none of their own.
    fn mode(&self) -> Option<&ModeSlug> {
        let project = self.standpoint.project.as_ref();
        let set = project.and_then(|it| it.mode.as_ref());
        set.or(self.configured.as_ref())
    }

    fn json(&self) -> Value {
        let clients = self.clients.iter().map(|it| {
            json!({ "client": it.client.slug(), "ok": it.problem.is_none(), "problem": it.problem })
        });
        let servers = self
            .servers
            .iter()
            .map(|it| json!({ "url": format!("http://{}", it.address), "project": it.project }));
        let mut status = mode::to_json(&self.standpoint, self.mode());
        status["tasks"] = self.tasks.iter().map(tasks::list::to_json).collect();
        status["approvals"] = self.approvals.iter().map(approve::to_json).collect();
        status["clients"] = clients.collect();
        status["servers"] = servers.collect();
        status["problems"] = self.trouble.iter().cloned().collect();
        status
    }

    fn text(&self, style: OutputStyle) -> String {
        let mut lines = vec![
            ("Project", vec![self.standpoint.root.to_string()]),
            ("Mode", self.mode_lines(style)),
        ];
        let agents = self.standpoint.conversations.iter();
        let agents = agents.map(|it| mode::line(it, self.mode(), style));
        lines.push(("Agents", or_none(agents, "none at work")));
        let tasks = self.tasks.iter().map(|it| tasks::list::line(it, 0));
        let tasks = tasks.map(|line| line.trim_end().to_owned());
        lines.push(("Tasks", or_none(tasks, "none active")));
        let approvals = self.approvals.iter();
        let approvals =
            approvals.map(|it| format!("{}  {}", style.bold(it.id.as_str()), it.subject));
        lines.push(("Waiting", or_none(approvals, "nothing waits for approval")));
        let clients = self.clients.iter().map(|it| match &it.problem {
            None => it.client.atlas().name.to_owned(),
            Some(problem) => format!("{}: {}", it.client.atlas().name, style.red(problem)),
        });
        lines.push((
            "Clients",
            or_none(clients, "none set up; run `modekeeper init`"),
        ));
        let servers = self.servers.iter();
        let servers =
            servers.map(|it| format!("http://{}  {}", it.address, style.dim(&it.project)));
        lines.push(("Servers", or_none(servers, "none running")));
        let lines = lines.into_iter().map(|(name, lines)| {
            let indent = format!("\n{}", " ".repeat(NAMES));
            format!("{name:<NAMES$}{}\n", lines.join(&indent))
        });
        lines.collect()
    }

    fn mode_lines(&self, style: OutputStyle) -> Vec<String> {
        let project = self.standpoint.project.as_ref();
        let is_set = project.is_some_and(|it| it.mode.is_some());
        let mut lines = vec![match self.mode() {
            Some(mode) if is_set => style.bold(mode.as_str()),
            Some(mode) => {
                let from = style.dim("(from the configuration)");
                format!("{} {from}", style.bold(mode.as_str()))
            }
            None => "not held; set a mode with `modekeeper mode <slug>`".to_owned(),
        }];
        let paused = project.and_then(|it| it.paused_until);
        lines.extend(
            paused.map(|until| style.yellow(&format!("enforcement is paused until {until}"))),
        );
        lines.extend(self.trouble.iter().map(|it| style.yellow(it)));
        lines
    }
}

/// Width of the names in front of the lines.
const NAMES: usize = 9;

fn or_none(lines: impl Iterator<Item = String>, none: &str) -> Vec<String> {
    let lines: Vec<String> = lines.collect();
    match lines.is_empty() {
        true => vec![none.to_owned()],
        false => lines,
    }
}

/// The clients that were set up, and whether their entries are still there. Without a home there are none.
fn clients(config: &Config, env: &Env) -> anyhow::Result<Vec<HeldClient>> {
    if env.home.is_none() {
        return Ok(Vec::new());
    }
    let workshop = Workshop::with_floor(config, env, ScopeArg::User, None)?;
    let installed = workshop.journal()?.clients_here().into_iter();
    installed
        .map(|client| {
            let problem = workshop.missing_entries(client)?;
            Ok(HeldClient { client, problem })
        })
        .collect()
}
