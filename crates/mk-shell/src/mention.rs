//! Names in a line that is in doubt: whatever could be a file's name in any of its words.
//!
//! Who writes `F=.git/config` or `python3 -c "open('.git/config')"` names the file, whatever the line does with it.

use std::collections::BTreeSet;

use crate::analysis::{LineAnalysis, join};
use crate::text::{ANYTHING, SOME_NAME, escape};
use crate::{NameExtent, UseOfFile};

const LONGEST: usize = 1024;

impl LineAnalysis {
    /// Lists every name in the words, and in the line as written.
    pub(crate) fn mention_words(&mut self, line: &str) {
        let unquoted: String = line
            .chars()
            .filter(|character| !matches!(character, '"' | '\'' | '\\'))
            .collect();
        let globbed = without_groups(&unquoted);
        let mut names = BTreeSet::new();
        names.extend(names_in(&globbed));
        for word in &self.words {
            names.extend(names_in(word));
        }
        names.extend(names_in(&unquoted));
        names.extend(names_in(line));
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let directories = std::mem::take(&mut self.directories);
        for name in names {
            let pattern = if name.contains(['*', '?', '[', ANYTHING, SOME_NAME]) {
                name
            } else {
                escape(&name).into_owned()
            };
            self.push_file(&pattern, UseOfFile::Mention, NameExtent::Itself);
            for directory in directories.iter().filter(|directory| !directory.is_empty()) {
                self.push_file(
                    &join(directory, &pattern),
                    UseOfFile::Mention,
                    NameExtent::Itself,
                );
            }
        }
        self.directories = directories;
    }
}

/// The text with bash's longer wildcards, such as `@(a|b)`, replaced by what they can be.
fn without_groups(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if "@?+*!".contains(character) && characters.peek() == Some(&'(') {
            result.push(SOME_NAME);
            for inside in characters.by_ref() {
                if inside == ')' {
                    break;
                }
            }
        } else {
            result.push(character);
        }
    }
    result
}

/// The parts of a text that could be names: letters, dots, slashes and wildcards, and at least one of them says
/// something.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let separates = |character: char| {
        character.is_whitespace() || "\"'`=:,;<>|&()!#^$%{}\\@".contains(character)
    };
    text.split(separates)
        .flat_map(|name| [Some(name.trim_start_matches('-')), attached_value(name)])
        .flatten()
        .filter(|name| {
            name.len() <= LONGEST
                && name
                    .chars()
                    .any(|it| it.is_alphanumeric() || it == SOME_NAME)
        })
        .filter(|name| !name.chars().all(|character| character.is_ascii_digit()))
}

/// `-f.env` is an option with its value.
fn attached_value(name: &str) -> Option<&str> {
    let mut characters = name.strip_prefix('-')?.chars();
    characters.next();
    Some(characters.as_str())
}
