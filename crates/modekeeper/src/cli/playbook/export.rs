//! `modekeeper playbook export`

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use mk_clients::{ClientId, project_skills};
use mk_engine::ProjectWatching;

use crate::cli::{engine, operator};
use crate::config::Config;
use crate::output::print;

/// Export the built-in skills to a product's skill directory; does not overwrite existing ones
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Product to write for, such as claude-code
    client: String,
    /// Write only these skills (repeatable)
    #[arg(long = "skill", value_name = "NAME")]
    skills: Vec<String>,
}

pub(crate) fn run(args: &ExportArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let folder = folder_of(&args.client)?;
    let engine = engine(config, ProjectWatching::Off);
    let operator = operator(config);
    let playbook = engine.project(&operator).playbook();
    let (written, n_kept) = playbook.export_skills(folder, &args.skills)?;
    let kept = match n_kept {
        0 => String::new(),
        kept => format!("; {kept} already there"),
    };
    print(&format!(
        "wrote {} {} to {folder}{kept}\n",
        written.len(),
        if written.len() == 1 {
            "skill"
        } else {
            "skills"
        }
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn folder_of(name: &str) -> anyhow::Result<&'static str> {
    let known = |client: &&ClientId| {
        let atlas = client.atlas();
        atlas.slug == name || atlas.aliases.contains(&name)
    };
    let client = ClientId::ALL.iter().find(known);
    match client.and_then(|client| project_skills(*client)) {
        Some(folder) => Ok(folder),
        None => {
            let readers = ClientId::ALL.iter();
            let readers = readers.filter(|client| project_skills(**client).is_some());
            let readers: Vec<&str> = readers.map(|client| client.atlas().slug).collect();
            bail!(
                "`{name}` does not read skills from projects; choose one of {}",
                readers.join(", ")
            )
        }
    }
}
