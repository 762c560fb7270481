//! Whom the server talks to: this machine by its own names, pages of its own, and who was let in by name.

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use axum::routing::any;

use super::send;
use crate::peer::{Peer, PeerUser};
use crate::{AllowedHosts, guarded};

/// A request as a browser or a script sends it.
#[derive(Clone, Copy)]
struct Sent<'a> {
    host: &'a str,
    headers: &'a [(&'a str, &'a str)],
}

const LOCAL: &str = "127.0.0.1:7337";

async fn status(
    access: &AllowedHosts,
    sent: Sent<'_>,
    method: Method,
    peer: Option<Peer>,
) -> StatusCode {
    let routes = Router::new().route("/mcp", any(|| async { "taken" }));
    let mut request = Request::builder()
        .method(method)
        .uri("/mcp")
        .header("host", sent.host);
    for (name, value) in sent.headers {
        request = request.header(*name, *value);
    }
    let mut request = request.body(Body::empty()).expect("a request");
    if let Some(peer) = peer {
        request.extensions_mut().insert(peer);
    }
    send(&guarded(routes, access.clone()), request).await.status
}

/// The same for every method.
async fn check(access: &AllowedHosts, sent: Sent<'_>, expected: StatusCode) {
    for method in [Method::GET, Method::POST, Method::DELETE] {
        let status = status(access, sent, method.clone(), None).await;
        let shown = format!("{method} of {:?} with {:?}", sent.host, sent.headers);
        assert_eq!(status, expected, "{shown}");
    }
}

#[tokio::test]
async fn this_machine_is_reached_by_its_own_names() {
    let access = AllowedHosts::default();
    for host in [
        "localhost",
        "LocalHost:7337",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.1.2.3",
        "[::1]",
        "[::1]:7337",
    ] {
        check(&access, Sent { host, headers: &[] }, StatusCode::OK).await;
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "[::2]:80",
        "[::1",
        "::1",
        "::1:80",
        "[::1]evil.example",
        "[::1]:80:80",
        "[localhost]",
        "[::ffff:127.0.0.1]",
        "localhost:evil.example",
        "localhost:",
        "localhost:+80",
        "localhost:65536",
        "localhost:80:80",
        "localhost:80@evil.example",
        "evil.example@localhost",
        "localhost evil.example",
        "localhost,evil.example",
        "localhost/evil.example",
        "localhost.",
        "127.1",
        "2130706433",
        "0.0.0.0",
        "",
    ] {
        check(&access, Sent { host, headers: &[] }, StatusCode::FORBIDDEN).await;
    }
    let twice = [("host", "localhost")];
    let sent = Sent {
        host: LOCAL,
        headers: &twice,
    };
    check(&access, sent, StatusCode::FORBIDDEN).await;
}

#[tokio::test]
async fn a_host_in_the_request_line_counts_as_well() {
    let routes = Router::new().route("/mcp", any(|| async { "taken" }));
    let routes = guarded(routes, AllowedHosts::default());
    for (uri, host, expected) in [
        ("http://localhost/mcp", None, StatusCode::OK),
        ("http://localhost/mcp", Some(LOCAL), StatusCode::OK),
        (
            "http://evil.example/mcp",
            Some(LOCAL),
            StatusCode::FORBIDDEN,
        ),
        (
            "http://localhost/mcp",
            Some("evil.example"),
            StatusCode::FORBIDDEN,
        ),
        ("http://a@localhost/mcp", None, StatusCode::FORBIDDEN),
        ("/mcp", None, StatusCode::FORBIDDEN),
    ] {
        let mut request = Request::builder().uri(uri);
        if let Some(host) = host {
            request = request.header("host", host);
        }
        let request = request.body(Body::empty()).expect("a request");
        let status = send(&routes, request).await.status;
        assert_eq!(status, expected, "{uri} of {host:?}");
    }
}

#[tokio::test]
async fn own_pages_may_and_those_of_other_ports_and_sites_may_not() {
    let access = AllowedHosts::default();
    let from = |origin| [("origin", origin)];
    for own in ["http://127.0.0.1:7337", "https://127.0.0.1:7337"] {
        let sent = Sent {
            host: LOCAL,
            headers: &from(own),
        };
        check(&access, sent, StatusCode::OK).await;
    }
    for origin in [
        "http://127.0.0.1:3000",
        "http://localhost:7337",
        "http://localhost",
        "null",
        "http://evil.example",
        "https://localhost.evil.example",
        "file://",
        "chrome-extension://x",
        "localhost",
        "",
        "http://evil.example#http://127.0.0.1:7337",
    ] {
        let sent = Sent {
            host: LOCAL,
            headers: &from(origin),
        };
        check(&access, sent, StatusCode::FORBIDDEN).await;
    }
}

#[tokio::test]
async fn a_browser_that_says_the_page_is_another_sites_is_believed() {
    let access = AllowedHosts {
        origins: vec!["https://page.example".to_owned()],
        ..AllowedHosts::default()
    };
    for (site, expected) in [
        ("none", StatusCode::OK),
        ("same-origin", StatusCode::OK),
        ("same-site", StatusCode::FORBIDDEN),
        ("cross-site", StatusCode::FORBIDDEN),
        ("nonsense", StatusCode::FORBIDDEN),
    ] {
        let headers = [("sec-fetch-site", site)];
        let sent = Sent {
            host: LOCAL,
            headers: &headers,
        };
        check(&access, sent, expected).await;
    }
    let headers = [
        ("sec-fetch-site", "cross-site"),
        ("origin", "https://page.example"),
    ];
    let sent = Sent {
        host: LOCAL,
        headers: &headers,
    };
    check(&access, sent, StatusCode::OK).await;
}

#[tokio::test]
async fn who_was_let_in_by_name_may() {
    let access = AllowedHosts {
        hosts: vec!["modes.example".to_owned(), "ported.example:81".to_owned()],
        origins: vec!["https://page.example".to_owned(), "null".to_owned()],
        ..AllowedHosts::default()
    };
    let page = [("origin", "https://page.example")];
    for (host, headers, expected) in [
        ("modes.example", [].as_slice(), StatusCode::OK),
        ("modes.example:444", &page, StatusCode::OK),
        ("Modes.Example", &[], StatusCode::OK),
        ("modes.example:x", &[], StatusCode::FORBIDDEN),
        ("modes.example.", &[], StatusCode::FORBIDDEN),
        ("ported.example:81", &[("origin", "null")], StatusCode::OK),
        ("ported.example", &[], StatusCode::FORBIDDEN),
        ("ported.example:82", &[], StatusCode::FORBIDDEN),
        (
            "modes.example",
            &[("origin", "https://page.example:1")],
            StatusCode::FORBIDDEN,
        ),
    ] {
        check(&access, Sent { host, headers }, expected).await;
    }
}

#[tokio::test]
async fn a_process_of_another_user_is_refused() {
    let sent = Sent {
        host: LOCAL,
        headers: &[],
    };
    for (user, expected) in [
        (PeerUser::Same, StatusCode::OK),
        (PeerUser::Remote, StatusCode::OK),
        (PeerUser::Other, StatusCode::FORBIDDEN),
    ] {
        let peer = Peer {
            address: [127, 0, 0, 1].into(),
            user,
            socket: None,
        };
        let access = AllowedHosts::default();
        let status = status(&access, sent, Method::GET, Some(peer)).await;
        assert_eq!(status, expected, "{user:?}");
    }
}

#[tokio::test]
async fn a_body_must_say_that_it_is_json() {
    let length = ("content-length", "2");
    let kind = |kind| [length, ("content-type", kind)];
    let unsupported = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    for (headers, expected) in [
        (kind("application/json").as_slice(), StatusCode::OK),
        (&kind("Application/JSON; charset=utf-8"), StatusCode::OK),
        (&kind("text/plain"), unsupported),
        (&kind("text/plain; application/json"), unsupported),
        (&kind("application/x-www-form-urlencoded"), unsupported),
        (&[length], unsupported),
        (&[("transfer-encoding", "chunked")], unsupported),
        (&[("content-length", "0")], StatusCode::OK),
    ] {
        let sent = Sent {
            host: LOCAL,
            headers,
        };
        let status = status(&AllowedHosts::default(), sent, Method::POST, None).await;
        assert_eq!(status, expected, "{headers:?}");
    }
}
