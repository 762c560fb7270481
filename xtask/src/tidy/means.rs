//! Errors of the engine and below name neither a tool nor a command: which of them a reader has, only a face knows.

use std::path::{Path, PathBuf};

use super::map::tools;
use super::word::{has_word, texts};

/// The crates whose errors reach people and models alike.
const BELOW: [&str; 5] = [
    "mk-lsp",
    "mk-playbook",
    "mk-project",
    "mk-store",
    "mk-symbols",
];
const ENGINE: &str = "crates/mk-engine/src";
/// Where the engine words what a model can do next.
const WORDS: &str = "crates/mk-engine/src/next_step.rs";
const COMMAND: &str = "`modekeeper ";

pub(crate) fn check(files: &[(PathBuf, String)]) -> Vec<String> {
    let names: Vec<&str> = tools(files).into_iter().map(|(_, name)| name).collect();
    let is_below = |path: &Path| {
        let files = BELOW.map(|name| format!("crates/{name}/src/error.rs"));
        let is_engine = path.starts_with(ENGINE)
            && path != Path::new(WORDS)
            && !path.starts_with(format!("{ENGINE}/tests"));
        is_engine || files.iter().any(|file| path == Path::new(file))
    };
    let mut problems = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| is_below(path)) {
        // In the engine, what works instead is a hint; its other texts are for one reader.
        let is_advice = |line: &str| !path.starts_with(ENGINE) || line.contains("hint");
        let lines = text.lines().enumerate();
        for (at, line) in lines.filter(|(_, line)| is_advice(line)) {
            let shown = texts(line);
            let tool = names.iter().find(|name| has_word(&shown, name));
            let command = shown.contains(COMMAND).then_some(&COMMAND);
            if let Some(means) = tool.or(command) {
                problems.push(format!(
                    "{}: line {}: `{}`: leave it to the faces (`NextStep`)",
                    path.display(),
                    at + 1,
                    means.trim_matches(['`', ' '])
                ));
            }
        }
    }
    problems
}
