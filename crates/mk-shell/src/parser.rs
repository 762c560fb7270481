//! The grammar: lists, pipelines, groups, keywords, redirections.
//!
//! One pass from left to right over the characters; a text inside quotes (backticks, `sh -c`) is
//! parsed by a parser of its own. What a simple command does is not known here.

mod cursor;

use crate::analysis::{AnalysisStep, LineAnalysis, Stop};
use crate::here_document::HereDocument;
use crate::word::{ShellWord, is_word_end};

const SYNTAX: Stop = Stop("the syntax is not understood");
const UNBALANCED: Stop = Stop("a group is not balanced");

#[derive(Debug)]
pub(crate) struct Parser<'analysis> {
    characters: Vec<char>,
    pub(crate) position: usize,
    pub(crate) here_documents: Vec<HereDocument>,
    pub(crate) analysis: &'analysis mut LineAnalysis,
}

/// What ends a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListEnd {
    Input,
    Parenthesis,
    Keyword(&'static [&'static str]),
    /// `;;` or `esac`.
    CaseItem,
}

/// What a list still needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListNeed {
    /// A command or the end.
    Command,
    /// A command: the line cannot end after `&&`.
    Operand,
    /// An operator or the end.
    Operator,
}

/// The commands since the last `;`, as far as the directory depends on them.
#[derive(Debug)]
struct CommandChain {
    start: Vec<String>,
    /// Joined by `&&` only: each command ran and was successful.
    is_certain: bool,
}

impl<'analysis> Parser<'analysis> {
    pub(crate) fn new(text: &str, analysis: &'analysis mut LineAnalysis) -> Self {
        Self {
            characters: text.chars().collect(),
            position: 0,
            here_documents: Vec::new(),
            analysis,
        }
    }

    /// Spaces, continued lines and a comment.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.advance(),
                Some('\\') if self.peek_at(1) == Some('\n') => self.position += 2,
                Some('#') => {
                    while self.peek().is_some_and(|character| character != '\n') {
                        self.advance();
                    }
                }
                _ => return,
            }
        }
    }

    fn skip_lines(&mut self) -> AnalysisStep<()> {
        loop {
            self.skip_blanks();
            if self.peek() != Some('\n') {
                return Ok(());
            }
            self.read_line_end()?;
        }
    }

    /// The unquoted word here if it is one of a few.
    fn eat_keyword(&mut self, keywords: &[&'static str]) -> Option<&'static str> {
        let found = keywords.iter().copied().find(|keyword| {
            self.looks_at(keyword) && self.peek_at(keyword.len()).is_none_or(is_word_end)
        })?;
        self.position += found.len();
        Some(found)
    }

    pub(crate) fn read_list(&mut self, end: ListEnd) -> AnalysisStep<&'static str> {
        let mut expect = ListNeed::Command;
        let mut chain = self.start_chain();
        loop {
            self.skip_blanks();
            let Some(character) = self.peek() else {
                if expect == ListNeed::Operand || end != ListEnd::Input {
                    return Err(UNBALANCED);
                }
                self.end_chain(&chain);
                return Ok("");
            };
            if expect != ListNeed::Operand
                && let Some(found) = self.eat_end(end, expect)
            {
                self.end_chain(&chain);
                return Ok(found);
            }
            expect = match character {
                '\n' if expect == ListNeed::Operand => {
                    self.read_line_end()?;
                    expect
                }
                '\n' => {
                    self.read_line_end()?;
                    self.separate(&mut chain);
                    ListNeed::Command
                }
                ')' => return Err(UNBALANCED),
                _ if expect == ListNeed::Operator => self.read_operator(character, &mut chain)?,
                _ => {
                    self.read_command()?;
                    self.settle_change(&chain);
                    ListNeed::Operator
                }
            };
        }
    }

    fn read_operator(
        &mut self,
        character: char,
        chain: &mut CommandChain,
    ) -> AnalysisStep<ListNeed> {
        match character {
            ';' if !self.looks_at(";;") && !self.looks_at(";&") => {
                self.advance();
                self.separate(chain);
                Ok(ListNeed::Command)
            }
            '&' if self.eat("&&") => {
                self.analysis.piped = None;
                Ok(ListNeed::Operand)
            }
            '&' => {
                self.advance();
                self.separate(chain);
                Ok(ListNeed::Command)
            }
            '|' => {
                chain.is_certain = false;
                self.end_chain(chain);
                if self.eat("||") {
                    self.analysis.piped = None;
                } else if !self.eat("|&") {
                    self.advance();
                }
                Ok(ListNeed::Operand)
            }
            _ => Err(SYNTAX),
        }
    }

    /// What follows gets no input, and starts wherever this chain may have led.
    fn separate(&mut self, chain: &mut CommandChain) {
        self.analysis.piped = None;
        self.end_chain(chain);
        *chain = self.start_chain();
    }

    fn eat_end(&mut self, end: ListEnd, expect: ListNeed) -> Option<&'static str> {
        match end {
            ListEnd::Parenthesis => self.eat(")").then_some(")"),
            ListEnd::CaseItem if self.eat(";;&") || self.eat(";;") || self.eat(";&") => Some(";;"),
            // A keyword is one only where a command can stand.
            ListEnd::CaseItem if expect == ListNeed::Command => self.eat_keyword(&["esac"]),
            ListEnd::Keyword(keywords) if expect == ListNeed::Command => self.eat_keyword(keywords),
            ListEnd::Input | ListEnd::Keyword(_) | ListEnd::CaseItem => None,
        }
    }

    fn start_chain(&self) -> CommandChain {
        CommandChain {
            start: self.analysis.directories.clone(),
            is_certain: true,
        }
    }

    /// After anything but `&&`, a `cd` may have failed.
    fn end_chain(&mut self, chain: &CommandChain) {
        if self.analysis.directories != chain.start {
            self.analysis.may_be_in(&chain.start);
        }
    }

    fn settle_change(&mut self, chain: &CommandChain) {
        if let Some(directories) = self.analysis.change.take() {
            self.skip_blanks();
            if self.looks_at("&&") && chain.is_certain {
                self.analysis.directories = directories;
            } else {
                self.analysis.may_be_in(&directories);
            }
        }
    }

    fn read_command(&mut self) -> AnalysisStep<()> {
        const OPENING: &[&str] = &[
            "{", "if", "while", "until", "for", "select", "case", "!", "[[", "function", "coproc",
        ];
        const CLOSING: &[&str] = &["then", "elif", "else", "fi", "do", "done", "esac", "}"];
        if self.eat("(") {
            if self.peek() == Some('(') || self.looks_at("\\\n") {
                return Err(Stop("arithmetic may run commands"));
            }
            self.read_subshell()?;
            return self.read_redirections();
        }
        if self.eat_keyword(CLOSING).is_some() {
            return Err(UNBALANCED);
        }
        let Some(keyword) = self.eat_keyword(OPENING) else {
            return self.read_simple_command();
        };
        self.analysis.descend()?;
        match keyword {
            "{" => {
                self.read_list(ListEnd::Keyword(&["}"]))?;
            }
            "if" => self.read_if()?,
            "while" | "until" => {
                self.analysis.loops += 1;
                self.read_list(ListEnd::Keyword(&["do"]))?;
                self.read_list(ListEnd::Keyword(&["done"]))?;
                self.analysis.loops -= 1;
            }
            "for" | "select" => self.read_for()?,
            "case" => self.read_case()?,
            "!" => {
                self.skip_blanks();
                self.read_command()?;
                // What follows `! cd x &&` is not in x.
                if let Some(directories) = self.analysis.change.take() {
                    self.analysis.may_be_in(&directories);
                }
                self.analysis.ascend();
                return Ok(());
            }
            "[[" => self.read_test()?,
            _ => return Err(Stop("a function or coprocess is defined")),
        }
        self.analysis.ascend();
        self.read_redirections()
    }

    fn read_if(&mut self) -> AnalysisStep<()> {
        self.read_list(ListEnd::Keyword(&["then"]))?;
        loop {
            match self.read_list(ListEnd::Keyword(&["elif", "else", "fi"]))? {
                "elif" => self.read_list(ListEnd::Keyword(&["then"]))?,
                "else" => return self.read_list(ListEnd::Keyword(&["fi"])).map(|_| ()),
                _ => return Ok(()),
            };
        }
    }

    fn read_for(&mut self) -> AnalysisStep<()> {
        self.skip_blanks();
        let name = self.read_word()?.ok_or(SYNTAX)?;
        self.analysis.check_variable(&name.value, "");
        self.skip_lines()?;
        let mut values = Vec::new();
        if self.eat_keyword(&["in"]).is_some() {
            loop {
                self.skip_blanks();
                let Some(word) = self.read_word()? else {
                    break;
                };
                values.extend(word.patterns());
            }
        } else {
            values.push(crate::ANYTHING.to_string());
        }
        self.analysis.assign(&name.value, values);
        self.skip_blanks();
        self.eat(";");
        self.skip_lines()?;
        if self.eat_keyword(&["do"]).is_none() {
            return Err(SYNTAX);
        }
        self.analysis.loops += 1;
        self.read_list(ListEnd::Keyword(&["done"]))?;
        self.analysis.loops -= 1;
        Ok(())
    }

    fn read_case(&mut self) -> AnalysisStep<()> {
        self.skip_blanks();
        self.read_word()?.ok_or(SYNTAX)?;
        self.skip_lines()?;
        if self.eat_keyword(&["in"]).is_none() {
            return Err(SYNTAX);
        }
        loop {
            self.skip_lines()?;
            if self.eat_keyword(&["esac"]).is_some() {
                return Ok(());
            }
            self.eat("(");
            loop {
                self.skip_blanks();
                self.read_word()?.ok_or(SYNTAX)?;
                self.skip_blanks();
                if !self.eat("|") {
                    break;
                }
            }
            if !self.eat(")") {
                return Err(SYNTAX);
            }
            if self.read_list(ListEnd::CaseItem)? == "esac" {
                return Ok(());
            }
        }
    }

    /// `[[ … ]]`, where `<`, `&&` and parentheses are not operators of the list.
    fn read_test(&mut self) -> AnalysisStep<()> {
        let mut words = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat_keyword(&["]]"]).is_some() {
                break;
            }
            match self.peek() {
                Some('<' | '>' | '(' | ')' | '&' | '|') => self.advance(),
                _ => words.push(self.read_word()?.ok_or(SYNTAX)?),
            }
        }
        self.analysis.run_test(&words);
        Ok(())
    }

    fn read_simple_command(&mut self) -> AnalysisStep<()> {
        let start = self.position;
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some('\n' | ';' | ')' | '|') => break,
                Some('&') if !self.looks_at("&>") => break,
                Some('(') => return Err(Stop("a function is defined, or a pattern is unclear")),
                _ if self.is_redirection() => self.read_redirection()?,
                _ => {
                    let word = self.read_word()?.ok_or(SYNTAX)?;
                    if !self.is_descriptor(&word)? {
                        words.push(word);
                    }
                }
            }
        }
        if self.position == start {
            return Err(SYNTAX);
        }
        self.analysis.run_simple(&words)
    }

    fn is_redirection(&self) -> bool {
        match self.peek() {
            Some('&') => self.looks_at("&>"),
            Some('<' | '>') => self.peek_at(1) != Some('('),
            _ => false,
        }
    }

    /// The `2` of `2>file`.
    fn is_descriptor(&self, word: &ShellWord) -> AnalysisStep<bool> {
        if !matches!(self.peek(), Some('<' | '>')) {
            return Ok(false);
        }
        if word.raw.starts_with('{') || word.raw.ends_with('\n') {
            return Err(Stop("a redirection is unclear"));
        }
        Ok(word.raw.chars().all(|character| character.is_ascii_digit()))
    }

    /// Redirections behind a group.
    fn read_redirections(&mut self) -> AnalysisStep<()> {
        loop {
            self.skip_blanks();
            if self
                .peek()
                .is_some_and(|character| character.is_ascii_digit())
                && matches!(self.peek_at(1), Some('<' | '>'))
            {
                self.advance();
            }
            if !self.is_redirection() {
                return Ok(());
            }
            self.read_redirection()?;
        }
    }

    fn read_redirection(&mut self) -> AnalysisStep<()> {
        // Longest first.
        const OPERATORS: &[&str] = &[
            "<<<", "<<-", "&>>", "<<", ">>", "<&", ">&", "<>", ">|", "&>", "<", ">",
        ];
        let operator = OPERATORS
            .iter()
            .copied()
            .find(|operator| self.eat(operator))
            .ok_or(SYNTAX)?;
        // zsh's `>!` and `>>|`.
        if matches!(self.peek(), Some('!' | '|' | '&')) {
            return Err(Stop("a redirection is unclear"));
        }
        self.skip_blanks();
        let closes = self.peek() == Some('-');
        let Some(target) = self.read_word()? else {
            return Err(Stop("a redirection has no target"));
        };
        // bash ends `>&-` at the dash, and expands any other word after `>&` twice.
        let is_doubtful = (closes && target.raw != "-") || target.raw != target.value;
        if matches!(operator, "<&" | ">&") && is_doubtful {
            return Err(Stop("a redirection is unclear"));
        }
        match operator {
            "<<<" => {}
            "<<" | "<<-" => self
                .here_documents
                .push(HereDocument::announce(operator, &target)?),
            "<&" | ">&" if is_descriptor_number(&target) => {}
            "<&" => return Err(Stop("a redirection is unclear")),
            "<" => self.analysis.read_file(&target),
            "<>" => {
                self.analysis.read_file(&target);
                self.analysis.write_file(&target);
            }
            _ => self.analysis.write_file(&target),
        }
        Ok(())
    }
}

impl LineAnalysis {
    /// Analyses the whole line; where it cannot be read, that becomes a doubt.
    pub(crate) fn read_line(&mut self, line: &str) {
        if let Err(Stop(reason)) = self.read_nested(line) {
            self.doubt_commands(reason);
        }
    }

    /// Analyses a text that the line runs in a process of its own.
    pub(crate) fn read_nested(&mut self, text: &str) -> AnalysisStep<()> {
        let directories = self.directories.clone();
        self.descend()?;
        let mut parser = Parser::new(text, self);
        parser.read_list(ListEnd::Input)?;
        if !parser.here_documents.is_empty() {
            return Err(Stop("a here-document is not closed"));
        }
        self.ascend();
        self.directories = directories;
        Ok(())
    }
}

fn is_descriptor_number(word: &ShellWord) -> bool {
    let digits = word.raw.strip_suffix('-').unwrap_or(&word.raw);
    digits.chars().all(|character| character.is_ascii_digit())
}
