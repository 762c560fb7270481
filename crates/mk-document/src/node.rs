//! A YAML or JSON document as a tree in which every key and value knows its line and column.
//!
//! Only the syntax: what the keys mean is [`crate::mode_file`]'s business.

mod syntax_error;

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, NonFiniteFloatPolicy, Spanned};

use crate::diagnostic::DocumentPosition;
pub use syntax_error::YamlError;

/// More nodes than any real mode file has (the largest seen has 4,000); what is beyond is an attack or a mistake.
/// A file of 16 MiB with modes as people write them has fewer.
const MOST_NODES: usize = 100_000;

/// Nodes that come from aliases: enough to share a few texts and groups.
const MOST_REPEATED: usize = 5_000;

/// Real mode files have seven levels. Each costs stack, in a debug build some 40 KB.
const DEEPEST: usize = 20;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Located<T> {
    pub value: T,
    pub position: DocumentPosition,
}

/// One value of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum DocumentNode {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Located<Self>>),
    Map(Vec<(Located<String>, Located<Self>)>),
}

impl DocumentNode {
    /// Reads one YAML document; JSON is a part of YAML.
    pub fn parse(text: &str) -> Result<Located<Self>, YamlError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let options = serde_saphyr::options! {
            budget: serde_saphyr::budget! {
                max_nodes: MOST_NODES,
                max_depth: DEEPEST,
                flow_nesting_limit: DEEPEST,
            },
            alias_limits: serde_saphyr::alias_limits! {
                max_total_replayed_events: MOST_REPEATED,
            },
            // YAML 1.2, as the editors read it: `yes` is text, and what we do not understand is kept.
            strict_booleans: true,
            non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        };
        serde_saphyr::from_str_with_options::<Spanned<Self>>(text, options)
            .map(Located::from)
            .map_err(|error| YamlError::from(&error))
    }

    /// The same from JSON that was read already, with no positions.
    pub fn from_json(value: serde_json::Value) -> Located<Self> {
        use serde_json::Value;
        let here = |value| Located {
            value,
            position: DocumentPosition::START,
        };
        here(match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(flag),
            Value::Number(number) => Self::Number(number.as_f64().unwrap_or_default()),
            Value::String(text) => Self::Text(text),
            Value::Array(items) => Self::List(items.into_iter().map(Self::from_json).collect()),
            Value::Object(entries) => {
                let entry = |(key, value)| {
                    let key = Located {
                        value: key,
                        position: DocumentPosition::START,
                    };
                    (key, Self::from_json(value))
                };
                Self::Map(entries.into_iter().map(entry).collect())
            }
        })
    }

    /// What kind of value this is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }

    /// The value of a key; `None` also when this is no map.
    pub fn get(&self, key: &str) -> Option<&Located<Self>> {
        let Self::Map(entries) = self else {
            return None;
        };
        entries
            .iter()
            .find(|(name, _)| name.value == key)
            .map(|(_, value)| value)
    }
}

impl From<Location> for DocumentPosition {
    fn from(location: Location) -> Self {
        let clamp = |number: u64| u32::try_from(number).unwrap_or(u32::MAX).max(1);
        Self {
            line: clamp(location.line()),
            column: clamp(location.column()),
        }
    }
}

impl<T> From<Spanned<T>> for Located<T> {
    fn from(spanned: Spanned<T>) -> Self {
        Self {
            value: spanned.value,
            position: spanned.referenced.into(),
        }
    }
}

impl<'de> Deserialize<'de> for DocumentNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = DocumentNode;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<DocumentNode, E> {
        Ok(DocumentNode::Null)
    }

    fn visit_none<E>(self) -> Result<DocumentNode, E> {
        Ok(DocumentNode::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<DocumentNode, D::Error> {
        DocumentNode::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<DocumentNode, E> {
        Ok(DocumentNode::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<DocumentNode, E> {
        Ok(DocumentNode::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<DocumentNode, E> {
        Ok(DocumentNode::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<DocumentNode, E> {
        Ok(DocumentNode::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<DocumentNode, E> {
        Ok(DocumentNode::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<DocumentNode, E> {
        Ok(DocumentNode::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<DocumentNode, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<Spanned<DocumentNode>>()? {
            list.push(Located::from(item));
        }
        Ok(DocumentNode::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<DocumentNode, A::Error> {
        let mut map = Vec::new();
        while let Some((key, value)) =
            entries.next_entry::<Spanned<DocumentNode>, Spanned<DocumentNode>>()?
        {
            let key = Located::from(key);
            // `yes: 1` or `12: x` are keys too; nobody looks them up, but they must not fail the file.
            let name = match key.value {
                DocumentNode::Text(name) => name,
                DocumentNode::Number(number) => number.to_string(),
                DocumentNode::Bool(flag) => flag.to_string(),
                DocumentNode::Null => "null".to_owned(),
                DocumentNode::List(_) | DocumentNode::Map(_) => {
                    return Err(serde::de::Error::custom("a key must be a plain word"));
                }
            };
            map.push((
                Located {
                    value: name,
                    position: key.position,
                },
                Located::from(value),
            ));
        }
        Ok(DocumentNode::Map(map))
    }
}
