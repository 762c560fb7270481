//! Why a document cannot be read at all, in the words of somebody who writes mode files.
//!
//! The parser's own messages speak of its tokens and of its API; only those that help are passed on.

use serde_saphyr::Error;
use serde_saphyr::budget::BudgetBreach;

use super::{DEEPEST, MOST_NODES};
use crate::diagnostic::DocumentPosition;

const UNEVEN: &str = "the line is not indented like those above it";
const QUOTE: &str =
    "separate entries with `,`, and put a text with `{`, `}`, `[`, `]` or `,` in single quotes";
const COMPARE: &str = "give keys of one mode the same indentation";

/// What is wrong with the text as YAML, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    pub position: DocumentPosition,
    pub message: String,
    pub hint: Option<&'static str>,
}

impl From<&Error> for YamlError {
    fn from(error: &Error) -> Self {
        let (message, hint) = describe(error);
        Self {
            position: error
                .location()
                .map_or(DocumentPosition::START, DocumentPosition::from),
            message,
            hint,
        }
    }
}

fn describe(error: &Error) -> (String, Option<&'static str>) {
    let too_deep = || format!("the file is nested more than {DEEPEST} levels deep");
    match error.without_snippet() {
        Error::AliasError { error, .. } => describe(error),
        Error::DuplicateMappingKey { key, .. } => {
            let key = key.as_deref().unwrap_or_default();
            (format!("the key `{key}` is there twice"), None)
        }
        Error::MultipleDocuments { .. } => (
            "the file holds more than one document".to_owned(),
            Some("remove the line `---` and put all modes under one `customModes`"),
        ),
        Error::UnknownAnchor { .. } => (
            "`*` refers to an anchor that is not there".to_owned(),
            Some("quote text that starts with `*`"),
        ),
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            ("an anchor is used inside itself".to_owned(), None)
        }
        Error::MergeValueNotMapOrSeqOfMaps { .. } => {
            ("`<<` can only merge a mapping".to_owned(), None)
        }
        Error::Budget { breach, .. } => match breach {
            BudgetBreach::Depth { .. } => (too_deep(), None),
            BudgetBreach::Nodes { .. } => {
                (format!("the file has more than {MOST_NODES} values"), None)
            }
            _ => ("the file is too large".to_owned(), None),
        },
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::AliasReplayCounterOverflow { .. } => {
            ("the aliases of the file repeat too much".to_owned(), None)
        }
        Error::ExternalMessage { msg, .. } if msg.starts_with("recursion limit") => {
            (too_deep(), None)
        }
        Error::Message { msg, .. } | Error::ExternalMessage { msg, .. } => describe_scan(msg),
        Error::Eof { .. } => ("the file ends too early".to_owned(), None),
        _ => ("not valid YAML".to_owned(), None),
    }
}

/// The scanner's messages, each replaced by what most often lies behind it.
fn describe_scan(message: &str) -> (String, Option<&'static str>) {
    const KNOWN: [(&str, &str, &str); 12] = [
        (
            "unknown escape",
            "invalid escape sequence in a double-quoted string",
            "use single quotes for patterns",
        ),
        (
            "trailing content",
            "text follows a closing quote",
            "put the whole text in quotes, or a missing `,` in front of what follows",
        ),
        (
            "quoted scalar",
            "a quote is not closed",
            "close it before the end of the text",
        ),
        (
            "unclosed quote",
            "a quote is not closed",
            "close it before the end of the text",
        ),
        ("tab", "a tab indents this line", "indent with spaces"),
        (
            "mapping values are not allowed",
            "a `:` is not allowed here",
            "put a text that contains `: ` in quotes",
        ),
        ("expected '-'", UNEVEN, COMPARE),
        ("expected key", UNEVEN, COMPARE),
        ("simple key", UNEVEN, COMPARE),
        ("indentation", UNEVEN, COMPARE),
        ("flow mapping", "a `,` or `}` is missing", QUOTE),
        ("flow sequence", "a `,` or `]` is missing", QUOTE),
    ];
    if let Some(character) = message.strip_prefix("unexpected character: `") {
        let character = character.trim_end_matches('\'');
        let hint = "put a text that holds special characters in quotes";
        return (format!("`{character}` is not allowed here"), Some(hint));
    }
    match KNOWN.iter().find(|(part, _, _)| message.contains(part)) {
        Some((_, meaning, hint)) => ((*meaning).to_owned(), Some(hint)),
        None => (message.to_owned(), None),
    }
}
