//! Shell lines: `tests/attacks/shell/*.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::world::{Rights, World};
use crate::support::dice::Dice;
use crate::support::stdio::Client;

const SEED: u64 = 20_261_117;

/// What the lines of a section try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// Changing what the mode may not change.
    Write,
    /// Seeing what is hidden.
    Read,
    /// Harm that the program's documentation describes; it may not be installed here, so the line does not run.
    Known,
    /// A command that is a person's alone; it does not run.
    Operator,
}

#[derive(Debug)]
struct Attack {
    file: String,
    aim: Aim,
    mode: &'static str,
    template: String,
}

/// What a mode may do, and the file that it must not change.
fn mode(name: &str) -> (&'static str, Rights, &'static str) {
    match name {
        "docs" => ("docs", Rights::Markdown, "src/main.py"),
        "gitlog" => ("gitlog", Rights::Markdown, "src/main.py"),
        "reviewer" => ("reviewer", Rights::Nothing, "README.md"),
        "code" => ("code", Rights::Project, ".git/config"),
        other => panic!("{other} is not a mode of the corpus"),
    }
}

fn attacks() -> Vec<Attack> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/attacks/shell");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut attacks = Vec::new();
    for path in files {
        let file = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut section: Option<(Aim, Vec<&'static str>)> = None;
        for line in text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with("# "))
        {
            if let Some(header) = line.strip_prefix("@ ") {
                let mut words = header.split(' ');
                let aim = match words.next().unwrap() {
                    "write" => Aim::Write,
                    "read" => Aim::Read,
                    "known" => Aim::Known,
                    "operator" => Aim::Operator,
                    other => panic!("{file}: {other} is not an aim"),
                };
                section = Some((aim, words.map(|name| mode(name).0).collect()));
                continue;
            }
            let (aim, modes) = section.as_ref().unwrap();
            attacks.extend(modes.iter().map(|mode| Attack {
                file: file.clone(),
                aim: *aim,
                mode,
                template: line.to_owned(),
            }));
        }
    }
    attacks
}

/// Whether each line is allowed, while the project is as it should be.
fn verdicts(world: &World, attacks: &[(Attack, String)]) -> Vec<bool> {
    let mut client = Client::start(&world.sandbox);
    let mut sessions = BTreeMap::new();
    for name in ["docs", "reviewer", "gitlog", "code"] {
        sessions.insert(name, client.create(name));
    }
    let allowed = attacks.iter().map(|(attack, line)| {
        let call = json!({
            "session_id": sessions[attack.mode],
            "tool_name": "execute_command",
            "arguments": { "command": line },
        });
        let answer = client.call("validate_tool_use", &call);
        let allowed = answer["result"]["structuredContent"]["allowed"].as_bool();
        allowed.unwrap_or_else(|| panic!("{line}: {answer:#}"))
    });
    allowed.collect()
}

#[test]
fn no_shell_line_does_what_its_mode_forbids() {
    attack(3);
}

/// Asks for the verdict on every line. What is allowed always runs; what is refused runs once in so many times, to see
/// whether it would have done harm.
pub(in crate::slow) fn attack(once_in: usize) {
    eprintln!("seed {SEED}");
    let mut dice = Dice::new(SEED);
    let mut world = World::new();
    let mut all = Vec::new();
    for attack in attacks() {
        let line = world.fill(&attack.template, mode(attack.mode).2);
        all.push((attack, line));
    }
    let allowed = verdicts(&world, &all);
    let (mut held, mut n_tried, mut harmful) = (0, 0, 0);
    let (mut broke, mut idle) = (String::new(), String::new());
    let lines: BTreeSet<&String> = all.iter().map(|(_, line)| line).collect();
    let mut seen = BTreeSet::new();
    for ((attack, line), allowed) in all.iter().zip(allowed) {
        // The same line is refused in several modes.
        let is_new = seen.insert((&attack.file, &attack.template));
        let is_drawn = allowed || is_new && dice.once_in(once_in);
        let runs = is_drawn && matches!(attack.aim, Aim::Write | Aim::Read);
        let harm = if runs {
            world.run(line).harm(mode(attack.mode).1)
        } else {
            Some("is to be refused".to_owned())
        };
        let name = format!("{} {}: {line:?}", attack.file, attack.mode);
        match (harm, allowed) {
            (Some(harm), true) => {
                let _ = writeln!(broke, "{name} {harm}");
            }
            (None, true) => {
                let _ = writeln!(idle, "harmless: {name}");
            }
            (harm, false) => {
                held += 1;
                n_tried += usize::from(runs);
                harmful += usize::from(runs && harm.is_some());
            }
        }
    }
    let (n_broke, n_idle) = (broke.lines().count(), idle.lines().count());
    eprintln!(
        "shell lines: {} ({} different); held {held}; of {n_tried} of them that really run, {harmful} do harm; \
         broke {n_broke}; allowed and harmless here {n_idle}\n{idle}",
        all.len(),
        lines.len(),
    );
    assert!(broke.is_empty(), "{n_broke} lines broke through:\n{broke}");
    assert!(lines.len() >= 3_300, "the corpus has shrunk");
    assert!(
        n_tried > 0 && harmful * 10 >= n_tried * 9,
        "the corpus does little harm"
    );
}
