//! The permit that a hook leaves for each shell line it lets pass: `exec` finds it and need not judge the line again.

use std::time::Duration;

use mk_clients::{HookEvent, ToolUse};
use mk_store::NewCommandPermit;
use mk_types::AbsPath;

use super::{APPROVED, Hooks, JudgedCall, call};
use crate::command::{approved, line_hash};
use crate::conversation::HeldConversation;
use crate::error::Error;

/// The client may ask its user first, and people take their time.
const GOOD_FOR: Duration = Duration::from_secs(3600);

impl Hooks<'_> {
    /// Records that a call passes. Permits and decision are committed together.
    pub(super) async fn allow(
        &self,
        event: &HookEvent,
        tool: &ToolUse,
        held: &HeldConversation,
        judged: &JudgedCall,
    ) -> Result<(), Error> {
        let permits = permits(event, tool, held);
        let layers = match permits.is_empty() {
            true => Vec::new(),
            false => {
                let root = &held.conversation.root.path;
                self.engine.layers(root, &held.mode.slug)?
            }
        };
        let store = &self.engine.inner.store;
        let now = self.engine.inner.clock.now();
        let permits = permits.into_iter().map(|(directory, line_hash)| {
            let policy = self.engine.permit_policy(held, &layers, &directory);
            NewCommandPermit {
                conversation: held.conversation.id.clone(),
                directory,
                line_hash,
                mode: held.mode.slug.clone(),
                rights: match judged.rule {
                    APPROVED => approved(&policy),
                    _ => policy,
                },
                expires_at: now.after(GOOD_FOR),
            }
        });
        let decision = self.decision(tool, held, judged);
        store
            .append_decision_with(decision, permits.collect())
            .await?;
        Ok(())
    }
}

/// Where each line of the call runs, and its hash. A directory that is not there needs none.
fn permits(event: &HookEvent, tool: &ToolUse, held: &HeldConversation) -> Vec<(AbsPath, String)> {
    let lines = tool.touched().commands;
    if lines.is_empty() {
        return Vec::new();
    }
    let directory = call::directory(event, tool, &held.conversation.root.path);
    let directory = std::fs::canonicalize(directory).ok();
    let Some(directory) = directory.as_deref().and_then(AbsPath::new) else {
        return Vec::new();
    };
    let lines = lines.iter();
    lines
        .map(|line| (directory.clone(), line_hash(line)))
        .collect()
}
