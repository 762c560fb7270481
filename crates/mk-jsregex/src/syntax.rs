//! Reads a JavaScript pattern (no `u` flag, with the web's legacy syntax) into a tree of what can be
//! reproduced exactly.
//!
//! It runs after `regress` has accepted the pattern, so it reports what is *unsupported* and the two
//! things `regress` lets through (a quantified assertion, a group name used twice). It does not know
//! how the tree is written for an engine.

use std::iter::Peekable;
use std::str::CharIndices;

use crate::PatternError;
use crate::measure::{MAX_COST, has_fixed_branches, measure};
use crate::set::Set;

/// Deeper than any pattern seen in the wild, and what the engine for look-around still takes.
const MAX_DEPTH: usize = 30;

/// Part of a pattern.
#[derive(Debug)]
pub(crate) enum PatternNode {
    Set(Set),
    Start,
    End,
    WordBoundary,
    NotWordBoundary,
    Sequence(Vec<Self>),
    Choice(Vec<Self>),
    Repeat {
        node: Box<Self>,
        min: u32,
        max: Option<u32>,
        greed: Greed,
    },
    Look {
        node: Box<Self>,
        direction: LookDirection,
        sense: Sense,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Greed {
    Greedy,
    Lazy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LookDirection {
    Ahead,
    Behind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sense {
    Positive,
    Negative,
}

/// One member of a class: a character can begin a range, an escape such as `\w` cannot.
enum ClassMember {
    Unit(u16),
    Set(Set),
}

pub(crate) fn read(source: &str) -> Result<PatternNode, PatternError> {
    let mut reader = PatternReader {
        source,
        characters: source.char_indices().peekable(),
        consumed: 0,
        depth: 0,
        names: Vec::new(),
    };
    let node = reader.read_choice()?;
    if reader.peek().is_some() {
        return Err(reader.reject("unmatched `)`"));
    }
    if measure(&node).cost > MAX_COST {
        return Err(reader.too_large());
    }
    Ok(node)
}

struct PatternReader<'source> {
    source: &'source str,
    characters: Peekable<CharIndices<'source>>,
    consumed: usize,
    depth: usize,
    names: Vec<&'source str>,
}

impl<'source> PatternReader<'source> {
    fn peek(&mut self) -> Option<char> {
        self.characters.peek().map(|(_, character)| *character)
    }

    fn next(&mut self) -> Option<char> {
        self.consumed += 1;
        self.characters.next().map(|(_, character)| character)
    }

    fn rest(&mut self) -> &'source str {
        let offset = self
            .characters
            .peek()
            .map_or(self.source.len(), |(offset, _)| *offset);
        self.source.get(offset..).unwrap_or_default()
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            for _ in text.chars() {
                self.next();
            }
        }
        found
    }

    fn reject(&self, reason: &str) -> PatternError {
        PatternError::NotJavaScript {
            pattern: self.source.to_owned(),
            reason: reason.to_owned(),
        }
    }

    fn unsupported(&self, construct: &'static str) -> PatternError {
        PatternError::Unsupported {
            pattern: self.source.to_owned(),
            construct,
            position: self.consumed.max(1),
        }
    }

    fn too_large(&self) -> PatternError {
        PatternError::TooLarge {
            pattern: self.source.to_owned(),
        }
    }

    fn read_choice(&mut self) -> Result<PatternNode, PatternError> {
        let mut branches = vec![self.read_sequence()?];
        while self.eat("|") {
            branches.push(self.read_sequence()?);
        }
        Ok(match branches.len() {
            1 => branches.remove(0),
            _ => PatternNode::Choice(branches),
        })
    }

    fn read_sequence(&mut self) -> Result<PatternNode, PatternError> {
        let mut nodes = Vec::new();
        while let Some(character) = self.peek() {
            if character == '|' || character == ')' {
                break;
            }
            let atom = self.read_atom()?;
            nodes.push(self.read_quantifier(atom)?);
        }
        Ok(match nodes.len() {
            1 => nodes.remove(0),
            _ => PatternNode::Sequence(nodes),
        })
    }

    fn read_atom(&mut self) -> Result<PatternNode, PatternError> {
        if read_braces(self.rest()).is_some() {
            return Err(self.reject("nothing to repeat"));
        }
        match self.next() {
            Some('^') => Ok(PatternNode::Start),
            Some('$') => Ok(PatternNode::End),
            Some('.') => Ok(PatternNode::Set(Set::line_end().complement())),
            Some('[') => self.read_class(),
            Some('(') => self.read_group(),
            Some('\\') => self.read_escape(),
            Some('*' | '+' | '?') | None => Err(self.reject("nothing to repeat")),
            Some(character) => Ok(PatternNode::Set(Set::single(self.unit(character)?))),
        }
    }

    fn unit(&self, character: char) -> Result<u16, PatternError> {
        u16::try_from(u32::from(character))
            .map_err(|_| self.unsupported("a character that is two in JavaScript"))
    }

    fn read_group(&mut self) -> Result<PatternNode, PatternError> {
        let look = if self.eat("?=") {
            Some((LookDirection::Ahead, Sense::Positive))
        } else if self.eat("?!") {
            Some((LookDirection::Ahead, Sense::Negative))
        } else if self.eat("?<=") {
            Some((LookDirection::Behind, Sense::Positive))
        } else if self.eat("?<!") {
            Some((LookDirection::Behind, Sense::Negative))
        } else {
            if self.eat("?<") {
                self.read_group_name()?;
            } else if !self.eat("?:") && self.peek() == Some('?') {
                return Err(self.unsupported("flags inside the pattern"));
            }
            None
        };
        let start = self.consumed;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.too_large());
        }
        let node = self.read_choice()?;
        self.depth -= 1;
        if !self.eat(")") {
            return Err(self.reject("unterminated group"));
        }
        let Some((direction, sense)) = look else {
            // In a group even an assertion can be repeated; without one it cannot.
            return Ok(match node {
                PatternNode::Set(_) | PatternNode::Choice(_) => node,
                node => PatternNode::Sequence(vec![node]),
            });
        };
        if direction == LookDirection::Behind && !has_fixed_branches(&node) {
            return Err(PatternError::Unsupported {
                pattern: self.source.to_owned(),
                construct: "a look-behind of varying length",
                position: start,
            });
        }
        Ok(PatternNode::Look {
            node: Box::new(node),
            direction,
            sense,
        })
    }

    fn read_group_name(&mut self) -> Result<(), PatternError> {
        let name = self.rest().split('>').next().unwrap_or_default();
        let plain = |character: char| character.is_alphanumeric() || "_$".contains(character);
        if !name.chars().all(plain) {
            return Err(self.unsupported("an escape in a group name"));
        }
        if self.names.contains(&name) {
            return Err(self.reject("duplicate group name"));
        }
        self.names.push(name);
        self.eat(name);
        self.eat(">");
        Ok(())
    }

    fn read_quantifier(&mut self, atom: PatternNode) -> Result<PatternNode, PatternError> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match read_braces(self.rest()) {
                Some((min, max, length)) => {
                    for _ in 1..length {
                        self.next();
                    }
                    (min, max)
                }
                None => return Ok(atom),
            },
            _ => return Ok(atom),
        };
        self.next();
        let greed = if self.eat("?") {
            Greed::Lazy
        } else {
            Greed::Greedy
        };
        match atom {
            PatternNode::Start
            | PatternNode::End
            | PatternNode::WordBoundary
            | PatternNode::NotWordBoundary => {
                return Err(self.reject("nothing to repeat"));
            }
            PatternNode::Look {
                direction: LookDirection::Behind,
                ..
            } => return Err(self.reject("a look-behind cannot be repeated")),
            _ => {}
        }
        // The engine refuses to repeat what takes no characters, and once says the same as often.
        if max == Some(0) || measure(&atom).max_width == 0 {
            return Ok(if min == 0 {
                PatternNode::Sequence(Vec::new())
            } else {
                atom
            });
        }
        Ok(PatternNode::Repeat {
            node: Box::new(atom),
            min,
            max,
            greed,
        })
    }

    fn read_escape(&mut self) -> Result<PatternNode, PatternError> {
        match self.peek() {
            Some('b') => {
                self.next();
                Ok(PatternNode::WordBoundary)
            }
            Some('B') => {
                self.next();
                Ok(PatternNode::NotWordBoundary)
            }
            _ => Ok(PatternNode::Set(match self.read_character_escape()? {
                ClassMember::Unit(unit) => Set::single(unit),
                ClassMember::Set(set) => set,
            })),
        }
    }

    /// An escape that means the same in and outside a class.
    fn read_character_escape(&mut self) -> Result<ClassMember, PatternError> {
        let character = self.next().ok_or_else(|| self.reject("`\\` at the end"))?;
        Ok(match character {
            'd' => ClassMember::Set(Set::digits()),
            'D' => ClassMember::Set(Set::digits().complement()),
            'w' => ClassMember::Set(Set::word()),
            'W' => ClassMember::Set(Set::word().complement()),
            's' => ClassMember::Set(Set::space()),
            'S' => ClassMember::Set(Set::space().complement()),
            't' => ClassMember::Unit(0x09),
            'n' => ClassMember::Unit(0x0A),
            'v' => ClassMember::Unit(0x0B),
            'f' => ClassMember::Unit(0x0C),
            'r' => ClassMember::Unit(0x0D),
            'x' => ClassMember::Unit(self.read_hexadecimal(2)?),
            'u' => ClassMember::Unit(self.read_hexadecimal(4)?),
            '1'..='9' => return Err(self.unsupported("a backreference")),
            '0' => return Err(self.unsupported("an octal escape")),
            'k' => return Err(self.unsupported("a named backreference")),
            'p' | 'P' => return Err(self.unsupported("a Unicode property")),
            'c' => return Err(self.unsupported("a control escape")),
            _ if character.is_alphanumeric() => {
                return Err(self.unsupported("an escaped letter without a meaning"));
            }
            _ => ClassMember::Unit(self.unit(character)?),
        })
    }

    fn read_hexadecimal(&mut self, length: usize) -> Result<u16, PatternError> {
        // `from_str_radix` alone would take a sign.
        let digits = self
            .rest()
            .get(..length)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let unit = digits.ok_or_else(|| self.unsupported("an incomplete `\\x` or `\\u` escape"))?;
        for _ in 0..length {
            self.next();
        }
        Ok(unit)
    }

    fn read_class(&mut self) -> Result<PatternNode, PatternError> {
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        while !self.eat("]") {
            let first = self.read_member()?;
            let is_range = {
                let rest = self.rest();
                rest.starts_with('-') && !rest.starts_with("-]")
            };
            if !is_range {
                add_member(&mut ranges, first);
                continue;
            }
            self.next();
            match (first, self.read_member()?) {
                (ClassMember::Unit(low), ClassMember::Unit(high)) if low <= high => {
                    ranges.push((low, high));
                }
                (ClassMember::Unit(_), ClassMember::Unit(_)) => {
                    return Err(self.reject("class range out of order"));
                }
                // `[\w-.]`: with a set on either side the `-` stands for itself.
                (first, second) => {
                    add_member(&mut ranges, first);
                    add_member(&mut ranges, ClassMember::Unit(0x2D));
                    add_member(&mut ranges, second);
                }
            }
        }
        let set = Set::from_ranges(ranges);
        Ok(PatternNode::Set(if negated {
            set.complement()
        } else {
            set
        }))
    }

    fn read_member(&mut self) -> Result<ClassMember, PatternError> {
        match self.next() {
            None => Err(self.reject("unterminated class")),
            Some('\\') if self.eat("b") => Ok(ClassMember::Unit(0x08)),
            Some('\\') => self.read_character_escape(),
            Some(character) => Ok(ClassMember::Unit(self.unit(character)?)),
        }
    }
}

fn add_member(ranges: &mut Vec<(u16, u16)>, member: ClassMember) {
    match member {
        ClassMember::Unit(unit) => ranges.push((unit, unit)),
        ClassMember::Set(set) => ranges.extend(set.0),
    }
}

/// `{n}`, `{n,}` or `{n,m}` at the start of the text, with its length in characters. Anything else
/// that begins with `{` is a literal.
fn read_braces(text: &str) -> Option<(u32, Option<u32>, usize)> {
    let (inside, _) = text.strip_prefix('{')?.split_once('}')?;
    let (min, max) = match inside.split_once(',') {
        None => (inside, Some(inside)),
        Some((min, "")) => (min, None),
        Some((min, max)) => (min, Some(max)),
    };
    let max = match max {
        None => None,
        Some(digits) => Some(read_count(digits)?),
    };
    Some((read_count(min)?, max, inside.len() + 2))
}

fn read_count(digits: &str) -> Option<u32> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // A number that does not fit is far beyond what the cost limit lets pass.
    Some(digits.parse().unwrap_or(u32::MAX))
}
