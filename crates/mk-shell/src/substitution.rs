//! What starts with `$` or a backtick, and process substitution: the commands inside are analysed,
//! the result is unknown.
//!
//! Arithmetic and the rarer parameter expansions can run commands that stand in a variable. These
//! make the line opaque; they are not interpreted.

use crate::analysis::{AnalysisStep, Stop};
use crate::parser::{ListEnd, Parser};
use crate::text::{ANYTHING, SOME_NAME, TextBuilder};
use crate::word::{Quoting, WordShape};

impl Parser<'_> {
    /// What starts with `$` or a backtick. The value gets it as written.
    pub(crate) fn read_expansion(
        &mut self,
        quoting: Quoting,
        value: &mut TextBuilder,
    ) -> AnalysisStep<WordShape> {
        let start = self.position;
        // The shell joins lines before it sees what follows.
        let joins = |distance| {
            self.peek_at(distance) == Some('\\') && self.peek_at(distance + 1) == Some('\n')
        };
        if joins(1) || (self.peek_at(1) == Some('(') && joins(2)) {
            return Err(Stop("an expansion continues on the next line"));
        }
        match self.peek_at(1) {
            Some('\'') if quoting == Quoting::None && self.peek() == Some('$') => {
                self.position += 2;
                self.read_ansi_quoted(value)?;
                return Ok(WordShape::Literal);
            }
            Some('"') if quoting == Quoting::None && self.peek() == Some('$') => {
                self.position += 2;
                return self.read_double_quoted(value);
            }
            _ => {}
        }
        let Some(values) = self.read_expanded_values(quoting)? else {
            self.advance();
            value.push('$');
            return Ok(WordShape::Literal);
        };
        value.push_expansion(&self.text_since(start), &values);
        Ok(WordShape::Expansion)
    }

    /// What the expansion here may put in its place, or nothing if `$` stands for itself.
    fn read_expanded_values(&mut self, quoting: Quoting) -> AnalysisStep<Option<Vec<String>>> {
        let values = match (self.peek(), self.peek_at(1)) {
            (Some('`'), _) => {
                let first = self.analysis.line.commands.len();
                self.read_backticks(quoting)?;
                self.analysis.output_since(first)
            }
            (_, Some('(')) if self.peek_at(2) == Some('(') => {
                self.read_arithmetic()?;
                vec![SOME_NAME.to_string()]
            }
            (_, Some('(')) => {
                self.position += 2;
                let first = self.analysis.line.commands.len();
                self.read_subshell()?;
                self.analysis.output_since(first)
            }
            (_, Some('{')) => {
                let inside = self.read_parameter(quoting)?;
                self.analysis.parameter(&inside, quoting)
            }
            (_, Some('[')) => return Err(Stop("arithmetic may run commands")),
            (_, Some(character)) if character == '_' || character.is_ascii_alphabetic() => {
                self.advance();
                let name = self.read_variable_name();
                self.analysis.variable(&name, quoting)
            }
            (_, Some('#' | '?' | '$' | '!')) => {
                self.position += 2;
                vec![SOME_NAME.to_string()]
            }
            (_, Some(character)) if character.is_ascii_digit() || "@*-".contains(character) => {
                self.position += 2;
                vec![ANYTHING.to_string()]
            }
            _ => return Ok(None),
        };
        Ok(Some(values))
    }

    fn read_variable_name(&mut self) -> String {
        let start = self.position;
        while self
            .peek()
            .is_some_and(|character| character == '_' || character.is_ascii_alphanumeric())
        {
            self.advance();
        }
        self.text_since(start)
    }

    pub(crate) fn read_process_substitution(
        &mut self,
        value: &mut TextBuilder,
    ) -> AnalysisStep<()> {
        let start = self.position;
        self.position += 2;
        self.read_subshell()?;
        value.push_expansion(&self.text_since(start), &[ANYTHING.to_string()]);
        Ok(())
    }

    /// A list up to its `)`, which changes no directory out here.
    pub(crate) fn read_subshell(&mut self) -> AnalysisStep<()> {
        if !self.here_documents.is_empty() {
            return Err(Stop("a here-document surrounds a substitution"));
        }
        let directories = self.analysis.directories.clone();
        self.analysis.descend()?;
        self.read_list(ListEnd::Parenthesis)?;
        self.analysis.ascend();
        self.analysis.directories = directories;
        if !self.here_documents.is_empty() {
            return Err(Stop("a here-document is not closed"));
        }
        Ok(())
    }

    fn read_backticks(&mut self, quoting: Quoting) -> AnalysisStep<()> {
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
    fn read_arithmetic(&mut self) -> AnalysisStep<()> {
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
    fn read_parameter(&mut self, quoting: Quoting) -> AnalysisStep<String> {
        let unclear = Stop("a parameter expansion is unclear");
        self.position += 2;
        let start = self.position;
        let mut ignored = TextBuilder::default();
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
            Ok(inside)
        } else {
            Err(unclear)
        }
    }

    /// The body of a here-document whose delimiter is not quoted.
    pub(crate) fn read_expanded_text(&mut self) -> AnalysisStep<()> {
        let mut ignored = TextBuilder::default();
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
        .or_else(|| without_index(rest))
        .unwrap_or(rest);
    let mut operator = rest.chars();
    match operator.next() {
        None | Some('-' | '=' | '+' | '?' | '#' | '%' | '/' | '^' | ',') => true,
        Some(':') => matches!(operator.next(), Some('-' | '=' | '+' | '?')),
        _ => false,
    }
}

/// `[0]`: a number runs nothing.
fn without_index(text: &str) -> Option<&str> {
    let (index, rest) = text.strip_prefix('[')?.split_once(']')?;
    let is_number = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(rest)
}
