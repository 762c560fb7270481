//! `modekeeper config show`

use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};

use crate::cli::FormatArgs;
use crate::config::{Config, FlagCommands, Setting, SettingRow};
use crate::output::{OutputStyle, print, print_json};

/// Show every setting, its value and where the value comes from
#[derive(Debug, Args)]
pub(crate) struct ConfigShowArgs {
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &ConfigShowArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let rows = config.rows();
    if args.format.json {
        let rows: Map<String, Value> = rows.iter().map(entry).collect();
        print_json(&Value::Object(rows))?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = OutputStyle::stdout();
    let width = rows.iter().map(|row| row.setting.key.len()).max();
    let width = width.unwrap_or(0);
    for SettingRow {
        setting,
        value,
        origin,
    } in &rows
    {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Null => "none".to_owned(),
            value => value.to_string(),
        };
        print(&format!(
            "{}  {value}  {}\n",
            style.bold(&format!("{:width$}", setting.key)),
            style.dim(&format!("({origin})"))
        ))?;
    }
    for warning in &config.warnings {
        print(&format!("{} {warning}\n", style.yellow("warning:")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A setting for programs: what it is, and what can set it.
fn entry(row: &SettingRow) -> (String, Value) {
    let Setting {
        key,
        text,
        variable,
        flag,
        in_file,
        default: _,
    } = row.setting;
    let flag = flag.map(|flag| match flag.of {
        FlagCommands::Every => flag.name.to_owned(),
        FlagCommands::Serve => format!("serve {}", flag.name),
    });
    let about = json!({
        "value": row.value, "origin": row.origin.to_string(), "about": text, "in_file": in_file,
        "variable": variable, "flag": flag,
    });
    ((*key).to_owned(), about)
}
