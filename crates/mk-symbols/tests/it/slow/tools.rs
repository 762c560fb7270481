//! Where the language servers are: a script of the repository installs and names them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder whose `bin` has all servers that the tests talk to.
#[expect(clippy::disallowed_methods, reason = "not a server, but who has them")]
pub(super) fn servers() -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let script = "tests/tools/servers.sh";
    let ran = Command::new(repository.join(script))
        .current_dir(&repository)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{script}: {}", ran.status);
    let folder = PathBuf::from(String::from_utf8(ran.stdout).unwrap().trim());
    assert!(folder.is_dir(), "{script} named {}", folder.display());
    folder
}
