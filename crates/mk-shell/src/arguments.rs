//! A command's arguments, split the way `getopt` does it: options, their values, the rest.
//!
//! The table of a command says only which options take a value. An option that is missing there has
//! its value counted as an operand, which lists a file too many rather than one too few.

use crate::word::{Shape, Word};

/// Which options take a value in the next word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table {
    /// Letters, for `-n 5`, `-n5` and `-vn5`.
    pub(crate) short: &'static str,
    /// Names without dashes, for `--lines 5`.
    pub(crate) long: &'static [&'static str],
}

pub(crate) const NO_VALUES: Table = Table {
    short: "",
    long: &[],
};

#[derive(Debug, Default)]
pub(crate) struct Arguments {
    pub(crate) options: Vec<ArgumentOption>,
    pub(crate) operands: Vec<Word>,
}

#[derive(Debug)]
pub(crate) struct ArgumentOption {
    /// One letter, or a long name without dashes.
    pub(crate) name: String,
    pub(crate) value: Option<Word>,
}

impl Arguments {
    /// `words` are those after the command's name.
    pub(crate) fn split(words: &[Word], table: Table) -> Self {
        let mut arguments = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word.value == "--" {
                arguments.operands.extend(words.cloned());
                break;
            }
            if let Some(option) = word.value.strip_prefix("--") {
                let (name, value) = match option.split_once('=') {
                    Some((name, value)) => (name, Some(word.part(value))),
                    None if table.long.contains(&option) => (option, words.next().cloned()),
                    None => (option, None),
                };
                arguments.push(name, value);
            } else if let Some(cluster) = word.value.strip_prefix('-')
                && !cluster.is_empty()
                && word.shape != Shape::Process
            {
                let mut letters = cluster.chars();
                while let Some(letter) = letters.next() {
                    if !table.short.contains(letter) {
                        arguments.push(letter.encode_utf8(&mut [0; 4]), None);
                        continue;
                    }
                    let attached = letters.as_str();
                    let value = if attached.is_empty() {
                        words.next().cloned()
                    } else {
                        Some(word.part(attached))
                    };
                    arguments.push(letter.encode_utf8(&mut [0; 4]), value);
                    break;
                }
            } else {
                arguments.operands.push(word.clone());
            }
        }
        arguments
    }

    fn push(&mut self, name: &str, value: Option<Word>) {
        self.options.push(ArgumentOption {
            name: name.to_owned(),
            value,
        });
    }

    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.options
            .iter()
            .any(|option| names.contains(&option.name.as_str()))
    }

    /// The values of an option, however it is spelled.
    pub(crate) fn values(&self, names: &[&str]) -> impl Iterator<Item = &Word> {
        self.options
            .iter()
            .filter(move |option| names.contains(&option.name.as_str()))
            .filter_map(|option| option.value.as_ref())
    }
}
