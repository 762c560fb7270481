//! Files and terminals of the editor that an agent uses: `fs/*` and `terminal/create`, under the mode.

use std::sync::Arc;

use mk_clients::{AcpCall, acp_tool_use, shell_line};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::error::RequestRefusal;
use crate::message::{Id, RawObject};
use crate::permission::PermissionOutcome;
use crate::proxy::{AwaitedAnswer, Core, ProxySide};

impl Core {
    /// An agent wants to read, write or run something through the editor.
    pub(crate) async fn access(
        self: Arc<Self>,
        id: Id,
        method: String,
        line: Vec<u8>,
        params: Option<Box<RawValue>>,
    ) {
        let params = RawObject::read(params.as_deref()).unwrap_or_default();
        let session = params.text("sessionId").unwrap_or_default();
        let path = params.text("path").unwrap_or_default();
        let Some(call) = call(&method, &path, &params) else {
            let refusal = RequestRefusal::InvalidParams;
            let text = format!("Cannot tell what this `{method}` would do");
            return self.refuse(ProxySide::Agent, &id, refusal, &text).await;
        };
        if method == "fs/write_text_file" && self.use_grant(&session, &path) {
            return self.to_editor(line).await;
        }
        let tool = acp_tool_use(None, &call);
        let rights = self.rights_in(&session);
        match self.judge(&session, tool.clone(), None).await {
            // Whether a person must see it is the agent's question; what the mode allows is done.
            PermissionOutcome::Allow => self.to_editor(line).await,
            PermissionOutcome::Person(_) if method == "fs/read_text_file" => {
                self.to_editor(line).await;
            }
            PermissionOutcome::Person(why) => {
                let params = json!({
                    "sessionId": session,
                    "toolCall": {
                        "toolCallId": format!("modekeeper-{}", call.id), "kind": call.kind, "status": "pending",
                        "title": format!("{} ({why})", call.title.clone().unwrap_or_default()),
                        "locations": call.locations.iter().map(|path| json!({ "path": path })).collect::<Value>(),
                    },
                    "options": [
                        { "optionId": "allow", "name": "Allow once", "kind": "allow_once" },
                        { "optionId": "reject", "name": "Reject", "kind": "reject_once" },
                    ],
                });
                let judged = match self.choice(&params).await.as_deref() {
                    Some("allow") => self.judge_again(&session, &tool, rights.as_ref()).await,
                    _ => Err("The user declined".to_owned()),
                };
                match judged {
                    Ok(()) => self.to_editor(line).await,
                    Err(reason) => {
                        let refusal = RequestRefusal::Denied;
                        self.refuse(ProxySide::Agent, &id, refusal, &reason).await;
                    }
                }
            }
            PermissionOutcome::Deny(reason) => {
                self.refuse(ProxySide::Agent, &id, RequestRefusal::Denied, &reason)
                    .await;
            }
        }
    }

    /// Forgets what belonged to a turn that is over.
    pub(crate) fn turn_ended(&self, session: &str) {
        self.with_session(session, |it| {
            it.turns = it.turns.saturating_sub(1);
            if it.turns == 0 {
                it.granted.clear();
            }
        });
    }

    /// What a request of the editor was about, now that it is answered.
    pub(crate) fn settle(&self, id: &Id) -> Option<AwaitedAnswer> {
        self.lock().awaited.remove(id)
    }
}

/// What a request would do, as one call; `None` where editors could take it for different things.
fn call(method: &str, path: &str, params: &RawObject) -> Option<AcpCall> {
    if params.is_ambiguous() {
        return None;
    }
    let (kind, title) = match method {
        "fs/read_text_file" => ("read", format!("Read {path}")),
        "fs/write_text_file" => ("edit", format!("Write {path}")),
        method if method.starts_with("terminal/") => return run(method, params),
        // One that the protocol does not know yet.
        method => ("edit", format!("{method} {path}")),
    };
    Some(AcpCall {
        id: format!("{method} {path}"),
        kind: Some(kind.to_owned()),
        title: Some(title),
        locations: vec![path.to_owned()],
        ..AcpCall::default()
    })
}

/// A command in a terminal of the editor.
fn run(method: &str, params: &RawObject) -> Option<AcpCall> {
    let mut words = vec![params.text("command")?];
    words.extend(list::<String>(params, "args")?);
    let variables = list::<RawObject>(params, "env")?;
    let variables = variables.iter().map(variable);
    let setting: String = variables.collect::<Option<_>>()?;
    let directory = match params.value("cwd") {
        None | Some(Value::Null) => None,
        Some(directory) => Some(directory.as_str()?.to_owned()),
    };
    // Some editors start the program with these words, others give them to a shell as one line.
    let (joined, quoted) = (words.join(" "), shell_line(&words));
    let mut lines = vec![format!("{setting}{joined}")];
    if words.len() > 1 && quoted != joined {
        lines.push(format!("{setting}{quoted}"));
    }
    Some(AcpCall {
        id: format!("{method} "),
        kind: Some("execute".to_owned()),
        title: Some(format!("Run {setting}{joined}")),
        raw_input: Some(json!({ "commands": lines, "cwd": directory })),
        ..AcpCall::default()
    })
}

/// A list, which may be missing; `None` if it has something else in it.
fn list<T: DeserializeOwned>(params: &RawObject, key: &str) -> Option<Vec<T>> {
    let Some(raw) = params.get(key) else {
        return Some(Vec::new());
    };
    let list: Option<Vec<T>> = serde_json::from_str(raw.get()).ok()?;
    Some(list.unwrap_or_default())
}

/// A variable of the command's environment as a shell sets it: it may choose what runs.
fn variable(entry: &RawObject) -> Option<String> {
    let (name, value) = (entry.text("name")?, entry.text("value")?);
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || it == '_');
    let is_plain = is_name && !entry.is_ambiguous();
    is_plain.then(|| format!("export {name}={}; ", shell_line(&[value])))
}
