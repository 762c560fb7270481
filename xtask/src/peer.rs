//! A server over stdio, used from outside: JSON lines in and out, and what the kernel says it cost.
//!
//! It knows no tool and judges no answer beyond «it is one».

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A home and a project of its own, so that nothing of the user's is read or written.
#[derive(Debug)]
pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("xtask-").tempdir()?;
        // `.git` makes it a project: the search for a root ends here.
        std::fs::create_dir_all(folder.path().join("project/.git"))?;
        Ok(Self { folder })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// A command that sees this home and no variable of ours.
    pub(crate) fn command(&self, binary: &Path) -> Command {
        let mut command = Command::new(binary);
        command
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("COLUMNS", "100")
            .stdin(Stdio::null());
        command
    }
}

/// How a client connects the server's stdin and stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wire {
    /// As Python and most others do.
    Pipes,
    /// As Node does.
    Sockets,
}

impl Wire {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pipes => "pipes",
            Self::Sockets => "sockets",
        }
    }
}

/// A running server. It is killed when dropped.
#[derive(Debug)]
pub(crate) struct Peer {
    child: Child,
    input: File,
    output: BufReader<File>,
    next_id: u64,
}

impl Peer {
    pub(crate) fn spawn(mut command: Command, wire: Wire) -> Result<Self> {
        command.stderr(Stdio::null());
        let (child, input, output) = match wire {
            Wire::Pipes => {
                command.stdin(Stdio::piped()).stdout(Stdio::piped());
                let mut child = command.spawn().context("cannot start the server")?;
                let (input, output) = (child.stdin.take(), child.stdout.take());
                let input = OwnedFd::from(input.context("no stdin")?);
                let output = OwnedFd::from(output.context("no stdout")?);
                (child, input, output)
            }
            Wire::Sockets => {
                let (input, stdin) = UnixStream::pair()?;
                let (output, stdout) = UnixStream::pair()?;
                command.stdin(OwnedFd::from(stdin));
                command.stdout(OwnedFd::from(stdout));
                let child = command.spawn().context("cannot start the server")?;
                // The command still holds the child's ends.
                drop(command);
                (child, OwnedFd::from(input), OwnedFd::from(output))
            }
        };
        Ok(Self {
            child,
            input: File::from(input),
            output: BufReader::with_capacity(1 << 16, File::from(output)),
            next_id: 0,
        })
    }

    /// Shakes hands.
    pub(crate) fn initialize(&mut self) -> Result<()> {
        self.greet()?;
        let line = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
        Ok(self.input.write_all(line)?)
    }

    /// The first half of it: returns when `initialize` is answered.
    pub(crate) fn greet(&mut self) -> Result<()> {
        self.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "xtask", "version": "0" },
            }),
        )?;
        Ok(())
    }

    /// The result of one request; an error if the server says so.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        let line = self.line(method, params);
        self.input.write_all(line.as_bytes())?;
        let mut answer = Vec::new();
        read_answer(&mut self.output, &mut answer)?;
        result_of(&answer)
    }

    /// A request as it goes over the wire, for callers that do not want to measure how it is made.
    pub(crate) fn line(&mut self, method: &str, params: &Value) -> String {
        self.next_id += 1;
        let id = self.next_id;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        format!("{message}\n")
    }

    /// Sends each line when the answer to the one before is there; returns how long each took.
    pub(crate) fn sequential(&mut self, lines: &[String]) -> Result<Vec<Duration>> {
        let mut answer = Vec::new();
        let mut times = Vec::with_capacity(lines.len());
        for line in lines {
            let begun = Instant::now();
            self.input.write_all(line.as_bytes())?;
            read_answer(&mut self.output, &mut answer)?;
            times.push(begun.elapsed());
            check_answer(&answer)?;
        }
        Ok(times)
    }

    /// Sends all lines at once, as fast as the server takes them, and hands every answer to `each`.
    pub(crate) fn pipelined(
        &mut self,
        lines: &[String],
        mut each: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<Duration> {
        let Self { input, output, .. } = self;
        let begun = Instant::now();
        std::thread::scope(|scope| {
            let writing = scope.spawn(|| input.write_all(lines.concat().as_bytes()));
            let mut answer = Vec::new();
            for _ in lines {
                read_answer(output, &mut answer)?;
                check_answer(&answer)?;
                each(&answer)?;
            }
            match writing.join() {
                Ok(written) => Ok(written?),
                Err(_) => bail!("the writing thread panicked"),
            }
        })?;
        Ok(begun.elapsed())
    }

    /// Processor time of all its threads, once it is idle.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        cpu_of(self.child.id())
    }

    /// The same with threads that have ended, in hundredths of a second.
    pub(crate) fn cpu_with_ended_threads(&self) -> Result<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        ticks(&stat, 11)
    }

    /// Resident bytes.
    pub(crate) fn resident(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let line = line.context("no VmRSS in /proc")?;
        let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kilobytes * 1024)
    }
}

/// Processor time of all threads of a process, once it is idle.
pub(crate) fn cpu_of(process: u32) -> Result<Duration> {
    let mut before = cpu_now(process)?;
    loop {
        std::thread::sleep(Duration::from_millis(1));
        let now = cpu_now(process)?;
        if now == before {
            return Ok(now);
        }
        before = now;
    }
}

/// `schedstat` counts nanoseconds, where `stat` counts hundredths of a second; but it forgets threads that ended.
fn cpu_now(process: u32) -> Result<Duration> {
    let mut nanoseconds = 0;
    for thread in std::fs::read_dir(format!("/proc/{process}/task"))? {
        let statistics = std::fs::read_to_string(thread?.path().join("schedstat"))?;
        let run = statistics.split(' ').next().context("empty schedstat")?;
        nanoseconds += run.parse::<u64>()?;
    }
    Ok(Duration::from_nanos(nanoseconds))
}

/// Processor time of this process's children that it has waited for, in hundredths of a second.
pub(crate) fn cpu_of_ended_children() -> Result<Duration> {
    ticks(&std::fs::read_to_string("/proc/self/stat")?, 13)
}

/// Two neighbouring fields of a `stat` file, user and system time, counted from the one after the program's name.
fn ticks(stat: &str, first: usize) -> Result<Duration> {
    let (_, fields) = stat.rsplit_once(") ").context("no name in stat")?;
    let mut fields = fields.split(' ').skip(first);
    let mut next = || -> Result<u64> { Ok(fields.next().context("a short stat")?.parse()?) };
    Ok(Duration::from_millis((next()? + next()?) * 10))
}

impl Drop for Peer {
    fn drop(&mut self) {
        // A server that ended by itself cannot be killed, and need not be.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Reads over what the server says unasked.
fn read_answer(output: &mut BufReader<File>, answer: &mut Vec<u8>) -> Result<()> {
    loop {
        answer.clear();
        output.read_until(b'\n', answer)?;
        ensure!(!answer.is_empty(), "the server ended");
        if !answer.starts_with(br#"{"jsonrpc":"2.0","method":""#) {
            return Ok(());
        }
    }
}

/// What a request got, or why it got nothing.
pub(crate) fn result_of(answer: &[u8]) -> Result<Value> {
    let mut answer: Value = serde_json::from_slice(answer)?;
    match answer.get_mut("result") {
        Some(result) => Ok(result.take()),
        None => bail!("the server answered {answer}"),
    }
}

/// Whether it is the answer of a tool that succeeded. Not parsed: it runs inside the measurement.
pub(crate) fn check_answer(answer: &[u8]) -> Result<()> {
    let contains = |text: &[u8]| answer.windows(text.len()).any(|window| window == text);
    if contains(b"\"error\":{") || contains(b"\"isError\":true") {
        bail!("the server answered {}", String::from_utf8_lossy(answer));
    }
    Ok(())
}
