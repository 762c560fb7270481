//! What starts with `$` or a backtick, and process substitution: the commands inside are analysed,
//! the result is unknown.
//!
//! Arithmetic and the rarer parameter expansions can run commands that stand in a variable. These
//! make the line opaque; they are not interpreted.

use crate::analysis::{Step, Stop};
use crate::parser::{End, Parser};
use crate::word::{Quoting, Shape};

impl Parser<'_> {
    /// What starts with `$` or a backtick. The value gets it as written.
    pub(crate) fn read_expansion(&mut self, quoting: Quoting, value: &mut String) -> Step<Shape> {
        let start = self.position;
        if self.peek() == Some('`') {
            self.read_backticks(quoting)?;
            value.push_str(&self.text_since(start));
            return Ok(Shape::Expansion);
        }
        // The shell joins lines before it sees what follows.
        let joins = |distance| {
            self.peek_at(distance) == Some('\\') && self.peek_at(distance + 1) == Some('\n')
        };
        if joins(1) || (self.peek_at(1) == Some('(') && joins(2)) {
            return Err(Stop("an expansion goes on in the next line"));
        }
        match self.peek_at(1) {
            Some('(') if self.peek_at(2) == Some('(') => self.read_arithmetic()?,
            Some('(') => {
                self.position += 2;
                self.read_subshell()?;
            }
            Some('{') => self.read_parameter(quoting)?,
            Some('[') => return Err(Stop("arithmetic may run commands")),
            Some('\'') if quoting == Quoting::None => {
                self.position += 2;
                self.read_ansi_quoted(value)?;
                return Ok(Shape::Literal);
            }
            Some('"') if quoting == Quoting::None => {
                self.position += 2;
                return self.read_double_quoted(value);
            }
            Some(character) if character == '_' || character.is_ascii_alphabetic() => {
                self.advance();
                while self
                    .peek()
                    .is_some_and(|character| character == '_' || character.is_ascii_alphanumeric())
                {
                    self.advance();
                }
            }
            Some(character) if character.is_ascii_digit() || "@*#?-$!".contains(character) => {
                self.position += 2;
            }
            _ => {
                self.advance();
                value.push('$');
                return Ok(Shape::Literal);
            }
        }
        value.push_str(&self.text_since(start));
        Ok(Shape::Expansion)
    }

    pub(crate) fn read_process_substitution(&mut self, value: &mut String) -> Step<()> {
        let start = self.position;
        self.position += 2;
        self.read_subshell()?;
        value.push_str(&self.text_since(start));
        Ok(())
    }

    /// A list up to its `)`, which changes no directory out here.
    pub(crate) fn read_subshell(&mut self) -> Step<()> {
        if !self.here_documents.is_empty() {
            return Err(Stop("a here-document surrounds a substitution"));
        }
        let directory = self.analysis.directory.clone();
        self.analysis.descend()?;
        self.read_list(End::Parenthesis)?;
        self.analysis.ascend();
        self.analysis.directory = directory;
        if !self.here_documents.is_empty() {
            return Err(Stop("a here-document is not closed"));
        }
        Ok(())
    }

    fn read_backticks(&mut self, quoting: Quoting) -> Step<()> {
        self.advance();
        let mut inside = String::new();
        loop {
            match self.next() {
                None => return Err(Stop("a substitution is not closed")),
                Some('`') => break,
                Some('\\') => match self.next() {
                    None => return Err(Stop("a substitution is not closed")),
                    Some(escaped @ ('`' | '\\' | '$')) => inside.push(escaped),
                    Some('"') if quoting == Quoting::Double => inside.push('"'),
                    Some(other) => inside.extend(['\\', other]),
                },
                Some(character) => inside.push(character),
            }
        }
        self.analysis.read_nested(&inside)
    }

    /// `$((…))` of numbers. A name could hold `a[$(command)]`.
    fn read_arithmetic(&mut self) -> Step<()> {
        self.position += 3;
        let mut open = 2_usize;
        while open > 0 {
            match self.next() {
                Some('(') => open += 1,
                Some(')') => open -= 1,
                Some(character)
                    if character.is_ascii_digit() || " +-*/%<>=!&|^~?:".contains(character) => {}
                _ => return Err(Stop("arithmetic may run commands")),
            }
        }
        Ok(())
    }

    /// `${…}`, with the commands in its words.
    fn read_parameter(&mut self, quoting: Quoting) -> Step<()> {
        let unclear = Stop("a parameter expansion is unclear");
        self.position += 2;
        let start = self.position;
        let mut ignored = String::new();
        self.analysis.descend()?;
        loop {
            match self.peek() {
                None => return Err(Stop("a substitution is not closed")),
                Some('}') => break,
                Some('\\') => self.position += 2,
                // In double quotes it depends on the operator whether this is a quote.
                Some('\'' | '{') => return Err(unclear),
                Some('"') => {
                    self.advance();
                    self.read_double_quoted(&mut ignored)?;
                }
                Some('$' | '`') => {
                    self.read_expansion(quoting, &mut ignored)?;
                }
                Some(_) => self.advance(),
            }
        }
        self.analysis.ascend();
        let inside = self.text_since(start);
        self.advance();
        if is_plain_parameter(&inside) {
            Ok(())
        } else {
            Err(unclear)
        }
    }

    /// The body of a here-document whose delimiter is not quoted.
    pub(crate) fn read_expanded_text(&mut self) -> Step<()> {
        let mut ignored = String::new();
        while let Some(character) = self.peek() {
            match character {
                '\\' => self.position += 2,
                '$' | '`' => {
                    self.read_expansion(Quoting::Double, &mut ignored)?;
                }
                _ => self.advance(),
            }
        }
        Ok(())
    }
}

/// A name, maybe with `[@]`, and maybe an operator that takes text. Not: indices, `${!name}`,
/// `${name@P}`, `${name:offset}`, `${ command; }`.
fn is_plain_parameter(inside: &str) -> bool {
    let inside = inside.strip_prefix('#').unwrap_or(inside);
    let after_name = inside.trim_start_matches(|character: char| {
        character == '_' || character.is_ascii_alphanumeric()
    });
    let rest = if after_name.len() < inside.len() || inside.is_empty() {
        after_name
    } else {
        match inside.strip_prefix(['@', '*', '?']) {
            Some(rest) => rest,
            None => return false,
        }
    };
    let rest = rest
        .strip_prefix("[@]")
        .or_else(|| rest.strip_prefix("[*]"))
        .unwrap_or(rest);
    let mut operator = rest.chars();
    match operator.next() {
        None | Some('-' | '=' | '+' | '?' | '#' | '%' | '/' | '^' | ',') => true,
        Some(':') => matches!(operator.next(), Some('-' | '=' | '+' | '?')),
        _ => false,
    }
}
