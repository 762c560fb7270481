//! What a simple command runs: itself, and what `sudo`, `xargs`, `sh -c`, `find -exec` and their like
//! run for it.
//!
//! A wrapper is looked through only if every option in front of the inner command is known, because
//! an unknown one may take the next word as its value.

use crate::analysis::{AnalysisStep, LineAnalysis};
use crate::arguments::CommandArguments;
use crate::program::{Operands, ProgramRow, ProgramScope};
use crate::text::ANYTHING;
use crate::variable::chooses_what_runs;
use crate::word::{ShellWord, WordShape};
use crate::{NameExtent, UseOfFile};

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
impl LineAnalysis {
    /// Runs the words of a simple command, with its assignments in front.
    pub(crate) fn run_simple(&mut self, words: &[ShellWord]) -> AnalysisStep<()> {
        let rest = self.skip_assignments(words);
        self.run(rest)
    }

    fn skip_assignments<'words>(&mut self, mut words: &'words [ShellWord]) -> &'words [ShellWord] {
        while let [word, rest @ ..] = words
            && let Some(name) = &word.variable
        {
            let value = word.value.split_once('=').map_or("", |(_, value)| value);
            self.check_variable(name, value);
            // `IFS= read` takes nothing apart.
            if name != "IFS" || !value.is_empty() {
                self.assign_word(name, word);
            }
            words = rest;
        }
        words
    }

    /// Some variables choose which program runs.
    pub(crate) fn check_variable(&mut self, name: &str, value: &str) {
        if chooses_what_runs(name, value) {
            self.doubt_commands("a variable is set that chooses what runs");
        }
    }

    /// The words between `[[` and `]]`.
    pub(crate) fn run_test(&mut self, words: &[ShellWord]) {
        let compares = words.iter().any(|word| {
            matches!(
                word.value.as_str(),
                "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-v" | "-R"
            )
        });
        if compares {
            self.doubt_commands("arithmetic may run commands");
        }
        let mut all = vec![ShellWord::literal("[[")];
        all.extend_from_slice(words);
        all.push(ShellWord::literal("]]"));
        self.push_command(&all);
    }

    pub(crate) fn run(&mut self, words: &[ShellWord]) -> AnalysisStep<()> {
        let Some((command, arguments)) = words.split_first() else {
            return Ok(());
        };
        let input = self.piped.take();
        self.push_command(words);
        if command.shape >= WordShape::Process || command.alternatives.is_some() {
            self.doubt_commands("the command comes from an expansion");
            return Ok(());
        }
        if RESERVED.contains(&command.raw.as_str()) {
            self.doubt_commands("a keyword appears where a command is expected");
            return Ok(());
        }
        let name = command.value.rsplit(['/', '\\']).next().unwrap_or_default();
        if !self.programs.is_installed(&command.value) {
            self.doubt_files("a program of the project runs");
        } else if command.value.contains('/') && !command.value.starts_with('/') {
            self.use_file(command, UseOfFile::Run, NameExtent::Itself);
        }
        if OPAQUE.contains(&name) {
            self.doubt_commands("a command runs text or files that cannot be seen");
            return Ok(());
        }
        if SHELLS.contains(&name) {
            return self.run_shell(arguments);
        }
        if name == "find" {
            return self.run_find(arguments);
        }
        if let Some(program) = self.programs.get(name)
            && program.operands == Operands::Command
        {
            return self.run_wrapped(name, program, arguments, input);
        }
        self.run_builtin(name, arguments);
        if let [only] = arguments
            && matches!(
                only.value.as_str(),
                "--version" | "--help" | "-V" | "-version"
            )
        {
            return Ok(());
        }
        if let Some((module, rest)) = self.known_module(name, arguments) {
            // A module of that name in this directory comes before the real one.
            self.use_here(UseOfFile::Run);
            return self.note_program(module, rest);
        }
        self.note_program(name, arguments)?;
        self.piped = match name {
            "sort" | "head" | "tail" | "uniq" | "tac" => input,
            "grep" if input.is_some() => input,
            _ => self.printed_names(name, arguments),
        };
        Ok(())
    }

    /// The module that `python -m` runs, if a row describes it.
    fn known_module<'words>(
        &self,
        name: &str,
        arguments: &'words [ShellWord],
    ) -> Option<(&'words str, &'words [ShellWord])> {
        let [option, module, rest @ ..] = arguments else {
            return None;
        };
        if !matches!(name, "python" | "python3" | "py") || option.value != "-m" {
            return None;
        }
        let row = self.programs.get(&module.value)?;
        let is_known = matches!(row.scope, ProgramScope::Build | ProgramScope::Test)
            || matches!(module.value.as_str(), "pip" | "json.tool");
        is_known.then_some((module.value.as_str(), rest))
    }

    fn run_builtin(&mut self, name: &str, arguments: &[ShellWord]) {
        match name {
            "cd" => {
                let operands: Vec<ShellWord> = arguments
                    .iter()
                    .filter(|word| !matches!(word.value.as_str(), "-P" | "-L" | "-e" | "--"))
                    .cloned()
                    .collect();
                self.change_directory(&operands);
            }
            "pushd" if matches!(arguments, [only] if !only.value.starts_with(['+', '-'])) => {
                self.change_directory(arguments);
            }
            "pushd" | "popd" => self.change = Some(vec![ANYTHING.to_string()]),
            // From here on a wildcard also stands for names that begin with a dot.
            "shopt" | "setopt" => {
                self.any_dot |= arguments.iter().any(|word| word.value.contains("glob"));
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                for word in arguments {
                    let (name, value) = word
                        .value
                        .split_once('=')
                        .unwrap_or((word.value.as_str(), ""));
                    let is_attribute = name.starts_with(['-', '+']) && name.contains(['i', 'n']);
                    if is_attribute
                        || (word.shape == WordShape::Expansion && word.variable.is_none())
                    {
                        self.doubt_commands("a variable is set that chooses what runs");
                    }
                    self.check_variable(name, value);
                    self.assign_word(name, word);
                }
            }
            "read" | "getopts" | "unset" | "mapfile" | "readarray" => {
                for word in arguments {
                    if word.shape >= WordShape::Pattern || word.value == "-C" {
                        self.doubt_commands("a variable is set that chooses what runs");
                    }
                    self.check_variable(&word.value, "?");
                    self.assign(&word.value, vec![ANYTHING.to_string()]);
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
    fn run_shell(&mut self, arguments: &[ShellWord]) -> AnalysisStep<()> {
        let mut words = arguments.iter();
        let mut has_text = false;
        while let Some(word) = words.next() {
            let value = word.value.as_str();
            if word.shape >= WordShape::Process {
                self.doubt_commands("a shell's text comes from an expansion");
                return Ok(());
            }
            let Some(letters) = value.strip_prefix(['-', '+']) else {
                if has_text {
                    return self.read_nested(value);
                }
                self.read_file(word);
                self.doubt_files("a script of the project runs");
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

    fn run_wrapped(
        &mut self,
        name: &str,
        program: &'static ProgramRow,
        arguments: &[ShellWord],
        input: Option<Vec<String>>,
    ) -> AnalysisStep<()> {
        // `command -v name` only asks.
        let asks = arguments
            .first()
            .is_some_and(|word| matches!(word.value.as_str(), "-v" | "-V"));
        if name == "command" && asks {
            return Ok(());
        }
        let split = CommandArguments::split(arguments, program);
        let is_known = split.options.iter().all(|option| option.effect.is_some())
            && split
                .operands
                .iter()
                .all(|word| word.alternatives.is_none());
        if !is_known {
            self.doubt_commands("the options of a wrapper are not understood");
            return Ok(());
        }
        let directories = self.directories.clone();
        self.note_options(program, &split)?;
        let mut inner = split.rest;
        if matches!(name, "sudo" | "env" | "doas") {
            inner = self.skip_assignments(inner);
        }
        self.descend()?;
        if name == "xargs" {
            let placeholder = replacement(arguments);
            let input = input.unwrap_or_else(|| vec![ANYTHING.to_string()]);
            self.run(&with_input(inner, placeholder, &input))?;
        } else {
            self.run(inner)?;
        }
        self.ascend();
        self.directories = directories;
        let in_this_shell = matches!(name, "command" | "builtin" | "noglob");
        if !in_this_shell {
            self.change = None;
        }
        Ok(())
    }
}

/// The text that `xargs -I` replaces.
fn replacement(words: &[ShellWord]) -> Option<&str> {
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
fn with_input(words: &[ShellWord], placeholder: Option<&str>, input: &[String]) -> Vec<ShellWord> {
    let given = ShellWord {
        alternatives: Some(input.to_vec()),
        ..ShellWord::unknown()
    };
    let mut all = words.to_vec();
    match placeholder {
        Some(text) => {
            for word in &mut all {
                if word.value == text {
                    word.alternatives.clone_from(&given.alternatives);
                    word.shape = WordShape::Expansion;
                } else if word.value.contains(text) {
                    *word = ShellWord::unknown_as(word);
                }
            }
        }
        None if all.is_empty() => {}
        None => all.push(given),
    }
    all
}
