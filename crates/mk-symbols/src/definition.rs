//! The text of a symbol, by its name or by where it stands. The file is read again, so that the text is what is there.

use std::collections::BTreeMap;

use mk_project::Readable;
use mk_types::ProjectPath;

use crate::error::Error;
use crate::find::{AnswerSource, IndexAnswer, IndexQuery, Matching, SymbolHit, shown};
use crate::index::{IndexState, IndexingProgress, SymbolIndex, text_of};
use crate::kind::SymbolKind;
use crate::outline::Outline;
use crate::symbol::{LineSpan, Symbol, slice};

/// What somebody wants to see.
#[derive(Debug, Clone, Copy)]
pub enum DefinitionTarget<'a> {
    Name {
        /// As in [`IndexQuery::pattern`], but exact.
        name_path: &'a str,
        file: Option<&'a ProjectPath>,
    },
    /// Lines and characters counted from 1: the symbol that is named there, else the one around.
    Position {
        file: &'a ProjectPath,
        line: u32,
        column: u32,
    },
}

/// A symbol with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolDefinition {
    pub path: ProjectPath,
    pub symbol: Symbol,
    /// With an index where the file has namesakes.
    pub name_path: String,
    /// With the comments and attributes that belong to it.
    pub body: String,
    /// The lines of `body`.
    pub body_lines: LineSpan,
    /// What is in it, in the order of its lines; what functions hold is left out.
    pub members: Vec<SymbolMember>,
}

/// A symbol inside of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolMember {
    pub symbol: Symbol,
    pub name_path: String,
    /// How many symbols are between the two.
    pub depth: usize,
    pub attributes: Vec<String>,
}

impl SymbolIndex {
    /// Looks up definitions, the best first.
    pub fn definitions(
        &self,
        target: DefinitionTarget<'_>,
        limit: usize,
        readable: Readable<'_>,
    ) -> Result<IndexAnswer<SymbolDefinition>, Error> {
        match target {
            DefinitionTarget::Name {
                name_path,
                file: Some(file),
            } => {
                let (text, outline) = self.outline_of(file, readable)?;
                let position = outline.resolve(file, name_path)?;
                Ok(self.one(definition(file, &text, &outline, position)))
            }
            DefinitionTarget::Name {
                name_path,
                file: None,
            } => self.by_name(name_path, limit, readable),
            DefinitionTarget::Position { file, line, column } => {
                let (text, outline) = self.outline_of(file, readable)?;
                let nothing = || Error::NothingHere {
                    path: shown(file),
                    line,
                    column,
                };
                let offset = offset_of(&text, line, column).ok_or_else(nothing)?;
                // The name of a block is a use of its type's.
                let is_name = |symbol: &Symbol| {
                    symbol.kind != SymbolKind::Impl && symbol.name_range.contains(&offset)
                };
                if let Some(position) = outline.symbols.iter().position(is_name) {
                    return Ok(self.one(definition(file, &text, &outline, position)));
                }
                let named = word_at(&text, offset).map(|word| self.by_name(word, limit, readable));
                match named {
                    Some(Ok(mut answer)) => {
                        answer.hits.sort_by_key(|hit| hit.path != *file);
                        Ok(answer)
                    }
                    Some(Err(_)) | None => {
                        let position = outline.at(offset).ok_or_else(nothing)?;
                        Ok(self.one(definition(file, &text, &outline, position)))
                    }
                }
            }
        }
    }

    /// The symbols of a file as it is now; the index need not know it.
    pub fn outline(&self, file: &ProjectPath, readable: Readable<'_>) -> Result<Outline, Error> {
        self.outline_of(file, readable).map(|(_, outline)| outline)
    }

    fn outline_of(
        &self,
        file: &ProjectPath,
        readable: Readable<'_>,
    ) -> Result<(String, Outline), Error> {
        if !readable(file) {
            // Who may not see a file does not learn that it is there.
            let path = shown(file);
            return Err(Error::Read {
                source: mk_project::Error::Missing { path: path.clone() },
                path,
            });
        }
        let text = text_of(self.root(), file)?;
        let outline = Outline::parse(file.as_str(), &text).map_err(|reason| Error::Skipped {
            path: shown(file),
            reason: reason.to_string(),
        })?;
        let outline = outline.ok_or_else(|| Error::NoLanguage { path: shown(file) })?;
        Ok((text, outline))
    }

    fn by_name(
        &self,
        name_path: &str,
        limit: usize,
        readable: Readable<'_>,
    ) -> Result<IndexAnswer<SymbolDefinition>, Error> {
        let query = IndexQuery {
            matching: Matching::Exact,
            limit,
            ..IndexQuery::new(name_path)
        };
        let answer = self.find(&query, readable)?;
        let found = answer
            .hits
            .iter()
            .filter_map(|hit| self.read_hit(hit, readable));
        let hits: Vec<SymbolDefinition> = found.collect();
        if hits.is_empty() && answer.is_partial() {
            let name_path = name_path.to_owned();
            return Err(Error::Unfinished { name_path });
        }
        if hits.is_empty() {
            return Err(Error::NoSymbol {
                name_path: name_path.to_owned(),
                nearest: self.nearest(name_path, 5, readable),
            });
        }
        Ok(IndexAnswer {
            hits,
            total: answer.total,
            is_counted: answer.is_counted,
            source: answer.source,
            progress: answer.progress,
        })
    }

    /// Finds a hit again in its file, which may have changed since it was indexed.
    fn read_hit(&self, hit: &SymbolHit, readable: Readable<'_>) -> Option<SymbolDefinition> {
        let (text, outline) = self.outline_of(&hit.path, readable).ok()?;
        let positions = 0..outline.symbols.len();
        let same = |position: &usize| outline.indexed_path(*position) == hit.name_path;
        let position = positions.into_iter().find(same)?;
        definition(&hit.path, &text, &outline, position)
    }

    /// What one file says needs no other, however far the index is.
    fn one(&self, definition: Option<SymbolDefinition>) -> IndexAnswer<SymbolDefinition> {
        let hits: Vec<SymbolDefinition> = definition.into_iter().collect();
        IndexAnswer {
            total: hits.len(),
            is_counted: true,
            hits,
            source: AnswerSource::Index,
            progress: IndexingProgress {
                state: IndexState::Ready,
                ..self.progress()
            },
        }
    }
}

fn definition(
    path: &ProjectPath,
    text: &str,
    outline: &Outline,
    position: usize,
) -> Option<SymbolDefinition> {
    let symbol = outline.symbols.get(position)?;
    let whole = symbol.whole();
    let first = line_of(text, whole.start);
    // With the indentation of its first line, so that what is shown can be given back as it is.
    let before = text.get(..whole.start as usize).unwrap_or_default();
    let indent = before.len() - before.trim_end_matches([' ', '\t']).len();
    let is_alone = before
        .get(..before.len() - indent)
        .is_some_and(|above| above.is_empty() || above.ends_with('\n'));
    let indent = if is_alone { indent } else { 0 };
    let start = whole
        .start
        .saturating_sub(u32::try_from(indent).unwrap_or(0));
    let body = slice(text, &(start..whole.end));
    let n_breaks = body.bytes().filter(|byte| *byte == b'\n').count();
    Some(SymbolDefinition {
        path: path.clone(),
        symbol: symbol.clone(),
        name_path: outline.indexed_path(position),
        body: body.to_owned(),
        body_lines: LineSpan {
            start: first,
            end: first + u32::try_from(n_breaks).unwrap_or(0),
        },
        members: members(text, outline, position),
    })
}

/// What a type or a module holds, and what that holds.
fn members(text: &str, outline: &Outline, position: usize) -> Vec<SymbolMember> {
    let mut depths: BTreeMap<usize, usize> = BTreeMap::from([(position, 0)]);
    let mut members = Vec::new();
    for (at, symbol) in outline.symbols.iter().enumerate() {
        let around = symbol.parent.map(|parent| parent as usize);
        let Some(around) = around.filter(|around| depths.contains_key(around)) else {
            continue;
        };
        let holds = |at: usize| {
            outline
                .symbols
                .get(at)
                .is_some_and(|one| one.kind.holds_members())
        };
        if !holds(around) {
            continue;
        }
        let depth = depths.get(&around).copied().unwrap_or(0);
        depths.insert(at, depth + 1);
        members.push(SymbolMember {
            symbol: symbol.clone(),
            name_path: outline.indexed_path(at),
            depth,
            attributes: symbol.attributes(text),
        });
    }
    members
}

/// The line of a byte, counted from 1.
pub(crate) fn line_of(text: &str, offset: u32) -> u32 {
    let before = text.as_bytes().iter().take(offset as usize);
    let n_breaks = before.filter(|byte| **byte == b'\n').count();
    u32::try_from(n_breaks).unwrap_or(0) + 1
}

fn offset_of(text: &str, line: u32, column: u32) -> Option<u32> {
    let line_idx = usize::try_from(line.checked_sub(1)?).ok()?;
    let wanted = text.split_inclusive('\n').nth(line_idx)?;
    let before: usize = text
        .split_inclusive('\n')
        .take(line_idx)
        .map(str::len)
        .sum();
    let characters = wanted.chars().take(column.checked_sub(1)? as usize);
    let within: usize = characters.map(char::len_utf8).sum();
    u32::try_from(before + within).ok()
}

/// The identifier that a byte is in, or that ends there.
fn word_at(text: &str, offset: u32) -> Option<&str> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (before, after) = text.split_at_checked(offset as usize)?;
    let start = before.trim_end_matches(is_word).len();
    let end = text.len() - after.trim_start_matches(is_word).len();
    text.get(start..end).filter(|word| !word.is_empty())
}
