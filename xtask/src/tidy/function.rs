//! How long functions are: a reader sees one whole on a screen.
//!
//! It counts braces outside of strings and comments, which is all of the syntax that this needs; tests count too. It takes
//! `fn` in a macro's pattern for a function, and the first `*/` for the end of a comment: both are rare here, and harmless.

use std::path::{Path, PathBuf};

use crate::workspace::has_extension;

/// From the line of `fn` to that of the closing brace.
const LINES: usize = 60;
/// Of a thousand functions, how many may be longer: a table or a conversation is sometimes clearer in one piece.
const PER_MILLE: usize = 5;

pub(crate) fn check(files: &[(PathBuf, String)]) -> Option<String> {
    let sources = files.iter().filter(|(path, _)| has_extension(path, "rs"));
    let functions: Vec<(&Path, Function)> = sources
        .flat_map(|(path, text)| functions(text).into_iter().map(move |it| (&**path, it)))
        .collect();
    let mut long: Vec<_> = functions
        .iter()
        .filter(|(_, it)| it.lines > LINES)
        .collect();
    if long.len() * 1000 <= functions.len() * PER_MILLE {
        return None;
    }
    long.sort_by_key(|(path, it)| (std::cmp::Reverse(it.lines), *path));
    let shown = long.iter().take(5).map(|(path, it)| {
        let (path, lines) = (path.display(), it.lines);
        format!("`{}` in {path} has {lines}", it.name)
    });
    Some(format!(
        "{} of {} functions have more than {LINES} lines, {PER_MILLE} of 1,000 may: {}",
        long.len(),
        functions.len(),
        shown.collect::<Vec<_>>().join(", ")
    ))
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) lines: usize,
}

/// Every function with a body, also those within others.
pub(crate) fn functions(text: &str) -> Vec<Function> {
    let code = without_texts(text);
    let starts = code.match_indices("fn ").filter(|(start, _)| {
        let before = code.get(..*start).and_then(|it| it.chars().next_back());
        !before.is_some_and(is_word)
    });
    starts
        .filter_map(|(start, keyword)| {
            let rest = code.get(start + keyword.len()..)?;
            let name = rest.split(|it| !is_word(it)).next()?;
            let end = body_end(rest)?;
            let lines = rest.get(..end)?.lines().count();
            (!name.is_empty()).then(|| Function {
                name: name.to_owned(),
                lines,
            })
        })
        .collect()
}

fn is_word(it: char) -> bool {
    it.is_alphanumeric() || it == '_'
}

/// Where the body that follows a signature ends; none if a semicolon stands in its place.
fn body_end(rest: &str) -> Option<usize> {
    let (mut inner, mut braces) = (0_usize, 0_usize);
    for (index, it) in rest.char_indices() {
        match it {
            '(' | '[' if braces == 0 => inner += 1,
            ')' | ']' if braces == 0 => inner = inner.checked_sub(1)?,
            ';' if braces == 0 && inner == 0 => return None,
            '{' if inner == 0 || braces > 0 => braces += 1,
            '}' if braces == 1 => return Some(index + 1),
            '}' if braces > 1 => braces -= 1,
            _ => {}
        }
    }
    None
}

/// The source with blanks in place of comments, strings and characters; lines stay where they are.
fn without_texts(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = text_length(rest, code.chars().next_back());
        let (taken, after) = rest.split_at(length.unwrap_or(first.len_utf8()));
        match length {
            Some(_) => code.extend(taken.chars().map(|it| if it == '\n' { it } else { ' ' })),
            None => code.push(first),
        }
        rest = after;
    }
    code
}

/// How long the comment, string or character is that stands here, if one does, after this character.
fn text_length(rest: &str, before: Option<char>) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(rest.find("*/").map_or(rest.len(), |end| end + 2));
    }
    if !before.is_some_and(is_word)
        && let Some(length) = raw_length(rest)
    {
        return Some(length);
    }
    if let Some(inner) = rest.strip_prefix('"') {
        return Some(1 + closing(inner, '"')?);
    }
    // A lifetime has no closing quote after its first character.
    let inner = rest.strip_prefix('\'')?;
    let mut characters = inner.char_indices();
    let (_, first) = characters.next()?;
    let (second, next) = characters.next()?;
    match (first, next) {
        ('\\', _) => Some(1 + closing(inner, '\'')?),
        (_, '\'') => Some(1 + second + 1),
        _ => None,
    }
}

/// `r"…"`, `r#"…"#`, and the same for bytes.
fn raw_length(rest: &str) -> Option<usize> {
    let after = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let inner = after.get(hashes..)?.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let closed = inner.find(&end).map_or(inner.len(), |it| it + end.len());
    Some(rest.len() - inner.len() + closed)
}

/// The length up to and with the closing quote that no backslash precedes.
fn closing(inner: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (index, it) in inner.char_indices() {
        match it {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if it == quote => return Some(index + 1),
            _ => {}
        }
    }
    None
}
