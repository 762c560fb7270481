//! The text that is shown for a match: short enough to read, whatever the line is like.

use std::io::Read as _;
use std::ops::Range;

use super::LARGEST_FILE;
use crate::find::Tree;

/// The most characters of a text that is shown.
const LONGEST: usize = 500;
/// How many of them may stand before the match when there is more behind it.
const LEAD: usize = 150;
const CUT: char = '…';

/// The bytes of `line` as text, cut around `found`.
pub(super) fn around(line: &[u8], found: Range<usize>) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= LONGEST {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = found.start.min(line.len());
    let (lead, rest) = line.split_at(start);
    // A character has at most four bytes: these windows hold more than is shown.
    let lead_window = lead.get(lead.len().saturating_sub(4 * LONGEST)..);
    let rest_window = rest.get(..rest.len().min(4 * LONGEST));
    let lead_text = decode_end(lead_window.unwrap_or_default());
    let rest_text = String::from_utf8_lossy(rest_window.unwrap_or_default());
    let room = LONGEST - 2;
    let n_lead = lead_text.chars().count();
    let n_rest = rest_text.chars().count();
    let take_rest = n_rest.min(room - n_lead.min(LEAD));
    let take_lead = n_lead.min(room - take_rest);
    let mut text = String::new();
    if take_lead < n_lead || lead.len() > 4 * LONGEST {
        text.push(CUT);
    }
    text.extend(lead_text.chars().skip(n_lead - take_lead));
    text.extend(rest_text.chars().take(take_rest));
    if take_rest < n_rest || rest.len() > 4 * LONGEST {
        text.push(CUT);
    }
    text
}

/// Decodes bytes that may begin inside a character.
fn decode_end(bytes: &[u8]) -> String {
    let begin = bytes
        .iter()
        .take(3)
        .take_while(|byte| **byte & 0b1100_0000 == 0b1000_0000)
        .count();
    String::from_utf8_lossy(bytes.get(begin..).unwrap_or_default()).into_owned()
}

/// A file's lines, read once more for context. A file that has changed meanwhile gives the lines it has now, one that
/// has gone gives none.
#[derive(Debug)]
pub(super) struct FileLines {
    text: Vec<u8>,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl FileLines {
    pub(super) fn read(tree: &Tree, path: &str) -> Self {
        let mut bytes = Vec::new();
        if let Ok(file) = tree.open_file(path)
            && file.metadata().is_ok_and(|metadata| metadata.is_file())
            && file.take(LARGEST_FILE).read_to_end(&mut bytes).is_err()
        {
            bytes.clear();
        }
        let text = match encoding_rs::Encoding::for_bom(&bytes) {
            Some((encoding, _)) => encoding.decode(&bytes).0.into_owned().into_bytes(),
            None => bytes,
        };
        let mut starts = vec![0];
        starts.extend(
            (0..text.len())
                .filter(|idx| text.get(*idx) == Some(&b'\n'))
                .map(|idx| idx + 1),
        );
        if starts.last() == Some(&text.len()) {
            starts.pop();
        }
        Self { text, starts }
    }

    /// The lines before `line`, which counts from 1.
    pub(super) fn before(&self, line: u64, count: usize) -> Vec<String> {
        let end = usize::try_from(line)
            .unwrap_or(usize::MAX)
            .saturating_sub(1);
        self.lines(end.saturating_sub(count)..end)
    }

    pub(super) fn after(&self, line: u64, count: usize) -> Vec<String> {
        let begin = usize::try_from(line).unwrap_or(usize::MAX);
        self.lines(begin..begin.saturating_add(count))
    }

    fn lines(&self, range: Range<usize>) -> Vec<String> {
        let range = range.start.min(self.starts.len())..range.end.min(self.starts.len());
        let line = |idx: usize| {
            let start = self.starts.get(idx).copied().unwrap_or_default();
            let end = self.starts.get(idx + 1).copied().unwrap_or(self.text.len());
            around(self.text.get(start..end).unwrap_or_default(), 0..0)
        };
        range.map(line).collect()
    }
}
