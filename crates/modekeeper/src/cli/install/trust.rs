//! Codex runs a hook only after a person has agreed to it. Its own app-server says which hooks are trusted and takes
//! the agreement; nothing here writes Codex's files.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, bail};
use mk_clients::ClientId;
use mk_clients::settings::SettingsEdit;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout};

use super::canary::Cage;
use super::process;

const PATIENCE: Duration = Duration::from_secs(20);

/// A hook of ours that Codex knows.
#[derive(Debug, Clone)]
pub(crate) struct KnownHook {
    key: String,
    hash: String,
    pub(crate) command: String,
    pub(crate) is_trusted: bool,
}

impl KnownHook {
    /// The entry with which Codex remembers its trust.
    pub(crate) fn entry(&self) -> SettingsEdit {
        let path = ["hooks", "state", &self.key].map(str::to_owned);
        SettingsEdit::Put {
            path: path.into(),
            value: json!({ "trusted_hash": self.hash }),
        }
    }
}

/// Why a client does not run our hook although it is installed; `None` if it does, or needs no trust.
pub(super) async fn problem(client: ClientId, cage: Cage<'_>) -> Option<String> {
    if client != ClientId::Codex {
        return None;
    }
    match hooks(cage.search_path, cage.project).await {
        Ok(hooks) if hooks.is_empty() => Some(
            "Codex does not see the hook: it reads a project's hooks only if it trusts the project (start `codex` here once)"
                .to_owned(),
        ),
        Ok(hooks) if hooks.iter().all(|hook| hook.is_trusted) => None,
        Ok(_) => Some("hook not trusted (run `modekeeper install codex`)".to_owned()),
        Err(error) => Some(format!(
            "cannot ask Codex whether it trusts the hook: {error:#}"
        )),
    }
}

/// Our hooks as Codex sees them in this project.
pub(crate) async fn hooks(search_path: &OsStr, project: &Path) -> anyhow::Result<Vec<KnownHook>> {
    let mut server = AppServer::start(search_path, project)?;
    tokio::time::timeout(PATIENCE, server.hooks(project))
        .await
        .context("Codex's app-server does not answer")?
}

/// Tells Codex that a person trusts these hooks as they are.
pub(crate) async fn trust(
    search_path: &OsStr,
    project: &Path,
    hooks: &[KnownHook],
) -> anyhow::Result<()> {
    let state: serde_json::Map<String, Value> = hooks
        .iter()
        .map(|hook| (hook.key.clone(), json!({ "trusted_hash": hook.hash })))
        .collect();
    let edit = json!({ "keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert" });
    let mut server = AppServer::start(search_path, project)?;
    let work = async {
        server.greet().await?;
        server
            .request("config/batchWrite", json!({ "edits": [edit] }))
            .await
    };
    tokio::time::timeout(PATIENCE, work)
        .await
        .context("Codex's app-server does not answer")??;
    Ok(())
}

/// `codex app-server`: JSON-RPC, one message a line.
struct AppServer {
    // Killed when it is dropped.
    _child: tokio::process::Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
    last_id: u64,
}

impl AppServer {
    fn start(search_path: &OsStr, project: &Path) -> anyhow::Result<Self> {
        let programs = ClientId::Codex.atlas().programs;
        let program = process::find(programs, search_path).context("Codex is not on PATH")?;
        let mut child = process::command(&program, project)
            .arg("app-server")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start `{}`", program.display()))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("Codex's app-server has no pipes");
        };
        Ok(Self {
            _child: child,
            stdin,
            stdout: BufReader::new(stdout).lines(),
            last_id: 0,
        })
    }

    async fn hooks(&mut self, project: &Path) -> anyhow::Result<Vec<KnownHook>> {
        self.greet().await?;
        let answer = self
            .request("hooks/list", json!({ "cwds": [project] }))
            .await?;
        let mut found = Vec::new();
        collect(&answer, &mut found);
        Ok(found)
    }

    async fn greet(&mut self) -> anyhow::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        let client = json!({ "name": "modekeeper", "title": "Modekeeper", "version": version });
        self.request("initialize", json!({ "clientInfo": client }))
            .await?;
        self.send(&json!({ "method": "initialized" })).await
    }

    async fn request(&mut self, method: &str, params: Value) -> anyhow::Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "id": id, "method": method, "params": params }))
            .await?;
        while let Some(line) = self.stdout.next_line().await? {
            let Ok(message) = serde_json::from_str::<Value>(&line) else {
                continue;
            };
            if message["id"] != json!(id) {
                continue;
            }
            if let Some(error) = message.get("error") {
                bail!("Codex refused `{method}`: {}", error["message"]);
            }
            return Ok(message["result"].clone());
        }
        bail!("Codex's app-server ended before it answered `{method}`")
    }

    async fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        self.stdin
            .write_all(format!("{message}\n").as_bytes())
            .await?;
        Ok(self.stdin.flush().await?)
    }
}

/// The answer groups hooks by directory and event in ways that differ between versions: every object that has a key and
/// a hash is one.
fn collect(value: &Value, found: &mut Vec<KnownHook>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(entries) => {
            let text = |name: &str| entries.get(name).and_then(Value::as_str);
            if let (Some(key), Some(hash)) = (text("key"), text("currentHash")) {
                let command = text("command").unwrap_or_default();
                if command.contains("modekeeper") {
                    found.push(KnownHook {
                        key: key.to_owned(),
                        hash: hash.to_owned(),
                        command: command.to_owned(),
                        is_trusted: text("trustStatus") == Some("trusted"),
                    });
                }
            }
            entries.values().for_each(|value| collect(value, found));
        }
        _ => {}
    }
}
