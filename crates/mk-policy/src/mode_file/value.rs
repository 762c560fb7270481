//! Single values of a mode, with a complaint where one is of the wrong kind.

use mk_document::{DocumentNode, DocumentReport, Located};
use mk_types::ModeSlug;

pub(super) fn text(
    key: &Located<String>,
    value: &Located<DocumentNode>,
    out: &mut DocumentReport,
) -> Option<Located<String>> {
    match &value.value {
        DocumentNode::Text(text) => Some(Located {
            value: text.clone(),
            position: value.position,
        }),
        other => {
            out.error(
                value.position,
                format!("`{}` is {}, not text", key.value, other.kind()),
            );
            // Stands for «there was a value», so that the key is not reported as missing as well.
            Some(Located {
                value: "-".to_owned(),
                position: value.position,
            })
        }
    }
}

pub(super) fn optional_text(
    key: &Located<String>,
    value: &Located<DocumentNode>,
    out: &mut DocumentReport,
) -> Option<Located<String>> {
    if value.value == DocumentNode::Null {
        None
    } else {
        text(key, value, out)
    }
}

pub(super) fn flag(
    key: &Located<String>,
    value: &Located<DocumentNode>,
    out: &mut DocumentReport,
) -> Option<bool> {
    match value.value {
        DocumentNode::Bool(flag) => Some(flag),
        ref other => {
            out.error(
                value.position,
                format!("`{}` is {}, not true or false", key.value, other.kind()),
            );
            None
        }
    }
}

pub(super) fn slug_value(
    key: &Located<String>,
    value: &Located<DocumentNode>,
    out: &mut DocumentReport,
) -> Option<Located<ModeSlug>> {
    let text = text(key, value, out)?;
    match ModeSlug::parse(&text.value) {
        Ok(slug) => Some(Located {
            value: slug,
            position: text.position,
        }),
        Err(error) => {
            out.error(text.position, format!("`{}`: {error}", key.value));
            None
        }
    }
}

pub(super) fn texts(
    key: &Located<String>,
    value: &Located<DocumentNode>,
    out: &mut DocumentReport,
) -> Vec<String> {
    positioned_texts(key, value, out)
        .into_iter()
        .map(|text| text.value)
        .collect()
}

/// One text or a list of texts.
pub(super) fn positioned_texts(
    key: &Located<String>,
    value: &Located<DocumentNode>,
    out: &mut DocumentReport,
) -> Vec<Located<String>> {
    match &value.value {
        DocumentNode::Text(text) => vec![Located {
            value: text.clone(),
            position: value.position,
        }],
        DocumentNode::List(items) => items
            .iter()
            .filter_map(|item| text(key, item, out))
            .collect(),
        other => {
            out.error(
                value.position,
                format!("`{}` is {}, not a list of texts", key.value, other.kind()),
            );
            Vec::new()
        }
    }
}
