//! `modekeeper config init`

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use mk_policy::Permit;
use mk_project::write_new;
use mk_types::ProjectPath;
use serde_json::json;

use crate::config::{Config, DEFAULT_LISTEN};
use crate::output::print;

/// Write a configuration file with the defaults; an existing one is left alone
#[derive(Debug, Args)]
pub(crate) struct InitArgs {}

pub(crate) fn run(_args: &InitArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let folder = config
        .config_dir
        .value
        .as_deref()
        .context("there is no configuration directory: HOME is not set")?;
    let folder = config
        .project_root
        .value
        .join(folder)
        .context("the configuration directory is not UTF-8")?;
    let target = ProjectPath::parse("config.json", &folder)?;
    let path = target.under(&folder);
    write_new(
        &folder,
        Permit::operator("config init", vec![target]),
        defaults().as_bytes(),
    )?;
    print(&format!("wrote {}\n", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// The defaults that are the same everywhere; paths are left to be found.
fn defaults() -> String {
    let value = json!({
        "sessions": { "timeout": 3600, "cleanup_interval": 300, "persistence": { "enabled": true } },
        "logging": { "level": "INFO" },
        "default_mode": "code",
        "switching": "free",
        "approval_timeout": 50,
        "http": { "listen": DEFAULT_LISTEN, "allow_hosts": [], "allow_origins": [] },
    });
    format!("{value:#}\n")
}
