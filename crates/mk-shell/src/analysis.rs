//! What has been found so far, and the directory the line is in.
//!
//! Every doubt ends here. A name that is not certain is listed as written, with a doubt: the caller
//! then checks at least that.

use crate::word::{Shape, Word};
use crate::{CommandLine, FilesOnly, SimpleCommand};

/// Nesting of groups, substitutions, wrappers and strings for `sh -c`, all together.
const MAX_DEPTH: usize = 32;

/// Longer folders in a `cd` are not put in front of names, or a line of 64 KiB could name gigabytes.
const MAX_FOLDER_BYTES: usize = 512;

/// The rest of the text cannot be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop(pub(crate) &'static str);

pub(crate) type Step<T> = Result<T, Stop>;

/// Where relative names start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Directory {
    #[default]
    Start,
    Below(String),
    Unknown,
}

#[derive(Debug, Default)]
pub(crate) struct Analysis {
    pub(crate) line: CommandLine,
    pub(crate) directory: Directory,
    /// Where a `cd` goes, until it is known whether what follows depends on its success.
    pub(crate) change: Option<Directory>,
    /// How many loops we are in: there a `cd` also moves what stands before it.
    pub(crate) loops: usize,
    depth: usize,
}

impl Analysis {
    pub(crate) fn doubt_commands(&mut self, reason: &'static str) {
        // The graver reason is the one to show.
        if self.line.files_only == FilesOnly::Yes {
            self.line.opaque = Some(reason);
        }
        self.line.files_only = FilesOnly::No;
    }

    pub(crate) fn doubt_files(&mut self, reason: &'static str) {
        self.line.opaque.get_or_insert(reason);
    }

    pub(crate) fn descend(&mut self) -> Step<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Stop("the line is nested too deeply"));
        }
        Ok(())
    }

    pub(crate) fn ascend(&mut self) {
        self.depth -= 1;
    }

    pub(crate) fn push_command(&mut self, words: &[Word]) {
        let written = || words.iter().filter(|word| !word.raw.is_empty());
        let raw: Vec<&str> = written().map(|word| word.raw.as_str()).collect();
        self.line.commands.push(SimpleCommand {
            text: raw.join(" "),
            words: written().map(|word| word.value.clone()).collect(),
        });
    }

    pub(crate) fn write_file(&mut self, word: &Word) {
        let device = matches!(
            word.value.as_str(),
            "/dev/null" | "/dev/stdout" | "/dev/stderr"
        );
        if !device && let Some(name) = self.locate(word) {
            self.line.writes.push(name);
        }
    }

    pub(crate) fn read_file(&mut self, word: &Word) {
        let device = matches!(word.value.as_str(), "/dev/null" | "/dev/stdin" | "-");
        if !device && let Some(name) = self.locate(word) {
            self.line.reads.push(name);
        }
    }

    fn locate(&mut self, word: &Word) -> Option<String> {
        match word.shape {
            Shape::Literal => {}
            Shape::Process => return None,
            Shape::Backslash => self.doubt_files("a file is named with a backslash"),
            Shape::Pattern => self.doubt_files("a file is named by a pattern"),
            Shape::Expansion => self.doubt_files("a file is named by an expansion"),
        }
        let name = word.value.as_str();
        if name.is_empty() {
            return None;
        }
        if name.starts_with('/') {
            return Some(name.to_owned());
        }
        match &self.directory {
            Directory::Start => Some(name.to_owned()),
            // `C:\x` is not below anything.
            Directory::Below(_) if name.contains('\\') => {
                self.doubt_files("a file is named with a backslash");
                Some(name.to_owned())
            }
            Directory::Below(folder) => {
                let folder = folder.trim_end_matches('/');
                Some(format!("{folder}/{name}"))
            }
            Directory::Unknown => {
                self.doubt_files("a file is named after a change of directory");
                Some(name.to_owned())
            }
        }
    }

    /// Notes a `cd`; `operands` are its arguments without options.
    pub(crate) fn change_directory(&mut self, operands: &[Word]) {
        if self.loops > 0 {
            self.doubt_files("the directory changes in a loop");
        }
        let target = match operands {
            [word]
                if word.shape == Shape::Literal
                    && word.value != "-"
                    && self.directory != Directory::Unknown =>
            {
                self.locate(word)
                    .filter(|folder| folder.len() <= MAX_FOLDER_BYTES)
                    .map(Directory::Below)
            }
            _ => None,
        };
        self.change = Some(target.unwrap_or(Directory::Unknown));
    }
}
