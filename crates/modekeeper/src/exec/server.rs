//! Language servers and their installers inside the wall: they read everything but credentials and our own state, and
//! write their caches only.
//!
//! What they may do is fixed here, whatever the mode: no file of the project. An installer reaches the network and
//! writes one directory below our own; nothing else can be named.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use mk_wall::{Background, Git, Network, Rights};

use super::rights;
use crate::build_dirs::{self, BuildDirs};
use crate::config::Config;
use crate::env::Env;

/// What the program is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ServerKind {
    LanguageServer,
    /// Installs into this directory.
    Installer(PathBuf),
}

impl ServerKind {
    const fn name(&self) -> &'static str {
        match self {
            Self::LanguageServer => "language server",
            Self::Installer(_) => "installer",
        }
    }
}

pub(super) fn rights_for(kind: &ServerKind, config: &Config, env: &Env) -> anyhow::Result<Rights> {
    let table = build_dirs::read()?;
    let root = config.project_root.value.as_path().canonicalize()?;
    let state = config.folders().state;
    let place = rights::ExecDirectories::of(&state, &root, kind.name())?;
    let servers = state.join("servers");
    let mut rights = Rights::nothing(kind.name(), root.clone());
    rights.background = Background::End;
    rights.git = Git::Shut;
    rights.own_dirs = rights::own_dirs();
    rights.env_drop = table.drop.clone();
    rights.env_set = environment(&table, &place.cache);
    rights
        .env_set
        .insert("TMPDIR".into(), place.scratch.clone().into());
    let credentials = build_dirs::credentials(&table, env).into_iter();
    // A link may lead up to the project itself, which stays visible.
    rights.hidden = credentials.filter(|path| !root.starts_with(path)).collect();
    rights.hidden.extend(rights::own_state(&state, &root, env));
    rights.shown = vec![place.cache.clone()];
    // Where they are installed.
    rights.shown.extend(servers.canonicalize());
    rights.trees = vec![place.scratch, place.cache];
    if let ServerKind::Installer(folder) = kind {
        rights.network = Network::On;
        rights.trees.push(below(&servers, folder)?);
    }
    Ok(rights)
}

/// The directory, if it is one of our own.
fn below(tools: &Path, folder: &Path) -> anyhow::Result<PathBuf> {
    let tools = tools
        .canonicalize()
        .with_context(|| format!("cannot find `{}`", tools.display()))?;
    let folder = folder
        .canonicalize()
        .with_context(|| format!("cannot find `{}`", folder.display()))?;
    if folder == tools || !folder.starts_with(&tools) {
        bail!("servers are installed below `{}` only", tools.display());
    }
    Ok(folder)
}

fn environment(table: &BuildDirs, cache: &Path) -> BTreeMap<OsString, OsString> {
    let cache = cache.display().to_string();
    let all = table.redirects.iter().flat_map(|row| &row.set);
    all.map(|(name, value)| (name.into(), value.replace("{cache}", &cache).into()))
        .collect()
}
