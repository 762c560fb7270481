//! The arguments of `exec`, read by hand: a parser for all commands would cost more than the wall.

use std::ffi::OsString;
use std::path::PathBuf;

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) mode: Option<String>,
    pub(super) project_root: Option<PathBuf>,
    /// Program and arguments; never empty.
    pub(super) command: Vec<OsString>,
}

/// Why nothing runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Usage {
    Help,
    /// Only whether this process is inside.
    Inside,
    Wrong(String),
}

pub(super) fn parse(words: impl Iterator<Item = OsString>) -> Result<Arguments, Usage> {
    let mut arguments = Arguments::default();
    let mut words = words;
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(OsString::from(value))),
            None => (text, None),
        };
        let mut value = || {
            let value = value.clone().or_else(|| words.next());
            value.ok_or_else(|| Usage::Wrong(format!("`{name}` needs a value")))
        };
        match name.as_str() {
            "--" => {
                arguments.command = words.collect();
                break;
            }
            "-h" | "--help" => return Err(Usage::Help),
            "--inside" => return Err(Usage::Inside),
            "--mode" => {
                let mode = value()?.into_string();
                arguments.mode = Some(mode.map_err(|_| Usage::Wrong("a mode is text".to_owned()))?);
            }
            "--project-root" => arguments.project_root = Some(value()?.into()),
            other => {
                return Err(Usage::Wrong(format!(
                    "unexpected argument `{other}`; put `--` before the command"
                )));
            }
        }
    }
    if arguments.command.is_empty() {
        return Err(Usage::Wrong("no command given".to_owned()));
    }
    Ok(arguments)
}

impl Arguments {
    /// The line as an agent would have written it.
    pub(super) fn line(&self) -> String {
        line_of(&self.command)
    }
}

/// The line that a shell is given, or the words of a plain command.
pub(super) fn line_of(command: &[OsString]) -> String {
    let words: Vec<String> = command
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let is_shell = words.first().is_some_and(|program| {
        let name = program.rsplit('/').next();
        matches!(name, Some("sh" | "bash" | "dash" | "zsh"))
    });
    match words.as_slice() {
        [_, option, line, ..] if is_shell && option.starts_with('-') && option.ends_with('c') => {
            line.clone()
        }
        words => words
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" "),
    }
}

fn quoted(word: &str) -> String {
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_./=:,+@%".contains(it);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[track_caller]
    fn check(given: &str, expected: Result<(Option<&str>, &str), &str>) {
        let parsed = parse(words(given).into_iter());
        match (parsed, expected) {
            (Ok(arguments), Ok((mode, command))) => {
                assert_eq!(arguments.mode.as_deref(), mode, "{given}");
                assert_eq!(arguments.command, words(command), "{given}");
            }
            (Err(Usage::Wrong(reason)), Err(expected)) => assert_eq!(reason, expected, "{given}"),
            other => panic!("{given}: {other:?}"),
        }
    }

    #[test]
    fn everything_after_two_dashes_is_the_command() {
        check("-- ls --mode x", Ok((None, "ls --mode x")));
        check("--mode docs -- ls", Ok((Some("docs"), "ls")));
        check("--mode=docs -- ls", Ok((Some("docs"), "ls")));
        check("--mode", Err("`--mode` needs a value"));
        check("--mode docs --", Err("no command given"));
        check(
            "ls",
            Err("unexpected argument `ls`; put `--` before the command"),
        );
    }

    #[test]
    fn a_shell_s_line_is_its_argument() {
        let line = |text: &[&str]| {
            let words: Vec<OsString> = text.iter().map(OsString::from).collect();
            line_of(&words)
        };
        assert_eq!(line(&["/bin/bash", "-c", "ls; rm x"]), "ls; rm x");
        assert_eq!(line(&["bash", "-lc", "ls"]), "ls");
        assert_eq!(line(&["rm", "a b", "it's"]), r"rm 'a b' 'it'\''s'");
    }
}
