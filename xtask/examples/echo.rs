//! The least an MCP server over stdio can do with rmcp: every tool answers with its arguments.
//!
//! `cargo xtask bench` compares Modekeeper with it. It reads pipes and sockets without blocking, as Modekeeper does,
//! so that the difference is what Modekeeper adds and not how the bytes travel.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt as _};
use rustix::fs::{FileType, Mode, OFlags};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = serde_json::to_string(&request.arguments)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

fn main() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let reader = reader(io::stdin().as_fd())?;
        let writer = writer(io::stdout().as_fd())?;
        let running = Box::pin(Echo.serve((reader, writer))).await?;
        running.waiting().await?;
        anyhow::Ok(())
    })?;
    runtime.shutdown_background();
    Ok(())
}

fn reader(fd: BorrowedFd<'_>) -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    if is_socket(fd)? {
        return Ok(Box::new(socket(fd)?));
    }
    let fd = reopen(0, OFlags::RDONLY)?;
    Ok(Box::new(pipe::Receiver::from_owned_fd(fd)?))
}

fn writer(fd: BorrowedFd<'_>) -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
    if is_socket(fd)? {
        return Ok(Box::new(socket(fd)?));
    }
    let fd = reopen(1, OFlags::WRONLY)?;
    Ok(Box::new(pipe::Sender::from_owned_fd(fd)?))
}

fn is_socket(fd: BorrowedFd<'_>) -> io::Result<bool> {
    let mode = rustix::fs::fstat(fd)?.st_mode;
    Ok(FileType::from_raw_mode(mode) == FileType::Socket)
}

fn socket(fd: BorrowedFd<'_>) -> io::Result<UnixStream> {
    let stream = std::os::unix::net::UnixStream::from(fd.try_clone_to_owned()?);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

fn reopen(number: u8, access: OFlags) -> io::Result<OwnedFd> {
    let flags = access | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::open(
        format!("/proc/self/fd/{number}"),
        flags,
        Mode::empty(),
    )?)
}
