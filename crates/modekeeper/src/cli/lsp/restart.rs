//! `modekeeper lsp restart`

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use mk_engine::ProjectWatching;

use crate::cli::engine;
use crate::config::Config;
use crate::output::print;

/// Restart the language server of a language
///
/// Every running Modekeeper of yours restarts it before its next request to that server.
#[derive(Debug, Args)]
pub(crate) struct RestartArgs {
    /// Language, such as python or typescript
    language: String,
}

pub(crate) fn run(args: &RestartArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let language = engine
        .language_servers()
        .ask_for_restart(&config.project_root.value, &args.language)?;
    let language = language.context("cannot notify the running servers")?;
    print(&format!(
        "{language} servers restart before the next request\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}
