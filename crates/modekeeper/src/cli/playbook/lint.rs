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
    let playbook = engine(config, Watching::Off).playbook(&operator(config))?;
    let counted = Counted {
        name: "files",
        count: playbook.resources().len(),
    };
    report(&counted, &playbook.diagnostics(), args.format)
}
