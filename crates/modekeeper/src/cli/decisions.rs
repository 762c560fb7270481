//! `modekeeper log`, `watch` and `explain`: what was decided about agents' calls, and what their commands did.

mod command;
mod request;

use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use mk_engine::{
    CommandFilter, DecisionFilter, DecisionRecord, Engine, ProjectWatching, RecordedCommand, Ruling,
};
use mk_types::{Clock, CommandId, ConversationId, DecisionId, ModeSlug, ProjectId, Timestamp};
use serde_json::{Value, json};

use crate::approver;
use crate::cli::{FormatArgs, duration, engine};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// How often `watch` looks for new decisions.
const LOOK: Duration = Duration::from_millis(200);

/// Show decisions about agents' calls and what their commands did, newest last
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    #[command(flatten)]
    which: WhichArgs,
    /// Only decisions newer than this, such as 30m, 2h or 7d
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    since: Option<Duration>,
    /// Maximum number of decisions
    #[arg(long, default_value_t = 50)]
    limit: usize,
    #[command(flatten)]
    format: FormatArgs,
}

/// Show decisions, commands and requests for approval as they come
#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    which: WhichArgs,
}

/// Explain a decision and what would allow the call
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// ID of the decision, as the refusal or `modekeeper log` shows it
    id: String,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, Args)]
struct WhichArgs {
    /// Decisions of every project, not only of this one
    #[arg(long)]
    all_projects: bool,
    /// Only decisions of this conversation
    #[arg(long, value_name = "ID")]
    conversation: Option<String>,
    /// Only decisions of this client, such as claude-code or codex
    #[arg(long)]
    client: Option<String>,
    /// Only decisions made in this mode
    #[arg(long, value_name = "SLUG")]
    mode: Option<String>,
    /// Only decisions about this tool
    #[arg(long)]
    tool: Option<String>,
    /// Only decisions with this result
    #[arg(long, value_enum)]
    verdict: Option<VerdictFilter>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum VerdictFilter {
    Allow,
    Ask,
    Unproven,
    Deny,
    Paused,
}

impl From<VerdictFilter> for Ruling {
    fn from(verdict: VerdictFilter) -> Self {
        match verdict {
            VerdictFilter::Allow => Self::Allow,
            VerdictFilter::Ask => Self::Ask,
            VerdictFilter::Unproven => Self::Unproven,
            VerdictFilter::Deny => Self::Deny,
            VerdictFilter::Paused => Self::Paused,
        }
    }
}

impl WhichArgs {
    /// What is asked about decisions only leaves commands out.
    const fn wants_commands(&self) -> bool {
        self.client.is_none() && self.tool.is_none() && self.verdict.is_none()
    }

    /// `None`: the project was never held, so there is nothing.
    fn filter(&self, engine: &Engine, config: &Config) -> anyhow::Result<Option<DecisionFilter>> {
        let conversation = self.conversation.as_deref();
        let mut project: Option<ProjectId> = None;
        if !self.all_projects && conversation.is_none() {
            project = engine.decisions().project(&config.project_root.value)?;
            if project.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(DecisionFilter {
            conversation: conversation.map(ConversationId::parse).transpose()?,
            project,
            client: self.client.clone(),
            mode: self.mode.as_deref().map(ModeSlug::parse).transpose()?,
            tool: self.tool.clone(),
            ruling: self.verdict.map(Ruling::from),
            ..DecisionFilter::default()
        }))
    }
}

/// Something that is logged.
enum LoggedEvent {
    Decision(Box<DecisionRecord>),
    Command(Box<RecordedCommand>),
}

impl LoggedEvent {
    fn at(&self) -> Timestamp {
        match self {
            Self::Decision(decision) => decision.at,
            Self::Command(command) => command.started_at,
        }
    }
}

pub(crate) fn log(args: &LogArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let mut found = Vec::new();
    if let Some(filter) = args.which.filter(&engine, config)? {
        let now = Clock::System.now();
        let since = args.since.map(|time| now.before(time));
        let decisions = engine.decisions().list(&DecisionFilter {
            since,
            limit: Some(args.limit),
            ..filter.clone()
        })?;
        found.extend(
            decisions
                .into_iter()
                .map(|it| LoggedEvent::Decision(Box::new(it))),
        );
        if args.which.wants_commands() {
            let commands = commands(&engine, &filter, since, args.limit)?;
            found.extend(
                commands
                    .into_iter()
                    .map(|it| LoggedEvent::Command(Box::new(it))),
            );
        }
    }
    found.sort_by_key(|it| std::cmp::Reverse(it.at()));
    found.truncate(args.limit);
    if args.format.json {
        let json = found.iter().map(|it| match it {
            LoggedEvent::Decision(decision) => to_json(decision),
            LoggedEvent::Command(command) => command::to_json(command),
        });
        print_json(&json.collect::<Value>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = OutputStyle::stdout();
    for logged in found.iter().rev() {
        print(&match logged {
            LoggedEvent::Decision(decision) => line(decision, style),
            LoggedEvent::Command(command) => command::lines(command, style),
        })?;
    }
    if found.is_empty() {
        print("no decisions\n")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What commands inside the wall did, of those that the filter is about.
fn commands(
    engine: &Engine,
    filter: &DecisionFilter,
    since: Option<Timestamp>,
    limit: usize,
) -> anyhow::Result<Vec<RecordedCommand>> {
    let commands = engine.command_records().list(&CommandFilter {
        conversation: filter.conversation.clone(),
        project: filter.project.clone(),
        limit: Some(limit),
    })?;
    let is_meant = |command: &RecordedCommand| {
        let mode = filter.mode.as_ref();
        mode.is_none_or(|mode| *mode == command.mode)
            && since.is_none_or(|since| command.started_at >= since)
    };
    Ok(commands.into_iter().filter(is_meant).collect())
}

/// How far `watch` has got.
struct WatchedLog {
    decision: Option<DecisionId>,
    command: Option<CommandId>,
    requests: request::WatchedRequests,
}

impl WatchedLog {
    /// What was recorded before is the log's business.
    fn from_now(engine: &Engine) -> anyhow::Result<Self> {
        let newest = DecisionFilter {
            limit: Some(1),
            ..DecisionFilter::default()
        };
        let decision = engine.decisions().list(&newest)?.pop();
        let newest = CommandFilter {
            limit: Some(1),
            ..CommandFilter::default()
        };
        let command = engine.command_records().list(&newest)?.pop();
        Ok(Self {
            decision: decision.map(|it| it.id),
            command: command.and_then(|it| it.id),
            requests: request::WatchedRequests::default(),
        })
    }

    fn show_news(
        &mut self,
        which: &WhichArgs,
        engine: &Engine,
        filter: &DecisionFilter,
    ) -> anyhow::Result<()> {
        let style = OutputStyle::stdout();
        for decision in engine.decisions().after(self.decision.as_ref(), filter)? {
            print(&line(&decision, style))?;
            self.decision = Some(decision.id);
        }
        if !which.wants_commands() {
            return Ok(());
        }
        if which.mode.is_none() {
            self.requests.show_news(engine, filter, style)?;
        }
        let commands = CommandFilter {
            conversation: filter.conversation.clone(),
            project: filter.project.clone(),
            limit: None,
        };
        let commands = engine
            .command_records()
            .after(self.command.as_ref(), &commands)?;
        for command in commands {
            if filter
                .mode
                .as_ref()
                .is_none_or(|mode| *mode == command.mode)
            {
                print(&command::lines(&command, style))?;
            }
            // One without an ID must not begin from the start.
            self.command = command.id.or_else(|| self.command.take());
        }
        Ok(())
    }
}

/// Until it is interrupted. While it runs, requests wait for an answer instead of being denied at once.
pub(crate) fn watch(args: &WatchArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let _connected = approver::connect(&config.folders().state)?;
    let mut watched = WatchedLog::from_now(&engine)?;
    let style = OutputStyle::stdout();
    print(&style.dim("watching; end with Ctrl-C. Answer requests with `modekeeper approve`\n"))?;
    loop {
        if let Some(filter) = args.which.filter(&engine, config)? {
            watched.show_news(&args.which, &engine, &filter)?;
        }
        pause();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a command that only looks; there is no runtime to block"
)]
fn pause() {
    std::thread::sleep(LOOK);
}

pub(crate) fn explain(args: &ExplainArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let found = engine.decisions().explain(&DecisionId::parse(&args.id)?)?;
    let decision = &found.decision;
    if args.format.json {
        let mut value = to_json(decision);
        value["project_root"] = json!(found.root.as_ref().map(ToString::to_string));
        value["mode_now"] = json!(found.mode_now.as_ref().map(ModeSlug::as_str));
        value["advice"] = json!(found.advice);
        print_json(&value)?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = OutputStyle::stdout();
    let mut text = line(decision, style);
    text.push_str(&format!("\n{}\n", decision.reason));
    let rows = [
        ("rule", decision.rule.clone()),
        ("mode", decision.mode.to_string()),
        ("tool", decision.tool.clone()),
        ("target", shown(&decision.target)),
        ("client", decision.client.clone()),
        (
            "project",
            found.root.map(|it| it.to_string()).unwrap_or_default(),
        ),
        ("policy", decision.policy_hash.clone()),
        ("input", shown(&decision.input)),
    ];
    for (name, value) in rows {
        if !value.is_empty() {
            text.push_str(&format!("  {name:<8}{value}\n"));
        }
    }
    for advice in &found.advice {
        text.push_str(&format!("{} {advice}\n", style.bold("hint:")));
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// One decision on one line. What an agent wrote cannot move the cursor.
fn line(decision: &DecisionRecord, style: OutputStyle) -> String {
    let verdict = format!("{:<8}", decision.ruling.as_str());
    let verdict = match decision.ruling {
        Ruling::Allow => style.green(&verdict),
        Ruling::Deny => style.red(&verdict),
        Ruling::Ask | Ruling::Unproven | Ruling::Paused => style.yellow(&verdict),
    };
    format!(
        "{}  {verdict}  {:<9}  {:<12}  {:<16}  {}  {}  {}\n",
        style.dim(&decision.at.to_string()),
        decision.client,
        decision.mode.as_str(),
        shown(&decision.tool),
        shown(&decision.target),
        style.dim(&decision.rule),
        style.dim(decision.id.as_str()),
    )
}

pub(super) fn shown(text: &str) -> String {
    let visible = |it: char| {
        if it.is_control() {
            it.escape_default().collect::<String>()
        } else {
            it.to_string()
        }
    };
    text.chars().map(visible).collect()
}

fn to_json(decision: &DecisionRecord) -> Value {
    json!({
        "id": decision.id.as_str(),
        "at": decision.at.to_string(),
        "conversation": decision.conversation.as_ref().map(ConversationId::as_str),
        "client": decision.client,
        "mode": decision.mode.as_str(),
        "tool": decision.tool,
        "target": decision.target,
        "verdict": decision.ruling.as_str(),
        "rule": decision.rule,
        "reason": decision.reason,
        "hint": decision.hint,
        "policy_hash": decision.policy_hash,
        "input": decision.input,
    })
}
