//! `modekeeper token revoke`

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use mk_engine::ProjectWatching;
use mk_types::CredentialId;

use crate::cli::{block_on, close, engine, person};
use crate::config::Config;
use crate::output::print;

/// Revoke a token at once
#[derive(Debug, Args)]
pub(crate) struct RevokeArgs {
    /// ID of the token, as `modekeeper token list` shows it
    id: String,
}

pub(crate) fn run(args: &RevokeArgs, config: &Config) -> anyhow::Result<ExitCode> {
    person::require("token revoke")?;
    let id = CredentialId::parse(&args.id)?;
    let engine = engine(config, ProjectWatching::Off);
    let revoked = block_on(engine.access().revoke(&id))??;
    if revoked {
        person::record(&engine, "revoke token", id.as_str());
    }
    let exit = close(&engine);
    if !revoked {
        bail!("`{id}` is not an active token: `modekeeper token list` lists them");
    }
    print(&format!("revoked {id}\n"))?;
    Ok(exit)
}
