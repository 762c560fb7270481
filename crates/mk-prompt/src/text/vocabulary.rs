//! Concepts of the trade and of everyday life, in nine languages: what 에러, エラー and Fehler have in common.
//!
//! The words are content (`content/playbook/vocabulary/*.yaml`), baked by `cargo xtask train`. What follows from a concept is decided elsewhere.

use std::ops::Range;
use std::sync::OnceLock;

use super::PromptText;
use super::phrase::{PhraseHit, PhraseIndex, PhraseRow};

const MAGIC: &[u8; 8] = b"mkvocab1";
static SHIPPED: &[u8] = include_bytes!("../../../../content/model/vocabulary.bin");

/// The number of a concept: its place among the names in alphabetical order.
pub(crate) type Concept = u16;

/// Concepts and the phrases that stand for them.
#[derive(Debug)]
pub struct Vocabulary<'a> {
    source: &'a [u8; 32],
    names: Vec<&'a str>,
    /// By concept, as places in [`ConceptKind::ALL`].
    kinds: &'a [u8],
    phrases: PhraseIndex<'a>,
    guards: Guards,
}

/// The concepts that take back what stands beside them.
#[derive(Debug, Clone, Copy, Default)]
struct Guards {
    opening: Option<Concept>,
    next: Option<Concept>,
    before: Option<Concept>,
}

/// How far a guard reaches, in words, or in signs where nothing marks words.
const GUARDED_WORDS: usize = 4;
const GUARDED_SIGNS: usize = 8;

/// A text with its concepts, and without what the writer took back.
#[derive(Debug)]
pub(crate) struct ConceptReading<'a> {
    pub(crate) text: PromptText<'a>,
    pub(crate) concepts: Vec<PhraseHit>,
    /// Units that do not count: what follows "don't", say.
    taken_back: Vec<Range<usize>>,
    /// Units that every text has.
    common: Vec<usize>,
}

impl ConceptReading<'_> {
    pub(crate) fn counts(&self, unit: usize) -> bool {
        !self.taken_back.iter().any(|range| range.contains(&unit))
    }

    /// Whether a phrase is more than a part of what was taken back.
    pub(crate) fn counts_phrase(&self, units: &Range<usize>) -> bool {
        !self
            .taken_back
            .iter()
            .any(|range| range.start <= units.start && units.end <= range.end)
    }

    /// Whether a unit is a word that every text uses.
    pub(crate) fn is_common(&self, unit: usize) -> bool {
        self.common.binary_search(&unit).is_ok()
    }
}

/// What a vocabulary is made of.
#[derive(Debug, Clone, Copy)]
pub struct ConceptName<'a> {
    pub name: &'a str,
    pub kind: ConceptKind,
}

/// What a concept belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConceptKind {
    Trade,
    /// Everyday life: it speaks against work.
    Aside,
    /// Shapes sentences, and is about nothing.
    Small,
    /// Takes back what stands beside it.
    Guard,
    /// In every text.
    Common,
}

impl ConceptKind {
    const ALL: [Self; 5] = [
        Self::Trade,
        Self::Aside,
        Self::Small,
        Self::Guard,
        Self::Common,
    ];
}

impl Vocabulary<'static> {
    /// The vocabulary that ships; reading it costs nothing worth speaking of.
    pub fn shipped() -> &'static Self {
        static VOCABULARY: OnceLock<Vocabulary<'static>> = OnceLock::new();
        VOCABULARY.get_or_init(|| {
            // A test keeps the file readable; without words nothing matches, and nothing is recommended.
            Self::read(SHIPPED).unwrap_or_else(Self::empty)
        })
    }

    fn empty() -> Self {
        Self {
            source: &[0; 32],
            names: Vec::new(),
            kinds: &[],
            phrases: PhraseIndex::new([]),
            guards: Guards::default(),
        }
    }
}

impl<'a> Vocabulary<'a> {
    /// The file's bytes. Names are in alphabetical order, and the ids of phrases are places in them.
    pub fn encode<'p>(
        source: [u8; 32],
        names: &[ConceptName<'_>],
        phrases: impl IntoIterator<Item = PhraseRow<'p>>,
    ) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(source);
        bytes.extend(u16::try_from(names.len()).unwrap_or(u16::MAX).to_le_bytes());
        for concept in names {
            bytes.push(u8::try_from(concept.name.len()).unwrap_or(u8::MAX));
            bytes.extend(concept.name.bytes());
        }
        bytes.extend(names.iter().map(|it| it.kind as u8));
        PhraseIndex::new(phrases).write(&mut bytes);
        bytes
    }

    /// Reads a vocabulary; `None` when the bytes are not one.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(MAGIC)?;
        let (source, bytes) = bytes.split_first_chunk()?;
        let (count, mut bytes) = bytes.split_first_chunk()?;
        let count = u16::from_le_bytes(*count);
        let mut names = Vec::with_capacity(usize::from(count));
        for _ in 0..count {
            let (&length, rest) = bytes.split_first()?;
            let (name, rest) = rest.split_at_checked(usize::from(length))?;
            names.push(std::str::from_utf8(name).ok()?);
            bytes = rest;
        }
        let (kinds, bytes) = bytes.split_at_checked(names.len())?;
        let (phrases, _) = PhraseIndex::read(bytes)?;
        let mut vocabulary = Self {
            source,
            names,
            kinds,
            phrases,
            guards: Guards::default(),
        };
        vocabulary.guards = Guards {
            opening: vocabulary.concept("not_opening"),
            next: vocabulary.concept("not_next"),
            before: vocabulary.concept("not_before"),
        };
        Some(vocabulary)
    }

    /// What the vocabulary was baked from.
    pub fn source(&self) -> [u8; 32] {
        *self.source
    }

    pub(crate) fn concept(&self, name: &str) -> Option<Concept> {
        let at = self.names.binary_search(&name).ok()?;
        Concept::try_from(at).ok()
    }

    /// The names of the concepts of the trade that a text speaks of: English words for a text in any language.
    pub fn concept_words(&self, text: &str) -> Vec<&'a str> {
        let reading = self.read_prompt(text);
        let mut words: Vec<&'a str> = Vec::new();
        for hit in &reading.concepts {
            if self.kind(hit.id) != Some(ConceptKind::Trade) {
                continue;
            }
            let name = self.names.get(usize::from(hit.id)).copied();
            let parts = name.unwrap_or_default().split('_');
            for part in parts.filter(|part| *part != "verb") {
                if !words.contains(&part) {
                    words.push(part);
                }
            }
        }
        words
    }

    pub(crate) fn is_aside(&self, concept: Concept) -> bool {
        self.kind(concept) == Some(ConceptKind::Aside)
    }

    fn kind(&self, concept: Concept) -> Option<ConceptKind> {
        let byte = self.kinds.get(usize::from(concept))?;
        ConceptKind::ALL.get(usize::from(*byte)).copied()
    }

    /// Reads a prompt: its units, its concepts, and what it takes back.
    pub(crate) fn read_prompt<'p>(&self, prompt: &'p str) -> ConceptReading<'p> {
        let mut text = PromptText::of(prompt);
        self.phrases.cut_compounds(&mut text);
        let hits = self.phrases.find(&text);
        let taken_back = hits
            .iter()
            .filter_map(|hit| self.taken_back(&text, hit))
            .collect();
        let common = hits
            .iter()
            .filter(|hit| self.kind(hit.id) == Some(ConceptKind::Common));
        let common = common.map(|hit| hit.units.start).collect();
        let mut reading = ConceptReading {
            text,
            concepts: Vec::new(),
            taken_back,
            common,
        };
        reading.concepts = hits
            .into_iter()
            .filter(|hit| self.says_something(hit.id) && reading.counts_phrase(&hit.units))
            .collect();
        reading
    }

    fn says_something(&self, concept: Concept) -> bool {
        match self.kind(concept) {
            Some(ConceptKind::Trade | ConceptKind::Aside | ConceptKind::Small) => true,
            Some(ConceptKind::Guard | ConceptKind::Common) | None => false,
        }
    }

    /// The units that a guard takes back: to the end of the clause, but not far.
    fn taken_back(&self, text: &PromptText<'_>, hit: &PhraseHit) -> Option<Range<usize>> {
        let guard = Some(hit.id);
        let opens = text.units.get(hit.units.start)?.opens;
        if guard == self.guards.next || (guard == self.guards.opening && opens) {
            let clause = text
                .units
                .iter()
                .skip(hit.units.end)
                .take_while(|unit| !unit.opens);
            return Some(hit.units.end..hit.units.end + reach(clause));
        }
        if guard == self.guards.before {
            let mut opened = opens;
            let clause = text
                .units
                .iter()
                .take(hit.units.start)
                .rev()
                .take_while(|unit| {
                    let before_clause = opened;
                    opened = unit.opens;
                    !before_clause
                });
            return Some(hit.units.start - reach(clause)..hit.units.start);
        }
        None
    }
}

fn reach<'u>(clause: impl Iterator<Item = &'u super::TextUnit>) -> usize {
    let mut left = GUARDED_SIGNS;
    clause
        .take_while(|unit| {
            let cost = match unit.script {
                super::Script::Alphabet | super::Script::Hangul => GUARDED_SIGNS / GUARDED_WORDS,
                super::Script::Katakana | super::Script::Ideograph => 1,
            };
            let fits = cost <= left;
            left = left.saturating_sub(cost);
            fits
        })
        .count()
}
