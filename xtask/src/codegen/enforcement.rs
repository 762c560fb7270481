//! `docs/enforcement.md` from what the real agents did: the snapshots of the suite `agents`, a column for each product.
//!
//! Nothing is judged here: a cell says what the run said.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use super::Document;
use crate::workspace;

const SOURCE: &str = "crates/modekeeper/tests/it/slow/snapshots";
const TARGET: &str = "docs/enforcement.md";
/// In the order of the atlas.
const AGENTS: [&str; 7] = [
    "claude", "codex", "copilot", "gemini", "qwen", "opencode", "cline",
];

/// One product's run.
#[derive(Debug)]
struct Run {
    title: String,
    /// Mode or case, what was tried, what came of it; in the order of the run.
    rows: Vec<(String, String, String)>,
}

pub(super) fn documents() -> Result<Vec<Document>> {
    let directory = workspace::root().join(SOURCE);
    let runs = AGENTS.iter().map(|agent| Run::read(&directory, agent));
    let runs = runs.collect::<Result<Vec<_>>>()?;
    Ok(vec![Document {
        path: TARGET,
        text: document(&runs.iter().collect::<Vec<_>>()),
    }])
}

impl Run {
    fn read(directory: &Path, agent: &str) -> Result<Self> {
        let file = directory.join(format!("it__slow__agents__{agent}.snap"));
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}: run ./test agents", file.display()))?;
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

fn document(runs: &[&Run]) -> String {
    let mut text = String::from(
        "# What is enforced where\n\n\
         <!-- Written by `cargo xtask codegen` from the run of `./test agents`. -->\n\n\
         Each agent below was set up by `modekeeper init`, given every permission of its own, and told by a scripted \
         model to do what the left column says; then the file system was looked at.\n\n\
         - **refused**: nothing happened, the model was told why, and the turn went on.\n\
         - **ran in the wall**: the line ran, the kernel refused its effect, and the model read what was refused and why.\n\
         - **refused without our reason**: nothing happened; the product answered with words of its own.\n\
         - **done**: it happened.\n\
         - **NOT HELD**: it happened, and should not have.\n",
    );
    for (mode, title, about) in MODES {
        let _ = write!(text, "\n## {title}\n\n{about}.\n\n");
        table(&mut text, runs, mode, |what, outcome| {
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

fn table(text: &mut String, runs: &[&Run], mode: &str, show: impl Fn(&str, &str) -> String) {
    let mut tried: Vec<&str> = Vec::new();
    for row in runs.iter().flat_map(|run| &run.rows) {
        if row.0 == mode && !tried.contains(&row.1.as_str()) {
            tried.push(&row.1);
        }
    }
    let titles: Vec<&str> = runs.iter().map(|run| run.title.as_str()).collect();
    let _ = writeln!(text, "| | {} |", titles.join(" | "));
    let _ = writeln!(text, "|---|{}", "---|".repeat(runs.len()));
    for what in tried {
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
        (_, "read an ignored file") => false,
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
