//! What a simple command runs: itself, and what `sudo`, `xargs`, `sh -c`, `find -exec` and their like
//! run for it.
//!
//! A wrapper is looked through only if every option in front of the inner command is known, because
//! an unknown one may take the next word as its value.

use crate::analysis::{Analysis, Directory, Step, Stop};
use crate::arguments::{Arguments, NO_VALUES};
use crate::word::{Shape, Word};

/// Commands that run text or files nobody here can see.
const OPAQUE: &[&str] = &[
    "eval", "source", ".", "trap", "alias", "fc", "enable", "hash", "let", "bind", "complete",
    "parallel", "watch", "su", "script", "fish", "csh", "tcsh", "sudoedit",
];
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh"];
const RESERVED: &[&str] = &[
    "{", "}", "if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done",
    "case", "esac", "!", "[[", "function", "coproc",
];
/// Commands whose first argument is data: it cannot choose what they do.
const TAKES_DATA: &[&str] = &[
    "echo", "printf", "test", "[", "ls", "true", "false", ":", "basename", "dirname", "realpath",
    "readlink", "stat", "file", "du", "seq", "sleep", "exit", "return", "shift", "set", "type",
    "which", "cd", "pushd", "export", "declare", "typeset", "local", "readonly", "unset", "read",
    "expr", "tr", "date",
];

struct Wrapper {
    name: &'static str,
    /// Letters of options without and with a value.
    flags: &'static str,
    values: &'static str,
    long_flags: &'static [&'static str],
    long_values: &'static [&'static str],
    /// Words between the options and the command.
    operands: usize,
}

impl Wrapper {
    const fn plain(name: &'static str, flags: &'static str, values: &'static str) -> Self {
        Self {
            name,
            flags,
            values,
            long_flags: &[],
            long_values: &[],
            operands: 0,
        }
    }
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        long_flags: &["non-interactive", "preserve-env", "set-home", "stdin"],
        long_values: &["user", "group", "preserve-env"],
        ..Wrapper::plain("sudo", "AbEHnPSk", "ugpCTUrth")
    },
    Wrapper::plain("doas", "n", "u"),
    Wrapper {
        long_flags: &["ignore-environment", "null", "debug"],
        long_values: &["unset"],
        ..Wrapper::plain("env", "i0v", "u")
    },
    Wrapper::plain("nohup", "", ""),
    Wrapper::plain("time", "pvlh", ""),
    Wrapper {
        long_values: &["adjustment"],
        ..Wrapper::plain("nice", "0123456789", "n")
    },
    Wrapper::plain("ionice", "t", "cn"),
    Wrapper::plain("setsid", "cfw", ""),
    Wrapper {
        long_values: &["input", "output", "error"],
        ..Wrapper::plain("stdbuf", "", "ioe")
    },
    Wrapper {
        long_flags: &["preserve-status", "foreground", "verbose"],
        long_values: &["signal", "kill-after"],
        operands: 1,
        ..Wrapper::plain("timeout", "v", "sk")
    },
    Wrapper::plain("command", "p", ""),
    Wrapper::plain("builtin", "", ""),
    Wrapper::plain("exec", "cl", "a"),
    Wrapper::plain("noglob", "", ""),
    Wrapper::plain("busybox", "", ""),
    Wrapper {
        long_flags: &["null", "no-run-if-empty", "verbose", "exit", "interactive"],
        long_values: &[
            "max-args",
            "max-procs",
            "max-lines",
            "max-chars",
            "delimiter",
            "replace",
        ],
        ..Wrapper::plain("xargs", "0rtxpo", "ILnPsdEJR")
    },
];

impl Analysis {
    /// Runs the words of a simple command, with its assignments in front.
    pub(crate) fn run_simple(&mut self, words: &[Word]) -> Step<()> {
        let rest = self.skip_assignments(words);
        self.run(rest)
    }

    fn skip_assignments<'words>(&mut self, mut words: &'words [Word]) -> &'words [Word] {
        while let [word, rest @ ..] = words
            && let Some(name) = &word.variable
        {
            let value = word.value.split_once('=').map_or("", |(_, value)| value);
            self.check_variable(name, value);
            words = rest;
        }
        words
    }

    /// Some variables choose which program runs.
    pub(crate) fn check_variable(&mut self, name: &str, value: &str) {
        const CHOOSES: &[&str] = &[
            "PATH",
            "ENV",
            "BASH_ENV",
            "ZDOTDIR",
            "PS4",
            "CDPATH",
            "PROMPT_COMMAND",
            "SHELLOPTS",
            "BASHOPTS",
            "GLOBIGNORE",
            "NODE_OPTIONS",
            "PERL5OPT",
            "PERL5LIB",
            "RUBYOPT",
            "PYTHONSTARTUP",
            "PYTHONPATH",
            "JAVA_TOOL_OPTIONS",
            "RUSTC_WRAPPER",
            "LESSOPEN",
        ];
        const CHOOSES_HELPER: &[&str] = &["PAGER", "EDITOR", "VISUAL", "BROWSER"];
        let is_harmless = matches!(value, "" | "cat" | "true" | ":" | "0" | "1");
        let chooses = CHOOSES.contains(&name)
            || name.starts_with("LD_")
            || name.starts_with("DYLD_")
            || name.starts_with("BASH_FUNC")
            || name.contains('[')
            || ((name.starts_with("GIT_") || CHOOSES_HELPER.contains(&name)) && !is_harmless);
        if chooses {
            self.doubt_commands("a variable is set that chooses what runs");
        }
    }

    /// The words between `[[` and `]]`.
    pub(crate) fn run_test(&mut self, words: &[Word]) {
        let compares = words.iter().any(|word| {
            matches!(
                word.value.as_str(),
                "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-v" | "-R"
            )
        });
        if compares {
            self.doubt_commands("arithmetic may run commands");
        }
        let mut all = vec![written("[[")];
        all.extend_from_slice(words);
        all.push(written("]]"));
        self.push_command(&all);
    }

    fn run(&mut self, words: &[Word]) -> Step<()> {
        let Some((command, arguments)) = words.split_first() else {
            return Ok(());
        };
        self.push_command(words);
        if command.shape >= Shape::Process {
            self.doubt_commands("the command comes from an expansion");
            return Ok(());
        }
        if RESERVED.contains(&command.raw.as_str()) {
            self.doubt_commands("a keyword stands where a command is expected");
            return Ok(());
        }
        let name = command.value.rsplit(['/', '\\']).next().unwrap_or_default();
        if OPAQUE.contains(&name) {
            self.doubt_commands("a command runs text or files that cannot be seen");
            return Ok(());
        }
        if SHELLS.contains(&name) {
            return self.run_shell(arguments);
        }
        if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name) {
            return self.run_wrapped(wrapper, arguments);
        }
        if name == "find" {
            return self.run_find(arguments);
        }
        self.run_builtin(name, arguments);
        if !self.note_files(name, arguments) && !TAKES_DATA.contains(&name) {
            let first = arguments.iter().find(|word| !word.value.starts_with('-'));
            if first.is_some_and(|word| word.shape == Shape::Expansion) {
                self.doubt_commands("the first argument comes from an expansion");
            }
        }
        Ok(())
    }

    fn run_builtin(&mut self, name: &str, arguments: &[Word]) {
        match name {
            "cd" => {
                let operands = Arguments::split(arguments, NO_VALUES).operands;
                self.change_directory(&operands);
            }
            "pushd" | "popd" => self.change_directory(&[]),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                for word in arguments {
                    let (name, value) = word
                        .value
                        .split_once('=')
                        .unwrap_or((word.value.as_str(), ""));
                    let is_attribute = name.starts_with(['-', '+']) && name.contains(['i', 'n']);
                    if is_attribute || (word.shape == Shape::Expansion && word.variable.is_none()) {
                        self.doubt_commands("a variable is set that chooses what runs");
                    }
                    self.check_variable(name, value);
                }
            }
            "read" | "getopts" | "unset" | "mapfile" | "readarray" => {
                for word in arguments {
                    if word.shape >= Shape::Pattern || word.value == "-C" {
                        self.doubt_commands("a variable is set that chooses what runs");
                    }
                    self.check_variable(&word.value, "?");
                }
            }
            // Both evaluate an array's index.
            "printf" | "test" | "[" if arguments.iter().any(|word| word.value == "-v") => {
                self.doubt_commands("arithmetic may run commands");
            }
            _ => {}
        }
    }

    /// `sh -c text`, or `sh file`.
    fn run_shell(&mut self, arguments: &[Word]) -> Step<()> {
        let mut words = arguments.iter();
        let mut has_text = false;
        while let Some(word) = words.next() {
            let value = word.value.as_str();
            if word.shape >= Shape::Process {
                self.doubt_commands("a shell's text comes from an expansion");
                return Ok(());
            }
            let Some(letters) = value.strip_prefix(['-', '+']) else {
                if has_text {
                    return self.read_nested(value);
                }
                self.read_file(word);
                return Ok(());
            };
            if matches!(value, "--norc" | "--noprofile" | "--login" | "--posix") {
                continue;
            }
            let flags = letters.strip_suffix('o').unwrap_or(letters);
            if !flags
                .chars()
                .all(|letter| "abcefhkmnptuvxBCEHPl".contains(letter))
            {
                break;
            }
            // The `o` of `-euo pipefail` takes the next word.
            if letters.ends_with('o') && words.next().is_none_or(|word| word.value != "pipefail") {
                break;
            }
            has_text |= value.starts_with('-') && flags.contains('c');
        }
        self.doubt_commands("a shell reads commands that cannot be seen");
        Ok(())
    }

    fn run_wrapped(&mut self, wrapper: &Wrapper, arguments: &[Word]) -> Step<()> {
        // `command -v name` only asks.
        let asks = arguments
            .first()
            .is_some_and(|word| matches!(word.value.as_str(), "-v" | "-V"));
        if wrapper.name == "command" && asks {
            return Ok(());
        }
        let Some(mut inner) = skip_options(wrapper, arguments) else {
            self.doubt_commands("the options of a wrapper are not understood");
            return Ok(());
        };
        if matches!(wrapper.name, "sudo" | "env" | "doas") {
            inner = self.skip_assignments(inner);
        }
        self.descend()?;
        if wrapper.name == "xargs" {
            let placeholder = replacement(arguments);
            self.run(&with_input(inner, placeholder))?;
        } else {
            self.run(inner)?;
        }
        self.ascend();
        let in_this_shell = matches!(wrapper.name, "command" | "builtin" | "noglob");
        if !in_this_shell && self.change.is_some() {
            self.change = Some(Directory::Unknown);
        }
        Ok(())
    }

    fn run_find(&mut self, arguments: &[Word]) -> Step<()> {
        if arguments.iter().any(|word| word.shape == Shape::Expansion) {
            self.doubt_commands("the arguments of `find` come from an expansion");
        }
        let is_root = |word: &&Word| !word.value.starts_with(['-', '(', '!']);
        let mut roots: Vec<&Word> = arguments.iter().take_while(is_root).collect();
        let mut words = arguments;
        while let Some((word, rest)) = words.split_first() {
            words = rest;
            match word.value.as_str() {
                "-delete" => {
                    self.doubt_files("`find` chooses the files it removes");
                    // Once is enough.
                    self.write_all(std::mem::take(&mut roots));
                }
                "-fprint" | "-fprint0" | "-fprintf" | "-fls" => {
                    if let Some(file) = words.first() {
                        self.write_file(file);
                    }
                }
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let is_end = |word: &Word| matches!(word.value.as_str(), ";" | "+");
                    let Some(length) = words.iter().position(is_end) else {
                        return Err(Stop("an `-exec` is not closed"));
                    };
                    let (inner, rest) = words.split_at(length);
                    words = rest;
                    let directory = self.directory.clone();
                    if word.value.ends_with("dir") {
                        self.directory = Directory::Unknown;
                    }
                    self.descend()?;
                    self.run(&with_input(inner, Some("{}")))?;
                    self.ascend();
                    self.change = None;
                    self.directory = directory;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn written(text: &str) -> Word {
    Word {
        raw: text.to_owned(),
        value: text.to_owned(),
        shape: Shape::Literal,
        variable: None,
    }
}

/// What follows a wrapper's options, or `None` if they are not understood.
fn skip_options<'words>(wrapper: &Wrapper, words: &'words [Word]) -> Option<&'words [Word]> {
    let mut words = words;
    while let [word, rest @ ..] = words {
        let is_option = word.value.starts_with('-');
        if !is_option {
            break;
        }
        if word.shape > Shape::Literal {
            return None;
        }
        words = rest;
        if word.value == "--" {
            break;
        }
        if let Some(name) = word.value.strip_prefix("--") {
            match name.split_once('=') {
                Some((name, _)) if wrapper.long_values.contains(&name) => {}
                None if wrapper.long_flags.contains(&name) => {}
                None if wrapper.long_values.contains(&name) => words = words.get(1..)?,
                _ => return None,
            }
            continue;
        }
        let mut letters = word.value.chars().skip(1);
        while let Some(letter) = letters.next() {
            if wrapper.values.contains(letter) {
                if letters.next().is_none() {
                    words = words.get(1..)?;
                }
                break;
            }
            if !wrapper.flags.contains(letter) {
                return None;
            }
        }
    }
    let (operands, inner) = words.split_at_checked(wrapper.operands)?;
    operands
        .iter()
        .all(|word| word.shape == Shape::Literal)
        .then_some(inner)
}

/// The text that `xargs -I` replaces.
fn replacement(words: &[Word]) -> Option<&str> {
    let mut words = words.iter().map(|word| word.value.as_str());
    let option = words.find(|value| {
        value.starts_with("-I") || value.starts_with("--replace") || !value.starts_with('-')
    })?;
    match option.strip_prefix("-I") {
        Some("") => words.next(),
        Some(attached) => Some(attached),
        None if option.starts_with("--replace") => Some("{}"),
        None => None,
    }
}

/// The words of a command that gets more from its input: in place of a text, or at the end.
fn with_input(words: &[Word], placeholder: Option<&str>) -> Vec<Word> {
    let mut all = words.to_vec();
    match placeholder {
        Some(text) => {
            for word in &mut all {
                if word.value.contains(text) {
                    word.shape = Shape::Expansion;
                }
            }
        }
        None if all.is_empty() => {}
        None => all.push(Word::unknown()),
    }
    all
}
