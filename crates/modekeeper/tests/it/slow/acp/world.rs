//! A real agent behind the proxy, with a home, a project and a model of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use mk_testkit::model::{ScriptedModel, Step};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::editor::Editor;
use crate::slow::agents::agent::Agent;
use crate::slow::agents::world::World;
use crate::slow::tools;

#[derive(Debug)]
pub(super) struct AcpWorld {
    pub(super) inner: World,
    programs: PathBuf,
    /// Gemini takes no settings from below a directory that other users can write, as the sandbox is.
    state: TempDir,
}

impl AcpWorld {
    pub(super) fn new(agent: Agent) -> Self {
        Self {
            inner: World::new(agent),
            programs: tools::acp().join("bin"),
            state: in_private_directory(),
        }
    }

    /// The agent's own command line.
    pub(super) fn agent_line(&self) -> Vec<String> {
        let program = |name: &str| {
            let own = self.programs.join(name);
            let path = match own.exists() {
                true => own,
                false => self.inner.bin().join(name),
            };
            path.display().to_string()
        };
        let (name, arguments) = self.words().split_first().unwrap();
        let arguments = arguments.iter().map(|word| (*word).to_owned());
        [program(name)].into_iter().chain(arguments).collect()
    }

    fn words(&self) -> &'static [&'static str] {
        match self.inner.agent {
            Agent::ClaudeCode => &["claude-agent-acp"],
            Agent::Codex => &["codex-acp"],
            Agent::Copilot => &["copilot", "--acp"],
            Agent::Gemini => &["gemini", "--acp", "-m", "gemini-2.5-pro"],
            Agent::Qwen => &["qwen", "--acp"],
            Agent::OpenCode => &["opencode", "acp"],
            Agent::Cline => &["cline", "--acp"],
        }
    }

    /// What the agent is called in tables: its command, and the version that it tells.
    pub(super) fn title(&self, talk: &Talk) -> String {
        let words = self.words();
        let flags = words.iter().filter(|word| word.trim_matches('-') == "acp");
        let command: Vec<&str> = words.iter().take(1).chain(flags).copied().collect();
        let version = talk.version.as_deref().unwrap_or_default();
        format!("`{}` {version}", command.join(" "))
    }

    /// The proxy before the agent.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let world = &self.inner;
        let home = world.sandbox.home();
        let mut command = world.sandbox.command(&["acp"]);
        command
            .args(arguments)
            .arg("--")
            .args(self.agent_line())
            .env("PATH", world.search_path())
            .env("MODEKEEPER_STATE_DIR", self.state.path())
            .env("XDG_DATA_HOME", home.join(".local/share"))
            .env("XDG_CACHE_HOME", home.join(".cache"))
            .envs(world.agent.environment(&world.model.url()));
        command
    }

    /// Whether the agent reads its rules at its start only.
    pub(super) fn starts_again(&self) -> bool {
        self.inner.agent == Agent::Gemini
    }

    /// Where the proxy writes what went through it.
    pub(super) fn trace(&self) -> PathBuf {
        self.inner.sandbox.root().join("trace.jsonl")
    }

    /// The proxy with an editor before it, which has said who it is.
    #[track_caller]
    pub(super) fn start(&self) -> (Editor, Value) {
        let trace = self.trace().display().to_string();
        let editor = Editor::start(&mut self.command(&["--trace", &trace]));
        let answer = editor.result("initialize", &initialize());
        (editor, answer)
    }

    /// A session of the agent; `method` is how, `session` which, unless it is a new one.
    #[track_caller]
    pub(super) fn open(&self, editor: &Editor, method: &str, session: Option<&str>) -> Value {
        let mut params = json!({ "cwd": self.inner.sandbox.project(), "mcpServers": [] });
        if let Some(session) = session {
            params["sessionId"] = json!(session);
        }
        editor.result(method, &params)
    }

    #[track_caller]
    pub(super) fn talk(&self) -> Talk {
        let (editor, said) = self.start();
        let opened = self.open(&editor, "session/new", None);
        Talk {
            editor,
            session: opened["sessionId"].as_str().unwrap().to_owned(),
            model: self.inner.model.clone(),
            capabilities: said["agentCapabilities"].clone(),
            version: said["agentInfo"]["version"].as_str().map(str::to_owned),
            turns: 0,
            done: 0,
            counts_past: !self.starts_again(),
            opened,
        }
    }
}

/// A directory above which no one else can write, wherever the tests were built.
fn in_private_directory() -> TempDir {
    let parent = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(parent).unwrap();
    TempDir::new_in(parent).unwrap()
}

/// One session, turn after turn.
pub(super) struct Talk {
    pub(super) editor: Editor,
    pub(super) session: String,
    pub(super) model: ScriptedModel,
    /// What the agent answered when the session was opened.
    pub(super) opened: Value,
    pub(super) capabilities: Value,
    version: Option<String>,
    /// Each has a script of its own: what an agent asks about one turn may come when the next has begun.
    turns: usize,
    /// Calls in the session's past, where the model counts them all.
    done: usize,
    counts_past: bool,
}

impl Talk {
    /// One turn in which the model takes these steps, to its end. Gives what the model heard of each.
    #[track_caller]
    pub(super) fn turn(&mut self, steps: Vec<Step>) -> Vec<String> {
        let count = steps.len();
        let past = std::iter::repeat_with(|| Step::new(&[], Value::Null)).take(self.done);
        self.turns += 1;
        let script = format!("turn-{}", self.turns);
        self.model.script(&script, past.chain(steps).collect());
        let text = format!("SCRIPT {script}");
        let prompt = json!([{ "type": "text", "text": text }]);
        let params = json!({ "sessionId": self.session, "prompt": prompt });
        let answer = self.editor.result("session/prompt", &params);
        let mut heard = self.model.heard(&script);
        let all = self.done + count;
        assert!(
            heard.ended && heard.results.len() == all,
            "{answer}: {} of {} + {count} steps: {:#?}\n{}\n{:#}",
            heard.results.len(),
            self.done,
            heard.results,
            self.editor.said(),
            heard.request["messages"],
        );
        assert_eq!(answer["stopReason"], "end_turn", "{answer}");
        let results = heard.results.split_off(heard.results.len() - count);
        if self.counts_past {
            self.done += count;
        }
        results
    }
}

pub(super) fn initialize() -> Value {
    json!({
        "protocolVersion": 1,
        "clientCapabilities": { "fs": { "readTextFile": true, "writeTextFile": true }, "terminal": false },
        "clientInfo": { "name": "it", "version": "1" },
    })
}
