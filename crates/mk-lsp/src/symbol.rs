//! Symbols as servers describe them.

use mk_types::Range;
use serde::Deserialize;

use crate::operation::FileLocation;
use crate::position::{Encoding, LineStarts, WirePosition, WireRange};

/// A symbol that a search over the project found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSymbol {
    pub name: String,
    /// Lower case, like `class` or `function`.
    pub kind: &'static str,
    /// What it lies in, as the server names it.
    pub container: Option<String>,
    pub location: FileLocation,
}

/// A symbol of a file, with those inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineSymbol {
    pub name: String,
    /// Lower case, like `class` or `function`.
    pub kind: &'static str,
    /// What the server adds, mostly a type or a signature.
    pub detail: Option<String>,
    /// The whole symbol.
    pub range: Range,
    /// Its name.
    pub selection: Range,
    pub children: Vec<Self>,
}

/// `DocumentSymbol`, `SymbolInformation` and `WorkspaceSymbol` in one: they differ in what they leave out.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireSymbol {
    name: String,
    kind: u8,
    detail: Option<String>,
    container_name: Option<String>,
    location: Option<SymbolLocation>,
    range: Option<WireRange>,
    selection_range: Option<WireRange>,
    children: Option<Vec<Self>>,
}

#[derive(Deserialize)]
struct SymbolLocation {
    uri: String,
    range: Option<WireRange>,
}

impl WireSymbol {
    /// As a symbol of the file it was asked about; `None` if it does not say where it is.
    pub(crate) fn outline(
        self,
        lines: &LineStarts<'_>,
        encoding: Encoding,
    ) -> Option<OutlineSymbol> {
        let place = self.location.and_then(|location| location.range);
        let range = self.range.or(place)?;
        let children = self.children.unwrap_or_default().into_iter();
        Some(OutlineSymbol {
            name: self.name,
            kind: kind(self.kind),
            detail: self.detail.filter(|detail| !detail.is_empty()),
            range: lines.range(range, encoding),
            selection: lines.range(self.selection_range.unwrap_or(range), encoding),
            children: children
                .filter_map(|child| child.outline(lines, encoding))
                .collect(),
        })
    }

    /// Where it is; some servers name only the file.
    pub(crate) fn place(&self) -> (String, WireRange) {
        let start = WirePosition {
            line: 0,
            character: 0,
        };
        let nowhere = WireRange { start, end: start };
        match &self.location {
            Some(location) => (location.uri.clone(), location.range.unwrap_or(nowhere)),
            None => (String::new(), nowhere),
        }
    }

    pub(crate) fn found(self, location: FileLocation) -> FoundSymbol {
        FoundSymbol {
            name: self.name,
            kind: kind(self.kind),
            container: self.container_name.filter(|name| !name.is_empty()),
            location,
        }
    }
}

/// The protocol's numbers in words.
const KINDS: [&str; 26] = [
    "file",
    "module",
    "namespace",
    "package",
    "class",
    "method",
    "property",
    "field",
    "constructor",
    "enum",
    "interface",
    "function",
    "variable",
    "constant",
    "string",
    "number",
    "boolean",
    "array",
    "object",
    "key",
    "null",
    "enum_member",
    "struct",
    "event",
    "operator",
    "type_parameter",
];

fn kind(number: u8) -> &'static str {
    let index = usize::from(number).checked_sub(1);
    let kind = index.and_then(|index| KINDS.get(index));
    kind.copied().unwrap_or("symbol")
}
