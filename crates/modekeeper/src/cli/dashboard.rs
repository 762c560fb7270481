//! `modekeeper dashboard`: a link that opens the page once.

use std::net::{SocketAddr, TcpStream};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use mk_engine::{AccessRole, ProjectWatching};

use crate::cli::{block_on, close, engine, person, serve};
use crate::config::Config;
use crate::env::Env;
use crate::output::print;

/// How long a server on this machine may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Open the dashboard of the running server with a one-time link
#[derive(Debug, Args)]
pub(crate) struct DashboardArgs {
    /// Print the link only; do not open a browser
    #[arg(long)]
    no_open: bool,
    /// Give this browser read-only access
    #[arg(long)]
    view_only: bool,
}

pub(crate) fn run(args: &DashboardArgs, config: &Config, env: &Env) -> anyhow::Result<ExitCode> {
    person::require("dashboard")?;
    let address = running(config)?;
    let role = if args.view_only {
        AccessRole::Viewer
    } else {
        AccessRole::Admin
    };
    let engine = engine(config, ProjectWatching::Off);
    let secret = block_on(engine.access().create_link(role))??;
    person::record(&engine, "make a link to the dashboard", role.as_str());
    let exit = close(&engine);
    let link = format!("http://{address}/#link={secret}");
    print(&format!(
        "{link}\nIt opens the dashboard once, within 5 minutes.\n"
    ))?;
    if !args.no_open {
        open(&link, env);
    }
    Ok(exit)
}

/// Where a server answers: the last that was started in this project, else in any, else the configured address.
fn running(config: &Config) -> anyhow::Result<SocketAddr> {
    let configured = config
        .listen
        .value
        .parse::<SocketAddr>()
        .with_context(|| format!("`{}` is not an address with a port", config.listen.value))?;
    let mut announced = serve::announce::running(&config.folders().state);
    announced.sort_by_key(|it| it.project != config.project_root.value.as_str());
    let addresses = announced.into_iter().map(|it| it.address);
    for mut address in addresses.chain([configured]) {
        if address.ip().is_unspecified() {
            address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
        }
        if TcpStream::connect_timeout(&address, PATIENCE).is_ok() {
            return Ok(address);
        }
    }
    bail!("no server is running; start one with `modekeeper serve`")
}

/// Where there is no desktop, the printed link is all there is.
fn open(link: &str, env: &Env) {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if env.has_display {
        "xdg-open"
    } else {
        return;
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "a browser belongs to the desktop, not to a project"
    )]
    let started = std::process::Command::new(opener)
        .arg(link)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        tracing::debug!(%error, "no browser was opened");
    }
}
