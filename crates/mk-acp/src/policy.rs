//! Calls that the agent's own rules refuse, which are ours: it was started with them, and says no more than that.

use std::sync::Arc;

use mk_clients::AcpCall;
use mk_policy::{Group, Mode};
use serde_json::Value;

use crate::proxy::Core;

/// What such an agent says of a call that its rules refuse.
const REFUSED: &str = "denied by policy";

impl Core {
    /// Gives the reason, if the agent was started with our rules and this is what they have refused.
    pub(crate) fn explain_policy(self: &Arc<Self>, session: &str, call: &AcpCall, update: &Value) {
        let is_refused = self.habits().restarts && said(update).any(|text| text.contains(REFUSED));
        let place = self.with_session(session, |it| (it.seat.directory.clone(), it.mode.clone()));
        let Some((directory, mode)) = place.filter(|_| is_refused) else {
            return;
        };
        let catalogue = self.engine.modes().catalogue_at(&directory);
        let Some(reason) = catalogue
            .get(mode.as_str())
            .and_then(|mode| reason(mode, call))
        else {
            return;
        };
        let mut call = call.clone();
        if call.title.is_none() {
            // Its ids begin with the tool's name.
            call.title = call.id.split("__").next().map(str::to_owned);
        }
        let (core, session) = (Arc::clone(self), session.to_owned());
        tokio::spawn(async move { core.tell_refusal(&session, &call, &reason).await });
    }
}

/// The texts of an update.
fn said(update: &Value) -> impl Iterator<Item = &str> {
    let content = update["content"].as_array().into_iter().flatten();
    content.filter_map(|item| item.pointer("/content/text")?.as_str())
}

/// Why a mode refuses a call of this kind, if it limits the kind at all.
fn reason(mode: &Mode, call: &AcpCall) -> Option<String> {
    let group = match call.kind.as_deref()? {
        "read" | "search" => Group::Read,
        "edit" | "delete" | "move" => Group::Edit,
        "execute" => Group::Command,
        "fetch" => Group::Browser,
        _ => return None,
    };
    let (slug, name) = (&mode.slug, group.as_str());
    if !mode.enables(group) {
        return Some(format!(
            "Tool group '{name}' is not enabled in '{slug}' mode"
        ));
    }
    let limit = mode.restriction(group)?;
    Some(format!("'{slug}' mode restricts '{name}' to: {limit}"))
}
