//! Globs, which mean the same wherever people write one: `*` stays within a part of a path, `**` does not, `{a,}` is `a`
//! or nothing.
//!
//! What to look at with them, and what a directory's name covers, is for the crates that ask.

use globset::{Glob, GlobBuilder};

const LONGEST: usize = 1000;

/// Why a text is no glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    #[error("it is empty")]
    Empty,
    #[error("it is longer than {LONGEST} bytes")]
    TooLong,
    #[error("{0}")]
    Syntax(globset::ErrorKind),
}

/// A glob for whole paths.
pub fn path_glob(text: &str) -> Result<Glob, GlobError> {
    build(text, GlobBuilder::new(text).literal_separator(true))
}

/// A glob for names that are no paths: `*` matches everything, and capital letters do not count.
pub fn name_glob(text: &str) -> Result<Glob, GlobError> {
    build(text, GlobBuilder::new(text).case_insensitive(true))
}

fn build(text: &str, builder: &mut GlobBuilder<'_>) -> Result<Glob, GlobError> {
    if text.len() > LONGEST {
        return Err(GlobError::TooLong);
    }
    let built = builder.empty_alternates(true).build();
    built.map_err(|error| GlobError::Syntax(error.kind().clone()))
}

/// A glob as people write it for files below a directory: a bare name is looked for at any depth, `/` or `./` in front
/// leads from the directory, and `/` at the end means what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePattern {
    /// What [`path_glob`] reads.
    pub text: String,
    /// It is about the last part of a path.
    pub is_name: bool,
    /// It ends in `/`.
    pub names_directory: bool,
}

impl FilePattern {
    pub fn read(written: &str) -> Result<Self, GlobError> {
        let mut text = written.trim_start_matches('/');
        while let Some(rest) = text.strip_prefix("./") {
            text = rest.trim_start_matches('/');
        }
        let is_anchored = text.len() < written.len();
        let bare = text.trim_end_matches('/');
        if bare.is_empty() || bare == "." {
            return Err(GlobError::Empty);
        }
        Ok(Self {
            text: bare.to_owned(),
            is_name: !bare.contains('/') && !is_anchored,
            names_directory: bare.len() < text.len(),
        })
    }
}
