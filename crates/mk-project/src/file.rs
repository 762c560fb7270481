//! Text files: what is in them and how it is encoded, and which lines of it somebody wants.
//!
//! Changing them is `edit`'s work. Which files an agent may see is not decided here.

mod apply;
mod diff;
mod edit;
mod encoding;
mod plan;
mod recover;
mod state;
mod under_way;

use std::borrow::Cow;

use mk_types::ProjectPath;

pub use edit::{FileEdit, TextRewrite, WriteKind, WrittenFile};
pub use encoding::LineEnding;
pub use under_way::wait_for_edits;

pub(crate) use apply::unlink_leftover;
pub(crate) use diff::Diff;
pub use diff::diff_to_decide;
pub(crate) use edit::EditPlan;
pub(crate) use plan::{plan_delete_if_there, plan_move, plan_put_back};
pub(crate) use recover::{direction, roll_back, roll_forward};
pub(crate) use state::{FileState, FileStep, revision_of};

use crate::beneath::{RootDir, shown};
use crate::error::Error;

/// Larger files are data, not something an agent reads or edits as text.
pub(crate) const LARGEST: u64 = 20 * 1024 * 1024;

/// A text file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    pub text: String,
    /// `utf-8`, `utf-8-bom`, `utf-16le`, `utf-16be` or `windows-1252`.
    pub encoding: &'static str,
    pub line_ending: LineEnding,
    /// Tells this state of the file from any other: 16 hexadecimal digits of a hash of its bytes.
    pub revision: String,
    /// Bytes on disk.
    pub size: u64,
}

/// Lines counted from 1, both ends included; negative numbers count from the end, −1 being the last line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineRange {
    pub start: Option<i64>,
    pub end: Option<i64>,
}

/// A line that a text does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSuchLine {
    pub line: i64,
    pub total: usize,
}

impl NoSuchLine {
    pub fn of(self, path: &ProjectPath) -> Error {
        Error::NoSuchLine {
            path: shown(path),
            line: self.line,
            total: self.total,
        }
    }
}

impl RootDir {
    /// Reads a text file. Pipes, devices, folders, links, what is too large and what is not text are refused.
    pub fn read_file(&self, path: &ProjectPath) -> Result<FileText, Error> {
        let state = FileState::read(self, path)?;
        let size = state.bytes.len() as u64;
        FileText::decode(&state.bytes).ok_or_else(|| Error::Binary {
            path: shown(path),
            size,
        })
    }

    /// Reads a file of any kind, with the same limits but that it be text.
    pub fn read_bytes(&self, path: &ProjectPath) -> Result<Vec<u8>, Error> {
        Ok(FileState::read(self, path)?.bytes)
    }
}

impl FileText {
    /// The number of lines; a final newline does not begin another.
    pub fn n_lines(&self) -> usize {
        let newlines = self.text.bytes().filter(|byte| *byte == b'\n').count();
        let unfinished = !self.text.is_empty() && !self.text.ends_with('\n');
        newlines + usize::from(unfinished)
    }

    /// The text as a change works on it: `\n` alone ends a line, unless the file mixes line endings.
    pub fn editable(&self) -> Cow<'_, str> {
        match self.line_ending {
            LineEnding::CrLf => Cow::Owned(self.text.replace("\r\n", "\n")),
            LineEnding::Lf | LineEnding::Mixed | LineEnding::None => Cow::Borrowed(&self.text),
        }
    }

    /// The lines asked for, as first line, last line and text.
    ///
    /// 1. Without a start the text begins at line 1; a negative start before the first line is line 1.
    /// 2. Without an end, or with one past the last line, it goes on to the last line.
    /// 3. A start past the last line, 0, and an end before the start name no line. An empty text has a line 1, empty,
    ///    and its last line is 0.
    pub fn lines(&self, range: LineRange) -> Result<(usize, usize, &str), NoSuchLine> {
        let total = self.n_lines();
        let no_line = |line| NoSuchLine { line, total };
        let start = range.start.unwrap_or(1);
        let end = range.end.unwrap_or(-1);
        let first = match from_end(start, total) {
            Some(first) => first.max(1),
            None => usize::try_from(start).map_err(|_| no_line(start))?,
        };
        let last = match from_end(end, total) {
            Some(last) => last,
            None => usize::try_from(end).map_err(|_| no_line(end))?.min(total),
        };
        if first == 0 || first > total.max(1) {
            return Err(no_line(start));
        }
        if total == 0 && range.end.is_none_or(|end| end == 1 || end == -1) {
            return Ok((1, 0, ""));
        }
        if last < first {
            return Err(no_line(end));
        }
        let begin = self.line_start(first);
        let finish = self.line_start(last + 1);
        let text = self.text.get(begin..finish).unwrap_or_default();
        Ok((first, last, text))
    }

    /// The byte at which a line begins; the end of the text for the line after the last.
    fn line_start(&self, line: usize) -> usize {
        match line.checked_sub(2) {
            None => 0,
            Some(newline_idx) => self
                .text
                .match_indices('\n')
                .nth(newline_idx)
                .map_or(self.text.len(), |(position, _)| position + 1),
        }
    }
}

/// The line that a negative number means; 0 if it lies before the first. Other numbers are not counted from the end.
fn from_end(line: i64, total: usize) -> Option<usize> {
    let back = usize::try_from(line.checked_neg()?)
        .ok()
        .filter(|back| *back > 0)?;
    Some((total + 1).saturating_sub(back))
}
