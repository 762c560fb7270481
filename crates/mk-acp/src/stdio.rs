//! Standard input and output as streams that never block the runtime, with fd 1 kept for the protocol alone.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;

use rustix::fs::{FileType, Mode, OFlags};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use crate::error::Error;

pub type AcpReader = Box<dyn AsyncRead + Send + Unpin>;
pub type AcpWriter = Box<dyn AsyncWrite + Send + Unpin>;

/// Opens both. Python gives its children pipes, Node gives them sockets; a terminal or a file is read by a thread.
pub fn open() -> Result<(AcpReader, AcpWriter), Error> {
    streams().map_err(Error::Streams)
}

fn streams() -> io::Result<(AcpReader, AcpWriter)> {
    let (stdin, stdout) = (io::stdin(), io::stdout());
    let reader: AcpReader = match file_type(stdin.as_fd())? {
        FileType::Fifo => Box::new(pipe::Receiver::from_owned_fd(reopen(
            stdin.as_fd(),
            OFlags::RDONLY,
        )?)?),
        FileType::Socket => Box::new(socket(stdin.as_fd().try_clone_to_owned()?)?),
        _ => Box::new(tokio::io::stdin()),
    };
    let writer: AcpWriter = match file_type(stdout.as_fd())? {
        FileType::Fifo => Box::new(pipe::Sender::from_owned_fd(reopen(
            stdout.as_fd(),
            OFlags::WRONLY,
        )?)?),
        FileType::Socket => Box::new(socket(stdout.as_fd().try_clone_to_owned()?)?),
        _ => return Ok((reader, Box::new(tokio::io::stdout()))),
    };
    // Whatever prints by mistake from here on goes to stderr instead of into a message.
    rustix::stdio::dup2_stdout(io::stderr().as_fd())?;
    Ok((reader, writer))
}

fn file_type(fd: BorrowedFd<'_>) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(fd)?.st_mode))
}

/// A description of our own: making the inherited one non-blocking would change it for its other holders too. A pipe
/// of another user cannot be opened again, nor any without `/proc`; then the inherited one must do.
fn reopen(fd: BorrowedFd<'_>, access: OFlags) -> io::Result<OwnedFd> {
    use std::os::fd::AsRawFd as _;
    let flags = access | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let own = rustix::fs::open(
        format!("/proc/self/fd/{}", fd.as_raw_fd()),
        flags,
        Mode::empty(),
    );
    match own {
        Ok(own) => Ok(own),
        // Tokio makes it non-blocking when it takes it.
        Err(_) => fd.try_clone_to_owned(),
    }
}

fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let stream = StdUnixStream::from(fd);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}
