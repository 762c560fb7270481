//! The record of what a command did, written after its last process has ended.

use mk_engine::{
    CloseOutcome, CommandEffects, CommandHold, CommandLedger, RecordedCommand, RefusedAct,
};
use mk_types::{AbsPath, Clock, ModeSlug};
use mk_wall::{Farewell, WallOutcome};
use serde_json::json;

use super::journal::FinishedJournal;
use crate::cli::block_on;

/// Whether it is the line with which `doctor` looks whether a shell leads here. No agent did anything by it.
fn is_check(line: &str) -> bool {
    std::env::current_exe().is_ok_and(|program| line == mk_clients::inside_line(&program))
}

/// Of a command's first word.
const LONGEST_WORD: usize = 100;

/// The record of one command in the making.
#[derive(Debug)]
pub(super) struct Record {
    ledger: CommandLedger,
    command: Option<RecordedCommand>,
    root: std::path::PathBuf,
}

impl Record {
    pub(super) fn begin(ledger: CommandLedger, line: &str, hold: &CommandHold) -> Self {
        let word = line.split_whitespace().next().unwrap_or_default();
        let command = |mode: &ModeSlug| RecordedCommand {
            id: None,
            permit: hold.permit.clone(),
            conversation: hold.conversation.clone(),
            project: hold.project.clone(),
            mode: mode.clone(),
            line_hash: mk_engine::line_hash(line),
            first_word: word.chars().take(LONGEST_WORD).collect(),
            exit_code: 0,
            started_at: Clock::System.now(),
            effects: CommandEffects::default(),
        };
        Self {
            ledger,
            command: hold.limits.mode().filter(|_| !is_check(line)).map(command),
            root: hold.limits.root().as_path().to_owned(),
        }
    }

    /// Writes it. A store that cannot be written does not change what the command did.
    pub(super) fn finish(self, outcome: &WallOutcome, undo: FinishedJournal) {
        let Some(mut command) = self.command else {
            return;
        };
        let report = &outcome.report;
        let shown = |path: &std::path::Path| {
            let relative = path.strip_prefix(&self.root).unwrap_or(path);
            relative.display().to_string()
        };
        let refused = report.refusals.iter().map(|it| RefusedAct {
            operation: it.operation.as_str().to_owned(),
            target: shown(std::path::Path::new(&it.target)),
            count: it.count,
        });
        let hidden = report.hidden.iter().map(|path| RefusedAct {
            operation: "read".to_owned(),
            target: shown(path),
            count: 1,
        });
        let removed = report.farewells.iter().map(|it| match it {
            Farewell::Removed(path) => shown(path),
            Farewell::MovedBack { from, to } => format!("{} → {}", shown(from), shown(to)),
        });
        let held = outcome.held;
        command.exit_code = outcome.code;
        command.effects = CommandEffects {
            changed: report.changed.paths().map(shown).collect(),
            more_changed: report.changed.more(),
            wrote: report.wrote.paths().map(shown).collect(),
            more_wrote: report.wrote.more(),
            refused: refused.chain(hidden).collect(),
            more_refused: report.more_refusals,
            removed: removed.collect(),
            undo: undo.id,
            held: json!({
                "abi": held.abi,
                "rules": held.rules,
                "clerk": held.clerk,
                "namespace": held.namespace,
                "not_kept": undo.not_kept,
            }),
        };
        let Some(root) = AbsPath::new(&self.root) else {
            return;
        };
        let ledger = self.ledger;
        match block_on(ledger.record(command, &root)) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the command could not be recorded"),
            Err(error) => tracing::warn!(%error, "the command could not be recorded"),
        }
        if ledger.close() == CloseOutcome::CutOff {
            tracing::warn!("the store did not finish in time; the command may not be recorded");
        }
    }
}
