//! The course that every agent is sent through behind the proxy: one session, one turn, a person who changes the mode in
//! the middle of it.

use serde_json::json;

use super::editor::Editor;
use super::world::{AcpWorld, Talk};
use crate::slow::agents::agent::Agent;
use crate::slow::agents::trial::{Looks, Outcome, Trace, Trial};

/// Words that the model must never see.
const HIDDEN: &str = "HIDDEN-WORDS";

/// What came of each trial, in order.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) rows: Vec<(&'static str, &'static str, Outcome)>,
    pub(super) results: Vec<String>,
}

/// How the person changes the mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setter {
    Mode,
    Option,
}

/// Changes the mode as a person at the editor does, and waits for the answer.
#[track_caller]
pub(super) fn set_mode(editor: &Editor, session: &str, mode: &str, setter: Setter) {
    match setter {
        Setter::Mode => {
            let params = json!({ "sessionId": session, "modeId": mode });
            editor.result("session/set_mode", &params);
        }
        Setter::Option => {
            let params = json!({ "sessionId": session, "configId": "mode", "value": mode });
            let answer = editor.result("session/set_config_option", &params);
            let option = &answer["configOptions"][0];
            assert_eq!(option["currentValue"], mode, "{answer:#}");
        }
    }
}

pub(super) fn prepare(world: &AcpWorld) {
    let sandbox = &world.inner.sandbox;
    sandbox.write(".rooignore", "secret.txt\n");
    sandbox.write("secret.txt", format!("{HIDDEN}\n"));
    sandbox.write("src/readable.rs", "fn readable() {}\n");
    sandbox.write("src/deleted.rs", "fn main() {}\n");
    sandbox.write("docs/plan.md", "# A plan\n");
}

/// What the model tries, each with the mode that holds it and the setter that brought that mode.
fn trials(world: &AcpWorld) -> Vec<(Setter, Trial)> {
    let agent = world.inner.agent;
    let text = |name: &str| world.inner.path(name);
    let path = |name: &str| world.inner.sandbox.project().join(name);
    let made = |name: &str| Trace::Made(path(name));
    let write = |name: &str| (agent.write(&text(name), "new\n"), made(name));
    let changed = "fn main() {} // changed";
    let edit = |name: &str| {
        (
            agent.edit(&text(name), "fn main() {}", changed),
            Trace::Has(path(name), changed),
        )
    };
    let touch = |name: &str| (agent.shell(&format!("touch {name}")), made(name));
    let delete = |name: &str| (agent.delete(&text(name)), Trace::Gone(path(name)));
    let read = |name: &str, words| (agent.read(&text(name)), Trace::Heard(words));
    let architect = |what, it| (Setter::Mode, "architect", what, it);
    let list = vec![
        architect("read a file", read("src/readable.rs", "fn readable")),
        architect("read an ignored file", read("secret.txt", HIDDEN)),
        architect("", (agent.read(&text("src/main.rs")), Trace::Nothing)),
        architect("edit a file", edit("src/main.rs")),
        architect("write a new file", write("src/new.rs")),
        architect("write by the shell", touch("src/shell.rs")),
        architect("delete a file", delete("src/deleted.rs")),
        architect("write docs/new.md", write("docs/new.md")),
        (
            Setter::Option,
            "ask",
            "write docs/asked.md",
            write("docs/asked.md"),
        ),
        (Setter::Mode, "code", "edit a file", edit("src/main.rs")),
        (
            Setter::Mode,
            "code",
            "write by the shell",
            touch("src/free.rs"),
        ),
        (
            Setter::Mode,
            "code",
            "delete a file",
            delete("src/deleted.rs"),
        ),
        (
            Setter::Option,
            "architect",
            "write after a switch back",
            write("src/late.rs"),
        ),
    ];
    let trial = |(setter, mode, what, (step, trace))| {
        let child = None;
        let trial = Trial {
            mode,
            what,
            step,
            trace,
            child,
        };
        (setter, trial)
    };
    list.into_iter().map(trial).collect()
}

/// Sends the agent through the course, in one turn. One whose rules are read at its start only has a turn for each mode
/// that allows more or other things than the one before; the last switch is in the middle of a turn there, too.
#[track_caller]
pub(super) fn run(world: &AcpWorld, talk: &mut Talk) -> Rows {
    let mut trials = trials(world);
    if !world.starts_again() {
        return take_turn(talk, trials);
    }
    let begins = |mode| {
        let found = trials.iter().position(|(_, trial)| trial.mode == mode);
        found.unwrap()
    };
    let (ask, code) = (begins("ask"), begins("code"));
    let last = trials.split_off(code);
    let second = trials.split_off(ask);
    let mut rows = take_turn(talk, trials);
    for turn in [second, last] {
        let Rows {
            rows: next,
            results,
        } = take_turn(talk, turn);
        rows.rows.extend(next);
        rows.results.extend(results);
    }
    rows
}

/// One turn, in whose middle a person changes the mode.
#[track_caller]
fn take_turn(talk: &mut Talk, turn: Vec<(Setter, Trial)>) -> Rows {
    let (setters, mut trials): (Vec<Setter>, Vec<Trial>) = turn.into_iter().unzip();
    let modes: Vec<&'static str> = trials.iter().map(|trial| trial.mode).collect();
    let (editor, session) = (talk.editor.clone(), talk.session.clone());
    set_mode(&editor, &session, modes[0], setters[0]);
    let between = Box::new(move |at: usize| {
        let before = at.checked_sub(1);
        let same = before.is_none_or(|before| modes[before] == modes[at]);
        let (mode, setter) = (modes[at], setters[at]);
        let (editor, session) = (editor.clone(), session.clone());
        let act: Box<dyn FnOnce() + Send> =
            Box::new(move || set_mode(&editor, &session, mode, setter));
        (!same).then_some(act)
    });
    let looks = Looks::new(&talk.model);
    let results = talk.turn(looks.steps(&mut trials, between));
    let outcomes = looks.outcomes(&trials, &results);
    let rows = trials.iter().zip(outcomes);
    Rows {
        rows: rows
            .filter(|(trial, _)| !matches!(trial.trace, Trace::Nothing))
            .map(|(trial, outcome)| (trial.mode, trial.what, outcome))
            .collect(),
        results,
    }
}

impl Rows {
    /// A line for each trial, for the table of what is enforced.
    pub(super) fn lines(&self) -> String {
        let lines = self.rows.iter();
        lines
            .map(|(mode, what, outcome)| format!("{mode}: {what}: {outcome}\n"))
            .collect()
    }

    /// What must hold in every product, whatever its table says.
    #[track_caller]
    pub(super) fn check(&self, agent: Agent) {
        let said = self.results.join("\n");
        for (mode, what, outcome) in &self.rows {
            let expected = match (*mode, *what) {
                // Codex reads with its shell, which architect may not use.
                (_, "read a file") => continue,
                // It stays in its own sandbox that only reads, unless the model asks to leave it.
                ("code", "write by the shell") if agent == Agent::Codex => continue,
                ("code", _) | (_, "write docs/new.md") => true,
                _ => false,
            };
            let happened = *outcome == Outcome::Happened;
            assert_eq!(happened, expected, "{mode}: {what}: {outcome}\n{said}");
        }
    }
}
