//! What a POSIX shell line does: the commands it runs and the files it names.
//!
//! It is a parser, not a shell: it runs nothing and looks at no file. What it knows of programs it is given
//! ([`ProgramTable`]). Whatever it cannot follow with certainty is a [`Doubt`], and the caller has to treat that as the
//! worst case. It knows bash first and the usual words of sh, dash and zsh. It does not know PowerShell or `cmd`.
//!
//! Start with [`analyse`]. It needs no other crate; the rows that Modekeeper gives it are in mk-policy.
//!
//! ```
#![doc = include_str!("../examples/analyse.rs")]
//! ```

mod analysis;
mod archive;
mod arguments;
mod build;
mod copy;
mod effect;
mod find;
mod git;
mod here_document;
mod mention;
mod parser;
mod program;
mod script;
mod substitution;
mod text;
mod transfer;
mod unnamed;
mod variable;
mod word;
mod wrapper;

pub use program::{
    Operands, OptionEffect, OptionStyle, ProgramRow, ProgramScope, ProgramTable, UnlistedOptions,
};
pub use text::{ANYTHING, SOME_NAME, escape, literal};

use analysis::LineAnalysis;

// The example of the documentation names the crate, and a test runs it.
#[cfg(test)]
extern crate self as mk_shell;

/// Longer lines are not read.
pub const LONGEST_LINE: usize = 64 * 1024;
/// More files than this in one line are not listed.
pub const MOST_FILES: usize = 10_000;

/// What a line runs, writes and reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// In the order of the line. A substitution comes before the command that uses it, a wrapper
    /// (`sudo`, `xargs`, `sh -c`) before what it runs; each is listed on its own.
    pub commands: Vec<SimpleCommand>,
    /// The files that the line names, from where it starts.
    pub files: Vec<FileUse>,
    /// Why the lists above may be incomplete.
    pub doubt: Option<Doubt>,
    /// Whether a program reads files that its words do not name.
    pub roams: RoamingReads,
    /// Whether the repository is changed: its objects and references, not its files.
    pub records: Records,
    pub size: Size,
}

/// One program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    /// As written, its words separated by one space, without assignments in front and redirections.
    pub text: String,
    /// The words without quotes. A part that the shell would expand stands as written.
    pub words: Vec<String>,
}

/// A file that a line names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileUse {
    /// A path, or a pattern where `form` says so.
    pub path: String,
    pub access: UseOfFile,
    pub form: Form,
    pub extent: NameExtent,
}

/// What a line does with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UseOfFile {
    Read,
    Write,
    /// It stands somewhere in a line that is in doubt.
    Mention,
    /// A program runs what it finds in this directory, or this file: builds, tests, formatters.
    Run,
    /// A program does what the settings in this directory tell it: Git.
    Obey,
}

/// How well a file is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    Exact,
    /// A pattern that stays where its fixed parts are: see [`SOME_NAME`] for what is added to the shell's wildcards.
    Pattern,
    /// It could be any file.
    Unknown,
}

/// How much of what is named is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameExtent {
    Itself,
    /// A directory with all that is in it.
    Below,
}

/// Why a line is not proven to do no more than is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// More files may be used.
    Files(&'static str),
    /// Other commands may run.
    Commands(&'static str),
}

/// Whether files are read that no word names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RoamingReads {
    #[default]
    No,
    Yes,
}

/// Whether the repository is changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Records {
    #[default]
    No,
    Yes,
}

/// Whether a line could be looked at as a whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Size {
    #[default]
    Fits,
    TooLarge,
}

impl CommandLine {
    /// Why not all commands are known. A line whose files are in doubt has none: a caller without rules for files may
    /// go by this.
    pub fn doubt_about_commands(&self) -> Option<&'static str> {
        match self.doubt {
            Some(Doubt::Commands(reason)) => Some(reason),
            Some(Doubt::Files(_)) | None => None,
        }
    }
}

impl Doubt {
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Files(reason) | Self::Commands(reason) => reason,
        }
    }
}

impl SimpleCommand {
    /// The words without quotes in one text: `r""m  -rf x` is `rm -rf x`. A deny pattern has to see
    /// this as well as `text`.
    pub fn unquoted(&self) -> String {
        self.words.join(" ")
    }

    /// The program's name without its directory.
    pub fn program(&self) -> &str {
        let word = self.words.first().map_or("", String::as_str);
        word.rsplit(['/', '\\']).next().unwrap_or_default()
    }
}

/// Takes a shell line apart that starts in a directory, empty for the root. It takes any text, does not fail, and needs
/// time linear in its length.
pub fn analyse(programs: ProgramTable, line: &str, start: &str) -> CommandLine {
    let mut analysis = LineAnalysis::new(programs, start);
    if line.len() > LONGEST_LINE {
        analysis.doubt_commands("the line is too long");
        analysis.line.size = Size::TooLarge;
        return analysis.line;
    }
    if line
        .chars()
        .any(|character| character.is_control() && character != '\n' && character != '\t')
    {
        analysis.doubt_commands("the line contains control characters");
    } else {
        analysis.read_line(line);
    }
    if analysis.line.doubt.is_some() && analysis.line.size == Size::Fits {
        analysis.mention_words(line);
    }
    analysis.line
}

#[cfg(test)]
mod tests;
