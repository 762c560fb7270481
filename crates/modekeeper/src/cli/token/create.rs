//! `modekeeper token create`

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use mk_engine::{AccessRole, NewToken, ProjectWatching};
use mk_types::AbsPath;

use super::to_json;
use crate::cli::{FormatArgs, block_on, close, duration, engine, person};
use crate::config::Config;
use crate::output::{print, print_json};

/// Create a token and print it once
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// Name shown in lists and logs
    name: String,
    /// How much it may do
    #[arg(long, value_enum, default_value_t = RoleArg::Viewer)]
    role: RoleArg,
    /// Cap its calls at what this builtin or global mode allows
    #[arg(long, value_name = "SLUG")]
    mode: Option<String>,
    /// Project directory it is limited to (repeatable; default: all)
    #[arg(long, value_name = "DIR")]
    project: Vec<std::path::PathBuf>,
    /// Lifetime, such as 12h or 30d (default: until revoked)
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    expires: Option<Duration>,
    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RoleArg {
    /// Read everything
    Viewer,
    /// Also approve requests, set, edit and trust modes, change tasks and undo edits
    Operator,
    /// Also read the record of changes
    Admin,
}

impl From<RoleArg> for AccessRole {
    fn from(role: RoleArg) -> Self {
        match role {
            RoleArg::Viewer => Self::Viewer,
            RoleArg::Operator => Self::Operator,
            RoleArg::Admin => Self::Admin,
        }
    }
}

pub(crate) fn run(args: &CreateArgs, config: &Config) -> anyhow::Result<ExitCode> {
    person::require("token create")?;
    let engine = engine(config, ProjectWatching::Off);
    let ceiling = args
        .mode
        .as_deref()
        .map(|slug| engine.modes().ceiling(slug));
    let ceiling = ceiling.transpose()?;
    let mut projects = Vec::new();
    for directory in &args.project {
        let real = directory
            .canonicalize()
            .with_context(|| format!("cannot find `{}`", directory.display()))?;
        let root = AbsPath::new(&real).context("the path of a project must be text")?;
        projects.push(root.to_string());
    }
    let (token, secret) = block_on(engine.access().create_token(NewToken {
        name: args.name.clone(),
        role: args.role.into(),
        mode: ceiling.map(|ceiling| ceiling.slug().clone()),
        projects,
        life: args.expires,
    }))??;
    person::record(
        &engine,
        "create token",
        &format!("{} ({}, {})", token.name, token.id, token.role),
    );
    let exit = close(&engine);
    if args.format.json {
        let mut value = to_json(&token);
        value["token"] = secret.into();
        print_json(&value)?;
    } else {
        print(&format!(
            "{secret}\n{} ({}), shown only once; send it as `Authorization: Bearer`\n",
            token.id, token.role
        ))?;
    }
    Ok(exit)
}
