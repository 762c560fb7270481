//! Other forms of a key's words: plurals, and the verb forms that people use in requests.
//!
//! The rules make more forms than a language has, because a form that no one writes does no harm.
//! Forms are made for keys, where the language is known, and never guessed from a prompt.
//! Korean is cut to stems instead; Chinese and Japanese have no forms that a list could hold.

use std::fmt;

use serde::Deserialize;

/// The languages that phrases are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PhraseLanguage {
    En,
    Ko,
    Ja,
    Zh,
    Es,
    Pt,
    De,
    Fr,
    Ru,
    It,
    Tr,
    Pl,
    Vi,
}

impl PhraseLanguage {
    pub const ALL: [Self; 13] = [
        Self::En,
        Self::Ko,
        Self::Ja,
        Self::Zh,
        Self::Es,
        Self::Pt,
        Self::De,
        Self::Fr,
        Self::Ru,
        Self::It,
        Self::Tr,
        Self::Pl,
        Self::Vi,
    ];

    /// The code of ISO 639-1.
    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ko => "ko",
            Self::Ja => "ja",
            Self::Zh => "zh",
            Self::Es => "es",
            Self::Pt => "pt",
            Self::De => "de",
            Self::Fr => "fr",
            Self::Ru => "ru",
            Self::It => "it",
            Self::Tr => "tr",
            Self::Pl => "pl",
            Self::Vi => "vi",
        }
    }
}

impl fmt::Display for PhraseLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// A word's ending, and what else may stand in its place.
type EndingRule = (&'static str, &'static [&'static str]);

const ENGLISH: &[EndingRule] = &[
    ("ss", &["sses", "ssed", "ssing"]),
    ("sh", &["shes", "shed", "shing"]),
    ("ch", &["ches", "ched", "ching"]),
    ("x", &["xes", "xed", "xing"]),
    ("ay", &["ays", "ayed", "aying"]),
    ("ey", &["eys", "eyed", "eying"]),
    ("oy", &["oys", "oyed", "oying"]),
    ("y", &["ies", "ied", "ying"]),
    ("e", &["es", "ed", "ing"]),
    ("s", &[]),
    ("ing", &[]),
    ("ed", &[]),
    ("", &["s", "ed", "ing"]),
];
const SPANISH: &[EndingRule] = &[
    (
        "ar",
        &[
            "a", "o", "as", "an", "amos", "e", "es", "en", "ando", "ado", "ada", "ados", "adas",
            "aste", "aron", "ame", "alo", "ala", "arlo", "arla", "arme",
        ],
    ),
    (
        "er",
        &[
            "e", "o", "es", "en", "emos", "a", "as", "an", "iendo", "ido", "ida", "erlo", "erla",
        ],
    ),
    (
        "ir",
        &[
            "e", "o", "es", "en", "imos", "a", "as", "an", "iendo", "ido", "ida", "irlo", "irla",
        ],
    ),
    ("z", &["ces"]),
    ("s", &[]),
    ("a", &["as"]),
    ("e", &["es"]),
    ("o", &["os", "a", "as"]),
    ("i", &["is"]),
    ("u", &["us"]),
    ("", &["es", "s"]),
];
const PORTUGUESE: &[EndingRule] = &[
    ("ao", &["oes", "aos"]),
    (
        "ar",
        &[
            "a", "o", "as", "am", "amos", "e", "es", "em", "ando", "ado", "ada", "ados", "adas",
            "ou", "aram",
        ],
    ),
    (
        "er",
        &[
            "e", "o", "es", "em", "emos", "a", "am", "endo", "ido", "ida", "eu",
        ],
    ),
    (
        "ir",
        &[
            "e", "o", "es", "em", "imos", "a", "am", "indo", "ido", "ida", "iu",
        ],
    ),
    ("m", &["ns"]),
    ("al", &["ais"]),
    ("el", &["eis"]),
    ("z", &["zes"]),
    ("s", &[]),
    ("a", &["as"]),
    ("e", &["es"]),
    ("o", &["os", "a", "as"]),
    ("", &["s", "es"]),
];
const FRENCH: &[EndingRule] = &[
    (
        "er",
        &["e", "es", "ons", "ez", "ent", "ant", "ee", "ees", "erait"],
    ),
    (
        "ir",
        &["is", "it", "issons", "issez", "issent", "issant", "i", "ie"],
    ),
    ("eau", &["eaux"]),
    ("al", &["aux", "ale", "ales"]),
    ("s", &[]),
    ("x", &[]),
    ("e", &["es"]),
    ("", &["s", "e", "es"]),
];
const GERMAN: &[EndingRule] = &[
    (
        "ieren",
        &["iere", "iert", "ierst", "ierte", "ierten", "ierung", "ier"],
    ),
    ("en", &["e", "t", "st", "te", "ten", "et", "end"]),
    ("ln", &["le", "lt", "lst", "lte", "lten"]),
    ("e", &["en", "er", "es", "em", "n"]),
    ("ung", &["ungen"]),
    ("", &["e", "en", "er", "es", "n", "s", "em"]),
];
const RUSSIAN: &[EndingRule] = &[
    (
        "ировать",
        &[
            "ируй",
            "ируйте",
            "ирую",
            "ирует",
            "ируем",
            "ируют",
            "ировал",
            "ировали",
            "ирование",
            "ирования",
            "ированию",
        ],
    ),
    (
        "овать",
        &["уй", "уйте", "ую", "ует", "уем", "уют", "овал", "овали"],
    ),
    (
        "ать",
        &[
            "ай", "айте", "аю", "ает", "аем", "ают", "ал", "ала", "али", "и", "ите", "у", "ут",
        ],
    ),
    (
        "ить",
        &[
            "ь", "ьте", "и", "ите", "ю", "у", "ит", "им", "ят", "ил", "ила", "или",
        ],
    ),
    ("еть", &["ей", "ейте", "ею", "еет", "еют", "ел", "ели"]),
    ("ти", &["ди", "дите", "ду", "дет"]),
    ("ия", &["ии", "ию", "ией", "ий", "иям", "иями", "иях"]),
    ("ие", &["ия", "ию", "ием", "ии", "ий"]),
    (
        "ый",
        &["ая", "ое", "ые", "ого", "ой", "ому", "ым", "ую", "ых", "ом"],
    ),
    (
        "ий",
        &[
            "ая", "ое", "ие", "его", "ого", "ой", "ому", "ем", "им", "ую", "их",
        ],
    ),
    (
        "ая",
        &["ый", "ое", "ые", "ого", "ой", "ому", "ым", "ую", "ых"],
    ),
    ("ка", &["ки", "ку", "кой", "ке", "ок", "кам", "ками", "ках"]),
    ("а", &["ы", "и", "у", "ой", "е", "", "ам", "ами", "ах"]),
    ("я", &["и", "ю", "ей", "е", "ь", "ям", "ями", "ях"]),
    (
        "ь",
        &["и", "ю", "ью", "ей", "я", "ям", "ями", "ях", "ем", "е"],
    ),
    ("о", &["а", "у", "ом", "е", "ам", "ами", "ах"]),
    ("е", &["я", "ю", "ем", "й", "ям", "ями", "ях"]),
    ("й", &["я", "ю", "ем", "е", "и", "ев", "ям", "ями", "ях"]),
    (
        "",
        &["а", "у", "ом", "е", "ы", "и", "ов", "ам", "ами", "ах"],
    ),
];
/// Short words are mostly abbreviations and function words: they keep their form, but for a plural.
const SHORTEST_INFLECTED: usize = 4;

/// The forms that a word of a key may have in a prompt, without the word itself.
pub(super) fn forms(word: &str, language: PhraseLanguage) -> Vec<String> {
    let rules = match language {
        PhraseLanguage::En => ENGLISH,
        PhraseLanguage::Es => SPANISH,
        PhraseLanguage::Pt => PORTUGUESE,
        PhraseLanguage::Fr => FRENCH,
        PhraseLanguage::De => GERMAN,
        PhraseLanguage::Ru => RUSSIAN,
        // Of the last four only the most used forms are listed, by hand.
        PhraseLanguage::Ko
        | PhraseLanguage::Ja
        | PhraseLanguage::Zh
        | PhraseLanguage::It
        | PhraseLanguage::Tr
        | PhraseLanguage::Pl
        | PhraseLanguage::Vi => return Vec::new(),
    };
    if !word.chars().all(char::is_alphabetic) {
        return Vec::new();
    }
    if word.chars().nth(SHORTEST_INFLECTED - 1).is_none() {
        let plural = matches!(language, PhraseLanguage::En) && !word.ends_with('s');
        return plural.then(|| format!("{word}s")).into_iter().collect();
    }
    let mut forms: Vec<String> = rules
        .iter()
        .find_map(|(ending, others)| Some((word.strip_suffix(ending)?, others)))
        .map(|(stem, others)| {
            others
                .iter()
                .map(|other| format!("{stem}{other}"))
                .collect()
        })
        .unwrap_or_default();
    if language == PhraseLanguage::En
        && let Some(last) = doubled(word)
    {
        forms.extend([format!("{word}{last}ed"), format!("{word}{last}ing")]);
    }
    forms
}

/// The consonant that English doubles: plan, planning.
fn doubled(word: &str) -> Option<char> {
    let vowel = |sign: char| matches!(sign, 'a' | 'e' | 'i' | 'o' | 'u');
    let mut signs = word.chars().rev();
    let (last, middle, before) = (signs.next()?, signs.next()?, signs.next()?);
    let doubles =
        !vowel(last) && !matches!(last, 'w' | 'x' | 'y') && vowel(middle) && !vowel(before);
    doubles.then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fold;

    #[test]
    fn forms_of_a_folded_word_are_folded() {
        let rules = [ENGLISH, SPANISH, PORTUGUESE, FRENCH, GERMAN, RUSSIAN];
        for (ending, others) in rules.into_iter().flatten() {
            for part in [ending].into_iter().chain(*others) {
                assert_eq!(fold(part), *part);
            }
        }
    }
}
