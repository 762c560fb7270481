//! How messages travel: lines, and the guard every transport has.

mod batch;
pub(crate) mod call_line;
pub mod guarded;
pub mod line;
pub mod stdio;

use rmcp::RoleServer;
use rmcp::service::{Service, ServiceExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use guarded::GuardedTransport;
use line::LineTransport;

/// Serves one client on a pair of streams until it goes, and all that was answered is written.
pub(crate) async fn converse(
    service: impl Service<RoleServer>,
    closing: CancellationToken,
    reader: impl AsyncRead + Unpin + Send + 'static,
    writer: impl AsyncWrite + Unpin + Send + 'static,
) {
    let (transport, written) = LineTransport::new(reader, writer);
    match Box::pin(service.serve(GuardedTransport::new(transport, closing))).await {
        Ok(running) => drop(running.waiting().await),
        Err(error) => tracing::debug!(%error, "the client left before the handshake"),
    }
    written.wait().await;
}
