//! `modekeeper playbook init`

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use mk_engine::Watching;
use mk_playbook::{detect, first_config};
use mk_policy::Permit;
use mk_project::write_new;
use mk_types::ProjectPath;

use crate::cli::engine;
use crate::config::Config;
use crate::output::print;

const FILE: &str = "codingbuddy.config.json";

/// Detect the project's stack and write its configuration; does not overwrite an existing one
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Print the configuration instead of writing it
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &InitArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let root = &config.project_root.value;
    let folder_name = root.as_path().file_name().and_then(|name| name.to_str());
    let text = first_config(&detect(root), folder_name.unwrap_or("project"));
    if args.dry_run {
        print(&text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let existing = engine(config, Watching::Off)
        .playbook_of(root.clone())
        .config()?;
    if let Some(file) = existing.file {
        bail!(
            "there is a configuration already: `{file}`; suggest_config_updates says what it lacks"
        );
    }
    let target = ProjectPath::parse(FILE, root)?;
    let path = target.under(root);
    let permit = Permit::operator("playbook init", vec![target]);
    write_new(root, permit, text.as_bytes())?;
    print(&format!("wrote {}\n", path.display()))?;
    Ok(ExitCode::SUCCESS)
}
