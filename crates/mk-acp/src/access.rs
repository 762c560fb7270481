//! Files and terminals of the editor that an agent uses: `fs/*` and `terminal/create`, under the mode.

use std::sync::Arc;

use mk_clients::{AcpCall, acp_tool_use};
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
        if method == "fs/write_text_file" && self.use_grant(&session, &path) {
            return self.to_editor(line).await;
        }
        let call = call(&method, &path, &params);
        let tool = acp_tool_use(None, &call);
        match self.judge(&session, tool, None).await {
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
                if self.choice(&params).await.as_deref() == Some("allow") {
                    return self.to_editor(line).await;
                }
                self.refuse(
                    ProxySide::Agent,
                    &id,
                    RequestRefusal::Denied,
                    "The user declined",
                )
                .await;
            }
            PermissionOutcome::Deny(reason) => {
                self.refuse(ProxySide::Agent, &id, RequestRefusal::Denied, &reason)
                    .await;
            }
        }
    }

    /// Uses up the agreement to write this file, which the question before it was about.
    fn use_grant(&self, session: &str, path: &str) -> bool {
        let used = self.with_session(session, |it| {
            let found = it.granted.iter().position(|granted| granted == path)?;
            Some(it.granted.remove(found))
        });
        used.flatten().is_some()
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

fn call(method: &str, path: &str, params: &RawObject) -> AcpCall {
    let (kind, title) = match method {
        "fs/read_text_file" => ("read", format!("Read {path}")),
        "fs/write_text_file" => ("edit", format!("Write {path}")),
        _ => ("execute", "Run a command".to_owned()),
    };
    let mut call = AcpCall {
        id: format!("{method} {path}"),
        kind: Some(kind.to_owned()),
        title: Some(title),
        ..AcpCall::default()
    };
    if kind == "execute" {
        let mut words: Vec<String> = params.text("command").into_iter().collect();
        // A command alone is a line for a shell; with arguments it is a program.
        let arguments = params.value("args");
        let arguments = arguments
            .as_ref()
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        words.extend(arguments.filter_map(Value::as_str).map(str::to_owned));
        let command = match words.as_slice() {
            [line] => json!(line),
            words => json!(words),
        };
        call.title = Some(format!("Run {}", words.join(" ")));
        call.raw_input = Some(json!({ "command": command, "cwd": params.value("cwd") }));
    } else {
        call.locations.push(path.to_owned());
    }
    call
}
