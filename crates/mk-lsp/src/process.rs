//! A program and everything it starts, none of which outlives us.
//!
//! Each program shares a process group with a guard: a shell that waits on a pipe only we hold. When that pipe closes,
//! because this is dropped or because we were killed, the guard kills the whole group, grandchildren included. The
//! kernel closes it for us in every case, so there is one way to end and no case in which something stays.
//!
//! What leaves the group (`setsid`) is still known by a variable that everything the program starts inherits.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mk_types::lock;

/// Gets the mark as its first argument, and ends those that have left the group before itself. Without `/proc` there are
/// none to find.
const GUARD: &str = r#"read -r _
for file in $(grep -lzsx -- "$1" /proc/[0-9]*/environ); do
    file=${file%/environ}
    kill -KILL "${file#/proc/}"
done
kill -KILL 0"#;
/// The variable by which everything that a program has started is known.
const MARK: &str = "MODEKEEPER_LANGUAGE_SERVER";
/// How much of a program's standard error is kept.
const MOST_STDERR: usize = 8 * 1024;
const MOST_STDERR_LINES: usize = 8;
/// How much a program that is run briefly may print.
const MOST_OUTPUT: u64 = 64 * 1024;
/// How long a program may take to end after its output has.
const ENDING: Duration = Duration::from_secs(2);
/// How long the end of its standard error is waited for.
const LAST_LINES: Duration = Duration::from_millis(200);
/// What `/proc` counts memory in, on every machine that we build for.
const PAGE: u64 = 4096;
const STEP: Duration = Duration::from_millis(5);

/// What to run, and where.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServerProgram<'a> {
    pub(crate) path: &'a Path,
    pub(crate) arguments: &'a [String],
    pub(crate) folder: &'a Path,
    pub(crate) search_path: &'a OsStr,
    /// Words before the program: what holds it.
    pub(crate) held_by: &'a [String],
}

/// A running program with its group; dropping it kills all of it.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    /// What it and everything it starts have in their environment.
    mark: String,
    guard: Child,
    child: Child,
    stderr: StderrTail,
    /// Closes when its standard error has been read to the end.
    stderr_read: Option<Receiver<Infallible>>,
}

/// The ends of a program's pipes.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
}

impl ServerProcess {
    pub(crate) fn start(program: &ServerProgram<'_>) -> io::Result<(Self, Pipes)> {
        let (mut process, stdin, stdout, stderr) = Self::spawn(program, Stdio::piped())?;
        process.stderr_read = Some(process.stderr.follow(stderr)?);
        let stdin = stdin.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((process, Pipes { stdin, stdout }))
    }

    fn spawn(
        program: &ServerProgram<'_>,
        stdin: Stdio,
    ) -> io::Result<(Self, Option<ChildStdin>, ChildStdout, ChildStderr)> {
        let mark = next_mark();
        let mut guard = command(Path::new("/bin/sh"), program.folder)
            .args(["-c", GUARD, "guard", &format!("{MARK}={mark}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .in_group(0)
            .spawn()?;
        let mut held = match program.held_by.split_first() {
            Some((first, words)) => {
                let mut held = command(Path::new(first), program.folder);
                held.args(words).arg(program.path);
                held
            }
            None => command(program.path, program.folder),
        };
        let child = held
            .args(program.arguments)
            .env("PATH", program.search_path)
            .env(MARK, &mark)
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .in_group(guard.id())
            .spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => {
                end(&mut guard);
                return Err(error);
            }
        };
        let stdin = child.stdin.take();
        let pipes = child.stdout.take().zip(child.stderr.take());
        let process = Self {
            mark: format!("{MARK}={mark}"),
            guard,
            child,
            stderr: StderrTail::default(),
            stderr_read: None,
        };
        let (stdout, stderr) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok((process, stdin, stdout, stderr))
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, if it did.
    pub(crate) fn exited(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// The bytes of memory that it holds, with everything it has started; 0 where that cannot be told.
    pub(crate) fn memory(&self) -> u64 {
        let started = marked(&self.mark).into_iter();
        started.map(resident).sum()
    }

    /// Kills all that is left of it, and gives the last lines of its standard error.
    pub(crate) fn last_words(&mut self) -> Vec<String> {
        self.kill_all();
        if let Some(read) = &self.stderr_read {
            // Somebody outside the group may keep it open, so the end is not waited for at any price.
            if read.recv_timeout(LAST_LINES) == Err(RecvTimeoutError::Timeout) {
                tracing::debug!("the standard error of a language server outlives it");
            }
        }
        self.stderr.lines()
    }

    /// Kills those that have left the group before the group: once the guard is gone, nobody would find them if we ended
    /// here. And again after it, because one may have been starting another.
    fn kill_all(&self) {
        marked(&self.mark).into_iter().for_each(kill);
        // The guard has not been waited for, so its number still is the group's.
        kill_group(&self.guard);
        marked(&self.mark).into_iter().for_each(kill);
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.kill_all();
        end(&mut self.child);
        end(&mut self.guard);
    }
}

fn end(child: &mut Child) {
    // Either fails only when there is nothing left to end.
    drop(child.kill());
    drop(child.wait());
}

#[cfg(unix)]
fn kill_group(guard: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = i32::try_from(guard.id()).ok().and_then(Pid::from_raw);
    if let Some(Err(error)) = group.map(|group| kill_process_group(group, Signal::KILL)) {
        tracing::debug!(%error, "a language server's group was gone already");
    }
}

#[cfg(not(unix))]
fn kill_group(_guard: &Child) {}

#[cfg(unix)]
fn kill(pid: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    if let Some(Err(error)) = pid.map(|pid| kill_process(pid, Signal::KILL)) {
        tracing::debug!(%error, "a process of a language server was gone already");
    }
}

#[cfg(not(unix))]
fn kill(_pid: u32) {}

/// A mark that no other program of ours has.
fn next_mark() -> String {
    static N_MARKS: AtomicU64 = AtomicU64::new(0);
    let number = N_MARKS.fetch_add(1, Ordering::Relaxed);
    format!("{}-{number}", std::process::id())
}

/// The processes with this variable in their environment; none without `/proc`.
fn marked(mark: &str) -> Vec<u32> {
    let has_mark = |pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|variable| variable == mark.as_bytes())
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(has_mark)
        .collect()
}

/// The bytes of memory that a process holds.
fn resident(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0_u64) * PAGE
}

trait InGroup {
    /// Puts the program into a group; 0 makes one of its own.
    fn in_group(&mut self, group: u32) -> &mut Self;
}

impl InGroup for Command {
    #[cfg(unix)]
    fn in_group(&mut self, group: u32) -> &mut Self {
        use std::os::unix::process::CommandExt as _;
        self.process_group(i32::try_from(group).unwrap_or(0))
    }

    #[cfg(not(unix))]
    fn in_group(&mut self, _group: u32) -> &mut Self {
        self
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that starts language servers, always with a directory"
)]
fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    command
}

/// The end of what a program says on its standard error.
#[derive(Debug, Clone, Default)]
struct StderrTail(Arc<Mutex<Vec<u8>>>);

impl StderrTail {
    /// Reads to the end on a thread of its own: a pipe that is not read would stop the program.
    fn follow(&self, mut stderr: ChildStderr) -> io::Result<Receiver<Infallible>> {
        let (open, read_to_end) = channel();
        let tail = self.clone();
        thread("stderr")
            .spawn(move || {
                let mut chunk = [0; 4096];
                while let Ok(read) = stderr.read(&mut chunk) {
                    if read == 0 {
                        break;
                    }
                    tail.push(chunk.get(..read).unwrap_or_default());
                }
                drop(open);
            })
            .map(|_| read_to_end)
    }

    fn push(&self, bytes: &[u8]) {
        let mut tail = lock(&self.0);
        tail.extend_from_slice(bytes);
        let surplus = tail.len().saturating_sub(MOST_STDERR);
        tail.drain(..surplus);
    }

    fn lines(&self) -> Vec<String> {
        let tail = lock(&self.0);
        let text = String::from_utf8_lossy(&tail);
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        let surplus = lines.len().saturating_sub(MOST_STDERR_LINES);
        lines
            .into_iter()
            .skip(surplus)
            .map(|line| line.trim_end().chars().take(400).collect())
            .collect()
    }
}

pub(crate) fn thread(name: &str) -> std::thread::Builder {
    std::thread::Builder::new().name(format!("lsp {name}"))
}

/// What a program that was run briefly printed, and whether it succeeded.
#[derive(Debug)]
pub(crate) struct PrintedOutput {
    pub(crate) success: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: Vec<String>,
}

/// Runs a program that should end by itself soon; one that does not is killed.
pub(crate) fn run_briefly(
    program: &ServerProgram<'_>,
    limit: Duration,
) -> io::Result<PrintedOutput> {
    let (mut process, _, stdout, stderr) = ServerProcess::spawn(program, Stdio::null())?;
    process.stderr_read = Some(process.stderr.follow(stderr)?);
    let (sender, receiver) = channel();
    thread("output").spawn(move || {
        let mut text = Vec::new();
        drop(stdout.take(MOST_OUTPUT).read_to_end(&mut text));
        drop(sender.send(text));
    })?;
    let stdout = receiver
        .recv_timeout(limit)
        .map_err(|_| io::ErrorKind::TimedOut)?;
    // Its output has ended; one that lingers on has not succeeded.
    let status = process.wait_briefly(ENDING);
    Ok(PrintedOutput {
        success: status.is_some_and(|status| status.success()),
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: process.last_words(),
    })
}

/// Runs a program to its end and hands over its output, line by line; `false` from `line` ends it.
pub(crate) fn run_aloud(
    program: &ServerProgram<'_>,
    line: &mut dyn FnMut(&str) -> bool,
) -> io::Result<Option<ExitStatus>> {
    let (mut process, _, stdout, stderr) = ServerProcess::spawn(program, Stdio::null())?;
    let (sender, receiver) = channel::<String>();
    let beside = sender.clone();
    thread("output").spawn(move || lines_of(stdout, |line| sender.send(line).is_ok()))?;
    thread("stderr").spawn(move || lines_of(stderr, |line| beside.send(line).is_ok()))?;
    for text in receiver {
        if !line(&text) {
            return Ok(None);
        }
    }
    Ok(process.wait_briefly(ENDING))
}

fn lines_of(mut output: impl io::Read, mut line: impl FnMut(String) -> bool) {
    let mut rest = Vec::new();
    let mut chunk = [0; 4096];
    while let Ok(read) = output.read(&mut chunk) {
        rest.extend_from_slice(chunk.get(..read).unwrap_or_default());
        // Progress bars overwrite their line; each state is a line here. A line without end is cut.
        while let Some(end) = rest
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r'))
            .or((read == 0 || rest.len() > chunk.len()).then_some(rest.len()))
            .filter(|_| !rest.is_empty())
        {
            let text: Vec<u8> = rest.drain(..(end + 1).min(rest.len())).collect();
            let text = String::from_utf8_lossy(&text).trim_end().to_owned();
            if !text.is_empty() && !line(text) {
                return;
            }
        }
        if read == 0 {
            return;
        }
    }
}

impl ServerProcess {
    /// Waits for a program that is about to end by itself.
    #[expect(
        clippy::disallowed_methods,
        reason = "there is no timed wait for a child; callers are on threads of their own"
    )]
    pub(crate) fn wait_briefly(&mut self, limit: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + limit;
        loop {
            let status = self.exited();
            if status.is_some() || Instant::now() >= until {
                return status;
            }
            std::thread::sleep(STEP);
        }
    }
}
