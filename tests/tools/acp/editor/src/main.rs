//! The protocol's Rust crate as an editor: both setters, then a turn in which the person allows each call once.
//!
//! `modekeeper-test-acp-editor <project> <command>…` prints what it saw, as one JSON object.

use std::sync::{Arc, Mutex};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, InitializeRequest, NewSessionRequest, PermissionOptionKind, PromptRequest,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
    SelectedPermissionOutcome, SessionNotification, SessionUpdate, SetSessionConfigOptionRequest,
    SetSessionModeRequest, TextContent,
};
use agent_client_protocol::{AcpAgent, Agent, Client, Error};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let project = arguments.next().unwrap_or_default();
    let agent = AcpAgent::from_args(arguments)?;
    let updates: Arc<Mutex<Vec<SessionUpdate>>> = Arc::default();
    let questions: Arc<Mutex<usize>> = Arc::default();
    let (heard, asked) = (Arc::clone(&updates), Arc::clone(&questions));
    let seen = Client
        .v1()
        .on_receive_notification(
            async move |notification: SessionNotification, _connection| {
                heard.lock().expect("one thread").push(notification.update);
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _connection| {
                *asked.lock().expect("one thread") += 1;
                let once = request
                    .options
                    .iter()
                    .find(|it| it.kind == PermissionOptionKind::AllowOnce);
                responder.respond(RequestPermissionResponse::new(match once {
                    Some(option) => RequestPermissionOutcome::Selected(
                        SelectedPermissionOutcome::new(option.option_id.clone()),
                    ),
                    None => RequestPermissionOutcome::Cancelled,
                }))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_with(agent, async move |connection: ConnectionTo<Agent>| {
            converse(&connection, &project).await
        })
        .await?;
    println!(
        "{}",
        report(
            seen,
            &updates.lock().expect("one thread"),
            *questions.lock().expect("one thread")
        )
    );
    Ok(())
}

async fn converse(connection: &ConnectionTo<Agent>, project: &str) -> Result<Value, Error> {
    let initialize = InitializeRequest::new(ProtocolVersion::V1);
    connection.send_request(initialize).block_task().await?;
    let opened = connection
        .send_request(NewSessionRequest::new(project))
        .block_task()
        .await?;
    let session = opened.session_id;
    let set_mode = |mode: &'static str| {
        connection
            .send_request(SetSessionModeRequest::new(session.clone(), mode))
            .block_task()
    };
    set_mode("ask").await?;
    let change = SetSessionConfigOptionRequest::new(session.clone(), "mode", "architect");
    let changed = connection.send_request(change).block_task().await?;
    let refused = set_mode("no-such-mode")
        .await
        .err()
        .map(|error| i32::from(error.code));
    let prompt = vec![ContentBlock::Text(TextContent::new("SCRIPT main"))];
    let turn = connection
        .send_request(PromptRequest::new(session, prompt))
        .block_task()
        .await?;
    let modes = opened
        .modes
        .map(|modes| modes.available_modes)
        .unwrap_or_default();
    let option = changed
        .config_options
        .first()
        .map(|option| json!(option)["currentValue"].clone());
    Ok(json!({
        "offered": modes.iter().map(|mode| json!(mode.id)).collect::<Value>(),
        "changed": option, "refused": refused, "stopReason": json!(turn.stop_reason),
    }))
}

fn report(mut seen: Value, updates: &[SessionUpdate], questions: usize) -> Value {
    let modes = updates.iter().filter_map(|update| match update {
        SessionUpdate::CurrentModeUpdate(update) => Some(json!(update.current_mode_id)),
        _ => None,
    });
    seen["modes"] = modes.collect();
    seen["hasOptionUpdate"] = json!(
        updates
            .iter()
            .any(|update| matches!(update, SessionUpdate::ConfigOptionUpdate(_)))
    );
    seen["questions"] = json!(questions);
    seen
}
