//! Logging to stderr and, if configured, to a file. stdout belongs to the protocol.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use mk_types::{lock, without_secrets};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Lines that may wait; what comes on top is dropped.
const WAITING_LINES: usize = 1024;
/// How long the end of the process waits for them.
const LAST_LINES: Duration = Duration::from_millis(50);

/// How much is logged.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Level {
    All(LevelFilter),
    /// What the command itself reports in addition to its answer; of the rest only errors.
    OwnWords,
}

/// Starts logging at a level named as in the contract: DEBUG, INFO, WARNING, ERROR.
pub(crate) fn start(level: Level, file: Option<&Path>) -> io::Result<()> {
    // The library warns of every error that a client is told of; that is the client's news.
    let mut targets = Targets::new().with_target("rmcp", LevelFilter::ERROR);
    match level {
        Level::All(level) => {
            targets = targets.with_default(level);
            targets = targets.with_target("rmcp", LevelFilter::ERROR.min(level));
        }
        Level::OwnWords => {
            targets = targets.with_default(LevelFilter::ERROR);
            targets = targets.with_target(env!("CARGO_CRATE_NAME"), LevelFilter::INFO);
        }
    }
    let layer = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(LossyQueue);
    let registry = tracing_subscriber::registry().with(targets).with(layer);
    match file {
        None => registry.init(),
        Some(path) => {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let file = OpenOptions::new().create(true).append(true).open(path)?;
            let layer = tracing_subscriber::fmt::layer()
                .with_ansi(false)
                .with_writer(Mutex::new(WithoutSecrets(file)));
            registry.with(layer).init();
        }
    }
    Ok(())
}

/// Reads a level's name, in any case; `WARN` and `TRACE` are known too.
pub(crate) fn parse_level(text: &str) -> Option<LevelFilter> {
    match text.to_ascii_uppercase().as_str() {
        "TRACE" => Some(LevelFilter::TRACE),
        "DEBUG" => Some(LevelFilter::DEBUG),
        "INFO" => Some(LevelFilter::INFO),
        "WARN" | "WARNING" => Some(LevelFilter::WARN),
        "ERROR" => Some(LevelFilter::ERROR),
        "OFF" => Some(LevelFilter::OFF),
        _ => None,
    }
}

/// Lets the lines that wait reach stderr before the process ends. A reader that does not read is not waited for.
pub(crate) fn finish() {
    let Some(Some(queue)) = QUEUE.get() else {
        return;
    };
    let (done, written) = sync_channel(1);
    if queue.try_send(LogItem::Done(done)).is_ok() {
        // Whether they were written or time is up: the end comes now.
        let _ = written.recv_timeout(LAST_LINES);
    }
}

/// Of the thread that writes to stderr; it starts with the first line. `None` if it could not.
static QUEUE: OnceLock<Option<SyncSender<LogItem>>> = OnceLock::new();

enum LogItem {
    Line(Vec<u8>),
    /// Everything before this was written.
    Done(SyncSender<()>),
}

fn queue() -> Option<&'static SyncSender<LogItem>> {
    let start = || {
        let (sender, items) = sync_channel(WAITING_LINES);
        let write = move || {
            items.iter().try_for_each(|item| match item {
                LogItem::Line(line) => io::stderr().write_all(&line),
                // No one waits any more if this fails.
                LogItem::Done(done) => {
                    let _ = done.try_send(());
                    Ok(())
                }
            })
        };
        let thread = std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(write);
        thread.is_ok().then_some(sender)
    };
    QUEUE.get_or_init(start).as_ref()
}

/// The last lines, for the page.
static LAST: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());
/// How many there are at most.
const MOST_LAST: usize = 200;

/// The last lines of this process' log, oldest first.
pub(crate) fn tail() -> Vec<String> {
    let last = lock(&LAST);
    last.iter().cloned().collect()
}

fn keep(line: &str) {
    let mut last = lock(&LAST);
    if last.len() == MOST_LAST {
        last.pop_front();
    }
    last.push_back(line.to_owned());
}

/// A client that never reads our stderr must not stop us, so a full queue loses lines instead of waiting.
#[derive(Debug)]
struct LossyQueue;

impl MakeWriter<'_> for LossyQueue {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        Self
    }
}

impl io::Write for LossyQueue {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let line = clean(bytes);
        keep(&line);
        if let Some(queue) = queue() {
            drop(queue.try_send(LogItem::Line(line.into_owned().into_bytes())));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A line without the credentials that may stand in an error or a path. A line is written at once.
fn clean(line: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(line) {
        Cow::Borrowed(line) => without_secrets(line),
        Cow::Owned(line) => Cow::Owned(without_secrets(&line).into_owned()),
    }
}

/// A file of such lines.
#[derive(Debug)]
struct WithoutSecrets(File);

impl io::Write for WithoutSecrets {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(clean(bytes).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
