//! The language that answers are written in, and the words a mode starts with in that language.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use super::KeywordMode;
use super::phrases::embedded;

const ENGLISH: &str = "en";

/// English name and own name by code.
static LANGUAGES: LazyLock<BTreeMap<String, (String, String)>> =
    LazyLock::new(|| embedded(include_str!(concat!(env!("OUT_DIR"), "/languages.json"))));

static INSTRUCTIONS: LazyLock<HashMap<KeywordMode, HashMap<String, String>>> =
    LazyLock::new(|| embedded(include_str!(concat!(env!("OUT_DIR"), "/modes.json"))));

/// `Always respond in Korean (한국어).`; English when the language is unset or unknown.
pub fn language_instruction(language: Option<&str>) -> String {
    match code_of(language).and_then(|code| LANGUAGES.get_key_value(code)) {
        Some((code, (name, own_name))) if code != ENGLISH => {
            format!("Always respond in {name} ({own_name}).")
        }
        _ => "Always respond in English.".to_owned(),
    }
}

/// What a mode asks of the agent, in the configured language where there is a text in it.
pub(super) fn instructions(mode: KeywordMode, language: Option<&str>) -> &'static str {
    let texts = INSTRUCTIONS.get(&mode);
    let text = |code: &str| texts?.get(code);
    code_of(language)
        .and_then(|code| text(code).or_else(|| text(primary(code))))
        .or_else(|| text(ENGLISH))
        .map_or("", String::as_str)
}

/// The known code for what a configuration says: `ko`, `KO-kr`, `ko_KR.UTF-8`, `Korean`, `한국어`.
fn code_of(language: Option<&str>) -> Option<&'static str> {
    let language = language?.trim().to_lowercase().replace('_', "-");
    let language = language.split('.').next().unwrap_or_default();
    let parts: Vec<&str> = language.split('-').collect();
    // From the exact tag to the bare language: zh-hant-tw, zh-hant, zh.
    let tag = (1..=parts.len()).rev().find_map(|count| {
        let tag = parts.get(..count)?.join("-");
        LANGUAGES.get_key_value(&tag)
    });
    tag.or_else(|| {
        LANGUAGES.iter().find(|(_, (name, own_name))| {
            [name, own_name]
                .iter()
                .any(|it| it.to_lowercase() == language)
        })
    })
    .map(|(code, _)| code.as_str())
}

fn primary(code: &str) -> &str {
    code.split('-').next().unwrap_or(code)
}
