//! Credentials that stand in other texts: found by their shape and taken out, so that records and logs can be shown.
//!
//! Only what is a credential for certain: our own, signed tokens, what follows `Bearer`, and passwords in URLs. Other
//! passwords have no shape.

use std::borrow::Cow;
use std::ops::Range;

/// What stands where a credential was.
const REMOVED: &str = "[removed]";
/// Shorter ones are words about credentials.
const SHORTEST: usize = 12;
/// The shortest head of a signed token, `{"alg":…}`.
const SHORTEST_HEAD: usize = 16;

/// The text without the credentials in it.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    let mut clean = String::new();
    let mut end = 0;
    // Each shape is searched for on its own, and only on from where it was found last: a text is read once.
    let mut found = SHAPES.map(|shape| shape(text, 0));
    while let Some(secret) = found.iter().flatten().min_by_key(|it| (it.start, !it.end)) {
        let secret = secret.clone();
        clean.push_str(text.get(end..secret.start).unwrap_or_default());
        clean.push_str(REMOVED);
        end = secret.end;
        for (place, shape) in found.iter_mut().zip(SHAPES) {
            if place.as_ref().is_some_and(|it| it.start < end) {
                *place = shape(text, end);
            }
        }
    }
    match end {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(clean + text.get(end..).unwrap_or_default()),
    }
}

/// Finds the first credential of one shape that begins at a place or after it.
type Shape = fn(&str, usize) -> Option<Range<usize>>;

const SHAPES: [Shape; 4] = [ours, signed, after_bearer, in_url];

fn ours(text: &str, from: usize) -> Option<Range<usize>> {
    let mut places = text.get(from..)?.match_indices("mks_");
    places.find_map(|(at, _)| {
        let start = from + at;
        Some(start..start + run(text.get(start..)?, is_word)?)
    })
}

/// Three parts with dots between them, the last of which may be empty.
fn signed(text: &str, from: usize) -> Option<Range<usize>> {
    let part = |from: usize| {
        let bytes = text.as_bytes().get(from..).unwrap_or_default();
        let is_part = |byte: &&u8| is_word(**byte) || **byte == b'-';
        from + bytes.iter().take_while(is_part).count()
    };
    let dot = |at: usize| text.as_bytes().get(at) == Some(&b'.');
    let mut from = from;
    loop {
        let start = from + text.get(from..)?.find("eyJ")?;
        let head = part(start);
        if head - start >= SHORTEST_HEAD && dot(head) {
            let body = part(head + 1);
            if body - head > 4 && dot(body) {
                return Some(start..part(body + 1));
            }
        }
        // What begins later in the same part ends with it, so it is none either.
        from = head;
    }
}

/// What follows `Bearer` in any case, with whatever a header, JSON or a shell puts in between.
fn after_bearer(text: &str, from: usize) -> Option<Range<usize>> {
    const WORD: &str = "bearer";
    let mut places = text.get(from..)?.match_indices(['b', 'B']);
    places.find_map(|(at, _)| {
        let word = from + at..from + at + WORD.len();
        // Before anything is read that may be long: there are many letters `b`.
        if !text.get(word.clone())?.eq_ignore_ascii_case(WORD) {
            return None;
        }
        let rest = text.get(word.end..)?;
        let gap = rest.bytes().take_while(|byte| b" \t'\"=:\\".contains(byte));
        let gap = Some(gap.count()).filter(|gap| *gap > 0)?;
        let length = run(rest.get(gap..)?, |byte| {
            is_word(byte) || matches!(byte, b'-' | b'.' | b'~' | b'+' | b'/' | b'=')
        });
        let start = word.end + gap;
        Some(start..start + length?)
    })
}

/// `scheme://user:password@host`; what a shell would put there is not the password itself.
fn in_url(text: &str, from: usize) -> Option<Range<usize>> {
    let mut places = text.get(from..)?.match_indices("://");
    places.find_map(|(at, mark)| {
        let start = from + at + mark.len();
        let rest = text.get(start..)?;
        let ends = |it: char| it.is_whitespace() || "/?#'\"`\\<>".contains(it);
        let authority = rest.get(..rest.find(ends).unwrap_or(rest.len()))?;
        let (user, _) = authority.rsplit_once('@')?;
        let (name, password) = user.split_once(':')?;
        let is_known = !password.is_empty() && !password.starts_with('$');
        let password = start + name.len() + 1..start + user.len();
        is_known.then_some(password)
    })
}

fn run(text: &str, is_part: impl Fn(u8) -> bool) -> Option<usize> {
    let length = text.bytes().take_while(|byte| is_part(*byte)).count();
    (length >= SHORTEST).then_some(length)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
