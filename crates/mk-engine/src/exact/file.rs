//! What a server says about one file: what is wrong in it, and what it defines.

use std::time::Duration;

use mk_lsp::{AttributedAnswer, OutlineSymbol, ServerDiagnostic, ServerError, ServerSeverity};
use mk_symbols::{AnswerSource, Error as SymbolError, SyntaxProblems, syntax_problems};
use mk_types::{Position, ProjectPath, Range};

use super::{AnnotatedAnswer, LONG_PATIENCE, by_name_because};
use crate::Engine;
use crate::check::InForce;
use crate::error::Error;
use crate::symbols::{FileOutline, OutlineEntry};

/// For what is wrong in a file before and after it is changed.
const EDIT_PATIENCE: Duration = Duration::from_secs(2);
/// Of a line that names a symbol.
const LONGEST_SIGNATURE: usize = 200;

/// What is wrong in a file.
#[derive(Debug)]
pub(crate) struct DiagnosedFile {
    pub found: Vec<ServerDiagnostic>,
    pub source: AnswerSource,
}

impl Engine {
    /// What is wrong in a file: what a server says; without one, where it does not parse.
    pub(crate) async fn diagnostics(
        &self,
        in_force: &InForce,
        file: ProjectPath,
    ) -> Result<AnnotatedAnswer<DiagnosedFile>, Error> {
        let project = self.open(&in_force.project);
        let document = self.document(in_force, &file).await?;
        let mut note = None;
        if let Some(language) = project.servers().language_of(&file) {
            let ask = || project.servers().diagnostics(&document);
            match project.ask_server(language, LONG_PATIENCE, ask).await {
                Ok(AttributedAnswer { server, value }) => {
                    let answer = DiagnosedFile {
                        found: value,
                        source: AnswerSource::Servers(vec![server]),
                    };
                    return Ok(AnnotatedAnswer { answer, note });
                }
                Err(error @ (ServerError::NotInstalled { .. } | ServerError::Blind { .. })) => {
                    note = by_name_because(&error);
                }
                Err(error) => return Err(error.into()),
            }
        }
        let SyntaxProblems {
            faults,
            is_brackets_only,
        } = syntax_problems(&file, &document.text).ok_or_else(|| {
            Error::from(SymbolError::NoLanguage {
                path: file.as_str().into(),
            })
        })?;
        if is_brackets_only {
            let why = "only brackets were checked, because of the macros in it";
            note = Some(note.map_or_else(|| why.to_owned(), |note| format!("{why}; {note}")));
        }
        let diagnostic = |error: mk_symbols::SyntaxFault| {
            let start = Position {
                line: error.line,
                column: error.column,
            };
            ServerDiagnostic {
                range: Range { start, end: start },
                severity: ServerSeverity::Error,
                message: error.message,
                code: None,
                source: None,
            }
        };
        let answer = DiagnosedFile {
            found: faults.into_iter().map(diagnostic).collect(),
            source: AnswerSource::Syntax,
        };
        Ok(AnnotatedAnswer { answer, note })
    }

    /// What a file defines, as its language's server tells it; `None` if there is none that does.
    pub(crate) async fn outline_by_server(
        &self,
        in_force: &InForce,
        file: ProjectPath,
    ) -> Option<FileOutline> {
        let project = self.open(&in_force.project);
        let language = project.servers().language_of(&file)?.to_owned();
        if !project.servers().is_installed(&language) {
            return None;
        }
        let document = self.document(in_force, &file).await.ok()?;
        let ask = || project.servers().outline(&document);
        let answered = project.ask_server(&language, LONG_PATIENCE, ask).await;
        let AttributedAnswer { server, value } = answered.ok()?;
        let mut entries = Vec::new();
        add_entries(&value, &document.text, "", 0, &mut entries);
        Some(FileOutline {
            path: file,
            language,
            source: server,
            entries,
        })
    }

    /// What a server says about a file, if there is one that would answer at once.
    pub(crate) async fn known_problems(
        &self,
        in_force: &InForce,
        file: &ProjectPath,
    ) -> Option<Vec<ServerDiagnostic>> {
        let project = self.open(&in_force.project);
        let ready = project.ready_languages();
        if ready.is_empty() {
            return None;
        }
        let language = project.servers().language_of(file)?;
        if !ready.iter().any(|one| one == language) {
            return None;
        }
        let document = self.document(in_force, file).await.ok()?;
        let ask = || project.servers().diagnostics(&document);
        let answered = project.ask_server(language, EDIT_PATIENCE, ask).await;
        answered.ok().map(|answered| answered.value)
    }
}

/// A server's tree as a list, each symbol with the line that names it.
fn add_entries(
    symbols: &[OutlineSymbol],
    text: &str,
    container: &str,
    depth: usize,
    entries: &mut Vec<OutlineEntry>,
) {
    for symbol in symbols {
        let name_path = if container.is_empty() {
            symbol.name.clone()
        } else {
            format!("{container}/{}", symbol.name)
        };
        let line = symbol.selection.start.line;
        let signature = text.lines().nth(line.saturating_sub(1) as usize);
        let signature = signature.unwrap_or_default().trim();
        entries.push(OutlineEntry {
            depth,
            kind: symbol.kind,
            start_line: line,
            end_line: symbol.range.end.line.max(line),
            signature: signature.chars().take(LONGEST_SIGNATURE).collect(),
            attributes: Vec::new(),
            docs: None,
            name_path: name_path.clone(),
        });
        add_entries(&symbol.children, text, &name_path, depth + 1, entries);
    }
}
