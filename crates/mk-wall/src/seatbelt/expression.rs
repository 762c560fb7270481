//! Globs and JavaScript patterns as the sandbox's own expressions, which know `.`, `*`, `+`, `?`, brackets, groups,
//! `|`, `^` and `$`. What is more than that is not translated, and never approximated.

use std::path::Path;

/// An expression for a path below `root`, from one for the path relative to it.
pub(super) fn anchored(root: &Path, relative: &str) -> String {
    let root = root.to_string_lossy();
    let slash = if root.ends_with('/') { "" } else { "/" };
    format!("^{}{slash}{relative}$", literal(&root))
}

/// The alternatives of a pattern that is searched, each for a whole relative path. `None` if it cannot be said.
pub(super) fn pattern(source: &str) -> Option<Vec<String>> {
    alternatives(source)?.into_iter().map(whole).collect()
}

/// Splits at each `|` outside of groups and brackets.
fn alternatives(source: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let (mut depth, mut start, mut is_class) = (0_usize, 0, false);
    let mut characters = source.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next()?;
            }
            '[' if !is_class => is_class = true,
            ']' if is_class => is_class = false,
            _ if is_class => {}
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            '|' if depth == 0 => {
                found.push(source.get(start..at)?);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(source.get(start..)?);
    (depth == 0 && !is_class).then_some(found)
}

/// One alternative, for the whole path: what is not anchored may have anything around it.
fn whole(alternative: &str) -> Option<String> {
    let (before, rest) = match alternative.strip_prefix('^') {
        Some(rest) => ("", rest),
        None => (".*", alternative),
    };
    let is_escaped = rest.ends_with("\\$");
    let (rest, after) = match rest.strip_suffix('$').filter(|_| !is_escaped) {
        Some(rest) => (rest, ""),
        None => (rest, ".*"),
    };
    Some(format!("{before}{}{after}", body(rest)?))
}

/// What stands between the anchors.
fn body(source: &str) -> Option<String> {
    let mut text = String::new();
    let mut characters = source.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            // Punctuation only: letters after a backslash are classes, boundaries and references.
            '\\' => {
                let escaped = characters.next()?;
                if escaped.is_ascii_alphanumeric() {
                    return None;
                }
                text.push_str(&literal(&escaped.to_string()));
            }
            '(' => {
                text.push('(');
                if characters.peek() == Some(&'?') {
                    characters.next();
                    // Groups that are not captured are groups; looking around is not possible.
                    if characters.next() != Some(':') {
                        return None;
                    }
                }
            }
            '*' | '+' | '?' => {
                text.push(character);
                // Lazy or doubled.
                if matches!(characters.peek(), Some('*' | '+' | '?')) {
                    return None;
                }
            }
            '[' => text.push_str(&class(&mut characters)?),
            '^' | '$' | '{' | '}' | ']' | '"' => return None,
            other => text.push(other),
        }
    }
    Some(text)
}

fn class(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<String> {
    let mut text = "[".to_owned();
    for character in characters.by_ref() {
        match character {
            ']' if text != "[" && text != "[^" => {
                text.push(']');
                return Some(text);
            }
            // Escapes and nested brackets mean other things there.
            '\\' | '[' | ']' | '"' => return None,
            other => text.push(other),
        }
    }
    None
}

/// A glob as our tables have them: `**` for any depth, `*` within one name.
pub(super) fn glob(glob: &str) -> Option<String> {
    let is_plain = !glob.contains(['[', ']', '{', '}', '!', '\\', '"']);
    is_plain.then(|| globbed(glob, |character| literal(&character.to_string())))
}

/// The same for names that compare without regard to case.
pub(super) fn glob_any_case(glob: &str) -> String {
    globbed(glob, |character| {
        let (lower, upper) = (
            character.to_ascii_lowercase(),
            character.to_ascii_uppercase(),
        );
        if lower == upper {
            literal(&character.to_string())
        } else {
            format!("[{lower}{upper}]")
        }
    })
}

fn globbed(glob: &str, name: impl Fn(char) -> String) -> String {
    let mut text = String::new();
    let mut rest = glob;
    loop {
        if let Some(after) = rest.strip_prefix("**/") {
            text.push_str("(.*/)?");
            rest = after;
        } else if rest == "/**" {
            // The directory itself, too: it is not moved away.
            text.push_str("(/.*)?");
            return text;
        } else if let Some(after) = rest.strip_prefix("**") {
            text.push_str(".*");
            rest = after;
        } else {
            let mut characters = rest.chars();
            match characters.next() {
                Some('*') => text.push_str("[^/]*"),
                Some('?') => text.push_str("[^/]"),
                Some(character) => text.push_str(&name(character)),
                None => return text,
            }
            rest = characters.as_str();
        }
    }
}

/// Text that stands for itself. A bracket holds what a backslash could mean something else before.
fn literal(text: &str) -> String {
    let mut found = String::new();
    for character in text.chars() {
        match character {
            '.' | '*' | '+' | '?' | '(' | ')' | '[' | '{' | '|' | '$' => {
                found.push('[');
                found.push(character);
                found.push(']');
            }
            '^' | '\\' | '"' => {
                found.push('\\');
                found.push(character);
            }
            other => found.push(other),
        }
    }
    found
}
