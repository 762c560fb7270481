//! What a command did, for people and programs.

use mk_engine::{RecordedCommand, RefusedAct};
use mk_types::{CommandId, ConversationId, PermitId};
use serde_json::{Value, json};

use super::shown;
use crate::output::OutputStyle;

/// Names in one line.
const MOST_NAMES: usize = 5;

/// One line about the command, and one each for what it changed, wrote, left and was refused, and for
/// what cannot be undone.
pub(super) fn lines(command: &RecordedCommand, style: OutputStyle) -> String {
    let effects = &command.effects;
    let code = format!("exit {:<3}", command.exit_code);
    let code = if command.exit_code == 0 {
        style.green(&code)
    } else {
        style.red(&code)
    };
    let id = command.id.as_ref().map(CommandId::as_str);
    let mut text = format!(
        "{}  {code}  {:<9}  {:<12}  {}  {}\n",
        style.dim(&command.started_at.to_string()),
        "command",
        command.mode.as_str(),
        shown(&command.first_word),
        style.dim(id.unwrap_or_default()),
    );
    let refused: Vec<String> = effects.refused.iter().map(act).collect();
    let not_kept = effects.held["not_kept"].as_array().into_iter().flatten();
    let not_kept = not_kept.filter_map(Value::as_str).map(str::to_owned);
    let not_kept: Vec<String> = not_kept.collect();
    let rows = [
        ("changed", &effects.changed, effects.more_changed),
        ("wrote", &effects.wrote, effects.more_wrote),
        ("removed", &effects.removed, 0),
        ("refused", &refused, effects.more_refused),
        ("not kept", &not_kept, 0),
    ];
    for (name, names, more) in rows {
        if !names.is_empty() {
            text.push_str(&format!("    {name:<8} {}\n", listed(names, more)));
        }
    }
    if let Some(undo) = &effects.undo {
        text.push_str(&format!("    {:<8} modekeeper undo {undo}\n", "undo"));
    }
    text
}

fn act(refused: &RefusedAct) -> String {
    let times = if refused.count > 1 {
        format!(" ({}×)", refused.count)
    } else {
        String::new()
    };
    format!("{} {}{times}", refused.operation, refused.target)
}

fn listed(names: &[String], more: u64) -> String {
    let hidden = names.len().saturating_sub(MOST_NAMES) as u64 + more;
    let mut listed: Vec<String> = names
        .iter()
        .take(MOST_NAMES)
        .map(|name| shown(name))
        .collect();
    if hidden > 0 {
        listed.push(format!("{hidden} more"));
    }
    listed.join(", ")
}

pub(super) fn to_json(command: &RecordedCommand) -> Value {
    let effects = &command.effects;
    let refused = effects
        .refused
        .iter()
        .map(|it| json!({ "operation": it.operation, "target": it.target, "count": it.count }));
    json!({
        "command": command.id.as_ref().map(CommandId::as_str),
        "at": command.started_at.to_string(),
        "permit": command.permit.as_ref().map(PermitId::as_str),
        "conversation": command.conversation.as_ref().map(ConversationId::as_str),
        "mode": command.mode.as_str(),
        "program": command.first_word,
        "line_hash": command.line_hash,
        "exit_code": command.exit_code,
        "changed": effects.changed,
        "more_changed": effects.more_changed,
        "wrote": effects.wrote,
        "more_wrote": effects.more_wrote,
        "refused": refused.collect::<Vec<_>>(),
        "more_refused": effects.more_refused,
        "removed": effects.removed,
        "undo": effects.undo,
        "held": effects.held,
    })
}
