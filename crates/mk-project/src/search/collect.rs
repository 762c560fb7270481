//! One thread's part of a search: which files it opens, and what it keeps of them.

use std::collections::BinaryHeap;
use std::io;
use std::ops::Range;

use grep_matcher::{LineTerminator, Matcher as _};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkFinish, SinkMatch};
use mk_types::{AbsPath, ProjectPath};

use super::matcher::LineFinder;
use super::rank::{self, FileClass, FileHits, RankedMatch, Weight};
use super::{LARGEST_FILE, SkippedFiles};
use super::{excerpt, judge};
use crate::find::{EntryKind, Globs, Readable, Tree, TreeEntry, Visit, WalkStep};
use crate::read::read_sized;

/// So many matches are kept before they are cut down to the best.
const MOST_KEPT: usize = 100;
/// A line that long was not written by hand.
const MINIFIED_LINE: usize = 5000;
/// A file of up to so many bytes is read with one system call, and then searched.
const LONGEST_SLICE: u64 = 64 * 1024;
/// As many matches of one line are looked at to judge it.
const MOST_IN_LINE: usize = 8;

/// What all threads share.
pub(super) struct SearchPlan<'a> {
    pub(super) root: &'a AbsPath,
    pub(super) tree: &'a Tree,
    pub(super) include: Option<&'a Globs>,
    pub(super) exclude: &'a Globs,
    pub(super) readable: Readable<'a>,
    /// Whether a match may contain a line break.
    pub(super) across: bool,
    pub(super) max_results: usize,
}

pub(super) struct MatchCollector<'a> {
    plan: &'a SearchPlan<'a>,
    matcher: LineFinder,
    searcher: Searcher,
    /// Reused for the bytes of each file.
    buffer: Vec<u8>,
    /// How many matches `hits` holds.
    n_kept: usize,
    pub(super) hits: Vec<FileHits>,
    pub(super) total_matches: usize,
    pub(super) total_files: usize,
    pub(super) skipped: SkippedFiles,
}

impl<'a> MatchCollector<'a> {
    pub(super) fn new(plan: &'a SearchPlan<'a>, matcher: &LineFinder) -> Self {
        let mut builder = SearcherBuilder::new();
        builder
            .binary_detection(BinaryDetection::quit(b'\0'))
            .line_number(true)
            .multi_line(plan.across);
        if !plan.across {
            builder.line_terminator(LineTerminator::crlf());
        }
        Self {
            plan,
            matcher: matcher.clone(),
            searcher: builder.build(),
            buffer: Vec::new(),
            n_kept: 0,
            hits: Vec::new(),
            total_matches: 0,
            total_files: 0,
            skipped: SkippedFiles::default(),
        }
    }

    fn wants(&self, entry: &TreeEntry<'_>) -> bool {
        self.plan
            .include
            .is_none_or(|include| include.matches(entry.below, entry.name))
            && !self.plan.exclude.matches(entry.below, entry.name)
    }

    fn search(&mut self, path: ProjectPath) {
        let Ok(file) = self.plan.tree.open_file(path.as_str()) else {
            self.skipped.unreadable += 1;
            return;
        };
        let size = match file.metadata() {
            Ok(metadata) if metadata.is_file() && metadata.len() <= LARGEST_FILE => metadata.len(),
            Ok(metadata) if metadata.is_file() => {
                self.skipped.too_large += 1;
                return;
            }
            Ok(_) | Err(_) => {
                self.skipped.unreadable += 1;
                return;
            }
        };
        // Of a longer file, only as much is read as shows that it is binary, and not all of it is held at once.
        let bytes = if size > LONGEST_SLICE {
            None
        } else {
            let Ok(bytes) = read_sized(&file, size, LARGEST_FILE, &mut self.buffer) else {
                self.skipped.unreadable += 1;
                return;
            };
            if is_binary(bytes) {
                self.skipped.binary += 1;
                return;
            }
            Some(bytes)
        };
        let mut sink = FileSink {
            matcher: &self.matcher,
            across: self.plan.across,
            limit: self.plan.max_results,
            total: 0,
            longest_line: 0,
            is_binary: false,
            kept: BinaryHeap::new(),
        };
        let searched = match bytes {
            Some(bytes) => self.searcher.search_slice(&self.matcher, bytes, &mut sink),
            None => self.searcher.search_file(&self.matcher, &file, &mut sink),
        };
        if searched.is_err() {
            self.skipped.unreadable += 1;
        } else if sink.is_binary {
            self.skipped.binary += 1;
        } else if sink.total > 0 {
            let class = if sink.longest_line > MINIFIED_LINE {
                FileClass::Noise
            } else {
                FileClass::of(path.as_str())
            };
            self.total_matches += sink.total;
            self.total_files += 1;
            self.n_kept += sink.kept.len();
            self.hits.push(FileHits {
                path,
                class,
                total: sink.total,
                kept: sink.kept.into_sorted_vec(),
            });
            if self.n_kept > MOST_KEPT.max(4 * self.plan.max_results) {
                rank::select(&mut self.hits, self.plan.max_results);
                self.n_kept = self.hits.iter().map(|file| file.kept.len()).sum();
            }
        }
    }
}

/// In a slice, the searcher itself looks for zeros only at the beginning and in matching lines. UTF-16 is full of zeros,
/// and it decodes that.
fn is_binary(bytes: &[u8]) -> bool {
    let is_utf_16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    !is_utf_16 && memchr::memchr(0, bytes).is_some()
}

impl Visit for MatchCollector<'_> {
    fn visit(&mut self, entry: &TreeEntry<'_>) -> WalkStep {
        match entry.kind {
            EntryKind::Folder if self.plan.exclude.matches_folder(entry.below, entry.name) => {
                WalkStep::Skip
            }
            EntryKind::File if self.wants(entry) => {
                if let Ok(path) = ProjectPath::parse(entry.path, self.plan.root)
                    && (self.plan.readable)(&path)
                {
                    self.search(path);
                }
                WalkStep::Continue
            }
            EntryKind::File | EntryKind::Folder | EntryKind::Link | EntryKind::Other => {
                WalkStep::Continue
            }
        }
    }
}

/// Counts the matches of one file and keeps the best.
struct FileSink<'a> {
    matcher: &'a LineFinder,
    across: bool,
    limit: usize,
    total: usize,
    longest_line: usize,
    is_binary: bool,
    kept: BinaryHeap<RankedMatch>,
}

impl Sink for FileSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let first_line = found.line_number().unwrap_or(1);
        if self.across {
            self.take_group(found.buffer(), found.bytes_range_in_buffer(), first_line)?;
        } else {
            self.total += 1;
            self.longest_line = self.longest_line.max(found.bytes().len());
            if !self.is_full() {
                self.take_line(found.bytes(), first_line)?;
            }
        }
        Ok(true)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.is_binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

impl FileSink<'_> {
    /// Whether nothing that comes later can be better than what is kept.
    fn is_full(&self) -> bool {
        self.kept.len() >= self.limit
            && self
                .kept
                .peek()
                .is_none_or(|worst| worst.weight == Weight::BEST)
    }

    fn take_line(&mut self, line: &[u8], number: u64) -> io::Result<()> {
        let mut best: Option<(Weight, Range<usize>)> = None;
        let mut n_seen = 0;
        let searched = self.matcher.find_iter(line, |found| {
            let found = found.start()..found.end();
            let weight = judge::weigh(line, &found);
            if best.as_ref().is_none_or(|(known, _)| weight < *known) {
                best = Some((weight, found));
            }
            n_seen += 1;
            weight != Weight::BEST && n_seen < MOST_IN_LINE
        });
        searched.map_err(io::Error::other)?;
        let (weight, found) = best.unwrap_or((Weight::WORST, 0..0));
        self.keep(weight, number, || (1, excerpt::around(line, found)));
        Ok(())
    }

    /// Lines that follow each other come as one group, however many matches begin in them.
    fn take_group(
        &mut self,
        buffer: &[u8],
        group: Range<usize>,
        first_line: u64,
    ) -> io::Result<()> {
        let mut line = first_line;
        // The beginning of `line`, and how far line breaks are counted.
        let mut line_start = group.start;
        let mut counted = group.start;
        let mut last_taken = 0;
        let searched = self.matcher.find_iter_at(buffer, group.start, |found| {
            if found.start() >= group.end {
                return false;
            }
            let between = buffer.get(counted..found.start()).unwrap_or_default();
            if let Some(idx) = between.iter().rposition(|byte| *byte == b'\n') {
                line += count_breaks(between);
                line_start = counted + idx + 1;
            }
            counted = found.start();
            // A match that begins in the line of the last one counts with it.
            if last_taken == line {
                return true;
            }
            last_taken = line;
            self.total += 1;
            let end = line_end(buffer, found.start().max(found.end().saturating_sub(1)));
            let text = buffer.get(line_start..end).unwrap_or_default();
            let lengths = text.split(|byte| *byte == b'\n').map(<[u8]>::len);
            self.longest_line = self.longest_line.max(lengths.max().unwrap_or(0));
            if !self.is_full() {
                let found = found.start() - line_start..found.end() - line_start;
                let weight = judge::weigh(text, &found);
                let inner = text.strip_suffix(b"\n").unwrap_or(text);
                let n_lines = count_breaks(inner) + 1;
                self.keep(weight, line, || (n_lines, excerpt::around(text, found)));
            }
            true
        });
        searched.map_err(io::Error::other)
    }

    fn keep(&mut self, weight: Weight, line: u64, make: impl FnOnce() -> (u64, String)) {
        if self.kept.len() >= self.limit {
            match self.kept.peek() {
                Some(worst) if weight < worst.weight => {}
                Some(_) | None => return,
            }
            self.kept.pop();
        }
        let (n_lines, text) = make();
        self.kept.push(RankedMatch {
            weight,
            line,
            n_lines,
            text,
        });
    }
}

/// The end of the line in which `position` lies, with its line break.
fn line_end(buffer: &[u8], position: usize) -> usize {
    let rest = buffer.get(position..).unwrap_or_default();
    rest.iter()
        .position(|byte| *byte == b'\n')
        .map_or(buffer.len(), |idx| position + idx + 1)
}

fn count_breaks(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}
