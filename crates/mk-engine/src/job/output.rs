//! What a command prints: the beginning and the end are kept, and any part of that can be read.

use std::collections::VecDeque;
use std::sync::Mutex;

use mk_types::lock;

/// Kept from the beginning.
const HEAD: usize = 2 * 1024 * 1024;
/// Kept from the end.
const TAIL: usize = 1024 * 1024;
/// How much of it one answer has.
const SHOWN: usize = 24_000;
/// Of an answer that is cut in the middle, how much comes first.
const SHOWN_FIRST: usize = 8_000;

/// A part of a command's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPart {
    pub text: String,
    /// The bytes that were left out in the middle: from, to.
    pub left_out: Option<(u64, u64)>,
    /// Where the next part begins, if there is more.
    pub next: Option<u64>,
    pub total: u64,
}

#[derive(Debug, Default)]
struct KeptOutput {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl KeptOutput {
    /// The byte with which the kept end begins.
    fn tail_from(&self) -> u64 {
        self.total - self.tail.len() as u64
    }

    fn slice(&self, from: u64, to: u64) -> Vec<u8> {
        let head = self.head.len() as u64;
        let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
        let mut bytes = Vec::new();
        if from < head {
            bytes.extend(&self.head[index(from)..index(to.min(head))]);
        }
        let tail = self.tail_from();
        if to > tail {
            let skipped = index(from.max(tail) - tail);
            let wanted = index(to - from.max(tail));
            bytes.extend(self.tail.iter().skip(skipped).take(wanted));
        }
        bytes
    }
}

/// What was printed so far.
#[derive(Debug, Default)]
pub(super) struct Output(Mutex<KeptOutput>);

impl Output {
    pub(super) fn push(&self, bytes: &[u8]) {
        let mut kept = lock(&self.0);
        let room = HEAD - kept.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        kept.head.extend(first);
        kept.tail.extend(rest);
        let surplus = kept.tail.len().saturating_sub(TAIL);
        kept.tail.drain(..surplus);
        kept.total += bytes.len() as u64;
    }

    /// From a byte on; without one, the beginning and the end.
    pub(super) fn part(&self, from: Option<u64>) -> OutputPart {
        let kept = lock(&self.0);
        let total = kept.total;
        let text = |from: u64, to: u64| String::from_utf8_lossy(&kept.slice(from, to)).into_owned();
        if let Some(from) = from {
            let gap = kept.head.len() as u64..kept.tail_from();
            // What was not kept is skipped.
            let from = if gap.contains(&from) { gap.end } else { from };
            let end = (from + SHOWN as u64).min(total);
            let end = if from < gap.start {
                end.min(gap.start)
            } else {
                end
            };
            return OutputPart {
                text: text(from.min(end), end),
                left_out: None,
                next: (end < total).then_some(end),
                total,
            };
        }
        if total <= SHOWN as u64 {
            return OutputPart {
                text: text(0, total),
                left_out: None,
                next: None,
                total,
            };
        }
        let first = SHOWN_FIRST as u64;
        let last = total - (SHOWN - SHOWN_FIRST) as u64;
        OutputPart {
            text: format!("{}\n[…]\n{}", text(0, first), text(last, total)),
            left_out: Some((first, last)),
            next: Some(first),
            total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_output_is_whole() {
        let output = Output::default();
        output.push(b"one\n");
        output.push(b"two\n");
        let part = output.part(None);
        assert_eq!((part.text.as_str(), part.next), ("one\ntwo\n", None));
        assert_eq!(output.part(Some(4)).text, "two\n");
        assert_eq!(output.part(Some(100)).text, "");
    }

    #[test]
    fn long_output_is_cut_in_the_middle_and_read_on() {
        let output = Output::default();
        let lines: String = (0..20_000).map(|number| format!("{number}\n")).collect();
        output.push(lines.as_bytes());
        let part = output.part(None);
        assert!(part.text.starts_with("0\n1\n") && part.text.ends_with("19999\n"));
        let (mut from, mut read) = (0, String::new());
        loop {
            let part = output.part(Some(from));
            read.push_str(&part.text);
            match part.next {
                Some(next) => from = next,
                None => break,
            }
        }
        assert_eq!(read, lines);
    }

    #[test]
    fn without_end_the_beginning_and_the_end_are_kept() {
        let output = Output::default();
        for _ in 0..40 {
            output.push(&[b'a'; 100_000]);
        }
        output.push(b"end");
        assert_eq!(output.part(None).total, 4_000_003);
        let gap = output.part(Some(2_500_000));
        assert!(gap.text.starts_with('a'));
        assert_eq!(output.part(Some(4_000_000)).text, "end");
    }
}
