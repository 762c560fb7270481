//! What changed between two texts, as short as an answer needs it.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

/// Enough to see what happened; the file itself has the rest.
const LONGEST: usize = 4096;
/// A line longer than this says nothing more to a reader.
const LONGEST_LINE: usize = 400;
/// What a person decides about is shown whole, unless it is longer than anyone reads.
const LONGEST_TO_DECIDE: usize = 512 * 1024;
/// Past this the comparison becomes coarser, but stays right.
const PATIENCE: Duration = Duration::from_millis(200);

/// Lines that came and went, and a unified diff cut to a few kilobytes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Diff {
    pub(crate) added: usize,
    pub(crate) removed: usize,
    pub(crate) text: String,
}

/// The diff of two texts for a person who decides whether one becomes the other.
pub fn diff_to_decide(old: &str, new: &str) -> String {
    Diff::to_decide(old, new).text
}

impl Diff {
    pub(crate) fn between(old: &str, new: &str) -> Self {
        Self::cut(old, new, LONGEST, LONGEST_LINE)
    }

    /// The same for a person who decides about it: what is left out could be what they would refuse.
    pub(crate) fn to_decide(old: &str, new: &str) -> Self {
        Self::cut(old, new, LONGEST_TO_DECIDE, LONGEST_TO_DECIDE)
    }

    fn cut(old: &str, new: &str, longest: usize, longest_line: usize) -> Self {
        let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
        let mut summary = Self::default();
        for change in diff.iter_all_changes() {
            match change.tag() {
                ChangeTag::Insert => summary.added += 1,
                ChangeTag::Delete => summary.removed += 1,
                ChangeTag::Equal => {}
            }
        }
        let mut left_out = 0_usize;
        let mut unified = diff.unified_diff();
        for hunk in unified.context_radius(3).iter_hunks() {
            summary.push(&hunk.header().to_string(), longest, &mut left_out);
            for change in hunk.iter_changes() {
                let line = change.value().trim_end_matches(['\n', '\r']);
                let shown = line
                    .get(..line.floor_char_boundary(longest_line))
                    .unwrap_or(line);
                let more = if shown.len() < line.len() { "…" } else { "" };
                let line = format!("{}{shown}{more}", change.tag());
                summary.push(&line, longest, &mut left_out);
            }
        }
        if left_out > 0 {
            let lines = if left_out == 1 { "line" } else { "lines" };
            let note = format!("… ({left_out} more {lines} of this diff)\n");
            summary.text.push_str(&note);
        }
        summary
    }

    /// Under names that tell the reader which side is which.
    pub(crate) fn titled(old: (&str, &str), new: (&str, &str)) -> String {
        let diff = Self::between(old.1, new.1);
        format!("--- {}\n+++ {}\n{}", old.0, new.0, diff.text)
    }

    /// Adds a line, or counts it once one did not fit: no line in the middle is ever missing.
    fn push(&mut self, line: &str, longest: usize, left_out: &mut usize) {
        if *left_out == 0 && self.text.len() + line.len() < longest {
            self.text.push_str(line);
            self.text.push('\n');
        } else {
            *left_out += 1;
        }
    }
}
