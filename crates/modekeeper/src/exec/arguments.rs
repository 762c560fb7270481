//! The arguments of `exec`, read by hand: a parser for all commands would cost more than the wall.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use mk_types::PermitId;

use super::server::ServerKind;

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ExecArguments {
    pub(super) mode: Option<String>,
    pub(super) time_limit: Option<Duration>,
    pub(super) project_root: Option<PathBuf>,
    /// An agent's shell asks: where no mode is set, nothing is held.
    pub(super) is_shell: bool,
    /// The permit that our own server has stored for this command.
    pub(super) permit: Option<PermitId>,
    /// A language server or its installer, which has rights of its own.
    pub(super) server: Option<ServerKind>,
    /// Program and arguments; never empty.
    pub(super) command: Vec<OsString>,
}

/// Why nothing runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum UsageError {
    Help,
    /// Only whether this process is inside.
    Inside,
    Wrong(String),
}

pub(super) fn parse(words: impl Iterator<Item = OsString>) -> Result<ExecArguments, UsageError> {
    let mut arguments = ExecArguments::default();
    let mut words = words;
    while let Some(word) = words.next() {
        let text = word.to_string_lossy().into_owned();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(OsString::from(value))),
            None => (text, None),
        };
        let mut value = || {
            let value = value.clone().or_else(|| words.next());
            value.ok_or_else(|| UsageError::Wrong(format!("`{name}` needs a value")))
        };
        match name.as_str() {
            "--" => {
                arguments.command = words.collect();
                break;
            }
            "-h" | "--help" => return Err(UsageError::Help),
            "--inside" => return Err(UsageError::Inside),
            "--mode" => {
                let mode = value()?.into_string();
                arguments.mode =
                    Some(mode.map_err(|_| UsageError::Wrong("a mode is text".to_owned()))?);
            }
            "--project-root" => arguments.project_root = Some(value()?.into()),
            "--time-limit" => {
                let seconds = value()?.to_str().and_then(|it| it.parse().ok());
                let seconds = seconds.filter(|it| *it > 0);
                let wrong =
                    || UsageError::Wrong("`--time-limit` is a number of seconds".to_owned());
                arguments.time_limit = Some(Duration::from_secs(seconds.ok_or_else(wrong)?));
            }
            "--permit" => {
                let id = value()?.into_string().ok();
                let id = id.and_then(|it| PermitId::parse(&it).ok());
                let wrong = || UsageError::Wrong("`--permit` is the ID of a permit".to_owned());
                arguments.permit = Some(id.ok_or_else(wrong)?);
            }
            "--shell" => arguments.is_shell = true,
            "--language-server" => arguments.server = Some(ServerKind::LanguageServer),
            "--installer" => arguments.server = Some(ServerKind::Installer(value()?.into())),
            other => {
                return Err(UsageError::Wrong(format!(
                    "unexpected argument `{other}`; put `--` before the command"
                )));
            }
        }
    }
    if arguments.command.is_empty() {
        return Err(UsageError::Wrong("no command given".to_owned()));
    }
    Ok(arguments)
}

impl ExecArguments {
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
            let inner = evaluated(line).or_else(|| in_subshell(line));
            inner.unwrap_or_else(|| line.clone())
        }
        words => words
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" "),
    }
}

/// The line inside of what Claude Code makes of it: `source <snapshot> … && eval '<line>' … && pwd -P >| <file>`.
///
/// Only that shape counts, with nothing but redirections between the two: a line of an agent's own cannot pretend to be
/// another one by quoting it.
fn evaluated(line: &str) -> Option<String> {
    let (before, rest) = line.split_once("eval '")?;
    let parts: Vec<&str> = before.split("&&").map(str::trim).collect();
    let (last, setup) = parts.split_last()?;
    let is_setup = |part: &&str| {
        let words = part.strip_suffix("|| true").unwrap_or(part);
        let first = words.split_whitespace().next();
        let harmless = matches!(first, Some("source" | "." | "shopt" | "setopt"));
        harmless && !words.contains(['`', '$', ';', '|', '(', '\n'])
    };
    if !last.is_empty() || setup.is_empty() || !setup.iter().all(is_setup) {
        return None;
    }
    let mut inner = String::new();
    let mut rest = rest;
    loop {
        let (text, after) = rest.split_once('\'')?;
        inner.push_str(text);
        let quotes = [r"\''", "\"'\"'"];
        match quotes.iter().find_map(|quote| after.strip_prefix(quote)) {
            Some(next) => {
                inner.push('\'');
                rest = next;
            }
            None => {
                rest = after;
                break;
            }
        }
    }
    let (redirections, file) = rest.split_once("&& pwd -P >| ")?;
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_./".contains(it);
    let ends = matches!(redirections.trim(), "" | "< /dev/null" | "\\< /dev/null");
    (ends && file.chars().all(plain)).then_some(inner)
}

/// The line inside of what Gemini CLI makes of it: a subshell that notes its background processes.
fn in_subshell(line: &str) -> Option<String> {
    let rest = line
        .strip_prefix("shopt -u promptvars nullglob extglob nocaseglob dotglob; ")
        .unwrap_or(line);
    let (file, rest) = rest.strip_prefix("_bgpids_file=")?.split_once('\n')?;
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_./'".contains(it);
    let inner = rest.strip_prefix("(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\n")?;
    let inner = inner.strip_suffix("\n)\n__code=$?\nexit $__code")?;
    file.chars().all(plain).then(|| inner.to_owned())
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
            (Err(UsageError::Wrong(reason)), Err(expected)) => {
                assert_eq!(reason, expected, "{given}");
            }
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
        let claude = r"source /h/snapshot-bash-1.sh 2>/dev/null || true && eval 'echo '\''a'\'' && ls' < /dev/null && pwd -P >| /tmp/claude-1-cwd";
        assert_eq!(line(&["/bin/bash", "-c", claude]), "echo 'a' && ls");
        let gemini = "shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file=/tmp/p\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\nls; rm x\n)\n__code=$?\nexit $__code";
        assert_eq!(line(&["bash", "-c", gemini]), "ls; rm x");
        for pretended in [
            r"rm x && eval 'ls' && pwd -P >| /tmp/a",
            r"source /h/s.sh && eval 'ls'; rm x && pwd -P >| /tmp/a",
            r"source /h/s.sh && eval 'ls' && pwd -P >| $(rm x)",
            r"source $(rm x) && eval 'ls' && pwd -P >| /tmp/a",
        ] {
            assert_eq!(line(&["bash", "-c", pretended]), pretended);
        }
        assert_eq!(line(&["rm", "a b", "it's"]), r"rm 'a b' 'it'\''s'");
    }
}
