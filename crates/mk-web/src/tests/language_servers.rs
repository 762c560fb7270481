//! `/api/language-servers/{language}/restart`: what is said where there is nothing to restart.

use axum::http::{Method, StatusCode};

use super::{World, request, send};

#[track_caller]
fn check(language: &str, status: StatusCode, code: &str, hint: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let reply = runtime.expect("a runtime").block_on(async {
        let world = World::new("");
        let path = format!("/api/language-servers/{language}/restart");
        send(&world.routes, request(Method::POST, &path, "")).await
    });
    assert_eq!(reply.status, status, "{:#}", reply.body);
    assert_eq!(reply.body["error_code"], code, "{:#}", reply.body);
    let suggestion = reply.body["details"]["suggestion"].as_str();
    assert!(
        suggestion.unwrap_or_default().contains(hint),
        "{:#}",
        reply.body
    );
}

#[test]
fn a_server_that_is_not_installed_says_how_to_install_it() {
    let hint = "modekeeper lsp install python";
    check(
        "python",
        StatusCode::CONFLICT,
        "LANGUAGE_SERVER_ERROR",
        hint,
    );
}

#[test]
fn a_language_that_nobody_knows_is_not_found() {
    check(
        "klingon",
        StatusCode::NOT_FOUND,
        "INVALID_ARGUMENTS",
        "configuration",
    );
    check(
        "..%2F..%2Fetc",
        StatusCode::NOT_FOUND,
        "INVALID_ARGUMENTS",
        "configuration",
    );
}
