//! Who may what: every operation of the document, with every kind of caller.

use std::net::{IpAddr, Ipv4Addr};

use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode, header};
use mk_engine::{AccessRole, CredentialKind, NewToken};
use mk_types::CredentialId;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::{AGENTS_SOCKET, LEFT_SOCKET, OTHERS_SOCKET, Reply, World, request, send};
use crate::gate::COOKIE;
use crate::{Peer, PeerUser, RouteNeed, need};

/// Every operation that the document has: method and path with its parameters filled in.
pub(super) async fn operations(world: &World) -> Vec<(Method, String, Value)> {
    let document = world.get("/openapi.json").await.body;
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
            let path = path.replace('{', "x-").replace('}', "");
            found.push((method, path, operation.clone()));
        }
    }
    assert!(found.len() > 35, "{}", found.len());
    found
}

/// What the gate alone says: a refusal of its own, or nothing.
fn is_refused(reply: &Reply) -> bool {
    matches!(
        reply.body["error_code"].as_str(),
        Some("UNAUTHORIZED" | "FORBIDDEN")
    )
}

fn from(peer: Option<Peer>, method: &Method, path: &str) -> Request<Body> {
    let mut request = request(method.clone(), path, "");
    if let Some(peer) = peer {
        request.extensions_mut().insert(peer);
    }
    request
}

const LOCAL: Peer = Peer {
    address: IpAddr::V4(Ipv4Addr::LOCALHOST),
    user: PeerUser::Same,
    socket: Some(AGENTS_SOCKET),
};
const REMOTE: Peer = Peer {
    address: IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)),
    user: PeerUser::Remote,
    socket: None,
};

#[tokio::test]
async fn without_a_credential_an_agent_on_this_machine_gets_what_an_agent_may_and_no_more() {
    let world = World::new("");
    for (method, path, operation) in operations(&world).await {
        let expected = match need(&method, &path) {
            RouteNeed::Nothing | RouteNeed::Agent => false,
            RouteNeed::Role(_) => true,
        };
        let reply = send(&world.routes, from(Some(LOCAL), &method, &path)).await;
        let id = &operation["operationId"];
        // The session's own route says by itself that there is none.
        if id != "getSession" && id != "openSession" {
            assert_eq!(is_refused(&reply), expected, "{id}: {reply:?}");
        }
        assert_eq!(
            operation["security"]
                .as_array()
                .expect("security")
                .is_empty(),
            need(&method, &path) == RouteNeed::Nothing,
            "{id}"
        );
    }
}

#[tokio::test]
async fn what_an_agent_has_started_is_held_by_the_agents_mode() {
    let world = World::new("");
    let call = r#"{ "name": "write_file", "arguments": { "file_path": "a.rs", "content": "x" } }"#;
    let ask = async |peer: Peer| {
        let mut request = request(Method::POST, "/tools/call", call);
        request.extensions_mut().insert(peer);
        let reply = send(&world.routes, request).await;
        (reply.status, reply.body["isError"].clone())
    };
    let other = Peer {
        socket: Some(OTHERS_SOCKET),
        ..LOCAL
    };
    let left = Peer {
        socket: Some(LEFT_SOCKET),
        ..LOCAL
    };
    let gone = Peer {
        socket: Some(1),
        ..LOCAL
    };
    // Where no agent is known, none is looked for.
    for peer in [LOCAL, other, left, gone] {
        assert_eq!(ask(peer).await, (StatusCode::OK, json!(false)));
    }
    world.agent_in("ask").await;
    assert_eq!(ask(LOCAL).await, (StatusCode::OK, json!(true)));
    assert_eq!(ask(left).await, (StatusCode::OK, json!(true)));
    assert_eq!(ask(other).await, (StatusCode::OK, json!(false)));
    assert_eq!(ask(gone).await.0, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn from_elsewhere_everything_but_the_page_needs_a_credential() {
    let world = World::new("");
    for (method, path, operation) in operations(&world).await {
        let reply = send(&world.routes, from(Some(REMOTE), &method, &path)).await;
        let open = need(&method, &path) == RouteNeed::Nothing;
        let id = &operation["operationId"];
        if id != "getSession" && id != "openSession" {
            assert_eq!(is_refused(&reply), !open, "{id}: {reply:?}");
        }
        if !open {
            assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{id}");
            assert!(reply.headers.contains_key(header::WWW_AUTHENTICATE), "{id}");
        }
    }
}

#[tokio::test]
async fn a_token_opens_what_its_role_may_and_nothing_when_it_is_over() {
    let world = World::new("");
    let roles = [AccessRole::Viewer, AccessRole::Operator, AccessRole::Admin];
    for (rank, role) in roles.into_iter().enumerate() {
        let token = world.token(role).await;
        for (method, path, operation) in operations(&world).await {
            let id = &operation["operationId"];
            // A stream has no end; its route is like any other.
            if id == "getEvents" {
                continue;
            }
            let reply = world.with_token(&token, method.clone(), &path, "").await;
            let allowed = match need(&method, &path) {
                RouteNeed::Nothing | RouteNeed::Agent => true,
                RouteNeed::Role(wanted) => roles.iter().position(|it| *it == wanted) <= Some(rank),
            };
            let refused = reply.body["error_code"] == "FORBIDDEN";
            assert_eq!(refused, !allowed, "{role} {id}: {reply:?}");
        }
    }
    let token = world.token(AccessRole::Admin).await;
    let listed = world.with_token(&token, Method::GET, "/api/acts", "").await;
    assert_eq!(listed.status, StatusCode::OK);
    world.clock.advance(std::time::Duration::from_secs(3601));
    let expired = world.with_token(&token, Method::GET, "/api/acts", "").await;
    assert_eq!(expired.status, StatusCode::UNAUTHORIZED);
    let revoked = world.token(AccessRole::Admin).await;
    let tokens = world
        .engine
        .access()
        .list(mk_engine::CredentialKind::Token)
        .expect("tokens");
    let id: &CredentialId = &tokens.first().expect("a token").id;
    assert!(world.engine.access().revoke(id).await.expect("revoked"));
    let reply = world
        .with_token(&revoked, Method::GET, "/api/acts", "")
        .await;
    assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
    // A wrong token is refused also where none is needed.
    let wrong = world
        .with_token("mks_wrong", Method::GET, "/api/status", "")
        .await;
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
}

/// The page's cookie and its token against forged requests.
async fn page(world: &World) -> (String, String) {
    let access = world.engine.access();
    let link = access
        .create_link(AccessRole::Operator)
        .await
        .expect("a link");
    let body = json!({ "link": link }).to_string();
    let reply = send(&world.routes, request(Method::POST, "/api/session", &body)).await;
    assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
    let cookie = reply.headers[header::SET_COOKIE]
        .to_str()
        .expect("text")
        .to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let again = send(&world.routes, request(Method::POST, "/api/session", &body)).await;
    assert_eq!(again.status, StatusCode::UNAUTHORIZED, "a link opens once");
    let secret = cookie
        .split([';', '='])
        .nth(1)
        .expect("a secret")
        .to_owned();
    let csrf = reply.body["csrf"].as_str().expect("csrf").to_owned();
    assert_ne!(secret, csrf);
    (secret, csrf)
}

fn with_cookie(secret: &str, csrf: Option<&str>, method: Method, path: &str) -> Request<Body> {
    let mut request = request(method, path, "{\"mode\": \"ask\"}");
    let headers = request.headers_mut();
    headers.insert(
        "cookie",
        format!("a=b; {COOKIE}={secret}").parse().expect("a header"),
    );
    if let Some(csrf) = csrf {
        headers.insert("x-csrf-token", csrf.parse().expect("a header"));
    }
    request
}

#[tokio::test]
async fn the_page_s_session_changes_things_only_with_its_own_token() {
    let world = World::new("");
    let (secret, csrf) = page(&world).await;
    let read = send(
        &world.routes,
        with_cookie(&secret, None, Method::GET, "/api/approvals"),
    )
    .await;
    // A cookie goes to every port of this machine: alone it opens nothing, and gets no other half.
    assert_eq!(read.status, StatusCode::UNAUTHORIZED);
    let asked = with_cookie(&secret, None, Method::GET, "/api/session");
    let asked = send(&world.routes, asked).await;
    assert_eq!(asked.status, StatusCode::UNAUTHORIZED);
    let own = with_cookie(&secret, Some(&csrf), Method::GET, "/api/session");
    let own = send(&world.routes, own).await;
    assert_eq!(
        (own.status, &own.body["csrf"]),
        (StatusCode::OK, &serde_json::Value::Null)
    );
    for wrong in [None, Some("x"), Some(secret.as_str())] {
        let forged = send(
            &world.routes,
            with_cookie(&secret, wrong, Method::POST, "/api/mode"),
        )
        .await;
        assert_eq!(forged.status, StatusCode::FORBIDDEN, "{wrong:?}");
    }
    let set = send(
        &world.routes,
        with_cookie(&secret, Some(&csrf), Method::POST, "/api/mode"),
    )
    .await;
    assert_eq!(set.status, StatusCode::OK, "{set:?}");
    // An operator is no administrator.
    let acts = send(
        &world.routes,
        with_cookie(&secret, Some(&csrf), Method::GET, "/api/acts"),
    )
    .await;
    assert_eq!(acts.status, StatusCode::FORBIDDEN);
    let done = world.engine.access().acts(10).expect("acts");
    assert_eq!(done.len(), 2, "{done:?}");
    assert_eq!(done[0].action, "set project mode");
    let ended = send(
        &world.routes,
        with_cookie(&secret, Some(&csrf), Method::DELETE, "/api/session"),
    )
    .await;
    assert_eq!(ended.status, StatusCode::OK);
    let after = send(
        &world.routes,
        with_cookie(&secret, Some(&csrf), Method::GET, "/api/approvals"),
    )
    .await;
    assert_eq!(after.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_token_opens_a_session_of_the_page_that_ends_with_it() {
    let world = World::new("");
    let token = world.token(AccessRole::Operator).await;
    let opened = world
        .with_token(&token, Method::POST, "/api/session", "{}")
        .await;
    assert_eq!(opened.status, StatusCode::OK, "{opened:?}");
    assert_eq!(opened.body["role"], "operator");
    let cookie = opened.headers[header::SET_COOKIE].to_str().expect("text");
    assert!(
        cookie.contains("HttpOnly") && !cookie.contains(&token),
        "{cookie}"
    );
    let secret = cookie
        .split([';', '='])
        .nth(1)
        .expect("a secret")
        .to_owned();
    let csrf = opened.body["csrf"].as_str().expect("csrf").to_owned();
    let ask = |csrf: Option<&str>, method, path: &str| {
        send(&world.routes, with_cookie(&secret, csrf, method, path))
    };
    assert_eq!(
        ask(None, Method::POST, "/api/mode").await.status,
        StatusCode::FORBIDDEN
    );
    assert_eq!(
        ask(Some(&csrf), Method::POST, "/api/mode").await.status,
        StatusCode::OK
    );
    let acts = ask(Some(&csrf), Method::GET, "/api/acts").await;
    assert_eq!(
        acts.status,
        StatusCode::FORBIDDEN,
        "an operator is no administrator"
    );
    // A session opens no other, and without a token there is none.
    let again = ask(Some(&csrf), Method::POST, "/api/session").await;
    assert_eq!(again.status, StatusCode::BAD_REQUEST);
    let none = send(&world.routes, request(Method::POST, "/api/session", "{}")).await;
    assert_eq!(none.status, StatusCode::BAD_REQUEST);
    let wrong = world
        .with_token("mks_wrong", Method::POST, "/api/session", "{}")
        .await;
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    let tokens = world
        .engine
        .access()
        .list(mk_engine::CredentialKind::Token)
        .expect("tokens");
    let id = &tokens.first().expect("a token").id;
    let before = ask(Some(&csrf), Method::GET, "/api/approvals").await;
    assert_eq!(before.status, StatusCode::OK);
    assert!(world.engine.access().revoke(id).await.expect("revoked"));
    let after = ask(Some(&csrf), Method::GET, "/api/approvals").await;
    assert_eq!(after.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_stream_ends_with_the_token_that_opened_it() {
    let world = World::new("");
    let token = world.token(AccessRole::Viewer).await;
    let mut request = request(Method::GET, "/api/events", "");
    let value = format!("Bearer {token}").parse().expect("a header");
    request.headers_mut().insert("authorization", value);
    let opened = world.routes.clone().oneshot(request).await;
    let opened = opened.expect("an answer");
    assert_eq!(opened.status(), StatusCode::OK);
    let tokens = world.engine.access().list(CredentialKind::Token);
    let id = &tokens.expect("tokens").first().expect("a token").id.clone();
    assert!(world.engine.access().revoke(id).await.expect("revoked"));
    let all = to_bytes(opened.into_body(), usize::MAX).await;
    assert!(!all.expect("a body").is_empty());
}

/// A call of a tool over plain HTTP.
async fn call(world: &World, token: &str, tool: &str, arguments: Value) -> Value {
    let body = json!({ "name": tool, "arguments": arguments }).to_string();
    let reply = world.with_token(token, Method::POST, "/tools/call", &body);
    reply.await.body
}

#[tokio::test]
async fn a_viewer_looks_at_the_tasks_of_others_and_changes_only_its_own() {
    let world = World::new("");
    let agent = world.token(AccessRole::Operator).await;
    let viewer = world.token(AccessRole::Viewer).await;
    let created = call(&world, &agent, "create_task", json!({ "mode_slug": "ask" })).await;
    let session = &created["metadata"]["session_id"];
    assert!(session.is_string(), "{created:#}");
    let look = json!({ "session_id": session });
    let seen = call(&world, &viewer, "get_task_info", look.clone()).await;
    assert_eq!(seen["metadata"]["state"], "active", "{seen:#}");
    for (tool, arguments) in [
        (
            "complete_task",
            json!({ "session_id": session, "status": "cancelled" }),
        ),
        (
            "switch_mode",
            json!({ "session_id": session, "new_mode_slug": "code" }),
        ),
        (
            "create_task",
            json!({ "parent_session_id": session, "mode_slug": "ask" }),
        ),
    ] {
        let refused = call(&world, &viewer, tool, arguments).await.to_string();
        assert!(refused.contains("but not changed"), "{tool}: {refused}");
    }
    let seen = call(&world, &viewer, "get_task_info", look).await;
    assert_eq!(seen["metadata"]["state"], "active", "{seen:#}");
    assert_eq!(seen["metadata"]["mode_slug"], "ask", "{seen:#}");
    let own = call(
        &world,
        &viewer,
        "create_task",
        json!({ "mode_slug": "ask" }),
    )
    .await;
    let own = json!({ "session_id": own["metadata"]["session_id"], "status": "completed" });
    let ended = call(&world, &viewer, "complete_task", own).await;
    assert_ne!(ended["isError"], true, "{ended:#}");
}

#[tokio::test]
async fn a_token_for_another_project_learns_nothing_of_this_one() {
    let modes = "customModes:\n  - slug: own\n    name: Own\n    roleDefinition: PRIVATE\n    groups: [read]\n";
    let world = World::new(&format!("//- /.roomodes\n{modes}//- /AGENTS.md\nPRIVATE\n"));
    let elsewhere = tempfile::tempdir().expect("a directory");
    let new = NewToken {
        name: "other".to_owned(),
        role: AccessRole::Operator,
        mode: None,
        projects: vec![elsewhere.path().display().to_string()],
        life: None,
    };
    let made = world.engine.access().create_token(new).await;
    let (_, other) = made.expect("a token");
    let agent = world.token(AccessRole::Operator).await;
    let task = json!({ "mode_slug": "own", "initial_message": "PRIVATE" });
    let created = call(&world, &agent, "create_task", task).await;
    let session = &created["metadata"]["session_id"];
    assert!(session.is_string(), "{created:#}");
    let root = world.files.root().as_str();
    for (tool, arguments) in [
        ("list_modes", json!({})),
        (
            "get_mode_info",
            json!({ "mode_slug": "own", "include_system_prompt": true }),
        ),
        (
            "get_mode_info",
            json!({ "mode_slug": "code", "include_system_prompt": true }),
        ),
        (
            "get_task_info",
            json!({ "session_id": session, "include_messages": true }),
        ),
        (
            "complete_task",
            json!({ "session_id": session, "status": "completed" }),
        ),
        ("suggest_config_updates", json!({ "projectRoot": root })),
        ("activate_project", json!({ "project_root": root })),
    ] {
        let said = call(&world, &other, tool, arguments).await;
        let text = said.to_string();
        assert!(
            !text.contains("PRIVATE") && !text.contains("\"own\""),
            "{tool}: {text}"
        );
        let is_listed = tool == "list_modes";
        assert_eq!(
            said["isError"] == true || said["success"] == false || said["error_code"].is_string(),
            !is_listed,
            "{tool}: {text}"
        );
    }
}

#[tokio::test]
async fn links_and_sessions_are_no_tokens_and_grow_old() {
    let world = World::new("");
    let access = world.engine.access();
    let link = access.create_link(AccessRole::Admin).await.expect("a link");
    let as_token = world.with_token(&link, Method::GET, "/api/acts", "").await;
    assert_eq!(as_token.status, StatusCode::UNAUTHORIZED);
    world.clock.advance(std::time::Duration::from_secs(301));
    assert!(
        access.redeem(&link).await.expect("an answer").is_none(),
        "too old"
    );
    let (secret, _) = page(&world).await;
    let as_token = world
        .with_token(&secret, Method::GET, "/api/approvals", "")
        .await;
    assert_eq!(as_token.status, StatusCode::UNAUTHORIZED);
    world
        .clock
        .advance(std::time::Duration::from_secs(12 * 3600 + 1));
    let old = send(
        &world.routes,
        with_cookie(&secret, None, Method::GET, "/api/approvals"),
    )
    .await;
    assert_eq!(old.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn wrong_tokens_by_the_thousand_lock_an_address_out_and_no_other() {
    let world = World::new("");
    let good = world.token(AccessRole::Viewer).await;
    let ask = |peer: Peer, token: String| {
        let mut request = from(Some(peer), &Method::GET, "/api/approvals");
        let value = format!("Bearer {token}").parse().expect("a header");
        request.headers_mut().insert("authorization", value);
        send(&world.routes, request)
    };
    let mut locked = 0;
    for attempt in 0..1000 {
        let reply = ask(REMOTE, format!("mks_{attempt}")).await;
        locked += u32::from(reply.status == StatusCode::TOO_MANY_REQUESTS);
    }
    assert_eq!(locked, 980);
    let reply = ask(REMOTE, good.clone()).await;
    assert_eq!(reply.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(reply.headers.contains_key(header::RETRY_AFTER));
    assert_eq!(ask(LOCAL, good).await.status, StatusCode::OK);
}

#[tokio::test]
async fn every_answer_tells_browsers_what_it_is_not_for() {
    let world = World::new("");
    for path in ["/", "/api/status", "/api/acts", "/nowhere"] {
        let reply = world.get(path).await;
        let policy = reply.headers["content-security-policy"]
            .to_str()
            .expect("text");
        assert!(policy.starts_with("default-src 'none'"), "{path}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(reply.headers["x-frame-options"], "DENY", "{path}");
        assert_eq!(reply.headers["x-content-type-options"], "nosniff", "{path}");
    }
}
