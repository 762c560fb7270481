//! A command's arguments, split the way its row says: options with what they do, and the operands.

use crate::program::{Operands, OptionEffect, OptionStyle, ProgramRow};
use crate::word::{ShellWord, WordShape};

/// The arguments of one command.
#[derive(Debug, Default)]
pub(crate) struct CommandArguments<'words> {
    pub(crate) options: Vec<ArgumentOption>,
    pub(crate) operands: Vec<&'words ShellWord>,
    /// What follows the operands that a wrapper or a program with subcommands has of its own.
    pub(crate) rest: &'words [ShellWord],
    /// Whether `--` ends the options.
    pub(crate) has_end: bool,
}

#[derive(Debug)]
pub(crate) struct ArgumentOption {
    /// Without dashes.
    pub(crate) name: String,
    pub(crate) value: Option<ShellWord>,
    /// `None` for an option that the row does not know.
    pub(crate) effect: Option<OptionEffect>,
}

const fn takes_value(effect: Option<OptionEffect>) -> bool {
    matches!(
        effect,
        Some(
            OptionEffect::Value
                | OptionEffect::Read
                | OptionEffect::Write
                | OptionEffect::Run
                | OptionEffect::Enter
        )
    )
}

impl<'words> CommandArguments<'words> {
    /// `words` are those after the command's name.
    pub(crate) fn split(words: &'words [ShellWord], program: &ProgramRow) -> Self {
        let stops = program.operands == Operands::Command || !program.subcommands.is_empty();
        let mut arguments = Self::default();
        let mut words = words;
        while let [word, rest @ ..] = words {
            if word.value == "--" {
                arguments.has_end = true;
                if stops {
                    arguments.rest = rest;
                } else {
                    arguments.operands.extend(rest);
                }
                return arguments;
            }
            let is_option = word.value.len() > 1
                && word.value.starts_with('-')
                && word.shape != WordShape::Process
                && !word.raw.is_empty();
            if is_option {
                words = arguments.take_option(word, rest, program);
                continue;
            }
            if stops && arguments.operands.len() == program.skip {
                arguments.rest = words;
                return arguments;
            }
            arguments.operands.push(word);
            words = rest;
        }
        arguments
    }

    /// Reads one word of options; gives back what follows it and its value.
    fn take_option(
        &mut self,
        word: &'words ShellWord,
        rest: &'words [ShellWord],
        program: &ProgramRow,
    ) -> &'words [ShellWord] {
        let is_long = word.value.starts_with("--") || program.style == OptionStyle::SingleDash;
        if !is_long {
            return self.take_letters(word, rest, program);
        }
        let option = word.value.trim_start_matches('-');
        let (name, attached) = match option.split_once('=') {
            Some((name, value)) => (name, Some(word.part(value))),
            None => (option, None),
        };
        let effect = program.effect(name);
        let (value, rest) = match (attached, rest) {
            (None, [next, rest @ ..]) if takes_value(effect) => (Some(next.clone()), rest),
            (attached, rest) => (attached, rest),
        };
        self.push(name, value, effect);
        rest
    }

    fn take_letters(
        &mut self,
        word: &'words ShellWord,
        rest: &'words [ShellWord],
        program: &ProgramRow,
    ) -> &'words [ShellWord] {
        let mut letters = word.value.chars();
        letters.next();
        while let Some(letter) = letters.next() {
            let mut buffer = [0; 4];
            let name: &str = letter.encode_utf8(&mut buffer);
            let effect = if letter.is_ascii_digit() {
                Some(OptionEffect::Flag)
            } else {
                program.effect(name)
            };
            if !takes_value(effect) {
                self.push(name, None, effect);
                continue;
            }
            let attached = letters.as_str();
            if !attached.is_empty() {
                self.push(name, Some(word.part(attached)), effect);
                return rest;
            }
            return match rest {
                [next, rest @ ..] => {
                    self.push(name, Some(next.clone()), effect);
                    rest
                }
                [] => {
                    self.push(name, None, effect);
                    rest
                }
            };
        }
        rest
    }

    fn push(&mut self, name: &str, value: Option<ShellWord>, effect: Option<OptionEffect>) {
        self.options.push(ArgumentOption {
            name: name.to_owned(),
            value,
            effect,
        });
    }

    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.options
            .iter()
            .any(|option| names.contains(&option.name.as_str()))
    }

    /// The same for an option that makes a line do more: programs accept long names that are cut short.
    pub(crate) fn may_have(&self, names: &[&str]) -> bool {
        self.options.iter().any(|option| option.may_be(names))
    }

    /// The values of an option, however it is spelled, or cut short.
    pub(crate) fn values(&self, names: &[&str]) -> impl Iterator<Item = &ShellWord> {
        self.options
            .iter()
            .filter(move |option| option.may_be(names))
            .filter_map(|option| option.value.as_ref())
    }
}

impl ArgumentOption {
    fn may_be(&self, names: &[&str]) -> bool {
        let is_long = self.name.len() > 1;
        let is = |name: &&str| *name == self.name || (is_long && name.starts_with(&self.name));
        names.iter().any(is)
    }
}
