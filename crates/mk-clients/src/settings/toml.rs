//! TOML, through a document that keeps comments and spacing. A file that it would not write back byte for byte is left
//! alone.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

use super::{EditedSettings, SettingsEdit, SettingsError, is_ours};

pub(super) fn apply(text: &str, edits: &[SettingsEdit]) -> Result<EditedSettings, SettingsError> {
    let mut document = parse(text)?;
    let mut taken = Vec::new();
    for edit in edits {
        if !write(document.as_table_mut(), edit.path(), edit)? {
            taken.push(edit.path().join("."));
        }
    }
    Ok(EditedSettings {
        text: document.to_string(),
        taken,
    })
}

pub(super) fn remove(text: &str, edits: &[SettingsEdit]) -> Result<String, SettingsError> {
    let mut document = parse(text)?;
    for edit in edits {
        erase(document.as_table_mut(), edit.path(), edit);
    }
    Ok(document.to_string())
}

fn parse(text: &str) -> Result<DocumentMut, SettingsError> {
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error
            .span()
            .and_then(|span| text.get(..span.start))
            .unwrap_or_default();
        SettingsError::Syntax {
            line: before.matches('\n').count() + 1,
            message: error.message().to_owned(),
        }
    })?;
    if document.to_string() != text {
        return Err(SettingsError::NotExact);
    }
    Ok(document)
}

/// Whether the entry is there now.
fn write(
    table: &mut dyn TableLike,
    path: &[String],
    edit: &SettingsEdit,
) -> Result<bool, SettingsError> {
    let shape = |expected| SettingsError::Shape {
        path: edit.path().join("."),
        expected,
    };
    let Some((key, rest)) = path.split_first() else {
        return Ok(true);
    };
    if !rest.is_empty() {
        if table.get(key).is_none() {
            let mut inner = Table::new();
            inner.set_implicit(true);
            table.insert(key, Item::Table(inner));
        }
        return match (table.get_mut(key).and_then(Item::as_table_like_mut), edit) {
            (Some(inner), _) => write(inner, rest, edit),
            (None, SettingsEdit::Claim { .. }) => Ok(false),
            (None, _) => Err(shape("a table")),
        };
    }
    let value = edit.value();
    match (edit, table.get_mut(key)) {
        (SettingsEdit::Add { .. }, Some(existing)) => {
            let list = existing.as_array_mut().ok_or_else(|| shape("a list"))?;
            list.retain(|element| !is_ours(&json_of_value(element), value));
            list.push(inline(value));
        }
        (SettingsEdit::Add { .. }, None) => {
            let mut list = Array::new();
            list.push(inline(value));
            table.insert(key, Item::Value(list.into()));
        }
        (_, Some(existing)) if json(existing) == *value => {}
        (SettingsEdit::Claim { .. }, Some(_)) => return Ok(false),
        (SettingsEdit::Put { .. } | SettingsEdit::Claim { .. }, _) => {
            table.insert(key, item(value));
        }
    }
    Ok(true)
}

/// Removes the entry; says whether the table is empty because of that.
fn erase(table: &mut dyn TableLike, path: &[String], edit: &SettingsEdit) -> bool {
    let Some((key, rest)) = path.split_first() else {
        return false;
    };
    let Some(existing) = table.get_mut(key) else {
        return false;
    };
    let gone = match (rest.is_empty(), edit) {
        (false, _) => existing
            .as_table_like_mut()
            .is_some_and(|inner| erase(inner, rest, edit)),
        (true, SettingsEdit::Put { .. }) => true,
        (true, SettingsEdit::Claim { value, .. }) => json(existing) == *value,
        (true, SettingsEdit::Add { value, .. }) => existing.as_array_mut().is_some_and(|list| {
            let before = list.len();
            list.retain(|element| !is_ours(&json_of_value(element), value));
            list.is_empty() && before > 0
        }),
    };
    if gone {
        table.remove(key);
    }
    gone && table.is_empty()
}

/// Objects become tables of their own, so that a reader finds them under a heading; what they hold stands inline.
fn item(value: &Value) -> Item {
    let Value::Object(entries) = value else {
        return Item::Value(inline(value));
    };
    let mut table = Table::new();
    for (key, value) in entries {
        table.insert(key, Item::Value(inline(value)));
    }
    Item::Table(table)
}

fn inline(value: &Value) -> toml_edit::Value {
    match value {
        // TOML has no null; none of our entries has one either.
        Value::Null => "".into(),
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => items.iter().map(inline).collect::<Array>().into(),
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| (key.as_str(), inline(value)))
            .collect::<InlineTable>()
            .into(),
    }
}

/// The same as JSON, to compare; dates as text.
fn json(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => json_of_value(value),
        Item::Table(table) => table
            .iter()
            .map(|(key, item)| (key.to_owned(), json(item)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Item::ArrayOfTables(tables) => tables
            .iter()
            .map(|table| json(&Item::Table(table.clone())))
            .collect::<Vec<_>>()
            .into(),
    }
}

fn json_of_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Float(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(value) => (*value.value()).into(),
        toml_edit::Value::Datetime(date) => date.value().to_string().into(),
        toml_edit::Value::Array(items) => {
            items.iter().map(json_of_value).collect::<Vec<_>>().into()
        }
        toml_edit::Value::InlineTable(table) => table
            .iter()
            .map(|(key, value)| (key.to_owned(), json_of_value(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}
