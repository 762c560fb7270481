//! Who may what: every operation of the document, with every kind of caller.

use std::net::{IpAddr, Ipv4Addr};

use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use mk_engine::AccessRole;
use mk_types::CredentialId;
use serde_json::{Value, json};

use super::{Reply, World, request, send};
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
};
const REMOTE: Peer = Peer {
    address: IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)),
    user: PeerUser::Remote,
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
    assert_eq!(read.status, StatusCode::OK);
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
