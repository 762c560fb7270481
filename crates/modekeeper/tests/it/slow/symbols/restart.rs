//! Servers are restarted over HTTP by the operator, and from another terminal.

use serde_json::{Value, json};

use super::example::TY;
use super::world::{World, exact_references, owned, places};
use crate::slow::process::{check_gone, is_running, servers_of};
use crate::support::http::{HttpClient, Request, Server};
use crate::support::sandbox::run;

fn serve(world: &World) -> Server {
    Server::open(&mut world.command(&["serve", "--listen", "127.0.0.1:0"]))
}

/// Status and body.
fn send(server: &Server, method: &str, path: &str) -> (u16, Value) {
    let request = Request {
        method,
        path,
        ..Request::default()
    };
    let response = server.send(&request);
    let status = response.status;
    (status, serde_json::from_str(&response.text()).unwrap())
}

fn state(server: &Server) -> Value {
    let (status, body) = send(server, "GET", "/api/status");
    assert_eq!(status, 200, "{body:#}");
    body["language_servers"].clone()
}

#[track_caller]
fn restart(server: &Server, language: &str) -> u32 {
    let path = format!("/api/language-servers/{language}/restart");
    let (status, body) = send(server, "POST", &path);
    assert_eq!(status, 200, "{body:#}");
    assert_eq!(body["status"], "restarted", "{body:#}");
    assert_eq!(body["language"], language, "{body:#}");
    let pid = body["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
    let pid = pid.unwrap_or_else(|| panic!("{body:#}"));
    assert!(is_running(pid), "{body:#}");
    pid
}

#[test]
fn a_restart_over_http_gives_the_new_process() {
    let world = World::new(&TY);
    let server = serve(&world);
    assert_eq!(state(&server), json!({ "python": "stopped" }));
    let first = restart(&server, "python");
    assert_eq!(state(&server), json!({ "python": "running" }));
    let second = restart(&server, "python");
    assert_ne!(first, second);
    check_gone(|| Vec::from_iter(is_running(first).then_some(first)));

    // The new one answers, and is the one that was named.
    let mut client = HttpClient::start(server.address, "/mcp");
    let found = client.call("find_references", &json!({ "symbol_name": TY.symbol }));
    assert_eq!(places(&found["result"]), owned(TY.references), "{found:#}");
    assert!(is_running(second));
}

#[test]
fn a_language_without_a_server_cannot_be_restarted() {
    let world = World::new(&TY);
    let server = serve(&world);
    for (language, expected) in [("klingon", 404), ("typescript", 409)] {
        let path = format!("/api/language-servers/{language}/restart");
        let (status, body) = send(&server, "POST", &path);
        assert_eq!(status, expected, "{body:#}");
        assert_eq!(body["isError"], true, "{body:#}");
        assert!(body.to_string().contains(language), "{body:#}");
    }
    assert_eq!(state(&server), json!({ "python": "stopped" }));
}

#[test]
fn the_command_line_restarts_the_servers_of_a_running_binary() {
    let world = World::new(&TY);
    let mut client = world.client();
    exact_references(&mut client, TY.symbol, TY.server);
    let binary = client.child().id();
    let before = servers_of(binary);
    assert_eq!(before.len(), 1, "{before:?}");
    exact_references(&mut client, TY.symbol, TY.server);
    assert_eq!(servers_of(binary), before, "nobody asked for another one");

    let ran = run(&mut world.command(&["lsp", "restart", "python"]));
    assert!(ran.status.success(), "{ran:#?}");
    let found = exact_references(&mut client, TY.symbol, TY.server);
    assert_eq!(places(&found), owned(TY.references), "{found:#}");
    let after = servers_of(binary);
    assert_eq!(after.len(), 1, "{after:?}");
    assert_ne!(after, before);
    exact_references(&mut client, TY.symbol, TY.server);
    assert_eq!(servers_of(binary), after, "once is enough");

    let ran = run(&mut world.command(&["lsp", "restart", "klingon"]));
    assert!(
        !ran.status.success() && ran.stderr.contains("klingon"),
        "{ran:#?}"
    );
}
