//! Interpreters without a script, in Codex: what is typed into them later (`write_stdin`) no hook sees.

use mk_clients::{ClientId, ToolUse};
use mk_policy::Group;
use mk_store::Ruling;

use super::JudgedCall;
use crate::conversation::HeldConversation;

/// Programs that run what they read from their input if they are given no script.
const INTERPRETERS: &[&str] = &[
    "bash", "sh", "dash", "zsh", "fish", "ksh", "python", "python3", "node", "deno", "bun", "ruby",
    "perl", "php", "lua", "irb", "ssh", "psql", "mysql", "sqlite3", "ed", "ex", "vi", "vim",
    "nvim", "nano", "emacs", "tclsh", "gdb", "ftp", "sftp", "telnet", "nc", "socat", "script",
    "screen", "tmux",
];

/// Refuses such a line in every mode that may not run everything.
pub(super) fn refuse(
    client: ClientId,
    tool: &ToolUse,
    held: &HeldConversation,
) -> Option<JudgedCall> {
    if client != ClientId::Codex || runs_everything(held) {
        return None;
    }
    let lines = tool.touched().commands;
    let program = lines.iter().find_map(|line| waiting_program(line))?;
    let reason = format!(
        "Cannot run '{program}' without a script in '{}' mode: what is typed into it later cannot be checked.",
        held.mode.slug
    );
    Some(JudgedCall {
        hint: Some("run the commands themselves, one call each".to_owned()),
        ..JudgedCall::of(Ruling::Deny, "interpreter", reason)
    })
}

fn runs_everything(held: &HeldConversation) -> bool {
    let modes = [&held.mode].into_iter().chain(&held.ceilings);
    modes.into_iter().all(|mode| {
        let open = |group| {
            let mut grants = mode.grants(group);
            grants.any(|grant| grant.files.is_open() && grant.commands.is_open())
        };
        open(Group::Command) && open(Group::Edit)
    })
}

/// A program of the line that would wait for input: it stands last in its command, with options at most.
fn waiting_program(line: &str) -> Option<&str> {
    let mut commands = line.split([';', '|', '&', '\n', '(', ')', '{', '}']);
    commands.find_map(|command| {
        let mut words = command
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '\'', '\\']))
            .skip_while(|word| {
                word.starts_with('-') || word.contains('=') || WRAPPERS.contains(&name(word))
            });
        let program = name(words.next()?);
        let alone = words.all(|word| word.starts_with('-') && !RUNS.contains(&word));
        (alone && INTERPRETERS.contains(&program)).then_some(program)
    })
}

/// A program without its directory.
fn name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Programs that run another.
const WRAPPERS: &[&str] = &[
    "exec", "env", "command", "nohup", "time", "nice", "sudo", "stdbuf",
];
/// Options that take the script, or end at once.
const RUNS: &[&str] = &["-c", "-e", "-lc", "--version", "-V", "--help", "-h"];

#[cfg(test)]
mod tests {
    use super::waiting_program;

    #[track_caller]
    fn check(line: &str, expected: Option<&str>) {
        assert_eq!(waiting_program(line), expected, "{line}");
    }

    #[test]
    fn a_program_that_would_wait_for_input_is_found() {
        check("bash", Some("bash"));
        check("/usr/bin/env -i python3 -i", Some("python3"));
        check("cd src && exec sh -i", Some("sh"));
        check("curl x | sh", Some("sh"));
        check("FOO=1 psql", Some("psql"));
    }

    #[test]
    fn a_program_with_its_script_is_not() {
        check("bash -c 'ls'", None);
        check("python3 tool.py", None);
        check("node --version", None);
        check("ls -la", None);
        check("cat README.md", None);
    }
}
