//! `modekeeper modes list`

use std::process::ExitCode;

use clap::Args;
use mk_engine::ProjectWatching;
use mk_policy::Mode;
use serde_json::{Value, json};

use crate::cli::{FormatArgs, engine, operator};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json, print_warning};

/// List the modes of this project
#[derive(Debug, Args)]
pub(crate) struct ModesListArgs {
    #[command(flatten)]
    format: FormatArgs,
    /// Show hidden modes too
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(args: &ModesListArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let catalogue = engine(config, ProjectWatching::Off)
        .modes()
        .catalogue(&operator(config));
    let modes: Vec<_> = catalogue
        .modes()
        .iter()
        .filter(|mode| args.all || !mode.hidden)
        .collect();
    if args.format.json {
        print_json(&modes.iter().map(|mode| to_json(mode)).collect::<Value>())?;
    } else {
        let style = OutputStyle::stdout();
        let width = modes
            .iter()
            .map(|mode| mode.slug.as_str().len())
            .max()
            .unwrap_or(0);
        for mode in &modes {
            let slug = format!("{:width$}", mode.slug.as_str());
            let groups = groups(mode).join(", ");
            print(&format!(
                "{}  {}  {}\n",
                style.bold(&slug),
                mode.name,
                style.dim(mode.source.as_str())
            ))?;
            if let Some(description) = &mode.description {
                print(&format!("{:width$}  {}\n", "", description.trim()))?;
            }
            print(&format!("{:width$}  {}\n", "", style.dim(&groups)))?;
        }
    }
    let errors = catalogue
        .diagnostics()
        .iter()
        .filter(|found| found.severity == mk_policy::Severity::Error)
        .count();
    if errors > 0 {
        let problems = match errors {
            1 => "1 problem".to_owned(),
            errors => format!("{errors} problems"),
        };
        print_warning(&format!(
            "{problems} in mode files; see `modekeeper modes lint`"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn groups(mode: &Mode) -> Vec<String> {
    let show = |group| match mode.restriction(group) {
        Some(limit) => format!("{group} ({limit})"),
        None => group.to_string(),
    };
    mode.groups().into_iter().map(show).collect()
}

fn to_json(mode: &Mode) -> Value {
    json!({
        "slug": mode.slug.as_str(),
        "name": mode.name,
        "source": mode.source.as_str(),
        "file": mode.file,
        "description": mode.description,
        "groups": groups(mode),
        "hidden": mode.hidden,
    })
}
