//! Phrases as data: lists by language, and tables that say which subject of a list a text speaks of.
//!
//! What follows from a subject is its owner's business.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::text::{PhraseHit, PhraseIndex, PhraseLanguage, PhraseRow, PromptText, Script};

/// The subject of phrases that only hide shorter ones inside them.
const NEUTRAL: u16 = u16::MAX - 1;

/// Embedded content; a test keeps all of it readable, so the empty table is never met.
pub(crate) fn embedded<T: DeserializeOwned + Default>(json: &str) -> T {
    serde_json::from_str(json).unwrap_or_default()
}

/// Phrases by language.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Phrases {
    /// Names that are the same in every language, and have no other forms.
    all: Vec<String>,
    en: Vec<String>,
    ko: Vec<String>,
    ja: Vec<String>,
    zh: Vec<String>,
    es: Vec<String>,
    pt: Vec<String>,
    de: Vec<String>,
    fr: Vec<String>,
    ru: Vec<String>,
    it: Vec<String>,
    tr: Vec<String>,
    pl: Vec<String>,
    vi: Vec<String>,
}

impl Phrases {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (PhraseLanguage, &str)> {
        let own = PhraseLanguage::ALL
            .into_iter()
            .flat_map(|language| self.of(language).iter().map(move |it| (language, it)));
        // The forms of Korean words are not listed, so that language adds none.
        let shared = self.all.iter().map(|it| (PhraseLanguage::Ko, it));
        own.chain(shared)
            .map(|(language, it)| (language, it.as_str()))
    }

    fn of(&self, language: PhraseLanguage) -> &[String] {
        match language {
            PhraseLanguage::En => &self.en,
            PhraseLanguage::Ko => &self.ko,
            PhraseLanguage::Ja => &self.ja,
            PhraseLanguage::Zh => &self.zh,
            PhraseLanguage::Es => &self.es,
            PhraseLanguage::Pt => &self.pt,
            PhraseLanguage::De => &self.de,
            PhraseLanguage::Fr => &self.fr,
            PhraseLanguage::Ru => &self.ru,
            PhraseLanguage::It => &self.it,
            PhraseLanguage::Tr => &self.tr,
            PhraseLanguage::Pl => &self.pl,
            PhraseLanguage::Vi => &self.vi,
        }
    }

    pub(crate) fn rows(&self, id: usize, weight: u8) -> impl Iterator<Item = PhraseRow<'_>> {
        let id = u16::try_from(id).unwrap_or(NEUTRAL);
        self.iter().map(move |(language, phrase)| PhraseRow {
            phrase,
            language,
            id,
            weight,
        })
    }
}

/// Which of several subjects a text speaks of, and how clearly.
#[derive(Debug)]
pub(crate) struct SubjectIndex {
    phrases: PhraseIndex<'static>,
    subjects: usize,
}

/// What a text says of one subject.
#[derive(Debug, Default, Clone)]
pub(crate) struct SubjectEvidence<'t> {
    pub(crate) score: u32,
    /// What was typed, each once, in the text's order.
    pub(crate) typed: Vec<&'t str>,
    /// The first and the last unit that speaks of it.
    pub(crate) first: usize,
    pub(crate) last: usize,
}

impl SubjectIndex {
    /// An index that the build made; a test keeps all of them readable, so the empty one is never met.
    pub(crate) fn read(subjects: usize, bytes: &'static [u8]) -> Self {
        let phrases = PhraseIndex::read(bytes).map(|(index, _)| index);
        Self {
            phrases: phrases.unwrap_or_else(|| PhraseIndex::new([])),
            subjects,
        }
    }

    /// The evidence for each subject, in the subjects' order. A word that is typed twice counts once.
    pub(crate) fn weigh<'t>(&self, text: &PromptText<'t>) -> Vec<SubjectEvidence<'t>> {
        self.weigh_all(std::slice::from_ref(text))
    }

    /// The evidence of several texts together, the first of which comes first.
    pub(crate) fn weigh_all<'t>(&self, texts: &[PromptText<'t>]) -> Vec<SubjectEvidence<'t>> {
        let mut evidence = vec![SubjectEvidence::default(); self.subjects];
        let mut n_units = 0;
        for text in texts {
            self.add(text, n_units, &mut evidence);
            n_units += text.units.len();
        }
        evidence
    }

    fn add<'t>(&self, text: &PromptText<'t>, offset: usize, evidence: &mut [SubjectEvidence<'t>]) {
        for PhraseHit { id, weight, units } in self.phrases.find(text) {
            let Some(subject) = evidence.get_mut(usize::from(id)) else {
                continue;
            };
            let typed = text.typed(units.clone());
            if subject
                .typed
                .iter()
                .any(|it| it.eq_ignore_ascii_case(typed))
            {
                continue;
            }
            if subject.typed.is_empty() {
                subject.first = offset + units.start;
            }
            subject.last = offset + units.start;
            subject.score += u32::from(weight);
            subject.typed.push(typed);
        }
    }
}

/// Whether a text puts what it is about last, as Korean, Japanese and Chinese noun phrases do.
pub(crate) fn is_head_last(text: &PromptText<'_>) -> bool {
    text.units
        .iter()
        .any(|unit| unit.script != Script::Alphabet)
}
