//! Agreements: a write through the editor that follows a question about the same file is part of that question.
//!
//! One holds as long as the mode that gave it: what a person or the mode has agreed to under other rights is judged again.

use mk_clients::{ClientToolGroup, ToolUse};
use mk_types::ModeSlug;

use crate::proxy::Core;

/// The mode of a session, and what it allows, as its file says now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModeRights {
    mode: Option<ModeSlug>,
    rights: Option<String>,
}

/// A file that may be written once without another question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WriteGrant {
    path: String,
    rights: ModeRights,
}

impl Core {
    /// What is in force in a session at this moment, no matter who set it. `None` if that cannot be read: then nothing
    /// holds that was agreed to before.
    pub(crate) fn rights_in(&self, session: &str) -> Option<ModeRights> {
        let place = self.with_session(session, |it| {
            (it.conversation.clone(), it.seat.directory.clone())
        });
        let (conversation, directory) = place?;
        let mode = match self.engine.conversations().mode_in_force(&conversation) {
            Ok(mode) => mode,
            Err(error) => {
                tracing::warn!(%error, "the mode of the session cannot be read");
                return None;
            }
        };
        let catalogue = self.engine.modes().catalogue_at(&directory);
        let rights = mode.as_ref().and_then(|mode| catalogue.get(mode.as_str()));
        let rights = rights.map(|mode| mode.rights());
        Some(ModeRights { mode, rights })
    }

    /// Remembers that a call may write its files. Permission to read or to run something gives none.
    pub(crate) fn grant(&self, session: &str, tool: &ToolUse, rights: Option<&ModeRights>) {
        let Some(rights) = rights.filter(|_| tool.group() == Some(ClientToolGroup::Edit)) else {
            return;
        };
        let grant = |path| WriteGrant {
            path,
            rights: rights.clone(),
        };
        let paths = tool.touched().paths;
        self.with_session(session, |it| {
            it.granted.extend(paths.into_iter().map(grant));
        });
    }

    /// Uses up the agreement to write this file, which the question before it was about.
    pub(crate) fn use_grant(&self, session: &str, path: &str) -> bool {
        let has_any = self.with_session(session, |it| !it.granted.is_empty());
        if has_any != Some(true) {
            return false;
        }
        let Some(now) = self.rights_in(session) else {
            return false;
        };
        let used = self.with_session(session, |it| {
            it.granted.retain(|grant| grant.rights == now);
            let found = it.granted.iter().position(|grant| grant.path == path)?;
            Some(it.granted.remove(found))
        });
        used.flatten().is_some()
    }
}
