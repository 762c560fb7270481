//! Tokens, links and what they open, as the built binary has it; and what is told to others about it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::channel;

use serde_json::{Value, json};

use crate::support::PATIENCE;
use crate::support::http::{HttpClient, Request, Server, lift};
use crate::support::sandbox::{Sandbox, run};
use crate::support::sse::SseClient;
use crate::support::stdio::Client;

/// A new token: its secret and its id.
fn token(sandbox: &Sandbox, arguments: &[&str]) -> (String, String) {
    let made = sandbox.json(&[&["token", "create", "ci", "--json"], arguments].concat());
    let text = |key: &str| made[key].as_str().unwrap().to_owned();
    (text("token"), text("id"))
}

fn ask(
    server: &Server,
    token: Option<&str>,
    method: &str,
    path: &str,
    body: &Value,
) -> (u16, Value) {
    let mut headers = vec![("Content-Type", "application/json".to_owned())];
    headers.extend(token.map(|it| ("Authorization", format!("Bearer {it}"))));
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let request = Request {
        method,
        path,
        headers,
        body,
    };
    let response = server.send(&request);
    let status = response.status;
    (
        status,
        serde_json::from_str(&response.text()).unwrap_or_default(),
    )
}

/// A call of an agent, as its hook tells of it.
fn hook(sandbox: &Sandbox, tool: &str, input: &Value) {
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "one", "cwd": sandbox.project(),
        "tool_name": tool, "tool_input": input,
    });
    let mut command = sandbox.command(&["hook", "claude"]);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(event.to_string().as_bytes()).unwrap();
    drop(input);
    child.wait().unwrap();
}

#[test]
fn a_token_s_mode_is_a_ceiling_on_mcp_and_rest() {
    let sandbox = Sandbox::new();
    let (secret, _) = token(&sandbox, &["--role", "operator", "--mode", "ask"]);
    let server = Server::start(&sandbox, &[]);
    let mut client = HttpClient::start_with(server.address, "/mcp", &secret);
    let made = lift(client.call("create_task", &json!({ "mode_slug": "code" })));
    assert!(made["result"].is_object(), "{made:#}");
    let write = json!({ "file_path": "a.txt", "content": "x" });
    let refused = client.call("write_file", &write);
    assert_eq!(refused["result"]["isError"], true, "{refused:#}");
    let call = json!({ "name": "write_file", "arguments": write });
    let (status, refused) = ask(&server, Some(&secret), "POST", "/tools/call", &call);
    assert_eq!(
        (status, &refused["error_code"]),
        (200, &json!("PERMISSION_DENIED")),
        "{refused:#}"
    );
    // What is capped is the token, and not the server.
    let hint = &refused["details"]["suggestion"];
    let expected = "this token is capped at 'ask': ask the user for one with a wider `--mode`, or for an operator's without one";
    assert_eq!(*hint, expected, "{refused:#}");
    // What a person does on the page is bound by no mode, so it is not for this token.
    let mode = json!({ "mode": "code" });
    let (status, refused) = ask(&server, Some(&secret), "POST", "/api/mode", &mode);
    assert_eq!(status, 403, "{refused:#}");
    let hint = &refused["details"]["suggestion"];
    let expected = "use a token without `--mode`, or open the page with `modekeeper dashboard`";
    assert_eq!(*hint, expected, "{refused:#}");
    // Without the token, the same user may do what an agent may.
    let (_, done) = ask(&server, None, "POST", "/tools/call", &call);
    assert_eq!(done["isError"], false, "{done:#}");
    // A session of one credential is not another's.
    client.token = None;
    let list = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": {} });
    let request = Request {
        method: "POST",
        path: "/mcp",
        headers: client.headers(),
        body: list.to_string(),
    };
    assert_eq!(server.send(&request).status, 404);
}

#[test]
fn a_token_s_mode_widens_nothing() {
    let sandbox = Sandbox::new();
    let (bounded, _) = token(&sandbox, &["--role", "operator", "--mode", "code"]);
    let (narrow, _) = token(&sandbox, &["--role", "operator", "--mode", "ask"]);
    let arguments = ["--switching", "locked", "--default-mode", "architect"];
    let server = Server::start(&sandbox, &arguments);
    for token in [None, Some(&*bounded), Some(&*narrow)] {
        for (file, expected) in [("a.txt", "PERMISSION_DENIED"), ("a.md", "")] {
            let write = json!({ "file_path": file, "content": "x" });
            let call = json!({ "name": "write_file", "arguments": write });
            let (_, answer) = ask(&server, token, "POST", "/tools/call", &call);
            let refused = answer["error_code"].as_str().unwrap_or_default();
            let is_narrow = token == Some(&*narrow);
            let expected = if is_narrow {
                "PERMISSION_DENIED"
            } else {
                expected
            };
            assert_eq!(refused, expected, "{token:?} {answer:#}");
        }
    }
}

#[test]
fn without_a_token_the_tasks_of_tokens_are_neither_changed_nor_a_way_to_more() {
    let sandbox = Sandbox::new();
    sandbox.ok(&["mode", "ask"]);
    let (secret, _) = token(&sandbox, &["--role", "operator"]);
    let server = Server::start(&sandbox, &[]);
    let call = |token: Option<&str>, name: &str, arguments: Value| {
        let body = json!({ "name": name, "arguments": arguments });
        ask(&server, token, "POST", "/tools/call", &body).1
    };
    let text = |made: &Value| {
        made["structuredContent"]["session_id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let mine = text(&call(
        Some(&secret),
        "create_task",
        json!({ "mode_slug": "ask" }),
    ));
    let own = text(&call(None, "create_task", json!({ "mode_slug": "ask" })));
    let mut client = HttpClient::start_with(server.address, "/mcp", &secret);
    let made = lift(client.call("create_task", &json!({ "mode_slug": "ask" })));
    let connected = text(&made["result"]);
    let end = |session: &str| json!({ "session_id": session, "status": "failed" });
    for claimed in [&mine, &connected] {
        let refused = call(None, "complete_task", end(claimed));
        assert_eq!(refused["isError"], true, "{refused:#}");
        assert!(
            refused.to_string().contains("created with a token"),
            "{refused:#}"
        );
    }
    let mut without = HttpClient::start(server.address, "/mcp");
    let mut stdio = Client::start(&sandbox);
    for claimed in [&mine, &connected] {
        for refused in [
            without.call("complete_task", &end(claimed)),
            stdio.call("complete_task", &end(claimed)),
        ] {
            let refused = refused.to_string();
            assert!(refused.contains("created with a token"), "{refused}");
        }
    }
    let done = call(None, "complete_task", end(&own));
    assert_eq!(done["isError"], false, "{done:#}");
    // A person lets the token's task do more; that is not for callers without it.
    sandbox.ok(&["tasks", "switch", &mine, "code"]);
    let write =
        |session: &str| json!({ "file_path": "a.txt", "content": "x", "session_id": session });
    let refused = call(None, "write_file", write(&mine));
    assert_eq!(refused["error_code"], "PERMISSION_DENIED", "{refused:#}");
    let done = call(Some(&secret), "write_file", write(&mine));
    assert_eq!(done["isError"], false, "{done:#}");
}

/// What a call of 2026-07-28 is answered with, which has no session.
fn ask_stateless(server: &Server, token: Option<&str>, tool: &str, arguments: &Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        "io.modelcontextprotocol/clientInfo": { "name": "it", "version": "1" },
    });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", tool),
    ];
    let mut headers = headers
        .map(|(name, value)| (name, value.to_owned()))
        .to_vec();
    headers.extend(token.map(|it| ("Authorization", format!("Bearer {it}"))));
    let request = Request {
        method: "POST",
        path: "/mcp",
        headers,
        body: message.to_string(),
    };
    let text = server.send(&request).text();
    let data = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("data: "));
    serde_json::from_str(data.unwrap_or(&text)).unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn only_an_operator_s_client_is_believed_to_have_asked_a_person() {
    let sandbox = Sandbox::new();
    let settings =
        r#"{ "switching": "ask_to_widen", "default_mode": "ask", "approval_timeout": 1 }"#;
    sandbox.write(sandbox.config_file(), settings);
    let server = Server::start(&sandbox, &[]);
    let (operator, _) = token(&sandbox, &["--role", "operator"]);
    let code = json!({ "mode_slug": "code" });
    let answer = ask_stateless(&server, None, "create_task", &code);
    assert_eq!(answer["result"]["isError"], true, "{answer:#}");
    let answer = ask_stateless(&server, Some(&operator), "create_task", &code);
    assert_eq!(
        answer["result"]["resultType"], "input_required",
        "{answer:#}"
    );
}

/// The same call with a token, by every way that MCP has.
fn ask_by_every_way(server: &Server, token: &str, tool: &str, arguments: &Value) -> [Value; 3] {
    let mut session = HttpClient::start_with(server.address, "/mcp", token);
    let mut stream = SseClient::open_with(server.address, Some(token));
    let hello = json!({
        "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": { "name": "it", "version": "1" },
    });
    stream.request("initialize", &hello);
    stream.notify("notifications/initialized");
    let call = json!({ "name": tool, "arguments": arguments });
    [
        session.call(tool, arguments),
        ask_stateless(server, Some(token), tool, arguments),
        stream.request("tools/call", &call),
    ]
}

#[test]
fn ceilings_and_projects_of_tokens_hold_in_both_eras_and_over_sse() {
    let sandbox = Sandbox::with("a.txt", "x");
    let elsewhere = sandbox.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let server = Server::start(&sandbox, &[]);
    let write = json!({ "file_path": "a.txt", "content": "y" });
    let elsewhere = elsewhere.to_str().unwrap();
    for arguments in [&["--mode", "ask"][..], &["--project", elsewhere]] {
        let (secret, _) = token(&sandbox, &[&["--role", "operator"], arguments].concat());
        for answer in ask_by_every_way(&server, &secret, "write_file", &write) {
            let refused = answer["result"]["isError"] == true || answer["error"].is_object();
            assert!(refused, "{arguments:?}: {answer:#}");
        }
        let file = sandbox.project().join("a.txt");
        assert_eq!(std::fs::read_to_string(file).unwrap(), "x");
    }
    let (secret, _) = token(&sandbox, &["--role", "operator"]);
    for answer in ask_by_every_way(&server, &secret, "write_file", &write) {
        assert_ne!(answer["result"]["isError"], true, "{answer:#}");
        assert!(answer["result"].is_object(), "{answer:#}");
    }
}

#[test]
fn a_token_for_one_project_does_not_reach_another() {
    let sandbox = Sandbox::with("a.txt", "x");
    let elsewhere = sandbox.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let elsewhere = elsewhere.to_str().unwrap();
    let (secret, _) = token(&sandbox, &["--role", "operator", "--project", elsewhere]);
    let server = Server::start(&sandbox, &[]);
    let call = json!({ "name": "read_file", "arguments": { "file_path": "a.txt" } });
    let (_, refused) = ask(&server, Some(&secret), "POST", "/tools/call", &call);
    assert_eq!(refused["error_code"], "PERMISSION_DENIED", "{refused:#}");
    let (here, _) = token(
        &sandbox,
        &[
            "--role",
            "operator",
            "--project",
            sandbox.project().to_str().unwrap(),
        ],
    );
    let (_, read) = ask(&server, Some(&here), "POST", "/tools/call", &call);
    assert_eq!(read["isError"], false, "{read:#}");
}

#[test]
fn a_revoked_token_opens_nothing_and_secrets_are_nowhere_on_disk() {
    let sandbox = Sandbox::new();
    let (secret, id) = token(&sandbox, &["--role", "admin"]);
    let server = Server::start(&sandbox, &[]);
    let (status, _) = ask(&server, Some(&secret), "GET", "/api/acts", &Value::Null);
    assert_eq!(status, 200);
    assert_eq!(
        sandbox.ok(&["token", "revoke", &id]),
        format!("revoked {id}\n")
    );
    let (status, _) = ask(&server, Some(&secret), "GET", "/api/acts", &Value::Null);
    assert_eq!(status, 401);
    assert!(!sandbox.ok(&["token", "list"]).contains(&secret));
    let copy = sandbox.root().join("copy.db");
    sandbox.ok(&["store", "backup", copy.to_str().unwrap()]);
    for file in [
        sandbox.database(),
        sandbox.database().with_extension("db-wal"),
        copy,
    ] {
        let bytes = std::fs::read(&file).unwrap_or_default();
        let found = bytes
            .windows(secret.len())
            .any(|it| it == secret.as_bytes());
        assert!(!found, "{}", file.display());
    }
}

#[test]
fn operators_commands_want_a_person_and_a_server() {
    let sandbox = Sandbox::new();
    for command in [
        &["dashboard"][..],
        &["token", "create", "x"],
        &["token", "list"],
    ] {
        let refused = run(&mut sandbox.command(command));
        assert!(!refused.status.success());
        assert!(refused.stderr.contains("needs a terminal"), "{refused:?}");
    }
    let alone = sandbox.run(&["dashboard", "--no-open"]);
    assert!(alone.stderr.contains("no server is running"), "{alone:?}");
    let server = Server::start(&sandbox, &[]);
    let said = sandbox.ok(&["dashboard", "--no-open"]);
    assert!(
        said.starts_with(&format!("http://{}/#link=mks_", server.address)),
        "{said}"
    );
}

#[test]
fn the_dashboard_finds_the_servers_that_run() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let link = || sandbox.ok(&["dashboard", "--no-open"]);
    let is_at = |server: &Server| link().starts_with(&format!("http://{}/", server.address));
    let first = Server::start(&sandbox, &[]);
    let mut second = Server::start(&sandbox, &[]);
    assert!(is_at(&second), "the last that was started");
    let other = Server::start(&sandbox, &["--project-root", elsewhere.to_str().unwrap()]);
    assert!(is_at(&second), "the last in this project");
    // It cannot take its leave, and the first is found all the same.
    second.child().kill().unwrap();
    second.child().wait().unwrap();
    assert!(is_at(&first));
    drop(first);
    assert!(is_at(&other));
    drop(other);
    // The port of a connection: nothing listens there, and nothing else can.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let config = json!({ "http": { "listen": listen } }).to_string();
    sandbox.write(sandbox.config_file(), config);
    let alone = sandbox.run(&["dashboard", "--no-open"]);
    assert!(alone.stderr.contains("no server is running"), "{alone:?}");
}

#[test]
fn recorded_calls_are_decided_again_under_another_mode() {
    let sandbox = Sandbox::new();
    sandbox.ok(&["mode", "ask"]);
    let file = sandbox.project().join("a.rs");
    hook(&sandbox, "Edit", &json!({ "file_path": file }));
    assert_eq!(
        sandbox.ok(&["replay"]),
        "1 decision, 0 would be different\n"
    );
    let again = sandbox.json(&["replay", "--mode", "code", "--json"]);
    assert_eq!(
        (&again[0]["verdict"], &again[0]["now"]["verdict"]),
        (&json!("deny"), &json!("allow")),
        "{again:#}"
    );
    sandbox.write("other.yaml", "customModes:\n  - slug: ask\n    name: Ask\n    roleDefinition: x\n    groups: [read, edit]\n");
    let said = sandbox.ok(&["replay", "--modes", "other.yaml"]);
    assert!(
        said.contains("deny → allow") && said.ends_with("1 would be different\n"),
        "{said}"
    );
    let whole = sandbox.json(&["store", "check", "--json"]);
    assert_eq!(whole["decisions"]["sealed"], 1, "{whole:#}");
}

/// `log` names what `modekeeper exec` refused as calls of `exec`.
#[test]
fn a_refused_command_is_decided_again_as_a_command() {
    let sandbox = Sandbox::new();
    sandbox.ok(&["mode", "architect"]);
    let refused = sandbox.run(&["exec", "--", "touch", "src/q"]);
    assert!(!refused.status.success(), "{refused:?}");
    let said = sandbox.ok(&["replay"]);
    assert_eq!(said, "1 decision, 0 would be different\n");
    let again = sandbox.json(&["replay", "--mode", "code", "--json"]);
    assert_eq!(again[0]["now"]["verdict"], "allow", "{again:#}");
    let check = sandbox.run(&["check", "architect", "exec", "rm -rf src"]);
    assert!(check.stdout.contains("denied"), "{check:?}");
}

#[test]
fn modes_are_added_at_the_terminal() {
    let sandbox = Sandbox::with("docs/a.md", "x");
    sandbox.write("src/a.rs", "x");
    let said = sandbox.ok(&["modes", "new", "docs", "--edit-only", "\\.md$"]);
    assert!(said.contains("matches 1 of 2 files"), "{said}");
    let said = sandbox.ok(&["modes", "new", "strict-ask", "--extends", "ask"]);
    assert!(said.contains("Changed .roomodes"), "{said}");
    let modes = sandbox.ok(&["modes", "list"]);
    assert!(
        modes.contains("docs") && modes.contains("strict-ask"),
        "{modes}"
    );
    let refused = sandbox.run(&["modes", "new", "x", "--groups", "fly"]);
    assert!(refused.stderr.contains("is not a group"), "{refused:?}");
    let mut command = sandbox.command(&["modes", "edit", "--yes"]);
    command.env("EDITOR", "sed -i s/Docs/Papers/");
    let edited = sandbox.run_command(&mut command);
    assert!(edited.stdout.contains("Changed .roomodes"), "{edited:?}");
    assert!(sandbox.ok(&["modes", "list"]).contains("Papers"));
}

#[test]
fn every_change_at_the_command_line_is_recorded_with_who_and_from_where() {
    let sandbox = Sandbox::new();
    let (secret, _) = token(&sandbox, &["--role", "admin"]);
    sandbox.ok(&["config", "init"]);
    sandbox.ok(&["modes", "new", "docs", "--groups", "read"]);
    sandbox.ok(&["mode", "ask"]);
    sandbox.ok(&["gc"]);
    sandbox.ok(&["install", "claude-code", "--yes"]);
    sandbox.ok(&["uninstall", "--yes"]);
    sandbox.ok(&["playbook", "init"]);
    let server = Server::start(&sandbox, &[]);
    let (_, listed) = ask(&server, Some(&secret), "GET", "/api/acts", &Value::Null);
    let acts = listed["acts"].as_array().unwrap();
    for act in acts {
        let origin = act["origin"].as_str().unwrap();
        assert!(origin.starts_with("/dev/pts/"), "{act:#}");
        assert!(act["who"].as_str().unwrap().starts_with("user "), "{act:#}");
    }
    let mut actions: Vec<&str> = acts.iter().filter_map(|it| it["action"].as_str()).collect();
    actions.sort_unstable();
    let expected = [
        "create token",
        "remove old files",
        "save modes",
        "set mode",
        "set up",
        "take clients out",
        "write playbook",
        "write settings",
    ];
    assert_eq!(actions, expected);
}

/// The status of a request with this token, as a proxy passes it on for a client.
fn status_through_proxy(server: &Server, token: &str, client: &str) -> u16 {
    let request = Request {
        method: "GET",
        path: "/api/acts",
        headers: vec![
            ("Authorization", format!("Bearer {token}")),
            ("X-Forwarded-For", client.to_owned()),
        ],
        ..Request::default()
    };
    server.send(&request).status
}

#[test]
fn behind_a_trusted_proxy_each_client_has_its_own_limits_and_name() {
    let sandbox = Sandbox::new();
    let (secret, _) = token(&sandbox, &["--role", "admin"]);
    let server = Server::start(&sandbox, &["--trust-proxy", "127.0.0.1"]);
    for _ in 0..20 {
        assert_eq!(
            status_through_proxy(&server, "mks_wrong", "203.0.113.7"),
            401
        );
    }
    assert_eq!(status_through_proxy(&server, &secret, "203.0.113.7"), 429);
    assert_eq!(status_through_proxy(&server, &secret, "203.0.113.8"), 200);
    // What the client itself wrote to the left does not help it.
    let forged = "203.0.113.8, 203.0.113.7";
    assert_eq!(status_through_proxy(&server, &secret, forged), 429);
    // Who comes through a proxy is no process of this user.
    let request = Request {
        method: "GET",
        path: "/tools/list",
        headers: vec![("X-Forwarded-For", "203.0.113.8".to_owned())],
        ..Request::default()
    };
    assert_eq!(server.send(&request).status, 401);
    let restart = Request {
        method: "PUT",
        path: "/api/memories/note",
        headers: vec![
            ("Authorization", format!("Bearer {secret}")),
            ("X-Forwarded-For", "203.0.113.8".to_owned()),
            ("Content-Type", "application/json".to_owned()),
        ],
        body: json!({ "content": "x" }).to_string(),
    };
    assert_eq!(server.send(&restart).status, 200);
    let (_, listed) = ask(&server, Some(&secret), "GET", "/api/acts", &Value::Null);
    let origin = &listed["acts"].as_array().unwrap().iter();
    let written = origin.clone().find(|act| act["action"] == "write memory");
    assert_eq!(written.unwrap()["origin"], "203.0.113.8", "{listed:#}");
}

#[test]
fn thousands_of_wrong_tokens_lock_their_address_out_and_nobody_else() {
    let sandbox = Sandbox::new();
    let (secret, _) = token(&sandbox, &["--role", "admin"]);
    let server = Server::start(&sandbox, &[]);
    let mut refused = [0; 2];
    for number in 0..3000 {
        // Without a trusted proxy, the header changes nothing.
        let client = format!("203.0.113.{}", number % 200);
        match status_through_proxy(&server, &format!("mks_wrong{number}"), &client) {
            401 => refused[0] += 1,
            429 => refused[1] += 1,
            other => panic!("{other}"),
        }
    }
    assert_eq!(refused, [20, 2980]);
    assert_eq!(status_through_proxy(&server, &secret, "203.0.113.1"), 429);
    // Agents of this user bring no token: they go on.
    let (status, _) = ask(&server, None, "GET", "/tools/list", &Value::Null);
    assert_eq!(status, 200);
}

#[test]
fn a_collector_gets_traces_and_metrics() {
    let collector = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = collector.local_addr().unwrap();
    let (sender, received) = channel();
    std::thread::spawn(move || {
        for stream in collector.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut path, mut length) = (String::new(), 0);
            stream.read_line(&mut path).unwrap();
            loop {
                let mut line = String::new();
                stream.read_line(&mut line).unwrap();
                match line.trim_end().split_once(": ") {
                    Some(("Content-Length", value)) => length = value.parse().unwrap(),
                    Some(_) => {}
                    None => break,
                }
            }
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            stream
                .get_mut()
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
                .unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap();
            if sender.send((path, body)).is_err() {
                return;
            }
        }
    });
    let sandbox = Sandbox::with("a.txt", "x");
    let mut command = sandbox.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{address}"));
    let server = Server::open(&mut command);
    let call = json!({ "name": "read_file", "arguments": { "file_path": "a.txt" } });
    ask(&server, None, "POST", "/tools/call", &call);
    let (mut traces, mut metrics) = (Value::Null, Value::Null);
    while traces.is_null() || metrics.is_null() {
        let (path, body) = received.recv_timeout(PATIENCE).unwrap();
        match path.split(' ').nth(1) {
            Some("/v1/traces") => traces = body,
            Some("/v1/metrics") => metrics = body,
            other => panic!("{other:?}"),
        }
    }
    let span = &traces["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
    assert_eq!(span["name"], "tools/call read_file", "{traces:#}");
    assert_eq!(span["traceId"].as_str().map(str::len), Some(32));
    let calls = &metrics["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0];
    assert_eq!(calls["sum"]["dataPoints"][0]["asInt"], "1", "{metrics:#}");
}

/// A token of an issuer, well formed and of no use.
const SIGNED: &str = "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.\
     eyJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwic3ViIjoiYW5uIn0.c2lnbmF0dXJlc2lnbmF0dXJl";

/// Shows a credential to the server in the place for it and in others; what it answers. Twenty that are wrong would
/// lock this address out.
fn knock(sandbox: &Sandbox, server: &Server, credential: &str) -> String {
    let call =
        json!({ "name": "write_file", "arguments": { "file_path": "a.txt", "content": "y" } });
    let mut answers = String::new();
    for (method, path, body) in [
        ("POST", "/tools/call", &call),
        ("GET", "/api/acts", &Value::Null),
        ("POST", "/mcp", &json!({ "method": "x" })),
    ] {
        let (_, answer) = ask(server, Some(credential), method, path, body);
        answers += &answer.to_string();
    }
    let path = format!("/api/status?access_token={credential}");
    answers += &ask(server, None, "GET", &path, &Value::Null).1.to_string();
    // An agent's own calls bring them too; what it sent may come back to it, and is recorded without them.
    let line = format!("curl -H 'Authorization: Bearer {credential}' http://localhost/api/acts");
    hook(sandbox, "Bash", &json!({ "command": line }));
    let read = json!({ "name": "read_file", "arguments": { "file_path": credential } });
    ask(server, None, "POST", "/tools/call", &read);
    answers
}

#[test]
fn secrets_are_in_no_log_no_answer_and_no_backup() {
    let sandbox = Sandbox::with("a.txt", "x");
    let log = sandbox.root().join("log");
    let config = json!({ "logging": { "level": "DEBUG", "file": log } });
    sandbox.write(sandbox.config_file(), config.to_string());
    let (secret, _) = token(&sandbox, &["--role", "admin"]);
    let server = Server::start(&sandbox, &["--issuer", "http://127.0.0.1:9"]);
    let link = sandbox.ok(&["dashboard", "--no-open"]);
    let link = link.lines().next().unwrap().rsplit('=').next().unwrap();
    let wrong = "mks_wrongwrongwrongwrong";
    let planted = [secret.as_str(), wrong, link, SIGNED];
    let answers = planted.iter().map(|it| knock(&sandbox, &server, it));
    let mut answers: String = answers.collect();
    for _ in 0..2 {
        let link = json!({ "link": link });
        let (_, opened) = ask(&server, None, "POST", "/api/session", &link);
        answers += &opened.to_string();
    }
    assert!(answers.contains("csrf"), "the link was good: {answers}");
    for path in ["/api/acts", "/api/logs", "/api/decisions?limit=1000"] {
        let (status, shown) = ask(&server, Some(&secret), "GET", path, &Value::Null);
        assert_eq!(status, 200, "{shown:#}");
        answers += &shown.to_string();
    }
    for command in [
        &["log"][..],
        &["log", "--json"],
        &["config", "show"],
        &["token", "list"],
    ] {
        answers += &sandbox.ok(command);
    }
    assert!(answers.contains("[removed]"), "{answers}");
    let copy = sandbox.root().join("copy.db");
    sandbox.ok(&["store", "backup", copy.to_str().unwrap()]);
    let logged = std::fs::read_to_string(&log).unwrap();
    assert!(logged.contains("a wrong token was refused"), "{logged}");
    let mut files = vec![log, copy];
    let state = walk(&sandbox.state());
    assert!(!state.is_empty());
    files.extend(state);
    for kept in planted {
        assert!(!answers.contains(kept), "{kept}: {answers}");
        for file in &files {
            let bytes = std::fs::read(file).unwrap_or_default();
            let found = bytes.windows(kept.len()).any(|it| it == kept.as_bytes());
            assert!(!found, "{kept}: {}", file.display());
        }
    }
}

/// Every file below a directory.
fn walk(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| match entry.path() {
            path if path.is_dir() => walk(&path),
            path => vec![path],
        })
        .collect()
}
