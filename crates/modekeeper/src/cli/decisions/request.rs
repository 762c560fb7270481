//! Requests for approval, as `watch` shows them: when they come, and what becomes of them.

use mk_engine::{ApprovalRequest, ApprovalState, DecisionFilter, Engine};
use mk_types::{AbsPath, ApprovalId};

use super::shown;
use crate::output::{OutputStyle, print};

/// The requests that were shown and wait.
#[derive(Debug, Default)]
pub(super) struct WatchedRequests {
    waiting: Vec<ApprovalId>,
}

impl WatchedRequests {
    /// Those that waited before are new to who begins to watch: each can still be answered.
    pub(super) fn show_news(
        &mut self,
        engine: &Engine,
        filter: &DecisionFilter,
        style: OutputStyle,
    ) -> anyhow::Result<()> {
        let pending = engine.approvals().pending()?;
        let is_pending = |id: &ApprovalId| pending.iter().any(|it| it.id == *id);
        for id in self.waiting.extract_if(.., |id| !is_pending(id)) {
            // One that is gone has been tidied away.
            if let Ok(request) = engine.approvals().get(&id) {
                print(&line(&request, style))?;
            }
        }
        for request in pending {
            if !self.waiting.contains(&request.id) && is_meant(engine, filter, &request)? {
                print(&line(&request, style))?;
                self.waiting.push(request.id);
            }
        }
        Ok(())
    }
}

/// One that names neither a conversation nor a project may be about any of them.
fn is_meant(
    engine: &Engine,
    filter: &DecisionFilter,
    request: &ApprovalRequest,
) -> anyhow::Result<bool> {
    let conversation = request.conversation.as_ref();
    if let Some(wanted) = &filter.conversation {
        return Ok(conversation == Some(wanted));
    }
    let Some(wanted) = &filter.project else {
        return Ok(true);
    };
    let asks = conversation.map(|id| engine.conversations().get(id));
    if let Some(asks) = asks.transpose()?.flatten() {
        return Ok(asks.project == *wanted);
    }
    let root = request.project.as_deref().map(std::path::Path::new);
    match root.and_then(AbsPath::new) {
        Some(root) => Ok(engine.decisions().project(&root)?.as_ref() == Some(wanted)),
        None => Ok(true),
    }
}

fn line(request: &ApprovalRequest, style: OutputStyle) -> String {
    let state = format!("{:<8}", request.state.as_str());
    let state = match request.state {
        ApprovalState::Pending => style.yellow(&state),
        _ => style.bold(&state),
    };
    format!(
        "{}  {state}  {}  {}\n",
        style.dim(&request.created_at.to_string()),
        shown(&request.subject),
        style.dim(request.id.as_str()),
    )
}
