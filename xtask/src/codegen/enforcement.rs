//! `docs/enforcement.md` from what the real agents did: the snapshots of the suites `agents` and `acp`, a column for each
//! product, and one for `exec` by itself.
//!
//! Nothing is judged here: a cell says what the run said.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use super::Document;
use crate::workspace;

const SOURCE: &str = "crates/modekeeper/tests/it/slow/snapshots";
/// What `exec` holds by itself.
const EXEC: &str = "crates/modekeeper/tests/it/wall/snapshots/it__wall__enforced__exec.snap";
const TARGET: &str = "docs/enforcement.md";
/// In the order of the atlas.
const AGENTS: [&str; 7] = [
    "claude", "codex", "copilot", "gemini", "qwen", "opencode", "cline",
];
/// Those that were run behind the ACP proxy.
const BEHIND_PROXY: [&str; 6] = ["claude", "codex", "copilot", "gemini", "qwen", "opencode"];

/// One product's run.
#[derive(Debug)]
struct Run {
    title: String,
    /// Mode or case, what was tried, what came of it; in the order of the run.
    rows: Vec<(String, String, String)>,
}

pub(super) fn documents() -> Result<Vec<Document>> {
    let directory = workspace::root().join(SOURCE);
    let runs_of = |suite: &str, agents: &[&str]| {
        let runs = agents.iter().map(|agent| {
            let file = directory.join(format!("it__slow__{suite}__{agent}.snap"));
            Run::read(&file, agent)
        });
        runs.collect::<Result<Vec<_>>>()
    };
    let (runs, proxied) = (runs_of("agents", &AGENTS)?, runs_of("acp", &BEHIND_PROXY)?);
    let exec = Run::read(&workspace::root().join(EXEC), "exec")?;
    Ok(vec![Document {
        path: TARGET,
        text: document(
            &runs.iter().collect::<Vec<_>>(),
            &proxied.iter().collect::<Vec<_>>(),
            &exec,
        ),
    }])
}

impl Run {
    fn read(file: &Path, agent: &str) -> Result<Self> {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("cannot read {}: run ./test agents acp", file.display()))?;
        // insta's own lines stand between two rulers.
        let (_, text) = text
            .split_once("\n---\n")
            .context("a snapshot has a header")?;
        let mut lines = text.lines().filter(|line| !line.is_empty());
        let title = lines.next().context("a snapshot begins with a title")?;
        let rows = lines.map(|line| {
            let mut parts = line.splitn(3, ": ").map(str::to_owned);
            match (parts.next(), parts.next(), parts.next()) {
                (Some(mode), Some(what), Some(outcome)) => Ok((mode, what, outcome)),
                _ => Err(anyhow::anyhow!("{agent}: `{line}` has no outcome")),
            }
        });
        let rows = rows.collect::<Result<Vec<_>>>()?;
        ensure!(!rows.is_empty(), "{agent}: the run tried nothing");
        Ok(Self {
            title: title.to_owned(),
            rows,
        })
    }

    fn has(&self, mode: &str) -> bool {
        self.rows.iter().any(|row| row.0 == mode)
    }

    fn outcome(&self, mode: &str, what: &str) -> &str {
        let found = self.rows.iter().find(|row| row.0 == mode && row.1 == what);
        found.map_or("", |row| row.2.as_str())
    }
}

/// The modes of a run, in its order: slug, heading, and what it means.
const MODES: [(&str, &str, &str); 4] = [
    (
        "architect",
        "In `architect` mode",
        "It reads everything and edits Markdown",
    ),
    (
        "ask",
        "After `modekeeper mode ask`",
        "A person has switched in the same turn. It reads everything and changes nothing",
    ),
    (
        "docs",
        "After `modekeeper mode docs`",
        "A mode of the project that runs commands and edits Markdown. What the script does cannot be read from its \
         line, so it runs inside the wall",
    ),
    (
        "code",
        "After `modekeeper mode code`",
        "A person has switched again. It may change the project",
    ),
];

/// The modes of a run behind the proxy, each with what the person did in the editor.
const PROXIED_MODES: [(&str, &str); 4] = [
    ("architect", "`architect` picked: "),
    ("ask", "then `ask`: "),
    ("code", "then `code`: "),
    ("session", ""),
];

/// What was held in editors.
fn proxied_table(text: &mut String, runs: &[&Run]) {
    let titles: Vec<&str> = runs.iter().map(|run| run.title.as_str()).collect();
    let _ = writeln!(text, "| | {} |", titles.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(runs.len()));
    for (mode, picked) in PROXIED_MODES {
        for what in tried(runs, mode) {
            let cells = runs.iter().map(|run| match run.outcome(mode, what) {
                "" => String::new(),
                outcome if mode == "session" => outcome.to_owned(),
                outcome => cell(mode, what, outcome),
            });
            let cells: Vec<String> = cells.collect();
            let _ = writeln!(text, "| {picked}{what} | {} |", cells.join(" | "));
        }
    }
}

fn document(runs: &[&Run], proxied: &[&Run], exec: &Run) -> String {
    let mut text = String::from(
        "# What is enforced where\n\n\
         <!-- Written by `cargo xtask codegen` from the runs of `./test agents` and `./test acp`. -->\n\n\
         Each agent below was set up by `modekeeper init`, given every permission of its own, and told by a scripted \
         model to do what the left column says; then the file system was looked at.\n\n\
         - **refused**: nothing happened, the model was told why, and the turn went on.\n\
         - **ran in the wall**: the line ran, the kernel refused its effect, and the model read what was refused and why.\n\
         - **refused without our reason**: nothing happened; the product answered with words of its own, or a line found a hidden file empty.\n\
         - **done**: it happened.\n\
         - **NOT HELD**: it happened, and should not have.\n\n\
         The last column is the wall by itself: the same, done by a command under `modekeeper exec`.\n",
    );
    let with_exec: Vec<&Run> = runs.iter().copied().chain([exec]).collect();
    for (mode, title, about) in MODES {
        let _ = write!(text, "\n## {title}\n\n{about}.\n\n");
        table(&mut text, &with_exec, mode, |what, outcome| {
            cell(mode, what, outcome)
        });
    }
    text.push_str(
        "\n## Started by `modekeeper run`\n\n\
         Copilot and Qwen Code lead their shell only if the environment that starts them says so, which `modekeeper run` does. \
         Without it, Modekeeper puts `modekeeper exec` in front of Copilot's lines that it cannot read, and refuses Qwen Code's.\n\n",
    );
    let started: Vec<&Run> = runs
        .iter()
        .copied()
        .filter(|run| run.has("started"))
        .collect();
    table(&mut text, &started, "started", |what, outcome| {
        cell("docs", what, outcome)
    });
    text.push_str(
        "\nCodex has no tool to read files but its shell: in modes without the group `command` it reads with Modekeeper's own tools.\n\
         \n## In an editor, behind `modekeeper acp`\n\n\
         The same agents over the Agent Client Protocol. A person picks the modes in the editor in the middle of one turn (with Gemini, only the last of them; the others between turns), \
         and agrees to whatever the editor asks; nothing was installed for the agent beforehand.\n\n",
    );
    proxied_table(&mut text, proxied);
    text.push_str(
        "\nGemini has no hooks here: it is held by a policy file, restarts when you pick a mode with other rights, and its model gets Modekeeper's \
         reason with the next prompt. It reads files without asking: its own ignore setting hides what `.rooignore` hides, but only where no other user can write to a directory above Modekeeper's state; otherwise its reading is **NOT HELD**. \
         Codex stays in its own read-only sandbox, whatever the mode: its model has to ask before a shell line writes.\n\
         An agent that Modekeeper does not know has no hook: what it asks for, and what it does with the editor's files and terminals, is held; what it does without asking is **NOT HELD**, and is reported.\n\
         \n## What if the guard fails\n\n\
         An edit in `ask` mode, while a part of Modekeeper does not work. The store is ours to answer for; what happens \
         when the hook itself dies is the product's decision, unless a floor lies underneath.\n\n",
    );
    table(&mut text, runs, "fails", |_, outcome| broken(outcome));
    text.push_str(
        "\n`modekeeper init --floor SLUG` also writes the product's own rules, so that it refuses what that mode refuses when the hook is dead:\n\n",
    );
    table(&mut text, runs, "floor", |_, outcome| broken(outcome));
    text.push_str(
        "\nAn empty cell was not run. A hook that takes longer than its time limit lets the call run in Codex, Gemini, \
         Qwen Code and Copilot; ours answers within a second.\n\
         VS Code and Cursor have hooks that Modekeeper answers by their documentation; they were not run.\n\
         Zed, JetBrains, Kilo, Roo, Zoo, Bob, Windsurf, Continue and Junie have none: Modekeeper limits its own MCP tools there, and nothing else.\n",
    );
    text
}

/// What was tried in a mode, in the order of the runs.
fn tried<'a>(runs: &[&'a Run], mode: &str) -> Vec<&'a str> {
    let mut tried: Vec<&str> = Vec::new();
    for row in runs.iter().flat_map(|run| &run.rows) {
        if row.0 == mode && !tried.contains(&row.1.as_str()) {
            tried.push(&row.1);
        }
    }
    tried
}

fn table(text: &mut String, runs: &[&Run], mode: &str, show: impl Fn(&str, &str) -> String) {
    let titles: Vec<&str> = runs.iter().map(|run| run.title.as_str()).collect();
    let _ = writeln!(text, "| | {} |", titles.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(runs.len()));
    for what in tried(runs, mode) {
        let cells = runs.iter().map(|run| match run.outcome(mode, what) {
            "" => String::new(),
            outcome => show(what, outcome),
        });
        let _ = writeln!(
            text,
            "| {what} | {} |",
            cells.collect::<Vec<_>>().join(" | ")
        );
    }
}

/// What a mode allows is done, everything else must not be.
fn cell(mode: &str, what: &str, outcome: &str) -> String {
    let allowed = match (mode, what) {
        (_, "read an ignored file" | "search through an ignored file") => false,
        (_, "read a file" | "write docs/new.md" | "write docs/new.md by a script")
        | ("code", _) => true,
        _ => false,
    };
    match (allowed, outcome) {
        (false, "done") => "**NOT HELD**".to_owned(),
        _ => outcome.to_owned(),
    }
}

fn broken(outcome: &str) -> String {
    match outcome {
        "done" => "**NOT HELD**".to_owned(),
        other => other.to_owned(),
    }
}
