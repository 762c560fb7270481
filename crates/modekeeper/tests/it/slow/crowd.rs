//! A crowd at the door: ten thousand idle streams, and others who are answered all the same.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;

use crate::support::PATIENCE;
use crate::support::http::{HttpClient, Request, Server};
use crate::support::sandbox::Sandbox;

const CROWD: usize = 10_000;

/// Opens a stream and leaves it open; what the server said first.
fn knock(address: SocketAddr, path: &str, token: &str) -> (TcpStream, u16) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nAccept: text/event-stream\r\n\r\n"
    )
    .unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).unwrap();
    let status = std::str::from_utf8(&first[9..]).unwrap();
    (stream, status.parse().unwrap())
}

#[test]
fn ten_thousand_idle_streams_leave_room_for_others() {
    let limit = getrlimit(Resource::Nofile);
    let most = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, most).unwrap();
    let sandbox = Sandbox::new();
    let made = sandbox.json(&["token", "create", "crowd", "--json"]);
    let token = made["token"].as_str().unwrap();
    let server = Server::start(&sandbox, &[]);
    let mut open = Vec::new();
    let mut counts = [0; 2];
    for path in ["/api/events", "/sse"] {
        for _ in 0..CROWD / 2 {
            let (stream, status) = knock(server.address, path, token);
            match status {
                200 => counts[0] += 1,
                503 => counts[1] += 1,
                other => panic!("{path}: {other}"),
            }
            open.push(stream);
        }
    }
    assert_eq!(counts[0] + counts[1], CROWD);
    assert_eq!(counts[0], 2048, "as many streams as there may be");
    // Others are answered while all of them are open.
    let health = Request {
        method: "GET",
        path: "/healthz",
        ..Request::default()
    };
    assert_eq!(server.send(&health).status, 200);
    let mut client = HttpClient::start(server.address, "/mcp");
    let modes = client.call("list_modes", &json!({}));
    assert!(modes["result"]["content"].is_array(), "{modes:#}");
    // Who leaves makes room.
    drop(open);
    crate::support::wait_within(PATIENCE, "room for a stream", || {
        let (_stream, status) = knock(server.address, "/sse", token);
        (status == 200).then_some(())
    });
}
