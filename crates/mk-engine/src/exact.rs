//! Questions that a language server answers exactly, and the index only by name: the best that is there answers.

mod rename;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use mk_lsp::{
    AttributedAnswer, FileLocation, FileRef, FoundSymbol, OutlineSymbol, ServerDiagnostic,
    ServerError, ServerSeverity, SourceDocument,
};
use mk_symbols::{
    AnswerSource, Closeness, DefinitionTarget, Error as SymbolError, IndexAnswer, IndexQuery,
    IndexState, IndexingProgress, Reference, ReportedSymbol, SymbolDefinition, SymbolHit,
    hits_beside, name_position, references_at, syntax_errors,
};
use mk_types::{Position, ProjectPath, Range};

use crate::Engine;
use crate::check::InForce;
use crate::code_error::{CodeError, CodeKind};
use crate::error::Error;
use crate::symbols::{FileOutline, OutlineEntry};
use crate::workspace::Workspace;

/// After this an answer by name is worth more than a better one.
const PATIENCE: Duration = Duration::from_secs(10);
/// For a symbol that the index does not know.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);
/// For namesakes of one that it does know.
const HARDLY_ANY_PATIENCE: Duration = Duration::from_millis(50);
/// Where there is no other answer, or no other that is safe, a server may take longer to read the project.
const LONG_PATIENCE: Duration = Duration::from_secs(100);
/// For what is wrong in a file before and after it is changed.
const EDIT_PATIENCE: Duration = Duration::from_secs(2);
/// Of a line that names a symbol.
const LONGEST_SIGNATURE: usize = 200;
/// More definitions of one name are not asked about one by one.
const MOST_ASKED: usize = 8;
/// Places of a name are compared with what a server names up to here.
const MOST_UNCLAIMED: usize = 5_000;

/// An answer, and why it is not better.
#[derive(Debug)]
pub struct AnnotatedAnswer<T> {
    pub answer: T,
    pub note: Option<String>,
}

/// What is wrong in a file.
#[derive(Debug)]
pub struct DiagnosedFile {
    pub found: Vec<ServerDiagnostic>,
    pub source: AnswerSource,
}

/// A symbol where a server can be asked about it.
#[derive(Debug, Clone)]
struct SymbolAnchor {
    document: SourceDocument,
    position: Position,
}

/// What is asked about a symbol.
#[derive(Debug, Clone, Copy)]
enum SymbolQuestion {
    References,
    Implementations,
}

type PlacesByFile = BTreeMap<ProjectPath, BTreeSet<Position>>;

/// What a server says about a symbol.
struct Claim {
    named: NamedPlaces,
    /// Where the symbol is defined.
    anchors: Vec<SymbolAnchor>,
    name_path: String,
}

/// Places by file, and who named them.
#[derive(Debug, Default)]
struct NamedPlaces {
    places: PlacesByFile,
    n_outside: usize,
    servers: Vec<String>,
}

impl NamedPlaces {
    fn add(&mut self, server: String, locations: Vec<FileLocation>) {
        for location in locations {
            match location.file {
                FileRef::Inside(path) => {
                    let places = self.places.entry(path).or_default();
                    places.insert(location.range.start);
                }
                FileRef::Outside(_) => self.n_outside += 1,
            }
        }
        if !self.servers.contains(&server) {
            self.servers.push(server);
        }
    }
}

impl Engine {
    /// Symbols by name: those of the index, and what a server that is ready knows beside it.
    pub async fn find_symbols(
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

    /// Where a symbol is used, its definitions included. A name that nobody uses and nobody defines is not there.
    pub async fn references(
        &self,
        in_force: &InForce,
        name_path: &str,
        file: Option<ProjectPath>,
        limit: usize,
    ) -> Result<AnnotatedAnswer<IndexAnswer<Reference>>, Error> {
        let anchors = self.anchors(in_force, name_path, file.clone()).await;
        let note = match anchors {
            Ok((anchors, total)) if total <= MOST_ASKED => {
                match self
                    .places(in_force, &anchors, SymbolQuestion::References, PATIENCE)
                    .await
                {
                    Ok(named) => {
                        let claim = Claim {
                            named,
                            anchors,
                            name_path: name_path.to_owned(),
                        };
                        return self.claimed_and_not(in_force, claim, limit).await;
                    }
                    Err(error) => by_name_because(&error),
                }
            }
            Ok((_, total)) => Some(format!(
                "{total} symbols have this name: give a name path or file_path for exact places"
            )),
            // A name may be used that is defined elsewhere.
            Err(Error::Code(error)) if error.kind == CodeKind::SymbolNotFound => None,
            Err(error) => return Err(error),
        };
        let name_path = name_path.to_owned();
        let answer = self
            .on_disk(in_force, move |workspace| {
                workspace.references(&name_path, file.as_ref(), limit)
            })
            .await?;
        Ok(AnnotatedAnswer { answer, note })
    }

    /// What implements a type, a trait, an interface or a method of one. Only a server knows.
    pub async fn implementations(
        &self,
        in_force: &InForce,
        name_path: &str,
        file: Option<ProjectPath>,
        limit: usize,
    ) -> Result<AnnotatedAnswer<IndexAnswer<Reference>>, Error> {
        let (anchors, _) = self.anchors(in_force, name_path, file).await?;
        let anchors = anchors.get(..anchors.len().min(MOST_ASKED));
        let anchors = anchors.unwrap_or_default();
        let about = SymbolQuestion::Implementations;
        let mut named = self.places(in_force, anchors, about, LONG_PATIENCE).await?;
        // Some servers count what was asked about as its own implementation.
        for SymbolAnchor { document, position } in anchors {
            if let Some(places) = named.places.get_mut(&document.path) {
                places.remove(position);
            }
        }
        self.tell(in_force, named, limit).await
    }

    /// The definition of what stands at a place, wherever that is.
    pub async fn definition_at(
        &self,
        in_force: &InForce,
        file: ProjectPath,
        position: Position,
        limit: usize,
    ) -> Result<AnnotatedAnswer<IndexAnswer<SymbolDefinition>>, Error> {
        let project = self.open(&in_force.project);
        let mut note = None;
        if let Some(language) = project.servers().language_of(&file) {
            let shown = file.clone();
            let document = self
                .on_disk(in_force, move |workspace| document(workspace, &shown))
                .await?;
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

    /// What is wrong in a file: what a server says; without one, where it does not parse.
    pub async fn diagnostics(
        &self,
        in_force: &InForce,
        file: ProjectPath,
    ) -> Result<AnnotatedAnswer<DiagnosedFile>, Error> {
        let project = self.open(&in_force.project);
        let shown = file.clone();
        let document = self
            .on_disk(in_force, move |workspace| document(workspace, &shown))
            .await?;
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
                Err(error @ ServerError::NotInstalled { .. }) => note = by_name_because(&error),
                Err(error) => return Err(error.into()),
            }
        }
        let errors = syntax_errors(&file, &document.text).ok_or_else(|| {
            Error::from(SymbolError::NoLanguage {
                path: file.as_str().into(),
            })
        })?;
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
            found: errors.into_iter().map(diagnostic).collect(),
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
        let shown = file.clone();
        let document = self
            .on_disk(in_force, move |workspace| document(workspace, &shown))
            .await
            .ok()?;
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
        let shown = file.clone();
        let document = self
            .on_disk(in_force, move |workspace| document(workspace, &shown))
            .await
            .ok()?;
        let ask = || project.servers().diagnostics(&document);
        let answered = project.ask_server(language, EDIT_PATIENCE, ask).await;
        answered.ok().map(|answered| answered.value)
    }

    /// The places of a symbol's first definitions, and how many definitions there are.
    async fn anchors(
        &self,
        in_force: &InForce,
        name_path: &str,
        file: Option<ProjectPath>,
    ) -> Result<(Vec<SymbolAnchor>, usize), Error> {
        let name_path = name_path.to_owned();
        self.on_disk(in_force, move |workspace| {
            let target = DefinitionTarget::Name {
                name_path: &name_path,
                file: file.as_ref(),
            };
            let found = workspace.definitions(target, MOST_ASKED + 1)?;
            let anchors = found.hits.iter().map(|one| anchor(workspace, one));
            Ok((anchors.collect::<Result<_, _>>()?, found.total))
        })
        .await
    }

    /// The places that a server names, then those of the same name that it does not: its view of a project is seldom
    /// the whole truth.
    async fn claimed_and_not(
        &self,
        in_force: &InForce,
        claim: Claim,
        limit: usize,
    ) -> Result<AnnotatedAnswer<IndexAnswer<Reference>>, Error> {
        let Claim {
            mut named,
            anchors,
            name_path,
        } = claim;
        let of = anchors.first().map(|anchor| anchor.document.path.clone());
        for SymbolAnchor { document, position } in anchors {
            let places = named.places.entry(document.path).or_default();
            places.insert(position);
        }
        let claimed = self
            .with_namesakes(in_force, &name_path, &named.places)
            .await;
        let mut found = self.tell(in_force, named, limit).await?;
        let unclaimed = self
            .on_disk(in_force, move |workspace| {
                let by_name = workspace.references(&name_path, of.as_ref(), MOST_UNCLAIMED);
                // Where nothing can be found by name, the server's places stand alone.
                let mut hits = by_name.map(|answer| answer.hits).unwrap_or_default();
                hits.retain(|hit| {
                    let position = Position {
                        line: hit.place.line,
                        column: hit.place.column,
                    };
                    let places = claimed.get(&hit.path);
                    !places.is_some_and(|places| places.contains(&position))
                });
                Ok(hits)
            })
            .await?;
        let count = unclaimed.len();
        if count > 0 {
            let answer = &mut found.answer;
            let source = &answer.source;
            found.note = Some(format!(
                "{} by {source}, then {count} by name alone, which it does not count to this symbol",
                answer.total
            ));
            answer.total += count;
            let room = limit.saturating_sub(answer.hits.len());
            let shown = unclaimed.into_iter().take(room);
            answer.hits.extend(shown.map(|hit| Reference {
                is_unclaimed: true,
                ..hit
            }));
        }
        Ok(found)
    }

    async fn anchor(
        &self,
        in_force: &InForce,
        symbol: &SymbolDefinition,
    ) -> Result<SymbolAnchor, Error> {
        let symbol = symbol.clone();
        self.on_disk(in_force, move |workspace| anchor(workspace, &symbol))
            .await
    }

    /// These places, and those that a server counts to other symbols of the same name.
    async fn with_namesakes(
        &self,
        in_force: &InForce,
        name_path: &str,
        places: &PlacesByFile,
    ) -> PlacesByFile {
        let mut claimed = places.clone();
        let name = mk_symbols::last_name(name_path).to_owned();
        let Ok((namesakes, total)) = self.anchors(in_force, &name, None).await else {
            return claimed;
        };
        let is_other = |anchor: &SymbolAnchor| {
            let known = places.get(&anchor.document.path);
            !known.is_some_and(|known| known.contains(&anchor.position))
        };
        // So many are nobody's to ask about one by one.
        let others = namesakes.into_iter().filter(|_| total <= MOST_ASKED);
        for anchor in others.filter(is_other) {
            let anchors = std::slice::from_ref(&anchor);
            let about = SymbolQuestion::References;
            let Ok(named) = self.places(in_force, anchors, about, PATIENCE).await else {
                continue;
            };
            for (path, places) in named.places {
                claimed.entry(path).or_default().extend(places);
            }
            let SymbolAnchor { document, position } = anchor;
            claimed.entry(document.path).or_default().insert(position);
        }
        claimed
    }

    /// Asks about each of these symbols; all are answered, or it fails.
    async fn places(
        &self,
        in_force: &InForce,
        anchors: &[SymbolAnchor],
        about: SymbolQuestion,
        patience: Duration,
    ) -> Result<NamedPlaces, ServerError> {
        let project = self.open(&in_force.project);
        let servers = project.servers();
        let mut named = NamedPlaces::default();
        for SymbolAnchor { document, position } in anchors {
            let language = servers.language_of(&document.path).ok_or_else(|| {
                ServerError::UnknownLanguage {
                    name: document.path.to_string(),
                }
            })?;
            let AttributedAnswer { server, value } = match about {
                SymbolQuestion::References => {
                    let ask = || servers.references(document, *position);
                    project.ask_server(language, patience, ask).await?
                }
                SymbolQuestion::Implementations => {
                    let ask = || servers.implementations(document, *position);
                    project.ask_server(language, patience, ask).await?
                }
            };
            named.add(server, value);
        }
        Ok(named)
    }

    /// A server's places as references, those that the mode lets the agent see.
    async fn tell(
        &self,
        in_force: &InForce,
        named: NamedPlaces,
        limit: usize,
    ) -> Result<AnnotatedAnswer<IndexAnswer<Reference>>, Error> {
        self.on_disk(in_force, move |workspace| {
            let mut hits = Vec::new();
            let mut total = 0;
            for (path, places) in named.places {
                if !workspace.readable(&path) {
                    continue;
                }
                total += places.len();
                // A file that has vanished since has no uses.
                let Ok(read) = workspace.read_file(&path) else {
                    continue;
                };
                if hits.len() < limit {
                    let places: Vec<Position> = places.into_iter().collect();
                    hits.extend(references_at(&path, &read.text, &places));
                }
            }
            hits.sort_by_key(|hit: &Reference| mk_symbols::is_test(hit.path.as_str()));
            hits.truncate(limit);
            let note = (named.n_outside > 0)
                .then(|| format!("{} more outside the project", named.n_outside));
            let answer = exact(hits, total, AnswerSource::Servers(named.servers));
            Ok(AnnotatedAnswer { answer, note })
        })
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

fn anchor(workspace: &Workspace, symbol: &SymbolDefinition) -> Result<SymbolAnchor, Error> {
    let document = document(workspace, &symbol.path)?;
    let position = name_position(&symbol.symbol, &document.text)
        .ok_or_else(|| changed_meanwhile(&symbol.path))?;
    Ok(SymbolAnchor { document, position })
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
            "{server} does not answer at the moment: ask again later for an exact answer"
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
