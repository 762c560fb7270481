//! The mode's instructions for the model: at the start of a conversation, and after each switch.

use mk_clients::{ClientId, HookEvent, HookMoment};
use mk_policy::Mode;
use mk_types::AbsPath;

use super::Hooks;
use crate::conversation::HeldConversation;
use crate::error::Error;

/// Longer texts are cut by the clients, some in the middle of a word.
const LONGEST: usize = 9_000;

impl Hooks<'_> {
    /// What the model has not been told yet about the mode it is in.
    pub(super) async fn news(
        &self,
        event: &HookEvent,
        held: &HeldConversation,
    ) -> Result<Option<String>, Error> {
        let mode = &held.mode.slug;
        // OpenCode's model is told again with each request, and remembers nothing of it.
        if event.client == ClientId::OpenCode {
            let start = matches!(event.moment, HookMoment::SessionStart { .. });
            return Ok(start.then(|| self.instructions(&held.conversation.root.path, &held.mode)));
        }
        if held.conversation.told.as_ref() == Some(mode) || !is_passed_on(event) {
            return Ok(None);
        }
        let store = &self.engine.inner.store;
        store.tell_conversation(&held.conversation.id, mode).await?;
        Ok(Some(
            self.instructions(&held.conversation.root.path, &held.mode),
        ))
    }

    pub(super) fn instructions(&self, root: &AbsPath, mode: &Mode) -> String {
        let prompt = self.engine.modes().system_prompt_at(root, &mode.slug);
        let mut text = format!(
            "Modekeeper holds this conversation in '{}' mode ({}). Calls that the mode does not allow are refused \
             with a reason; do not work around a refusal. Only the user can widen it: `modekeeper mode <slug>`.\n\n{}",
            mode.slug,
            mode.name,
            prompt.unwrap_or_default()
        );
        if text.len() > LONGEST {
            let end = text.floor_char_boundary(LONGEST);
            text.truncate(end);
            text.push_str("\n[…]");
        }
        text
    }
}

/// Whether the client gives the model what a hook adds at this moment; what it drops is told at the next one.
fn is_passed_on(event: &HookEvent) -> bool {
    use ClientId::{ClaudeCode, Cline, Codex, Copilot, Cursor, VsCode};
    match event.moment {
        HookMoment::BeforeTool(_) => {
            matches!(event.client, ClaudeCode | Codex | Copilot | Cline | VsCode)
        }
        HookMoment::AfterTool(_) => !matches!(event.client, Cline),
        HookMoment::SessionStart { .. } => !matches!(event.client, Cline),
        HookMoment::Prompt { .. } => !matches!(event.client, Cline | VsCode | Cursor),
        HookMoment::Permission(_) | HookMoment::Other => false,
    }
}
