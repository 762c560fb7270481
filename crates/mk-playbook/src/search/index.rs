//! Which word stands on which line. Files come and go; what is left of a file that went is swept up when it is half of
//! everything.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::passage::{Passage, of_json, of_markdown};
use super::token::{stem, words};
use crate::entry::ContentEntry;

/// A word on a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    pub(super) passage: u32,
    /// Counted from 1; 0 for a word of a heading above the passage.
    pub(super) line: u32,
}

#[derive(Debug)]
pub(super) struct IndexedPassage {
    pub(super) document: u32,
    /// In words.
    pub(super) length: u32,
}

#[derive(Debug)]
pub(super) struct IndexedDocument {
    pub(super) entry: Arc<ContentEntry>,
    /// The text with ASCII letters in lower case, so that every byte stands where it stands in the text.
    lower: String,
    /// Where each line starts.
    line_starts: Vec<u32>,
    pub(super) is_alive: bool,
    n_passages: u32,
}

impl IndexedDocument {
    /// A line, counted from 1, without the space around it.
    pub(super) fn line(&self, line: u32) -> &str {
        self.cut(&self.entry.parsed().text, line)
    }

    /// The same line with ASCII letters in lower case.
    pub(super) fn lower_line(&self, line: u32) -> &str {
        self.cut(&self.lower, line)
    }

    fn cut<'a>(&self, text: &'a str, line: u32) -> &'a str {
        let start_of =
            |line_idx: usize| self.line_starts.get(line_idx).map(|start| *start as usize);
        let start = start_of(line.saturating_sub(1) as usize).unwrap_or(text.len());
        let end = start_of(line as usize).unwrap_or(text.len());
        text.get(start..end).unwrap_or_default().trim()
    }
}

/// The index of all files.
#[derive(Debug, Default)]
pub(crate) struct PassageIndex {
    /// Which list of files it is of.
    pub(super) generation: Option<(u64, u64)>,
    terms: HashMap<Box<str>, u32>,
    /// All terms with a line end after each, so that parts of words can be found in one go.
    pub(super) dictionary: String,
    /// Where each term starts in the dictionary.
    pub(super) term_starts: Vec<u32>,
    pub(super) postings: Vec<Vec<Posting>>,
    stems: HashMap<Box<str>, Vec<u32>>,
    pub(super) passages: Vec<IndexedPassage>,
    pub(super) documents: Vec<IndexedDocument>,
    pub(super) n_words: u64,
    n_dead: usize,
}

impl PassageIndex {
    /// Makes the index one of these files; those that it knows are not read again.
    pub(super) fn update(&mut self, files: &[Arc<ContentEntry>]) {
        let wanted: HashSet<*const ContentEntry> = files.iter().map(Arc::as_ptr).collect();
        let mut known = HashSet::new();
        for document in &mut self.documents {
            let is_wanted = wanted.contains(&Arc::as_ptr(&document.entry));
            if document.is_alive && is_wanted {
                known.insert(Arc::as_ptr(&document.entry));
            } else if document.is_alive {
                document.is_alive = false;
                self.n_dead += document.n_passages as usize;
            }
        }
        if self.n_dead * 2 > self.passages.len() {
            *self = Self::default();
            known.clear();
        }
        for file in files
            .iter()
            .filter(|file| !known.contains(&Arc::as_ptr(file)))
        {
            self.add(file);
        }
    }

    /// The term that is exactly this word.
    pub(super) fn term(&self, word: &str) -> Option<u32> {
        self.terms.get(word).copied()
    }

    /// The terms that are forms of the same word.
    pub(super) fn forms(&self, word: &str) -> &[u32] {
        self.stems.get(stem(word)).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, file: &Arc<ContentEntry>) {
        let text = &file.parsed().text;
        let lines: Vec<&str> = text.lines().collect();
        let passages = if file.place.is_json() {
            of_json(text)
        } else {
            of_markdown(text)
        };
        let document = u32::try_from(self.documents.len()).unwrap_or(u32::MAX);
        let mut line_starts = vec![0];
        let ends = memchr::memchr_iter(b'\n', text.as_bytes());
        line_starts.extend(ends.filter_map(|end| u32::try_from(end + 1).ok()));
        self.documents.push(IndexedDocument {
            entry: Arc::clone(file),
            lower: text.to_ascii_lowercase(),
            line_starts,
            is_alive: true,
            n_passages: u32::try_from(passages.len()).unwrap_or(u32::MAX),
        });
        let mut word = String::new();
        for passage in &passages {
            self.add_passage(document, passage, &lines, &mut word);
        }
    }

    fn add_passage(&mut self, document: u32, passage: &Passage, lines: &[&str], word: &mut String) {
        let id = u32::try_from(self.passages.len()).unwrap_or(u32::MAX);
        let mut length = 0_u32;
        for heading in &passage.headings {
            words(heading, word, |word| {
                self.post(
                    word,
                    Posting {
                        passage: id,
                        line: 0,
                    },
                );
            });
        }
        for number in passage.line..passage.end_line {
            let line = lines.get(number as usize - 1).copied().unwrap_or_default();
            words(line, word, |word| {
                length += 1;
                self.post(
                    word,
                    Posting {
                        passage: id,
                        line: number,
                    },
                );
            });
        }
        self.n_words += u64::from(length);
        self.passages.push(IndexedPassage { document, length });
    }

    fn post(&mut self, word: &str, posting: Posting) {
        let term = match self.terms.get(word) {
            Some(term) => *term,
            None => self.add_term(word),
        };
        if let Some(postings) = self.postings.get_mut(term as usize) {
            postings.push(posting);
        }
    }

    fn add_term(&mut self, word: &str) -> u32 {
        let term = u32::try_from(self.postings.len()).unwrap_or(u32::MAX);
        self.terms.insert(word.into(), term);
        self.stems.entry(stem(word).into()).or_default().push(term);
        self.term_starts
            .push(u32::try_from(self.dictionary.len()).unwrap_or(u32::MAX));
        self.dictionary.push_str(word);
        self.dictionary.push('\n');
        self.postings.push(Vec::new());
        term
    }
}
