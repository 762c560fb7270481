//! Telling clients that modes, tools or prompts have changed.

#![expect(
    deprecated,
    reason = "logging is deprecated from 2026-07-28 on; older clients use it"
)]

use std::sync::{Arc, Weak};

use mk_engine::{Engine, EngineChange};
use mk_policy::Severity;
use mk_types::{AbsPath, ModeSlug, SessionId};
use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{Peer, SubscriptionContext};
use serde_json::json;
use tokio::sync::Notify;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use crate::connection::Connection;
use crate::era::Era;

/// Starts to tell a connection of the handshake's era, until it ends.
pub(crate) fn tell_peer(connection: &Arc<Connection>, peer: Peer<RoleServer>) {
    if !connection.start_telling() {
        return;
    }
    let project = connection.caller(Era::Connected).project;
    let changes = watch(connection.engine(), &project);
    let told = Listener {
        changes,
        acted: Arc::clone(connection.acted()),
        gone: connection.gone().clone(),
        closing: connection.server().closing().clone(),
        mode: mode_in_force(connection),
        project,
        // Weak, so that the connection ends when nobody serves it.
        connection: Arc::downgrade(connection),
        peer,
    };
    tokio::spawn(told.run());
}

/// Loads and watches the project, so that there are changes to hear of.
fn watch(engine: &Engine, project: &AbsPath) -> Receiver<EngineChange> {
    let changes = engine.changes();
    engine.modes().catalogue_at(project);
    changes
}

/// A connection that is told of changes.
struct Listener {
    connection: Weak<Connection>,
    peer: Peer<RoleServer>,
    changes: Receiver<EngineChange>,
    acted: Arc<Notify>,
    gone: CancellationToken,
    closing: CancellationToken,
    /// The project and the mode in force when the client was last told about its tools.
    project: AbsPath,
    mode: Option<ModeSlug>,
}

impl Listener {
    async fn run(mut self) {
        loop {
            let heard = tokio::select! {
                heard = next(&mut self.changes) => heard,
                () = self.acted.notified() => Some(ListenEvent::Acted),
                () = self.gone.cancelled() => return,
                () = self.closing.cancelled() => return,
            };
            let (Some(heard), Some(connection)) = (heard, self.connection.upgrade()) else {
                return;
            };
            let project = connection.caller(Era::Connected).project;
            let moved = project != self.project;
            self.project = project;
            let told = match heard {
                _ if moved => {
                    self.mode = mode_in_force(&connection);
                    tell_all(&self.peer, &connection, &self.project).await
                }
                ListenEvent::Modes(changed) if concerns(changed.as_ref(), &self.project) => {
                    self.mode = mode_in_force(&connection);
                    tell_all(&self.peer, &connection, &self.project).await
                }
                ListenEvent::Switched(session)
                    if !connection.conversation().tasks.contains(&session) =>
                {
                    Ok(())
                }
                ListenEvent::Modes(_) => Ok(()),
                ListenEvent::Acted | ListenEvent::Switched(_) => {
                    let mode = mode_in_force(&connection);
                    if mode == self.mode {
                        continue;
                    }
                    self.mode = mode;
                    self.peer.notify_tool_list_changed().await
                }
            };
            if told.is_err() {
                return;
            }
        }
    }
}

fn mode_in_force(connection: &Connection) -> Option<ModeSlug> {
    let caller = connection.caller(Era::Connected);
    let in_force = connection.engine().project(&caller).in_force().ok()?;
    Some(in_force.mode.slug.clone())
}

fn concerns(changed: Option<&AbsPath>, project: &AbsPath) -> bool {
    changed.is_none_or(|changed| changed == project)
}

async fn tell_all(
    peer: &Peer<RoleServer>,
    connection: &Connection,
    project: &AbsPath,
) -> Result<(), rmcp::ServiceError> {
    peer.notify_resource_list_changed().await?;
    peer.notify_tool_list_changed().await?;
    peer.notify_prompt_list_changed().await?;
    log_problems(peer, connection, project).await;
    Ok(())
}

/// Serves one `subscriptions/listen` stream until it ends.
pub(crate) async fn notify_subscriber(connection: &Connection, subscription: &SubscriptionContext) {
    let project = connection.caller(Era::Stateless).project;
    let mut changes = watch(connection.engine(), &project);
    let sink = subscription.sink();
    loop {
        let heard = tokio::select! {
            heard = next(&mut changes) => heard,
            () = subscription.cancelled() => return,
            () = connection.server().closing().cancelled() => return,
        };
        match heard {
            None => return,
            Some(ListenEvent::Modes(changed)) if concerns(changed.as_ref(), &project) => {
                // What was not asked for is refused by the sink, which is right.
                drop(sink.notify_resource_list_changed().await);
                drop(sink.notify_tool_list_changed().await);
                drop(sink.notify_prompt_list_changed().await);
            }
            Some(_) => {}
        }
    }
}

enum ListenEvent {
    /// `None` when so much happened that some of it was missed.
    Modes(Option<AbsPath>),
    Switched(SessionId),
    /// A call on this very connection may have changed its mode.
    Acted,
}

async fn next(changes: &mut Receiver<EngineChange>) -> Option<ListenEvent> {
    match changes.recv().await {
        Ok(EngineChange::Modes { project }) => Some(ListenEvent::Modes(Some(project))),
        Ok(EngineChange::Switched { session }) => Some(ListenEvent::Switched(session)),
        Err(RecvError::Lagged(_)) => Some(ListenEvent::Modes(None)),
        Err(RecvError::Closed) => None,
    }
}

/// Mode files that no longer load are worth a line in the client's log.
async fn log_problems(peer: &Peer<RoleServer>, connection: &Connection, project: &AbsPath) {
    let wanted = connection
        .log_level()
        .is_some_and(|level| level as u8 <= LoggingLevel::Warning as u8);
    if !wanted {
        return;
    }
    let catalogue = connection.engine().modes().catalogue_at(project);
    for found in catalogue
        .diagnostics()
        .iter()
        .filter(|found| found.severity == Severity::Error)
    {
        let mut message =
            LoggingMessageNotificationParam::new(LoggingLevel::Warning, json!(found.to_string()));
        message.logger = Some("modes".to_owned());
        drop(peer.notify_logging_message(message).await);
    }
}
