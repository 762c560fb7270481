//! A configuration written as a JavaScript or TypeScript module whose value is a literal.
//!
//! Understood: `export default …`, `module.exports = …`, `defineConfig(…)`, constants declared before, spreads of them,
//! `as const`, `satisfies T`, imports (which are skipped). Nothing is run: anything that needs running is refused.

use crate::diagnostic::DocumentPosition;
use crate::node::{DocumentNode, Located};

use super::{DEEPEST, Dialect, LiteralFault, LiteralReader, LiteralResult, MOST_NODES, TOO_LARGE};

/// Functions that give back what they are given.
const TRANSPARENT: [&str; 2] = ["defineConfig", "Object.freeze"];

/// Reads the value that a module exports.
pub fn read_script(text: &str) -> LiteralResult<Located<DocumentNode>> {
    let mut reader = LiteralReader::new(text, Dialect::Script);
    let mut exported = None;
    loop {
        reader.skip_space()?;
        if reader.peek().is_none() {
            return exported.ok_or_else(|| reader.unread("nothing is exported from this file"));
        }
        if !reader.eat(";") {
            reader.statement(&mut exported)?;
        }
    }
}

impl LiteralReader<'_> {
    fn statement(&mut self, exported: &mut Option<Located<DocumentNode>>) -> LiteralResult<()> {
        if matches!(self.peek(), Some('"' | '\'')) {
            // A directive such as `'use strict'`.
            return self.string().map(drop);
        }
        let unread = self.not_a_literal();
        match self.identifier().as_deref() {
            Some("import") => self.import(),
            Some("export") => {
                self.skip_space()?;
                let unread = self.not_a_literal();
                match self.identifier().as_deref() {
                    Some("default") => self.export(exported),
                    Some("const" | "let" | "var") => self.declaration(),
                    _ => Err(unread),
                }
            }
            Some("module") if self.eat(".exports") => {
                self.skip_space()?;
                self.expect("=")?;
                self.export(exported)
            }
            Some("const" | "let" | "var") => self.declaration(),
            _ => Err(unread),
        }
    }

    fn export(&mut self, exported: &mut Option<Located<DocumentNode>>) -> LiteralResult<()> {
        *exported = Some(self.typed_value()?);
        Ok(())
    }

    /// `import … from 'x'`: only the name after it matters to the program that runs the file.
    fn import(&mut self) -> LiteralResult<()> {
        let opening = self.unread("the import has no end");
        while !matches!(self.peek(), Some('"' | '\'')) {
            self.skip_space()?;
            match self.peek() {
                Some(';') | None => return Err(opening),
                Some('"' | '\'') => {}
                Some(_) => {
                    self.bump();
                }
            }
        }
        self.string().map(drop)
    }

    fn declaration(&mut self) -> LiteralResult<()> {
        self.skip_space()?;
        if self.rest.starts_with('{') {
            // `const { defineConfig } = require('x')` declares functions, which are known by name.
            while self.peek().is_some_and(|character| character != '}') {
                self.bump();
            }
            self.expect("}")?;
            self.skip_space()?;
            self.expect("=")?;
            self.skip_space()?;
            self.expect("require(")?;
            self.skip_space()?;
            self.string()?;
            self.skip_space()?;
            return self.expect(")");
        }
        let unread = self.not_a_literal();
        let name = self.identifier().ok_or(unread)?;
        self.skip_space()?;
        if self.eat(":") {
            self.type_name()?;
            self.skip_space()?;
        }
        self.expect("=")?;
        let value = self.typed_value()?;
        self.constants.insert(name, value);
        Ok(())
    }

    /// A value, and what may follow it for the type checker's sake.
    pub(super) fn typed_value(&mut self) -> LiteralResult<Located<DocumentNode>> {
        let value = self.value()?;
        loop {
            let line = self.position.line;
            self.skip_space()?;
            let keyword = ["as", "satisfies"].into_iter().find(|keyword| {
                self.rest
                    .strip_prefix(keyword)
                    .is_some_and(|rest| rest.starts_with(char::is_whitespace))
            });
            match (keyword, self.peek()) {
                (Some(keyword), _) => {
                    self.expect(keyword)?;
                    self.type_name()?;
                }
                (None, Some(',' | ']' | '}' | ')' | ';') | None) => return Ok(value),
                // The next statement.
                (None, Some(character))
                    if self.position.line > line && !"+-*/%?.|&<>=([`".contains(character) =>
                {
                    return Ok(value);
                }
                (None, Some(_)) => return Err(self.not_a_literal()),
            }
        }
    }

    /// Skips the name of a type: `const`, `Config`, `import('x').Config`, `Partial<Config>`, `string[]`.
    fn type_name(&mut self) -> LiteralResult<()> {
        self.skip_space()?;
        let unread = self.unread(format!("expected a type, found {}", self.shown()));
        let mut n_open = 0_usize;
        let mut length = 0_usize;
        while let Some(character) = self.peek() {
            match character {
                '<' | '(' | '[' => n_open += 1,
                '>' | ')' | ']' if n_open > 0 => n_open -= 1,
                '\'' | '"' if n_open > 0 => {}
                ',' | ' ' if n_open > 0 => {}
                '.' | '_' | '$' => {}
                _ if character.is_alphanumeric() => {}
                _ => break,
            }
            length += 1;
            self.bump();
        }
        if length == 0 { Err(unread) } else { Ok(()) }
    }

    /// What a name stands for: a constant, or a function that gives back its argument.
    pub(super) fn named(
        &mut self,
        name: &str,
        position: DocumentPosition,
    ) -> LiteralResult<DocumentNode> {
        let mut name = name.to_owned();
        while self.eat(".") {
            let unread = self.not_a_literal();
            name.push('.');
            name.push_str(&self.identifier().ok_or(unread)?);
        }
        self.skip_space()?;
        if !self.rest.starts_with('(') {
            return self.constant(&name, position);
        }
        if !TRANSPARENT.contains(&name.as_str()) {
            return Err(LiteralFault {
                position,
                message: format!("`{name}(…)` would have to be run; only literals are read"),
            });
        }
        self.grouped(self.not_a_literal())
    }

    /// `( value )`.
    pub(super) fn grouped(&mut self, unread: LiteralFault) -> LiteralResult<DocumentNode> {
        if !self.eat("(") {
            return Err(unread);
        }
        let value = self.typed_value()?;
        self.skip_space()?;
        if self.eat(",") {
            self.skip_space()?;
        }
        self.expect(")")?;
        Ok(value.value)
    }

    pub(super) fn constant(
        &mut self,
        name: &str,
        position: DocumentPosition,
    ) -> LiteralResult<DocumentNode> {
        if name == "undefined" {
            return Ok(DocumentNode::Null);
        }
        let Some(value) = self.constants.get(name) else {
            return Err(LiteralFault {
                position,
                message: format!("`{name}` is not a literal, nor a constant declared before"),
            });
        };
        let (n_nodes, depth) = measure(&value.value);
        self.n_nodes += n_nodes;
        if self.n_nodes > MOST_NODES || self.depth + depth > DEEPEST {
            return Err(LiteralFault {
                position,
                message: TOO_LARGE.to_owned(),
            });
        }
        Ok(value.value.clone())
    }

    /// `...name`.
    pub(super) fn spread(&mut self) -> LiteralResult<DocumentNode> {
        self.expect("...")?;
        self.typed_value().map(|value| value.value)
    }

    fn not_a_literal(&self) -> LiteralFault {
        self.unread(format!(
            "only literals are read from this file, not {}",
            self.shown()
        ))
    }
}

/// How many values there are, and how deep they are nested.
fn measure(node: &DocumentNode) -> (usize, usize) {
    let children: Vec<&DocumentNode> = match node {
        DocumentNode::List(items) => items.iter().map(|item| &item.value).collect(),
        DocumentNode::Map(entries) => entries.iter().map(|(_, value)| &value.value).collect(),
        DocumentNode::Null
        | DocumentNode::Bool(_)
        | DocumentNode::Number(_)
        | DocumentNode::Text(_) => Vec::new(),
    };
    let below = children.into_iter().map(measure);
    let (n_nodes, depth) = below.fold((0, 0), |(n_nodes, depth), child| {
        (n_nodes + child.0, depth.max(child.1))
    });
    (n_nodes + 1, depth + 1)
}
