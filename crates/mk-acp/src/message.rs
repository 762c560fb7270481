//! Messages as text: what a message is, without taking it apart, and objects whose untouched values stay as they came.
//!
//! Numbers, spelling and order of what is not ours are the sender's: nothing here reads a value it does not need.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// The outermost fields of a message.
#[derive(Debug, Deserialize)]
pub(crate) struct Head<'a> {
    /// `null` is an id, too.
    #[serde(borrow, default, deserialize_with = "present")]
    pub(crate) id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(crate) params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(crate) error: Option<&'a RawValue>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// What a line is.
#[derive(Debug)]
pub(crate) enum Line<'a> {
    Request {
        id: Id,
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    Notification {
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    Response {
        id: Id,
        /// `Err` has the error object.
        outcome: Result<Option<&'a RawValue>, &'a RawValue>,
    },
    /// Not a message of this protocol.
    Other,
}

impl<'a> Line<'a> {
    /// A list of messages is none of this protocol, and one that says something twice says nothing.
    pub(crate) fn read(line: &'a [u8]) -> Self {
        if !is_object(line) {
            return Self::Other;
        }
        let Ok(head) = serde_json::from_slice::<Head<'a>>(line) else {
            return Self::Other;
        };
        match (head.id, head.method) {
            (Some(id), Some(method)) => Self::Request {
                id: Id::of(id),
                method,
                params: head.params,
            },
            (None, Some(method)) => Self::Notification {
                method,
                params: head.params,
            },
            (Some(id), None) => Self::Response {
                id: Id::of(id),
                outcome: match head.error {
                    Some(error) => Err(error),
                    None => Ok(head.result),
                },
            },
            (None, None) => Self::Other,
        }
    }
}

/// The id of a request, as its sender wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(String);

/// Whether a text begins as an object does. What serde reads into a struct may be a list, too.
fn is_object(text: &[u8]) -> bool {
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
    first == Some(&b'{')
}

impl Id {
    fn of(raw: &RawValue) -> Self {
        // Two spellings of one text, or of one number, are one id.
        let text = raw.get();
        let is_number = !text.starts_with('"') && text.contains(['.', 'e', 'E']);
        if !is_number && !text.contains('\\') {
            return Self(text.to_owned());
        }
        let value = serde_json::from_str::<Value>(text).unwrap_or_default();
        match value.as_f64().filter(|it| it.fract() == 0.0) {
            Some(number) => Self(format!("{number:.0}")),
            None => Self(value.to_string()),
        }
    }

    /// One of our own, which is a text that no peer chooses.
    pub(crate) fn own(text: &str) -> Self {
        Self(Value::from(text).to_string())
    }

    fn as_json(&self) -> &str {
        &self.0
    }
}

/// The session that parameters name, and nothing else of them.
pub(crate) fn session_of(params: Option<&RawValue>) -> Option<String> {
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "sessionId")]
        session: String,
    }
    let params: Params = serde_json::from_str(params?.get()).ok()?;
    Some(params.session)
}

/// The kind of a `session/update`, and its session.
#[derive(Debug, Deserialize)]
pub(crate) struct UpdateHead<'a> {
    #[serde(rename = "sessionId", borrow)]
    pub(crate) session: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) update: UpdateKind<'a>,
}

impl<'a> UpdateHead<'a> {
    pub(crate) fn read(params: &'a RawValue) -> Option<Self> {
        let text = params.get();
        is_object(text.as_bytes()).then_some(())?;
        serde_json::from_str(text).ok()
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct UpdateKind<'a> {
    #[serde(rename = "sessionUpdate", borrow)]
    pub(crate) kind: Cow<'a, str>,
}

/// An object whose values are kept as text. Of a name that stands twice the last value counts, as it does for most
/// readers, and the others are gone.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawObject {
    entries: Vec<(String, Box<RawValue>)>,
    is_ambiguous: bool,
}
/// More names than any message has.
const MOST_NAMES: usize = 1_000;

impl RawObject {
    pub(crate) fn read(raw: Option<&RawValue>) -> Option<Self> {
        serde_json::from_str(raw?.get()).ok()
    }

    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok()
    }

    pub(crate) fn get(&self, key: &str) -> Option<&RawValue> {
        let found = self.entries.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| &**value)
    }

    /// The value, taken apart.
    pub(crate) fn value(&self, key: &str) -> Option<Value> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }

    pub(crate) fn text(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }

    /// Puts a value in the place of the old one, or at the end.
    pub(crate) fn set(&mut self, key: &str, value: &impl Serialize) {
        // A value of ours can always be written.
        let Ok(raw) = to_raw_value(value) else { return };
        match self.entries.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = raw,
            None => self.entries.push((key.to_owned(), raw)),
        }
    }

    /// Whether a name stood twice, in whatever case: not all readers take the same value.
    pub(crate) const fn is_ambiguous(&self) -> bool {
        self.is_ambiguous
    }

    pub(crate) fn line(&self) -> Vec<u8> {
        self.json().into_bytes()
    }

    fn json(&self) -> String {
        let length: usize = self
            .entries
            .iter()
            .map(|(key, value)| key.len() + value.get().len() + 4)
            .sum();
        let mut text = String::with_capacity(length + 2);
        text.push('{');
        for (at, (key, value)) in self.entries.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            text.push_str(&Value::from(key.as_str()).to_string());
            text.push(':');
            text.push_str(value.get());
        }
        text.push('}');
        text
    }
}

impl Serialize for RawObject {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.entries.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = RawObject;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawObject, A::Error> {
                let mut object = RawObject::default();
                while let Some((key, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    if object.entries.len() >= MOST_NAMES {
                        return Err(serde::de::Error::custom("too many names"));
                    }
                    let mut names = object.entries.iter().map(|(name, _)| name);
                    object.is_ambiguous |= names.any(|name| name.eq_ignore_ascii_case(&key));
                    match object.entries.iter_mut().find(|(name, _)| *name == key) {
                        Some((_, old)) => *old = value,
                        None => object.entries.push((key, value)),
                    }
                }
                Ok(object)
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

pub(crate) fn request(id: &Id, method: &str, params: &impl Serialize) -> Vec<u8> {
    let (id, method) = (id.as_json(), Value::from(method));
    let params = json_text(params);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#).into_bytes()
}

pub(crate) fn notification(method: &str, params: &impl Serialize) -> Vec<u8> {
    let (method, params) = (Value::from(method), json_text(params));
    format!(r#"{{"jsonrpc":"2.0","method":{method},"params":{params}}}"#).into_bytes()
}

pub(crate) fn response(id: &Id, result: &impl Serialize) -> Vec<u8> {
    let (id, result) = (id.as_json(), json_text(result));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes()
}

pub(crate) fn failure(id: &Id, code: i64, message: &str) -> Vec<u8> {
    let (id, message) = (id.as_json(), Value::from(message));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#)
        .into_bytes()
}

fn json_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

/// A message with one of its outermost values replaced; everything else is as it came.
pub(crate) fn with(line: &[u8], key: &str, value: &impl Serialize) -> Option<Vec<u8>> {
    let mut message = RawObject::parse(line)?;
    message.set(key, value);
    Some(message.line())
}
