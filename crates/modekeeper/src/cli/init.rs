//! `modekeeper init`: sets up every client on this machine, and the mode of this project.

use std::process::ExitCode;

use clap::Args;
use mk_clients::ClientId;

use crate::cli::install::{HowArgs, Workshop, set_up_project};
use crate::cli::person;
use crate::config::Config;
use crate::env::Env;
use crate::output::{OutputStyle, print};

/// Hold every agent on this machine in this project's mode
///
/// Finds the clients, shows how each will be held and what will not be, and asks once. Your own settings stay as they
/// are, comments included; `modekeeper uninstall` undoes every change.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Mode for this project (default: the one it has, else `default_mode`)
    #[arg(long, value_name = "SLUG")]
    mode: Option<String>,
    #[command(flatten)]
    how: HowArgs,
}

pub(crate) fn run(args: &InitArgs, config: &Config, env: &Env) -> anyhow::Result<ExitCode> {
    let workshop = Workshop::new(config, env, &args.how)?;
    let installable = |client: &ClientId| client.atlas().can_be_installed();
    let found = workshop.survey(ClientId::ALL.into_iter().filter(installable))?;
    if found.is_empty() {
        print("no clients found on this machine\n")?;
        return Ok(ExitCode::FAILURE);
    }
    if !workshop.propose(&found, &args.how)? {
        return Ok(args.how.refused());
    }
    // First the mode: a hook without one lets everything pass.
    let slug = set_up_project(config, args.mode.as_deref())?;
    let style = OutputStyle::stdout();
    let root = config.project_root.value.as_path().display();
    print(&format!("mode of {root}: {}\n", style.bold(slug.as_str())))?;
    let code = workshop.set_up_all(&found, &args.how)?;
    let names: Vec<&str> = found.iter().map(|it| it.client.slug()).collect();
    let subject = format!("{root}: {slug}; {}", names.join(", "));
    person::record_in(config, "set up", &subject);
    print("\nchange the mode with `modekeeper mode SLUG`, look again with `modekeeper doctor`\n")?;
    Ok(code)
}
