//! Takes connections and serves routes on them, with a limit on everything a client can drag out.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt as _;

use crate::peer::Peer;

/// How long a request's headers may take, the wait for the next request on a kept connection included.
const HEADERS_WITHIN: Duration = Duration::from_secs(15);
/// How long requests under way may take to finish once the server is told to stop.
const GRACE: Duration = Duration::from_secs(1);
/// Open connections; further ones are told to come back.
const MOST_CONNECTIONS: usize = 4096;
/// Connections that are told so at the same time; further ones are closed without a word.
const MOST_TURNED_AWAY: usize = 256;
/// How long one that is told so may take to listen.
const FAREWELL: Duration = Duration::from_secs(1);
const TURNED_AWAY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 10\r\nconnection: close\r\n\
    content-type: text/plain\r\ncontent-length: 31\r\n\r\ntoo many connections are in use\n";
/// Files that are open besides connections, at most.
const OTHER_FILES: usize = 512;
/// How long to wait after the system refused a connection, typically for want of file descriptors.
const AFTER_REFUSAL: Duration = Duration::from_millis(50);

/// Serves until `stop` resolves; requests under way then have a second to finish.
pub async fn serve(listener: TcpListener, routes: Router, stop: impl Future<Output = ()>) {
    let room = Arc::new(Semaphore::new(room_for_connections()));
    let hall = Arc::new(Semaphore::new(MOST_TURNED_AWAY));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, address) = tokio::select! {
            accepted = accept(&listener) => accepted,
            () = &mut stop => break,
        };
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
            if let Ok(place) = Arc::clone(&hall).try_acquire_owned() {
                tokio::spawn(turn_away(stream, place));
            }
            continue;
        };
        // An answer is one small write: waiting to fill a packet costs 40 ms on a kept connection.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection closed at once");
            continue;
        }
        let Ok(local) = stream.local_addr() else {
            continue;
        };
        let (peer, routes) = (Peer::of(address, local), routes.clone());
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let mut request: Request = request.map(axum::body::Body::new);
            request.extensions_mut().insert(ConnectInfo(address));
            request.extensions_mut().insert(peer);
            routes.clone().oneshot(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADERS_WITHIN)
            .serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let _place = place;
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
}

/// The next connection.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection was refused");
                tokio::time::sleep(AFTER_REFUSAL).await;
            }
        }
    }
}

/// Says that there is no room, and waits until that is heard: closing at once would take the words back.
async fn turn_away(mut stream: TcpStream, _place: OwnedSemaphorePermit) {
    let farewell = async {
        stream.write_all(TURNED_AWAY).await?;
        stream.shutdown().await?;
        tokio::io::copy(&mut stream, &mut tokio::io::sink()).await
    };
    if !matches!(tokio::time::timeout(FAREWELL, farewell).await, Ok(Ok(_))) {
        tracing::debug!("a connection left before it was turned away");
    }
}

/// Connections that there are files for, after asking for as many as this process may have.
fn room_for_connections() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, wanted) {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
    let files = getrlimit(Resource::Nofile).current;
    let files = files.and_then(|files| usize::try_from(files).ok());
    let room = files.map_or(MOST_CONNECTIONS, |files| files.saturating_sub(OTHER_FILES));
    room.clamp(64, MOST_CONNECTIONS)
}
