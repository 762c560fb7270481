//! `modekeeper serve`: many clients over HTTP.

use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use mk_engine::Watching;
use mk_mcp::Server;
use mk_mcp::http::{Access, guarded, router};
use mk_web::{Limits, Web, limit};
use tokio::net::TcpListener;

use crate::cli::engine;
use crate::cli::mcp::{stop_signal, sweep};
use crate::config::{Config, Flags};
use crate::output;

/// Serve MCP over HTTP
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address and port; port 0 takes a free one (default: 127.0.0.1:7337)
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Host name under which clients reach this server, beside localhost; may be repeated
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,
    /// Origin of a web page that may use this server, beside local ones; may be repeated
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
}

impl ServeArgs {
    pub(super) fn set(&self, flags: &mut Flags) {
        flags.listen.clone_from(&self.listen);
        flags.allow_hosts.clone_from(&self.allow_host);
        flags.allow_origins.clone_from(&self.allow_origin);
    }
}

pub(crate) fn run(_args: &ServeArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, Watching::On);
    let version = env!("CARGO_PKG_VERSION");
    let toolsets = config.toolsets.value.clone();
    let server =
        Server::new(engine.clone(), version, config.start()).with_toolsets(toolsets.clone());
    let web = Web {
        engine: engine.clone(),
        version,
        start: config.start(),
        toolsets,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(serve(config, &server, web));
    engine.close();
    runtime.shutdown_background();
    served?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(config: &Config, server: &Server, web: Web) -> anyhow::Result<()> {
    let listener = listen(&config.listen.value).await?;
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        tracing::warn!(
            "listening beyond this machine without any login: whoever reaches {address} can use it"
        );
    }
    let access = Access {
        hosts: config.allow_hosts.value.clone(),
        origins: config.allow_origins.value.clone(),
    };
    let limits = if config.rate_limits.value {
        Limits::Documented
    } else {
        Limits::Off
    };
    let routes = limit(router(server).merge(mk_web::routes(web)), limits);
    let routes = guarded(routes, access).into_make_service_with_connect_info::<SocketAddr>();
    let stop = stop_signal()?;
    tokio::spawn(sweep(server.engine().clone()));
    let project = server.start().folder();
    output::print(&format!(
        "Modekeeper is at http://{address}/mcp (project {project})\n"
    ))?;
    tokio::select! {
        ended = axum::serve(listener, routes) => ended?,
        // Streams that clients keep open would hold a graceful end up for ever.
        () = stop => server.closing().cancel(),
    }
    Ok(())
}

async fn listen(address: &str) -> anyhow::Result<TcpListener> {
    let address: SocketAddr = address.parse().with_context(|| {
        format!("`{address}` is not an address with a port, like 127.0.0.1:7337")
    })?;
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}"))
}
