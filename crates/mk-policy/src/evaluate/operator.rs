//! Commands that are a person's alone: an agent's shell line that calls one is denied in every mode.
//!
//! Without a wall this is a hurdle, not a proof: a program can be called in ways that no line shows.

use mk_shell::{CommandLine, SimpleCommand, UseOfFile};

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
    ("explain", &[]),
    ("help", &[]),
    ("hook", &[]),
    ("index", &[]),
    ("log", &[]),
    ("lsp", &["list"]),
    ("man", &[]),
    ("mcp", &[]),
    ("memories", &["list", "show"]),
    ("modes", &["list", "show", "lint", "check", "prompt"]),
    ("playbook", &["lint", "list", "show", "search"]),
    ("run", &[]),
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
    "pause",
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

/// Whether an agent may call the command of ours with these words. Every other is a person's.
pub fn agents_may_call(words: &[&str]) -> bool {
    let (first, second) = (words.first(), words.get(1));
    let mut known = FOR_AGENTS.iter();
    first.is_some_and(|first| {
        known.any(|(name, seconds)| {
            let fits = |second: &&str| seconds.contains(second);
            name == first && (seconds.is_empty() || second.is_some_and(fits))
        })
    })
}

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
    let called: Vec<&str> = [first].into_iter().chain(second).collect();
    let shown = second.map_or_else(|| first.to_owned(), |second| format!("{first} {second}"));
    (!agents_may_call(&called)).then(|| format!("{PROGRAM} {shown}"))
}

fn mentioned(line: &CommandLine) -> Option<String> {
    let mentions = || {
        line.files
            .iter()
            .filter(|file| file.access == UseOfFile::Mention)
    };
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
