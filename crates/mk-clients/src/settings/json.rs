//! JSON with comments, through a syntax tree that keeps every byte.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use super::{EditedSettings, SettingsEdit, SettingsError, is_ours};

pub(super) fn apply(text: &str, edits: &[SettingsEdit]) -> Result<EditedSettings, SettingsError> {
    let (bom, root) = parse(text)?;
    let mut taken = Vec::new();
    for edit in edits {
        if !write(&root, edit)? {
            taken.push(edit.path().join("."));
        }
    }
    Ok(EditedSettings {
        text: format!("{bom}{root}"),
        taken,
    })
}

pub(super) fn remove(text: &str, edits: &[SettingsEdit]) -> Result<String, SettingsError> {
    let (bom, root) = parse(text)?;
    for edit in edits {
        if let Some(object) = root.object_value() {
            erase(&object, edit.path(), edit);
        }
    }
    Ok(format!("{bom}{root}"))
}

/// What a file says, comments aside.
pub(super) fn value(text: &str) -> Option<Value> {
    let (_, root) = parse(text).ok()?;
    root.to_serde_value()
}

/// Whether it is JSON, comments aside.
pub(super) fn is_read(text: &str) -> bool {
    let options = ParseOptions {
        allow_trailing_commas: false,
        ..options()
    };
    CstRootNode::parse(text, &options).is_ok()
}

/// What is written as JSON, with comments and trailing commas.
fn options() -> ParseOptions {
    ParseOptions {
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_loose_object_property_names: false,
        ..ParseOptions::default()
    }
}

fn parse(text: &str) -> Result<(&'static str, CstRootNode), SettingsError> {
    let (bom, text) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(text, &options()).map_err(|error| SettingsError::Syntax {
        line: error.line_display(),
        message: error.kind().to_string(),
    })?;
    if root.object_value().is_none() {
        return Err(SettingsError::Shape {
            path: String::new(),
            expected: "an object",
        });
    }
    Ok((bom, root))
}

/// Whether the entry is there now.
fn write(root: &CstRootNode, edit: &SettingsEdit) -> Result<bool, SettingsError> {
    let shape = |expected| SettingsError::Shape {
        path: edit.path().join("."),
        expected,
    };
    let Some((last, parents)) = edit.path().split_last() else {
        return Ok(true);
    };
    let mut object = root.object_value().ok_or_else(|| shape("an object"))?;
    for key in parents {
        object = match (object.object_value_or_create(key), edit) {
            (Some(inner), _) => inner,
            (None, SettingsEdit::Claim { .. }) => return Ok(false),
            (None, _) => return Err(shape("an object")),
        };
    }
    let value = edit.value();
    match edit {
        SettingsEdit::Put { .. } | SettingsEdit::Claim { .. } => match object.get(last) {
            None => {
                object.append(last, input(value));
            }
            Some(property) if current(&property).as_ref() == Some(value) => {}
            Some(property) if matches!(edit, SettingsEdit::Put { .. }) => {
                property.set_value(input(value));
            }
            Some(_) => return Ok(false),
        },
        SettingsEdit::Add { .. } => {
            let list = object
                .array_value_or_create(last)
                .ok_or_else(|| shape("a list"))?;
            let mut ours = list
                .elements()
                .into_iter()
                .filter(|element| {
                    element
                        .to_serde_value()
                        .is_some_and(|element| is_ours(&element, value))
                })
                .collect::<Vec<_>>();
            if ours.len() == 1
                && ours.first().and_then(CstNode::to_serde_value).as_ref() == Some(value)
            {
                return Ok(true);
            }
            for element in ours.drain(..) {
                element.remove();
            }
            list.append(input(value));
        }
    }
    Ok(true)
}

/// Removes the entry below an object; says whether the object is empty because of that.
fn erase(object: &CstObject, path: &[String], edit: &SettingsEdit) -> bool {
    let Some((key, rest)) = path.split_first() else {
        return false;
    };
    let Some(property) = object.get(key) else {
        return false;
    };
    let gone = match (rest.is_empty(), edit) {
        (false, _) => property
            .object_value()
            .is_some_and(|inner| erase(&inner, rest, edit)),
        (true, SettingsEdit::Put { .. }) => true,
        (true, SettingsEdit::Claim { value, .. }) => current(&property).as_ref() == Some(value),
        (true, SettingsEdit::Add { value, .. }) => property.array_value().is_some_and(|list| {
            let mut removed = false;
            for element in list.elements() {
                if element
                    .to_serde_value()
                    .is_some_and(|element| is_ours(&element, value))
                {
                    element.remove();
                    removed = true;
                }
            }
            removed && list.elements().is_empty()
        }),
    };
    if gone {
        property.remove();
    }
    gone && object.properties().is_empty()
}

fn current(property: &jsonc_parser::cst::CstObjectProp) -> Option<Value> {
    property.value()?.to_serde_value()
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(entries) => CstInputValue::Object(
            entries
                .iter()
                .map(|(key, value)| (key.clone(), input(value)))
                .collect(),
        ),
    }
}
