//! `modekeeper seatbelt`: a mode as a profile for macOS's own sandbox. Printed on every system, tested on none.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use mk_engine::{CommandAsked, CommandLimits, EditGrant, Engine, ProjectWatching};
use mk_types::{AbsPath, ModeSlug};
use mk_wall::{SeatbeltGrant, SeatbeltRights};

use super::{block_on, close, engine};
use crate::build_dirs;
use crate::config::{Config, SettingOrigin};
use crate::env::Env;
use crate::output::print;

/// Print a profile for `sandbox-exec` on macOS that holds a command in a mode; untested
///
/// macOS has no wall of ours. This profile lets a command write what the mode may edit, and temporary files, but nothing in
/// projects inside this one that have a mode of their own. It was never run on a Mac, and `doctor` says "not walled" there.
/// Use it as: sandbox-exec -f <(modekeeper seatbelt) make
#[derive(Debug, Args)]
pub(crate) struct SeatbeltArgs {
    /// Also limit the profile to what this mode allows
    #[arg(long, value_name = "SLUG")]
    mode: Option<String>,
}

pub(crate) fn run(args: &SeatbeltArgs, config: &Config, env: &Env) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let narrowed = args.mode.as_deref().map(ModeSlug::parse).transpose()?;
    let directory = env.current_dir.as_deref().and_then(AbsPath::new);
    let directory = directory.context("cannot determine the working directory")?;
    let configured = match config.default_mode.origin {
        SettingOrigin::Default => None,
        _ => Some(&config.default_mode.value),
    };
    let asked = CommandAsked {
        sessions: &[],
        above: &[],
        directory: &directory,
        project: &config.project_root.value,
        line_hash: "",
        configured,
        narrowed: narrowed.as_ref(),
        permit: None,
    };
    let hold = block_on(engine.hold_command(&asked))??;
    let mut rights = rights(&hold.limits, env)?;
    rights.closed = projects_inside(&engine, hold.limits.root())?;
    print(&rights.profile())?;
    Ok(close(&engine))
}

/// Projects inside this one that have a mode of their own. What it says is in no profile of the project around it, so
/// that this one only reads there.
fn projects_inside(engine: &Engine, root: &AbsPath) -> anyhow::Result<Vec<PathBuf>> {
    let nested = engine.conversations().standpoint(root)?.nested.into_iter();
    let nested = nested.filter(|it| it.root.as_path().starts_with(root.as_path()));
    Ok(nested.map(|it| it.root.as_path().to_owned()).collect())
}

fn rights(limits: &CommandLimits, env: &Env) -> anyhow::Result<SeatbeltRights> {
    let table = build_dirs::read()?;
    let mut hidden = limits
        .hidden()
        .context("the files that this mode hides cannot all be listed")?;
    hidden.extend(build_dirs::credentials(&table, env));
    let grant = |it: EditGrant| SeatbeltGrant {
        regex: it.regex,
        globs: it.globs,
    };
    let edit = limits.edit_grants().into_iter();
    Ok(SeatbeltRights {
        mode: limits.mode().map(ToString::to_string).unwrap_or_default(),
        root: limits.root().as_path().canonicalize()?,
        edit: edit
            .map(|grants| grants.into_iter().map(grant).collect())
            .collect(),
        shut: limits.protected(),
        closed: Vec::new(),
        trees: ["/private/tmp", "/private/var/folders"]
            .map(PathBuf::from)
            .into(),
        hidden,
        network: build_dirs::network(limits),
    })
}
