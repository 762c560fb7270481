//! `GET /api/events`: what changes, as it changes, over server-sent events.
//!
//! One watcher looks at the store's version for all streams, so that what other processes write is seen too; it rests
//! while nobody listens. Decisions carry their ids: a client that comes back with `Last-Event-ID` gets what it missed.
//! Approvals and tasks are sent whole, so that there is nothing to miss.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use mk_engine::{AccessRole, DecisionFilter, Error};
use mk_types::{DecisionId, lock};
use serde_json::Value;
use tokio::sync::{broadcast, mpsc};

use crate::gate::RequestSender;
use crate::server::Web;
use crate::{approvals, decisions, tasks};

/// How often the watcher looks whether something was written: 3 µs each.
const LOOK: Duration = Duration::from_millis(100);
/// How often the list of tasks is sent at most.
const TASKS_EVERY: Duration = Duration::from_millis(400);
/// How long a silent stream stays silent; it also shows whether the client is still there.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Events that a slow client may be behind; then it is told to load everything again.
const BEHIND: usize = 1024;
/// Streams at most.
const MOST_STREAMS: usize = 256;
/// Decisions that a client which comes back gets at most.
const MOST_MISSED: usize = 5_000;

/// The streams of a server. Cheap to clone.
#[derive(Debug, Clone)]
pub struct EventStreams(Arc<Hub>);

#[derive(Debug)]
struct Hub {
    sender: broadcast::Sender<Bytes>,
    /// Whether the watcher runs.
    watched: Mutex<bool>,
}

impl Default for EventStreams {
    fn default() -> Self {
        Self(Arc::new(Hub {
            sender: broadcast::channel(BEHIND).0,
            watched: Mutex::new(false),
        }))
    }
}

pub(crate) async fn stream(
    State(web): State<Web>,
    Extension(who): Extension<RequestSender>,
    headers: HeaderMap,
) -> Response {
    let hub = Arc::clone(&web.events.0);
    if hub.sender.receiver_count() >= MOST_STREAMS {
        // An idle connection would keep a place that others need.
        let wait = [(header::RETRY_AFTER, "10"), (header::CONNECTION, "close")];
        return (
            StatusCode::SERVICE_UNAVAILABLE,
            wait,
            "too many streams are open\n",
        )
            .into_response();
    }
    let receiver = hub.sender.subscribe();
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let last = last.and_then(|id| DecisionId::parse(id).ok());
    let begin = match beginning(&web, last.as_ref()) {
        Ok(begin) => begin,
        Err(error) => return crate::reply::refuse(&error),
    };
    start(&web);
    let can_answer = who
        .principal
        .as_ref()
        .is_some_and(|it| it.may(AccessRole::Operator));
    let attendance = can_answer.then(|| web.machine.attend()).flatten();
    let (sender, body) = mpsc::channel(16);
    tokio::spawn(async move {
        forward(begin, receiver, sender).await;
        drop(attendance);
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    let body = futures::stream::unfold(body, async |mut body| {
        let next: Bytes = body.recv().await?;
        Some((Ok::<_, Infallible>(next), body))
    });
    (headers, Body::from_stream(body)).into_response()
}

/// What a stream begins with: what was missed, and how things are.
fn beginning(web: &Web, last: Option<&DecisionId>) -> Result<Vec<Bytes>, Error> {
    let mut begin = vec![Bytes::from_static(b"retry: 1000\n\n")];
    if let Some(last) = last {
        let missed = DecisionFilter {
            limit: Some(MOST_MISSED),
            ..DecisionFilter::default()
        };
        for decision in web.engine.decisions().after(Some(last), &missed)? {
            begin.push(event(
                "decision",
                Some(decision.id.as_str()),
                &decisions::to_json(&decision),
            ));
        }
    }
    begin.push(event("approvals", None, &approvals::pending(web)?));
    begin.push(event("tasks", None, &tasks::listed(web, false)?));
    Ok(begin)
}

/// Hands events on until the client is gone or the server ends.
async fn forward(
    begin: Vec<Bytes>,
    mut receiver: broadcast::Receiver<Bytes>,
    sender: mpsc::Sender<Bytes>,
) {
    for event in begin {
        if sender.send(event).await.is_err() {
            return;
        }
    }
    loop {
        let next = match tokio::time::timeout(HEARTBEAT, receiver.recv()).await {
            Err(_) => Bytes::from_static(b": still here\n\n"),
            Ok(Ok(event)) => event,
            Ok(Err(broadcast::error::RecvError::Lagged(_))) => event("reload", None, &Value::Null),
            Ok(Err(broadcast::error::RecvError::Closed)) => return,
        };
        if sender.send(next).await.is_err() {
            return;
        }
    }
}

/// Starts the watcher unless it runs.
fn start(web: &Web) {
    let mut watched = lock(&web.events.0.watched);
    if !*watched {
        *watched = true;
        tokio::spawn(watch(web.clone()));
    }
}

/// What the watcher has told last.
struct ToldEvents {
    version: i64,
    last: Option<DecisionId>,
    approvals: Value,
    tasks: Value,
    /// When tasks were told, and whether something has happened since.
    tasks_at: Instant,
    tasks_due: bool,
}

async fn watch(web: Web) {
    let mut told = ToldEvents {
        version: -1,
        last: newest(&web),
        approvals: Value::Null,
        tasks: Value::Null,
        tasks_at: Instant::now(),
        tasks_due: false,
    };
    let mut changes = web.engine.changes();
    loop {
        // Modes are no part of the store; their news comes by itself.
        let news = tokio::time::timeout(LOOK, changes.recv()).await;
        if let Ok(Ok(mk_engine::EngineChange::Modes { .. })) = news {
            web.events.send(event("modes", None, &Value::Null));
        }
        {
            let mut watched = lock(&web.events.0.watched);
            if web.events.0.sender.receiver_count() == 0 {
                *watched = false;
                return;
            }
        }
        match web.engine.version() {
            Ok(version) if version != told.version => {
                told.version = version;
                if let Err(error) = tell(&web, &mut told) {
                    tracing::debug!(%error, "what has changed cannot be told");
                    told.version = -1;
                }
            }
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, "the store's version cannot be read"),
        }
        if told.tasks_due && told.tasks_at.elapsed() >= TASKS_EVERY {
            tell_tasks(&web, &mut told);
        }
    }
}

fn newest(web: &Web) -> Option<DecisionId> {
    let newest = DecisionFilter {
        limit: Some(1),
        ..DecisionFilter::default()
    };
    let found = web.engine.decisions().list(&newest).ok()?;
    found.into_iter().next().map(|decision| decision.id)
}

fn tell(web: &Web, told: &mut ToldEvents) -> Result<(), Error> {
    let all = DecisionFilter {
        limit: Some(MOST_MISSED),
        ..DecisionFilter::default()
    };
    for decision in web.engine.decisions().after(told.last.as_ref(), &all)? {
        let data = decisions::to_json(&decision);
        web.events
            .send(event("decision", Some(decision.id.as_str()), &data));
        told.last = Some(decision.id);
    }
    let approvals = approvals::pending(web)?;
    if approvals != told.approvals {
        web.events.send(event("approvals", None, &approvals));
        told.approvals = approvals;
    }
    told.tasks_due = true;
    Ok(())
}

/// The whole list: not with every decision, there may be many.
fn tell_tasks(web: &Web, told: &mut ToldEvents) {
    told.tasks_at = Instant::now();
    match tasks::listed(web, false) {
        Ok(tasks) => {
            told.tasks_due = false;
            if tasks != told.tasks {
                web.events.send(event("tasks", None, &tasks));
                told.tasks = tasks;
            }
        }
        Err(error) => tracing::debug!(%error, "tasks cannot be told"),
    }
}

impl EventStreams {
    fn send(&self, event: Bytes) {
        // Nobody listening is fine.
        drop(self.0.sender.send(event));
    }
}

fn event(name: &str, id: Option<&str>, data: &Value) -> Bytes {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    Bytes::from(format!("{id}event: {name}\ndata: {data}\n\n"))
}
