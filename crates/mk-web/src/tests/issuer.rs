//! Tokens that an issuer elsewhere signed: which are accepted, and what their scopes open.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use axum::http::{Method, StatusCode, header};
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use mk_engine::{AccessRole, CredentialKind, NewToken};
use mk_testkit::sandbox::overwrite;
use mk_types::Clock;
use serde_json::{Value, json};

use super::{Reply, START, World, request, send};
use crate::{KeyPlace, Peer, PeerUser, ProtectedResource, TokenIssuer};

const ISSUER: &str = "https://issuer.example/realm";
const SERVER: &str = "https://modes.example";

/// A key pair of the issuer, from a number.
fn key(algorithm: Algorithm, seed: u8) -> EncodingKey {
    let secret = [seed; 32];
    match algorithm {
        Algorithm::EdDSA => {
            let head = *b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";
            EncodingKey::from_ed_der(&[&head[..], &secret].concat())
        }
        Algorithm::ES256 => {
            let head = *b"\x30\x41\x02\x01\x00\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\
                \x3d\x03\x01\x07\x04\x27\x30\x25\x02\x01\x01\x04\x20";
            EncodingKey::from_ec_der(&[&head[..], &secret].concat())
        }
        _ => EncodingKey::from_secret(&secret),
    }
}

/// A token that is signed with an RSA key, and the key's public half. The keys are in files, because making one takes
/// long.
fn signed_with_rsa(pair: &[u8], id: &str) -> (String, Value) {
    let key = EncodingKey::from_rsa_der(pair);
    let mut header = Header::new(Algorithm::RS256);
    header.kid = Some(id.to_owned());
    let token = encode(&header, &claims(&json!({})), &key).expect("a token");
    let jwk = Jwk::from_encoding_key(&key, Algorithm::RS256).expect("a key");
    let mut jwk = serde_json::to_value(jwk).expect("JSON");
    jwk["kid"] = id.into();
    (token, jwk)
}

/// The public half, as a key set has it.
fn public(algorithm: Algorithm, seed: u8, id: &str) -> Value {
    let jwk = Jwk::from_encoding_key(&key(algorithm, seed), algorithm).expect("a key");
    let mut jwk = serde_json::to_value(jwk).expect("JSON");
    jwk["kid"] = id.into();
    jwk
}

/// A server that trusts an issuer whose keys are in a file.
struct Site {
    world: World,
    keys: PathBuf,
    _directory: tempfile::TempDir,
}

impl Site {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let keys = directory.path().join("keys.json");
        let place = KeyPlace::new(ISSUER, keys.to_str()).expect("a place");
        let resource = |clock: &Clock| ProtectedResource {
            url: SERVER.to_owned(),
            issuer: Some(TokenIssuer::new(ISSUER, place, clock.clone())),
            asks_everyone: false,
        };
        let site = Self {
            world: World::build("//- /a.md\nx\n", None, resource),
            keys,
            _directory: directory,
        };
        site.publish(&[public(Algorithm::EdDSA, 1, "first")]);
        site
    }

    fn publish(&self, keys: &[Value]) {
        let text = json!({ "keys": keys }).to_string();
        overwrite(&self.keys, text.as_bytes());
    }

    async fn ask(&self, token: &str) -> Reply {
        self.post(token, "/tools/call", &json!({ "name": "list_modes" }))
            .await
    }

    async fn post(&self, token: &str, path: &str, body: &Value) -> Reply {
        let body = body.to_string();
        self.world
            .with_token(token, Method::POST, path, &body)
            .await
    }
}

/// What a good token says, with some of it changed; `null` takes a claim away.
fn claims(changes: &Value) -> Value {
    let now = START.as_millis() / 1000;
    let mut claims = json!({
        "iss": ISSUER,
        "sub": "ann",
        "aud": format!("{SERVER}/mcp"),
        "exp": now + 300,
        "iat": now,
        "scope": "openid mode:ask",
    });
    for (name, value) in changes.as_object().expect("an object") {
        claims[name] = value.clone();
    }
    let claims = claims.as_object().expect("an object").iter();
    claims
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn sign(algorithm: Algorithm, seed: u8, id: Option<&str>, changes: &Value) -> String {
    let mut header = Header::new(algorithm);
    header.kid = id.map(str::to_owned);
    encode(&header, &claims(changes), &key(algorithm, seed)).expect("a token")
}

fn good(changes: &Value) -> String {
    sign(Algorithm::EdDSA, 1, Some("first"), changes)
}

#[tokio::test]
async fn a_token_must_be_of_the_issuer_for_this_server_and_in_its_time() {
    let site = Site::new();
    let now = START.as_millis() / 1000;
    let refused = StatusCode::UNAUTHORIZED;
    for (changes, expected) in [
        (json!({}), StatusCode::OK),
        (json!({ "aud": SERVER }), StatusCode::OK),
        (json!({ "aud": format!("{SERVER}/") }), StatusCode::OK),
        (
            json!({ "aud": ["https://other.example", SERVER] }),
            StatusCode::OK,
        ),
        (json!({ "scope": ["mode:ask"] }), StatusCode::OK),
        (json!({ "scope": null, "scp": "mode:ask" }), StatusCode::OK),
        (json!({ "exp": now - 59 }), StatusCode::OK),
        (json!({ "nbf": now + 59 }), StatusCode::OK),
        (json!({ "aud": "https://other.example/mcp" }), refused),
        (
            json!({ "aud": format!("{SERVER}.evil.example/mcp") }),
            refused,
        ),
        (json!({ "aud": format!("{SERVER}/mcp/ask") }), refused),
        (json!({ "aud": [] }), refused),
        (json!({ "aud": null }), refused),
        (json!({ "iss": "https://issuer.example" }), refused),
        (json!({ "iss": null }), refused),
        (json!({ "sub": null }), refused),
        (json!({ "exp": now - 60 }), refused),
        (json!({ "exp": null }), refused),
        (json!({ "exp": "later" }), refused),
        (json!({ "nbf": now + 61 }), refused),
        (json!({ "scope": "openid" }), StatusCode::FORBIDDEN),
        (json!({ "scope": "mode:nonesuch" }), StatusCode::FORBIDDEN),
        (json!({ "scope": null }), StatusCode::FORBIDDEN),
    ] {
        let reply = site.ask(&good(&changes)).await;
        assert_eq!(reply.status, expected, "{changes}: {reply:?}");
    }
}

#[tokio::test]
async fn a_token_does_not_choose_how_it_is_checked() {
    let site = Site::new();
    let real = good(&json!({}));
    let parts: Vec<&str> = real.split('.').collect();
    let unsigned = format!("eyJhbGciOiJub25lIn0.{}.", parts[1]);
    let stripped = format!("{}.{}.", parts[0], parts[1]);
    let swapped = {
        let other = good(&json!({ "scope": "mode:code" }));
        let other: Vec<&str> = other.split('.').collect();
        format!("{}.{}.{}", parts[0], other[1], parts[2])
    };
    // The public key as a shared secret, under the id of the real one.
    let confused = {
        let public = public(Algorithm::EdDSA, 1, "first");
        let mut header = Header::new(Algorithm::HS256);
        header.kid = Some("first".to_owned());
        let secret = public["x"].as_str().expect("a key").as_bytes().to_owned();
        encode(
            &header,
            &claims(&json!({})),
            &EncodingKey::from_secret(&secret),
        )
        .expect("a token")
    };
    // A key that the token itself brings.
    let brought = {
        let mut header = Header::new(Algorithm::EdDSA);
        header.jwk = serde_json::from_value(public(Algorithm::EdDSA, 9, "first")).ok();
        header.jku = Some("https://evil.example/keys".to_owned());
        encode(&header, &claims(&json!({})), &key(Algorithm::EdDSA, 9)).expect("a token")
    };
    let critical = {
        let mut header = Header::new(Algorithm::EdDSA);
        header.crit = Some(vec!["b64".to_owned()]);
        encode(&header, &claims(&json!({})), &key(Algorithm::EdDSA, 1)).expect("a token")
    };
    let foreign = sign(Algorithm::EdDSA, 2, Some("first"), &json!({}));
    let other_kind = sign(Algorithm::ES256, 1, Some("first"), &json!({}));
    let shared = sign(Algorithm::HS256, 1, Some("first"), &json!({}));
    for token in [
        unsigned, stripped, swapped, confused, brought, critical, foreign, other_kind, shared,
    ] {
        let reply = site.ask(&token).await;
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{token}");
    }
    // Shared secrets in a key set are no keys.
    let secret = json!({ "kty": "oct", "kid": "shared", "alg": "HS256", "k": "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE" });
    site.publish(&[secret, public(Algorithm::EdDSA, 1, "first")]);
    site.world.clock.advance(Duration::from_secs(10));
    let shared = sign(Algorithm::HS256, 1, Some("shared"), &json!({}));
    assert_eq!(site.ask(&shared).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(site.ask(&real).await.status, StatusCode::OK);
}

#[tokio::test]
async fn an_rsa_key_has_2048_bits_or_is_none() {
    let site = Site::new();
    let (long, long_key) = signed_with_rsa(include_bytes!("rsa-2048.der"), "long");
    let (short, short_key) = signed_with_rsa(include_bytes!("rsa-1024.der"), "short");
    // The same number behind zeros is not a longer one.
    let (padded, mut padded_key) = signed_with_rsa(include_bytes!("rsa-1024.der"), "padded");
    let digits = short_key["n"].as_str().expect("a number");
    padded_key["n"] = format!("{}{digits}", "A".repeat(4 * 43)).into();
    site.publish(&[long_key, short_key, padded_key]);
    assert_eq!(site.ask(&long).await.status, StatusCode::OK);
    assert_eq!(site.ask(&short).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(site.ask(&padded).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn keys_come_and_go() {
    let site = Site::new();
    let old = good(&json!({ "exp": START.as_millis() / 1000 + 7200 }));
    assert_eq!(site.ask(&old).await.status, StatusCode::OK);
    let new = sign(
        Algorithm::ES256,
        3,
        Some("second"),
        &json!({ "exp": START.as_millis() / 1000 + 7200 }),
    );
    assert_eq!(site.ask(&new).await.status, StatusCode::UNAUTHORIZED);
    let unknown_kind = json!({ "kty": "FUTURE", "kid": "third", "alg": "XX999" });
    site.publish(&[
        unknown_kind,
        public(Algorithm::EdDSA, 1, "first"),
        public(Algorithm::ES256, 3, "second"),
    ]);
    site.world.clock.advance(Duration::from_secs(10));
    assert_eq!(site.ask(&new).await.status, StatusCode::OK, "a new key");
    assert_eq!(site.ask(&old).await.status, StatusCode::OK);
    site.publish(&[public(Algorithm::ES256, 3, "second")]);
    site.world.clock.advance(Duration::from_secs(601));
    let reply = site.ask(&old).await;
    assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "a withdrawn key");
    assert_eq!(site.ask(&new).await.status, StatusCode::OK);
    // While the issuer cannot be reached its keys are good, but not for ever.
    fs::remove_file(&site.keys).expect("removed");
    site.world.clock.advance(Duration::from_secs(700));
    assert_eq!(site.ask(&new).await.status, StatusCode::OK);
    site.world.clock.advance(Duration::from_secs(3601));
    let reply = site.ask(&new).await;
    assert_eq!(reply.status, StatusCode::SERVICE_UNAVAILABLE, "{reply:?}");
}

#[tokio::test]
async fn scopes_cap_and_lead_to_the_next() {
    let site = Site::new();
    let write =
        json!({ "name": "write_file", "arguments": { "file_path": "b.txt", "content": "x" } });
    let ask = good(&json!({}));
    let reply = site.post(&ask, "/tools/call", &write).await;
    assert_eq!(reply.status, StatusCode::FORBIDDEN, "{reply:?}");
    let challenge = reply.headers[header::WWW_AUTHENTICATE]
        .to_str()
        .expect("text");
    insta::assert_snapshot!(challenge, @r#"Bearer realm="modekeeper", error="insufficient_scope", scope="mode:code", resource_metadata="https://modes.example/.well-known/oauth-protected-resource""#);
    // What it could do in some cases is decided by the call.
    let architect = good(&json!({ "scope": "mode:architect" }));
    let reply = site.post(&architect, "/tools/call", &write).await;
    assert_eq!(reply.body["error_code"], "PERMISSION_DENIED", "{reply:?}");
    // The widest of several counts.
    let both = good(&json!({ "scope": "mode:ask mode:code mode:architect" }));
    let reply = site.post(&both, "/tools/call", &write).await;
    assert_eq!(reply.body["isError"], false, "{reply:?}");
    assert!(site.world.files.root().as_path().join("b.txt").exists());
    // Over MCP, too, before the protocol is asked.
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": write });
    for path in ["/mcp", "/mcp/ask", "/messages"] {
        let aud = if path == "/messages" { "/sse" } else { path };
        let token = good(&json!({ "aud": format!("{SERVER}{aud}") }));
        let reply = site.post(&token, path, &call).await;
        assert_eq!(
            reply.body["error_code"], "INSUFFICIENT_SCOPE",
            "{path} {reply:?}"
        );
    }
    // An endpoint's mode is what its client wants.
    let reply = site
        .post(&ask, "/mcp/code", &json!({ "method": "ping" }))
        .await;
    assert_eq!(reply.body["error_code"], "INSUFFICIENT_SCOPE", "{reply:?}");
}

#[tokio::test]
async fn roles_come_by_scope_and_each_change_names_its_holder() {
    let site = Site::new();
    let mode = json!({ "mode": "ask" });
    let read = async |scope: &str| {
        let token = good(&json!({ "scope": scope }));
        let path = "/api/decisions";
        site.world.with_token(&token, Method::GET, path, "").await
    };
    // An agent's token sees nothing of others' work.
    let agent = read("mode:code").await;
    let challenge = agent.headers[header::WWW_AUTHENTICATE].to_str();
    assert!(challenge.expect("text").contains("scope=\"role:viewer\""));
    assert_eq!(agent.status, StatusCode::FORBIDDEN);
    assert_eq!(read("mode:code role:viewer").await.status, StatusCode::OK);
    let viewer = good(&json!({ "scope": "mode:code role:viewer" }));
    let viewer = site.post(&viewer, "/api/mode", &mode).await;
    assert_eq!(viewer.status, StatusCode::FORBIDDEN);
    let operator = good(&json!({ "scope": "mode:code role:operator" }));
    let reply = site.post(&operator, "/api/mode", &mode).await;
    assert_eq!(reply.status, StatusCode::OK, "{reply:?}");
    let acts = site.world.engine.access().acts(1).expect("acts");
    assert!(
        acts[0]
            .who
            .starts_with("ann at https://issuer.example/realm (tok_"),
        "{acts:?}"
    );
}

#[tokio::test]
async fn the_challenge_leads_to_the_issuer() {
    let site = Site::new();
    let remote = Peer {
        address: [192, 0, 2, 1].into(),
        user: PeerUser::Remote,
        socket: None,
    };
    let mut challenges = String::new();
    for path in [
        "/mcp",
        "/mcp/architect",
        "/mcp/nonesuch",
        "/sse",
        "/api/status",
    ] {
        let mut request = request(Method::GET, path, "");
        request.extensions_mut().insert(remote);
        let reply = send(&site.world.routes, request).await;
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
        let challenge = reply.headers[header::WWW_AUTHENTICATE]
            .to_str()
            .expect("text");
        challenges += &format!("{path}: {challenge}\n");
        let metadata = challenge.split('"').rev().nth(1).expect("a URL");
        let path = metadata.strip_prefix(SERVER).expect("here");
        let reply = site.world.get(path).await;
        if path.ends_with("nonesuch") {
            assert_eq!(reply.status, StatusCode::NOT_FOUND);
            continue;
        }
        assert_eq!(reply.status, StatusCode::OK);
        assert_eq!(reply.body["authorization_servers"], json!([ISSUER]));
    }
    insta::assert_snapshot!(challenges, @r#"
    /mcp: Bearer realm="modekeeper", scope="mode:ask", resource_metadata="https://modes.example/.well-known/oauth-protected-resource/mcp"
    /mcp/architect: Bearer realm="modekeeper", scope="mode:architect", resource_metadata="https://modes.example/.well-known/oauth-protected-resource/mcp/architect"
    /mcp/nonesuch: Bearer realm="modekeeper", scope="mode:ask", resource_metadata="https://modes.example/.well-known/oauth-protected-resource/mcp/nonesuch"
    /sse: Bearer realm="modekeeper", scope="mode:ask", resource_metadata="https://modes.example/.well-known/oauth-protected-resource/sse"
    /api/status: Bearer realm="modekeeper", scope="mode:ask", resource_metadata="https://modes.example/.well-known/oauth-protected-resource"
    "#);
    let metadata = site
        .world
        .get("/.well-known/oauth-protected-resource/mcp")
        .await;
    let expected = json!({
        "resource": "https://modes.example/mcp",
        "resource_name": "Modekeeper",
        "authorization_servers": [ISSUER],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["mode:code", "mode:architect", "mode:ask", "mode:debug", "mode:orchestrator"],
    });
    assert_eq!(metadata.body, expected);
    let other = site
        .world
        .get("/.well-known/oauth-protected-resource/tools")
        .await;
    assert_eq!(other.status, StatusCode::NOT_FOUND);
    // Without an issuer there is nothing to lead to.
    let alone = World::new("")
        .get("/.well-known/oauth-protected-resource/mcp")
        .await;
    assert_eq!(alone.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn keys_are_read_over_tls_or_on_this_machine_only() {
    for (url, expected) in [
        ("https://issuer.example", true),
        ("http://127.0.0.1:8080/realm", true),
        ("http://localhost", true),
        ("http://issuer.example", false),
        ("http://localhost.evil.example", false),
        ("http://127.0.0.1.evil.example/", false),
        ("file:///etc/passwd", false),
    ] {
        assert_eq!(KeyPlace::new(url, None).is_ok(), expected, "{url}");
        let keys = KeyPlace::new("https://issuer.example", Some(url));
        assert_eq!(keys.is_ok(), expected, "{url}");
    }
}

/// Every operation of the document, and the ways in that it does not describe.
async fn ways_in(site: &Site) -> Vec<(Method, String)> {
    let described = super::gate::operations(&site.world).await.into_iter();
    let protocol = [
        (Method::POST, "/mcp"),
        (Method::GET, "/mcp"),
        (Method::DELETE, "/mcp"),
        (Method::POST, "/mcp/ask"),
        (Method::GET, "/sse"),
        (Method::POST, "/messages"),
    ];
    described
        .map(|(method, path, _)| (method, path))
        .chain(protocol.map(|(method, path)| (method, path.to_owned())))
        .collect()
}

#[tokio::test]
async fn every_way_in_refuses_what_is_no_credential() {
    let site = Site::new();
    let access = site.world.engine.access();
    let over = site.world.token(AccessRole::Admin).await;
    let tokens = access.list(CredentialKind::Token).expect("tokens");
    assert!(access.revoke(&tokens[0].id).await.expect("revoked"));
    let link = access.create_link(AccessRole::Admin).await.expect("a link");
    let now = START.as_millis() / 1000;
    let bad = [
        ("revoked", over),
        ("unknown", "mks_unknown".to_owned()),
        ("a link", link),
        ("empty", String::new()),
        (
            "forged",
            sign(Algorithm::EdDSA, 2, Some("first"), &json!({})),
        ),
        ("expired", good(&json!({ "exp": now - 600 }))),
        ("early", good(&json!({ "nbf": now + 600 }))),
        ("foreign", good(&json!({ "aud": "https://other.example" }))),
        (
            "another issuer's",
            good(&json!({ "iss": "https://other.example" })),
        ),
    ];
    for (method, path) in ways_in(&site).await {
        for (what, token) in &bad {
            let reply = site
                .world
                .with_token(token, method.clone(), &path, "")
                .await;
            assert_eq!(
                reply.status,
                StatusCode::UNAUTHORIZED,
                "{what}: {method} {path}"
            );
            assert!(
                !format!("{reply:?}").contains(token.as_str()) || token.is_empty(),
                "{what}"
            );
        }
    }
}

#[tokio::test]
async fn every_way_in_refuses_a_token_without_a_mode() {
    let site = Site::new();
    let bare = good(&json!({ "aud": SERVER, "scope": "openid role:admin" }));
    for (method, path) in ways_in(&site).await {
        let reply = site
            .world
            .with_token(&bare, method.clone(), &path, "")
            .await;
        assert_eq!(
            reply.body["error_code"], "INSUFFICIENT_SCOPE",
            "{method} {path}"
        );
        let challenge = reply.headers[header::WWW_AUTHENTICATE]
            .to_str()
            .expect("text");
        assert!(
            challenge.contains("error=\"insufficient_scope\""),
            "{challenge}"
        );
    }
}

#[tokio::test]
async fn no_tool_goes_above_the_ceiling_of_a_token() {
    let site = Site::new();
    let listed = site.world.get("/tools/list").await.body;
    let tools = listed["tools"].as_array().expect("tools");
    let ceiling = site.world.engine.modes().ceiling("ask").expect("ask");
    let token = good(&json!({ "aud": SERVER }));
    let mut n_refused = 0;
    for tool in tools {
        let name = tool["name"].as_str().expect("a name");
        let target = mk_tools::find(name).expect("a tool").target().name;
        let above = !ceiling.could_allow(&site.world.engine, target);
        n_refused += usize::from(above);
        for (path, body) in [
            ("/tools/call", json!({ "name": name, "arguments": {} })),
            (
                "/mcp",
                json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name } }),
            ),
        ] {
            let reply = site.post(&token, path, &body).await;
            let refused = reply.body["error_code"] == "INSUFFICIENT_SCOPE";
            assert_eq!(refused, above, "{name} at {path}");
        }
    }
    assert!(n_refused > 5, "{n_refused}");
}

#[tokio::test]
async fn a_token_for_another_project_opens_nothing_of_this_one() {
    let site = Site::new();
    let new = NewToken {
        name: "elsewhere".to_owned(),
        role: AccessRole::Admin,
        mode: None,
        projects: vec!["/nonesuch".to_owned()],
        life: None,
    };
    let made = site.world.engine.access().create_token(new).await;
    let token = made.expect("a token").1;
    for (method, path, operation) in super::gate::operations(&site.world).await {
        if crate::need(&method, &path) == crate::RouteNeed::Nothing {
            continue;
        }
        let about_itself = ["getServerInfo", "getOpenApi", "listTools", "getMetrics"];
        let id = operation["operationId"].as_str().expect("an id");
        if about_itself.contains(&id) {
            continue;
        }
        let body = r#"{"name": "read_file", "arguments": {"file_path": "a.md"}}"#;
        let reply = site.world.with_token(&token, method, &path, body).await;
        let code = reply.body["error_code"].as_str().unwrap_or_default();
        assert!(
            matches!(code, "FORBIDDEN" | "PERMISSION_DENIED"),
            "{id}: {reply:?}"
        );
    }
}

#[tokio::test]
async fn memories_are_deleted_by_whose_mode_may() {
    let site = Site::new();
    let write = json!({ "name": "write_memory", "arguments": { "name": "notes", "content": "x" } });
    let code = good(&json!({ "scope": "mode:code" }));
    assert_eq!(
        site.post(&code, "/tools/call", &write).await.body["isError"],
        false
    );
    let delete = async |token: &str| {
        let path = "/api/memories/notes";
        site.world
            .with_token(token, Method::DELETE, path, "")
            .await
            .status
    };
    let ask = good(&json!({ "aud": SERVER }));
    let viewer = site.world.token(AccessRole::Viewer).await;
    assert_eq!(delete(&ask).await, StatusCode::FORBIDDEN);
    assert_eq!(delete(&viewer).await, StatusCode::FORBIDDEN);
    assert_eq!(delete(&code).await, StatusCode::OK);
}

#[tokio::test]
async fn a_scope_that_bounds_leaves_the_changes_that_no_mode_bounds_to_others() {
    let site = Site::new();
    let mode = json!({ "mode": "ask" });
    let bounded = good(&json!({ "scope": "mode:ask role:operator" }));
    let refused = site.post(&bounded, "/api/mode", &mode).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{refused:?}");
    let challenge = refused.headers[header::WWW_AUTHENTICATE].to_str();
    let challenge = challenge.expect("text");
    assert!(
        challenge.contains("insufficient_scope") && challenge.contains("mode:code"),
        "{challenge}"
    );
    let named = json!({ "scope": "mode:code role:operator", "sub": "a\n\u{1b}[31mnn" });
    let whole = good(&named);
    let set = site.post(&whole, "/api/mode", &mode).await;
    assert_eq!(set.status, StatusCode::OK, "{set:?}");
    let acts = site.world.engine.access().acts(10).expect("acts");
    let who = &acts.first().expect("an act").who;
    assert!(
        who.starts_with("a") && !who.contains(char::is_control),
        "{who:?}"
    );
}
