//! HTTP+SSE, the transport of 2024-11-05: answers on one stream, requests by POST. Deprecated, and still in use.

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use futures::Stream;
use mk_engine::AgentLimits;
use mk_types::{SessionId, lock};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, ServiceExt as _, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{RoleServer, ServerHandler};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::lift::Lift;
use crate::transport::guarded::GuardedTransport;
use crate::transport::line::{PeerGone, read_message};

const WAITING: usize = 64;

/// Makes the handler of a stream, within what its credential allows.
type ConnectSse<H> = Arc<dyn Fn(&AgentLimits) -> std::io::Result<H> + Send + Sync>;

/// An open stream: where its messages go, and what the credential allows that it was opened with.
struct OpenStream {
    sender: mpsc::Sender<ClientJsonRpcMessage>,
    limits: AgentLimits,
}

type OpenStreams = Arc<Mutex<HashMap<String, OpenStream>>>;

/// The open streams, by the id in their endpoint.
pub(super) struct Sessions<H> {
    connect: ConnectSse<H>,
    open: OpenStreams,
    closing: CancellationToken,
}

impl<H> Clone for Sessions<H> {
    fn clone(&self) -> Self {
        Self {
            connect: Arc::clone(&self.connect),
            open: Arc::clone(&self.open),
            closing: self.closing.clone(),
        }
    }
}

impl<H> Sessions<H> {
    pub(super) fn new(connect: ConnectSse<H>, closing: CancellationToken) -> Self {
        Self {
            connect,
            open: Arc::default(),
            closing,
        }
    }
}

/// `GET /sse`: opens a stream whose first event says where to send messages.
pub(super) async fn open<H: ServerHandler>(
    State(sessions): State<Sessions<H>>,
    limits: Option<Extension<AgentLimits>>,
) -> Response {
    let limits = limits.map(|Extension(limits)| limits).unwrap_or_default();
    let handler = match (sessions.connect)(&limits) {
        Ok(handler) => handler,
        Err(error) => {
            return (StatusCode::SERVICE_UNAVAILABLE, format!("{error}\n")).into_response();
        }
    };
    let id = SessionId::random()
        .as_str()
        .trim_start_matches("sess_")
        .to_owned();
    let (to_us, from_client) = mpsc::channel(WAITING);
    let (to_client, outgoing) = mpsc::channel(WAITING);
    let stream = OpenStream {
        sender: to_us,
        limits,
    };
    let mut open = lock(&sessions.open);
    drop(open.insert(id.clone(), stream));
    drop(open);
    let closing = sessions.closing.child_token();
    let transport = GuardedTransport::new(
        Channels {
            from_client,
            to_client,
        },
        closing.clone(),
    );
    tokio::spawn(async move {
        match Box::pin(Lift(handler).serve_with_ct(transport, closing)).await {
            Ok(running) => drop(running.waiting().await),
            Err(error) => tracing::debug!(%error, "an SSE client left before the handshake"),
        }
    });
    let endpoint = Event::default()
        .event("endpoint")
        .data(format!("/messages?sessionId={id}"));
    let stream = SseEvents {
        first: Some(endpoint),
        outgoing,
        _guard: CloseOnDrop {
            id,
            open: Arc::clone(&sessions.open),
        },
    };
    Sse::new(stream)
        .keep_alive(KeepAlive::default())
        .into_response()
}

#[derive(serde::Deserialize)]
pub(super) struct MessagesQuery {
    #[serde(rename = "sessionId")]
    session_id: String,
}

/// `POST /messages`: hands a message to its stream.
pub(super) async fn receive<H: ServerHandler>(
    State(sessions): State<Sessions<H>>,
    limits: Option<Extension<AgentLimits>>,
    Query(MessagesQuery { session_id }): Query<MessagesQuery>,
    body: Bytes,
) -> Response {
    let limits = limits.map(|Extension(limits)| limits).unwrap_or_default();
    // With another credential it is another's stream, and as good as not there.
    let sender = lock(&sessions.open)
        .get(&session_id)
        .filter(|stream| stream.limits == limits)
        .map(|stream| stream.sender.clone());
    let Some(sender) = sender else {
        return (
            StatusCode::NOT_FOUND,
            "there is no such session; open GET /sse first\n",
        )
            .into_response();
    };
    match read_message(&body) {
        Err(refusal) => (StatusCode::BAD_REQUEST, Json(refusal.to_json())).into_response(),
        Ok(message) => match sender.send(message).await {
            Ok(()) => (StatusCode::ACCEPTED, "Accepted").into_response(),
            Err(_) => (StatusCode::GONE, "the session has ended\n").into_response(),
        },
    }
}

struct Channels {
    from_client: mpsc::Receiver<ClientJsonRpcMessage>,
    to_client: mpsc::Sender<ServerJsonRpcMessage>,
}

impl Transport<RoleServer> for Channels {
    type Error = PeerGone;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), PeerGone>> + Send + 'static {
        let to_client = self.to_client.clone();
        async move { to_client.send(message).await.map_err(|_| PeerGone) }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.from_client.recv().await
    }

    async fn close(&mut self) -> Result<(), PeerGone> {
        self.from_client.close();
        Ok(())
    }
}

/// The stream of answers. When the client goes, it is dropped, and the session with it.
struct SseEvents {
    first: Option<Event>,
    outgoing: mpsc::Receiver<ServerJsonRpcMessage>,
    _guard: CloseOnDrop,
}

impl Stream for SseEvents {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(first)));
        }
        self.outgoing.poll_recv(context).map(|message| {
            let data = serde_json::to_string(&message?).unwrap_or_default();
            Some(Ok(Event::default().event("message").data(data)))
        })
    }
}

struct CloseOnDrop {
    id: String,
    open: OpenStreams,
}

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        // With its sender gone, the session's input ends, and so does the session.
        lock(&self.open).remove(&self.id);
    }
}
