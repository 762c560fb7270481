//! The wall against everything that Debian has to write and run with, and what must go on working inside it.

mod build;
mod race;
mod trouble;
mod ways;

use std::path::Path;
use std::process::Command;

use crate::support::sandbox::{Ran, Sandbox, bare_command, run};

const MODES: &str = r"customModes:
  - slug: docs
    name: Docs
    roleDefinition: You write documents.
    groups: [read, command, [edit, {fileRegex: '\.md$'}]]
  - slug: look
    name: Look
    roleDefinition: You look.
    groups: [read, command]
";

/// A project with a repository, a document and a source.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(".roomodes", MODES);
    sandbox.write("README.md", "read me\n");
    sandbox.write("src/a.rs", "fn a() {}\n");
    sandbox
}

/// Commits everything that is there.
fn commit(sandbox: &Sandbox) {
    let line = "git init -q . && git add . && git -c user.name=a -c user.email=a@example.org commit -qm one";
    let ran = shell(&sandbox.project(), line);
    assert!(ran.status.success(), "{ran:#?}");
}

/// Runs a line with nothing around it.
fn shell(directory: &Path, line: &str) -> Ran {
    run(bare_command("/bin/bash", directory).args(["-c", line]))
}

/// `exec` in a mode.
fn exec(sandbox: &Sandbox, mode: &str, line: &str) -> Command {
    let mut command = sandbox.command(&["exec", "--mode", mode, "--", "/bin/bash", "-c", line]);
    // Toolchains are found where they are, not in the sandbox's home.
    for name in ["CARGO_HOME", "RUSTUP_HOME"] {
        if let Some(value) = toolchain(name) {
            command.env(name, value);
        }
    }
    command
}

/// Where cargo and rustup keep their things, as the machine has it.
fn toolchain(name: &str) -> Option<std::ffi::OsString> {
    let default = match name {
        "CARGO_HOME" => ".cargo",
        _ => ".rustup",
    };
    let home = || Some(Path::new(&std::env::var_os("HOME")?).join(default).into());
    std::env::var_os(name).or_else(home)
}

/// What git says has changed, `.roomodes` and all.
fn status(sandbox: &Sandbox) -> String {
    shell(&sandbox.project(), "git status --porcelain --ignored").stdout
}
