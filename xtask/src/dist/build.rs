//! Builds the binary of one platform, with zig as the C compiler and linker: one machine builds for all.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::framework;
use super::platform::Platform;
use crate::workspace;

/// No path of this machine is in the binary, and a static one does not relocate itself when it starts.
fn flags(platform: &Platform) -> Result<String> {
    let mut flags = Vec::new();
    let root = workspace::root().display().to_string();
    flags.push(format!("--remap-path-prefix={root}=/modekeeper"));
    // What build scripts write is there.
    let built = workspace::target_directory()?;
    if !built.starts_with(workspace::root()) {
        let built = built.display();
        flags.push(format!("--remap-path-prefix={built}=/modekeeper/target"));
    }
    if let Some(home) = cargo_home() {
        flags.push(format!("--remap-path-prefix={}=/cargo", home.display()));
    }
    // Where the sources of the standard library are installed, what is inlined from it names them.
    let library = sysroot()?.join("lib/rustlib/src/rust");
    flags.push(format!("--remap-path-prefix={}=/rustc", library.display()));
    if platform.target.contains("linux-musl") {
        flags.push("-Ctarget-feature=+crt-static".to_owned());
        flags.push("-Crelocation-model=static".to_owned());
    }
    ensure!(
        flags.iter().all(|flag| !flag.contains('\u{1f}')),
        "a path has a control character in it"
    );
    Ok(flags.join("\u{1f}"))
}

fn cargo_home() -> Option<PathBuf> {
    let set = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    set.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))
}

fn sysroot() -> Result<PathBuf> {
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .current_dir(workspace::root())
        .output()
        .context("cannot run rustc")?;
    ensure!(output.status.success(), "rustc: {}", output.status);
    Ok(PathBuf::from(String::from_utf8(output.stdout)?.trim()))
}

/// Installs zig where the tests keep their tools, and puts it first on PATH.
fn search_path() -> Result<OsString> {
    let output = Command::new(workspace::root().join("tests/tools/python.sh"))
        .arg("zig")
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run tests/tools/python.sh")?;
    ensure!(
        output.status.success(),
        "tests/tools/python.sh zig: {}",
        output.status
    );
    let python = PathBuf::from(String::from_utf8(output.stdout)?.trim());
    let tools = python.parent().map(Path::to_owned);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = tools.into_iter().chain(std::env::split_paths(&path));
    Ok(std::env::join_paths(all)?)
}

/// The binary. What is missing to build it is installed: the target's standard library, zig, `cargo-zigbuild`.
pub(super) fn build(platform: &Platform, profile: &str) -> Result<PathBuf> {
    let target = platform.target;
    let status = Command::new("rustup")
        .args(["target", "add", target])
        .current_dir(workspace::root())
        .status();
    // Without rustup, the toolchain may have the target all the same.
    if let Ok(status) = status {
        ensure!(status.success(), "rustup target add {target}: {status}");
    }
    let search_path = search_path()?;
    let mut command = Command::new(program_in(&search_path, "cargo-zigbuild")?);
    command
        .args(["zigbuild", "--locked", "--package", "modekeeper"])
        .args(["--profile", profile, "--target", target])
        .current_dir(workspace::root())
        .env("PATH", &search_path)
        .env("CARGO_ENCODED_RUSTFLAGS", flags(platform)?)
        .env("MODEKEEPER_COMMIT", workspace::commit()?)
        .env("MODEKEEPER_TARGET", target);
    if let Some(oldest) = platform.oldest_macos {
        // Without it, zig builds for the newest.
        command.env("MACOSX_DEPLOYMENT_TARGET", oldest);
        if !cfg!(target_os = "macos") {
            let sdk = workspace::target_directory()?.join("macos-sdk");
            framework::write(&sdk)?;
            command.env("SDKROOT", sdk);
        }
    }
    let status = command.status().context("cannot run cargo-zigbuild")?;
    ensure!(
        status.success(),
        "cargo zigbuild --target {target}: {status}"
    );
    let directory = match profile {
        "dev" => "debug",
        other => other,
    };
    Ok(workspace::target_directory()?
        .join(target)
        .join(directory)
        .join("modekeeper"))
}

fn program_in(search_path: &OsStr, name: &str) -> Result<PathBuf> {
    let mut places = std::env::split_paths(search_path).map(|directory| directory.join(name));
    let found = places.find(|file| file.is_file());
    found.with_context(|| format!("there is no {name} on PATH"))
}
