//! `modekeeper run`: starts a client with what it needs in its environment.

use std::os::unix::process::CommandExt as _;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use mk_clients::{ClientId, Shell};

use crate::cli::install::{InstallPlace, client_program, known_client};
use crate::env::Env;

/// Start a client with its shell held in the mode
///
/// Copilot and Qwen take the script around their shell only from the environment that starts them.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Client: copilot or qwen; others need no help and are started as they are
    client: String,
    /// Arguments for the client
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    arguments: Vec<String>,
}

pub(crate) fn run(args: &RunArgs, env: &Env) -> anyhow::Result<ExitCode> {
    let client = known_client(&args.client)?;
    let name = client.atlas().name;
    let program = client_program(client, env).with_context(|| format!("{name} is not on PATH"))?;
    #[expect(
        clippy::disallowed_methods,
        reason = "the client takes our place, in the directory that we were started in"
    )]
    let mut command = std::process::Command::new(&program);
    if let Some(directory) = &env.current_dir {
        command.current_dir(directory);
    }
    if client.atlas().shell == Shell::BashEnvByStart && mk_wall::holds() {
        let place = InstallPlace::of(env)
            .context("cannot determine the home directory: HOME is not set")?;
        let script = place.scripts().bash_env;
        if !script.exists() {
            bail!(
                "{} is gone: run `modekeeper install {}`",
                script.display(),
                client.slug()
            );
        }
        command.env("BASH_ENV", script);
    }
    if client == ClientId::Copilot {
        // It has no setting that lets our tools run unasked, and takes the variable away unless it is told otherwise.
        command.args(["--allow-tool", mk_clients::SERVER, "--bash-env=on"]);
    }
    let error = command.args(&args.arguments).exec();
    Err(error).with_context(|| format!("cannot start `{}`", program.display()))
}
