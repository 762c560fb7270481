//! What the index holds: for each file its symbols, packed, and the words it uses.
//!
//! Names are kept once, positions are 32 bits wide, and a file's signatures and doc lines are one string.

use std::collections::{BTreeMap, HashMap};

use mk_types::ProjectPath;
use serde::{Deserialize, Serialize};

use crate::kind::SymbolKind;
use crate::parse::SkipReason;
use crate::symbol::{LineSpan, Symbol};

/// Files above this size are data, whatever their names say.
const LARGEST_SEARCHED: u64 = 16 * 1024 * 1024;

/// Tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IndexStamp {
    pub(crate) size: u64,
    modified_nanos: i64,
    inode: u64,
}

impl IndexStamp {
    #[cfg(unix)]
    pub(crate) fn of(metadata: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            size: metadata.len(),
            modified_nanos: metadata
                .mtime()
                .wrapping_mul(1_000_000_000)
                .wrapping_add(metadata.mtime_nsec()),
            inode: metadata.ino(),
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn of(metadata: &std::fs::Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since = modified.and_then(|moment| moment.duration_since(std::time::UNIX_EPOCH).ok());
        Self {
            size: metadata.len(),
            modified_nanos: since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(0)),
            inode: 0,
        }
    }
}

/// A file as it was when it was read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct IndexEntry {
    pub(crate) stamp: IndexStamp,
    pub(crate) content: IndexedContent,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum IndexedContent {
    Known(PackedSymbols),
    Skipped(SkipReason),
    /// A script in no language that is known.
    Foreign,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PackedSymbols {
    pub(crate) symbols: Box<[PackedSymbol]>,
    /// Signatures and doc lines.
    texts: Box<str>,
    /// Hashes of the words in it, sorted.
    pub(crate) words: Box<[u32]>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PackedSymbol {
    pub(crate) kind: SymbolKind,
    pub(crate) name: u32,
    pub(crate) container: u32,
    first_line: u32,
    last_line: u32,
    /// Of the name, in characters, counted from 1.
    pub(crate) column: u32,
    text_start: u32,
    signature_len: u16,
    doc_len: u16,
}

impl PackedSymbol {
    pub(crate) fn lines(&self) -> LineSpan {
        LineSpan {
            start: self.first_line,
            end: self.last_line,
        }
    }

    pub(crate) fn is_documented(&self) -> bool {
        self.doc_len > 0
    }
}

impl PackedSymbols {
    pub(crate) fn signature(&self, symbol: &PackedSymbol) -> &str {
        let start = symbol.text_start as usize;
        let end = start + usize::from(symbol.signature_len);
        self.texts.get(start..end).unwrap_or_default()
    }

    pub(crate) fn doc(&self, symbol: &PackedSymbol) -> Option<&str> {
        let start = symbol.text_start as usize + usize::from(symbol.signature_len);
        let end = start + usize::from(symbol.doc_len);
        self.texts.get(start..end).filter(|doc| !doc.is_empty())
    }

    pub(crate) fn uses(&self, word: u32) -> bool {
        self.words.binary_search(&word).is_ok()
    }

    /// Which of its namesakes in the file a symbol is; `None` if it has none.
    pub(crate) fn overload(&self, position: usize) -> Option<usize> {
        let symbol = self.symbols.get(position)?;
        let is_namesake = |other: &&PackedSymbol| {
            other.name == symbol.name && other.container == symbol.container
        };
        let n_namesakes = self.symbols.iter().filter(is_namesake).count();
        let before = self.symbols.iter().take(position);
        (n_namesakes > 1).then(|| before.filter(is_namesake).count())
    }
}

/// Every name once.
#[derive(Debug, Default)]
pub(crate) struct Names {
    texts: Vec<Box<str>>,
    ids: HashMap<Box<str>, u32>,
    /// Which letters each has, to pass over those that cannot match. None where it is no symbol's name, but the path
    /// of a container.
    letters: Vec<Letters>,
}

/// Which letters a text has, whatever their case, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Letters(u64);

impl Letters {
    pub(crate) fn of(text: &str) -> Self {
        let bit = |byte: u8| match byte {
            b'a'..=b'z' => byte - b'a',
            b'A'..=b'Z' => byte - b'A',
            b'0'..=b'9' => 26 + byte - b'0',
            b'_' => 36,
            // Letters beyond ASCII may change their bytes with their case.
            _ if byte >= 0x80 => 37,
            _ => 38 + byte % 26,
        };
        Self(text.bytes().fold(0, |bits, byte| bits | 1 << bit(byte)))
    }

    /// How many of these letters the other text lacks.
    pub(crate) fn missing_in(self, other: Self) -> u32 {
        (self.0 & !other.0).count_ones()
    }
}

impl Names {
    fn from_texts(texts: Vec<Box<str>>) -> Self {
        let numbered = texts.iter().zip(0_u32..);
        let ids = numbered.map(|(text, id)| (text.clone(), id)).collect();
        Self {
            letters: vec![Letters::default(); texts.len()],
            texts,
            ids,
        }
    }

    fn intern(&mut self, text: &str) -> u32 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(text.into());
        self.letters.push(Letters::default());
        self.ids.insert(text.into(), id);
        id
    }

    fn intern_name(&mut self, text: &str) -> u32 {
        let id = self.intern(text);
        self.set_letters(id);
        id
    }

    /// Notes that it is a symbol's name.
    fn set_letters(&mut self, id: u32) {
        let text = self.texts.get(id as usize);
        if let (Some(text), Some(letters)) = (text, self.letters.get_mut(id as usize)) {
            *letters = Letters::of(text);
        }
    }

    pub(crate) fn id(&self, text: &str) -> Option<u32> {
        self.ids.get(text).copied()
    }

    pub(crate) fn text(&self, id: u32) -> &str {
        self.texts.get(id as usize).map_or("", |text| text)
    }

    pub(crate) fn letters(&self, id: u32) -> Option<Letters> {
        self.letters.get(id as usize).copied()
    }

    /// Every name with its letters, in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Letters)> {
        let texts = self.texts.iter().map(|text| &**text);
        texts.zip(self.letters.iter().copied())
    }

    pub(crate) fn texts(&self) -> &[Box<str>] {
        &self.texts
    }
}

/// All files and names.
#[derive(Debug, Default)]
pub(crate) struct IndexedFiles {
    pub(crate) names: Names,
    pub(crate) files: BTreeMap<ProjectPath, IndexEntry>,
}

/// What was read from a file, before it is packed.
#[derive(Debug)]
pub(crate) enum FileReading {
    Known {
        symbols: Vec<Symbol>,
        /// The column of each symbol's name.
        columns: Vec<u32>,
        words: Box<[u32]>,
    },
    Skipped(SkipReason),
    Foreign,
}

impl IndexedFiles {
    /// As it was saved.
    pub(crate) fn new(names: Vec<Box<str>>, files: BTreeMap<ProjectPath, IndexEntry>) -> Self {
        let mut store = Self {
            names: Names::from_texts(names),
            files,
        };
        let Self { names, files } = &mut store;
        for entry in files.values() {
            if let IndexedContent::Known(packed) = &entry.content {
                for symbol in &packed.symbols {
                    names.set_letters(symbol.name);
                }
            }
        }
        store
    }

    pub(crate) fn insert(&mut self, path: ProjectPath, stamp: IndexStamp, reading: FileReading) {
        let content = match reading {
            FileReading::Known {
                symbols,
                columns,
                words,
            } => IndexedContent::Known(self.pack(&symbols, &columns, words)),
            FileReading::Skipped(reason) => IndexedContent::Skipped(reason),
            FileReading::Foreign => IndexedContent::Foreign,
        };
        self.files.insert(path, IndexEntry { stamp, content });
    }

    fn pack(&mut self, symbols: &[Symbol], columns: &[u32], words: Box<[u32]>) -> PackedSymbols {
        let mut texts = String::new();
        let packed = symbols.iter().zip(columns).map(|(symbol, column)| {
            let doc = symbol.doc.as_deref().unwrap_or_default();
            let packed = PackedSymbol {
                kind: symbol.kind,
                name: self.names.intern_name(&symbol.name),
                container: self.names.intern(&symbol.container),
                first_line: symbol.lines.start,
                last_line: symbol.lines.end,
                column: *column,
                text_start: u32::try_from(texts.len()).unwrap_or(u32::MAX),
                signature_len: u16::try_from(symbol.signature.len()).unwrap_or(0),
                doc_len: u16::try_from(doc.len()).unwrap_or(0),
            };
            texts.push_str(&symbol.signature);
            texts.push_str(doc);
            packed
        });
        PackedSymbols {
            symbols: packed.collect(),
            texts: texts.into_boxed_str(),
            words,
        }
    }

    /// Files that hold code which nobody has looked into.
    pub(crate) fn unparsed(&self) -> impl Iterator<Item = &ProjectPath> {
        let is_code = |content: &IndexedContent| {
            let IndexedContent::Skipped(reason) = content else {
                return false;
            };
            !matches!(reason, SkipReason::Binary | SkipReason::Unreadable)
        };
        let files = self.files.iter();
        let unparsed = files.filter(move |(_, entry)| {
            entry.stamp.size <= LARGEST_SEARCHED && is_code(&entry.content)
        });
        unparsed.map(|(path, _)| path)
    }

    /// The files with symbols.
    pub(crate) fn known(&self) -> impl Iterator<Item = (&ProjectPath, &PackedSymbols)> {
        self.files
            .iter()
            .filter_map(|(path, entry)| match &entry.content {
                IndexedContent::Known(packed) => Some((path, packed)),
                IndexedContent::Skipped(_) | IndexedContent::Foreign => None,
            })
    }
}
