//! What a POSIX shell line does: the commands it runs and the files it names.
//!
//! It is a parser, not a shell: it expands nothing and looks at no file. Whatever it cannot follow
//! with certainty makes the line *opaque*, and the caller has to treat that as the worst case. It
//! knows bash first and the usual words of sh, dash and zsh. It does not know PowerShell or `cmd`, and
//! it does not know what a program does beyond the short lists in [`effect`] and [`wrapper`].

mod analysis;
mod arguments;
mod effect;
mod here_document;
mod parser;
mod script;
mod substitution;
mod transfer;
mod word;
mod wrapper;

use analysis::Analysis;

const MAX_LINE_BYTES: usize = 64 * 1024;

/// What a line runs, writes and reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// In the order of the line. A substitution comes before the command that uses it, a wrapper
    /// (`sudo`, `xargs`, `sh -c`) before what it runs; each is listed on its own.
    pub commands: Vec<SimpleCommand>,
    /// Files that are created, changed or removed, relative to where the line starts. A name that the
    /// shell would expand stands as written, and the line is opaque.
    pub writes: Vec<String>,
    /// Files that are read, likewise.
    pub reads: Vec<String>,
    /// Why the lists above may be incomplete.
    pub opaque: Option<&'static str>,
    files_only: FilesOnly,
}

/// One program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    /// As written, its words separated by one space, without assignments in front and redirections.
    pub text: String,
    /// The words without quotes. A part that the shell would expand stands as written.
    pub words: Vec<String>,
}

/// Whether an opaque line hides no more than names of files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum FilesOnly {
    #[default]
    Yes,
    No,
}

impl CommandLine {
    /// Whether `commands` is complete even where the line is opaque: only files are unknown, as in
    /// `rm *.log`. A caller without rules for files may go by this.
    pub fn commands_are_known(&self) -> bool {
        self.files_only == FilesOnly::Yes
    }
}

impl SimpleCommand {
    /// The words without quotes in one text: `r""m  -rf x` is `rm -rf x`. A deny pattern has to see
    /// this as well as `text`.
    pub fn unquoted(&self) -> String {
        self.words.join(" ")
    }
}

/// Takes a shell line apart. It takes any text, does not fail, and needs time linear in its length.
pub fn analyse(line: &str) -> CommandLine {
    let mut analysis = Analysis::default();
    if line.len() > MAX_LINE_BYTES {
        analysis.doubt_commands("the line is too long");
    } else if line
        .chars()
        .any(|character| character.is_control() && character != '\n' && character != '\t')
    {
        analysis.doubt_commands("the line contains control characters");
    } else {
        analysis.read_line(line);
    }
    analysis.line
}

#[cfg(test)]
mod tests;
