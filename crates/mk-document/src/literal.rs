//! Literals of JSON and of JavaScript as a tree in which every value knows its place, read without running anything.
//!
//! JSON may have comments and trailing commas, as editors write it. Of a script only what is a literal is understood;
//! see [`script`]. What the keys mean is not known here.

mod script;

use std::collections::{BTreeMap, HashMap};

use crate::diagnostic::DocumentPosition;
use crate::node::{DocumentNode, Located};
use serde_json::Value;

pub use script::read_script;

/// Each level costs stack, and nobody writes so many.
const DEEPEST: usize = 64;
/// Constants may be used again and again: a file may not grow without bounds by that.
const MOST_NODES: usize = 200_000;
const TOO_LARGE: &str = "the file is nested too deeply, or too large";
/// Keys that would change an object's nature where JavaScript reads the file.
const DANGEROUS: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// Why a text is no literal, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralFault {
    pub position: DocumentPosition,
    pub message: String,
}

type LiteralResult<T> = Result<T, LiteralFault>;

/// Reads one JSON value.
pub fn read_json(text: &str) -> LiteralResult<Located<DocumentNode>> {
    let mut reader = LiteralReader::new(text, Dialect::Json);
    let value = reader.value()?;
    reader.skip_space()?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.unread("there is more text after the value")),
    }
}

/// The same value without places. Whole numbers stay whole.
pub fn to_json(node: &DocumentNode) -> Value {
    match node {
        DocumentNode::Null => Value::Null,
        DocumentNode::Bool(flag) => Value::Bool(*flag),
        DocumentNode::Number(number) => number_to_json(*number),
        DocumentNode::Text(text) => Value::String(text.clone()),
        DocumentNode::List(items) => items.iter().map(|item| to_json(&item.value)).collect(),
        DocumentNode::Map(entries) => entries
            .iter()
            .map(|(key, value)| (key.value.clone(), to_json(&value.value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}

fn number_to_json(number: f64) -> Value {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= LARGEST_EXACT {
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}

/// The first key, at any depth, that must not be in a file.
pub fn dangerous_key(node: &DocumentNode) -> Option<&Located<String>> {
    match node {
        DocumentNode::List(items) => items.iter().find_map(|item| dangerous_key(&item.value)),
        DocumentNode::Map(entries) => entries.iter().find_map(|(key, value)| {
            if DANGEROUS.contains(&key.value.as_str()) {
                Some(key)
            } else {
                dangerous_key(&value.value)
            }
        }),
        DocumentNode::Null
        | DocumentNode::Bool(_)
        | DocumentNode::Number(_)
        | DocumentNode::Text(_) => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Json,
    Script,
}

struct LiteralReader<'a> {
    rest: &'a str,
    position: DocumentPosition,
    dialect: Dialect,
    constants: BTreeMap<String, Located<DocumentNode>>,
    depth: usize,
    n_nodes: usize,
}

impl<'a> LiteralReader<'a> {
    fn new(text: &'a str, dialect: Dialect) -> Self {
        Self {
            rest: text.strip_prefix('\u{feff}').unwrap_or(text),
            position: DocumentPosition::START,
            dialect,
            constants: BTreeMap::new(),
            depth: 0,
            n_nodes: 0,
        }
    }

    fn unread(&self, message: impl Into<String>) -> LiteralFault {
        LiteralFault {
            position: self.position,
            message: message.into(),
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let first = chars.next()?;
        self.rest = chars.as_str();
        if first == '\n' {
            self.position.line += 1;
            self.position.column = 1;
        } else {
            self.position.column += 1;
        }
        Some(first)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest.starts_with(text);
        if found {
            text.chars().for_each(|_| {
                self.bump();
            });
        }
        found
    }

    fn expect(&mut self, text: &str) -> LiteralResult<()> {
        if self.eat(text) {
            Ok(())
        } else {
            Err(self.unread(format!("expected `{text}`, found {}", self.shown())))
        }
    }

    /// What comes next, for messages.
    fn shown(&self) -> String {
        let word: String = self
            .rest
            .chars()
            .take_while(|character| !character.is_whitespace())
            .take(24)
            .collect();
        if self.rest.is_empty() {
            "the end of the file".to_owned()
        } else {
            format!("`{word}`")
        }
    }

    /// Skips white space and comments.
    fn skip_space(&mut self) -> LiteralResult<()> {
        loop {
            if self.rest.starts_with("//") {
                while self.peek().is_some_and(|character| character != '\n') {
                    self.bump();
                }
            } else if self.rest.starts_with("/*") {
                let opening = self.unread("the comment has no end");
                while !self.eat("*/") {
                    self.bump().ok_or_else(|| opening.clone())?;
                }
            } else if self
                .peek()
                .is_some_and(|character| character.is_whitespace() || character == '\u{feff}')
            {
                self.bump();
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self) -> LiteralResult<Located<DocumentNode>> {
        self.skip_space()?;
        self.depth += 1;
        self.n_nodes += 1;
        if self.depth > DEEPEST || self.n_nodes > MOST_NODES {
            return Err(self.unread(TOO_LARGE));
        }
        let position = self.position;
        let value = match self.peek() {
            Some('{') => self.object()?,
            Some('[') => self.array()?,
            Some('"') => DocumentNode::Text(self.string()?),
            Some('\'' | '`') if self.dialect == Dialect::Script => {
                DocumentNode::Text(self.string()?)
            }
            Some(character) if character.is_ascii_digit() || "-+.".contains(character) => {
                DocumentNode::Number(self.number()?)
            }
            _ => self.word()?,
        };
        self.depth -= 1;
        Ok(Located { value, position })
    }

    fn word(&mut self) -> LiteralResult<DocumentNode> {
        let before = self.unread(format!("expected a value, found {}", self.shown()));
        match (self.identifier().as_deref(), self.dialect) {
            (Some("true"), _) => Ok(DocumentNode::Bool(true)),
            (Some("false"), _) => Ok(DocumentNode::Bool(false)),
            (Some("null"), _) => Ok(DocumentNode::Null),
            (Some(name), Dialect::Script) => self.named(name, before.position),
            (None, Dialect::Script) => self.grouped(before),
            (_, Dialect::Json) => Err(before),
        }
    }

    fn identifier(&mut self) -> Option<String> {
        let fits = |character: char| character.is_alphanumeric() || "_$".contains(character);
        let starts = self
            .peek()
            .is_some_and(|first| fits(first) && !first.is_ascii_digit());
        if !starts {
            return None;
        }
        let mut name = String::new();
        while let Some(character) = self.peek().filter(|character| fits(*character)) {
            name.push(character);
            self.bump();
        }
        Some(name)
    }

    fn array(&mut self) -> LiteralResult<DocumentNode> {
        self.expect("[")?;
        let mut items = Vec::new();
        loop {
            self.skip_space()?;
            if self.eat("]") {
                return Ok(DocumentNode::List(items));
            }
            if self.dialect == Dialect::Script && self.rest.starts_with("...") {
                match self.spread()? {
                    DocumentNode::List(more) => items.extend(more),
                    other => {
                        let message =
                            format!("only a list can be spread here, not {}", other.kind());
                        return Err(self.unread(message));
                    }
                }
            } else {
                items.push(self.expression()?);
            }
            self.skip_space()?;
            if !self.rest.starts_with(']') {
                self.expect(",")?;
            }
        }
    }

    fn object(&mut self) -> LiteralResult<DocumentNode> {
        self.expect("{")?;
        let mut entries = Entries::default();
        loop {
            self.skip_space()?;
            if self.eat("}") {
                return Ok(DocumentNode::Map(entries.list));
            }
            if self.dialect == Dialect::Script && self.rest.starts_with("...") {
                match self.spread()? {
                    DocumentNode::Map(more) => {
                        more.into_iter().for_each(|entry| entries.put(entry));
                    }
                    other => {
                        let message =
                            format!("only an object can be spread here, not {}", other.kind());
                        return Err(self.unread(message));
                    }
                }
            } else {
                entries.put(self.entry()?);
            }
            self.skip_space()?;
            if !self.rest.starts_with('}') {
                self.expect(",")?;
            }
        }
    }

    fn entry(&mut self) -> LiteralResult<(Located<String>, Located<DocumentNode>)> {
        let position = self.position;
        let quoted = matches!(self.peek(), Some('"'))
            || self.dialect == Dialect::Script && matches!(self.peek(), Some('\''));
        let name = if quoted {
            self.string()?
        } else if self.dialect == Dialect::Json {
            return Err(self.unread(format!("expected a key in quotes, found {}", self.shown())));
        } else if self.peek().is_some_and(|first| first.is_ascii_digit()) {
            self.number()?.to_string()
        } else {
            let message = format!("expected a key, found {}", self.shown());
            let unread = self.unread(message);
            self.identifier().ok_or(unread)?
        };
        let key = Located {
            value: name,
            position,
        };
        self.skip_space()?;
        let shorthand =
            !quoted && self.dialect == Dialect::Script && matches!(self.peek(), Some(',' | '}'));
        let value = if shorthand {
            let value = self.constant(&key.value, position)?;
            Located { value, position }
        } else {
            self.expect(":")?;
            self.expression()?
        };
        Ok((key, value))
    }

    /// In a script a value may be followed by what only a type checker reads.
    fn expression(&mut self) -> LiteralResult<Located<DocumentNode>> {
        match self.dialect {
            Dialect::Json => self.value(),
            Dialect::Script => self.typed_value(),
        }
    }

    fn string(&mut self) -> LiteralResult<String> {
        let opening = self.unread("the text has no closing quote");
        let quote = self.bump();
        let mut text = String::new();
        loop {
            if quote == Some('`') && self.rest.starts_with("${") {
                return Err(self.unread("a template with `${…}` is not a literal"));
            }
            match self.bump() {
                None => return Err(opening),
                Some('\n') if quote != Some('`') => return Err(opening),
                closing if closing == quote => return Ok(text),
                Some('\\') => self.escape(&mut text)?,
                Some(character) => text.push(character),
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> LiteralResult<()> {
        let unknown = self.unread("unknown escape in the text");
        match self.bump() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some('0') if self.dialect == Dialect::Script => text.push('\0'),
            Some('v') if self.dialect == Dialect::Script => text.push('\u{b}'),
            Some('\n') if self.dialect == Dialect::Script => {}
            Some('x') if self.dialect == Dialect::Script => {
                let code = self.hexadecimal(2)?;
                text.push(char::from_u32(code).ok_or(unknown)?);
            }
            Some('u') if self.eat("{") => {
                let mut code = 0_u32;
                while !self.eat("}") {
                    let digit = self.bump().and_then(|digit| digit.to_digit(16));
                    let digit = digit.ok_or_else(|| unknown.clone())?;
                    code = code.saturating_mul(16).saturating_add(digit);
                }
                text.push(char::from_u32(code).ok_or(unknown)?);
            }
            Some('u') => {
                let mut code = self.hexadecimal(4)?;
                if (0xD800..0xDC00).contains(&code) && self.eat("\\u") {
                    let low = self.hexadecimal(4)?;
                    code = 0x1_0000 + ((code - 0xD800) << 10) + (low.wrapping_sub(0xDC00) & 0x3FF);
                }
                // Half of a pair alone is no character.
                text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(character) if "\"'\\/`$".contains(character) => text.push(character),
            Some(character) if self.dialect == Dialect::Script => text.push(character),
            _ => return Err(unknown),
        }
        Ok(())
    }

    fn hexadecimal(&mut self, n_digits: usize) -> LiteralResult<u32> {
        let mut code = 0;
        for _ in 0..n_digits {
            let unread = self.unread("expected a hexadecimal digit");
            let digit = self.bump().and_then(|digit| digit.to_digit(16));
            code = code * 16 + digit.ok_or(unread)?;
        }
        Ok(code)
    }

    fn number(&mut self) -> LiteralResult<f64> {
        let start = self.unread(format!("{} is not a number", self.shown()));
        let negative = self.eat("-");
        if !negative {
            self.eat("+");
        }
        let mut digits = String::new();
        let belongs = |digits: &str, character: char| {
            character.is_ascii_alphanumeric()
                || "._".contains(character)
                || "+-".contains(character)
                    && digits.ends_with(['e', 'E'])
                    && !digits.starts_with("0x")
        };
        while let Some(character) = self.peek().filter(|character| belongs(&digits, *character)) {
            self.bump();
            if character != '_' {
                digits.push(character);
            }
        }
        let number = match digits.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok().map(f64::from),
            None if digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') => {
                digits.parse::<f64>().ok()
            }
            None => None,
        };
        let number = number.filter(|number| number.is_finite()).ok_or(start)?;
        Ok(if negative { -number } else { number })
    }
}

/// An object's entries in the order of their keys' first mention.
#[derive(Default)]
struct Entries {
    list: Vec<(Located<String>, Located<DocumentNode>)>,
    index: HashMap<String, usize>,
}

impl Entries {
    /// The last value of a key counts, as in JavaScript.
    fn put(&mut self, entry: (Located<String>, Located<DocumentNode>)) {
        let next = self.list.len();
        let slot = *self.index.entry(entry.0.value.clone()).or_insert(next);
        match self.list.get_mut(slot) {
            Some(known) => *known = entry,
            None => self.list.push(entry),
        }
    }
}
