//! Places that a language server names, told as the index tells its own.

use mk_project::Readable;
use mk_types::{Position, ProjectPath, Range};

use crate::error::Error;
use crate::find::{Closeness, FileGlob, IndexQuery, SymbolHit};
use crate::kind::SymbolKind;
use crate::outline::Outline;
use crate::reference::{NamePlace, Reference};
use crate::symbol::{LineSpan, Symbol, join_path};

const LONGEST_LINE: usize = 200;

/// A symbol that a language server reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedSymbol {
    pub name: String,
    /// Lower case, like `class` or `function`.
    pub kind: &'static str,
    /// What it lies in, as the server names it.
    pub container: Option<String>,
    pub path: ProjectPath,
    pub range: Range,
}

/// The uses at these places of one file.
pub fn references_at(path: &ProjectPath, text: &str, places: &[Position]) -> Vec<Reference> {
    let outline = Outline::parse(path.as_str(), text).ok().flatten();
    let starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect();
    let reference = |position: &Position| {
        let start = starts.get((position.line as usize).checked_sub(1)?)?;
        let line = text.get(*start..)?.lines().next().unwrap_or_default();
        let before = line
            .chars()
            .take((position.column as usize).saturating_sub(1));
        let offset = start + before.map(char::len_utf8).sum::<usize>();
        let offset = u32::try_from(offset).ok()?;
        // The name of a block is a use of its type's.
        let is_name = |symbol: &Symbol| {
            symbol.kind != SymbolKind::Impl && symbol.name_range.contains(&offset)
        };
        let shown = line.trim();
        let shown = shown.get(..shown.floor_char_boundary(LONGEST_LINE));
        Some(Reference {
            path: path.clone(),
            place: NamePlace {
                line: position.line,
                column: position.column,
                text: shown.unwrap_or_default().to_owned(),
            },
            within: outline
                .as_ref()
                .and_then(|outline| Some(outline.indexed_path(outline.at(offset)?))),
            is_definition: outline
                .as_ref()
                .is_some_and(|outline| outline.symbols.iter().any(is_name)),
            is_unclaimed: false,
        })
    };
    places.iter().filter_map(reference).collect()
}

/// Where a symbol's name stands in the text that it was found in; `None` if the text is another by now.
pub fn name_position(symbol: &Symbol, text: &str) -> Option<Position> {
    let named = symbol.name_range.start as usize..symbol.name_range.end as usize;
    // It may be written with marks: `$name`, `:name`, in back quotes.
    let start = named.start + text.get(named)?.find(&symbol.name)?;
    let before = text.get(..start)?;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before.get(line_start..)?.chars().count();
    let line = before.bytes().filter(|byte| *byte == b'\n').count();
    Some(Position {
        line: u32::try_from(line).ok()? + 1,
        column: u32::try_from(column).ok()? + 1,
    })
}

/// The symbols that a server found and the index did not, as far as a question for a plain name wants them.
///
/// `known` is everything that the index found.
pub fn hits_beside(
    query: &IndexQuery,
    found: Vec<ReportedSymbol>,
    known: &[SymbolHit],
    readable: Readable<'_>,
) -> Result<Vec<SymbolHit>, Error> {
    let files = query.files.as_deref().map(FileGlob::new).transpose()?;
    let wanted = query.pattern.to_lowercase();
    let hit = |found: ReportedSymbol| {
        let path = found.path;
        // Some servers write a function's parameters too.
        let name = found.name.split(['(', '<']).next()?.trim().to_owned();
        let kind = SymbolKind::parse(found.kind)?;
        let range = found.range;
        let lines = LineSpan {
            start: range.start.line,
            end: range.end.line,
        };
        let is_known = |hit: &SymbolHit| {
            hit.path == path
                && hit.name == name
                && hit.lines.start <= lines.end
                && lines.start <= hit.lines.end
        };
        let is_wanted = name.to_lowercase().contains(&wanted)
            && query.kind.is_none_or(|asked| kind.answers(asked))
            && files
                .as_ref()
                .is_none_or(|files| files.matches(path.as_str()));
        if !is_wanted || known.iter().any(is_known) || !readable(&path) {
            return None;
        }
        let container = found.container.unwrap_or_default();
        let container = container.replace("::", "/").replace('.', "/");
        Some(SymbolHit {
            kind,
            name_path: join_path(&container, &name),
            closeness: if name == query.pattern {
                Closeness::Exact
            } else {
                Closeness::Substring
            },
            name,
            path,
            lines,
            column: range.start.column,
            signature: String::new(),
            doc: None,
        })
    };
    Ok(found.into_iter().filter_map(hit).collect())
}
