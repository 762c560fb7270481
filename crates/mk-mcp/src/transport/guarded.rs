//! Keeps a connection alive and bounded: early notifications are dropped, and no more is read than is being answered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use mk_types::lock;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta as _, ProtocolVersion,
    RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Requests of one connection that are answered at the same time; more are left unread.
const MOST_IN_FLIGHT: usize = 512;

/// A transport behind the guard.
#[derive(Debug)]
pub struct GuardedTransport<T> {
    inner: T,
    /// The lifecycle is chosen; before that, rmcp gives up on anything but a request.
    begun: bool,
    flight: Arc<Flight>,
    /// Told when the client is gone, so that calls which wait for a person stop waiting.
    closing: CancellationToken,
}

#[derive(Debug, Default)]
struct Flight {
    requests: Mutex<Requests>,
    landed: Notify,
}

/// The requests that are not answered yet.
#[derive(Debug, Default)]
struct Requests {
    /// From the id that rmcp knows to the one that the client sent. rmcp answers only one of two requests that
    /// share an id, so a second one goes by another name until its answer.
    flying: HashMap<RequestId, FlyingRequest>,
    /// How many have got another name so far.
    renamed: u64,
}

#[derive(Debug)]
struct FlyingRequest {
    sent_as: RequestId,
    /// Streams of changes stay open as long as the client likes; their number has a bound of its own.
    is_stream: bool,
}

impl<T> GuardedTransport<T> {
    pub fn new(inner: T, closing: CancellationToken) -> Self {
        Self {
            inner,
            begun: false,
            flight: Arc::default(),
            closing,
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for GuardedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        mut message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let id = match &mut message {
            ServerJsonRpcMessage::Response(response) => Some(&mut response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_mut(),
            _ => None,
        };
        let answered = id.map(|id| {
            let known = id.clone();
            if let Some(flying) = self.flight.requests().flying.get(&known) {
                id.clone_from(&flying.sent_as);
            }
            known
        });
        let flight = Arc::clone(&self.flight);
        let sending = self.inner.send(message);
        async move {
            let sent = sending.await;
            // Only now, so that a client which does not read is not read either.
            if let Some(id) = answered {
                flight.land(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.flight.wait_for_room().await;
            let Some(mut message) = self.inner.receive().await else {
                self.closing.cancel();
                return None;
            };
            match &mut message {
                ClientJsonRpcMessage::Request(request) => {
                    self.begun |= begins(&request.request);
                    let is_stream = matches!(
                        request.request,
                        ClientRequest::SubscriptionsListenRequest(_)
                    );
                    self.flight.take_off(&mut request.id, is_stream);
                }
                // A cancelled request is never answered.
                ClientJsonRpcMessage::Notification(notification) if self.begun => {
                    if let ClientNotification::CancelledNotification(cancelled) =
                        &notification.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        self.flight.land(id);
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
    fn requests(&self) -> MutexGuard<'_, Requests> {
        lock(&self.requests)
    }

    /// Notes a request, under another id if its own is in use.
    fn take_off(&self, id: &mut RequestId, is_stream: bool) {
        let mut requests = self.requests();
        let sent_as = id.clone();
        while requests.flying.contains_key(id) {
            requests.renamed += 1;
            *id = RequestId::String(format!("{sent_as} again {}", requests.renamed).into());
        }
        let flying = FlyingRequest { sent_as, is_stream };
        requests.flying.insert(id.clone(), flying);
    }

    fn land(&self, id: &RequestId) {
        // A client may cancel what was answered already, or never sent.
        if self.requests().flying.remove(id).is_some() {
            self.landed.notify_one();
        }
    }

    async fn wait_for_room(&self) {
        while self.is_full() {
            self.landed.notified().await;
        }
    }

    fn is_full(&self) -> bool {
        let flying = &self.requests().flying;
        flying.len() >= MOST_IN_FLIGHT
            && flying.values().filter(|it| !it.is_stream).count() >= MOST_IN_FLIGHT
    }
}
