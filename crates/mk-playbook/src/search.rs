//! Searching rules, agents, skills and checklists: the passages that fit best, and the lines in them that say so.
//!
//! Ranked by words (BM25), so that order and form do not matter; whatever contains the query as it is typed is found
//! too. The index is built when it is first needed and follows changes file by file.

mod index;
mod passage;
mod query;
mod token;

use std::sync::{Arc, RwLock};

use crate::entry::ContentEntry;
use crate::place::ContentLayer;
use index::PassageIndex;
use mk_types::{read_lock, write_lock};

/// How much to answer.
#[derive(Debug, Clone, Copy)]
pub struct SearchLimits {
    pub files: usize,
    pub lines_per_file: usize,
    pub lines: usize,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self {
            files: 20,
            lines_per_file: 10,
            lines: 40,
        }
    }
}

/// A line that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineMatch {
    /// Counted from 1.
    pub line: u32,
    /// Without the space around it.
    pub text: String,
}

/// A file that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct FileMatch {
    /// The path in its `rules://` address.
    pub path: String,
    pub layer: ContentLayer,
    pub score: f32,
    /// In the order of the file.
    pub lines: Vec<LineMatch>,
    /// How many lines fit, also when `lines` was cut.
    pub n_lines: usize,
}

/// The files that fit, the best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RuleSearchResult {
    pub files: Vec<FileMatch>,
    /// How many files fit, also when `files` was cut.
    pub n_files: usize,
}

/// The index, shared by all callers.
#[derive(Debug, Default)]
pub(crate) struct Searcher {
    index: RwLock<PassageIndex>,
}

impl Searcher {
    /// Whether these files have been read.
    pub(crate) fn knows(&self, generation: (u64, u64)) -> bool {
        let index = read_lock(&self.index);
        index.generation == Some(generation)
    }

    /// Searches these files. `generation` tells one list of files from another, so that nothing is compared in vain.
    pub(crate) fn search(
        &self,
        text: &str,
        limits: &SearchLimits,
        generation: (u64, u64),
        files: impl FnOnce() -> Vec<Arc<ContentEntry>>,
    ) -> RuleSearchResult {
        let index = read_lock(&self.index);
        if index.generation == Some(generation) {
            return index.search(text, limits);
        }
        drop(index);
        let files = files();
        let mut index = write_lock(&self.index);
        if index.generation != Some(generation) {
            index.update(&files);
            index.generation = Some(generation);
        }
        index.search(text, limits)
    }
}
