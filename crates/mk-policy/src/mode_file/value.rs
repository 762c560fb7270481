//! Single values of a mode, with a complaint where one is of the wrong kind.

use mk_document::{At, Node, Report};
use mk_types::ModeSlug;

pub(super) fn text(key: &At<String>, value: &At<Node>, out: &mut Report) -> Option<At<String>> {
    match &value.value {
        Node::Text(text) => Some(At {
            value: text.clone(),
            position: value.position,
        }),
        other => {
            out.error(
                value.position,
                format!("`{}` is {}, not text", key.value, other.kind()),
            );
            // Stands for «there was a value», so that the key is not reported as missing as well.
            Some(At {
                value: "-".to_owned(),
                position: value.position,
            })
        }
    }
}

pub(super) fn optional_text(
    key: &At<String>,
    value: &At<Node>,
    out: &mut Report,
) -> Option<At<String>> {
    if value.value == Node::Null {
        None
    } else {
        text(key, value, out)
    }
}

pub(super) fn flag(key: &At<String>, value: &At<Node>, out: &mut Report) -> Option<bool> {
    match value.value {
        Node::Bool(flag) => Some(flag),
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
    key: &At<String>,
    value: &At<Node>,
    out: &mut Report,
) -> Option<At<ModeSlug>> {
    let text = text(key, value, out)?;
    match ModeSlug::parse(&text.value) {
        Ok(slug) => Some(At {
            value: slug,
            position: text.position,
        }),
        Err(error) => {
            out.error(text.position, format!("`{}`: {error}", key.value));
            None
        }
    }
}

pub(super) fn texts(key: &At<String>, value: &At<Node>, out: &mut Report) -> Vec<String> {
    positioned_texts(key, value, out)
        .into_iter()
        .map(|text| text.value)
        .collect()
}

/// One text or a list of texts.
pub(super) fn positioned_texts(
    key: &At<String>,
    value: &At<Node>,
    out: &mut Report,
) -> Vec<At<String>> {
    match &value.value {
        Node::Text(text) => vec![At {
            value: text.clone(),
            position: value.position,
        }],
        Node::List(items) => items
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
