//! A command's output as the tools answer it.

use mk_engine::{CommandOutput, JobState};
use serde_json::{Value, json};

use crate::tool::{ToolReply, code_reply};

pub(super) fn reply(command: &CommandOutput) -> ToolReply {
    code_reply(text(command), facts(command))
}

fn text(command: &CommandOutput) -> String {
    let CommandOutput { id, output, .. } = command;
    let mut text = output.text.clone();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    if let Some((from, to)) = output.left_out {
        let left_out = to - from;
        text.push_str(&format!(
            "[{left_out} bytes left out in the middle: read on with read_command_output, id {id}, offset {from}]\n"
        ));
    } else if let Some(next) = output.next {
        text.push_str(&format!("[more: read on with offset {next}]\n"));
    }
    text.push_str(&status(command));
    text
}

/// One line that says how far it is.
pub(super) fn status(command: &CommandOutput) -> String {
    match command.state {
        JobState::Ended(124) => "[exit code 124: it was ended after its time limit]".to_owned(),
        JobState::Ended(code) => format!("[exit code {code}]"),
        JobState::Running => format!(
            "[{id} is running: read on with read_command_output, end it with end_command]",
            id = command.id
        ),
    }
}

pub(super) fn facts(command: &CommandOutput) -> Value {
    let code = match command.state {
        JobState::Ended(code) => Some(code),
        JobState::Running => None,
    };
    json!({
        "id": command.id,
        "command": command.line,
        "running": code.is_none(),
        "exit_code": code,
        "bytes": command.output.total,
        "next_offset": command.output.next,
    })
}
