//! `modekeeper config show`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};

use crate::cli::FormatArgs;
use crate::config::{Config, Origin};
use crate::output::{Style, print, print_json};

/// Show every value and where it comes from
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &ShowArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let rows = rows(config);
    if args.format.json {
        let entry = |(key, value, origin): &(&str, Value, Origin)| {
            (
                (*key).to_owned(),
                json!({ "value": value, "origin": origin.to_string() }),
            )
        };
        print_json(&Value::Object(
            rows.iter().map(entry).collect::<Map<_, _>>(),
        ))?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = Style::stdout();
    let width = rows.iter().map(|(key, _, _)| key.len()).max().unwrap_or(0);
    for (key, value, origin) in &rows {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Null => "none".to_owned(),
            value => value.to_string(),
        };
        print(&format!(
            "{}  {value}  {}\n",
            style.bold(&format!("{key:width$}")),
            style.dim(&format!("({origin})"))
        ))?;
    }
    for warning in &config.warnings {
        print(&format!("{} {warning}\n", style.yellow("warning:")))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn rows(config: &Config) -> Vec<(&'static str, Value, Origin)> {
    let path = |path: &Option<PathBuf>| json!(path.as_ref().map(|path| path.display().to_string()));
    let families: Vec<&str> = config
        .toolsets
        .value
        .iter()
        .map(|family| family.as_str())
        .collect();
    let folders: Vec<String> = config
        .project_folders
        .value
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    vec![
        ("toolsets", json!(families), config.toolsets.origin.clone()),
        (
            "project_folders",
            json!(folders),
            config.project_folders.origin.clone(),
        ),
        (
            "read_only_memories",
            json!(config.read_only_memories.value),
            config.read_only_memories.origin.clone(),
        ),
        (
            "language_servers",
            json!(config.language_servers.value),
            config.language_servers.origin.clone(),
        ),
        (
            "run_project_code",
            json!(config.run_project_code.value),
            config.run_project_code.origin.clone(),
        ),
        (
            "http.rate_limits",
            json!(config.rate_limits.value),
            config.rate_limits.origin.clone(),
        ),
        (
            "paths.project_root",
            json!(config.project_root.value.as_str()),
            config.project_root.origin.clone(),
        ),
        (
            "paths.config_dir",
            path(&config.config_dir.value),
            config.config_dir.origin.clone(),
        ),
        (
            "paths.global_config_dir",
            path(&config.global_config_dir.value),
            config.global_config_dir.origin.clone(),
        ),
        (
            "sessions.timeout",
            json!(config.session_timeout.value),
            config.session_timeout.origin.clone(),
        ),
        (
            "sessions.cleanup_interval",
            json!(config.cleanup_interval.value),
            config.cleanup_interval.origin.clone(),
        ),
        (
            "sessions.persistence.enabled",
            json!(config.persistence.value),
            config.persistence.origin.clone(),
        ),
        (
            "sessions.persistence.storage_path",
            path(&config.storage_path.value),
            config.storage_path.origin.clone(),
        ),
        (
            "logging.level",
            json!(config.log_level.value),
            config.log_level.origin.clone(),
        ),
        (
            "logging.file",
            path(&config.log_file.value),
            config.log_file.origin.clone(),
        ),
        (
            "default_mode",
            json!(config.default_mode.value.as_str()),
            config.default_mode.origin.clone(),
        ),
        (
            "switching",
            json!(config.switching.value.as_str()),
            config.switching.origin.clone(),
        ),
        (
            "approval_timeout",
            json!(config.approval_timeout.value),
            config.approval_timeout.origin.clone(),
        ),
        (
            "http.listen",
            json!(config.listen.value),
            config.listen.origin.clone(),
        ),
        (
            "http.allow_hosts",
            json!(config.allow_hosts.value),
            config.allow_hosts.origin.clone(),
        ),
        (
            "http.allow_origins",
            json!(config.allow_origins.value),
            config.allow_origins.origin.clone(),
        ),
    ]
}
