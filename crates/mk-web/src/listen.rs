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
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt as _;

use crate::peer::Peer;

/// How long a request's headers may take, the wait for the next request on a kept connection included.
const HEADERS_WITHIN: Duration = Duration::from_secs(15);
/// How long requests under way may take to finish once the server is told to stop.
const GRACE: Duration = Duration::from_secs(1);
/// Open connections; further ones wait in the kernel's queue until one closes. Below the usual limit of 1,024 open
/// files, the server would fail to accept instead.
const MOST_CONNECTIONS: usize = 4096;
/// How long to wait after the system refused a connection, typically for want of file descriptors.
const AFTER_REFUSAL: Duration = Duration::from_millis(50);

/// Serves until `stop` resolves; requests under way then have a second to finish.
pub async fn serve(listener: TcpListener, routes: Router, stop: impl Future<Output = ()>) {
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let (stream, address, place) = tokio::select! {
            accepted = accept(&listener, &room) => accepted,
            () = &mut stop => break,
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

/// The next connection there is room for.
async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> (TcpStream, SocketAddr, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed, so there is always a place in the end.
    let place = Arc::clone(room).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, place),
            Err(error) => {
                tracing::warn!(%error, "a connection was refused");
                tokio::time::sleep(AFTER_REFUSAL).await;
            }
        }
    }
}
