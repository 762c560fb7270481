//! Logging to stderr and, if configured, to a file. stdout belongs to the protocol.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::mpsc::{SyncSender, sync_channel};

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Lines that may wait; what comes on top is dropped.
const WAITING_LINES: usize = 1024;

/// Starts logging at a level named as in the contract: DEBUG, INFO, WARNING, ERROR.
pub(crate) fn start(level: LevelFilter, file: Option<&Path>) -> io::Result<()> {
    // The library warns of every error that a client is told of; that is the client's news.
    let targets = Targets::new()
        .with_default(level)
        .with_target("rmcp", LevelFilter::ERROR.min(level));
    let layer = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(Lossy::default());
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
                .with_writer(std::sync::Mutex::new(file));
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

/// Writes to stderr from a thread that starts with the first line. A client that never reads our stderr must not
/// stop us, so a full queue loses lines instead of waiting.
#[derive(Debug, Default)]
struct Lossy {
    lines: OnceLock<Option<SyncSender<Vec<u8>>>>,
}

impl Lossy {
    fn sender(&self) -> Option<&SyncSender<Vec<u8>>> {
        let start = || {
            let (sender, lines) = sync_channel::<Vec<u8>>(WAITING_LINES);
            let write = move || {
                lines
                    .iter()
                    .try_for_each(|line| io::stderr().write_all(&line))
            };
            let thread = std::thread::Builder::new()
                .name("log".to_owned())
                .spawn(write);
            thread.is_ok().then_some(sender)
        };
        self.lines.get_or_init(start).as_ref()
    }
}

impl<'a> MakeWriter<'a> for Lossy {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line(self)
    }
}

struct Line<'a>(&'a Lossy);

impl io::Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(sender) = self.0.sender() {
            drop(sender.try_send(bytes.to_vec()));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
