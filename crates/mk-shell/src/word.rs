//! Words: quotes, escapes, and what of a word is not text but expansion.
//!
//! A word's value is what the shell passes on if nothing in it expands. Variables that the line itself sets are
//! expanded; what else the running shell would put in is a wildcard.

use crate::analysis::{AnalysisStep, Stop};
use crate::parser::Parser;
use crate::text::{ANYTHING, SOME_NAME, TextBuilder};

/// A word as written and as passed on.
#[derive(Debug, Clone)]
pub(crate) struct ShellWord {
    pub(crate) raw: String,
    pub(crate) value: String,
    pub(crate) shape: WordShape,
    /// The name in `NAME=value`.
    pub(crate) variable: Option<String>,
    /// What it can be, where that is more than `value`.
    pub(crate) alternatives: Option<Vec<String>>,
}

/// How much a word's value says, from everything to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WordShape {
    Literal,
    /// A backslash before a character that needs none: a path separator, if this is for Windows.
    Backslash,
    /// `<(…)` or `>(…)`, alone: a pipe, not a file.
    Process,
    /// `*`, `?`, `[…]`, `{a,b}` or `~`.
    Pattern,
    Expansion,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quoting {
    None,
    Double,
}

impl ShellWord {
    /// A word that is not in the text, such as one that `xargs` adds.
    pub(crate) fn unknown() -> Self {
        Self {
            raw: String::new(),
            value: String::new(),
            shape: WordShape::Expansion,
            variable: None,
            alternatives: Some(vec![ANYTHING.to_string()]),
        }
    }

    /// A word that becomes something else before it is passed on.
    pub(crate) fn unknown_as(word: &Self) -> Self {
        Self {
            raw: word.raw.clone(),
            value: word.value.clone(),
            ..Self::unknown()
        }
    }

    /// A word that stands in the text as it is passed on.
    pub(crate) fn literal(text: &str) -> Self {
        Self {
            raw: text.to_owned(),
            value: text.to_owned(),
            shape: WordShape::Literal,
            variable: None,
            alternatives: None,
        }
    }

    /// Whether the shell may pass this on as more than one word.
    pub(crate) fn may_be_several(&self) -> bool {
        let is_quoted = self.raw.starts_with('"')
            && self.raw.ends_with('"')
            && self.raw.matches('"').count() == 2;
        self.shape >= WordShape::Pattern && !is_quoted
    }

    /// Whether it could be an option, although that cannot be seen.
    pub(crate) fn may_be_option(&self) -> bool {
        // `<(…)` is passed on as a path below `/dev`.
        self.shape != WordShape::Process
            && self.alternatives.iter().flatten().any(|pattern| {
                pattern.starts_with(['*', '?', '[', ANYTHING, SOME_NAME])
                    || pattern.starts_with('-')
            })
    }

    /// Whether it may become any number of words.
    pub(crate) fn may_be_anything(&self) -> bool {
        let is_unknown = |pattern: &String| pattern.contains(ANYTHING);
        self.may_be_several() && self.alternatives.iter().flatten().any(is_unknown)
    }

    /// A part of this word from `start` on, as certain as the whole.
    pub(crate) fn part(&self, value: &str) -> Self {
        // What the whole can be says nothing about a part, unless the part is its end.
        let skipped = self.value.len().saturating_sub(value.len());
        let tail = |pattern: &String| match self.value.get(..skipped) {
            Some(start) if self.value.ends_with(value) && pattern.starts_with(start) => {
                pattern.get(skipped..).map(str::to_owned)
            }
            _ => None,
        };
        let alternatives = self.alternatives.as_ref().map(|all| {
            let tails: Option<Vec<String>> = all.iter().map(tail).collect();
            tails.unwrap_or_else(|| vec![ANYTHING.to_string()])
        });
        Self {
            raw: value.to_owned(),
            value: value.to_owned(),
            shape: self.shape,
            variable: None,
            alternatives,
        }
    }

    /// This word with a text in front or behind.
    pub(crate) fn framed(&self, before: &str, after: &str) -> Self {
        let frame = |text: &str| format!("{before}{text}{after}");
        Self {
            raw: frame(&self.raw),
            value: frame(&self.value),
            shape: self.shape,
            variable: None,
            alternatives: self
                .alternatives
                .as_ref()
                .map(|all| all.iter().map(|pattern| frame(pattern)).collect()),
        }
    }
}

/// Unquoted characters that may turn out to be a pattern.
#[derive(Debug, Default)]
struct PatternScan {
    bracket: Option<char>,
    brace: Option<char>,
    previous: Option<char>,
}

impl PatternScan {
    fn sees_pattern(&mut self, character: char) -> bool {
        let found = match character {
            '*' | '?' => true,
            // In zsh `=ls` is the path of `ls`.
            '~' | '=' => self.previous.is_none(),
            ']' => self.bracket.is_some(),
            '}' => self.brace == Some(','),
            _ => false,
        };
        match character {
            '[' => self.bracket = Some('['),
            '{' if self.brace.is_none() => self.brace = Some('{'),
            ',' if self.brace.is_some() => self.brace = Some(','),
            '.' if self.brace.is_some() && self.previous == Some('.') => self.brace = Some(','),
            _ => {}
        }
        self.previous = Some(character);
        found
    }
}

/// A word of which the end is not yet reached.
struct PartialWord {
    start: usize,
    text: TextBuilder,
    shape: WordShape,
    before_equals: Option<String>,
    scan: PatternScan,
}

impl PartialWord {
    fn starting_at(start: usize) -> Self {
        Self {
            start,
            text: TextBuilder::default(),
            shape: WordShape::Literal,
            before_equals: None,
            scan: PatternScan::default(),
        }
    }

    fn widen(&mut self, shape: WordShape) {
        self.shape = self.shape.max(shape);
    }
}

/// Characters that need a backslash to stand for themselves.
fn needs_escape(character: char) -> bool {
    " \t|&;<>()$`\\\"'*?[]#~=%!{},^".contains(character)
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text
            .chars()
            .all(|character| character == '_' || character.is_ascii_alphanumeric())
}

pub(crate) fn is_word_end(character: char) -> bool {
    " \t\n;&|<>()".contains(character)
}

impl Parser<'_> {
    /// The word that starts here, if one does.
    pub(crate) fn read_word(&mut self) -> AnalysisStep<Option<ShellWord>> {
        let mut word = PartialWord::starting_at(self.position);
        while let Some(character) = self.peek() {
            match character {
                '<' | '>' if self.peek_at(1) == Some('(') => {
                    self.read_process_part(&mut word)?;
                }
                _ if is_word_end(character) => break,
                '\\' => self.read_escaped(&mut word)?,
                '\'' => {
                    self.advance();
                    word.scan.previous = Some('\'');
                    self.read_single_quoted(&mut word.text)?;
                }
                '"' => {
                    self.advance();
                    word.scan.previous = Some('"');
                    let shape = self.read_double_quoted(&mut word.text)?;
                    word.widen(shape);
                }
                '$' | '`' => {
                    word.scan.previous = Some('$');
                    let shape = self.read_expansion(Quoting::None, &mut word.text)?;
                    word.widen(shape);
                }
                _ => self.read_unquoted(character, &mut word),
            }
        }
        if self.position == word.start {
            return Ok(None);
        }
        self.finish_word(word).map(Some)
    }

    fn read_process_part(&mut self, word: &mut PartialWord) -> AnalysisStep<()> {
        let starts = self.position == word.start;
        self.read_process_substitution(&mut word.text)?;
        let is_alone = starts && self.peek().is_none_or(is_word_end);
        // A second one would be part of the same word.
        if is_alone && matches!(self.peek(), Some('<' | '>')) {
            return Err(Stop("a redirection is unclear"));
        }
        word.widen(if is_alone {
            WordShape::Process
        } else {
            WordShape::Expansion
        });
        Ok(())
    }

    fn read_escaped(&mut self, word: &mut PartialWord) -> AnalysisStep<()> {
        self.advance();
        let Some(escaped) = self.next() else {
            return Err(Stop("the line ends with a backslash"));
        };
        if escaped == '\n' {
            // The shell joins lines before it sees words: `i\⏎f` is a keyword.
            return match self.peek() {
                Some(next) if !is_word_end(next) => Err(Stop("a word continues on the next line")),
                _ => Ok(()),
            };
        }
        if !needs_escape(escaped) {
            word.widen(WordShape::Backslash);
        }
        word.scan.previous = Some('\\');
        word.text.push(escaped);
        Ok(())
    }

    fn read_unquoted(&mut self, character: char, word: &mut PartialWord) {
        if character == '=' && word.before_equals.is_none() {
            word.before_equals = Some(self.text_since(word.start));
        }
        if word.scan.sees_pattern(character) {
            word.widen(WordShape::Pattern);
        }
        match character {
            '*' | '?' | '[' | ']' => word.text.push_wildcard(character),
            '{' | '}' | ',' => word.text.push_brace(character),
            _ => word.text.push(character),
        }
        self.advance();
    }

    fn finish_word(&mut self, word: PartialWord) -> AnalysisStep<ShellWord> {
        let raw = self.text_since(word.start);
        let variable = word.before_equals.as_deref().and_then(assigned_name);
        let assigns_array = variable.is_some() && self.peek() == Some('(');
        if assigns_array || has_open_index(&raw) {
            return Err(Stop("an array is assigned"));
        }
        let (value, alternatives) = word.text.finish();
        // What the line itself has set is as good as written out.
        let shape = match word.shape {
            WordShape::Expansion if alternatives.is_none() => WordShape::Literal,
            shape => shape,
        };
        self.analysis.note_word(&value, alternatives.as_deref());
        Ok(ShellWord {
            raw,
            value,
            shape,
            variable,
            alternatives,
        })
    }

    fn read_single_quoted(&mut self, value: &mut TextBuilder) -> AnalysisStep<()> {
        loop {
            match self.next() {
                Some('\'') => return Ok(()),
                Some(character) => value.push(character),
                None => return Err(Stop("a quote is not closed")),
            }
        }
    }

    /// Reads to the closing `"`; the opening one is behind us.
    pub(crate) fn read_double_quoted(
        &mut self,
        value: &mut TextBuilder,
    ) -> AnalysisStep<WordShape> {
        let mut shape = WordShape::Literal;
        loop {
            match self.peek() {
                None => return Err(Stop("a quote is not closed")),
                Some('"') => {
                    self.advance();
                    return Ok(shape);
                }
                Some('\\') => {
                    self.advance();
                    match self.next() {
                        None => return Err(Stop("a quote is not closed")),
                        Some('\n') => {}
                        Some(escaped @ ('$' | '`' | '"' | '\\')) => value.push(escaped),
                        Some(other) => {
                            value.push('\\');
                            value.push(other);
                        }
                    }
                }
                Some('$' | '`') => {
                    shape = shape.max(self.read_expansion(Quoting::Double, value)?);
                }
                Some(character) => {
                    value.push(character);
                    self.advance();
                }
            }
        }
    }

    /// `$'…'`, after its opening quote.
    pub(crate) fn read_ansi_quoted(&mut self, value: &mut TextBuilder) -> AnalysisStep<()> {
        loop {
            let escaped = match self.next() {
                None => return Err(Stop("a quote is not closed")),
                Some('\'') => return Ok(()),
                Some('\\') => self.next().ok_or(Stop("a quote is not closed"))?,
                Some(character) => {
                    value.push(character);
                    continue;
                }
            };
            let decoded = match escaped {
                'n' => '\n',
                't' => '\t',
                '\\' | '\'' | '"' | '?' => escaped,
                'x' => self.read_number(16, 2)?,
                'u' => self.read_number(16, 4)?,
                'U' => self.read_number(16, 8)?,
                '0'..='7' => {
                    self.position -= 1;
                    self.read_number(8, 3)?
                }
                _ => return Err(Stop("a quoted text contains an unclear escape")),
            };
            if decoded.is_control() && decoded != '\n' && decoded != '\t' {
                return Err(Stop("a quoted text contains control characters"));
            }
            value.push(decoded);
        }
    }

    fn read_number(&mut self, radix: u32, max_digits: usize) -> AnalysisStep<char> {
        let mut number = 0_u32;
        let mut count = 0;
        while count < max_digits
            && let Some(digit) = self.peek().and_then(|character| character.to_digit(radix))
        {
            number = number.saturating_mul(radix).saturating_add(digit);
            count += 1;
            self.advance();
        }
        // Above ASCII, `\xHH` is a byte of the locale's encoding.
        let is_byte = max_digits < 4 && number > 0x7F;
        match char::from_u32(number) {
            Some(character) if count > 0 && number > 0 && !is_byte => Ok(character),
            _ => Err(Stop("a quoted text contains an unclear escape")),
        }
    }
}

/// `name[` makes the shell read up to the `]`, through spaces and operators.
fn has_open_index(raw: &str) -> bool {
    let Some((name, index)) = raw.split_once('[') else {
        return false;
    };
    let count = |wanted: char| raw.chars().filter(|it| *it == wanted).count();
    is_name(name) && (count('[') != count(']') || index.contains(['"', '\'', '\\', '$', '`']))
}

/// The variable that `prefix=` assigns to, with its index if it has one.
fn assigned_name(prefix: &str) -> Option<String> {
    let name = prefix.strip_suffix('+').unwrap_or(prefix);
    let array = name.split('[').next().unwrap_or_default();
    let has_index = array.len() < name.len();
    (is_name(array) && (!has_index || name.ends_with(']'))).then(|| name.to_owned())
}
