//! `modekeeper config init`

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use mk_engine::write_operator_file;
use serde_json::{Map, Value};

use crate::cli::person;
use crate::config::{Config, Fallback, SETTINGS};
use crate::output::print;

/// Write a configuration file with the defaults; does not overwrite an existing one
#[derive(Debug, Args)]
pub(crate) struct ConfigInitArgs {}

pub(crate) fn run(_args: &ConfigInitArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let folder = config
        .config_dir
        .value
        .as_deref()
        .context("cannot determine the configuration directory: HOME is not set")?;
    let folder = config
        .project_root
        .value
        .join(folder)
        .context("the configuration directory is not UTF-8")?;
    let path = write_operator_file(&folder, "config.json", "config init", defaults().as_bytes())?;
    person::record_in(config, "write settings", &path.display().to_string());
    print(&format!("wrote {}\n", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// The defaults that are the same everywhere; paths are left to be found, lists of all names may grow, and a
/// `default_mode` that stands in the file holds agents in every directory.
fn defaults() -> String {
    let mut root = Map::new();
    for setting in SETTINGS
        .iter()
        .filter(|it| it.in_file && it.key != "default_mode")
    {
        if let Fallback::Json(text) = setting.default
            && let Ok(value) = serde_json::from_str::<Value>(text)
            && !value.is_null()
        {
            insert(&mut root, setting.key, value);
        }
    }
    format!("{:#}\n", Value::Object(root))
}

/// Puts a value where `a.b` stands.
fn insert(object: &mut Map<String, Value>, key: &str, value: Value) {
    match key.split_once('.') {
        None => drop(object.insert(key.to_owned(), value)),
        Some((section, rest)) => {
            let section = object
                .entry(section)
                .or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(section) = section {
                insert(section, rest, value);
            }
        }
    }
}
