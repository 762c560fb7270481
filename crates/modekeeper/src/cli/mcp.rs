//! `modekeeper mcp`: one client on standard input and output.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::Args;
use mk_engine::{Ceiling, Engine, ProjectWatching};
use mk_mcp::McpServer;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::{close, engine, operator};
use crate::config::{Config, SettingOrigin};
use crate::env::Env;
use crate::{approver, process};

/// Serve MCP on standard input and output
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Cap every call at what this builtin or global mode allows
    #[arg(long, value_name = "SLUG")]
    mode: Option<String>,
}

pub(crate) fn run(args: &McpArgs, config: &Config, env: &Env) -> anyhow::Result<ExitCode> {
    explain_to_a_person();
    let engine = engine(config, ProjectWatching::On);
    let ceiling = ceiling(&engine, args.mode.as_deref())?;
    check_default_mode(&engine, config)?;
    let state = config.folders().state;
    let server = McpServer::new(engine.clone(), env!("CARGO_PKG_VERSION"), config.start())
        .with_toolsets(config.offered_toolsets())
        .with_ceiling(ceiling)
        .with_agent(process::agent_link(env))
        .with_attended(move |conversation| approver::is_connected_in(&state, conversation));
    // One thread is enough for one client, and the fastest to start.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let stop = stop_signal()?;
        tokio::spawn(sweep(engine.clone()));
        Box::pin(mk_mcp::transport::stdio::serve(&server, None, stop)).await
    });
    let exit = close(&engine);
    // A thread that waits for a terminal's next line would keep us here.
    runtime.shutdown_background();
    served?;
    Ok(exit)
}

/// Somebody who types this waits for a prompt that never comes.
fn explain_to_a_person() {
    if io::stdin().is_terminal() {
        let text = "This is an MCP server: a client starts it and speaks to it in JSON.\n\
                    To set up your clients, press Ctrl-C and run `modekeeper init`.\n";
        // A person without a stderr gets no advice.
        drop(io::stderr().write_all(text.as_bytes()));
    }
}

/// The ceiling of a server: a builtin or global mode, whatever the project says of it.
pub(super) fn ceiling(engine: &Engine, slug: Option<&str>) -> anyhow::Result<Option<Ceiling>> {
    let ceiling = slug.map(|slug| engine.modes().ceiling(slug));
    Ok(ceiling.transpose()?)
}

/// A default mode that nobody defines would make every call fail.
pub(super) fn check_default_mode(engine: &Engine, config: &Config) -> anyhow::Result<()> {
    let default = &config.default_mode;
    if default.origin == SettingOrigin::Default {
        return Ok(());
    }
    let caller = operator(config);
    engine
        .modes()
        .get(&caller, "default_mode", default.value.as_str())?;
    Ok(())
}

/// Resolves when the process is told to end.
pub(super) fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    let mut signals = [
        SignalKind::terminate(),
        SignalKind::interrupt(),
        SignalKind::hangup(),
    ]
    .map(signal)
    .into_iter()
    .collect::<Result<Vec<_>, _>>()?;
    // A write past the limit on file sizes is an error like any other; by default it would end the process.
    let mut too_large = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?;
    Ok(async move {
        let _ignored = tokio::spawn(async move { while too_large.recv().await.is_some() {} });
        let waits = signals.iter_mut().map(|signal| Box::pin(signal.recv()));
        futures::future::select_all(waits).await;
    })
}

/// Lets idle tasks expire now and then.
pub(super) async fn sweep(engine: Engine) {
    loop {
        tokio::time::sleep(engine.settings().cleanup_interval).await;
        match engine.sweep().await {
            Ok(0) => {}
            Ok(expired) => tracing::info!(expired, "idle tasks expired"),
            Err(error) => tracing::warn!(%error, "idle tasks could not expire"),
        }
    }
}
