//! Real sockets: who is at the other end, and what happens to those who take their time.

use std::net::SocketAddr;
use std::time::Duration;

use axum::routing::{get, post};
use axum::{Extension, Router};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::peer::Peer;
use crate::{AllowedHosts, guarded, serve};

/// A server on a port of its own.
struct Site {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl Site {
    async fn open(bind: &str) -> Self {
        let listener = TcpListener::bind(bind).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let routes = Router::new()
            .route(
                "/peer",
                get(|Extension(peer): Extension<Peer>| async move { format!("{:?}", peer.user) }),
            )
            .route("/slow", get(std::future::pending::<&str>))
            .route("/take", post(|| async { "taken" }));
        let routes = guarded(routes, AllowedHosts::default());
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(serve(listener, routes, async move {
            let _ = stopped.await;
        }));
        Self {
            address,
            stop,
            serving,
        }
    }

    async fn send(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.expect("connected");
        stream.write_all(text.as_bytes()).await.expect("sent");
        stream
    }
}

/// All that comes until the server closes.
async fn rest(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap_or_default();
    text
}

#[tokio::test]
async fn the_kernel_says_that_the_peer_is_this_user() {
    for bind in ["127.0.0.1:0", "[::1]:0"] {
        let site = Site::open(bind).await;
        let stream = site
            .send("GET /peer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .await;
        let answer = rest(stream).await;
        assert!(answer.ends_with("Same"), "{bind}: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn half_a_request_is_given_up_on() {
    let site = Site::open("127.0.0.1:0").await;
    let headers = site.send("GET /peer HTTP/1.1\r\nHost: loc").await;
    rest(headers).await;
    let body = "POST /take HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{";
    let body = site.send(body).await;
    let answer = rest(body).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
}

#[tokio::test]
async fn an_end_waits_for_requests_under_way_and_not_for_ever() {
    let site = Site::open("127.0.0.1:0").await;
    let _slow = site
        .send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await;
    let _ = site.stop.send(());
    let ended = tokio::time::timeout(Duration::from_secs(30), site.serving).await;
    ended.expect("ends").expect("without a panic");
}
