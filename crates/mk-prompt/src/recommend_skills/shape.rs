//! Tokens that are known by their shape, in every language: versions, status codes, names of errors, conflict markers.
//!
//! Words and their pieces cannot generalise over them: no training has seen every version or every error code.

use crate::text::Hash;

const SHAPE_SEED: u64 = 7;
const SHAPE_PAIR_SEED: u64 = 8;
/// Tokens of a prompt that are looked at.
const MOST_TOKENS: usize = 300;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenShape {
    Number = 1,
    Version,
    ServerFault,
    ClientFault,
    ErrorName,
    ErrorCode,
    ConflictMarker,
}

/// The features that the shapes of a prompt's tokens give: each shape, and two of one kind with a word between
/// (`8 to 9`).
pub(super) fn shape_features(source: &str, features: &mut Vec<u64>) {
    let (mut before, mut last) = (None, None);
    let mut seen = 0_u8;
    for token in source.split_whitespace().take(MOST_TOKENS) {
        let shape = shape_of(token);
        if let Some(shape) = shape {
            let number = shape as u8;
            if seen & (1 << number) == 0 {
                seen |= 1 << number;
                features.push(Hash::EMPTY.with(SHAPE_SEED).with(u64::from(number)).0);
            }
            let is_step = matches!(shape, TokenShape::Number | TokenShape::Version);
            if is_step && before == Some(shape) && last.is_none() {
                let pair = Hash::EMPTY.with(SHAPE_PAIR_SEED).with(u64::from(number));
                features.push(pair.0);
            }
        }
        (before, last) = (last, shape);
    }
}

fn shape_of(token: &str) -> Option<TokenShape> {
    if ["<<<<<<<", "=======", ">>>>>>>"]
        .iter()
        .any(|marker| token.starts_with(marker))
    {
        return Some(TokenShape::ConflictMarker);
    }
    if !token.is_ascii() {
        return None;
    }
    let bare = token.trim_matches(|sign: char| !sign.is_ascii_alphanumeric());
    if bare.len() < 2 {
        return bare
            .starts_with(|sign: char| sign.is_ascii_digit())
            .then_some(TokenShape::Number);
    }
    if let Some(number) = number_shape(bare) {
        return Some(number);
    }
    if token.starts_with("ERR!") || is_code(bare) {
        return Some(TokenShape::ErrorCode);
    }
    let is_name = bare.starts_with(|sign: char| sign.is_ascii_uppercase())
        && ["Error", "Exception"]
            .iter()
            .any(|end| bare.len() > end.len() && bare.ends_with(end));
    is_name.then_some(TokenShape::ErrorName)
}

fn number_shape(token: &str) -> Option<TokenShape> {
    let token = token.strip_prefix(['v', 'V']).unwrap_or(token);
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    let is_dotted = token.contains('.');
    if is_dotted && token.bytes().all(|it| it.is_ascii_digit() || it == b'.') {
        return Some(TokenShape::Version);
    }
    let status = token
        .strip_suffix('s')
        .or_else(|| token.strip_suffix("er"))
        .unwrap_or(token);
    if status.len() == 3 && status.bytes().all(|it| it.is_ascii_digit()) {
        if status.starts_with("50") {
            return Some(TokenShape::ServerFault);
        }
        if status.starts_with("40") {
            return Some(TokenShape::ClientFault);
        }
    }
    (digits > 0 && digits == token.len()).then_some(TokenShape::Number)
}

/// `E0382`, `TS2345`, `ENOENT`, `SIGKILL`.
fn is_code(token: &str) -> bool {
    let letters = token.bytes().take_while(u8::is_ascii_uppercase).count();
    let (head, tail) = token.split_at(letters);
    let is_numbered =
        (1..=3).contains(&letters) && tail.len() == 4 && tail.bytes().all(|it| it.is_ascii_digit());
    let is_named = tail.is_empty()
        && ((head.starts_with('E') && (5..=14).contains(&letters))
            || (head.starts_with("SIG") && letters > 5));
    is_numbered || is_named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_known_by_their_shape() {
        use TokenShape::*;
        for (token, shape) in [
            ("1.21", Some(Version)),
            ("v2.4.0,", Some(Version)),
            ("19", Some(Number)),
            ("503s", Some(ServerFault)),
            ("404?", Some(ClientFault)),
            ("ModuleNotFoundError:", Some(ErrorName)),
            ("Error", None),
            ("ERR!", Some(ErrorCode)),
            ("E0382", Some(ErrorCode)),
            ("TS2345:", Some(ErrorCode)),
            ("ENOENT", Some(ErrorCode)),
            ("<<<<<<<", Some(ConflictMarker)),
            ("EVAL", None),
            ("version", None),
            ("größe", None),
        ] {
            assert_eq!(shape_of(token), shape, "{token}");
        }
    }

    #[test]
    fn a_step_from_one_version_to_another_is_a_feature_of_its_own() {
        let count = |prompt: &str| {
            let mut features = Vec::new();
            shape_features(prompt, &mut features);
            features.len()
        };
        assert_eq!(count("go 1.21 to 1.23"), 2);
        assert_eq!(count("go 1.21 and also go 1.23"), 1);
        assert_eq!(count("no shapes here"), 0);
    }
}
