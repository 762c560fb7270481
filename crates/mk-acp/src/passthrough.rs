//! The relay alone: bytes go through as they come, and nothing is read into them.

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::error::Error;
use crate::process::RunningAgent;
use crate::proxy::{ENDING, Exit};
use crate::trace::{LineDirection, TraceFile};

/// Passes everything on until one side goes, or until `stop` says so.
pub(crate) async fn relay(
    agent: RunningAgent,
    (mut from_editor, mut to_editor): (impl AsyncRead + Unpin, impl AsyncWrite + Unpin),
    trace: Option<TraceFile>,
    stop: impl Future<Output = ()>,
) -> Result<Exit, Error> {
    let RunningAgent {
        mut input,
        mut output,
        mut process,
    } = agent;
    let back = copy(
        &mut output,
        &mut to_editor,
        trace.as_ref(),
        LineDirection::FromAgent,
    );
    tokio::pin!(back);
    let outcome = {
        let forth = copy(
            &mut from_editor,
            &mut input,
            trace.as_ref(),
            LineDirection::FromEditor,
        );
        tokio::select! {
            ended = forth => ended.map(|()| Some(Exit::EditorLeft)).map_err(Error::Editor),
            ended = &mut back => ended.map(|()| None).map_err(Error::Agent),
            () = stop => Ok(Some(Exit::Stopped)),
        }
    };
    if matches!(outcome, Ok(Some(_))) {
        drop(input);
        // What the agent still says to the end of its input is passed on, after what was read already.
        drop(tokio::time::timeout(ENDING, &mut back).await);
    }
    let status = match &mut process {
        Some(process) => process.end(ENDING).await,
        None => "no status".to_owned(),
    };
    if let Some(trace) = &trace {
        trace.finish();
    }
    outcome?.ok_or(Error::AgentEnded { status })
}

async fn copy(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    trace: Option<&TraceFile>,
    heard: LineDirection,
) -> std::io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    let mut line = Vec::new();
    loop {
        let read = from.read(&mut buffer).await?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else {
            return Ok(());
        };
        to.write_all(bytes).await?;
        to.flush().await?;
        if let Some(trace) = trace {
            for byte in bytes {
                match byte {
                    b'\n' => trace.write(heard, &std::mem::take(&mut line)),
                    byte => line.push(*byte),
                }
            }
        }
    }
}
