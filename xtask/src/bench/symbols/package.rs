//! Packages as their registries hand them out, fetched once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::run;

pub(super) enum Package {
    PyPi {
        name: &'static str,
        version: &'static str,
    },
    /// Only what it is compiled from: the rest is the same again.
    Npm {
        name: &'static str,
        version: &'static str,
    },
    /// The newest that cargo has fetched to build us.
    Registry { name: &'static str },
}

impl Package {
    /// The name with the version.
    pub(super) fn label(&self) -> Result<String> {
        match self {
            Self::PyPi { name, version } | Self::Npm { name, version } => {
                Ok(format!("{name} {version}"))
            }
            Self::Registry { name } => {
                let folder = newest(name)?;
                let folder = folder.file_name().unwrap_or_default().to_string_lossy();
                Ok(folder.replacen('-', " ", 1))
            }
        }
    }

    pub(super) fn copy_to(&self, project: &Path) -> Result<()> {
        let mut from = self.fetch()?.into_os_string();
        from.push("/.");
        run(Command::new("cp").arg("-r").arg(from).arg(project))
    }

    fn fetch(&self) -> Result<PathBuf> {
        let (name, version) = match self {
            Self::Registry { name } => return newest(name),
            Self::PyPi { name, version } | Self::Npm { name, version } => (name, version),
        };
        let folder = tools()?.join("packages");
        let package = folder.join(format!("{name}-{version}"));
        if package.is_dir() {
            return Ok(package);
        }
        eprintln!("  fetching {name} {version} …");
        std::fs::create_dir_all(&folder)?;
        // Under its own name only when it is whole.
        let fresh = tempfile::tempdir_in(&folder)?;
        let mut fetch;
        let (archive, inner) = match self {
            Self::PyPi { .. } => {
                fetch = Command::new("pip");
                fetch.args(["download", "--quiet", "--no-deps", "--no-binary", ":all:"]);
                fetch.arg(format!("{name}=={version}"));
                (format!("{name}-{version}.tar.gz"), "")
            }
            Self::Npm { .. } | Self::Registry { .. } => {
                fetch = Command::new("npm");
                fetch.args(["pack", "--silent"]);
                fetch.arg(format!("{name}@{version}"));
                (format!("{name}-{version}.tgz"), "package/src")
            }
        };
        run(fetch.current_dir(&fresh))?;
        let unpacked = fresh.path().join("unpacked");
        std::fs::create_dir(&unpacked)?;
        let mut unpack = Command::new("tar");
        unpack.arg("--extract").arg("--strip-components=1");
        unpack.arg("--file").arg(archive).args(["-C", "unpacked"]);
        if !inner.is_empty() {
            unpack.arg(inner);
        }
        run(unpack.current_dir(&fresh))?;
        std::fs::rename(unpacked, &package)?;
        Ok(package)
    }
}

/// Where tests keep what they fetch.
pub(super) fn tools() -> Result<PathBuf> {
    match std::env::var_os("MODEKEEPER_TOOLS") {
        Some(folder) => Ok(PathBuf::from(folder)),
        None => Ok(home()?.join(".cache/modekeeper-test-tools")),
    }
}

fn home() -> Result<PathBuf> {
    let home: Option<OsString> = std::env::var_os("HOME");
    home.map(PathBuf::from).context("HOME is not set")
}

fn newest(name: &str) -> Result<PathBuf> {
    let cargo = match std::env::var_os("CARGO_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => home()?.join(".cargo"),
    };
    let mut found: Vec<(Vec<u64>, PathBuf)> = Vec::new();
    for registry in std::fs::read_dir(cargo.join("registry/src"))? {
        for package in std::fs::read_dir(registry?.path())? {
            let package = package?.path();
            let folder = package.file_name().unwrap_or_default().to_string_lossy();
            let version = folder
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('-'));
            let numbers = version.map(|version| version.split('.').map(str::parse).collect());
            if let Some(Ok(numbers)) = numbers {
                found.push((numbers, package.clone()));
            }
        }
    }
    let newest = found.into_iter().max().map(|(_, package)| package);
    newest.with_context(|| format!("cargo has not fetched {name}"))
}
