//! The agent as a process, with everything it starts, none of which outlives us.
//!
//! It shares a process group with a guard: a shell that waits on a pipe only we hold. When that pipe closes, because we
//! let go of it or because we were killed, the guard kills the whole group.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::process::Child;

use crate::error::Error;

const GUARD: &str = "read -r _; kill -KILL 0";
/// How much of the agent's standard error waits for ours to be read; what does not fit is dropped, so that an editor
/// that does not read cannot stop the agent.
const STDERR_QUEUE: usize = 64;

/// What to start, and where.
#[derive(Debug, Clone)]
pub struct AgentCommand {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub directory: PathBuf,
    pub environment: Vec<(String, String)>,
}

/// A running agent: its pipes, and its process where it is one.
pub struct RunningAgent {
    pub input: Box<dyn AsyncWrite + Send + Unpin>,
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    pub process: Option<AgentProcess>,
}

impl fmt::Debug for RunningAgent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Agent")
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}

/// An agent's process with its group; dropping it ends all of it.
#[derive(Debug)]
pub struct AgentProcess {
    child: Child,
    guard: Child,
}

/// Starts an agent in a process group of its own.
pub fn start(command: &AgentCommand) -> Result<RunningAgent, Error> {
    spawn(command).map_err(|source| Error::Start {
        program: command.program.display().to_string(),
        source,
    })
}

fn spawn(command: &AgentCommand) -> io::Result<RunningAgent> {
    let mut guard = tokio::process::Command::new("/bin/sh");
    let guard = guard
        .args(["-c", GUARD])
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    let group = guard
        .id()
        .and_then(|id| i32::try_from(id).ok())
        .ok_or(io::ErrorKind::NotFound)?;
    let mut child = tokio::process::Command::new(&command.program);
    let mut child = child
        .args(&command.arguments)
        .envs(
            command
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .current_dir(&command.directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(group)
        .spawn()?;
    let input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let stderr = child.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
    drain(stderr);
    Ok(RunningAgent {
        input: Box::new(input),
        output: Box::new(output),
        process: Some(AgentProcess { child, guard }),
    })
}

/// Reads the agent's standard error to its end, and shows it on ours as far as that is read.
fn drain(mut stderr: tokio::process::ChildStderr) {
    let (sender, receiver) = std::sync::mpsc::sync_channel::<Vec<u8>>(STDERR_QUEUE);
    let writer = std::thread::Builder::new().name("agent-stderr".to_owned());
    let started = writer.spawn(move || {
        for bytes in receiver {
            if io::stderr().write_all(&bytes).is_err() {
                return;
            }
        }
    });
    if let Err(error) = started {
        tracing::warn!(%error, "the agent's standard error is not shown");
    }
    tokio::spawn(async move {
        let mut buffer = vec![0; 8192];
        while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
            let bytes = buffer.get(..read).unwrap_or_default().to_vec();
            // Full or closed: the agent goes on.
            drop(sender.try_send(bytes));
        }
    });
}

impl AgentProcess {
    /// The agent's own process id, while it runs.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits a little for the agent to end by itself, then ends all that is left. Says how it ended.
    pub(crate) async fn end(&mut self, patience: Duration) -> String {
        let ended = tokio::time::timeout(patience, self.child.wait()).await;
        // The guard kills its group, and thereby itself.
        drop(self.guard.stdin.take());
        drop(self.guard.wait().await);
        match ended {
            Ok(Ok(status)) => status.to_string(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => {
                drop(self.child.wait().await);
                "a signal of ours: it did not end by itself".to_owned()
            }
        }
    }
}
