//! A real agent behind the proxy, with a home, a project and a model of its own.

use std::path::PathBuf;
use std::process::Command;

use mk_testkit::model::{ScriptedModel, Step};
use serde_json::{Value, json};

use super::editor::Editor;
use crate::slow::agents::agent::Agent;
use crate::slow::agents::world::World;
use crate::slow::tools;

#[derive(Debug)]
pub(super) struct AcpWorld {
    pub(super) inner: World,
    programs: PathBuf,
}

impl AcpWorld {
    pub(super) fn new(agent: Agent) -> Self {
        Self {
            inner: World::new(agent),
            programs: tools::acp().join("bin"),
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
        let words: &[&str] = match self.inner.agent {
            Agent::ClaudeCode => &["claude-agent-acp"],
            Agent::Codex => &["codex-acp"],
            Agent::Copilot => &["copilot", "--acp"],
            Agent::Gemini => &["gemini", "--acp", "-m", "gemini-2.5-pro"],
            Agent::Qwen => &["qwen", "--acp"],
            Agent::OpenCode => &["opencode", "acp"],
            Agent::Cline => &["cline", "--acp"],
        };
        let (name, arguments) = words.split_first().unwrap();
        let arguments = arguments.iter().map(|word| (*word).to_owned());
        [program(name)].into_iter().chain(arguments).collect()
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
            done: 0,
            opened,
        }
    }
}

/// One session, turn after turn.
pub(super) struct Talk {
    pub(super) editor: Editor,
    pub(super) session: String,
    pub(super) model: ScriptedModel,
    /// What the agent answered when the session was opened.
    pub(super) opened: Value,
    pub(super) capabilities: Value,
    /// Calls in the session's past: the model counts them all.
    done: usize,
}

impl Talk {
    /// One turn in which the model takes these steps, to its end. Gives what the model heard of each.
    #[track_caller]
    pub(super) fn turn(&mut self, steps: Vec<Step>) -> Vec<String> {
        let count = steps.len();
        let past = std::iter::repeat_with(|| Step::new(&[], Value::Null)).take(self.done);
        self.model.script(SCRIPT, past.chain(steps).collect());
        let text = format!("SCRIPT {SCRIPT}");
        let prompt = json!([{ "type": "text", "text": text }]);
        let params = json!({ "sessionId": self.session, "prompt": prompt });
        let answer = self.editor.result("session/prompt", &params);
        let mut heard = self.model.heard(SCRIPT);
        assert!(
            heard.ended && heard.results.len() == self.done + count,
            "{answer}: {} of {} + {count} steps: {:#?}\n{}",
            heard.results.len(),
            self.done,
            heard.results,
            self.editor.said(),
        );
        assert_eq!(answer["stopReason"], "end_turn", "{answer}");
        let results = heard.results.split_off(self.done);
        self.done += count;
        results
    }
}

const SCRIPT: &str = "main";

pub(super) fn initialize() -> Value {
    json!({
        "protocolVersion": 1,
        "clientCapabilities": { "fs": { "readTextFile": true, "writeTextFile": true }, "terminal": false },
        "clientInfo": { "name": "it", "version": "1" },
    })
}
