//! One agent, its model, its home and its project.

use std::path::PathBuf;
use std::process::Command;

use mk_testkit::model::{Heard, ScriptedModel, Step};

use super::agent::Agent;
use crate::slow::tools;
use crate::support::sandbox::{Sandbox, bare_command, overwrite, run};

/// Longest an agent may take for one turn: it is waited for by `timeout`, which also ends what it started.
const TURN: &str = "240";

#[derive(Debug)]
pub(super) struct World {
    pub(super) agent: Agent,
    pub(super) model: ScriptedModel,
    pub(super) sandbox: Sandbox,
    programs: PathBuf,
}

impl World {
    pub(super) fn new(agent: Agent) -> Self {
        let world = Self {
            agent,
            model: ScriptedModel::start(),
            sandbox: Sandbox::new(),
            programs: tools::agents().join("bin"),
        };
        world.sandbox.write("README.md", "# An example\n");
        world.sandbox.write("src/main.rs", "fn main() {}\n");
        let git = run(bare_command("git", &world.sandbox.project()).args(["init", "--quiet"]));
        assert!(git.status.success(), "{git:#?}");
        agent.configure(&world);
        world
    }

    /// The absolute path of a file of the project.
    pub(super) fn path(&self, name: &str) -> String {
        self.sandbox.project().join(name).display().to_string()
    }

    /// What a file of the project has now.
    #[track_caller]
    pub(super) fn text(&self, name: &str) -> String {
        let path = self.path(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(super) fn exists(&self, name: &str) -> bool {
        self.sandbox.project().join(name).exists()
    }

    pub(super) fn write_home(&self, name: &str, text: &str) {
        let path = self.sandbox.home().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        overwrite(&path, text.as_bytes());
    }

    /// A program in the project, with a home of its own and nothing else of the outer environment.
    pub(super) fn command(&self, program: &str) -> Command {
        let home = self.sandbox.home();
        let mut command = bare_command("timeout", &self.sandbox.project());
        let search = format!("{}:/usr/local/bin:/usr/bin:/bin", self.programs.display());
        command
            .args(["--kill-after=5", TURN])
            .arg(self.programs.join(program))
            .env_clear()
            .env("PATH", search)
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_DATA_HOME", home.join(".local/share"))
            .env("XDG_STATE_HOME", home.join(".local/state"))
            .env("XDG_CACHE_HOME", home.join(".cache"))
            .env("MODEKEEPER_STATE_DIR", self.sandbox.state())
            .env("TERM", "xterm-256color");
        command
    }

    /// Runs one turn in which the model takes these steps, and gives what the model heard.
    #[track_caller]
    pub(super) fn run(&self, steps: Vec<Step>) -> Heard {
        let count = steps.len();
        self.model.script("main", steps);
        let ran = run(&mut self.agent.command(self, "SCRIPT main"));
        let heard = self.model.heard("main");
        assert!(
            ran.status.success() && heard.results.len() == count,
            "{:?}: {} of {count} steps; {:?}; {ran:#?}",
            self.agent,
            heard.results.len(),
            self.model.requests(),
        );
        heard
    }
}
