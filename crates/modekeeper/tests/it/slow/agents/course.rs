//! The course that every agent is sent through after `modekeeper init`: one turn, three modes, nothing but our own
//! installation in its home.

use std::path::PathBuf;

use super::agent::{Agent, OwnRules, Starter};
use super::trial::{Looks, Outcome, Trace, Trial, script};
use super::world::World;

/// Words that the model must never see.
const HIDDEN: &str = "HIDDEN-WORDS";
const OUTSIDE: &str = "OUTSIDE-WORDS";

/// A mode whose commands must be held by the kernel.
const MODES: &str = r"customModes:
  - slug: docs
    name: Docs
    roleDefinition: You write documents.
    groups: [read, command, [edit, {fileRegex: '\.md$'}]]
";

/// What came of each trial, in order.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) agent: Agent,
    pub(super) rows: Vec<(&'static str, &'static str, Outcome)>,
    /// What the model was given for each row.
    pub(super) results: Vec<String>,
    pub(super) ended: bool,
}

impl Report {
    /// A line for each trial, for the table in `docs/enforcement.md`.
    pub(super) fn lines(&self) -> String {
        let rows = self.rows.iter();
        let lines = rows.map(|(mode, what, outcome)| format!("{mode}: {what}: {outcome}\n"));
        lines.collect()
    }
}

/// What must hold in every product, whatever its table says.
#[track_caller]
pub(super) fn check(report: &Report) {
    let said = report.results.join("\n");
    assert!(report.ended, "{said}");
    // Started by itself, its shell is not led, and its hook cannot change a line.
    let refuses_scripts = report.agent == Agent::Qwen;
    for ((mode, what, outcome), result) in report.rows.iter().zip(&report.results) {
        let happened = *outcome == Outcome::Happened;
        let expected = match (*mode, *what) {
            (_, "read an ignored file" | "search through an ignored file") => Some(false),
            // Codex reads with its shell, and where modes may not run commands, not at all.
            (_, "read a file" | "read outside the project") => None,
            ("architect", "write docs/new.md") => Some(true),
            ("docs", "write docs/new.md by a script") => Some(!refuses_scripts),
            ("code", _) => Some(true),
            _ => Some(false),
        };
        let fits = expected.is_none_or(|expected| expected == happened);
        assert!(fits, "{mode}: {what}: {outcome}\n{result}");
    }
}

/// Files that the course needs besides the world's own.
pub(super) fn prepare(world: &World) {
    let sandbox = &world.sandbox;
    sandbox.write(".rooignore", "secret.txt\n");
    sandbox.write("secret.txt", format!("{HIDDEN}\n"));
    for name in ["src/moved.rs", "src/deleted.rs"] {
        sandbox.write(name, "fn main() {}\n");
    }
    sandbox.write(".roomodes", MODES);
    for mode in ["architect", "ask", "code"] {
        sandbox.write(format!("src/read_{mode}.rs"), "fn readable() {}\n");
    }
    sandbox.write("docs/plan.md", "# A plan\n");
    sandbox.write(sandbox.root().join("outside.txt"), format!("{OUTSIDE}\n"));
}

/// Sends the agent through the course.
#[track_caller]
pub(super) fn run(world: &World) -> Report {
    let mut trials = trials(world);
    for mode in ["architect", "ask", "code"] {
        let path = world.path(&format!("src/child_{mode}.rs"));
        let mut steps = vec![world.agent.write(&path, "fn child() {}\n")];
        steps.extend(world.agent.end_of_child());
        world.model.script(&format!("child-{mode}"), steps);
    }
    let modes: Vec<&'static str> = trials.iter().map(|trial| trial.mode).collect();
    let person = std::sync::Arc::clone(&world.sandbox);
    let between = Box::new(move |at: usize| {
        let mode = modes[at];
        let same = at.checked_sub(1).is_none_or(|before| modes[before] == mode);
        let person = std::sync::Arc::clone(&person);
        let act: Box<dyn FnOnce() + Send> = Box::new(move || {
            person.ok(&["mode", mode]);
        });
        (!same).then_some(act)
    });
    let looks = Looks::new(&world.model);
    let steps = looks.steps(&mut trials, between);
    let heard = world.run(steps);
    let outcomes = looks.outcomes(&trials, &heard.results);
    let told = trials.iter().zip(outcomes).zip(heard.results);
    let told = told.filter(|((trial, _), _)| !matches!(trial.trace, Trace::Nothing));
    let (rows, results) = told
        .map(|((trial, outcome), result)| ((trial.mode, trial.what, outcome), result))
        .unzip();
    Report {
        agent: world.agent,
        rows,
        results,
        ended: heard.ended,
    }
}

/// The lines that cannot be read once more, with the agent started by `modekeeper run`.
#[track_caller]
pub(super) fn run_started(world: &World) -> Report {
    world.sandbox.ok(&["mode", "docs"]);
    let mut list = List {
        world,
        trials: Vec::new(),
    };
    for (what, name) in [
        ("write src/new.rs by a script", "src/started.rs"),
        ("write docs/new.md by a script", "docs/started.md"),
    ] {
        list.add("started", what, |agent, it| {
            (agent.shell(&script(name)), it.made(name))
        });
    }
    let mut trials = list.trials;
    let looks = Looks::new(&world.model);
    let steps = looks.steps(&mut trials, Box::new(|_| None));
    let heard = world.run_with(steps, OwnRules::Bypassed, Starter::Modekeeper);
    let outcomes = looks.outcomes(&trials, &heard.results);
    assert_eq!(outcomes, [Outcome::Walled, Outcome::Happened], "{heard:#?}");
    let rows = trials.iter().zip(outcomes);
    Report {
        agent: world.agent,
        rows: rows
            .map(|(trial, outcome)| (trial.mode, trial.what, outcome))
            .collect(),
        results: heard.results,
        ended: heard.ended,
    }
}

fn trials(world: &World) -> Vec<Trial> {
    let mut list = List {
        world,
        trials: Vec::new(),
    };
    list.reads("architect");
    list.changes("architect");
    list.add("architect", "write docs/new.md", |agent, it| {
        (
            agent.write(&it.text("docs/new.md"), "new\n"),
            it.made("docs/new.md"),
        )
    });
    list.reads("ask");
    list.add("ask", "write docs/asked.md", |agent, it| {
        (
            agent.write(&it.text("docs/asked.md"), "new\n"),
            it.made("docs/asked.md"),
        )
    });
    list.changes("ask");
    list.scripts();
    list.reads("code");
    list.changes("code");
    list.trials
}

struct List<'a> {
    world: &'a World,
    trials: Vec<Trial>,
}

/// Paths of the project, as the model names them and as the test looks at them.
struct Paths<'a>(&'a World);

impl Paths<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.0.sandbox.project().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.0.path(name)
    }

    fn made(&self, name: &str) -> Trace {
        Trace::Made(self.path(name))
    }
}

impl List<'_> {
    fn add(
        &mut self,
        mode: &'static str,
        what: &'static str,
        make: impl FnOnce(Agent, &Paths<'_>) -> (mk_testkit::model::Step, Trace),
    ) {
        let (step, trace) = make(self.world.agent, &Paths(self.world));
        self.trials.push(Trial {
            mode,
            what,
            step,
            trace,
            child: None,
        });
    }

    fn reads(&mut self, mode: &'static str) {
        self.add(mode, "read a file", |agent, it| {
            // Products give nothing where the model has read a file before.
            let name = format!("src/read_{mode}.rs");
            (agent.read(&it.text(&name)), Trace::Heard("readable"))
        });
        self.add(mode, "read an ignored file", |agent, it| {
            (agent.read(&it.text("secret.txt")), Trace::Heard(HIDDEN))
        });
        // Not the whole word: products repeat what was asked for.
        self.add(mode, "search through an ignored file", |agent, _| {
            (agent.search("HIDDEN-"), Trace::Heard(HIDDEN))
        });
        let outside = self.world.sandbox.root().join("outside.txt");
        self.add(mode, "read outside the project", |agent, _| {
            let path = outside.display().to_string();
            (agent.read(&path), Trace::Heard(OUTSIDE))
        });
    }

    /// Lines that cannot be read, in a mode that may run commands and edits Markdown.
    fn scripts(&mut self) {
        for (what, name) in [
            ("write src/new.rs by a script", "src/by_script.rs"),
            ("write docs/new.md by a script", "docs/by_script.md"),
        ] {
            self.add("docs", what, |agent, it| {
                (agent.shell(&script(name)), it.made(name))
            });
        }
    }

    /// Every way to change the project. Files have the mode in their names, so that one mode's traces are no other's.
    fn changes(&mut self, mode: &'static str) {
        let name = |what: &str| format!("src/{what}_{mode}.rs");
        // Products edit only what was read.
        self.add(mode, "read before an edit", |agent, it| {
            (agent.read(&it.text("src/main.rs")), Trace::Nothing)
        });
        let marked: &'static str = match mode {
            "architect" => "fn main() {} // architect",
            "ask" => "fn main() {} // ask",
            _ => "fn main() {} // code",
        };
        self.add(mode, "edit a file", |agent, it| {
            let step = agent.edit(&it.text("src/main.rs"), "fn main() {}", marked);
            (step, Trace::Has(it.path("src/main.rs"), marked))
        });
        self.add(mode, "write a new file", |agent, it| {
            let name = name("new");
            (
                agent.write(&it.text(&name), "fn new() {}\n"),
                it.made(&name),
            )
        });
        self.add(mode, "write by the shell", |agent, it| {
            let name = name("shell");
            (agent.shell(&format!("touch {name}")), it.made(&name))
        });
        self.add(mode, "write by a script", |agent, it| {
            let name = name("script");
            (agent.shell(&script(&name)), it.made(&name))
        });
        self.add(mode, "write by our MCP tool", |agent, it| {
            let name = name("mcp");
            (agent.own_write(&name), it.made(&name))
        });
        self.add(mode, "write by a subagent", |agent, it| {
            (agent.delegate(mode), it.made(&name("child")))
        });
        if let Some(last) = self.trials.last_mut() {
            last.child = Some(format!("child-{mode}"));
        }
        self.add(mode, "move a file", |agent, it| {
            let (from, to) = (it.text("src/moved.rs"), it.text(&name("moved")));
            (agent.rename(&from, &to), it.made(&name("moved")))
        });
        self.add(mode, "delete a file", |agent, it| {
            let trace = Trace::Gone(it.path("src/deleted.rs"));
            (agent.delete(&it.text("src/deleted.rs")), trace)
        });
    }
}
