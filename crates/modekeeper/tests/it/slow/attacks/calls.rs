//! Calls of our own tools: `tests/attacks/calls.txt`, each tool with every spelling of a path that it must not touch.

use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::Value;

use super::world::{Rights, World};
use crate::support::stdio::Client;

#[derive(Debug, Default)]
struct Corpus {
    /// Aim, modes, tool and arguments; those that stand for themselves have no spelling.
    calls: Vec<(String, Vec<String>, String, Spelled)>,
    spellings: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelled {
    Each,
    Once,
}

fn corpus() -> Corpus {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/attacks/calls.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let mut corpus = Corpus::default();
    let mut header: Vec<String> = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        if let Some(words) = line.strip_prefix("@ ") {
            header = words.split(' ').map(str::to_owned).collect();
            continue;
        }
        match header[0].as_str() {
            "spelling" => corpus.spellings.push((header[1].clone(), line.to_owned())),
            "once" => corpus.calls.push((
                header[1].clone(),
                header[2..].to_vec(),
                line.to_owned(),
                Spelled::Once,
            )),
            aim => corpus.calls.push((
                aim.to_owned(),
                header[1..].to_vec(),
                line.to_owned(),
                Spelled::Each,
            )),
        }
    }
    corpus
}

fn rights(mode: &str) -> (Rights, &'static str) {
    match mode {
        "docs" => (Rights::Markdown, "src/main.py"),
        "reviewer" => (Rights::Nothing, "README.md"),
        _ => (Rights::Project, ".git/config"),
    }
}

/// Links as an agent's shell could have made them.
fn plant(world: &World, target: &str) {
    let at = |name: &str| world.sandbox.project().join(name);
    for (name, leads_to) in [
        ("link-to-root", "."),
        ("link-to-target", target),
        ("link-to-hidden", ".env"),
        ("link-to-secrets", "secrets"),
        ("link-outside", "../home"),
    ] {
        link(leads_to.as_ref(), &at(name));
    }
    link(&Path::new("..").join(target), &at("docs/link-to-target.md"));
}

fn link(leads_to: &Path, name: &Path) {
    if std::fs::symlink_metadata(name).is_ok() {
        std::fs::remove_file(name).unwrap();
    }
    symlink(leads_to, name).unwrap();
}

#[test]
fn no_call_does_what_its_mode_forbids() {
    let mut world = World::new();
    let corpus = corpus();
    let (mut n_calls, mut broke) = (0, String::new());
    for mode in ["docs", "reviewer", "code"] {
        let (rights, target) = rights(mode);
        for (aim, modes, template, spelled) in &corpus.calls {
            if !modes.iter().any(|name| name == mode) {
                continue;
            }
            let spellings: Vec<&str> = match spelled {
                Spelled::Once => vec![""],
                Spelled::Each => {
                    let fitting = corpus.spellings.iter().filter(|(of, _)| of == aim);
                    fitting.map(|(_, spelling)| spelling.as_str()).collect()
                }
            };
            world.keep(|world| plant(world, target));
            let mut client = Client::start(&world.sandbox);
            let session = client.create(mode);
            // All at once: each may wait for an approval that never comes.
            let mut sent = Vec::new();
            for spelling in spellings {
                let line = world.fill(&template.replace("{F}", spelling), target);
                let (tool, arguments) = line.split_once(' ').unwrap();
                let arguments = serde_json::from_str(arguments);
                let mut arguments: Value =
                    arguments.unwrap_or_else(|error| panic!("{line}: {error}"));
                if !tool.starts_with("activate") {
                    arguments["session_id"] = session.clone().into();
                }
                let id = client.post("tools/call", &Client::call_params(tool, &arguments));
                sent.push((id, line.clone()));
            }
            n_calls += sent.len();
            let mut shown = String::new();
            for (id, line) in &sent {
                let answer = client.answer(*id);
                let is_done = answer["error"].is_null() && answer["result"]["isError"] != true;
                if is_done && line.starts_with("activate_project") {
                    let _ = writeln!(broke, "{mode}: {line} activated it");
                }
                shown.push_str(&answer.to_string());
            }
            // The pattern that was searched for may stand in an answer.
            let shown = shown.replace("CANARY.*", "").replace("CANARY[", "");
            if let Some(harm) = world.changes(&shown).harm(rights) {
                let lines: Vec<&str> = sent.iter().map(|(_, line)| line.as_str()).collect();
                let _ = writeln!(broke, "{mode}: one of {lines:?} {harm}");
            }
        }
    }
    let n_broke = broke.lines().count();
    eprintln!(
        "calls: {n_calls}; held {}; broke {n_broke}",
        n_calls - n_broke
    );
    assert!(broke.is_empty(), "{n_broke} calls broke through:\n{broke}");
    assert!(n_calls >= 200, "{n_calls} calls");
}
