//! Lines in and out: a reader that takes long lines, and a writer that several tasks share and that holds its callers
//! back when the other side does not read.

use std::io;

use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::sync::{mpsc, oneshot};

/// A longer line ends the conversation: nothing in the protocol is that long.
const LONGEST: u64 = 512 * 1024 * 1024;
/// Lines that wait for a reader that is slow; who sends more has to wait.
const QUEUE: usize = 64;
/// Lines that are written at once.
const TOGETHER: usize = 32;
const BUFFER: usize = 64 * 1024;

/// Reads the lines of one side.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    input: BufReader<R>,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input: BufReader::with_capacity(BUFFER, input),
        }
    }

    /// The next line without its end; `None` at the end of input. What stands after the last line's end is a line too.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        loop {
            let mut limited = (&mut self.input).take(LONGEST);
            if limited.read_until(b'\n', &mut line).await? == 0 {
                return Ok(None);
            }
            match line.pop() {
                Some(b'\n') | None => {}
                Some(_) if line.len() as u64 >= LONGEST - 1 => {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "a line is too long",
                    ));
                }
                Some(last) => line.push(last),
            }
            if !line.is_empty() {
                return Ok(Some(line));
            }
        }
    }
}

/// Writes lines to one side.
#[derive(Debug, Clone)]
pub(crate) struct Outlet(mpsc::Sender<LineItem>);

#[derive(Debug)]
enum LineItem {
    Line(Vec<u8>),
    /// Everything before this has been written.
    Flush(oneshot::Sender<()>),
}

impl Outlet {
    /// The outlet, and the work that writes until every outlet is dropped or the other side has gone.
    pub(crate) fn new<W: AsyncWrite + Unpin>(mut output: W) -> (Self, impl Future<Output = ()>) {
        let (sender, mut receiver) = mpsc::channel(QUEUE);
        let work = async move {
            let mut items = Vec::with_capacity(TOGETHER);
            let mut text = Vec::with_capacity(BUFFER);
            while receiver.recv_many(&mut items, TOGETHER).await > 0 {
                text.clear();
                let mut flushed = Vec::new();
                for item in items.drain(..) {
                    match item {
                        LineItem::Line(line) => {
                            text.extend_from_slice(&line);
                            text.push(b'\n');
                        }
                        LineItem::Flush(sender) => flushed.push(sender),
                    }
                }
                let written = output.write_all(&text).await;
                if written.is_err() || output.flush().await.is_err() {
                    return;
                }
                for sender in flushed {
                    // The one who waited has gone.
                    let _gone = sender.send(());
                }
                if text.capacity() > 16 * BUFFER {
                    text = Vec::with_capacity(BUFFER);
                }
            }
            // The other side sees the end of its input; if it has gone, nobody is left to see it.
            drop(output.shutdown().await);
        };
        (Self(sender), work)
    }

    /// Waits until there is room. A side that has gone hears nothing more, and its reader tells so.
    pub(crate) async fn send(&self, line: Vec<u8>) {
        drop(self.0.send(LineItem::Line(line)).await);
    }

    /// Waits until everything has been written, or the other side has gone.
    pub(crate) async fn flush(&self) {
        let (sender, receiver) = oneshot::channel();
        if self.0.send(LineItem::Flush(sender)).await.is_ok() {
            drop(receiver.await);
        }
    }
}
