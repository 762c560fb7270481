//! The server that the official MCP conformance suite is run against.
//!
//! The suite asks for tools, prompts and resources with fixed names. Modekeeper has none of
//! them, so this example puts those fixtures behind the transport. Everything but this file is
//! the fixture; only `serve` knows how it is mounted. `tests/conformance/run.sh` runs the suite.

mod dialogue;
mod fixture;
mod job;
mod prompt;
mod question;
mod resource;
mod tool;

use std::{error::Error, io::Write as _, net::Ipv4Addr, sync::Arc};

use mk_mcp::http::{Endpoints, routes};
use mk_web::{AllowedHosts, guarded};
use tokio::net::TcpListener;

use crate::fixture::Fixture;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let port = parse_port(std::env::args().skip(1))?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    // The first line on stdout is the address, so that a caller may pass `--port 0`.
    writeln!(std::io::stdout(), "http://{}/mcp", listener.local_addr()?)?;
    serve(listener, Fixture::new()?).await
}

/// Mounts the fixture where Modekeeper mounts its own handler.
async fn serve(listener: TcpListener, fixture: Fixture) -> Result<(), Box<dyn Error>> {
    let endpoints = Endpoints {
        connect: Arc::new(move |_, _| Ok(fixture.clone())),
        exists: Arc::new(|_| false),
        forget: Arc::new(|_| {}),
        closing: Default::default(),
    };
    let routes = guarded(routes(endpoints), AllowedHosts::default());
    mk_web::serve(listener, routes, std::future::pending()).await;
    Ok(())
}

fn parse_port(mut args: impl Iterator<Item = String>) -> Result<u16, Box<dyn Error>> {
    match (args.next().as_deref(), args.next(), args.next()) {
        (Some("--port"), Some(port), None) => Ok(port.parse()?),
        (None, ..) => Ok(0),
        _ => Err("usage: conformance [--port <port>]".into()),
    }
}
