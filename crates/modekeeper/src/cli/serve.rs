//! `modekeeper serve`: many clients over HTTP.

pub(super) mod announce;
mod enforcement;

use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use mk_engine::{Ceiling, Engine, ProjectWatching};
use mk_mcp::McpServer;
use mk_mcp::http::router;
use mk_tools::Limiter;
use mk_web::{
    AllowedHosts, KeyPlace, Machine, ProtectedResource, SocketOwners, TokenIssuer, TrustedProxies,
    Web, gated, guarded,
};
use tokio::net::TcpListener;

use crate::approver;
use crate::cli::mcp::{ceiling, check_default_mode, stop_signal, sweep};
use crate::cli::{close, engine};
use crate::config::{Config, ServeFlags, SettingOrigin};
use crate::{log, output, process, telemetry};

/// Calls that look at files at the same time. A search has threads of its own besides; further calls wait their turn.
const CALLS_PER_CORE: usize = 8;

/// Serve MCP over HTTP
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Cap every call on every route at what this builtin or global mode allows
    #[arg(long, value_name = "SLUG")]
    mode: Option<String>,
    #[command(flatten)]
    pub(super) settings: ServeFlags,
}

pub(crate) fn run(args: &ServeArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::On);
    let ceiling = ceiling(&engine, args.mode.as_deref())?;
    check_default_mode(&engine, config)?;
    let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .max_blocking_threads(n_cores * CALLS_PER_CORE)
        .enable_all()
        .build()?;
    let served = runtime.block_on(serve(config, &engine, ceiling));
    let exit = close(&engine);
    runtime.shutdown_background();
    served?;
    Ok(exit)
}

async fn serve(config: &Config, engine: &Engine, ceiling: Option<Ceiling>) -> anyhow::Result<()> {
    let listener = listen(&config.listen.value).await?;
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        tracing::warn!(
            "listening beyond this machine, in clear text: callers from elsewhere need a token of `modekeeper token \
             create`, and {address} should stand behind a proxy with TLS"
        );
    }
    let resource = resource(config, engine, address)?;
    let access = access(config)?;
    let server = mcp_server(config, engine, address).with_ceiling(ceiling.clone());
    let web = Web {
        engine: engine.clone(),
        version: env!("CARGO_PKG_VERSION"),
        start: config.start(),
        active: mk_web::ActiveDirectory::default(),
        toolsets: config.offered_toolsets(),
        limiter: config.rate_limits.value.then(Limiter::default),
        ceiling,
        events: mk_web::EventStreams::default(),
        machine: machine(config),
    };
    let owners = SocketOwners::new(process::owners_of);
    let routes = router(&server).merge(mk_web::routes(web));
    let routes = gated(routes, engine.clone(), resource, owners);
    let routes = guarded(routes, access);
    let stop = stop_signal()?;
    tokio::spawn(sweep(engine.clone()));
    if let Some(endpoint) = &config.otlp_endpoint.value {
        let collector = telemetry::TraceCollector::parse(endpoint)?;
        tokio::spawn(telemetry::export(engine.clone(), collector));
    }
    let project = server.start().folder();
    let _announced = announce::write(&config.folders().state, address, project.as_str());
    output::print(&format!(
        "Modekeeper is at http://{address}/mcp (project {project})\n"
    ))?;
    let closing = server.closing().clone();
    // Streams that clients keep open would hold a graceful end up for ever.
    let stop = async {
        stop.await;
        closing.cancel();
    };
    mk_web::serve(listener, routes, stop).await;
    Ok(())
}

/// Who may speak to this server at all.
fn access(config: &Config) -> anyhow::Result<AllowedHosts> {
    let mut hosts = config.allow_hosts.value.clone();
    let public = config.public_url.value.as_deref();
    let authority = public.and_then(|url| url.split('/').nth(2));
    hosts.extend(authority.map(str::to_owned));
    Ok(AllowedHosts {
        hosts,
        origins: config.allow_origins.value.clone(),
        admits_other_users: config.require_token.value,
        proxies: TrustedProxies::parse(&config.trusted_proxies.value)?,
    })
}

/// What this server asks of its callers.
fn resource(
    config: &Config,
    engine: &Engine,
    address: SocketAddr,
) -> anyhow::Result<ProtectedResource> {
    let url = match config.public_url.value.as_deref() {
        Some(url) if url.starts_with("http://") || url.starts_with("https://") => url.to_owned(),
        Some(url) => bail!("`{url}` is not a URL such as https://modes.example.com"),
        None => format!("http://{address}"),
    };
    let issuer = config.issuer.value.as_deref().map(|issuer| {
        let place = KeyPlace::new(issuer, config.jwks.value.as_deref())?;
        anyhow::Ok(TokenIssuer::new(issuer, place, engine.clock().clone()))
    });
    Ok(ProtectedResource {
        url: url.trim_end_matches('/').to_owned(),
        issuer: issuer.transpose()?,
        asks_everyone: config.require_token.value,
    })
}

/// What the page shows of this machine.
fn machine(config: &Config) -> Machine {
    let directory = config.project_root.value.clone();
    let state = config.folders().state;
    Machine::new(
        move || enforcement::look(directory.clone()),
        log::tail,
        move || Box::new(approver::connect(&state)),
    )
}

/// On loopback, MCP is limited only if someone asked for it: its clients are agents of this user.
fn mcp_server(config: &Config, engine: &Engine, address: SocketAddr) -> McpServer {
    let server = McpServer::new(engine.clone(), env!("CARGO_PKG_VERSION"), config.start())
        .with_toolsets(config.offered_toolsets());
    let limited = &config.rate_limits;
    if limited.value && (!address.ip().is_loopback() || limited.origin != SettingOrigin::Default) {
        return server.with_limiter(Limiter::default());
    }
    server
}

async fn listen(address: &str) -> anyhow::Result<TcpListener> {
    let address: SocketAddr = address.parse().with_context(|| {
        format!("`{address}` is not an address with a port, such as 127.0.0.1:7337")
    })?;
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}"))
}
