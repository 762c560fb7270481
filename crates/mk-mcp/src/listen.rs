//! Telling clients that modes, tools or prompts have changed.

#![expect(
    deprecated,
    reason = "logging is deprecated from 2026-07-28 on; older clients use it"
)]

use std::sync::Arc;
use std::time::Duration;

use mk_engine::Change;
use mk_policy::Severity;
use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{Peer, SubscriptionContext};
use serde_json::json;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::connection::Connection;

/// How often a listener looks whether its client is still there.
const STILL_THERE: Duration = Duration::from_secs(30);

/// Notifies a connection of the handshake's era until it ends.
pub(crate) async fn notify_peer(connection: Arc<Connection>, peer: Peer<RoleServer>) {
    let mut changes = connection.engine().changes();
    // Loads and watches the project, so that there are changes to hear of.
    connection.engine().project(connection.server().project());
    while !peer.is_transport_closed() {
        let change = tokio::select! {
            change = next(&mut changes) => change,
            () = tokio::time::sleep(STILL_THERE) => continue,
            () = connection.server().closing().cancelled() => return,
        };
        match change {
            None => return,
            Some(Heard::Modes(project))
                if project
                    .as_ref()
                    .is_none_or(|it| it == connection.server().project()) =>
            {
                let sent = [
                    peer.notify_resource_list_changed().await,
                    peer.notify_tool_list_changed().await,
                    peer.notify_prompt_list_changed().await,
                ];
                if sent.iter().any(Result::is_err) {
                    return;
                }
                log_problems(&connection, &peer).await;
            }
            Some(Heard::Switched(session)) if connection.current().as_ref() == Some(&session) => {
                if peer.notify_tool_list_changed().await.is_err() {
                    return;
                }
            }
            Some(_) => {}
        }
    }
}

/// Serves one `subscriptions/listen` stream until it ends.
pub(crate) async fn notify_subscriber(connection: &Connection, subscription: &SubscriptionContext) {
    let mut changes = connection.engine().changes();
    connection.engine().project(connection.server().project());
    let sink = subscription.sink();
    loop {
        let change = tokio::select! {
            change = next(&mut changes) => change,
            () = subscription.cancelled() => return,
            () = connection.server().closing().cancelled() => return,
        };
        match change {
            None => return,
            Some(Heard::Modes(project))
                if project
                    .as_ref()
                    .is_none_or(|it| it == connection.server().project()) =>
            {
                // What was not asked for is refused by the sink, which is right.
                drop(sink.notify_resource_list_changed().await);
                drop(sink.notify_tool_list_changed().await);
                drop(sink.notify_prompt_list_changed().await);
            }
            Some(_) => {}
        }
    }
}

enum Heard {
    /// `None` when so much happened that some of it was missed.
    Modes(Option<mk_types::AbsPath>),
    Switched(mk_types::SessionId),
}

async fn next(changes: &mut Receiver<Change>) -> Option<Heard> {
    match changes.recv().await {
        Ok(Change::Modes { project }) => Some(Heard::Modes(Some(project))),
        Ok(Change::Switched { session }) => Some(Heard::Switched(session)),
        Err(RecvError::Lagged(_)) => Some(Heard::Modes(None)),
        Err(RecvError::Closed) => None,
    }
}

/// Mode files that no longer load are worth a line in the client's log.
async fn log_problems(connection: &Connection, peer: &Peer<RoleServer>) {
    let wanted = connection
        .log_level()
        .is_some_and(|level| level as u8 <= LoggingLevel::Warning as u8);
    if !wanted {
        return;
    }
    let catalogue = connection
        .engine()
        .project(connection.server().project())
        .catalogue();
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
