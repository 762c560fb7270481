//! Finding and replacing code by its structure: `f($A, $$$REST)` matches calls, whatever is in their parentheses and
//! over however many lines, and nothing in comments or strings.
//!
//! `$A` stands for one part of the syntax tree, `$$$A` for any number of neighbours; a name that is used twice must be
//! the same text twice, and `$_` is nobody's.

mod pattern;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use mk_project::Readable;
use mk_types::ProjectPath;
use tree_sitter::Node;

use crate::edit::{SyntaxFault, new_errors_between};
use crate::error::Error;
use crate::find::{FileGlob, is_test, shown};
use crate::identifier::stem;
use crate::index::{IndexingProgress, SymbolIndex, hash, is_word, text_of};
use crate::language::Language;
use crate::parallel;
use crate::parse::tree_of;
use crate::reference::{NamePlace, place};
use pattern::StructurePattern;

/// What to find, and what to put in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureQuery {
    pub pattern: String,
    /// With the pattern's names, which stand for what they matched.
    pub replacement: String,
    /// Only in files of this language.
    pub language: Option<String>,
    /// Only in these files: a glob as in [`IndexQuery::files`](crate::IndexQuery::files).
    pub files: Option<String>,
}

/// What a replacement would write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructurePlan {
    pub files: Vec<StructureEdit>,
    pub progress: IndexingProgress,
}

/// A file after a replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureEdit {
    pub path: ProjectPath,
    /// The whole file.
    pub text: String,
    /// Where in the old text something was replaced.
    pub places: Vec<NamePlace>,
    /// What the replacement broke.
    pub errors: Vec<SyntaxFault>,
}

impl SymbolIndex {
    /// What a replacement by structure would write. Nothing is written.
    pub fn replace_structure(
        &self,
        query: &StructureQuery,
        readable: Readable<'_>,
    ) -> Result<StructurePlan, Error> {
        let files = query.files.as_deref().map(FileGlob::new).transpose()?;
        let wanted = match query.language.as_deref() {
            None => None,
            Some(name) => Some(
                Language::called(name).ok_or_else(|| Error::UnknownLanguage {
                    name: name.to_owned(),
                })?,
            ),
        };
        let word = literal_words(&query.pattern)
            .into_iter()
            .max_by_key(|word| word.len());
        let progress = match word {
            Some(word) => self.know(word),
            None => self.wait_for_certainty(),
        };
        let hash = word.map(hash);
        let store = self.store();
        let may_hold = |path: &ProjectPath| {
            let language = Language::of_path(path.as_str());
            files
                .as_ref()
                .is_none_or(|files| files.matches(path.as_str()))
                && wanted.is_none_or(|wanted| language.is_none_or(|one| one == wanted))
                && readable(path)
        };
        let mut paths: Vec<ProjectPath> = store
            .known()
            .filter(|(path, packed)| hash.is_none_or(|hash| packed.uses(hash)) && may_hold(path))
            .map(|(path, _)| path.clone())
            .collect();
        drop(store);
        paths.sort_by_key(|path| is_test(path.as_str()));
        let languages: BTreeSet<&str> = paths
            .iter()
            .filter_map(|path| Some(Language::of_path(path.as_str())?.name()))
            .collect();
        let can_read = |name: &&str| {
            Language::called(name)
                .is_some_and(|it| StructurePattern::parse(it, &query.pattern).is_some())
        };
        if !languages.is_empty() && !languages.iter().any(can_read) {
            return Err(Error::BadStructure {
                pattern: query.pattern.clone(),
                reason: "it does not parse as code of these files".to_owned(),
            });
        }
        let edits = parallel::map(&paths, |_, path| {
            let text = text_of(self.root(), path)?;
            replace_structure(path, &text, query)
        });
        let edits: Result<Vec<Option<StructureEdit>>, Error> = edits.into_iter().collect();
        Ok(StructurePlan {
            files: edits?.into_iter().flatten().collect(),
            progress,
        })
    }
}

/// What a replacement makes of one text; `None` if it matches nothing there.
pub fn replace_structure(
    path: &ProjectPath,
    text: &str,
    query: &StructureQuery,
) -> Result<Option<StructureEdit>, Error> {
    let language = Language::of_file(path.as_str(), text);
    let is_wanted = |language: &Language| {
        let wanted = query.language.as_deref().and_then(Language::called);
        wanted.is_none_or(|wanted| wanted == language)
    };
    let Some(language) = language.filter(|it| is_wanted(it)) else {
        return Ok(None);
    };
    let Some(pattern) = StructurePattern::parse(language, &query.pattern) else {
        return Ok(None);
    };
    let tree = tree_of(language, text).map_err(|reason| Error::Skipped {
        path: shown(path),
        reason: reason.to_string(),
    })?;
    let mut rewriter = Rewriter {
        text,
        pattern: &pattern,
        replacement: &query.replacement,
        places: Vec::new(),
    };
    let new = rewriter.rewritten(tree.root_node(), 0..text.len());
    let mut places = rewriter.places;
    if places.is_empty() {
        return Ok(None);
    }
    if let Some(name) = unknown_name(language, query) {
        return Err(Error::BadStructure {
            pattern: query.replacement.clone(),
            reason: format!("`{name}` is not in the pattern"),
        });
    }
    places.sort_unstable();
    Ok(Some(StructureEdit {
        path: path.clone(),
        places: places.iter().map(|offset| place(text, *offset)).collect(),
        errors: new_errors_between(language, text, &new),
        text: new,
    }))
}

/// A name of the replacement that stands for nothing, because the pattern does not have it. In some languages it can be a
/// variable.
fn unknown_name(language: &Language, query: &StructureQuery) -> Option<String> {
    if matches!(language.name(), "php" | "bash") {
        return None;
    }
    let known: BTreeSet<&str> = names(&query.pattern).map(|(_, name)| name).collect();
    let mut unknown = names(&query.replacement).filter(|(_, name)| !known.contains(name));
    unknown.next().map(|(marks, name)| format!("{marks}{name}"))
}

/// The names in a pattern or a replacement, with their marks.
fn names(written: &str) -> impl Iterator<Item = (&str, &str)> {
    written.match_indices('$').filter_map(|(at, _)| {
        let is_first = !written.get(..at)?.ends_with('$');
        let (marks, name, _) = split_name(written.get(at..)?);
        (is_first && !name.is_empty()).then_some((marks, name))
    })
}

/// What begins with `$`: its marks, the name if it has one, and the rest.
fn split_name(written: &str) -> (&str, &str, &str) {
    let bare = written.trim_start_matches('$');
    let (marks, bare) = written
        .split_at_checked(written.len() - bare.len())
        .unwrap_or((written, ""));
    let is_name = bare.starts_with(|first: char| first.is_ascii_uppercase() || first == '_')
        && matches!(marks.len(), 1 | 3);
    let rest = bare.trim_start_matches(|it: char| it.is_ascii_alphanumeric() || it == '_');
    let length = if is_name { bare.len() - rest.len() } else { 0 };
    let (name, rest) = bare.split_at_checked(length).unwrap_or(("", bare));
    (marks, name, rest)
}

/// The words of a pattern that every match holds; what begins with `$` is a name of the pattern's own.
fn literal_words(pattern: &str) -> Vec<&str> {
    let is_mark = |letter: char| letter.is_ascii() && letter != '$' && !is_word(letter as u8);
    let words = pattern.split(is_mark).filter(|word| !word.contains('$'));
    words.filter_map(stem).collect()
}

struct Rewriter<'a> {
    text: &'a str,
    pattern: &'a StructurePattern,
    replacement: &'a str,
    places: Vec<usize>,
}

/// What the names of a pattern matched.
type Captures = BTreeMap<String, Range<usize>>;

impl Rewriter<'_> {
    /// The text of a range with every match in it replaced, those inside of what a match keeps included.
    fn rewritten(&mut self, within: Node<'_>, range: Range<usize>) -> String {
        let mut matches: Vec<(Range<usize>, Captures)> = Vec::new();
        let mut cursor = within.walk();
        'walk: loop {
            let node = cursor.node();
            let bytes = node.byte_range();
            let is_inside = range.start <= bytes.start && bytes.end <= range.end;
            let overlaps = bytes.start < range.end && range.start < bytes.end;
            let found = is_inside
                .then(|| self.pattern.matches(node, self.text))
                .flatten();
            let goes_in = found.is_none() && overlaps;
            if let Some(captures) = found {
                matches.push((bytes, captures));
            }
            if goes_in && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'walk;
                }
            }
        }
        let mut new = String::new();
        let mut copied = range.start;
        for (bytes, captures) in matches {
            new.push_str(self.text.get(copied..bytes.start).unwrap_or_default());
            copied = bytes.end;
            self.places.push(bytes.start);
            let filled = self.filled(within, &captures);
            new.push_str(&filled);
        }
        new.push_str(self.text.get(copied..range.end).unwrap_or_default());
        new
    }

    /// The replacement with what was matched in place of the names.
    fn filled(&mut self, within: Node<'_>, captures: &Captures) -> String {
        let mut filled = String::new();
        let mut rest = self.replacement;
        while let Some(at) = rest.find('$') {
            let (before, after) = rest.split_at(at);
            filled.push_str(before);
            let (marks, name, after) = split_name(after);
            rest = after;
            match captures.get(name) {
                Some(range) if range.is_empty() => {
                    // Nothing was matched, and so nothing is to be separated.
                    let kept = filled.trim_end();
                    if let Some(kept) = kept.strip_suffix(',') {
                        filled.truncate(kept.len());
                    } else if let Some(after) = rest.trim_start().strip_prefix(',') {
                        rest = after.trim_start();
                    }
                }
                Some(range) => {
                    let inner = self.rewritten(within, range.clone());
                    filled.push_str(&inner);
                }
                None => {
                    filled.push_str(marks);
                    filled.push_str(name);
                }
            }
        }
        filled.push_str(rest);
        filled
    }
}
