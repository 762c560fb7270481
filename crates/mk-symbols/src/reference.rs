//! Where a name is used, and what a rename would change, by the name alone.
//!
//! Comments and strings are not uses. Whether two uses mean the same thing is not known here: a language server knows.

use mk_project::Readable;
use mk_types::ProjectPath;
use tree_sitter::{Node, Tree};

use crate::error::Error;
use crate::find::{Answer, Source, is_test};
use crate::index::{Index, hash, occurrences, text_of};
use crate::language::Language;
use crate::outline::Outline;
use crate::parse::tree_of;

const LONGEST_LINE: usize = 200;

/// A place where a name stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
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
    pub place: Place,
    /// The name path of the symbol it is in.
    pub within: Option<String>,
    /// Whether this is where the name is given.
    pub is_definition: bool,
}

/// What a rename by name would write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamePlan {
    pub files: Vec<FileRename>,
    pub source: Source,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRename {
    pub path: ProjectPath,
    /// The whole file, renamed.
    pub text: String,
    pub places: Vec<Place>,
}

impl Index {
    /// The uses of a name, code before tests. The last part of a name path counts. When there are more than `limit`,
    /// the total is one more than that: the rest is not looked for.
    pub fn references(
        &self,
        name_path: &str,
        limit: usize,
        readable: Readable<'_>,
    ) -> Answer<Reference> {
        let name = last_name(name_path);
        let mut hits = Vec::new();
        for path in self.candidates(name, readable) {
            if hits.len() > limit {
                break;
            }
            // A file that has vanished since has no uses.
            let Ok(text) = text_of(self.root(), &path) else {
                continue;
            };
            let Some((language, tree)) = parsed(&path, &text) else {
                continue;
            };
            let outline = Outline::parse(path.as_str(), &text).ok().flatten();
            for offset in uses(language, &tree, &text, name) {
                let position = u32::try_from(offset).unwrap_or(u32::MAX);
                let at = |outline: &Outline| {
                    let mut symbols = outline.symbols.iter();
                    let is_definition = symbols
                        .any(|symbol| symbol.name_range.contains(&position) && symbol.name == name);
                    let within = outline.at(position).map(|one| outline.indexed_path(one));
                    (is_definition, within)
                };
                let (is_definition, within) = outline.as_ref().map(at).unwrap_or_default();
                hits.push(Reference {
                    path: path.clone(),
                    place: place(&text, offset),
                    within,
                    is_definition,
                });
            }
        }
        let total = hits.len().min(limit + 1);
        hits.truncate(limit);
        Answer {
            hits,
            total,
            source: Source::IndexByName,
            progress: self.progress(),
        }
    }

    /// What it would take to give every use of a name another one. Nothing is written.
    pub fn rename_plan_by_name(
        &self,
        name: &str,
        new_name: &str,
        readable: Readable<'_>,
    ) -> Result<RenamePlan, Error> {
        let name = last_name(name);
        check_name(name)?;
        check_name(new_name)?;
        let mut files = Vec::new();
        for path in self.candidates(name, readable) {
            let text = text_of(self.root(), &path)?;
            let Some((language, tree)) = parsed(&path, &text) else {
                continue;
            };
            let offsets = uses(language, &tree, &text, name);
            if offsets.is_empty() {
                continue;
            }
            files.push(FileRename {
                path,
                places: offsets.iter().map(|offset| place(&text, *offset)).collect(),
                text: renamed(&text, &offsets, name, new_name),
            });
        }
        Ok(RenamePlan {
            files,
            source: Source::IndexByName,
        })
    }

    /// The files that hold the word somewhere, code before tests.
    fn candidates(&self, name: &str, readable: Readable<'_>) -> Vec<ProjectPath> {
        let word = hash(name);
        let store = self.store();
        let mut paths: Vec<ProjectPath> = store
            .known()
            .filter(|(path, packed)| packed.uses(word) && readable(path))
            .map(|(path, _)| path.clone())
            .collect();
        paths.sort_by_key(|path| is_test(path.as_str()));
        paths
    }
}

fn last_name(name_path: &str) -> &str {
    let name = name_path.rsplit(['/', ':', '.', '#']).next();
    let name = name.unwrap_or(name_path);
    name.split('[').next().unwrap_or(name)
}

/// Whether something could be called so, in any language.
pub fn check_name(name: &str) -> Result<(), Error> {
    let mut letters = name.chars();
    let is_identifier = letters
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
        && name.len() <= 200;
    if is_identifier {
        return Ok(());
    }
    Err(Error::BadName {
        name: name.to_owned(),
    })
}

fn parsed(path: &ProjectPath, text: &str) -> Option<(&'static Language, Tree)> {
    let language = Language::of_file(path.as_str(), text)?;
    Some((language, tree_of(language, text).ok()?))
}

/// The bytes at which a name stands as an identifier.
fn uses(language: &Language, tree: &Tree, text: &str, name: &str) -> Vec<usize> {
    let root = tree.root_node();
    occurrences(text, name)
        .filter(|offset| {
            let end = offset + name.len();
            let node = root.descendant_for_byte_range(*offset, end);
            node.is_some_and(|node| is_use(language, node, *offset, end))
        })
        .collect()
}

fn is_use(language: &Language, node: Node<'_>, start: usize, end: usize) -> bool {
    // The value of a C macro is text to the grammar.
    if node.kind() == "preproc_arg" {
        return true;
    }
    let is_text = |kind: &str| {
        [
            "string", "comment", "text", "inline", "content", "literal", "char",
        ]
        .iter()
        .any(|part| kind.contains(part))
    };
    node.byte_range() == (start..end)
        && node.is_named()
        && node.named_child_count() == 0
        && !is_text(node.kind())
        && !language.comments.contains(&node.kind())
}

fn place(text: &str, offset: usize) -> Place {
    let before = text.get(..offset).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |position| position + 1);
    let column = before.get(line_start..).unwrap_or_default().chars().count();
    let n_breaks = before.bytes().filter(|byte| *byte == b'\n').count();
    let line = text.get(line_start..).unwrap_or_default().lines().next();
    let line = line.unwrap_or_default().trim();
    let shown = line.get(..line.floor_char_boundary(LONGEST_LINE));
    Place {
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
