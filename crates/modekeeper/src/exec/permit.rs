//! Permits that a hook has stored for one line, and the record of what the command did.

use std::ffi::OsString;

use mk_engine::{
    Client, Closed, CommandLedger, CommandLimits, CommandPermit, NewCommandRecord, StoreLocation,
};
use mk_types::{AbsPath, Clock, ModeSlug, Timestamp};
use mk_wall::{Farewell, Outcome};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::arguments::line_of;
use crate::cli::block_on;
use crate::config::Config;
use crate::env::Env;

/// Takes the permit for this line, if there is one. Of several the oldest of this conversation.
pub(super) fn take(
    config: &Config,
    env: &Env,
    command: &[OsString],
) -> anyhow::Result<Option<CommandPermit>> {
    let location = config.store_location();
    let StoreLocation::File(path) = &location else {
        return Ok(None);
    };
    if !path.exists() {
        return Ok(None);
    }
    let Some(directory) = env.current_dir.as_deref().and_then(AbsPath::new) else {
        return Ok(None);
    };
    let clients: Vec<Client> = env
        .client_sessions
        .iter()
        .map(|(client, session)| Client {
            name: (*client).to_owned(),
            session: session.clone(),
        })
        .collect();
    let ledger = CommandLedger::open(location);
    let hash = hash_of(&line_of(command));
    let taken = block_on(ledger.take_permit(&clients, &directory, &hash))??;
    // A thread that is still at work must not be there when the wall forks.
    if ledger.close() == Closed::CutOff {
        anyhow::bail!("the store does not answer: the command was not started");
    }
    Ok(taken)
}

/// How a line is named without being kept.
pub(crate) fn hash_of(line: &str) -> String {
    let digest = Sha256::digest(line.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The record of one command in the making.
#[derive(Debug)]
pub(super) struct Record {
    location: StoreLocation,
    permit: Option<CommandPermit>,
    mode: Option<ModeSlug>,
    hash: String,
    first_word: String,
    started_at: Timestamp,
}

impl Record {
    pub(super) fn begin(
        config: &Config,
        command: &[OsString],
        limits: &CommandLimits,
        permit: Option<CommandPermit>,
    ) -> Self {
        let line = line_of(command);
        Self {
            location: config.store_location(),
            permit,
            mode: limits.mode().cloned(),
            hash: hash_of(&line),
            first_word: line
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .chars()
                .take(100)
                .collect(),
            started_at: Clock::System.now(),
        }
    }

    /// Writes it. A store that cannot be written does not change what the command did.
    pub(super) fn finish(self, outcome: &Outcome, undo: Option<&str>) {
        let report = &outcome.report;
        let refusals = report
            .refusals
            .iter()
            .map(|it| json!({ "op": it.operation.as_str(), "path": it.target, "count": it.count }));
        let guests = report.farewells.iter().map(|it| match it {
            Farewell::Removed(path) => json!({ "removed": path }),
            Farewell::MovedBack { from, to } => json!({ "moved": from, "back_to": to }),
        });
        let written: Vec<String> = report
            .changed
            .iter()
            .map(|it| it.display().to_string())
            .collect();
        let Some(mode) = self.mode else {
            return;
        };
        let new = NewCommandRecord {
            conversation: self.permit.as_ref().map(|it| it.conversation.clone()),
            permit: self.permit.map(|it| it.id),
            project: None,
            mode,
            argv_hash: self.hash,
            first_word: self.first_word,
            exit_code: Some(outcome.code),
            refusals: json!(refusals.collect::<Vec<_>>()).to_string(),
            written: json!({ "files": written, "undo": undo, "abi": outcome.held.abi, "clerk": outcome.held.clerk, "namespace": outcome.held.namespace }).to_string(),
            guests: json!(guests.collect::<Vec<_>>()).to_string(),
            started_at: self.started_at,
        };
        let ledger = CommandLedger::open(self.location);
        if let Err(error) = block_on(ledger.record(new)) {
            tracing::warn!(%error, "the command could not be recorded");
        }
        if ledger.close() == Closed::CutOff {
            tracing::warn!("the store did not finish in time; the command may not be recorded");
        }
    }
}
