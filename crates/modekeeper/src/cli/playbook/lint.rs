//! `modekeeper playbook lint`

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Args;
use mk_engine::{ContextShare, ProjectWatching};

use crate::cli::modes::lint::{LintCounts, report};
use crate::cli::{FormatArgs, engine, operator};
use crate::config::Config;
use crate::output::print;

/// Report every problem in rules, agents, skills, checklists and the project's configuration: errors, contradictions,
/// repetitions, copies that have drifted apart, and each product's share of a model's context
#[derive(Debug, Args)]
pub(crate) struct PlaybookLintArgs {
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &PlaybookLintArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let operator = operator(config);
    let found = engine.project(&operator).playbook().lint()?;
    let counted = LintCounts {
        name: "files",
        count: found.files,
    };
    let code = report(&counted, &found.diagnostics, args.format)?;
    if !args.format.json {
        print(&table(&found.shares))?;
    }
    Ok(code)
}

/// What each product's files cost a model, in tokens.
fn table(shares: &[ContextShare]) -> String {
    if shares.is_empty() {
        return String::new();
    }
    let mut table = format!(
        "\n{:16}{:>8}{:>18}{:>14}\n",
        "product", "files", "tokens, always", "on demand"
    );
    for share in shares {
        let _ = writeln!(
            table,
            "{:16}{:>8}{:>18}{:>14}",
            share.client.atlas().slug,
            share.files,
            share.always,
            share.on_demand
        );
    }
    table
}
