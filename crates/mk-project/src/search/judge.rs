//! How good one match is: a whole word or a part of one, a definition or a use. A guess from the line alone.

use std::ops::Range;

use super::rank::Weight;

/// Words that stand right before what they define, in some language.
const DEFINING: [&str; 32] = [
    "fn",
    "struct",
    "enum",
    "trait",
    "union",
    "mod",
    "type",
    "const",
    "static",
    "let",
    "var",
    "val",
    "def",
    "class",
    "interface",
    "function",
    "func",
    "fun",
    "module",
    "namespace",
    "package",
    "protocol",
    "object",
    "record",
    "typedef",
    "define",
    "defmodule",
    "defp",
    "defmacro",
    "sub",
    "proc",
    "macro_rules",
];
/// Words that may stand between.
const BETWEEN: [&str; 4] = ["mut", "ref", "async", "unsafe"];
/// Nobody defines a thing further right.
const WIDEST: usize = 400;

pub(super) fn weigh(line: &[u8], found: &Range<usize>) -> Weight {
    Weight {
        part_of_word: is_part_of_word(line, found),
        is_use: !defines(line, found),
    }
}

fn is_part_of_word(line: &[u8], found: &Range<usize>) -> bool {
    let at = |idx: usize| line.get(idx).copied().is_some_and(is_word);
    let continues_before = found.start > 0 && at(found.start) && at(found.start - 1);
    let continues_after = found.end > 0 && at(found.end - 1) && at(found.end);
    continues_before || continues_after
}

/// Bytes above ASCII are parts of letters far more often than not.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn defines(line: &[u8], found: &Range<usize>) -> bool {
    if found.start > WIDEST {
        return false;
    }
    let before = line.get(..found.start).unwrap_or_default().trim_ascii();
    let matched = line.get(found.clone()).unwrap_or_default();
    let after = line.get(found.end..).unwrap_or_default();
    let (first, _) = split_word(matched.trim_ascii_start());
    if first.len() < matched.len() && is_any(&DEFINING, first) {
        return true;
    }
    let mut rest = before;
    loop {
        rest = rest.trim_ascii_end();
        let trimmed = trim_end_of(rest, b"*&!#(");
        let word = last_word(trimmed);
        if is_any(&BETWEEN, word) {
            rest = trimmed
                .get(..trimmed.len() - word.len())
                .unwrap_or_default();
        } else if is_any(&DEFINING, word) && !trimmed.ends_with(b".") {
            return true;
        } else {
            break;
        }
    }
    // Go: `func (server *Server) Name(`. SQL: `CREATE TABLE name`.
    if before.starts_with(b"func (") && before.ends_with(b")")
        || before
            .get(..7)
            .is_some_and(|start| start.eq_ignore_ascii_case(b"create "))
    {
        return true;
    }
    is_function_value(after) || is_c_function(line, before, after)
}

/// JavaScript: `name = function`, `name: async (`, `name = class`.
fn is_function_value(after: &[u8]) -> bool {
    let after = after.trim_ascii_start();
    let Some(value) = after
        .strip_prefix(b"=")
        .or_else(|| after.strip_prefix(b":"))
    else {
        return false;
    };
    let value = value.trim_ascii_start();
    let value = value
        .strip_prefix(b"async")
        .unwrap_or(value)
        .trim_ascii_start();
    value.starts_with(b"function")
        || value.starts_with(b"class ")
        || value.starts_with(b"(") && value.windows(2).any(|pair| pair == b"=>")
}

/// `static int *name(…) {` at the margin: types before it, an argument list behind it, and no `;` at the end.
fn is_c_function(line: &[u8], before: &[u8], after: &[u8]) -> bool {
    let at_margin = line.first().is_some_and(|byte| is_word(*byte));
    let types = |byte: &u8| is_word(*byte) || b" \t*&:<>,~".contains(byte);
    at_margin
        && !before.is_empty()
        && before.iter().all(types)
        && !is_any(
            &["return", "else", "throw", "new", "await"],
            last_word(before),
        )
        && after.starts_with(b"(")
        && !line.trim_ascii_end().ends_with(b";")
}

fn last_word(bytes: &[u8]) -> &[u8] {
    let start = bytes
        .iter()
        .rposition(|byte| !is_word(*byte))
        .map_or(0, |idx| idx + 1);
    bytes.get(start..).unwrap_or_default()
}

fn split_word(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes
        .iter()
        .position(|byte| !is_word(*byte))
        .unwrap_or(bytes.len());
    bytes.split_at(end)
}

fn trim_end_of<'a>(bytes: &'a [u8], surplus: &[u8]) -> &'a [u8] {
    let end = bytes
        .iter()
        .rposition(|byte| !surplus.contains(byte))
        .map_or(0, |idx| idx + 1);
    bytes.get(..end).unwrap_or_default()
}

fn is_any(words: &[&str], word: &[u8]) -> bool {
    words.iter().any(|known| known.as_bytes() == word)
}
