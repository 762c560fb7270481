//! Which product has sent an event: several run the hooks that were written for another, with their own tools.
//!
//! Copilot CLI, VS Code and Cursor read the hooks of Claude Code's settings, VS Code those of Copilot CLI, and Copilot CLI
//! every file in `.github/hooks`. They leave out an entry's `args`.

use super::EventFields;
use crate::ClientId;

/// The product whose tools an event names.
pub(super) fn sender(fields: &EventFields) -> ClientId {
    use ClientId::{ClaudeCode, Copilot, Cursor, VsCode};
    let named = fields.client;
    if !matches!(named, ClaudeCode | Copilot | VsCode) {
        return named;
    }
    if fields.has("cursor_version") || fields.has("workspace_roots") {
        return Cursor;
    }
    // Claude Code says how it asks its user, and not when; Copilot's own shape has a number for the time.
    let is_foreign = fields.event_name().is_some()
        && fields.text(&["timestamp"]).is_some()
        && !fields.has("permission_mode");
    if !is_foreign {
        return named;
    }
    let tool = fields.text(&["tool_name"]).unwrap_or_default();
    let knows = |client: ClientId| client.atlas().tool(&tool).is_some();
    match (knows(Copilot), knows(VsCode)) {
        (true, false) => Copilot,
        (false, true) => VsCode,
        // VS Code gives its calls ids, and has a transcript.
        _ if has_ids(fields) => VsCode,
        _ => Copilot,
    }
}

fn has_ids(fields: &EventFields) -> bool {
    let keys = ["hookEventName", "tool_use_id", "transcript_path"];
    keys.iter().any(|key| fields.has(key))
}
