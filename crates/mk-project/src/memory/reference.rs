//! References from one memory to another: `mem:name` in the text.

const PREFIX: &str = "mem:";

/// The text with every reference to `from` leading to `to`, and how many there were. `mem:core` is not a reference to
/// `core` in `mem:core/build`, `mem:core-rules` or `mem:core.old`, but it is in `mem:core.md` and at a sentence's end.
pub(super) fn rewrite(text: &str, from: &str, to: &str) -> (String, usize) {
    let needle = format!("{PREFIX}{from}");
    let mut rewritten = String::with_capacity(text.len());
    let mut rest = text;
    let mut count = 0;
    while let Some((before, after)) = rest.split_once(&needle) {
        let begins = !ends_in_word(before) && (!before.is_empty() || !ends_in_word(&rewritten));
        rewritten.push_str(before);
        if begins && ends_here(after) {
            rewritten.push_str(PREFIX);
            rewritten.push_str(to);
            count += 1;
        } else {
            rewritten.push_str(&needle);
        }
        rest = after;
    }
    rewritten.push_str(rest);
    (rewritten, count)
}

fn ends_in_word(text: &str) -> bool {
    text.chars().next_back().is_some_and(is_part)
}

fn ends_here(after: &str) -> bool {
    let after = match after.strip_prefix(".md") {
        Some(rest) if !rest.starts_with(is_part) => rest,
        _ => after,
    };
    match after.strip_prefix('.') {
        Some(rest) => !rest.starts_with(is_part),
        None => !after.starts_with(is_part),
    }
}

/// What stands inside a name. A space may too, but nobody could tell where such a reference ends.
fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '/')
}
