//! Where the workspace is, what is in it, and how cargo is asked to build it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// The folder with the workspace's `Cargo.toml`.
pub(crate) fn root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}

fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// `cargo metadata --no-deps`: the members and what they ask for.
pub(crate) fn members() -> Result<Value> {
    metadata(&["--no-deps", "--offline"])
}

/// `cargo metadata`: every package of Cargo.lock. It downloads those of other platforms if they are missing.
pub(crate) fn packages() -> Result<Value> {
    metadata(&["--locked"])
}

/// What the product's own package says about itself.
#[derive(Debug)]
pub(crate) struct Product {
    pub(crate) version: String,
    pub(crate) description: String,
    /// `None` before the first release.
    pub(crate) repository: Option<String>,
}

impl Product {
    pub(crate) fn read() -> Result<Self> {
        let members = members()?;
        let packages = members["packages"].as_array();
        let product = packages
            .into_iter()
            .flatten()
            .find(|package| package["name"] == "modekeeper")
            .context("there is no package `modekeeper`")?;
        let text = |key: &str| {
            let value = product[key].as_str();
            let value = value.with_context(|| format!("`modekeeper` has no {key}"))?;
            anyhow::Ok(value.to_owned())
        };
        Ok(Self {
            version: text("version")?,
            description: text("description")?,
            repository: Some(text("repository")?).filter(|it| !it.contains(".invalid/")),
        })
    }
}

/// Where cargo builds.
pub(crate) fn target_directory() -> Result<PathBuf> {
    let members = members()?;
    let directory = members["target_directory"].as_str();
    Ok(PathBuf::from(directory.context("no target directory")?))
}

/// The commit that is checked out, marked if something was changed since.
pub(crate) fn commit() -> Result<String> {
    let output = git(&[
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
        "--exclude=*",
    ])?;
    Ok(String::from_utf8(output)?.trim().to_owned())
}

fn git(arguments: &[&str]) -> Result<Vec<u8>> {
    // The checkout may belong to someone else, as in a container.
    let output = Command::new("git")
        .args(["-c", "safe.directory=*"])
        .args(arguments)
        .current_dir(root())
        .output()
        .context("cannot run git")?;
    let name = arguments.first().unwrap_or(&"git");
    let wrong = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "git {name}: {wrong}");
    Ok(output.stdout)
}

fn metadata(arguments: &[&str]) -> Result<Value> {
    let output = cargo()
        .args(["metadata", "--format-version=1"])
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo metadata")?;
    ensure!(output.status.success(), "cargo metadata: {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Builds and returns the one executable that comes out.
pub(crate) fn build(arguments: &[&str]) -> Result<PathBuf> {
    let output = cargo()
        .arg("build")
        .args(arguments)
        .arg("--message-format=json-render-diagnostics")
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo build")?;
    let shown = arguments.join(" ");
    ensure!(
        output.status.success(),
        "cargo build {shown}: {}",
        output.status
    );
    let messages = String::from_utf8(output.stdout)?;
    let executable = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .next_back();
    executable.with_context(|| format!("cargo build {shown} made no executable"))
}

/// Every file that is tracked or could be, relative to the root.
pub(crate) fn files() -> Result<Vec<PathBuf>> {
    let arguments = "ls-files -z --cached --others --exclude-standard";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let mut files = Vec::new();
    for name in git(&arguments)?.split(|byte| *byte == 0) {
        let path = PathBuf::from(std::str::from_utf8(name).context("a file name is not UTF-8")?);
        // A deleted file is listed until the deletion is committed.
        if !name.is_empty() && root().join(&path).is_file() {
            files.push(path);
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// The text of a file below the root; `None` if it is not text.
pub(crate) fn text(file: &Path) -> Result<Option<String>> {
    let bytes = std::fs::read(root().join(file))
        .with_context(|| format!("cannot read {}", file.display()))?;
    Ok(String::from_utf8(bytes).ok())
}

pub(crate) fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().and_then(OsStr::to_str) == Some(extension)
}
