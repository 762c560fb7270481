//! Where a name is used, and what a rename would change, by the name alone.
//!
//! Comments and strings are not uses. Whether two uses mean the same thing is not known here: a language server knows.

mod recent;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mk_project::Readable;
use mk_types::ProjectPath;
use tree_sitter::{Node, Tree};

use crate::embedded;
use crate::error::Error;
use crate::extract::extract_from;
use crate::find::{AnswerSource, IndexAnswer, Patterns, is_test, shown};
use crate::identifier::{core, indexed, last_name, new_core, stem};
use crate::index::{IndexState, SymbolIndex, hash, occurrences, text_of};
use crate::language::Language;
use crate::mask::hidden_in_file;
use crate::outline::{Outline, TextKey};
use crate::parallel;
use crate::parse::{ParseLimit, Parsers};
use crate::symbol::Symbol;
use recent::RECENT;

const LONGEST_LINE: usize = 200;
/// Files that are looked into before it is asked whether there are uses enough.
const BATCH: usize = 64;
/// In more files uses beyond the limit are not counted: a name that is in all of them means nothing.
const MOST_COUNTED: usize = 512;

/// A place where a name stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePlace {
    /// Counted from 1.
    pub line: u32,
    /// In characters, counted from 1.
    pub column: u32,
    /// The line, without the white space around it.
    pub text: String,
}

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub path: ProjectPath,
    pub place: NamePlace,
    /// The name path of the symbol it is in.
    pub within: Option<String>,
    /// Whether this is where the name is given.
    pub is_definition: bool,
    /// A language server was asked, and does not count this to what the name means.
    pub is_unclaimed: bool,
}

/// What a rename by name would write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameRenamePlan {
    /// What stands at every place, and what comes there: the names without marks that only some uses have.
    pub old: String,
    pub new: String,
    /// Whether every file that holds the name was looked into.
    pub is_whole: bool,
    pub files: Vec<FileRename>,
    /// Files that hold the name and stay as they are, because they cannot be parsed.
    pub unparsed: Vec<ProjectPath>,
    pub source: AnswerSource,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRename {
    pub path: ProjectPath,
    /// The whole file, renamed.
    pub text: String,
    pub places: Vec<NamePlace>,
}

/// A use of a name in one file, whatever file that is.
#[derive(Debug, Clone)]
struct NameUse {
    place: NamePlace,
    within: Option<String>,
    /// The container of what is defined there.
    defined_in: Option<String>,
}

/// A file that holds a name, parsed.
struct ParsedFile {
    path: ProjectPath,
    text: String,
    language: &'static Language,
    /// `None` for a file that is not looked into: its words count as they stand there.
    tree: Option<Tree>,
}

impl SymbolIndex {
    /// The uses of a name: definitions first, code before tests. The last part of a name path counts. With `of`, the
    /// file that defines it, only languages count that can mean it. Those beyond `limit` are counted, in as many files
    /// as can be looked into soon.
    pub fn references(
        &self,
        name_path: &str,
        of: Option<&ProjectPath>,
        limit: usize,
        readable: Readable<'_>,
    ) -> Result<IndexAnswer<Reference>, Error> {
        let name = last_name(name_path);
        let word = word_of(name)?;
        let progress = self.know(word);
        let language = of.map(|file| self.language_of(file)).transpose()?;
        let mut hits = Vec::new();
        let mut n_beyond = 0;
        let mut candidates = self.candidates(word, language, readable);
        let patterns = Patterns::parse(name_path);
        let defining = self.defining(&patterns, name);
        candidates.sort_by_key(|path| {
            let is_meant = of.is_none_or(|of| of == path);
            (
                !(is_meant && defining.contains(path)),
                is_test(path.as_str()),
            )
        });
        let mut is_counted = true;
        for (position, batch) in candidates.chunks(BATCH).enumerate() {
            if hits.len() > limit && position >= MOST_COUNTED / BATCH {
                is_counted = false;
                break;
            }
            if hits.len() > limit {
                let counted = parallel::map(batch, |parsers, path| {
                    let parsed = self.parsed(parsers, path, language).ok().flatten();
                    parsed.map_or(0, |parsed| parsed.uses(name).len())
                });
                n_beyond += counted.into_iter().sum::<usize>();
                continue;
            }
            let found = parallel::map(batch, |parsers, path| {
                // A file that has vanished since has no uses.
                let uses = self.uses_in(parsers, path, (name, language)).ok().flatten();
                let reference = |one: &NameUse| one.reference(path, name, &patterns);
                uses.map(|uses| uses.iter().map(reference).collect::<Vec<_>>())
            });
            hits.extend(found.into_iter().flatten().flatten());
        }
        let total = hits.len() + n_beyond;
        hits.sort_by_key(|(is_named, hit): &(bool, Reference)| {
            let is_meant = of.is_none_or(|of| *of == hit.path);
            let is_definition = is_meant && hit.is_definition;
            (
                !(is_definition && *is_named),
                !is_definition,
                is_test(hit.path.as_str()),
            )
        });
        let hits = hits.into_iter().take(limit).map(|(_, hit)| hit).collect();
        Ok(IndexAnswer {
            hits,
            total,
            is_counted,
            source: AnswerSource::IndexByName,
            progress,
        })
    }

    /// The files that define what a name path means.
    fn defining(&self, patterns: &Patterns, name: &str) -> BTreeSet<ProjectPath> {
        let store = self.store();
        let files = store.known().filter(|(path, packed)| {
            let language = Language::of_path(path.as_str());
            let name = language.map_or(name, |language| indexed(language, name));
            let id = store.names.id(name);
            packed.symbols.iter().any(|symbol| {
                Some(symbol.name) == id
                    && patterns.names(name, store.names.text(symbol.container), path.as_str())
            })
        });
        files.map(|(path, _)| path.clone()).collect()
    }

    /// What it would take to give every use of a name that the file `of` defines another one, in the languages that
    /// can mean it. Nothing is written.
    pub fn rename_plan_by_name(
        &self,
        name: &str,
        of: &ProjectPath,
        new_name: &str,
        readable: Readable<'_>,
    ) -> Result<NameRenamePlan, Error> {
        let name = last_name(name);
        let word = word_of(name)?;
        let language = self.language_of(of)?;
        let new_core = new_core(language, name, new_name)?;
        let is_whole = self.know(word).state == IndexState::Ready;
        let language = Some(language);
        let candidates = self.candidates(word, language, readable);
        let renamed = parallel::map(&candidates, |parsers, path| {
            let parsed = self.parsed(parsers, path, language)?;
            Ok(parsed.and_then(|parsed| parsed.rename(name, new_core)))
        });
        let (mut files, mut unparsed) = (Vec::new(), Vec::new());
        for file in renamed {
            match file? {
                Some(Ok(file)) => files.push(file),
                Some(Err(path)) => unparsed.push(path),
                None => {}
            }
        }
        Ok(NameRenamePlan {
            old: core(name).to_owned(),
            new: new_core.to_owned(),
            is_whole,
            files,
            unparsed,
            source: AnswerSource::IndexByName,
        })
    }

    /// The files that hold the word somewhere and may be in a language that can mean it, code before tests.
    fn candidates(
        &self,
        word: &str,
        language: Option<&Language>,
        readable: Readable<'_>,
    ) -> Vec<ProjectPath> {
        let word = hash(word);
        let store = self.store();
        // The language of a script is known from its text only.
        let may_mean = |path: &ProjectPath| {
            let pair = language.zip(Language::of_path(path.as_str()));
            pair.is_none_or(|(language, other)| language.shares_names(other))
        };
        let mut paths: Vec<ProjectPath> = store
            .known()
            .filter(|(_, packed)| packed.uses(word))
            .map(|(path, _)| path)
            .chain(store.unparsed())
            .filter(|path| may_mean(path) && readable(path))
            .cloned()
            .collect();
        paths.sort_by_key(|path| is_test(path.as_str()));
        paths
    }

    fn language_of(&self, file: &ProjectPath) -> Result<&'static Language, Error> {
        let text = text_of(self.root(), file)?;
        let language = Language::of_file(file.as_str(), &text);
        language.ok_or_else(|| Error::NoLanguage { path: shown(file) })
    }

    /// The uses of a name in a file; `None` if it cannot mean a name of this language.
    fn uses_in(
        &self,
        parsers: &mut Parsers,
        path: &ProjectPath,
        (name, wanted): (&str, Option<&Language>),
    ) -> Result<Option<Arc<[NameUse]>>, Error> {
        let text = text_of(self.root(), path)?;
        let language = Language::of_file(path.as_str(), &text)
            .filter(|language| wanted.is_none_or(|wanted| wanted.shares_names(language)));
        let Some(language) = language else {
            return Ok(None);
        };
        let key = TextKey::of(language, &text);
        if let Some(uses) = RECENT.get(key, name) {
            return Ok(Some(uses));
        }
        let parsed = parse(parsers, path, text, language);
        let uses: Arc<[NameUse]> = Arc::from(parsed.name_uses(parsers, name));
        RECENT.put(key, name, &uses);
        Ok(Some(uses))
    }

    /// `None` if the file cannot mean a name of this language.
    fn parsed(
        &self,
        parsers: &mut Parsers,
        path: &ProjectPath,
        wanted: Option<&Language>,
    ) -> Result<Option<ParsedFile>, Error> {
        let text = text_of(self.root(), path)?;
        let language = Language::of_file(path.as_str(), &text)
            .filter(|language| wanted.is_none_or(|wanted| wanted.shares_names(language)));
        let Some(language) = language else {
            return Ok(None);
        };
        Ok(Some(parse(parsers, path, text, language)))
    }
}

fn parse(
    parsers: &mut Parsers,
    path: &ProjectPath,
    text: String,
    language: &'static Language,
) -> ParsedFile {
    let cancel = AtomicBool::new(false);
    let tree = parsers.tree_of(language, &text, &ParseLimit::new(&cancel));
    ParsedFile {
        path: path.clone(),
        tree: tree.ok(),
        text,
        language,
    }
}

impl NameUse {
    /// With whether it names what the patterns mean.
    fn reference(&self, path: &ProjectPath, name: &str, patterns: &Patterns) -> (bool, Reference) {
        let is_meant = |container: &String| patterns.names(name, container, path.as_str());
        let reference = Reference {
            path: path.clone(),
            place: self.place.clone(),
            within: self.within.clone(),
            is_definition: self.defined_in.is_some(),
            is_unclaimed: false,
        };
        (self.defined_in.as_ref().is_some_and(is_meant), reference)
    }
}

impl ParsedFile {
    fn name_uses(&self, parsers: &mut Parsers, name: &str) -> Vec<NameUse> {
        let offsets = self.uses(name);
        if offsets.is_empty() {
            return Vec::new();
        }
        let cancel = AtomicBool::new(false);
        let limit = ParseLimit::new(&cancel);
        let symbols = self
            .tree
            .as_ref()
            .and_then(|tree| extract_from(parsers, self.language, &self.text, tree, &limit).ok());
        let outline = Outline {
            language: self.language,
            // Where a use stands is known without them.
            symbols: symbols.unwrap_or_default(),
        };
        let name = indexed(self.language, name);
        let name_use = |offset: usize| {
            let position = u32::try_from(offset).unwrap_or(u32::MAX);
            let is_named_here =
                |symbol: &Symbol| symbol.name_range.contains(&position) && symbol.name == name;
            let defined = outline.symbols.iter().find(|one| is_named_here(one));
            NameUse {
                place: place(&self.text, offset),
                within: outline.at(position).map(|one| outline.indexed_path(one)),
                defined_in: defined.map(|symbol| symbol.container.clone()),
            }
        };
        offsets.into_iter().map(name_use).collect()
    }

    /// `None` if it does not hold the name; the path alone if it is not changed because it is not looked into.
    fn rename(&self, name: &str, new_name: &str) -> Option<Result<FileRename, ProjectPath>> {
        let offsets = self.uses(name);
        if offsets.is_empty() {
            return None;
        }
        if self.tree.is_none() {
            return Some(Err(self.path.clone()));
        }
        let places = offsets.iter().map(|offset| place(&self.text, *offset));
        Some(Ok(FileRename {
            places: places.collect(),
            text: renamed(&self.text, &offsets, core(name), new_name),
            path: self.path.clone(),
        }))
    }

    /// The bytes at which a name stands as an identifier, whatever marks it has there.
    fn uses(&self, name: &str) -> Vec<usize> {
        let core = core(indexed(self.language, name));
        let Some(tree) = &self.tree else {
            return occurrences(&self.text, core).collect();
        };
        let root = tree.root_node();
        let hidden = hidden_in_file(self.language, &self.text);
        let embedding = self.language.embedding;
        let code = embedding.map(|it| embedded::code(it, &self.text));
        occurrences(&self.text, core)
            .filter(|offset| {
                // A macro that the parser does not see is used all the same.
                if hidden.iter().any(|range| range.contains(offset)) {
                    return true;
                }
                // Nobody reads templates here, and what they name is used.
                let is_in_code =
                    |code: &Vec<Range<usize>>| code.iter().any(|it| it.contains(offset));
                if code.as_ref().is_some_and(|code| !is_in_code(code)) {
                    return true;
                }
                let node = root.descendant_for_byte_range(*offset, offset + core.len());
                node.is_some_and(|node| is_use(self.language, node, core, &self.text))
            })
            .collect()
    }
}

/// What files are looked up by.
fn word_of(name: &str) -> Result<&str, Error> {
    stem(core(name)).ok_or_else(|| Error::NoWord {
        name: name.to_owned(),
    })
}

fn is_use(language: &Language, node: Node<'_>, name: &str, text: &str) -> bool {
    // The value of a C macro is text to the grammar, and so is what a quasiquote of Haskell holds.
    if matches!(node.kind(), "preproc_arg" | "quasiquote_body") {
        return true;
    }
    if is_exported(language, node, text) {
        return text.get(node.byte_range()) == Some(name);
    }
    let is_text = |kind: &str| {
        [
            "string", "comment", "text", "inline", "content", "literal", "char",
        ]
        .iter()
        .any(|part| kind.contains(part))
    };
    let written = text.get(node.byte_range()).unwrap_or_default();
    // `:name` of Ruby, and names in back quotes.
    let bare = written.trim_start_matches(':').trim_matches('`');
    (written == name || bare == name)
        && node.is_named()
        && node.named_child_count() == 0
        && !is_text(node.kind())
        && !language.comments.contains(&node.kind())
}

/// Whether a string says what a module of Python exports: `__all__ = ["a"]`.
fn is_exported(language: &Language, node: Node<'_>, text: &str) -> bool {
    if language.name() != "python" || node.kind() != "string_content" {
        return false;
    }
    let around = std::iter::successors(Some(node), Node::parent);
    let mut statements = around.filter(|node| node.kind().ends_with("assignment"));
    statements.next().is_some_and(|statement| {
        let left = statement.child_by_field_name("left");
        left.is_some_and(|left| text.get(left.byte_range()) == Some("__all__"))
    })
}

pub(crate) fn place(text: &str, offset: usize) -> NamePlace {
    let before = text.get(..offset).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |position| position + 1);
    let column = before.get(line_start..).unwrap_or_default().chars().count();
    let n_breaks = before.bytes().filter(|byte| *byte == b'\n').count();
    let line = text.get(line_start..).unwrap_or_default().lines().next();
    let line = line.unwrap_or_default().trim();
    let shown = line.get(..line.floor_char_boundary(LONGEST_LINE));
    NamePlace {
        line: u32::try_from(n_breaks).unwrap_or(0) + 1,
        column: u32::try_from(column).unwrap_or(0) + 1,
        text: shown.unwrap_or(line).to_owned(),
    }
}

fn renamed(text: &str, offsets: &[usize], name: &str, new_name: &str) -> String {
    let mut renamed = String::with_capacity(text.len());
    let mut copied = 0;
    for offset in offsets {
        renamed.push_str(text.get(copied..*offset).unwrap_or_default());
        renamed.push_str(new_name);
        copied = offset + name.len();
    }
    renamed.push_str(text.get(copied..).unwrap_or_default());
    renamed
}
