//! Every error code on a real line, and the whole table of errors as a contract.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

use mk_engine::{ConflictingChange, Error, MissingThing};
use mk_policy::{DecidingRule, Switching};
use mk_types::{ApprovalId, ModeSlug, SessionId, TaskId};
use rmcp::model::{ClientNotification, ClientRequest, ProtocolVersion, ServerConfig, ServerResult};
use rmcp::service::{NotificationContext, RequestContext, Service};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use super::World;
use super::wire::{Wire, call, request};
use crate::era::Era;
use crate::error::{ErrorPlace, refused_call, refused_resource, unknown_prompt, unknown_tool};
use crate::guard::guarded;
use crate::{Handler, Lift, McpServer};

/// A server with two tools more: one that panics, and one that may not edit a file.
struct Faulty {
    server: McpServer,
    inner: Lift<Handler>,
}

impl Faulty {
    fn new(world: &World) -> Self {
        Self {
            server: world.server.clone(),
            inner: world.service(),
        }
    }
}

impl Service<RoleServer> for Faulty {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let name = match &request {
            ClientRequest::CallToolRequest(call) => call.params.name.to_string(),
            _ => String::new(),
        };
        match name.as_str() {
            "panics" => {
                let work = async { panic!("a secret: {name}") };
                guarded(&self.server, &context, work).await
            }
            "edits_python" => {
                let place = ErrorPlace::CallOnSession;
                refused_call(&file_denied(), Era::of(&context), place)
                    .map(ServerResult::CallToolResult)
            }
            _ => self.inner.handle_request(request, context).await,
        }
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.inner.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        self.inner.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.inner.supported_protocol_versions()
    }
}

fn file_denied() -> Error {
    Error::Denied {
        rule: Some(DecidingRule::FilePattern),
        message:
            "Cannot edit 'config.py' in 'architect' mode. Only files matching '\\.md$' are allowed."
                .to_owned(),
        hint: Some("switch to code mode".into()),
    }
}

#[track_caller]
fn check(answer: &Value, code: i32, message: &str, data: impl Into<Value>) {
    let expected = json!({ "code": code, "message": message, "data": data.into() });
    assert_eq!(answer["error"], expected, "{answer:#}");
    assert!(answer.get("result").is_none(), "{answer:#}");
}

#[tokio::test]
async fn protocol_errors_have_the_codes_of_json_rpc() {
    let world = World::new("");
    let mut wire = Wire::open(&world).await;
    wire.write("{nonsense\n").await;
    let answer = wire.next().await;
    assert_eq!(answer["id"], Value::Null);
    assert_eq!(answer["error"]["code"], -32700);
    assert_eq!(answer["error"]["message"], "Parse error");

    wire.write("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":9}\n")
        .await;
    let answer = wire.next().await;
    assert_eq!(answer["id"], 7);
    assert_eq!(answer["error"]["code"], -32600);

    let answer = wire.request(request(8, "no/such/method", json!({}))).await;
    assert_eq!(
        answer["error"],
        json!({ "code": -32601, "message": "Method not found: no/such/method" })
    );
    let answer = wire.request(call(9, "no_such_tool", json!({}))).await;
    assert_eq!(
        answer["error"],
        json!({ "code": -32601, "message": "Tool not found: no_such_tool" })
    );
    let answer = wire.request(request(10, "tools/call", json!({}))).await;
    assert_eq!(
        answer["error"],
        json!({ "code": -32602, "message": "Missing required parameter: name" })
    );
    let wrong = json!({ "name": "list_modes", "arguments": [] });
    let answer = wire.request(request(11, "tools/call", wrong)).await;
    assert_eq!(
        answer["error"],
        json!({ "code": -32602, "message": "Invalid parameters of tools/call" })
    );
    let answer = wire
        .request(request(12, "tools/list", json!({ "cursor": "x" })))
        .await;
    assert_eq!(
        answer["error"],
        json!({ "code": -32602, "message": "Invalid cursor: x" })
    );
}

#[tokio::test]
async fn a_panic_is_an_internal_error_that_tells_nothing_but_its_id() {
    let world = World::new("");
    let mut wire = Wire::connect_to(&world, Faulty::new(&world));
    wire.initialize("2025-11-25", json!({})).await;
    for _ in 0..300 {
        // More often than there are turns: a panic gives its turn back.
        let answer = wire.call("panics", json!({})).await;
        assert_eq!(answer["error"]["code"], -32603);
        assert_eq!(answer["error"]["message"], "Internal error");
        let id = answer["error"]["data"]["id"].as_str().expect("an id");
        assert_eq!(id.len(), 16, "{id}");
        assert!(!answer.to_string().contains("secret"), "{answer}");
    }
    let answer = wire.call("list_modes", json!({})).await;
    assert!(answer.get("result").is_some(), "{answer:#}");
}

#[tokio::test]
async fn the_contracts_six_errors_are_on_the_line() {
    let world = World::new("");
    let mut wire = Wire::connect_to(&world, Faulty::new(&world));
    wire.initialize("2025-11-25", json!({})).await;
    let answer = wire
        .call("get_mode_info", json!({ "mode_slug": "x" }))
        .await;
    check(
        &answer,
        -32001,
        "Mode not found",
        json!("Mode not found: x. Available: code, architect, ask, debug, orchestrator"),
    );
    let unknown = json!({ "session_id": "ses_000000000000" });
    let answer = wire.call("get_task_info", unknown).await;
    check(
        &answer,
        -32002,
        "Task not found",
        json!("Session not found: sess_000000000000"),
    );
    let answer = wire.call("get_mode_info", json!({})).await;
    check(
        &answer,
        -32004,
        "Validation error",
        json!("Missing required parameter for get_mode_info: mode_slug"),
    );
    let answer = wire.call("edits_python", json!({})).await;
    check(
        &answer,
        -32006,
        "File restriction error: Cannot edit 'config.py' in 'architect' mode. Only files matching '\\.md$' are allowed. Rule: file-pattern. Hint: switch to code mode",
        json!(
            "Cannot edit 'config.py' in 'architect' mode. Only files matching '\\.md$' are allowed."
        ),
    );
    wire.call("create_task", json!({ "mode_slug": "code" }))
        .await;
    world.clock.advance(Duration::from_secs(3601));
    let answer = wire
        .call("get_task_info", json!({ "session_id": "sess_1" }))
        .await;
    check(
        &answer,
        -32003,
        "Session expired",
        json!("Session sess_1 has expired (timeout: 3600s)"),
    );
}

#[tokio::test]
async fn a_denial_is_an_error_where_the_call_names_its_session_and_a_result_elsewhere() {
    let world = World::with("", |settings| settings.switching = Switching::Locked);
    let mut wire = Wire::open(&world).await;
    wire.call("create_task", json!({ "mode_slug": "code" }))
        .await;
    let reason =
        "Tool 'switch_mode' cannot be used in 'code' mode. Switching is locked by configuration.";
    let named = json!({ "session_id": "sess_1", "new_mode_slug": "ask" });
    check(
        &wire.call("switch_mode", named).await,
        -32005,
        &format!("Tool restriction error: {reason} Hint: ask the user to change the mode"),
        json!(reason),
    );
    let current = json!({ "session_id": "current", "new_mode_slug": "ask" });
    let answer = wire.call("switch_mode", current).await;
    let text = format!("Tool restriction error: {reason}\nHint: ask the user to change the mode");
    assert_eq!(
        answer["result"],
        json!({
            "content": [{ "type": "text", "text": text }],
            "isError": true,
            "error_code": "PERMISSION_DENIED",
            "details": { "code": -32005, "suggestion": "ask the user to change the mode" },
            "structuredContent": {
                "error": { "code": -32005, "name": "Tool restriction error", "message": text, "data": reason },
                "error_code": "PERMISSION_DENIED",
                "details": { "code": -32005, "suggestion": "ask the user to change the mode" },
            },
        })
    );
}

fn every_kind() -> [(&'static str, Error); 11] {
    let session = SessionId::parse("sess_000000000000").expect("an id");
    let slug = |slug: &str| ModeSlug::parse(slug).expect("a slug");
    let mode = MissingThing::Mode {
        slug: slug("x"),
        available: vec![slug("code")],
        broken: None,
    };
    let task = TaskId::parse("task_000000000000").expect("an id");
    let approval = ApprovalId::parse("appr_000000000000").expect("an id");
    [
        ("InvalidInput", Error::invalid("status", "Parameter status must be a string")),
        ("NotFound(Mode)", Error::NotFound(mode.clone())),
        ("NotFound(ModeInForce)", Error::NotFound(MissingThing::ModeInForce(Box::new(mode)))),
        ("NotFound(Task)", Error::NotFound(MissingThing::Task(task))),
        ("NotFound(Session)", Error::NotFound(MissingThing::Session(session.clone()))),
        ("NotFound(Approval)", Error::NotFound(MissingThing::Approval(approval))),
        ("Expired", Error::Expired { session: session.clone(), timeout: Duration::from_secs(3600) }),
        (
            "Denied(Tool)",
            Error::Denied {
                rule: None,
                message: "Tool 'write_to_file' cannot be used in 'ask' mode. Tool group 'edit' is not enabled.".to_owned(),
                hint: Some("switch to code mode".into()),
            },
        ),
        ("Denied(File)", file_denied()),
        ("Conflict", Error::Conflict(ConflictingChange::Switching(session.clone()))),
        ("Unavailable", Error::from(mk_store::Error::Closed)),
    ]
}

/// Every kind of refusal, in every era and place.
#[test]
fn the_table_of_errors_is_a_contract() {
    let mut table = String::new();
    for (kind, error) in &every_kind() {
        let _ = writeln!(table, "# {kind}");
        for (place, refused) in [
            (
                "up to 2025-11-25, names its session",
                refused_call(error, Era::Connected, ErrorPlace::CallOnSession),
            ),
            (
                "up to 2025-11-25, any other call   ",
                refused_call(error, Era::Connected, ErrorPlace::Call),
            ),
            (
                "2026-07-28, names its session      ",
                refused_call(error, Era::Stateless, ErrorPlace::CallOnSession),
            ),
            (
                "2026-07-28, any other call         ",
                refused_call(error, Era::Stateless, ErrorPlace::Call),
            ),
        ] {
            let shown = match refused {
                Ok(result) => format!("result {}", json!(result)),
                Err(error) => format!("error  {}", json!(error)),
            };
            let _ = writeln!(table, "{place}  {shown}");
        }
        for (place, era) in [
            ("up to 2025-11-25, resource         ", Era::Connected),
            ("2026-07-28, resource               ", Era::Stateless),
        ] {
            let shown = json!(refused_resource(error, era));
            let _ = writeln!(table, "{place}  error  {shown}");
        }
        table.push('\n');
    }
    table.push_str("# What is not there\n");
    for era in [Era::Connected, Era::Stateless] {
        let _ = writeln!(table, "{era:?} tool    {}", json!(unknown_tool("x", era)));
        let _ = writeln!(table, "{era:?} prompt  {}", json!(unknown_prompt("x", era)));
        let scheme = crate::error::unknown_scheme("file:///x", era);
        let _ = writeln!(table, "{era:?} scheme  {}", json!(scheme));
    }
    insta::assert_snapshot!("table", table);
}
