//! One agent, its model, its home and its project.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use mk_testkit::model::{Heard, ScriptedModel, Step};

use super::agent::{Agent, OwnRules, Starter};
use crate::slow::tools;
use crate::support::sandbox::{Ran, Sandbox, bare_command, overwrite, run};

/// Longest an agent may take for one turn: it is waited for by `timeout`, which also ends what it started.
const TURN: &str = "600";

#[derive(Debug)]
pub(in crate::slow) struct World {
    pub(in crate::slow) agent: Agent,
    pub(in crate::slow) model: ScriptedModel,
    pub(in crate::slow) sandbox: Arc<Sandbox>,
    programs: PathBuf,
}

impl World {
    pub(in crate::slow) fn new(agent: Agent) -> Self {
        let world = Self {
            agent,
            model: ScriptedModel::start(),
            sandbox: Arc::new(Sandbox::new()),
            programs: tools::agents().join("bin"),
        };
        world.link_agent();
        world.sandbox.write("README.md", "# An example\n");
        world.sandbox.write("src/main.rs", "fn main() {}\n");
        let git = run(bare_command("git", &world.sandbox.project()).args(["init", "--quiet"]));
        assert!(git.status.success(), "{git:#?}");
        agent.configure(&world);
        world
    }

    /// The absolute path of a file of the project.
    pub(in crate::slow) fn path(&self, name: &str) -> String {
        self.sandbox.project().join(name).display().to_string()
    }

    /// What a file of the project has now.
    #[track_caller]
    pub(in crate::slow) fn text(&self, name: &str) -> String {
        let path = self.path(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(in crate::slow) fn exists(&self, name: &str) -> bool {
        self.sandbox.project().join(name).exists()
    }

    pub(in crate::slow) fn write_home(&self, name: &str, text: &str) {
        let path = self.sandbox.home().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        overwrite(&path, text.as_bytes());
    }

    /// A program in the project, with a home of its own and nothing else of the outer environment.
    pub(in crate::slow) fn command(&self, program: &Path) -> Command {
        let home = self.sandbox.home();
        let mut command = bare_command("timeout", &self.sandbox.project());
        command
            .args(["--kill-after=5", TURN])
            .arg(program)
            .env_clear()
            .env("PATH", self.search_path())
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_DATA_HOME", home.join(".local/share"))
            .env("XDG_STATE_HOME", home.join(".local/state"))
            .env("XDG_CACHE_HOME", home.join(".cache"))
            .env("MODEKEEPER_STATE_DIR", self.sandbox.state())
            .env("MODEKEEPER_HOOK_DEADLINE", "30000")
            .env("TERM", "xterm-256color");
        command
    }

    /// What a person does once: `modekeeper init` in the project. Gives what it said.
    #[track_caller]
    pub(in crate::slow) fn init(&self, arguments: &[&str]) -> String {
        let mut command = self.sandbox.command(&["init", "--yes"]);
        command.args(arguments).env("PATH", self.search_path());
        let ran = run(&mut command);
        assert!(ran.status.success(), "{ran:#?}");
        ran.stdout
    }

    /// The program of the agent.
    pub(super) fn agent_program(&self) -> PathBuf {
        self.programs.join(self.agent.program())
    }

    /// Our program where `init` puts it.
    pub(in crate::slow) fn program(&self) -> PathBuf {
        self.sandbox
            .home()
            .join(".local/share/modekeeper/bin/modekeeper")
    }

    pub(in crate::slow) fn restore_program(&self) {
        std::fs::copy(crate::support::sandbox::BINARY, self.program()).unwrap();
    }

    /// A machine on which this agent is the only one.
    pub(in crate::slow) fn search_path(&self) -> String {
        format!("{}:/usr/local/bin:/usr/bin:/bin", self.bin().display())
    }

    pub(in crate::slow) fn bin(&self) -> PathBuf {
        self.sandbox.root().join("bin")
    }

    fn link_agent(&self) {
        std::fs::create_dir_all(self.bin()).unwrap();
        for name in [self.agent.program(), "node"] {
            let program = self.programs.join(name).canonicalize().unwrap();
            std::os::unix::fs::symlink(program, self.bin().join(name)).unwrap();
        }
    }

    /// Runs one turn in which the model takes these steps, and gives what the model heard.
    #[track_caller]
    pub(in crate::slow) fn run(&self, steps: Vec<Step>) -> Heard {
        self.run_with(steps, OwnRules::Bypassed, Starter::Itself)
    }

    #[track_caller]
    pub(in crate::slow) fn run_with(
        &self,
        steps: Vec<Step>,
        rules: OwnRules,
        starter: Starter,
    ) -> Heard {
        let count = steps.len();
        let (ran, heard) = self.take(steps, rules, starter);
        assert!(
            ran.status.success() && heard.results.len() == count,
            "{:?}: {} of {count} steps; {:?}; {ran:#?}",
            self.agent,
            heard.results.len(),
            self.model.requests(),
        );
        heard
    }

    /// The same where the agent may call tools by itself, too: Copilot reads what a line in the background has written
    /// when it ends, whenever that is.
    #[track_caller]
    pub(super) fn run_to_its_end(&self, steps: Vec<Step>) -> Heard {
        let (ran, heard) = self.take(steps, OwnRules::Bypassed, Starter::Itself);
        assert!(ran.status.success() && heard.ended, "{ran:#?}\n{heard:#?}");
        heard
    }

    fn take(&self, steps: Vec<Step>, rules: OwnRules, starter: Starter) -> (Ran, Heard) {
        self.model.script("main", steps);
        let ran = run(&mut self.agent.command(self, "SCRIPT main", rules, starter));
        (ran, self.model.heard("main"))
    }
}
