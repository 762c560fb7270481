//! Conversations over HTTP: Streamable HTTP, its endpoints per mode, and the older SSE transport.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::http::{HttpClient, Request, Server, lift};
use crate::support::sandbox::Sandbox;
use crate::support::sse::SseClient;
use crate::support::stdio::Client;
use crate::support::workflow;

#[test]
fn the_contracts_workflow_over_streamable_http() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let mut client = HttpClient::new(server.address, "/mcp");
    let ask = |method: &str, params: &Value| {
        let answer = client.request(method, params);
        if method == "initialize" {
            client.notify("notifications/initialized");
        }
        lift(answer)
    };
    let spoken = workflow::speak(ask, &mut sandbox.rename());
    workflow::check(&spoken);
}

#[test]
fn the_contracts_workflow_over_sse() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let mut client = SseClient::open(server.address);
    let ask = |method: &str, params: &Value| {
        let answer = client.request(method, params);
        if method == "initialize" {
            client.notify("notifications/initialized");
        }
        answer
    };
    let spoken = workflow::speak(ask, &mut sandbox.rename());
    workflow::check(&spoken);
}

#[test]
fn sse_refuses_what_is_no_message_and_what_has_no_stream() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let client = SseClient::open(server.address);
    let refused = client.post("no json");
    assert_eq!(refused.status, 400);
    let refusal: Value = serde_json::from_str(&refused.text()).unwrap();
    assert_eq!(refusal["error"]["code"], -32700);
    let lost = Request {
        method: "POST",
        path: "/messages?sessionId=nobody",
        ..Request::default()
    };
    assert_eq!(server.send(&lost).status, 404);
}

#[test]
fn threads_are_bounded_by_cores() {
    let sandbox = Sandbox::new();
    for number in 0..200 {
        sandbox.write(
            format!("d{}/f{number}.txt", number % 20),
            "needle\n".repeat(500),
        );
    }
    let mut server = Server::start(&sandbox, &[]);
    let status = format!("/proc/{}/status", server.child().id());
    let n_threads = || {
        let status = std::fs::read_to_string(&status).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("Threads:"));
        line.unwrap().trim().parse::<usize>().unwrap()
    };
    let address = server.address;
    let search = json!({ "pattern": "needle", "max_results": 5 });
    let most = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..120)
            .map(|_| {
                scope.spawn(|| {
                    HttpClient::start(address, "/mcp").call("search_for_pattern", &search)
                })
            })
            .collect();
        let mut most = 0;
        while !clients
            .iter()
            .all(std::thread::ScopedJoinHandle::is_finished)
        {
            most = most.max(n_threads());
            std::thread::yield_now();
        }
        most
    });
    let n_cores = std::thread::available_parallelism().unwrap().get();
    // Eight calls for each core, each with a thread for each core, and what the server has anyway.
    let allowed = 8 * n_cores * (1 + n_cores.min(12)) + 4 * n_cores + 32;
    eprintln!("{most} threads of {allowed}");
    assert!(most <= allowed, "{most} threads on {n_cores} cores");
}

#[test]
fn the_mode_of_an_endpoint_is_an_upper_bound() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let mut bound = HttpClient::start(server.address, "/mcp/ask");
    let mut free = HttpClient::start(server.address, "/mcp");
    let created = bound.call("create_task", &json!({ "mode_slug": "code" }));
    let session = &lift(created)["result"]["metadata"]["session_id"].clone();
    let check = |session: &Value| {
        let tool = "write_to_file";
        json!({ "session_id": session, "tool_name": tool, "file_path": "src/a.rs" })
    };
    // One task, two ways in: the endpoint decides how far it goes.
    let on_ask = lift(bound.call("validate_tool_use", &check(session)));
    assert_eq!(on_ask["result"]["metadata"]["allowed"], false, "{on_ask:#}");
    let on_free = lift(free.call("validate_tool_use", &check(session)));
    assert_eq!(
        on_free["result"]["metadata"]["allowed"], true,
        "{on_free:#}"
    );

    let missing = Request {
        method: "POST",
        path: "/mcp/no-such-mode",
        headers: free.headers(),
        body: "{}".to_owned(),
    };
    assert_eq!(server.send(&missing).status, 404);
}

#[test]
fn strangers_are_refused_by_host_and_origin() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &["--allow-host", "keeper.example"]);
    for path in ["/mcp", "/sse"] {
        let status = |name, value: &str| {
            let request = Request {
                method: "GET",
                path,
                headers: vec![(name, value.to_owned())],
                ..Request::default()
            };
            server.send(&request).status
        };
        assert_eq!(status("Host", "evil.example"), 403, "{path}");
        assert_eq!(status("Origin", "https://evil.example"), 403, "{path}");
        assert_ne!(status("Host", "keeper.example"), 403, "{path}");
        // Another port of this machine is another program's page.
        assert_eq!(status("Origin", "http://localhost:3000"), 403, "{path}");
    }
}

#[test]
fn a_session_of_another_server_is_not_found() {
    let sandbox = Sandbox::new();
    let (one, other) = (Server::start(&sandbox, &[]), Server::start(&sandbox, &[]));
    let client = HttpClient::start(one.address, "/mcp");
    let request = Request {
        method: "POST",
        path: "/mcp",
        headers: client.headers(),
        body: json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string(),
    };
    assert_eq!(other.send(&request).status, 404);
}

#[test]
fn three_servers_share_one_database() {
    let sandbox = Sandbox::new();
    let servers = [Server::start(&sandbox, &[]), Server::start(&sandbox, &[])];
    let clients = servers
        .each_ref()
        .map(|server| HttpClient::start(server.address, "/mcp"));
    let mut stdio = Client::start(&sandbox);
    let created: Vec<String> = std::thread::scope(|scope| {
        let create = |mut client: HttpClient| {
            move || -> Vec<String> {
                let create = |_| {
                    let answer = lift(client.call("create_task", &json!({ "mode_slug": "ask" })));
                    let id = answer["result"]["metadata"]["session_id"].as_str();
                    id.unwrap_or_else(|| panic!("{answer:#}")).to_owned()
                };
                (0..20).map(create).collect()
            }
        };
        let threads = clients.map(|client| scope.spawn(create(client)));
        let mut all: Vec<String> = (0..20).map(|_| stdio.create("ask")).collect();
        for thread in threads {
            all.extend(thread.join().unwrap());
        }
        all
    });
    // No matter who created it, each sees and may change it, and the others see that at once.
    let mut first = HttpClient::start(servers[0].address, "/mcp");
    for session in &created {
        let switch = json!({ "session_id": session, "new_mode_slug": "debug" });
        let answer = stdio.call("switch_mode", &switch);
        assert_eq!(
            answer["result"]["metadata"]["new_mode"], "debug",
            "{answer:#}"
        );
        let info = first.call("get_task_info", &json!({ "session_id": session }));
        assert_eq!(
            info["result"]["structuredContent"]["mode_slug"], "debug",
            "{info:#}"
        );
    }
    let tasks = sandbox.json(&["tasks", "list", "--json", "--limit", "100"]);
    assert_eq!(tasks.as_array().unwrap().len(), 60);
}

#[test]
fn it_ends_on_signals_with_streams_open() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let sandbox = Sandbox::new();
        let mut server = Server::start(&sandbox, &[]);
        let mut client = HttpClient::start(server.address, "/mcp");
        let _listening = client.listen();
        let _sse = SseClient::open(server.address);
        let created = lift(client.call("create_task", &json!({ "mode_slug": "code" })));
        let session = created["result"]["metadata"]["session_id"]
            .as_str()
            .unwrap();
        kill_process(Pid::from_child(server.child()), signal).unwrap();
        let time = server.wait();
        eprintln!("{signal:?}: ended after {time:?}");
        assert!(time.as_millis() < 1000, "{signal:?}: {time:?}");
        sandbox.ok(&["tasks", "show", session]);
    }
}

#[test]
fn an_address_that_cannot_be_used_is_an_error() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let taken = server.address.to_string();
    let ran = sandbox.run(&["serve", "--listen", &taken]);
    assert!(!ran.status.success());
    assert!(ran.stderr.contains(&taken), "{}", ran.stderr);
    let ran = sandbox.run(&["serve", "--listen", "nowhere"]);
    assert!(!ran.status.success());
    assert!(ran.stderr.contains("127.0.0.1:7337"), "{}", ran.stderr);
}
