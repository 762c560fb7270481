//! Questions that a language server answers exactly, and the index only by name: the best that is there answers.

mod file;
mod places;
mod rename;

use std::sync::Arc;
use std::time::Duration;

use mk_lsp::{AttributedAnswer, FileLocation, FileRef, FoundSymbol, ServerError, SourceDocument};
use mk_symbols::{
    AnswerSource, Closeness, DefinitionTarget, IndexAnswer, IndexQuery, IndexState,
    IndexingProgress, ReportedSymbol, SymbolDefinition, SymbolHit, hits_beside,
};
use mk_types::{Position, ProjectPath};

use crate::Engine;
use crate::check::InForce;
use crate::code_error::{CodeError, CodeKind};
use crate::error::Error;
use crate::workspace::Workspace;

/// After this an answer by name is worth more than a better one.
const PATIENCE: Duration = Duration::from_secs(10);
/// For a symbol that the index does not know.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);
/// For namesakes of one that it does know.
const HARDLY_ANY_PATIENCE: Duration = Duration::from_millis(50);
/// Where there is no other answer, or no other that is safe, a server may take longer to read the project.
const LONG_PATIENCE: Duration = Duration::from_secs(100);

/// An answer, and why it is not better.
#[derive(Debug)]
pub(crate) struct AnnotatedAnswer<T> {
    pub answer: T,
    pub note: Option<String>,
}

impl Engine {
    /// Symbols by name: those of the index, and what a server that is ready knows beside it.
    pub(crate) async fn find_symbols(
        &self,
        in_force: &InForce,
        query: IndexQuery,
    ) -> Result<IndexAnswer<SymbolHit>, Error> {
        let asked = query.clone();
        let mut answer = self
            .on_disk(in_force, move |workspace| workspace.find_symbols(&asked))
            .await?;
        // What is beyond the limit cannot be told from what the index does not know.
        if answer.total > answer.hits.len() || mk_symbols::check_name(&query.pattern).is_err() {
            return Ok(answer);
        }
        let is_exact = |hit: &SymbolHit| hit.closeness == Closeness::Exact;
        let patience = if answer.hits.iter().any(is_exact) {
            HARDLY_ANY_PATIENCE
        } else {
            SHORT_PATIENCE
        };
        let project = self.open(&in_force.project);
        let mut asked = Vec::new();
        for language in project.ready_languages() {
            let ask = project.servers().symbols(&language, &query.pattern);
            let answered = tokio::time::timeout(patience, ask).await;
            let Ok(Ok(AttributedAnswer { server, value })) = answered else {
                continue;
            };
            let value: Vec<_> = value.into_iter().filter_map(reported).collect();
            let (query, known) = (query.clone(), answer.hits.clone());
            let beside = self
                .on_disk(in_force, move |workspace| {
                    let readable = |path: &_| workspace.readable(path);
                    Ok(hits_beside(&query, value, &known, &readable)?)
                })
                .await?;
            answer.total += beside.len();
            answer.hits.extend(beside);
            asked.push(server);
        }
        // Stable, and the index has sorted its own like this already.
        answer.hits.sort_by_key(|hit| hit.closeness);
        answer.hits.truncate(query.limit);
        if !asked.is_empty() {
            answer.source = AnswerSource::IndexAndServers(asked);
        }
        Ok(answer)
    }

    /// The definition of what stands at a place, wherever that is.
    pub(crate) async fn definition_at(
        &self,
        in_force: &InForce,
        file: ProjectPath,
        position: Position,
        limit: usize,
    ) -> Result<AnnotatedAnswer<IndexAnswer<SymbolDefinition>>, Error> {
        let project = self.open(&in_force.project);
        let mut note = None;
        if let Some(language) = project.servers().language_of(&file) {
            let document = self.document(in_force, &file).await?;
            let ask = || project.servers().definition(&document, position);
            match project.ask_server(language, PATIENCE, ask).await {
                Ok(AttributedAnswer { server, value }) => {
                    let found = self.defined(in_force, server, value, limit).await?;
                    if !found.answer.hits.is_empty() {
                        return Ok(found);
                    }
                    note = found.note;
                }
                Err(error) => note = by_name_because(&error),
            }
        }
        let answer = self
            .on_disk(in_force, move |workspace| {
                let Position { line, column } = position;
                let file = &file;
                workspace.definitions(DefinitionTarget::Position { file, line, column }, limit)
            })
            .await?;
        Ok(AnnotatedAnswer { answer, note })
    }

    /// The symbols that a server's places are the definitions of.
    async fn defined(
        &self,
        in_force: &InForce,
        server: String,
        locations: Vec<FileLocation>,
        limit: usize,
    ) -> Result<AnnotatedAnswer<IndexAnswer<SymbolDefinition>>, Error> {
        self.on_disk(in_force, move |workspace| {
            let mut hits: Vec<SymbolDefinition> = Vec::new();
            let mut note = None;
            for FileLocation { file, range } in locations {
                let FileRef::Inside(file) = file else {
                    note = Some(format!("defined outside the project, at {file}"));
                    continue;
                };
                let target = DefinitionTarget::Position {
                    file: &file,
                    line: range.start.line,
                    column: range.start.column,
                };
                let found = workspace.definitions(target, 1);
                for hit in found.into_iter().flat_map(|found| found.hits) {
                    if hit.symbol.lines.start != range.start.line {
                        // A local variable is no symbol, and the one around it is shown.
                        note = Some(format!("it is defined at {file}:{}", range.start.line));
                    }
                    hits.push(hit);
                }
            }
            let total = hits.len();
            hits.truncate(limit);
            let source = AnswerSource::Servers(vec![server]);
            let answer = exact(hits, total, source);
            Ok(AnnotatedAnswer { answer, note })
        })
        .await
    }

    async fn document(
        &self,
        in_force: &InForce,
        file: &ProjectPath,
    ) -> Result<SourceDocument, Error> {
        let file = file.clone();
        self.on_disk(in_force, move |workspace| document(workspace, &file))
            .await
    }
}

const COMPLETE: IndexingProgress = IndexingProgress {
    state: IndexState::Ready,
    files_done: 0,
    files_total: 0,
};

fn exact<T>(hits: Vec<T>, total: usize, source: AnswerSource) -> IndexAnswer<T> {
    IndexAnswer {
        hits,
        total,
        is_counted: true,
        source,
        progress: COMPLETE,
    }
}

fn document(workspace: &Workspace, path: &ProjectPath) -> Result<SourceDocument, Error> {
    if !workspace.readable(path) {
        // Who may not see a file does not learn that it is there.
        let path = path.as_str().into();
        return Err(mk_project::Error::Missing { path }.into());
    }
    Ok(SourceDocument {
        path: path.clone(),
        text: Arc::from(workspace.read_file(path)?.text),
    })
}

fn changed_meanwhile(path: &ProjectPath) -> Error {
    let message = format!("`{path}` has changed meanwhile");
    let error = CodeError::new(CodeKind::Timeout, message);
    error.with_hint("try again").into()
}

/// Why an answer is by name only; `None` if no server could give a better one.
fn by_name_because(error: &ServerError) -> Option<String> {
    match error {
        ServerError::UnknownLanguage { .. } => None,
        ServerError::NotInstalled { advice, .. } => Some(format!("{error}: {advice}")),
        ServerError::Timeout { server, doing, .. } => Some(format!(
            "{server} is not ready ({doing}): ask again for an exact answer"
        )),
        ServerError::Suspect { server } => Some(format!(
            "{server} is not responding: ask again later for an exact answer"
        )),
        error => Some(error.to_string()),
    }
}

/// A server's symbol as the index takes it; `None` if it is not in the project.
fn reported(found: FoundSymbol) -> Option<ReportedSymbol> {
    let FileRef::Inside(path) = found.location.file else {
        return None;
    };
    Some(ReportedSymbol {
        name: found.name,
        kind: found.kind,
        container: found.container,
        path,
        range: found.location.range,
    })
}
