//! Programs of Debian × ways to change a file: without the wall each works, inside it none.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::support::sandbox::{Ran, bare_command, run};

const WAYS: &str = include_str!("ways.txt");
const SCRIPT: &str = include_str!("ways.sh");

/// A directory that every user can read, with the table, its script and the binary.
fn tools() -> tempfile::TempDir {
    let folder = tempfile::Builder::new()
        .prefix("mk-ways-tools-")
        .tempdir_in("/var/tmp")
        .unwrap();
    let open = |path: &Path| std::fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    open(folder.path());
    for (name, text) in [("ways.txt", WAYS), ("ways.sh", SCRIPT)] {
        let path = folder.path().join(name);
        crate::support::sandbox::overwrite(&path, text.as_bytes());
        open(&path);
    }
    let program = folder.path().join("modekeeper");
    std::fs::copy(env!("CARGO_BIN_EXE_modekeeper"), &program).unwrap();
    open(&program);
    folder
}

#[track_caller]
fn check(ran: &Ran) {
    assert!(ran.status.success(), "{ran:#?}");
    let mut rows = 0;
    let (mut void, mut open, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    for line in ran.stdout.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            ["changed", path] => changed.push(*path),
            [name, without, within] => {
                rows += 1;
                if *without != "yes" {
                    void.push(*name);
                }
                if *within != "no" {
                    open.push((*name, *within));
                }
            }
            _ => panic!("unexpected line: {line}"),
        }
    }
    assert!(open.is_empty(), "these work inside: {open:#?}");
    assert!(
        changed.is_empty(),
        "changed outside of the project: {changed:#?}"
    );
    assert!(
        void.is_empty(),
        "these prove nothing, because they do not work outside: {void:#?}"
    );
    assert!(rows >= 260, "only {rows} ways");
}

/// As root in a copy of the machine's root that is thrown away, so that everything that was changed is seen.
#[test]
fn no_way_works_inside() {
    let tools = tools();
    let mut command = bare_command("/bin/bash", tools.path());
    command.arg("ways.sh");
    if rustix::process::geteuid().is_root() {
        command.arg("--throw-away");
    }
    check(&run(command.args(["ways.txt", "./modekeeper"])));
}

/// The same as an ordinary user; a root becomes one.
#[test]
fn no_way_works_for_an_ordinary_user() {
    let tools = tools();
    let script = tools.path().join("ways.sh");
    let mut command = if rustix::process::geteuid().is_root() {
        let mut command = bare_command("setpriv", tools.path());
        command.args([
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            "/bin/bash",
        ]);
        command
    } else {
        bare_command("/bin/bash", tools.path())
    };
    let program = tools.path().join("modekeeper");
    check(&run(command.arg(script).arg("ways.txt").arg(program)));
}
