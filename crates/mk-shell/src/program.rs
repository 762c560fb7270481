//! What is known of programs: rows that are given to the analysis, never written here.
//!
//! A row says what a program's operands and options name. A program or an option that has no row is not proven to be
//! harmless; that is all that follows from it.

/// One program, or one subcommand of it.
#[derive(Debug, Clone, Copy)]
pub struct ProgramRow {
    pub operands: Operands,
    /// How many operands stand in front of those that `operands` is about.
    pub skip: usize,
    /// Options that take the place of the skipped operands: `grep -e pattern`.
    pub unless: &'static [&'static str],
    pub options: &'static [(&'static str, OptionEffect)],
    pub unlisted: UnlistedOptions,
    pub style: OptionStyle,
    pub scope: ProgramScope,
    pub subcommands: &'static [(&'static str, Self)],
}

/// What operands are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// Text, numbers, names of other things than files.
    Data,
    Read,
    Write,
    /// The first is read, the others are written.
    ReadThenWrite,
    /// The first is written, the others are read.
    WriteThenRead,
    /// Read, but for the last, which is written.
    Copy,
    /// All are written.
    Move,
    /// As `Copy`, and what is named first can be reached by the last from then on.
    Link,
    /// A command with its arguments.
    Command,
}

/// What an option does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionEffect {
    Flag,
    /// Takes a value that is no file.
    Value,
    /// Its value is a file that is read.
    Read,
    /// Its value is a file or directory that is written.
    Write,
    /// Its value is a shell line.
    Run,
    /// Its value is the directory in which the program works.
    Enter,
    /// The program reads or writes whole directories.
    Below,
    /// The program changes files that its words do not name.
    Change,
    /// What happens cannot be told; it takes no value as far as that matters.
    Doubt,
}

/// Options that a row does not list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnlistedOptions {
    Flag,
    Doubt,
}

/// How options look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionStyle {
    /// `-abc`, `--long`.
    Getopt,
    /// `-long`, `--long`.
    SingleDash,
}

/// What a program touches besides what its words name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramScope {
    /// Nothing.
    Words,
    /// Without an operand it reads everything below the working directory.
    Tree,
    /// It runs the project's own build or tests and writes their output.
    Build,
    /// The same, and it runs the files that are named.
    Test,
    /// It changes the repository that it is in, and no other file.
    Record,
    /// It changes files of the project.
    Change,
}

/// Rows by name, sorted.
#[derive(Debug, Clone, Copy)]
pub struct ProgramTable {
    rows: &'static [(&'static str, ProgramRow)],
    /// Where programs are that are what their names say, each with a `/` at its end.
    directories: &'static [&'static str],
}

impl ProgramTable {
    /// `rows` are sorted by name.
    pub const fn new(
        rows: &'static [(&'static str, ProgramRow)],
        directories: &'static [&'static str],
    ) -> Self {
        Self { rows, directories }
    }

    /// Whether a command is what its name says, and not a file of the project.
    pub(crate) fn is_installed(self, command: &str) -> bool {
        match command.rsplit_once('/') {
            None => true,
            Some((directory, _)) => self
                .directories
                .iter()
                .any(|known| known.strip_suffix('/') == Some(directory) || *known == command),
        }
    }

    pub(crate) fn get(self, name: &str) -> Option<&'static ProgramRow> {
        find(self.rows, name)
    }

    /// Names in their order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.rows.iter().map(|(name, _)| *name)
    }
}

impl ProgramRow {
    pub(crate) fn subcommand(&self, name: &str) -> Option<&'static Self> {
        find(self.subcommands, name)
    }

    /// What an option does. A long one may be cut short, which counts as the most that it could be.
    pub(crate) fn effect(&self, name: &str) -> Option<OptionEffect> {
        let exact = self.options.iter().find(|(listed, _)| *listed == name);
        if let Some((_, effect)) = exact {
            return Some(*effect);
        }
        let is_long = name.len() > 1 && self.style == OptionStyle::Getopt;
        let could_be = |(listed, effect): &&(&str, OptionEffect)| {
            listed.starts_with(name) && !matches!(effect, OptionEffect::Flag)
        };
        let cut_short = self.options.iter().filter(|_| is_long).find(could_be);
        match (cut_short, self.unlisted) {
            (Some((_, effect)), _) => Some(*effect),
            (None, UnlistedOptions::Flag) => Some(OptionEffect::Flag),
            (None, UnlistedOptions::Doubt) => None,
        }
    }

    /// Whether some option, or a subcommand, runs something else.
    pub(crate) fn may_run(&self) -> bool {
        let runs = |effect: OptionEffect| matches!(effect, OptionEffect::Run | OptionEffect::Doubt);
        !self.subcommands.is_empty() || self.options.iter().any(|(_, effect)| runs(*effect))
    }

    /// Whether a word that could be any option could do harm.
    pub(crate) fn has_effects(&self) -> bool {
        let is_harmless = |effect: OptionEffect| {
            matches!(
                effect,
                OptionEffect::Flag | OptionEffect::Value | OptionEffect::Read | OptionEffect::Below
            )
        };
        self.unlisted == UnlistedOptions::Doubt
            || !self.options.iter().all(|(_, effect)| is_harmless(*effect))
            || !self.subcommands.is_empty()
    }
}

fn find(rows: &'static [(&'static str, ProgramRow)], name: &str) -> Option<&'static ProgramRow> {
    let at = rows.binary_search_by(|(row, _)| (*row).cmp(name)).ok()?;
    rows.get(at).map(|(_, program)| program)
}
