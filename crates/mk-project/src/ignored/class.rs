//! Named classes of characters in patterns, `[[:alpha:]]`: Git knows them, the pattern compiler does not.

use std::borrow::Cow;

/// Each as a compiler of brackets reads it. None has the `/`, which no bracket of Git matches, and none begins with
/// what is read as a negation.
const CLASSES: [(&str, &str); 12] = [
    ("alnum", "0-9A-Za-z"),
    ("alpha", "A-Za-z"),
    ("blank", " \t"),
    ("cntrl", "\u{1}-\u{1f}\u{7f}"),
    ("digit", "0-9"),
    ("graph", "0-~!-."),
    ("lower", "a-z"),
    ("print", "0-~ -."),
    ("punct", ":-@!-.[-`{-~"),
    ("space", " \t-\r"),
    ("upper", "A-Z"),
    ("xdigit", "0-9A-Fa-f"),
];

/// A line with its classes spelled out. `None` if it names one that does not exist.
pub(super) fn spelled_out(line: &str) -> Option<Cow<'_, str>> {
    if !line.contains("[:") || line.starts_with('#') {
        return Some(Cow::Borrowed(line));
    }
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let read = match first {
            '\\' => rest.chars().take(2).map(char::len_utf8).sum(),
            '[' => {
                let end = bracket(rest, &mut text)?;
                rest = rest.get(end..)?;
                continue;
            }
            other => other.len_utf8(),
        };
        text.push_str(rest.get(..read)?);
        rest = rest.get(read..)?;
    }
    Some(Cow::Owned(text))
}

/// Writes the bracket that a text begins with, and tells where it ends.
fn bracket(text: &str, out: &mut String) -> Option<usize> {
    let mut read = 1;
    if text.get(read..)?.starts_with(['!', '^']) {
        read += 1;
    }
    // The first is one of the characters.
    if text.get(read..)?.starts_with(']') {
        read += 1;
    }
    out.push_str(text.get(..read)?);
    loop {
        let rest = text.get(read..)?;
        let Some(next) = rest.chars().next() else {
            // No bracket after all, which the compiler says better.
            return Some(read);
        };
        if next == ']' {
            out.push(next);
            return Some(read + 1);
        }
        match rest.strip_prefix("[:").and_then(|it| it.split_once(":]")) {
            Some((name, _)) => {
                let (_, spelled) = CLASSES.iter().find(|(known, _)| *known == name)?;
                out.push_str(spelled);
                read += name.len() + 4;
            }
            None => {
                out.push(next);
                read += next.len_utf8();
            }
        }
    }
}
