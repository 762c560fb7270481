//! `modekeeper init`: sets up every client on this machine, and the mode of this project.

use std::process::ExitCode;

use clap::Args;
use mk_clients::ClientId;

use crate::cli::install::{
    HowArgs, Workshop, find_mode, has_other_mode, require_project, set_up_project,
};
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
    require_project(config)?;
    if let Some(mode) = &args.mode {
        find_mode(config, mode)?;
        // The first mode needs no person, because nothing is held before it.
        if !args.how.dry_run && has_other_mode(config, mode)? {
            person::require("init --mode")?;
        }
    }
    let workshop = Workshop::new(config, env, &args.how)?;
    let installable = |client: &ClientId| client.atlas().can_be_installed();
    let clients = ClientId::ALL.into_iter().filter(installable);
    let found = workshop.survey(clients, args.how.versions())?;
    if found.is_empty() {
        print("no clients found on this machine: only the project's mode will be set\n")?;
    }
    let root = config.project_root.value.as_path().display();
    let mode = args.mode.as_deref();
    let about = mode.map_or("keep or set the mode of".to_owned(), |mode| {
        format!("set mode `{mode}` for")
    });
    if !workshop.propose(&found, &args.how, Some(&format!("{about} {root}")))? {
        return Ok(args.how.refused());
    }
    // First the mode: a hook without one lets everything pass.
    let slug = set_up_project(config, args.mode.as_deref())?;
    let style = OutputStyle::stdout();
    print(&format!("mode of {root}: {}\n", style.bold(slug.as_str())))?;
    // Without a client nothing is held, but our own tools are in the mode.
    let code = match found.is_empty() {
        true => ExitCode::FAILURE,
        false => workshop.set_up_all(&found, &args.how)?,
    };
    let names: Vec<&str> = found.iter().map(|it| it.client.slug()).collect();
    let subject = format!("{root}: {slug}; {}", names.join(", "));
    person::record_in(config, "set up", &subject);
    print("\nchange the mode with `modekeeper mode SLUG`, look again with `modekeeper doctor`\n")?;
    Ok(code)
}
