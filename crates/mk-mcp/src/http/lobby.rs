//! The sessions of Streamable HTTP: how many there are, and which of them run.
//!
//! A session that runs holds tasks and channels, some 50 KB. Most clients never say goodbye, so a session that is not
//! in use rests: only what its client said at the handshake is kept, and the next request wakes it up. rmcp does the
//! waking, through its store of sessions, which is this one.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::Stream;
use mk_types::lock;
use rmcp::model::{ClientJsonRpcMessage, ProtocolVersion, ServerJsonRpcMessage};
use rmcp::transport::WorkerTransport;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker,
};
use rmcp::transport::streamable_http_server::session::{
    RestoreOutcome, ServerSseMessage, SessionId, SessionManager, SessionState, SessionStore,
    SessionStoreError,
};
use tokio::time::Instant;

/// Sessions that run at the same time, unless more are in use.
const MOST_RUNNING: usize = 256;
/// How long a session that was found for a request runs on: between that and the request's stream, nothing says that it
/// is in use, and a session that rests by then would answer 500.
const EXPECTED_WITHIN: Duration = Duration::from_secs(5);
/// Sessions that are in use at the same time; a new client is asked to come back later.
const MOST_IN_USE: usize = 4096;
/// Sessions that are known at the same time.
const MOST_KNOWN: usize = 50_000;
/// How long an answer that nobody was there to take can still be fetched: as long as rmcp keeps it.
const FETCHED_WITHIN: Duration = Duration::from_secs(60);
/// A session that was not used for this long is forgotten. rmcp's five minutes are shorter than a person's lunch, and
/// many clients do not recover from a session that is gone.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(3600);

/// Told which session is over, so that what was remembered of it can be dropped.
pub(super) type ForgetSession = Arc<dyn Fn(&str) + Send + Sync>;

pub(super) struct Lobby {
    manager: LocalSessionManager,
    guests: Arc<Mutex<SessionGuests>>,
    forget: ForgetSession,
}

type SessionGuests = HashMap<SessionId, SessionGuest>;

/// What is known of one session.
struct SessionGuest {
    /// What its client said at the handshake.
    state: Option<SessionState>,
    runs: bool,
    /// It has sent more than its handshake.
    is_used: bool,
    last_used: Instant,
    /// When it was found for a request that has not reached it yet.
    expected: Option<Instant>,
    /// Streams of answers and changes that its client reads now.
    open_streams: usize,
    /// When its client last left a stream that was not at its end: the answer may still be fetched.
    left: Option<Instant>,
}

impl SessionGuest {
    fn new(now: Instant) -> Self {
        Self {
            state: None,
            runs: true,
            is_used: false,
            last_used: now,
            expected: None,
            open_streams: 0,
            left: None,
        }
    }

    fn is_in_use(&self, now: Instant) -> bool {
        let within = |at: Option<Instant>, time| at.is_some_and(|at| now - at < time);
        self.open_streams > 0
            || within(self.left, FETCHED_WITHIN)
            || within(self.expected, EXPECTED_WITHIN)
    }
}

impl Lobby {
    pub(super) fn new(forget: ForgetSession) -> Self {
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(FORGOTTEN_AFTER);
        Self {
            manager,
            guests: Arc::default(),
            forget,
        }
    }

    /// Whether one more client can be taken in.
    pub(super) fn has_room(&self) -> bool {
        let now = Instant::now();
        let guests = self.guests();
        guests.len() < MOST_IN_USE
            || guests.values().filter(|guest| guest.is_in_use(now)).count() < MOST_IN_USE
    }

    /// Whether a session may send several messages in one array.
    pub(super) fn knows_batches(&self, session: &str) -> bool {
        let guests = self.guests();
        let state = guests.get(session).and_then(|guest| guest.state.as_ref());
        state.is_some_and(|state| {
            state.initialize_params.protocol_version == ProtocolVersion::V_2025_03_26
        })
    }

    fn guests(&self) -> MutexGuard<'_, SessionGuests> {
        lock(&self.guests)
    }

    /// A request for a session is on its way.
    fn expect(&self, id: &SessionId) {
        if let Some(guest) = self.guests().get_mut(id) {
            guest.last_used = Instant::now();
            guest.expected = Some(guest.last_used);
        }
    }

    /// Makes room: forgets sessions that are over, and lets some rest where too many run.
    async fn make_room(&self) {
        let (forgotten, resting) = {
            let mut guests = self.guests();
            let now = Instant::now();
            let forgotten = to_forget(&guests, now);
            for id in &forgotten {
                guests.remove(id);
            }
            (forgotten, to_rest(&guests, now))
        };
        for id in &forgotten {
            (self.forget)(id);
        }
        for id in forgotten.iter().chain(&resting) {
            if let Err(error) = self.close_session(id).await {
                tracing::debug!(%error, "a session could not be closed");
            }
        }
    }

    /// A stream that counts as in use while its client reads it.
    fn watched<S>(&self, id: &SessionId, stream: S) -> WatchedStream<S> {
        if let Some(guest) = self.guests().get_mut(id) {
            guest.last_used = Instant::now();
            guest.is_used = true;
            guest.expected = None;
            guest.open_streams += 1;
        }
        WatchedStream {
            stream: Box::pin(stream),
            at_end: false,
            id: id.clone(),
            guests: Arc::clone(&self.guests),
        }
    }
}

/// Sessions that are over: not used for long, or, where there are too many, those used least.
fn to_forget(guests: &SessionGuests, now: Instant) -> Vec<SessionId> {
    let idle = |guest: &SessionGuest| !guest.is_in_use(now);
    let mut forgotten: Vec<SessionId> = guests
        .iter()
        .filter(|(_, guest)| idle(guest) && now - guest.last_used >= FORGOTTEN_AFTER)
        .map(|(id, _)| id.clone())
        .collect();
    let left = guests.len() - forgotten.len();
    if left >= MOST_KNOWN {
        let mut others: Vec<_> = guests
            .iter()
            .filter(|(_, guest)| idle(guest) && now - guest.last_used < FORGOTTEN_AFTER)
            .collect();
        // A handshake that nothing followed goes before a conversation.
        others.sort_by_key(|(_, guest)| (guest.is_used, guest.last_used));
        let excess = left - MOST_KNOWN + MOST_KNOWN / 16;
        forgotten.extend(others.into_iter().take(excess).map(|(id, _)| id.clone()));
    }
    forgotten
}

/// Sessions that may rest, longest unused first, so that no more run than should.
fn to_rest(guests: &SessionGuests, now: Instant) -> Vec<SessionId> {
    let running = guests.values().filter(|guest| guest.runs).count();
    let excess = (running + 1).saturating_sub(MOST_RUNNING);
    if excess == 0 {
        return Vec::new();
    }
    let mut idle: Vec<_> = guests
        .iter()
        .filter(|(_, guest)| guest.runs && guest.state.is_some() && !guest.is_in_use(now))
        .collect();
    idle.sort_by_key(|(_, guest)| guest.last_used);
    let resting = idle.into_iter().take(excess + MOST_RUNNING / 16);
    resting.map(|(id, _)| id.clone()).collect()
}

impl SessionManager for Lobby {
    type Error = LocalSessionManagerError;
    type Transport = WorkerTransport<LocalSessionWorker>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        self.make_room().await;
        let (id, transport) = self.manager.create_session().await?;
        self.guests()
            .insert(id.clone(), SessionGuest::new(Instant::now()));
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.manager.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.expect(id);
        self.manager.has_session(id).await
    }

    /// Ends the session's worker; what is known of it goes with [`SessionStore::delete`].
    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        if let Some(guest) = self.guests().get_mut(id) {
            guest.runs = false;
        }
        self.manager.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let stream = self.manager.create_stream(id, message).await?;
        Ok(self.watched(id, stream))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        // What wakes a session is such a message too, with the request still to come.
        self.expect(id);
        self.manager.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let stream = self.manager.create_standalone_stream(id).await?;
        Ok(self.watched(id, stream))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let stream = self.manager.resume(id, last_event_id).await?;
        Ok(self.watched(id, stream))
    }

    async fn restore_session(
        &self,
        id: SessionId,
    ) -> Result<RestoreOutcome<Self::Transport>, Self::Error> {
        self.make_room().await;
        let outcome = self.manager.restore_session(id.clone()).await?;
        if let Some(guest) = self.guests().get_mut(&id) {
            guest.runs = true;
        }
        self.expect(&id);
        Ok(outcome)
    }
}

#[async_trait::async_trait]
impl SessionStore for Lobby {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        Ok(self.guests().get(id).and_then(|guest| guest.state.clone()))
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        if let Some(guest) = self.guests().get_mut(id) {
            guest.state = Some(state.clone());
        }
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        self.guests().remove(id);
        (self.forget)(id);
        Ok(())
    }
}

/// A stream that tells its session when its client leaves.
struct WatchedStream<S> {
    stream: Pin<Box<S>>,
    at_end: bool,
    id: SessionId,
    guests: Arc<Mutex<SessionGuests>>,
}

impl<S: Stream> Stream for WatchedStream<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.stream.as_mut().poll_next(context);
        self.at_end |= matches!(polled, Poll::Ready(None));
        polled
    }
}

impl<S> Drop for WatchedStream<S> {
    fn drop(&mut self) {
        let mut guests = lock(&self.guests);
        if let Some(guest) = guests.get_mut(&self.id) {
            let now = Instant::now();
            guest.open_streams = guest.open_streams.saturating_sub(1);
            guest.last_used = now;
            if !self.at_end {
                guest.left = Some(now);
            }
        }
    }
}

#[cfg(test)]
mod tests;
