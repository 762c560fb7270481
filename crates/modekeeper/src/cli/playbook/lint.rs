//! `modekeeper playbook lint`

use std::process::ExitCode;

use clap::Args;
use mk_engine::Watching;

use crate::cli::modes::lint::{Counted, report};
use crate::cli::{FormatArgs, engine, operator};
use crate::config::Config;

/// Report every problem in rules, agents, skills, checklists and the project's configuration
#[derive(Debug, Args)]
pub(crate) struct LintArgs {
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &LintArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, Watching::Off);
    let operator = operator(config);
    let found = engine.project(&operator).playbook().lint()?;
    let counted = Counted {
        name: "files",
        count: found.files,
    };
    report(&counted, &found.diagnostics, args.format)
}
