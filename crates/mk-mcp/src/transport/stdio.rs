//! Standard input and output as streams that never block the runtime, with fd 1 kept for the protocol alone.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::pin::Pin;

use mk_engine::Ceiling;
use rustix::fs::{FileType, OFlags};
use tokio::io::{AsyncRead, AsyncWrite, Interest};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use crate::connection::McpServer;
use crate::handler::Handler;
use crate::lift::Lift;
use crate::transport::converse;

type StdioReader = Box<dyn AsyncRead + Send + Unpin>;
type StdioWriter = Box<dyn AsyncWrite + Send + Unpin>;

/// Serves one client on standard input and output until it goes, or until `shutdown` says so.
pub async fn serve(
    server: &McpServer,
    ceiling: Option<Ceiling>,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let handler = Lift(Handler::new(server.connect(ceiling)?));
    let left = hung_up(io::stdout().as_fd().try_clone_to_owned()?)?;
    let (reader, writer) = open()?;
    let serving = converse(handler, server.closing().clone(), reader, writer);
    tokio::select! {
        () = serving => {}
        () = shutdown => server.closing().cancel(),
        () = left => server.closing().cancel(),
    }
    Ok(())
}

/// Resolves when our answers are no longer read, though input may still come. Never for a file or a terminal.
fn hung_up(stdout: OwnedFd) -> io::Result<Pin<Box<dyn Future<Output = ()>>>> {
    Ok(match file_type(stdout.as_fd())? {
        FileType::Fifo => {
            let pipe = pipe::Sender::from_owned_fd(stdout)?;
            Box::pin(async move {
                // The only error of a pipe that is not written to: its reader is gone.
                let _ready = pipe.ready(Interest::ERROR).await;
            })
        }
        FileType::Socket => {
            let socket = socket(stdout)?;
            Box::pin(async move {
                // Nothing comes in on it; a socket that is input as well ends with its input.
                match socket.ready(Interest::READABLE).await {
                    Ok(ready) if !ready.is_read_closed() => std::future::pending().await,
                    Ok(_) | Err(_) => {}
                }
            })
        }
        _ => Box::pin(std::future::pending()),
    })
}

/// Opens both. Python gives its children pipes, Node gives them sockets; a terminal or a file is read by a thread.
fn open() -> io::Result<(StdioReader, StdioWriter)> {
    let (stdin, stdout) = (io::stdin(), io::stdout());
    let reader: StdioReader = match file_type(stdin.as_fd())? {
        FileType::Fifo => Box::new(pipe::Receiver::from_owned_fd(reopen(0, OFlags::RDONLY)?)?),
        FileType::Socket => Box::new(socket(stdin.as_fd().try_clone_to_owned()?)?),
        _ => Box::new(tokio::io::stdin()),
    };
    let writer: StdioWriter = match file_type(stdout.as_fd())? {
        FileType::Fifo => Box::new(pipe::Sender::from_owned_fd(reopen(1, OFlags::WRONLY)?)?),
        FileType::Socket => Box::new(socket(stdout.as_fd().try_clone_to_owned()?)?),
        _ => return Ok((reader, Box::new(tokio::io::stdout()))),
    };
    // Whatever prints by mistake from here on goes to stderr instead of into a message.
    rustix::stdio::dup2_stdout(io::stderr().as_fd())?;
    Ok((reader, writer))
}

fn file_type(fd: std::os::fd::BorrowedFd<'_>) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(fd)?.st_mode))
}

/// A description of our own: making the inherited one non-blocking would change it for its other holders too. A pipe
/// of another user cannot be opened again, nor any without `/proc`; then the inherited one must do.
#[cfg(target_os = "linux")]
fn reopen(number: i32, access: OFlags) -> io::Result<OwnedFd> {
    let flags = access | OFlags::NONBLOCK | OFlags::CLOEXEC;
    rustix::fs::open(
        format!("/proc/self/fd/{number}"),
        flags,
        rustix::fs::Mode::empty(),
    )
    .or_else(|_| duplicate(number))
}

#[cfg(not(target_os = "linux"))]
fn reopen(number: i32, _access: OFlags) -> io::Result<OwnedFd> {
    duplicate(number)
}

/// Tokio makes it non-blocking when it takes it.
fn duplicate(number: i32) -> io::Result<OwnedFd> {
    if number == 0 {
        io::stdin().as_fd().try_clone_to_owned()
    } else {
        io::stdout().as_fd().try_clone_to_owned()
    }
}

fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let stream = StdUnixStream::from(fd);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}
