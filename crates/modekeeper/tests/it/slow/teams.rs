//! Several servers on one PostgreSQL: what is changed on one holds on the others at once, and nothing that was
//! acknowledged is lost, whichever process is killed.

mod database;
mod project_mode;
mod tls;

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::dice::Dice;
use crate::support::http::{Request, Server};
use crate::support::sandbox::{Sandbox, bare_command};
use crate::support::{PATIENCE, wait_for};
use database::{Database, Pooler, rows};

const SWITCHES: usize = 1000;

/// A server of the team: the same project, a home of its own.
fn serve(sandbox: &Sandbox, url: &str) -> Server {
    sandbox.write(
        sandbox.config_file(),
        r#"{ "http": { "rate_limits": false } }"#,
    );
    let mut command = sandbox.command(&["serve", "--listen", "127.0.0.1:0"]);
    Server::open(command.env("MODEKEEPER_STORE", url))
}

/// Calls a tool over REST; `None` if there is no whole answer.
fn call(address: SocketAddr, tool: &str, arguments: &Value) -> Option<Value> {
    let body = json!({ "name": tool, "arguments": arguments });
    post(address, "", "/tools/call", &body)
}

/// A request with a token, if there is one; `None` if there is no whole answer.
fn post(address: SocketAddr, token: &str, path: &str, body: &Value) -> Option<Value> {
    let body = body.to_string();
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = body.len();
    let token = match token {
        "" => String::new(),
        token => format!("Authorization: Bearer {token}\r\n"),
    };
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n{token}\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (_, body) = answer.split_once("\r\n\r\n")?;
    serde_json::from_str(body).ok()
}

/// A new token of an operator.
fn operator(sandbox: &Sandbox, database: &Database) -> String {
    let mut command = sandbox.command(&["token", "create", "ann", "--role", "operator", "--json"]);
    let made = sandbox.run_command(command.env("MODEKEEPER_STORE", database.url()));
    let made: Value = serde_json::from_str(&made.stdout).unwrap();
    made["token"].as_str().unwrap().to_owned()
}

fn create(address: SocketAddr) -> Option<String> {
    let answer = call(address, "create_task", &json!({ "mode_slug": "code" }))?;
    Some(answer["metadata"]["session_id"].as_str()?.to_owned())
}

/// Whether the answer acknowledges the switch.
fn switch(address: SocketAddr, session: &str, mode: &str, reason: &str) -> bool {
    let arguments = json!({ "session_id": session, "new_mode_slug": mode, "reason": reason });
    let answer = call(address, "switch_mode", &arguments);
    answer.is_some_and(|answer| answer["isError"] != true && answer["metadata"].is_object())
}

fn allows(address: SocketAddr, session: &str, tool: &str) -> Option<bool> {
    let arguments = json!({ "session_id": session, "tool_name": tool, "file_path": "src/a.rs" });
    let answer = call(address, "validate_tool_use", &arguments)?;
    answer["metadata"]["allowed"].as_bool()
}

#[track_caller]
fn check_switches(url: &str, switches: usize) {
    let sandboxes = [Sandbox::new(), Sandbox::new()];
    let servers = sandboxes.each_ref().map(|sandbox| serve(sandbox, url));
    let [here, there] = [&servers[0], &servers[1]].map(|server| server.address);
    let session = create(here).unwrap();
    for round in 0..switches {
        let mode = ["architect", "code"][round % 2];
        assert!(switch(here, &session, mode, "round"), "{round}");
        let allowed = allows(there, &session, "write_to_file");
        assert_eq!(allowed, Some(mode == "code"), "{round}");
    }
}

#[test]
fn a_switch_on_one_server_binds_the_next_call_on_the_other() {
    check_switches(&Database::start().url(), SWITCHES);
}

#[test]
fn a_transaction_pooler_in_between_changes_nothing() {
    let database = Database::start();
    let pooler = Pooler::start(&database);
    check_switches(&pooler.url(), SWITCHES / 4);
    // A connection of the pool that listens would be told what no client of it waits for.
    assert!(
        !pooler.log().contains("when not linked"),
        "{}",
        pooler.log()
    );
}

#[test]
fn the_record_of_decisions_is_verified_where_it_is() {
    let database = Database::start();
    let sandbox = Sandbox::new();
    let server = serve(&sandbox, &database.url());
    let session = create(server.address).unwrap();
    let recorded = || {
        let file = json!({ "session_id": session, "file_path": "a.txt", "content": "a" });
        call(server.address, "write_file", &file);
        (database.rows("SELECT count(*) > 3 FROM decision") == ["t"]).then_some(())
    };
    wait_for("decisions", recorded);
    let check = || {
        let mut command = sandbox.command(&["store", "check", "--json"]);
        let ran = sandbox.run_command(command.env("MODEKEEPER_STORE", database.url()));
        let found: Value = serde_json::from_str(&ran.stdout).unwrap();
        (ran.status.success(), found["decisions"].clone())
    };
    let (is_whole, decisions) = check();
    assert!(is_whole, "{decisions}");
    assert!(decisions["sealed"].as_u64() > Some(3), "{decisions}");
    database
        .rows("UPDATE decision SET reason = 'none' WHERE key = (SELECT min(key) FROM decision)");
    let (is_whole, decisions) = check();
    assert!(!is_whole, "{decisions}");
    assert!(decisions["broken"].is_string(), "{decisions}");
}

#[test]
fn a_database_that_does_not_answer_is_waited_for_once() {
    let database = Database::start();
    let sandbox = Sandbox::new();
    database.signal(Signal::STOP);
    for arguments in [&["mode", "ask"][..], &["mode"], &["tasks", "list"]] {
        let mut command = sandbox.command(arguments);
        let ran = sandbox.run_command(command.env("MODEKEEPER_STORE", database.url()));
        assert!(!ran.status.success(), "{ran:?}");
        let reasons = ran.stderr.matches("no answer within 3 s").count();
        assert_eq!(reasons, 1, "{ran:?}");
    }
    database.signal(Signal::CONT);
    let mut command = sandbox.command(&["mode", "ask"]);
    let ran = sandbox.run_command(command.env("MODEKEEPER_STORE", database.url()));
    assert!(ran.status.success(), "{ran:?}");
}

/// A request of a person with a token.
fn ask(address: SocketAddr, token: &str, path: &str, body: Option<Value>) -> Value {
    let request = Request {
        method: if body.is_some() { "POST" } else { "GET" },
        path,
        headers: vec![
            ("Authorization", format!("Bearer {token}")),
            ("Content-Type", "application/json".to_owned()),
        ],
        body: body.map_or_else(String::new, |body| body.to_string()),
    };
    let response = request.send(address);
    assert_eq!(response.status, 200, "{path}");
    serde_json::from_str(&response.text()).unwrap()
}

#[test]
fn an_approval_on_one_server_lets_the_call_that_waits_on_the_other_go_on_once() {
    let database = Database::start();
    let sandboxes = [Sandbox::new(), Sandbox::new()];
    let servers = sandboxes.each_ref().map(|sandbox| {
        let settings = r#"{ "http": { "rate_limits": false }, "switching": "ask_to_widen" }"#;
        sandbox.write(sandbox.config_file(), settings);
        let mut command = sandbox.command(&["serve", "--listen", "127.0.0.1:0"]);
        Server::open(command.env("MODEKEEPER_STORE", database.url()))
    });
    let [here, there] = [&servers[0], &servers[1]].map(|server| server.address);
    let token = &operator(&sandboxes[0], &database);
    let pending = || {
        let list = ask(here, token, "/api/approvals", None);
        Some(
            list["approvals"].as_array()?.first()?["id"]
                .as_str()?
                .to_owned(),
        )
    };
    let session = call(there, "create_task", &json!({ "mode_slug": "ask" })).unwrap();
    let session = session["metadata"]["session_id"].as_str().unwrap();
    let mut before = String::new();
    // Each call asks again: what was approved once is used up.
    for (verdict, is_granted) in [("approve", true), ("deny", false), ("approve", true)] {
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| switch(there, session, "code", "widen"));
            let id = wait_for("a request", pending);
            assert_ne!(id, before);
            let path = format!("/api/approvals/{id}");
            ask(here, token, &path, Some(json!({ "verdict": verdict })));
            assert_eq!(waiting.join().unwrap(), is_granted, "{verdict}");
            before = id;
        });
        assert_eq!(allows(here, session, "write_to_file"), Some(is_granted));
        assert_eq!(pending(), None);
        assert!(!is_granted || switch(here, session, "ask", "narrow"));
    }
}

/// When a server last looked at the log of changes.
fn last_look(database: &Database) -> Vec<String> {
    database
        .rows("SELECT max(query_start) FROM pg_stat_activity WHERE query LIKE 'SELECT (extract%'")
}

#[test]
fn connections_that_the_database_ends_are_made_again_and_nothing_is_refused() {
    let database = Database::start();
    let sandbox = Sandbox::new();
    let server = serve(&sandbox, &database.url());
    let session = create(server.address).unwrap();
    for round in 0..5 {
        let end = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
                   WHERE application_name = 'modekeeper'";
        assert!(database.rows(end).iter().all(|ended| ended == "t"));
        let mut looks = BTreeSet::from([last_look(&database)]);
        while looks.len() < 4 {
            assert!(create(server.address).is_some(), "{round}");
            let allowed = allows(server.address, &session, "write_to_file");
            assert_eq!(allowed, Some(true), "{round}");
            looks.insert(last_look(&database));
        }
    }
}

#[test]
fn without_its_database_a_server_allows_reading_only_and_recovers() {
    let mut database = Database::start();
    let sandbox = Sandbox::new();
    let server = serve(&sandbox, &database.url());
    let session = create(server.address).unwrap();
    let allows = |tool: &str| allows(server.address, &session, tool);
    assert_eq!(allows("read_file"), Some(true));
    assert_eq!(allows("write_to_file"), Some(true));
    // Two whole looks at the log later, nothing that has changed is asked again any more.
    for _ in 0..2 {
        let before = last_look(&database);
        wait_for("a look at the log", || {
            (last_look(&database) != before).then_some(())
        });
    }
    database.kill();
    assert_eq!(allows("write_to_file"), Some(false));
    assert_eq!(allows("read_file"), Some(true));
    assert!(!switch(server.address, &session, "architect", "lost"));
    database.restart();
    wait_for("the server to recover", || {
        (allows("write_to_file") == Some(true)).then_some(())
    });
    assert!(switch(server.address, &session, "architect", "found"));
    assert_eq!(allows("write_to_file"), Some(false));
}

fn readiness(address: SocketAddr) -> u16 {
    let request = Request {
        method: "GET",
        path: "/readyz",
        headers: Vec::new(),
        body: String::new(),
    };
    request.send(address).status
}

#[test]
fn a_database_that_can_only_be_read_is_not_ready_and_allows_reading_only() {
    let database = Database::start();
    let sandboxes = [Sandbox::new(), Sandbox::new()];
    let before = serve(&sandboxes[0], &database.url());
    let session = create(before.address).unwrap();
    assert_eq!(readiness(before.address), 200);
    database.rows("ALTER SYSTEM SET default_transaction_read_only = on");
    database.rows("SELECT pg_reload_conf()");
    wait_for("a server that is not ready", || {
        (readiness(before.address) == 503).then_some(())
    });
    // One that starts now has never known a database that could be written.
    let after = serve(&sandboxes[1], &database.url());
    let servers = [before.address, after.address];
    for server in servers {
        assert_eq!(readiness(server), 503);
        assert_eq!(allows(server, &session, "read_file"), Some(true));
        assert_eq!(allows(server, &session, "write_to_file"), Some(false));
        assert!(!switch(server, &session, "architect", "read only"));
        assert_eq!(readiness(server), 503);
    }
    let writable = "options=-c%20default_transaction_read_only%3Doff";
    let writable = format!("{}&{writable}", database.url());
    for statement in [
        "ALTER SYSTEM RESET default_transaction_read_only",
        "SELECT pg_reload_conf()",
    ] {
        rows(&writable, statement).unwrap();
    }
    for server in servers {
        wait_for("a server that is ready", || {
            (readiness(server) == 200).then_some(())
        });
        assert_eq!(allows(server, &session, "write_to_file"), Some(true));
    }
    assert!(switch(servers[0], &session, "architect", "written"));
    assert_eq!(allows(servers[1], &session, "write_to_file"), Some(false));
}

#[test]
fn a_role_that_may_not_write_is_not_ready_and_allows_reading_only() {
    let database = Database::start();
    let sandboxes = [Sandbox::new(), Sandbox::new()];
    let before = serve(&sandboxes[0], &database.url());
    let session = create(before.address).unwrap();
    for statement in [
        "CREATE ROLE reader LOGIN",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
    ] {
        database.rows(statement);
    }
    let reader = database.url().replace("modekeeper@", "reader@");
    let server = serve(&sandboxes[1], &reader);
    assert_eq!(readiness(server.address), 503);
    assert_eq!(allows(server.address, &session, "read_file"), Some(true));
    assert_eq!(
        allows(server.address, &session, "write_to_file"),
        Some(false)
    );
    assert_eq!(readiness(before.address), 200);
}

/// The binary with a clock of its own. `faketime` would start it as a child, which a signal to `faketime` leaves behind.
fn three_hours_ahead(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let library = bare_command("faketime", &sandbox.project())
        .args(["-f", "+3h", "printenv", "LD_PRELOAD"])
        .output()
        .unwrap();
    let library = String::from_utf8(library.stdout).unwrap();
    assert!(library.contains("faketime"), "{library}");
    let mut command = sandbox.command(arguments);
    command
        .env("LD_PRELOAD", library.trim_end())
        .env("FAKETIME", "+3h")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    command
}

#[test]
fn a_server_with_a_wrong_clock_lets_nothing_expire() {
    let database = Database::start();
    let sandboxes = [Sandbox::new(), Sandbox::new()];
    let right = serve(&sandboxes[0], &database.url());
    let session = create(right.address).unwrap();
    // A sweep every second, three hours ahead: far beyond the time after which tasks expire.
    let [_, sandbox] = &sandboxes;
    let settings = r#"{ "http": { "rate_limits": false }, "sessions": { "cleanup_interval": 1 } }"#;
    sandbox.write(sandbox.config_file(), settings);
    let mut command = three_hours_ahead(sandbox, &["serve", "--listen", "127.0.0.1:0"]);
    let wrong = Server::open(command.env("MODEKEEPER_STORE", database.url()));
    let later = create(wrong.address).unwrap();
    let created = [
        "token",
        "create",
        "ann",
        "--role",
        "viewer",
        "--expires",
        "1h",
    ];
    let mut command = three_hours_ahead(sandbox, &created);
    let made = sandbox.run_command(command.env("MODEKEEPER_STORE", database.url()));
    assert!(made.status.success(), "{made:?}");
    let life = "SELECT expires_at - extract(epoch FROM now()) * 1000 BETWEEN 3000000 AND 3600000 FROM credential";
    assert_eq!(database.rows(life), ["t"]);
    let changes = || database.rows("SELECT count(*) FROM change")[0].parse::<u32>();
    let before = changes().unwrap();
    wait_for("sweeps", || (changes().unwrap() > before + 4).then_some(()));
    for address in [right.address, wrong.address] {
        for session in [&session, &later] {
            assert_eq!(allows(address, session, "read_file"), Some(true));
        }
    }
    let expired = database.rows("SELECT id FROM session WHERE expired_at IS NOT NULL");
    assert_eq!(expired, Vec::<String>::new());
    let apart = "SELECT max(created_at) - min(created_at) < 600000 FROM session";
    assert_eq!(database.rows(apart), ["t"]);
}

/// Numbers of the log that came after a higher one was there, until it is over.
fn late_numbers(url: &str, over: &AtomicBool) -> Vec<i64> {
    let mut seen: BTreeSet<i64> = BTreeSet::new();
    let mut late = Vec::new();
    while !over.load(Ordering::Relaxed) {
        let Some(rows) = rows(url, "SELECT seq FROM change") else {
            continue;
        };
        let last = seen.last().copied().unwrap_or(0);
        for number in rows.iter().filter_map(|row| row.parse().ok()) {
            if seen.insert(number) && number < last {
                late.push(number);
            }
        }
    }
    assert!(!seen.is_empty());
    late
}

/// What the team has acknowledged, by session and reason.
type Acknowledged = Mutex<BTreeSet<(String, String)>>;

/// Creates and switches on servers that come and go, until it is over.
fn work(addresses: &Mutex<[SocketAddr; 2]>, over: &AtomicBool, known: &Acknowledged, seed: u64) {
    let mut dice = Dice::new(seed);
    let mut own: Vec<String> = Vec::new();
    let mut serial = 0;
    while !over.load(Ordering::Relaxed) {
        let address = addresses.lock().unwrap()[dice.below(2)];
        if own.is_empty() || dice.once_in(4) {
            own.extend(create(address));
            continue;
        }
        let session = dice.pick(&own).clone();
        let mode = *dice.pick(&["code", "architect", "ask", "debug"]);
        serial += 1;
        let reason = format!("{seed}-{serial}");
        if switch(address, &session, mode, &reason) {
            known.lock().unwrap().insert((session, reason));
        }
    }
}

#[test]
fn nothing_acknowledged_is_lost_when_servers_and_database_are_killed() {
    let mut database = Database::start();
    let sandboxes = [Sandbox::new(), Sandbox::new()];
    let url = database.url();
    let mut servers = sandboxes.each_ref().map(|sandbox| serve(sandbox, &url));
    let addresses = Mutex::new([servers[0].address, servers[1].address]);
    let (over, known) = (AtomicBool::new(false), Acknowledged::default());
    std::thread::scope(|scope| {
        for seed in 1..=4 {
            let (addresses, over, known) = (&addresses, &over, &known);
            scope.spawn(move || work(addresses, over, known, seed));
        }
        let late = scope.spawn(|| late_numbers(&url, &over));
        let more = |count: usize| {
            let before = known.lock().unwrap().len();
            wait_for("work to go on", || {
                (known.lock().unwrap().len() >= before + count).then_some(())
            });
        };
        let mut dice = Dice::new(20_261_117);
        for round in 0..9 {
            more(20 + dice.below(20));
            match round % 3 {
                2 => {
                    database.kill();
                    database.restart();
                }
                index => {
                    servers[index].child().kill().unwrap();
                    servers[index].child().wait().unwrap();
                    servers[index] = serve(&sandboxes[index], &url);
                    addresses.lock().unwrap()[index] = servers[index].address;
                }
            }
        }
        more(40);
        over.store(true, Ordering::Relaxed);
        // Who reads the log up to a number has missed nothing below it.
        assert_eq!(late.join().unwrap(), Vec::<i64>::new());
    });
    let query = "SELECT s.id, c.reason FROM session s JOIN mode_change c ON c.session = s.key
                 WHERE c.reason IS NOT NULL";
    let stored: BTreeSet<String> = database.rows(query).into_iter().collect();
    for (session, reason) in known.lock().unwrap().iter() {
        assert!(
            stored.contains(&format!("{session}|{reason}")),
            "{reason} is lost"
        );
    }
    // Each session is in the mode of its last change: nothing was done by halves.
    let halves = database.rows(
        "SELECT s.id FROM session s JOIN LATERAL (
             SELECT to_mode FROM mode_change c WHERE c.session = s.key ORDER BY key DESC LIMIT 1
         ) last ON true WHERE last.to_mode <> s.mode",
    );
    assert_eq!(halves, Vec::<String>::new());
}

#[test]
fn the_password_is_shown_nowhere() {
    let sandbox = Sandbox::new();
    let url = "postgres://ann:s3cret@localhost:1/nothing";
    let mut command = sandbox.command(&["config", "show", "--json"]);
    let shown = sandbox.run_command(command.env("MODEKEEPER_STORE", url));
    assert!(
        shown.stdout.contains("postgres://localhost:1/nothing"),
        "{shown:?}"
    );
    let mut command = sandbox.command(&["tasks", "list"]);
    let refused = sandbox.run_command(command.env("MODEKEEPER_STORE", url));
    assert!(!refused.status.success(), "{refused:?}");
    let mut command = sandbox.command(&["tasks", "list"]);
    let wrong = "postgres://ann:s3cret@:x:/?sslmode=never";
    let malformed = sandbox.run_command(command.env("MODEKEEPER_STORE", wrong));
    assert!(!malformed.status.success(), "{malformed:?}");
    for ran in [shown, refused, malformed] {
        assert!(!format!("{ran:?}").contains("s3cret"), "{ran:?}");
    }
}
