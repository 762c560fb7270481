//! The slug of a mode: what people type and what stands in `mode://{slug}`.

use std::fmt;

const LONGEST: usize = 128;

/// A string that cannot be a slug.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a mode slug: only letters, digits and dashes, at most 128 of them")]
pub struct SlugError(String);

/// A valid slug: ASCII letters, digits and dashes.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModeSlug(Box<str>);

impl ModeSlug {
    pub fn parse(text: &str) -> Result<Self, SlugError> {
        let fits = !text.is_empty()
            && text.len() <= LONGEST
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if fits {
            Ok(Self(text.into()))
        } else {
            Err(SlugError(text.chars().take(80).collect()))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModeSlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ModeSlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
