//! Credentials that stand in other texts: found by their shape and taken out, so that records and logs can be shown.
//!
//! Only what is a credential for certain: our own, signed tokens, and what follows `Bearer`. Passwords have no shape.

use std::borrow::Cow;

/// What stands where a credential was.
const REMOVED: &str = "[removed]";
/// Shorter ones are words about credentials.
const SHORTEST: usize = 12;
/// The shortest head of a signed token, `{"alg":…}`, and more than any.
const SHORTEST_HEAD: usize = 16;
const LONGEST_PART: usize = 4096;

/// The text without the credentials in it.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    let mut clean = String::new();
    let mut rest = text;
    while let Some((start, length)) = first_secret(rest) {
        let (before, secret) = rest.split_at(start);
        clean.push_str(before);
        clean.push_str(REMOVED);
        rest = secret.get(length..).unwrap_or_default();
    }
    match clean.is_empty() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(clean + rest),
    }
}

/// Where the first credential begins, and how long it is.
fn first_secret(text: &str) -> Option<(usize, usize)> {
    let found = [
        next(text, "mks_", |from| run(from, is_word)),
        next(text, "eyJ", signed),
        after_bearer(text),
    ];
    found.into_iter().flatten().min()
}

/// The first place where a text begins so and goes on as a credential does.
fn next(
    text: &str,
    beginning: &str,
    length: impl Fn(&str) -> Option<usize>,
) -> Option<(usize, usize)> {
    let mut places = text.match_indices(beginning);
    places.find_map(|(at, _)| Some((at, length(text.get(at..)?)?)))
}

/// Three parts with dots between them, the last of which may be empty.
fn signed(text: &str) -> Option<usize> {
    let part = |from: usize| {
        let bytes = text.bytes().skip(from).take(LONGEST_PART);
        bytes
            .take_while(|byte| is_word(*byte) || *byte == b'-')
            .count()
    };
    let dot = |at: usize| text.as_bytes().get(at) == Some(&b'.');
    let head = part(0);
    let body = head + 1;
    let signature = body + part(body) + 1;
    (head >= SHORTEST_HEAD && dot(head) && signature - body > 4 && dot(signature - 1))
        .then(|| signature + part(signature))
}

/// What follows `Bearer` in any case, with whatever a header, JSON or a shell puts in between.
fn after_bearer(text: &str) -> Option<(usize, usize)> {
    const WORD: &str = "bearer";
    text.match_indices(['b', 'B']).find_map(|(at, _)| {
        let (word, rest) = text.get(at..)?.split_at_checked(WORD.len())?;
        let gap = rest.bytes().take_while(|byte| b" \t'\"=:\\".contains(byte));
        let gap = gap.count();
        let credential = rest.get(gap..)?;
        let is_one = word.eq_ignore_ascii_case(WORD) && gap > 0;
        let length = run(credential, |byte| {
            is_word(byte) || matches!(byte, b'-' | b'.' | b'~' | b'+' | b'/' | b'=')
        });
        Some((at + WORD.len() + gap, length.filter(|_| is_one)?))
    })
}

fn run(text: &str, is_part: impl Fn(u8) -> bool) -> Option<usize> {
    let length = text.bytes().take_while(|byte| is_part(*byte)).count();
    (length >= SHORTEST).then_some(length)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
