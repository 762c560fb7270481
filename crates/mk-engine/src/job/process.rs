//! One running command: a thread starts it, reads what it prints, and waits for its end.
//!
//! The thread lives as long as the process, because `exec` ends with the thread that started it.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mk_types::{AbsPath, PermitId, lock};
use rustix::process::{Pid, Signal, WaitIdOptions};
use tokio::sync::watch;

use super::JobCommand;
use super::output::Output;

/// How long the last lines of a command that has ended are waited for: something may hold its output open.
const LAST_LINES: Duration = Duration::from_millis(500);

/// How far a command has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    Running,
    /// With this exit code, 128 and more by signal.
    Ended(i32),
}

/// How a command is started.
#[derive(Debug)]
pub(super) struct JobLaunch(Command);

impl JobLaunch {
    /// Through our own `exec`, which takes the rights from the permit.
    pub(super) fn walled(
        program: &Path,
        permit: &PermitId,
        command: &JobCommand,
        directory: &AbsPath,
        state: &Path,
    ) -> Self {
        let seconds = command.time_limit.as_secs().max(1);
        let mut launched = process(program, directory);
        launched
            .args(["exec", "--permit", permit.as_str(), "--time-limit"])
            .arg(seconds.to_string())
            .args(["--", "/bin/sh", "-c", &command.line])
            .env("MODEKEEPER_STATE_DIR", state);
        Self(launched)
    }

    /// With nothing around it.
    pub(super) fn open(command: &JobCommand, directory: &AbsPath) -> Self {
        let seconds = command.time_limit.as_secs().max(1);
        let mut launched = process(Path::new("timeout"), directory);
        launched
            .args(["--kill-after=5", &seconds.to_string()])
            .args(["/bin/sh", "-c", &command.line]);
        Self(launched)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that starts commands, always with a directory"
)]
fn process(program: &Path, directory: &AbsPath) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(directory.as_path())
        .stdin(Stdio::null());
    command
}

/// One command.
#[derive(Debug)]
pub(super) struct CommandJob {
    pub(super) line: String,
    pub(super) whose: String,
    pub(super) output: Arc<Output>,
    state: watch::Receiver<JobState>,
    /// Gone once the process has been waited for: its number may be another's then.
    process: Arc<Mutex<Option<Pid>>>,
}

impl CommandJob {
    pub(super) fn start(
        launch: JobLaunch,
        line: String,
        whose: String,
    ) -> std::io::Result<Arc<Self>> {
        let (sender, state) = watch::channel(JobState::Running);
        let (started, starts) = channel();
        let output = Arc::new(Output::default());
        let process = Arc::new(Mutex::new(None));
        let (kept, number) = (Arc::clone(&output), Arc::clone(&process));
        std::thread::Builder::new()
            .name("command".to_owned())
            .spawn(move || match spawn(launch, kept, &number) {
                Ok(running) => {
                    drop(started.send(Ok(())));
                    let code = running.wait(&number);
                    // Nobody may be left who wants to know.
                    sender.send(JobState::Ended(code)).ok();
                }
                Err(error) => drop(started.send(Err(error))),
            })?;
        starts
            .recv()
            .unwrap_or_else(|_| Err(std::io::Error::other("its thread has ended")))?;
        Ok(Arc::new(Self {
            line,
            whose,
            output,
            state,
            process,
        }))
    }

    pub(super) fn state(&self) -> JobState {
        *self.state.borrow()
    }

    pub(super) async fn ended(&self) {
        let mut state = self.state.clone();
        // An error means that its thread is gone, and so is the process.
        drop(state.wait_for(|state| *state != JobState::Running).await);
    }

    /// Asks it to end; `exec` sees to it that it does.
    pub(super) fn end(&self) {
        let process = lock(&self.process);
        if let Some(process) = *process {
            // It may be about to be waited for.
            rustix::process::kill_process(process, Signal::TERM).ok();
        }
    }
}

struct RunningJob {
    child: Child,
    read_to_end: std::sync::mpsc::Receiver<()>,
}

fn spawn(
    launch: JobLaunch,
    output: Arc<Output>,
    number: &Mutex<Option<Pid>>,
) -> std::io::Result<RunningJob> {
    let (mut reader, writer) = std::io::pipe()?;
    let JobLaunch(mut command) = launch;
    command.stdout(writer.try_clone()?).stderr(writer);
    let child = command.spawn()?;
    // Our own copies of the pipe's end would keep it open.
    drop(command);
    *lock(number) = Some(Pid::from_child(&child));
    let (open, read_to_end) = channel::<()>();
    std::thread::Builder::new()
        .name("output".to_owned())
        .spawn(move || {
            let mut chunk = vec![0; 64 * 1024];
            while let Ok(read) = reader.read(&mut chunk)
                && read > 0
            {
                output.push(chunk.get(..read).unwrap_or_default());
            }
            drop(open);
        })?;
    Ok(RunningJob { child, read_to_end })
}

impl RunningJob {
    fn wait(mut self, number: &Mutex<Option<Pid>>) -> i32 {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let process = Pid::from_child(&self.child);
        let wait = || rustix::process::waitid(rustix::process::WaitId::Pid(process), options);
        while let Err(rustix::io::Errno::INTR) = wait() {}
        let status = {
            let mut number = lock(number);
            *number = None;
            self.child.wait()
        };
        if self.read_to_end.recv_timeout(LAST_LINES) == Err(RecvTimeoutError::Timeout) {
            tracing::debug!("the output of a command outlives it");
        }
        status.map_or(-1, code_of)
    }
}

fn code_of(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    let by_signal = || status.signal().map(|signal| 128 + signal);
    status.code().or_else(by_signal).unwrap_or(-1)
}
