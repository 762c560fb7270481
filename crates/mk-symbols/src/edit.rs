//! Changing a file by its symbols: text in, text out. Permission, backup and writing are the caller's.
//!
//! What belongs to a symbol goes with it: its comments, attributes and decorators, the comma or semicolon after it.
//! The result is parsed again, and what is broken now and was not before is reported.

mod bracket;
mod indentation;
mod place;
mod syntax;

use std::ops::Range;

use mk_types::ProjectPath;

use crate::definition::line_of;
use crate::error::Error;
use crate::find::shown;
use crate::kind::SymbolKind;
use crate::language::Language;
use crate::outline::Outline;
use crate::symbol::{LineSpan, Symbol};
use place::{EditPlace, PlacedText};
pub(crate) use syntax::new_errors_between;
pub use syntax::{SyntaxFault, SyntaxProblems, syntax_errors, syntax_problems};

/// What to do with a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolEdit<'a> {
    /// Puts new text in its place. Comments and attributes stay unless the new text brings its own.
    Replace(&'a str),
    /// Above its comments and attributes.
    InsertBefore(&'a str),
    InsertAfter(&'a str),
    /// With its comments and attributes.
    Delete,
}

/// A file's text after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedText {
    pub text: String,
    /// The lines that are new; for a deletion the line where it was.
    pub lines: LineSpan,
    /// Whether a replacement kept comments or attributes that stood above the symbol.
    pub kept_leading: bool,
    /// What the edit broke.
    pub errors: Vec<SyntaxFault>,
}

/// Plans an edit of the symbol that `name_path` means in `text`.
pub fn plan_edit(
    path: &ProjectPath,
    text: &str,
    name_path: &str,
    edit: SymbolEdit<'_>,
) -> Result<EditedText, Error> {
    let outline = Outline::parse(path.as_str(), text).map_err(|reason| Error::Skipped {
        path: shown(path),
        reason: reason.to_string(),
    })?;
    let outline = outline.ok_or_else(|| Error::NoLanguage { path: shown(path) })?;
    let position = outline.resolve(path, name_path)?;
    let symbol = outline
        .symbols
        .get(position)
        .ok_or_else(|| Error::NoSymbol {
            name_path: name_path.to_owned(),
            nearest: Vec::new(),
        })?;
    let editor = Editor {
        path,
        text,
        outline: &outline,
        symbol,
        newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
    };
    let change = match edit {
        // Nothing in its place is a deletion, which is refused while the symbol is used.
        SymbolEdit::Replace(body) if body.trim().is_empty() => {
            return Err(Error::Emptied {
                name_path: symbol.name_path(),
            });
        }
        SymbolEdit::Replace(body) => editor.replace(body),
        SymbolEdit::InsertBefore(body) => editor.insert_before(body)?,
        SymbolEdit::InsertAfter(body) => editor.insert_after(body)?,
        SymbolEdit::Delete => editor.delete()?,
    };
    let errors = syntax::new_errors(outline.language, text, &change);
    Ok(EditedText {
        lines: change.lines(text),
        kept_leading: change.kept_leading,
        text: change.apply(text),
        errors,
    })
}

/// One range of the old text, and what comes in its place.
#[derive(Debug)]
struct RangeChange {
    range: Range<usize>,
    new: String,
    kept_leading: bool,
}

impl RangeChange {
    fn apply(&self, text: &str) -> String {
        let before = text.get(..self.range.start).unwrap_or_default();
        let after = text.get(self.range.end..).unwrap_or_default();
        [before, &self.new, after].concat()
    }

    fn lines(&self, text: &str) -> LineSpan {
        let start = u32::try_from(self.range.start).unwrap_or(u32::MAX);
        // The blank lines around an insertion are not what is new.
        let leading = self.new.len() - self.new.trim_start().len();
        let above = self.new.bytes().take(leading).filter(|byte| *byte == b'\n');
        let within = self.new.trim().bytes().filter(|byte| *byte == b'\n');
        let first = line_of(text, start) + u32::try_from(above.count()).unwrap_or(0);
        LineSpan {
            start: first,
            end: first + u32::try_from(within.count()).unwrap_or(0),
        }
    }
}

struct Editor<'a> {
    path: &'a ProjectPath,
    text: &'a str,
    outline: &'a Outline,
    symbol: &'a Symbol,
    newline: &'static str,
}

impl Editor<'_> {
    fn language(&self) -> &'static Language {
        self.outline.language
    }

    fn replace(&self, body: &str) -> RangeChange {
        if let Some(unchanged) = self.unchanged(body) {
            return unchanged;
        }
        let definition = self.symbol.range.start as usize;
        let attributes = self.symbol.attributes_start as usize;
        let comments_start = self.symbol.comments_start as usize;
        let indent = self.indent(comments_start);
        let place = EditPlace {
            range: comments_start..self.end_with_mark(body),
            ..self.place(comments_start, indent)
        };
        let placed = place.best(body);
        let brought = self.brought(&place, &placed);
        let kept_attributes = self.text.get(attributes..definition).unwrap_or_default();
        let (start, new) = match (brought.n_comments, brought.attributes) {
            (0, false) => (definition, placed.joined(self.newline)),
            (0, true) => (attributes, placed.joined(self.newline)),
            (n_comments, false) if !kept_attributes.is_empty() => {
                let (comments, rest) = placed.lines.split_at(n_comments.min(placed.lines.len()));
                let comments = comments.join(self.newline);
                let rest = rest.join(self.newline);
                let rest = rest.trim_start_matches([' ', '\t']);
                let new = format!("{comments}{}{indent}{kept_attributes}{rest}", self.newline);
                (comments_start, new)
            }
            (_, _) => (comments_start, placed.joined(self.newline)),
        };
        RangeChange {
            range: start..place.range.end,
            new,
            kept_leading: start > comments_start
                || brought.n_comments > 0 && !brought.attributes && !kept_attributes.is_empty(),
        }
    }

    /// What was shown and comes back changes nothing, not even the white space that does not survive the way.
    fn unchanged(&self, body: &str) -> Option<RangeChange> {
        let end = self.symbol.range.end as usize;
        let starts = [
            self.symbol.comments_start,
            self.symbol.attributes_start,
            self.symbol.range.start,
        ];
        let same = |start: &usize| {
            let old = self.text.get(*start..end).unwrap_or_default();
            let lines = |text: &str| -> Vec<String> {
                let text = text.trim();
                text.lines()
                    .map(|line| line.trim_end().to_owned())
                    .collect()
            };
            lines(old) == lines(body)
        };
        let start = starts.map(|start| start as usize).into_iter().find(same)?;
        Some(RangeChange {
            range: start..end,
            new: self.text.get(start..end)?.to_owned(),
            kept_leading: start > self.symbol.comments_start as usize,
        })
    }

    /// What of the comments and attributes above a definition the new text brings itself.
    fn brought(&self, place: &EditPlace<'_>, placed: &PlacedText) -> LeadingLines {
        let change = place.change(&placed.joined(self.newline));
        let new = change.apply(self.text);
        let within = change.range.start..change.range.start + change.new.len();
        let outline = Outline::parse(self.path.as_str(), &new).ok().flatten();
        let symbols = outline.iter().flat_map(|outline| &outline.symbols);
        let first = symbols
            .filter(|symbol| within.contains(&(symbol.range.start as usize)))
            .min_by_key(|symbol| symbol.comments_start);
        if let Some(symbol) = first.filter(|one| one.comments_start as usize == within.start) {
            let comments = symbol.comments_start as usize..symbol.attributes_start as usize;
            let comments = new.get(comments).unwrap_or_default();
            return LeadingLines {
                n_comments: comments.matches('\n').count(),
                attributes: symbol.attributes_start < symbol.range.start,
            };
        }
        LeadingLines::by_marks(self.language(), &placed.lines)
    }

    /// A place for text of its own lines.
    fn place<'a>(&'a self, offset: usize, indent: &'a str) -> EditPlace<'a> {
        EditPlace {
            language: self.language(),
            text: self.text,
            range: offset..offset,
            indent,
            newline: self.newline,
            before: String::new(),
            after: String::new(),
        }
    }

    fn insert_before(&self, body: &str) -> Result<RangeChange, Error> {
        let start = self.own_line_start()?;
        let indent = self.indent(start);
        let mut place = EditPlace {
            before: indent.to_owned(),
            after: self.newline.to_owned(),
            ..self.place(start, indent)
        };
        let placed = place.best(body);
        place.after = self
            .newline
            .repeat(1 + self.gap(&placed, InsertSide::Before));
        Ok(place.change(&placed.joined(self.newline)))
    }

    fn insert_after(&self, body: &str) -> Result<RangeChange, Error> {
        self.own_line_start()?;
        let end = self.own_line_end()?;
        let indent = self.indent(self.symbol.comments_start as usize);
        let mut place = EditPlace {
            before: format!("{}{indent}", self.newline),
            ..self.place(end, indent)
        };
        let placed = place.best(body);
        let gap = self
            .newline
            .repeat(1 + self.gap(&placed, InsertSide::After));
        place.before = format!("{gap}{indent}");
        Ok(place.change(&placed.joined(self.newline)))
    }

    fn delete(&self) -> Result<RangeChange, Error> {
        // `a, b = 1, 2` and `int a, b;` go together.
        let goes_too =
            |other: &Symbol| other.range == self.symbol.range && other.name != self.symbol.name;
        if self.outline.symbols.iter().any(goes_too) {
            return Err(self.shares_lines());
        }
        let start = self.own_line_start()?;
        let end = self.own_line_end()?;
        let before = self.text.get(..start).unwrap_or_default();
        let after = self.text.get(end..).unwrap_or_default();
        let above = before.trim_end_matches([' ', '\t', '\r', '\n']);
        let below = after.trim_start_matches([' ', '\t', '\r', '\n']);
        let blanks_above = blank_lines(before.get(above.len()..).unwrap_or_default());
        let blanks_below = after.get(..after.len() - below.len());
        let blanks_below = blank_lines(blanks_below.unwrap_or_default());
        let closes =
            below.is_empty() || below.starts_with(['}', ')', ']']) || below.starts_with("end");
        let opens = above.is_empty() || above.ends_with(['{', '(', '[', ':']);
        // Two neighbours keep the larger of their distances; an edge keeps none.
        let kept = if closes || opens {
            0
        } else {
            blanks_above.max(blanks_below)
        };
        // What is last in JSON has no comma; elsewhere there may be one.
        let last_line = above.rsplit('\n').next().unwrap_or_default();
        let has_comma = self.language().name() == "json"
            && closes
            && above.ends_with(',')
            && !ends_in_comment(last_line);
        let from = if above.is_empty() {
            0
        } else if has_comma {
            above.len() - 1
        } else {
            above.len() + line_break_len(before.get(above.len()..).unwrap_or_default())
        };
        let below_start = self.text.len() - below.len();
        // The white space before what follows is its indentation.
        let line_start = self
            .text
            .get(..below_start)
            .and_then(|text| text.rfind('\n'));
        let to = line_start
            .map_or(below_start, |position| position + 1)
            .max(from);
        // What Python leaves empty is no block, though its grammar lets it pass.
        let indent = self.indent(start);
        let is_only = above.ends_with(':') && self.indent(to).len() < indent.len();
        let new = if is_only && self.language().name() == "python" {
            let gap = self.newline.repeat(blanks_below);
            format!("{indent}pass{}{gap}", self.newline)
        } else {
            self.newline.repeat(kept + usize::from(has_comma))
        };
        Ok(RangeChange {
            range: from..to,
            new,
            kept_leading: false,
        })
    }

    /// How many blank lines stand between the symbol and what is put beside it.
    fn gap(&self, new: &PlacedText, side: InsertSide) -> usize {
        let is_long = |symbol: &Symbol| symbol.lines.end > symbol.lines.start;
        if let Some(gap) = self.gap_to_neighbour(side)
            && (new.is_long() || is_long(self.symbol))
        {
            return gap;
        }
        let top_of_python = self.language().name() == "python" && self.symbol.parent.is_none();
        if self.symbol.kind == SymbolKind::Heading {
            1
        } else if !new.is_long() && !is_long(self.symbol) {
            0
        } else if top_of_python {
            2
        } else {
            1
        }
    }

    /// What the file does between this symbol and the next one of its kind on that side.
    fn gap_to_neighbour(&self, side: InsertSide) -> Option<usize> {
        let is_long = |symbol: &Symbol| symbol.lines.end > symbol.lines.start;
        let siblings = self
            .outline
            .symbols
            .iter()
            .filter(|other| other.parent == self.symbol.parent && is_long(other));
        let (above, below) = match side {
            InsertSide::Before => {
                let mut above =
                    siblings.filter(|other| other.range.end <= self.symbol.comments_start);
                (above.next_back()?, self.symbol)
            }
            InsertSide::After => {
                let mut below =
                    siblings.filter(|other| other.comments_start >= self.symbol.range.end);
                (self.symbol, below.next()?)
            }
        };
        let between = above.range.end as usize..below.comments_start as usize;
        let between = self.text.get(between)?;
        // Anything else between them makes it another distance.
        let is_gap = between
            .trim_matches([' ', '\t', '\r', '\n', ';', ','])
            .is_empty();
        (is_gap && is_long(self.symbol)).then(|| blank_lines(between))
    }

    /// The white space before the symbol's first line.
    fn indent(&self, offset: usize) -> &str {
        let line = self
            .text
            .get(line_start(self.text, offset)..)
            .unwrap_or_default();
        let length = line.len() - line.trim_start_matches([' ', '\t']).len();
        line.get(..length).unwrap_or_default()
    }

    /// Where the symbol's first line begins, if nothing else is on it.
    fn own_line_start(&self) -> Result<usize, Error> {
        let start = self.symbol.comments_start as usize;
        let line_start = line_start(self.text, start);
        let before = self.text.get(line_start..start).unwrap_or_default();
        if before.trim().is_empty() {
            Ok(line_start)
        } else {
            Err(self.shares_lines())
        }
    }

    /// Where the symbol's last line ends, if nothing but its mark and a comment follow it there.
    fn own_line_end(&self) -> Result<usize, Error> {
        let end = self.symbol.range.end as usize;
        let rest = self.text.get(end..).unwrap_or_default();
        let line = rest.split(['\r', '\n']).next().unwrap_or_default();
        let after = line.trim_start_matches([' ', '\t', ';', ',']);
        let is_comment = self
            .language()
            .comment_marks
            .iter()
            .any(|mark| after.starts_with(mark));
        if after.is_empty() || is_comment {
            Ok(end + line.len())
        } else {
            Err(self.shares_lines())
        }
    }

    fn shares_lines(&self) -> Error {
        Error::SharedLines {
            name_path: self.symbol.name_path(),
        }
    }

    /// The symbol's end; a comma or semicolon that follows it is replaced by one that the new text brings.
    fn end_with_mark(&self, body: &str) -> usize {
        let end = self.symbol.range.end as usize;
        let rest = self.text.get(end..).unwrap_or_default();
        let body = body.trim_end();
        for mark in [';', ','] {
            if body.ends_with(mark) && rest.starts_with(mark) {
                return end + 1;
            }
        }
        end
    }
}

/// What a new text has above its definition.
#[derive(Debug, Clone, Copy)]
struct LeadingLines {
    /// In lines.
    n_comments: usize,
    attributes: bool,
}

impl LeadingLines {
    /// As far as the marks tell, for a text that does not parse.
    fn by_marks(language: &Language, lines: &[String]) -> Self {
        let begins = |line: &str, marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
        let mut n_comments = 0;
        let mut in_block = false;
        for line in lines {
            let line = line.trim_start();
            let is_attribute = begins(line, language.attribute_marks);
            if !in_block && (is_attribute || !begins(line, language.comment_marks)) {
                break;
            }
            in_block = (in_block || line.starts_with("/*")) && !line.contains("*/");
            n_comments += 1;
        }
        let first = lines.get(n_comments).map_or("", |line| line.trim_start());
        Self {
            n_comments,
            attributes: begins(first, language.attribute_marks),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum InsertSide {
    Before,
    After,
}

fn line_start(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or_default();
    before.rfind('\n').map_or(0, |position| position + 1)
}

/// Whether a line of JSON ends in a comment, and not only in a text such as `"https://…"`.
fn ends_in_comment(line: &str) -> bool {
    let line = line.replace(r"\\", "").replace(r#"\""#, "");
    line.split('"').step_by(2).any(|code| code.contains("//"))
}

/// How many blank lines white space makes between two lines.
fn blank_lines(space: &str) -> usize {
    space
        .bytes()
        .filter(|byte| *byte == b'\n')
        .count()
        .saturating_sub(1)
}

fn line_break_len(space: &str) -> usize {
    space.find('\n').map_or(0, |position| position + 1)
}
