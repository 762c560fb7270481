//! The two pipes of a server, each served by a thread of its own, so that no server can stop us.

use std::io::{BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, Sender, SyncSender};

use super::frame::Frames;
use super::message::Incoming;
use super::process::thread;
use super::supervisor::Event;

/// A server that cannot write JSON more often than this is not one.
const MOST_UNREADABLE: usize = 8;

/// Writes on a thread of its own: a server that does not read would stop whoever writes.
pub(crate) fn write_all(mut stdin: ChildStdin, messages: Receiver<Vec<u8>>) -> std::io::Result<()> {
    thread("input")
        .spawn(move || {
            for message in messages {
                if stdin
                    .write_all(&message)
                    .and_then(|()| stdin.flush())
                    .is_err()
                {
                    break;
                }
            }
        })
        .map(drop)
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
