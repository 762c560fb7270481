//! What a line of a prompt is: said, or pasted from a program, a log or a ticket.
//!
//! Shapes decide, not words, because every language is pasted the same way. When in doubt a line is said.

use std::ops::Range;

use super::code::is_code;
use super::ticket::{is_address, is_field, is_footer, is_heading, is_setting};

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Blank,
    Spoken,
    Trace,
    Diff,
    Log {
        fails: bool,
    },
    Code,
    Quote,
    /// A field, a heading or a footer of a ticket or a mail.
    Field,
}

/// The lines of a text and their kinds.
pub(super) struct SegmentLines;

impl SegmentLines {
    pub(super) fn of(text: &str) -> Vec<(Range<usize>, LineKind)> {
        let mut lines = Vec::new();
        let mut reader = SegmentReader::default();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let range = at..at + line.trim_end().len();
            at += line.len();
            lines.push((range, reader.read(line.trim_end())));
        }
        absorb(&mut lines);
        mark_settings(text, &mut lines);
        free_last(text, &mut lines);
        lines
    }
}

/// A run of `key: value` lines that is nested or listed is a file of settings.
fn mark_settings(text: &str, lines: &mut [(Range<usize>, LineKind)]) {
    const LEAST: usize = 3;
    let line_at = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
    let mut start = 0;
    while start < lines.len() {
        let rest = lines.get(start..).unwrap_or_default();
        let run = rest
            .iter()
            .take_while(|(range, kind)| {
                matches!(kind, LineKind::Code)
                    || matches!(kind, LineKind::Spoken | LineKind::Field)
                        && is_setting(line_at(range))
            })
            .count();
        let is_nested = rest
            .iter()
            .take(run)
            .any(|(range, _)| line_at(range).starts_with([' ', '-']));
        if run >= LEAST && is_nested {
            for (_, kind) in lines.iter_mut().skip(start).take(run) {
                *kind = LineKind::Code;
            }
        }
        start += run.max(1);
    }
}

/// Below a footer a person may still say what to do: one line, behind a gap, that is no part of it.
fn free_last(text: &str, lines: &mut [(Range<usize>, LineKind)]) {
    let [.., (_, LineKind::Blank), (range, kind @ LineKind::Field)] = lines else {
        return;
    };
    let line = text.get(range.clone()).unwrap_or_default().trim();
    if !(is_field(line) || is_heading(line) || is_footer(line) || is_address(line)) {
        *kind = LineKind::Spoken;
    }
}

/// A line that seems said between two that are not, without a gap, belongs to them: a comment, a message.
fn absorb(lines: &mut [(Range<usize>, LineKind)]) {
    let belongs = |kind: LineKind| {
        matches!(
            kind,
            LineKind::Code | LineKind::Trace | LineKind::Diff | LineKind::Log { .. }
        )
    };
    for at in 1..lines.len().saturating_sub(1) {
        let (Some((_, before)), Some((_, after))) = (lines.get(at - 1), lines.get(at + 1)) else {
            continue;
        };
        let (before, after) = (*before, *after);
        if let Some((_, kind)) = lines.get_mut(at)
            && *kind == LineKind::Spoken
            && belongs(before)
            && belongs(after)
        {
            *kind = before;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenPaste {
    Diff,
    /// Rust writes what a panic says on the line after its place.
    Panic,
}

/// What was read so far, as far as it decides about the next line.
#[derive(Default)]
struct SegmentReader<'a> {
    /// The mark that closes a fenced block, and what is in it.
    fence: Option<(&'a str, LineKind)>,
    /// A paste that the next line may belong to.
    open: Option<OpenPaste>,
    in_footer: bool,
    before: Option<LineKind>,
    n_read: usize,
}

impl<'a> SegmentReader<'a> {
    fn read(&mut self, line: &'a str) -> LineKind {
        let kind = self.kind(line);
        if kind != LineKind::Blank {
            self.n_read += 1;
        }
        self.before = Some(kind);
        kind
    }

    fn kind(&mut self, line: &'a str) -> LineKind {
        let text = line.trim();
        if let Some((mark, inside)) = self.fence {
            if text.starts_with(mark) {
                self.fence = None;
                return LineKind::Code;
            }
            // What is fenced is pasted; it only remains which kind it is.
            let kind = match self.pasted(line, text) {
                Some(kind @ (LineKind::Trace | LineKind::Diff | LineKind::Log { .. })) => kind,
                _ => inside,
            };
            return kind;
        }
        if let Some(mark) = ["```", "~~~"]
            .into_iter()
            .find(|mark| text.starts_with(mark))
        {
            self.open = None;
            let word = text.trim_start_matches(['`', '~']);
            let is_closed = word.len() > 3 && word.ends_with(mark);
            if !is_closed {
                let inside = match word.trim() {
                    "diff" | "patch" => LineKind::Diff,
                    _ => LineKind::Code,
                };
                self.fence = text.get(..mark.len()).map(|mark| (mark, inside));
            }
            return LineKind::Code;
        }
        if text.is_empty() {
            return LineKind::Blank;
        }
        if self.in_footer {
            return LineKind::Field;
        }
        if let Some(kind) = self.pasted(line, text) {
            return kind;
        }
        if text.starts_with('>') {
            return LineKind::Quote;
        }
        if is_footer(text) {
            self.in_footer = self.n_read > 0;
            return LineKind::Field;
        }
        let is_wiki = text.starts_with("h2. ") || text.starts_with("h1. ");
        if is_field(text) || (self.n_read > 0 || is_wiki) && (is_heading(text) || is_address(text))
        {
            return LineKind::Field;
        }
        LineKind::Spoken
    }

    /// The kind of a line that a program wrote or reads.
    fn pasted(&mut self, line: &str, text: &str) -> Option<LineKind> {
        if text.starts_with("diff --git ")
            || text.starts_with("@@ -")
            || text.starts_with("--- a/")
            || text.starts_with("+++ b/")
        {
            self.open = Some(OpenPaste::Diff);
            return Some(LineKind::Diff);
        }
        if self.open == Some(OpenPaste::Diff) {
            let goes_on = line.starts_with(['+', '-', ' ', '\\'])
                || [
                    "index ",
                    "new file",
                    "deleted file",
                    "similarity ",
                    "rename ",
                ]
                .iter()
                .any(|start| text.starts_with(start));
            if goes_on {
                return Some(LineKind::Diff);
            }
            if !text.is_empty() {
                self.open = None;
            }
        }
        if self.open == Some(OpenPaste::Panic) || is_trace(text) {
            let says_next = text.contains("panicked at ") && text.ends_with(':');
            self.open = says_next.then_some(OpenPaste::Panic);
            return Some(LineKind::Trace);
        }
        if is_log(text) {
            let fails = [
                "error",
                "fatal",
                "exception",
                "fail",
                "panic",
                "critical",
                "refused",
            ]
            .iter()
            .any(|word| contains_folded(text, word));
            return Some(LineKind::Log { fails });
        }
        let indented = line.starts_with("    ") || line.starts_with('\t');
        let in_code = self.before == Some(LineKind::Code) && indented;
        (in_code || is_code(text, indented)).then_some(LineKind::Code)
    }
}

fn contains_folded(text: &str, word: &str) -> bool {
    text.as_bytes()
        .windows(word.len())
        .any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

/// How lines of a stack trace, of a compiler, of a test runner begin.
const TRACE_STARTS: [&str; 25] = [
    "Traceback (most recent",
    "File \"",
    "Caused by:",
    "caused by:",
    "Suppressed:",
    "Exception in thread",
    "goroutine ",
    "panic: ",
    "thread '",
    "error[",
    "error: aborting",
    "error: could not compile",
    "--> ",
    "npm ERR!",
    "npm error",
    "fatal error:",
    "fatal: ",
    "FAILED ",
    "FAIL: ",
    "--- FAIL",
    "E   ",
    "BUILD FAILED",
    "Segmentation fault",
    "make: ***",
    "Unhandled ",
];

/// Lines of a stack trace, of a compiler, of a test runner.
fn is_trace(text: &str) -> bool {
    if TRACE_STARTS.iter().any(|start| text.starts_with(start)) || text.contains("panicked at ") {
        return true;
    }
    // `... 42 common frames omitted`, `... 12 more`
    if text.starts_with("... ") && (text.ends_with(" more") || text.ends_with(" omitted")) {
        return true;
    }
    // `at com.shop.Cart.total(Cart.java:42)`, `at render (/app/index.js:3:9)`
    if let Some(rest) = text.strip_prefix("at ") {
        let place = rest.rsplit(['(', ' ']).next().unwrap_or(rest);
        if place.contains(':') && place.contains(|sign: char| sign.is_ascii_digit()) {
            return true;
        }
    }
    // `TypeError: x is not a function`, `java.lang.IllegalStateException`
    let first = text.split(&[':', ' '][..]).next().unwrap_or_default();
    let is_name = first.len() > 5
        && first
            .chars()
            .all(|sign| sign.is_alphanumeric() || matches!(sign, '.' | '_' | '$'));
    if is_name
        && (first.ends_with("Error") || first.ends_with("Exception"))
        && (first.len() == text.len()
            || text
                .get(first.len()..)
                .is_some_and(|rest| rest.starts_with(": ")))
    {
        return true;
    }
    // `src/main.rs:12:5: error: …`, `app.ts(3,7): error TS2304: …`
    let has_place = text.split(' ').next().is_some_and(|place| {
        let numbers = place
            .split([':', '(', ',', ')'])
            .filter(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        place.contains('.') && numbers.count() >= 1 && place.ends_with(':')
    });
    has_place && (contains_folded(text, "error") || contains_folded(text, "warning"))
}

/// Lines that begin with a time, a level or an address.
fn is_log(text: &str) -> bool {
    // People type no colours. CI systems mark groups, and echo what they run.
    if text.contains('\u{1b}') || ["::", "##[", "$ "].iter().any(|it| text.starts_with(it)) {
        return true;
    }
    let bare = text.trim_start_matches(['[', '(', '"']);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let n_digits = digits(bare);
    let behind = bare.get(n_digits..).unwrap_or_default();
    // 2026-11-17T…, 10:31:07
    if n_digits == 4
        && behind.starts_with(['-', '/'])
        && digits(behind.get(1..).unwrap_or_default()) == 2
    {
        return true;
    }
    if n_digits == 2 && behind.starts_with(':') && digits(behind.get(1..).unwrap_or_default()) == 2
    {
        return behind
            .get(3..)
            .is_some_and(|rest| rest.starts_with([':', ']']));
    }
    // 127.0.0.1 - -
    if text.split(' ').next().is_some_and(|word| {
        word.split('.').count() == 4
            && word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
    }) {
        return true;
    }
    // Nov 17 10:31:07
    const MONTHS: [&str; 12] = [
        "Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ",
        "Dec ",
    ];
    if MONTHS.iter().any(|month| text.starts_with(month))
        && text.get(..16).unwrap_or(text).contains(':')
    {
        return true;
    }
    const LEVELS: [&str; 10] = [
        "TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "FATAL", "CRITICAL",
        "SEVERE",
    ];
    let level = bare.split([' ', ']', ':', '\t']).next().unwrap_or_default();
    if LEVELS.contains(&level) && level.len() < bare.len() {
        return true;
    }
    // level=error msg="…" id=7
    text.split(' ')
        .filter(|word| {
            word.split_once('=').is_some_and(|(key, value)| {
                !value.is_empty()
                    && key.len() > 1
                    && key.bytes().all(|byte| {
                        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
                    })
            })
        })
        .count()
        >= 3
}
