//! What to write instead of a pattern that was refused.
//!
//! Only habits seen in mode files: globs, and the syntax of other languages. It does not repair.

/// Advice for what is not JavaScript.
pub(crate) fn for_invalid(pattern: &str) -> Option<String> {
    if pattern.contains("(?P<") {
        return Some("JavaScript names a group with `(?<name>…)`".to_owned());
    }
    if pattern.contains("(?P=") {
        return Some("JavaScript has no `(?P=name)`: write the text out".to_owned());
    }
    if let Some(hint) = for_flags(pattern) {
        return Some(hint);
    }
    if pattern.contains("(?>") || ["++", "*+", "?+"].iter().any(|it| pattern.contains(it)) {
        return Some("JavaScript has no atomic groups or possessive quantifiers".to_owned());
    }
    if pattern.contains("(?#") {
        return Some("JavaScript has no comments in patterns: remove `(?#…)`".to_owned());
    }
    for_glob(pattern)
}

/// Advice for what is JavaScript but not supported.
pub(crate) fn for_unsupported(pattern: &str, construct: &str) -> Option<String> {
    let advice = if construct.contains("backreference") {
        "write the repeated text out"
    } else if construct.contains("property") {
        "without the flag `u` JavaScript reads `\\p` as the letter p: write the characters out, \
         for example `[A-Za-z]`"
    } else if construct.contains("flags") {
        return for_flags(pattern);
    } else if construct.contains("look-behind") {
        "give every branch of the look-behind a fixed length, or use a look-ahead: `^(?!.*test)`"
    } else if construct.contains("two in JavaScript") {
        "match the rest of the name, or write the emoji as its two `\\uHHHH` escapes"
    } else if construct.contains("letter") && pattern.contains("\\A") {
        "JavaScript writes the start of the text as `^`"
    } else if construct.contains("letter") && (pattern.contains("\\z") || pattern.contains("\\Z")) {
        "JavaScript writes the end of the text as `$`"
    } else if construct.contains("letter") {
        "remove the `\\`, or write `\\\\` for a backslash"
    } else {
        return None;
    };
    Some(advice.to_owned())
}

fn for_flags(pattern: &str) -> Option<String> {
    let (_, inside) = pattern.split_once("(?")?;
    let flags: String = inside
        .chars()
        .take_while(|character| character.is_ascii_lowercase() || *character == '-')
        .collect();
    let after = inside.strip_prefix(flags.as_str())?;
    if flags.is_empty() || !(after.starts_with(')') || after.starts_with(':')) {
        return None;
    }
    Some(if flags.contains('i') {
        format!("`(?{flags}` does not exist here: write both cases, for example `\\.[Mm][Dd]$`")
    } else {
        format!("`(?{flags}` does not exist here: remove it")
    })
}

fn for_glob(pattern: &str) -> Option<String> {
    let is_glob = pattern.starts_with('*') || pattern.contains("**") || pattern.contains("/*.");
    if !is_glob {
        return None;
    }
    Some(match expression_for_glob(pattern) {
        Some(expression) => {
            format!("this looks like a glob: write `{expression}` or use the key `glob`")
        }
        None => "this looks like a glob: use the key `glob`".to_owned(),
    })
}

/// The two shapes of glob that people write most: everything under a folder, everything with an
/// extension.
fn expression_for_glob(pattern: &str) -> Option<String> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let (folder, name) = match pattern.split_once("**") {
        Some((folder, name)) => (folder, name.trim_start_matches(['/', '*'])),
        None => ("", pattern.trim_start_matches('*')),
    };
    let folder_is_plain = folder
        .chars()
        .all(|character| character.is_alphanumeric() || "/_-".contains(character));
    if !folder_is_plain || !(folder.is_empty() || folder.ends_with('/')) {
        return None;
    }
    let start = if folder.is_empty() {
        String::new()
    } else {
        format!("^{folder}")
    };
    if name.is_empty() {
        return (!start.is_empty()).then_some(start);
    }
    let extension = name.strip_prefix('.')?;
    let end = match extension
        .strip_prefix('{')
        .and_then(|list| list.strip_suffix('}'))
    {
        Some(list) => format!("({})", list.replace(',', "|")),
        None => extension.to_owned(),
    };
    let is_plain = |character: char| character.is_alphanumeric() || "|()".contains(character);
    if !end.chars().all(is_plain) {
        return None;
    }
    let middle = if start.is_empty() { "" } else { ".*" };
    Some(format!("{start}{middle}\\.{end}$"))
}
