//! `modekeeper token list`

use std::process::ExitCode;

use clap::Args;
use mk_engine::{CredentialKind, ProjectWatching};
use mk_types::Clock;
use serde_json::Value;

use super::to_json;
use crate::cli::{FormatArgs, engine, person};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// List tokens, without their secrets
#[derive(Debug, Args)]
pub(crate) struct TokenListArgs {
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &TokenListArgs, config: &Config) -> anyhow::Result<ExitCode> {
    person::require("token list")?;
    let engine = engine(config, ProjectWatching::Off);
    let tokens = engine.access().list(CredentialKind::Token)?;
    if args.format.json {
        print_json(&tokens.iter().map(to_json).collect::<Value>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let (style, now) = (OutputStyle::stdout(), Clock::System.now());
    for token in &tokens {
        let state = match (token.revoked_at, token.is_good(now)) {
            (Some(_), _) => style.dim("revoked"),
            (None, false) => style.dim("expired"),
            (None, true) => match token.expires_at {
                Some(at) => format!("until {at}"),
                None => "until revoked".to_owned(),
            },
        };
        let mode = token.mode.as_ref().map_or("-", mk_types::ModeSlug::as_str);
        print(&format!(
            "{}  {:<8}  {mode:<12}  {state}  {}\n",
            style.bold(token.id.as_str()),
            token.role.as_str(),
            token.name.escape_debug(),
        ))?;
    }
    if tokens.is_empty() {
        print("no tokens\n")?;
    }
    Ok(ExitCode::SUCCESS)
}
