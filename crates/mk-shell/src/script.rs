//! `sed` and `awk`: their scripts can write files and run commands.
//!
//! A `sed` script is read far enough to know that it does neither. An `awk` program is only searched
//! for what could; that refuses some harmless ones.

use std::iter::Peekable;
use std::str::Chars;

use crate::analysis::LineAnalysis;
use crate::arguments::CommandArguments;
use crate::program::{
    Operands, OptionEffect, OptionStyle, ProgramRow, ProgramScope, UnlistedOptions,
};
use crate::word::{ShellWord, WordShape};
use crate::{NameExtent, UseOfFile};

const fn row(options: &'static [(&'static str, OptionEffect)]) -> ProgramRow {
    ProgramRow {
        operands: Operands::Read,
        skip: 0,
        unless: &[],
        options,
        unlisted: UnlistedOptions::Doubt,
        style: OptionStyle::Getopt,
        scope: ProgramScope::Words,
        subcommands: &[],
    }
}

const SED: ProgramRow = row(&[
    ("e", OptionEffect::Value),
    ("f", OptionEffect::Value),
    ("l", OptionEffect::Value),
    ("expression", OptionEffect::Value),
    ("file", OptionEffect::Value),
    ("line-length", OptionEffect::Value),
    ("n", OptionEffect::Flag),
    ("E", OptionEffect::Flag),
    ("r", OptionEffect::Flag),
    ("s", OptionEffect::Flag),
    ("u", OptionEffect::Flag),
    ("z", OptionEffect::Flag),
    ("quiet", OptionEffect::Flag),
    ("silent", OptionEffect::Flag),
    ("regexp-extended", OptionEffect::Flag),
    ("null-data", OptionEffect::Flag),
    ("posix", OptionEffect::Flag),
    ("sandbox", OptionEffect::Flag),
    ("debug", OptionEffect::Flag),
    ("version", OptionEffect::Flag),
    ("help", OptionEffect::Flag),
]);

const AWK: ProgramRow = row(&[
    ("F", OptionEffect::Value),
    ("v", OptionEffect::Value),
    ("assign", OptionEffect::Value),
    ("field-separator", OptionEffect::Value),
    ("version", OptionEffect::Flag),
]);

impl LineAnalysis {
    /// `1r.env`: whatever follows a letter that takes a file may be its name.
    fn mention_script(&mut self, script: &str) {
        for line in script.split(['\n', ';', '}']).take(64) {
            for (at, _) in line.match_indices(['r', 'R', 'w', 'W']).take(16) {
                let name = line.get(at + 1..).unwrap_or_default().trim();
                self.use_file(
                    &ShellWord::literal(name),
                    UseOfFile::Mention,
                    NameExtent::Itself,
                );
            }
        }
    }

    pub(crate) fn note_sed(&mut self, words: &[ShellWord]) {
        let in_place = words.iter().find_map(|word| in_place_suffix(&word.value));
        let rest = without_in_place(words);
        let arguments = CommandArguments::split(&rest, &SED);
        if arguments
            .options
            .iter()
            .any(|option| option.effect.is_none())
        {
            self.doubt_files("an option is not known");
        }
        if arguments.has(&["f", "file"]) {
            self.doubt_commands("a script is in a file");
        }
        let mut scripts: Vec<ShellWord> = arguments.values(&["e", "expression"]).cloned().collect();
        let mut files = arguments.operands.as_slice();
        if scripts.is_empty() && !arguments.has(&["f", "file"]) {
            let Some((script, rest)) = files.split_first() else {
                return;
            };
            scripts.push((*script).clone());
            files = rest;
        }
        if files
            .iter()
            .any(|file| file.may_be_option() && file.raw.is_empty())
        {
            self.doubt_files("an argument may be an option");
        }
        for script in &scripts {
            // A pattern character in an unquoted script only names files if some match; it is text.
            if script.shape == WordShape::Expansion || !is_harmless_sed(&script.value) {
                self.doubt_commands("a script may run commands or write files");
                self.mention_script(&script.value);
            }
        }
        self.use_all(files, UseOfFile::Read, NameExtent::Itself);
        if let Some(suffix) = in_place {
            self.use_all(files, UseOfFile::Write, NameExtent::Itself);
            self.note_backups(files, suffix);
        }
    }

    fn note_backups(&mut self, files: &[&ShellWord], suffix: &str) {
        if suffix.contains(['/', '*']) || suffix.len() > 32 {
            self.doubt_files("a backup's name cannot be seen");
        } else if !suffix.is_empty() {
            for file in files {
                self.write_file(&file.framed("", suffix));
            }
        }
    }

    pub(crate) fn note_awk(&mut self, words: &[ShellWord]) {
        let arguments = CommandArguments::split(words, &AWK);
        if arguments
            .options
            .iter()
            .any(|option| option.effect.is_none())
        {
            self.doubt_commands("the options of a script are not understood");
        }
        let Some((program, files)) = arguments.operands.split_first() else {
            return;
        };
        if program.shape >= WordShape::Process || !is_harmless_awk(&program.value) {
            self.doubt_commands("a script may run commands or write files");
        }
        for file in files {
            // `name=value` between the files is an assignment.
            if file.variable.is_none() {
                self.read_file(file);
            }
        }
    }
}

/// The suffix in `-i`, `-i.bak`, `-ni` or `--in-place=.bak`.
fn in_place_suffix(option: &str) -> Option<&str> {
    if let Some(long) = option.strip_prefix("--in-place") {
        return Some(long.strip_prefix('=').unwrap_or(long));
    }
    let cluster = option.strip_prefix('-')?;
    let (before, suffix) = cluster.split_once(['i', 'I'])?;
    before
        .chars()
        .all(|letter| "nErsuz".contains(letter))
        .then_some(suffix)
}

/// The words without `-i`, which takes a suffix only if it is attached, so it ends a cluster.
fn without_in_place(words: &[ShellWord]) -> Vec<ShellWord> {
    let mut rest = Vec::with_capacity(words.len());
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        if in_place_suffix(&word.value).is_none() {
            rest.push(word.clone());
        } else {
            // The BSD form, `-i ''`.
            words.next_if(|next| next.raw == "''" || next.raw == "\"\"");
        }
    }
    rest
}

fn is_harmless_awk(program: &str) -> bool {
    let without_or = program.replace("||", "");
    let prints_to = program
        .split_once("print")
        .is_some_and(|(_, after)| after.contains('>'));
    !prints_to
        && !without_or.contains('|')
        && !["system", "getline", "@", "close", "fflush"]
            .iter()
            .any(|word| program.contains(word))
}

/// Whether every command of the script is known and neither writes a file nor runs anything.
fn is_harmless_sed(script: &str) -> bool {
    let mut characters = script.chars().peekable();
    loop {
        while characters
            .next_if(|character| character.is_whitespace() || ";{}".contains(*character))
            .is_some()
        {}
        if characters.peek().is_none() {
            return true;
        }
        if skip_address(&mut characters).is_none() || skip_sed_command(&mut characters).is_none() {
            return false;
        }
    }
}

fn skip_address(characters: &mut Peekable<Chars<'_>>) -> Option<()> {
    loop {
        match characters.peek()? {
            '/' => {
                characters.next();
                skip_to('/', characters)?;
                while characters.next_if(|flag| "IM".contains(*flag)).is_some() {}
            }
            '\\' => {
                characters.next();
                let delimiter = characters.next()?;
                skip_to(delimiter, characters)?;
            }
            '$' | ',' | '~' | '+' | '!' | ' ' | '0'..='9' => {
                characters.next();
            }
            _ => return Some(()),
        }
    }
}

fn skip_sed_command(characters: &mut Peekable<Chars<'_>>) -> Option<()> {
    match characters.next()? {
        '{' => Some(()),
        's' => {
            let delimiter = characters.next()?;
            skip_to(delimiter, characters)?;
            skip_to(delimiter, characters)?;
            while characters
                .next_if(|flag| "gpiI".contains(*flag) || flag.is_ascii_digit())
                .is_some()
            {}
            skip_end(characters)
        }
        'y' => {
            let delimiter = characters.next()?;
            skip_to(delimiter, characters)?;
            skip_to(delimiter, characters)?;
            skip_end(characters)
        }
        'p' | 'P' | 'd' | 'D' | 'n' | 'N' | 'h' | 'H' | 'g' | 'G' | 'x' | '=' | 'l' | 'z' => {
            skip_end(characters)
        }
        'q' | 'Q' => {
            while characters
                .next_if(|digit| digit.is_ascii_digit() || *digit == ' ')
                .is_some()
            {}
            skip_end(characters)
        }
        // Text to the end of the line. With a backslash it may go on after that.
        'a' | 'i' | 'c' => {
            while let Some(character) = characters.next_if(|character| *character != '\n') {
                if character == '\\' {
                    return None;
                }
            }
            Some(())
        }
        _ => None,
    }
}

fn skip_to(delimiter: char, characters: &mut Peekable<Chars<'_>>) -> Option<()> {
    let mut in_brackets = false;
    loop {
        let character = characters.next()?;
        if character == delimiter {
            // Whether it ends here, inside `[…]`, is not the same everywhere.
            return (!in_brackets).then_some(());
        }
        match character {
            '\\' => {
                characters.next()?;
            }
            '[' => {
                in_brackets = true;
                characters.next_if_eq(&'^');
                if characters.peek() == Some(&']') {
                    return None;
                }
            }
            ']' => in_brackets = false,
            _ => {}
        }
    }
}

fn skip_end(characters: &mut Peekable<Chars<'_>>) -> Option<()> {
    while characters.next_if(|character| *character == ' ').is_some() {}
    match characters.peek() {
        None | Some(';' | '\n' | '}') => Some(()),
        Some(_) => None,
    }
}
