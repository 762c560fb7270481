//! Whether what the proxy writes is what the protocol's schemas say.

use std::path::Path;

use serde_json::Value;

use crate::slow::tools::{self, repository};
use crate::support::sandbox::{bare_command, run};

/// Holds every message of a trace that the proxy has written itself against the schemas; messages of these types must be
/// among them.
#[track_caller]
pub(super) fn judge(trace: &Path, types: &[&str]) {
    let directory = tools::acp();
    let script = repository().join("crates/modekeeper/tests/it/slow/acp/judge.mjs");
    let mut command = bare_command(directory.join("bin/node"), &directory);
    let ran = run(command.arg(script).arg(&directory).arg(trace));
    assert!(ran.status.success(), "{ran:#?}");
    let judged: Value = serde_json::from_str(&ran.stdout).unwrap();
    let wrong = judged["wrong"].as_array().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
    for name in types {
        assert!(judged["checked"][name].is_u64(), "{name}: {judged}");
    }
}
