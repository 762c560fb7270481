//! Commands that are a person's alone: an agent's shell line that calls one is denied in every mode.
//!
//! Without a wall this is a hurdle, not a proof: a program can be called in ways that no line shows.

use mk_shell::{CommandLine, SimpleCommand, Use};

const PROGRAM: &str = "modekeeper";

/// What an agent may call, by the first word; where there are second words, only with one of these.
const FOR_AGENTS: &[(&str, &[&str])] = &[
    ("acp", &[]),
    ("backups", &["list", "show"]),
    ("check", &[]),
    ("completions", &[]),
    ("config", &["show", "path"]),
    ("doctor", &[]),
    ("exec", &[]),
    ("help", &[]),
    ("hook", &[]),
    ("mcp", &[]),
    ("memories", &["list", "show"]),
    ("modes", &["list", "show", "lint", "check"]),
    ("playbook", &["lint", "list", "show", "search"]),
    ("schema", &[]),
    ("serve", &[]),
    ("status", &[]),
    ("store", &["check"]),
    ("symbols", &[]),
    ("tasks", &["list", "show"]),
];

/// Options in front of the command that take no value.
const HARMLESS_OPTIONS: &[&str] = &["--help", "-h", "--version", "-V", "-v", "-q", "--json"];

/// Words that say what only a person does, for lines that cannot be followed.
const FOR_PERSONS: &[&str] = &[
    "approve",
    "mode",
    "trust",
    "tasks",
    "restore",
    "undo",
    "init",
    "install",
    "uninstall",
    "token",
    "dashboard",
    "config",
    "recover",
    "self",
];

/// The operator's command that a line calls.
pub(super) fn called(line: &CommandLine) -> Option<String> {
    let seen = line.commands.iter().find_map(called_by);
    seen.or_else(|| mentioned(line))
}

fn called_by(command: &SimpleCommand) -> Option<String> {
    let name = command.program();
    if name.strip_suffix(".exe").unwrap_or(name) != PROGRAM {
        return None;
    }
    let arguments = command.words.iter().skip(1).map(String::as_str);
    // An option in front may take the next word as its value: what looks like the command is none then.
    let unclear = arguments
        .clone()
        .take_while(|word| word.starts_with('-'))
        .find(|word| !HARMLESS_OPTIONS.contains(word));
    if let Some(option) = unclear {
        return Some(format!("{PROGRAM} {option}"));
    }
    let mut words = arguments.filter(|word| !word.starts_with('-'));
    let (first, second) = (words.next(), words.next());
    let Some(first) = first else {
        // `modekeeper --help`; but what `xargs` adds cannot be seen.
        let is_option = |word: &String| word.starts_with('-') && !word.contains('$');
        let asks = command.words.iter().skip(1).all(is_option) && command.words.len() > 1;
        return (!asks).then(|| PROGRAM.to_owned());
    };
    let allowed = FOR_AGENTS.iter().find(|(name, _)| *name == first);
    let is_allowed = allowed.is_some_and(|(_, seconds)| {
        seconds.is_empty() || second.is_some_and(|second| seconds.contains(&second))
    });
    let shown = second.map_or_else(|| first.to_owned(), |second| format!("{first} {second}"));
    (!is_allowed).then(|| format!("{PROGRAM} {shown}"))
}

fn mentioned(line: &CommandLine) -> Option<String> {
    let mentions = || line.files.iter().filter(|file| file.access == Use::Mention);
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let program = mentions().any(|file| last(&file.path) == PROGRAM);
    let verb = mentions().find(|file| FOR_PERSONS.contains(&file.path.as_str()));
    // Where the program is seen with what it is asked, that decides.
    let is_seen = line
        .commands
        .iter()
        .any(|command| command.program() == PROGRAM);
    verb.filter(|_| program && !is_seen)
        .map(|verb| format!("{PROGRAM} {}", verb.path))
}
