//! An agent whose hook does not answer is not started: a forbidden call is fired at the hook first.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, bail};
use mk_clients::{ClientId, HookAnswer, canary_in, is_denial};
use mk_engine::{AgentSession, Engine, HookSettings, Seat};
use mk_types::AbsPath;
use tokio::io::AsyncWriteExt as _;

/// The hook decides within a second; a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(10);

/// Fires a call that every mode refuses at the hook of a product.
pub(super) async fn require(
    client: ClientId,
    engine: &Engine,
    directory: &AbsPath,
    settings: &HookSettings,
) -> anyhow::Result<()> {
    let conversation = format!("modekeeper-acp {directory}");
    let Some(event) = canary_in(client, directory.as_path(), &conversation) else {
        return Ok(());
    };
    let seat = Seat {
        client: AgentSession {
            name: client.slug().to_owned(),
            session: conversation,
        },
        parent: None,
        directory: directory.clone(),
        process: None,
        above: Vec::new(),
    };
    let (sat, _) = engine.conversations().sit(&seat, settings, None).await?;
    let name = client.atlas().name;
    let fired = tokio::time::timeout(PATIENCE, fire(client, directory, &event)).await;
    // Otherwise what the agent starts below this process would be taken for its child.
    engine.conversations().end(&sat).await?;
    let answer = match fired {
        Ok(answer) => answer.with_context(|| format!("the hook of {name} does not answer"))?,
        Err(_) => bail!(
            "the hook of {name} does not answer within {} s",
            PATIENCE.as_secs()
        ),
    };
    if !is_denial(client, &answer) {
        let said = answer.stderr.lines().next().unwrap_or_default();
        bail!(
            "{name} is not started, because its hook lets a forbidden call pass (exit code {}): {said}\n\
             Run `modekeeper doctor {}` to see what is wrong",
            answer.exit_code,
            client.slug()
        );
    }
    Ok(())
}

async fn fire(client: ClientId, directory: &AbsPath, event: &str) -> anyhow::Result<HookAnswer> {
    let program = std::env::current_exe()?;
    let mut child = tokio::process::Command::new(program)
        .args(["hook", client.slug()])
        .current_dir(directory.as_path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(event.as_bytes()).await?;
    }
    let output = child.wait_with_output().await?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(HookAnswer {
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        exit_code: u8::try_from(output.status.code().unwrap_or(1)).unwrap_or(1),
    })
}
