//! Our own binary and scripts in a place that nobody clears: every entry names it, because a package runner's cache is
//! purged and a build directory is cleaned.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use mk_clients::{DATA_HOME_VARIABLE, ShellScripts, shell_scripts};

use super::disk;
use crate::env::Env;

/// The directory of what the installer puts on this machine for all clients.
#[derive(Debug, Clone)]
pub(crate) struct InstallPlace {
    directory: PathBuf,
}

impl InstallPlace {
    /// `None` for a user without a home.
    pub(crate) fn of(env: &Env) -> Option<Self> {
        let is_moved = |(name, _): &&(&str, PathBuf)| *name == DATA_HOME_VARIABLE;
        let data_home = match env.client_directories.iter().find(is_moved) {
            Some((_, directory)) => directory.clone(),
            None => env.home.as_ref()?.join(".local/share"),
        };
        Some(Self {
            directory: data_home.join("modekeeper/bin"),
        })
    }

    pub(crate) fn program(&self) -> PathBuf {
        self.directory.join("modekeeper")
    }

    pub(crate) fn scripts(&self) -> ShellScripts {
        ShellScripts::in_directory(&self.directory)
    }

    /// Copies this program there, and the scripts that start it. A running copy goes on with its old file.
    pub(crate) fn fill(&self, variables: &[(&'static str, PathBuf)]) -> anyhow::Result<()> {
        let from = std::env::current_exe().context("cannot find this program's own file")?;
        let to = self.program();
        if disk::resolve(&from) != disk::resolve(&to) {
            let bytes = std::fs::read(&from)
                .with_context(|| format!("cannot read `{}`", from.display()))?;
            if disk::read(&to)?.as_deref() != Some(bytes.as_slice()) {
                disk::replace(&to, &bytes, true)?;
            }
        }
        for (name, text) in shell_scripts(&to, variables) {
            disk::replace(&self.directory.join(name), text.as_bytes(), true)?;
        }
        Ok(())
    }

    /// Removes all of it.
    pub(crate) fn clear(&self) -> anyhow::Result<()> {
        let scripts = shell_scripts(&self.program(), &[]);
        for (name, _) in scripts {
            disk::remove(&self.directory.join(name), &[])?;
        }
        let above: Vec<PathBuf> = self
            .directory
            .ancestors()
            .take(2)
            .map(Path::to_owned)
            .collect();
        let outermost_first: Vec<PathBuf> = above.into_iter().rev().collect();
        disk::remove(&self.program(), &outermost_first)
    }

    /// Whether the binary there is this one.
    pub(crate) fn is_current(&self) -> anyhow::Result<bool> {
        let from = std::env::current_exe().context("cannot find this program's own file")?;
        let to = self.program();
        Ok(disk::resolve(&from) == disk::resolve(&to) || disk::read(&from)? == disk::read(&to)?)
    }
}
