//! Keeps a connection alive and bounded: early notifications are dropped, and no more is read than is being answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, GetMeta as _, ProtocolVersion, ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Requests of one connection that are answered at the same time; more are left unread.
const MOST_IN_FLIGHT: usize = 512;

/// A transport behind the guard.
#[derive(Debug)]
pub struct Guarded<T> {
    inner: T,
    /// The lifecycle is chosen; before that, rmcp gives up on anything but a request.
    begun: bool,
    flight: Arc<Flight>,
    /// Told when the client is gone, so that calls which wait for a person stop waiting.
    closing: CancellationToken,
}

#[derive(Debug, Default)]
struct Flight {
    requests: AtomicUsize,
    landed: Notify,
}

impl<T> Guarded<T> {
    pub fn new(inner: T, closing: CancellationToken) -> Self {
        Self {
            inner,
            begun: false,
            flight: Arc::default(),
            closing,
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Guarded<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let answers = matches!(
            message,
            ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)
        );
        let flight = Arc::clone(&self.flight);
        let sending = self.inner.send(message);
        async move {
            let sent = sending.await;
            if answers {
                flight.land();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.flight.wait_for_room().await;
            let Some(message) = self.inner.receive().await else {
                self.closing.cancel();
                return None;
            };
            match &message {
                ClientJsonRpcMessage::Request(request) => {
                    self.begun |= begins(&request.request);
                    self.flight.requests.fetch_add(1, Ordering::Relaxed);
                }
                // A cancelled request is never answered.
                ClientJsonRpcMessage::Notification(notification) if self.begun => {
                    if matches!(
                        notification.notification,
                        rmcp::model::ClientNotification::CancelledNotification(_)
                    ) {
                        self.flight.land();
                    }
                }
                _ if self.begun => {}
                _ => {
                    tracing::debug!("a message before the handshake was dropped");
                    continue;
                }
            }
            return Some(message);
        }
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}

/// Whether rmcp leaves its opening state with this request.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let known = meta
                .protocol_version()
                .is_some_and(|it| ProtocolVersion::KNOWN_VERSIONS.contains(&it));
            known
                && meta
                    .missing_required_keys(&ProtocolVersion::V_2026_07_28)
                    .is_empty()
        }
    }
}

impl Flight {
    fn land(&self) {
        // Saturating: a client may cancel what was answered already.
        let lower = |count: usize| count.checked_sub(1);
        let _ = self
            .requests
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, lower);
        self.landed.notify_one();
    }

    async fn wait_for_room(&self) {
        while self.requests.load(Ordering::Relaxed) >= MOST_IN_FLIGHT {
            self.landed.notified().await;
        }
    }
}
