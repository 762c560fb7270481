//! `modekeeper token`: credentials for programs and other machines.

mod create;
mod list;
mod revoke;

use std::process::ExitCode;

use clap::Subcommand;
use mk_engine::Credential;
use serde_json::{Value, json};

use crate::config::Config;

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token and print it once
    Create(create::CreateArgs),
    /// List tokens, without their secrets
    List(list::TokenListArgs),
    /// Revoke a token at once
    Revoke(revoke::RevokeArgs),
}

pub(crate) fn run(command: &TokenCommand, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        TokenCommand::Create(args) => create::run(args, config),
        TokenCommand::List(args) => list::run(args, config),
        TokenCommand::Revoke(args) => revoke::run(args, config),
    }
}

fn to_json(token: &Credential) -> Value {
    json!({
        "id": token.id.as_str(),
        "name": token.name,
        "role": token.role.as_str(),
        "mode": token.mode.as_ref().map(mk_types::ModeSlug::as_str),
        "projects": token.projects,
        "created_at": token.created_at.to_string(),
        "expires_at": token.expires_at.map(|at| at.to_string()),
        "revoked_at": token.revoked_at.map(|at| at.to_string()),
    })
}
