//! What holds the clients of this machine, for the page: `modekeeper doctor` in a process of its own, because it starts
//! other programs and waits for them.

use std::process::Stdio;
use std::time::Duration;

use mk_types::AbsPath;
use serde_json::{Value, json};

/// Products in Node need seconds to say their version, on a busy machine many of them.
const PATIENCE: Duration = Duration::from_secs(90);

pub(super) async fn look(directory: AbsPath) -> Value {
    match doctor(&directory).await {
        Ok(findings) => json!({ "findings": findings }),
        Err(error) => json!({ "findings": [], "problem": format!("{error:#}") }),
    }
}

async fn doctor(directory: &AbsPath) -> anyhow::Result<Value> {
    let exe = std::env::current_exe()?;
    let output = tokio::process::Command::new(exe)
        .args(["doctor", "--json", "--project-root", directory.as_str()])
        .current_dir(directory.as_path())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(PATIENCE, output).await??;
    Ok(serde_json::from_slice(&output.stdout)?)
}
