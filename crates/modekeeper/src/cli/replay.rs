//! `modekeeper replay`: recorded calls decided again, under other modes.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use mk_engine::{DecisionFilter, ProjectWatching, ReplayModes, ReplayedDecision};
use mk_types::{Clock, ModeSlug};
use serde_json::{Value, json};

use crate::cli::{FormatArgs, duration, engine, operator};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// Evaluate recorded calls again, with the current modes or others
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Mode file to use instead of the project's
    #[arg(long, value_name = "FILE")]
    modes: Option<PathBuf>,
    /// Decide every call as if this mode had been in force
    #[arg(long, value_name = "SLUG")]
    mode: Option<String>,
    /// Only decisions newer than this, such as 2h or 30d
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "7d")]
    since: Duration,
    /// Decisions of every project, not only of this one
    #[arg(long)]
    all_projects: bool,
    /// Maximum number of decisions
    #[arg(long, default_value_t = 10_000)]
    limit: usize,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &ReplayArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let modes = match &args.modes {
        None => None,
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("cannot read `{}`", path.display()))?;
            Some((path.display().to_string(), text))
        }
    };
    if let (None, Some(mode)) = (&args.modes, &args.mode) {
        engine.modes().get(&operator(config), "mode", mode)?;
    }
    let replaying = ReplayModes {
        modes,
        mode: args.mode.as_deref().map(ModeSlug::parse).transpose()?,
    };
    let project = engine.decisions().project(&config.project_root.value)?;
    let mut found = Vec::new();
    if args.all_projects || project.is_some() {
        let filter = DecisionFilter {
            project: project.filter(|_| !args.all_projects),
            since: Some(Clock::System.now().before(args.since)),
            limit: Some(args.limit),
            ..DecisionFilter::default()
        };
        found = engine.decisions().replay(&filter, &replaying)?;
    }
    if args.format.json {
        print_json(&found.iter().map(to_json).collect::<Value>())?;
        return Ok(ExitCode::SUCCESS);
    }
    show(&found)?;
    Ok(ExitCode::SUCCESS)
}

fn show(found: &[ReplayedDecision]) -> anyhow::Result<()> {
    let style = OutputStyle::stdout();
    let changed = found.iter().filter(|it| it.is_changed());
    for it in changed.clone() {
        let decision = &it.decision;
        print(&format!(
            "{}  {} → {}  {:<12}  {}  {}  {}\n",
            style.dim(&decision.at.to_string()),
            decision.ruling,
            style.bold(it.ruling.as_str()),
            decision.mode.as_str(),
            decision.tool.escape_debug(),
            decision.target.escape_debug(),
            style.dim(&it.rule),
        ))?;
    }
    let unknown = found.iter().filter(|it| it.unknown.is_some()).count();
    let (n_changed, total) = (changed.count(), found.len());
    let mut line = match total {
        1 => "1 decision".to_owned(),
        total => format!("{total} decisions"),
    };
    line.push_str(&format!(", {n_changed} would be different"));
    if unknown > 0 {
        line.push_str(&format!(", {unknown} cannot be decided again"));
    }
    print(&format!("{line}\n"))
}

fn to_json(it: &ReplayedDecision) -> Value {
    json!({
        "id": it.decision.id.as_str(),
        "at": it.decision.at.to_string(),
        "client": it.decision.client,
        "mode": it.decision.mode.as_str(),
        "tool": it.decision.tool,
        "target": it.decision.target,
        "verdict": it.decision.ruling.as_str(),
        "rule": it.decision.rule,
        "now": { "verdict": it.ruling.as_str(), "rule": it.rule, "reason": it.reason },
        "changed": it.is_changed(),
        "unknown": it.unknown,
    })
}
