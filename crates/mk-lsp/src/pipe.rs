//! The two pipes of a server, each served by a thread of its own, so that no server can stop us.

use std::io::{BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, SyncSender, channel};

use crate::frame::Frames;
use crate::message::Incoming;
use crate::process::thread;
use crate::supervisor::Event;

/// A server that cannot write JSON more often than this is not one.
const MOST_UNREADABLE: usize = 8;

/// A server that leaves more than this unread does not read.
const MOST_UNREAD: usize = 32 * 1024 * 1024;

/// What goes to a server; the sender does not wait until it is read.
#[derive(Debug)]
pub(crate) struct Outbox {
    messages: Sender<Vec<u8>>,
    /// Bytes that were sent and not yet written.
    unread: Arc<AtomicUsize>,
}

impl Outbox {
    /// Writes on a thread of its own: a server that does not read would stop the writer.
    pub(crate) fn new(mut stdin: ChildStdin) -> std::io::Result<Self> {
        let (messages, sent) = channel::<Vec<u8>>();
        let unread = Arc::new(AtomicUsize::new(0));
        let written = Arc::clone(&unread);
        let write = move || {
            for message in sent {
                let result = stdin.write_all(&message).and_then(|()| stdin.flush());
                written.fetch_sub(message.len(), Ordering::Relaxed);
                if result.is_err() {
                    break;
                }
            }
        };
        thread("input").spawn(write)?;
        Ok(Self { messages, unread })
    }

    /// `false` if the server does not read.
    pub(crate) fn send(&self, message: Vec<u8>) -> bool {
        let unread = self.unread.fetch_add(message.len(), Ordering::Relaxed);
        // If it cannot be written, the end of the server's output, which tells more, comes next.
        drop(self.messages.send(message));
        unread < MOST_UNREAD
    }
}

/// Reads and parses on a thread of its own; each message is announced as an event.
pub(crate) fn read_all(
    stdout: ChildStdout,
    messages: SyncSender<Incoming>,
    generation: u64,
    events: Sender<Event>,
) -> std::io::Result<()> {
    let read = move || {
        let mut frames = Frames::new(BufReader::new(stdout));
        let mut unreadable = 0;
        let reason = loop {
            let body = match frames.next() {
                Ok(Some(body)) => body,
                Ok(None) => break None,
                Err(error) => break Some(error.to_string()),
            };
            let Some(message) = Incoming::parse(&body) else {
                unreadable += 1;
                if unreadable > MOST_UNREADABLE {
                    break Some("it writes messages that are not JSON-RPC".to_owned());
                }
                continue;
            };
            // The queue is short: a server that writes faster than it is understood has to wait.
            if messages.send(message).is_err() || events.send(Event::Message(generation)).is_err() {
                return;
            }
        };
        drop(events.send(Event::Closed(generation, reason)));
    };
    thread("output").spawn(read).map(drop)
}
