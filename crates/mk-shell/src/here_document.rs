//! Here-documents: text for a command's standard input. The text is data; only the substitutions in
//! it are commands.

use crate::analysis::{AnalysisStep, Stop};
use crate::parser::Parser;
use crate::word::{ShellWord, WordShape};

/// A here-document whose body starts at the next line.
#[derive(Debug)]
pub(crate) struct HereDocument {
    delimiter: String,
    body: HereDocumentBody,
    indent: Indent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HereDocumentBody {
    Literal,
    Expanded,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Indent {
    Kept,
    Stripped,
}

impl HereDocument {
    /// `operator` is `<<` or `<<-`, `target` the word after it.
    pub(crate) fn announce(operator: &str, target: &ShellWord) -> AnalysisStep<Self> {
        if target.shape >= WordShape::Process || target.value.contains('\n') {
            return Err(Stop("the end of a here-document is unclear"));
        }
        Ok(Self {
            delimiter: target.value.clone(),
            body: if target.raw == target.value {
                HereDocumentBody::Expanded
            } else {
                HereDocumentBody::Literal
            },
            indent: if operator == "<<-" {
                Indent::Stripped
            } else {
                Indent::Kept
            },
        })
    }
}

impl Parser<'_> {
    /// A newline and the here-documents that start after it.
    pub(crate) fn read_line_end(&mut self) -> AnalysisStep<()> {
        self.advance();
        for document in std::mem::take(&mut self.here_documents) {
            let text = self.read_here_document(&document)?;
            if document.body == HereDocumentBody::Expanded {
                self.analysis.descend()?;
                Parser::new(&text, self.analysis).read_expanded_text()?;
                self.analysis.ascend();
            }
        }
        Ok(())
    }

    fn read_here_document(&mut self, document: &HereDocument) -> AnalysisStep<String> {
        let mut text = String::new();
        loop {
            if self.peek().is_none() {
                return Err(Stop("a here-document is not closed"));
            }
            let start = self.position;
            while self.peek().is_some_and(|character| character != '\n') {
                self.advance();
            }
            let line = self.text_since(start);
            self.advance();
            let content = match document.indent {
                Indent::Kept => line.as_str(),
                Indent::Stripped => line.trim_start_matches('\t'),
            };
            if content == document.delimiter {
                return Ok(text);
            }
            // The shell joins this line with the next before it looks for the end.
            if document.body == HereDocumentBody::Expanded && line.ends_with('\\') {
                return Err(Stop("the end of a here-document is unclear"));
            }
            text.push_str(&line);
            text.push('\n');
        }
    }
}
