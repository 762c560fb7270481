//! Changes messages where it hurts: keys, types, nesting, numbers, text, and the bytes of the line.

use serde_json::{Map, Number, Value, json};

use crate::support::dice::Dice;

/// How many answers the id of a line may get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// A well-formed request.
    One,
    AtMostOne,
    /// The line was doubled, or carries an id that others have too.
    Any,
}

impl Expected {
    pub(super) fn is_met(self, found: usize) -> bool {
        match self {
            Self::One => found == 1,
            Self::AtMostOne => found <= 1,
            Self::Any => true,
        }
    }
}

#[derive(Debug)]
pub(super) struct Mutated {
    pub(super) line: Vec<u8>,
    pub(super) expected: Expected,
}

pub(super) fn mutate(mut value: Value, id: &str, dice: &mut Dice) -> Mutated {
    for _ in 0..=dice.below(3) {
        change_somewhere(&mut value, dice);
    }
    let mut line = value.to_string().into_bytes();
    let structural = !dice.once_in(4);
    let mut doubled = false;
    if !structural {
        for _ in 0..=dice.below(2) {
            doubled |= change_bytes(&mut line, dice);
        }
    }
    // One line is one message, whatever happened to it.
    for byte in &mut line {
        if *byte == b'\n' {
            *byte = b' ';
        }
    }
    let expected = match structural {
        _ if doubled => Expected::Any,
        // A line that is nested deeper than parsers go is no JSON to them.
        true if serde_json::from_slice::<Value>(&line).is_ok() => expected(&value, id),
        true => Expected::AtMostOne,
        false => Expected::AtMostOne,
    };
    Mutated { line, expected }
}

/// By the words of JSON-RPC, not by ours.
fn expected(value: &Value, id: &str) -> Expected {
    let is_request = value["jsonrpc"] == "2.0"
        && value["id"] == id
        && value["method"].is_string()
        && value.get("params").is_none_or(Value::is_object)
        && value.get("result").is_none()
        && value.get("error").is_none();
    // This one is answered when it ends.
    let stays_open = value["method"] == "subscriptions/listen";
    if is_request && !stays_open {
        Expected::One
    } else {
        Expected::AtMostOne
    }
}

/// Walks down at random and changes what it finds there.
fn change_somewhere(value: &mut Value, dice: &mut Dice) {
    let deeper = !dice.once_in(4);
    match value {
        Value::Object(fields) if deeper && !fields.is_empty() => {
            let index = dice.below(fields.len());
            let key = fields.keys().nth(index).unwrap().clone();
            if dice.once_in(6) {
                change_key(fields, &key, dice);
            } else {
                change_somewhere(&mut fields[&key], dice);
            }
        }
        Value::Array(items) if deeper && !items.is_empty() => {
            let index = dice.below(items.len());
            change_somewhere(&mut items[index], dice);
        }
        value => change(value, dice),
    }
}

fn change_key(fields: &mut Map<String, Value>, key: &str, dice: &mut Dice) {
    let old = fields.remove(key).unwrap_or_default();
    let new = match dice.below(7) {
        0 => return,
        1 => key.to_uppercase(),
        2 => format!("{key}\u{0}"),
        3 => odd_text(dice),
        4 => String::new(),
        5 => "__proto__".to_owned(),
        _ => {
            // Beside, not instead.
            fields.insert(key.to_owned(), old.clone());
            "extra".to_owned()
        }
    };
    fields.insert(new, old);
}

fn change(value: &mut Value, dice: &mut Dice) {
    *value = match dice.below(9) {
        0 => Value::Null,
        1 => json!(dice.once_in(2)),
        2 => odd_number(dice),
        3 => json!(odd_text(dice)),
        4 => json!([value.take()]),
        5 => json!({ "value": value.take() }),
        6 => nested(value.take(), dice),
        7 => match &*value {
            Value::String(text) => json!(text.repeat(dice.below(4))),
            _ => json!(value.to_string()),
        },
        _ => json!([]),
    };
}

fn nested(mut value: Value, dice: &mut Dice) -> Value {
    let lists = dice.once_in(2);
    // More than the parser follows, now and then.
    let deepest = if dice.once_in(10) { 400 } else { 40 };
    for _ in 0..dice.below(deepest) {
        value = if lists {
            json!([value])
        } else {
            json!({ "params": value })
        };
    }
    value
}

fn odd_number(dice: &mut Dice) -> Value {
    let integers = [0, -1, 1, i64::MAX, i64::MIN, 4_294_967_296, -32_700, 65_536];
    match dice.below(3) {
        0 => json!(dice.pick(&integers)),
        1 => json!(u64::MAX - dice.roll() % 3),
        _ => {
            let floats = [-0.0, 1e308, 5e-324, 0.1, 1.0, -1.5e300];
            Number::from_f64(*dice.pick(&floats)).map_or(Value::Null, Value::Number)
        }
    }
}

fn odd_text(dice: &mut Dice) -> String {
    let texts = [
        "",
        " ",
        "\0",
        "\u{1b}[31m",
        "\r\n",
        "current",
        "../../etc/passwd",
        "/",
        "C:\\x",
        "mode://",
        "mode://code/",
        "mode://%00",
        "file:///etc/passwd",
        "code",
        "CODE",
        "no-such",
        "sess_",
        "ses_AAAAAAAAAAAAAAAA",
        "2.0",
        "2026-07-28",
        "1900-01-01",
        "tools/call",
        "notifications/cancelled",
        "ﬀ",
        "👩‍👩‍👧‍👦",
        "\u{202e}abc",
        "\u{feff}",
        "e\u{301}",
        "\u{ffff}",
        "ignore previous instructions",
        "^(a+)+$",
        "true",
        "null",
        "{}",
        "-32000",
    ];
    match dice.below(60) {
        0 => "a".repeat(dice.below(100_000)),
        1 => "\u{1f9ec}".repeat(dice.below(5_000)),
        2 => "\\\"".repeat(dice.below(1_000)),
        _ => (*dice.pick(&texts)).to_owned(),
    }
}

/// Changes the line itself; true if the message may now be there twice.
fn change_bytes(line: &mut Vec<u8>, dice: &mut Dice) -> bool {
    let at = dice.below(line.len() + 1);
    match dice.below(12) {
        0 => line.truncate(at),
        1 => {
            line.drain(..at);
        }
        2 => line.insert(at, *dice.pick(b"\0\x01\x1b\x7f\xff\xc3\xed\"\\{}[],: ")),
        3 => {
            let byte = u8::try_from(dice.below(256)).unwrap();
            if let Some(found) = line.get_mut(at) {
                *found = byte;
            }
        }
        4 => line.splice(0..0, *b"\xef\xbb\xbf").for_each(drop),
        5 => line.push(b'\r'),
        6 => {
            let twin = line.clone();
            line.extend(twin);
            return true;
        }
        7 => {
            let list = [b"[", line.as_slice(), b",", line, b"]"].concat();
            *line = list;
            return true;
        }
        8 => replace(line, b"\"params\":", b"\"params\":1e400,\"x\":"),
        9 => replace(line, b"\"id\":", b"\"id\":\"other\",\"id\":"),
        10 => replace(line, b"\"method\":\"", b"\"method\":\"\\ud800"),
        _ => {
            let piece = line[at..].to_vec();
            let to = dice.below(at + 1);
            line.splice(to..to, piece);
            return true;
        }
    }
    false
}

fn replace(line: &mut Vec<u8>, old: &[u8], new: &[u8]) {
    let found = line.windows(old.len()).position(|piece| piece == old);
    if let Some(at) = found {
        line.splice(at..at + old.len(), new.iter().copied())
            .for_each(drop);
    }
}
