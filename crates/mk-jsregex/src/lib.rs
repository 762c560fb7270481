//! A `fileRegex` or `commandRegex` as its author meant it: JavaScript's
//! `new RegExp(source).test(subject)` without flags, with a bounded cost.
//!
//! `regress` says whether a pattern is JavaScript at all. What it accepts is read again by `syntax`
//! and rewritten by `rewrite` for an engine that cannot hang. A pattern outside the subset whose
//! answers are the same as Node's is refused with a reason; nothing is approximated.
//!
//! This does not decide what a failure means: the caller denies on an error from an allow pattern and
//! counts it as a match for a deny pattern.
//!
//! Start with [`Pattern::parse`] and [`Pattern::is_match`].
//!
//! ```
#![doc = include_str!("../examples/search.rs")]
//! ```

use std::borrow::Cow;
use std::sync::OnceLock;

mod hint;
mod measure;
mod rewrite;
mod set;
mod syntax;

use rewrite::{RegexEngine, RewrittenPattern};

// The example of the documentation names the crate, and a test runs it.
#[cfg(test)]
extern crate self as mk_jsregex;

const MAX_SOURCE_BYTES: usize = 4096;
const MAX_SUBJECT_BYTES: usize = 64 * 1024;
/// Looking around can cost the square of the length. No path is longer than 4 KiB.
const MAX_SUBJECT_BYTES_LOOKING_AROUND: usize = 8 * 1024;
const MAX_COMPILED_BYTES: usize = 1 << 20;
/// About half a millisecond; the engine's own default of a million is 20 ms.
const BACKTRACK_LIMIT: usize = 20_000;

/// A `fileRegex` or `commandRegex` as a user wrote it. It searches; it does not have to match the
/// whole subject.
#[derive(Debug)]
pub struct Pattern {
    source: Box<str>,
    program: RewrittenPattern,
    // Compiling costs up to 0.2 ms, and a process that answers one call needs only its mode's patterns.
    compiled: OnceLock<Result<CompiledPattern, Box<str>>>,
}

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// JavaScript would throw a `SyntaxError`.
    #[error("`{pattern}` is not a JavaScript regular expression: {reason}")]
    NotJavaScript { pattern: String, reason: String },
    /// JavaScript accepts it, but its answers cannot be reproduced with certainty.
    #[error("`{pattern}` uses {construct} at character {position}, which is not supported")]
    Unsupported {
        pattern: String,
        construct: &'static str,
        /// Counted from 1.
        position: usize,
    },
    #[error("the pattern has {length} bytes, more than {MAX_SOURCE_BYTES}")]
    TooLong { length: usize },
    #[error("`{pattern}` is too large when its repetitions and groups are expanded")]
    TooLarge { pattern: String },
}

/// Why a pattern gives no answer for a subject.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    #[error("`{pattern}` needs too many steps on this text")]
    TooManySteps { pattern: String },
    #[error("`{pattern}` cannot be compiled: {reason}")]
    CannotCompile { pattern: String, reason: String },
    #[error("the text has {length} bytes, more than the {limit} that `{pattern}` can search")]
    SubjectTooLong {
        pattern: String,
        length: usize,
        limit: usize,
    },
}

#[derive(Debug)]
enum CompiledPattern {
    Regular(regex::Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

impl Pattern {
    /// Checks a pattern and prepares it. It is compiled when it is first needed.
    pub fn parse(source: &str) -> Result<Self, PatternError> {
        if source.len() > MAX_SOURCE_BYTES {
            return Err(PatternError::TooLong {
                length: source.len(),
            });
        }
        let flags = regress::Flags {
            // The result is thrown away, and the passes can cost more than the parser.
            no_opt: true,
            ..regress::Flags::default()
        };
        if let Err(error) = regress::Regex::with_flags(source, flags) {
            return Err(PatternError::NotJavaScript {
                pattern: source.to_owned(),
                reason: error.text,
            });
        }
        let tree = syntax::read(source)?;
        let program = rewrite::rewrite(&tree);
        Ok(Self {
            source: source.into(),
            program,
            compiled: OnceLock::new(),
        })
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the pattern occurs in the subject.
    pub fn is_match(&self, subject: &str) -> Result<bool, MatchError> {
        let limit = match self.program.engine {
            RegexEngine::Regular => MAX_SUBJECT_BYTES,
            RegexEngine::Backtracking => MAX_SUBJECT_BYTES_LOOKING_AROUND,
        };
        if subject.len() > limit {
            return Err(MatchError::SubjectTooLong {
                pattern: self.source.to_string(),
                length: subject.len(),
                limit,
            });
        }
        let compiled = self
            .compiled
            .get_or_init(|| self.compile())
            .as_ref()
            .map_err(|reason| MatchError::CannotCompile {
                pattern: self.source.to_string(),
                reason: reason.to_string(),
            })?;
        let subject = split_surrogates(subject);
        match compiled {
            CompiledPattern::Regular(regex) => Ok(regex.is_match(subject.as_ref())),
            CompiledPattern::Backtracking(regex) => {
                regex
                    .is_match(subject.as_ref())
                    .map_err(|_| MatchError::TooManySteps {
                        pattern: self.source.to_string(),
                    })
            }
        }
    }

    fn compile(&self) -> Result<CompiledPattern, Box<str>> {
        match self.program.engine {
            RegexEngine::Regular => regex::RegexBuilder::new(&self.program.text)
                .size_limit(MAX_COMPILED_BYTES)
                .build()
                .map(CompiledPattern::Regular)
                .map_err(|error| error.to_string().into()),
            RegexEngine::Backtracking => fancy_regex::RegexBuilder::new(&self.program.text)
                .backtrack_limit(BACKTRACK_LIMIT)
                .delegate_size_limit(MAX_COMPILED_BYTES)
                .build()
                .map(|regex| CompiledPattern::Backtracking(Box::new(regex)))
                .map_err(|error| error.to_string().into()),
        }
    }
}

impl PatternError {
    /// What to write instead, when that is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotJavaScript { pattern, .. } => hint::for_invalid(pattern),
            Self::Unsupported {
                pattern, construct, ..
            } => hint::for_unsupported(pattern, construct),
            Self::TooLong { .. } | Self::TooLarge { .. } => None,
        }
    }
}

/// JavaScript sees UTF-16: `^.$` does not match an emoji. A text that has any gets each of them as two
/// characters of a plane that is then otherwise empty; `rewrite` does the same to the pattern.
fn split_surrogates(subject: &str) -> Cow<'_, str> {
    // Only characters beyond the BMP have a first byte from 0xF0.
    if subject.bytes().all(|byte| byte < 0xF0) {
        return Cow::Borrowed(subject);
    }
    let mut units = [0; 2];
    let mut split = String::with_capacity(subject.len() * 2);
    for character in subject.chars() {
        for unit in character.encode_utf16(&mut units) {
            split.extend(rewrite::character_for_unit(*unit));
        }
    }
    Cow::Owned(split)
}

#[cfg(test)]
mod tests;
