//! Where a symbol is used or implemented: what a server names, and what only has the same name.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mk_lsp::{AttributedAnswer, FileLocation, FileRef, ServerError, SourceDocument};
use mk_symbols::{
    AnswerSource, DefinitionTarget, IndexAnswer, Reference, SymbolDefinition, name_position,
    references_at,
};
use mk_types::{Position, ProjectPath};

use super::{
    AnnotatedAnswer, LONG_PATIENCE, PATIENCE, by_name_because, changed_meanwhile, document, exact,
};
use crate::Engine;
use crate::check::InForce;
use crate::code_error::CodeKind;
use crate::error::Error;
use crate::workspace::Workspace;

/// More definitions of one name are not asked about one by one.
const MOST_ASKED: usize = 8;
/// Places of a name are compared with what a server names up to here.
const MOST_UNCLAIMED: usize = 5_000;

/// A symbol where a server can be asked about it.
#[derive(Debug, Clone)]
pub(super) struct SymbolAnchor {
    pub(super) document: SourceDocument,
    pub(super) position: Position,
}

/// What is asked about a symbol.
#[derive(Debug, Clone, Copy)]
enum SymbolQuestion {
    References,
    Implementations,
}

pub(super) type PlacesByFile = BTreeMap<ProjectPath, BTreeSet<Position>>;

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
    fn is_empty(&self) -> bool {
        self.places.is_empty() && self.n_outside == 0
    }

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
    /// Where a symbol is used, its definitions included. A name that nobody uses and nobody defines is not there.
    pub(crate) async fn references(
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
                    // A symbol is one of its own places; who does not see it sees nothing.
                    Ok(named) if named.is_empty() => Some(format!(
                        "{} does not know this symbol",
                        named.servers.join(", ")
                    )),
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
            Err(Error::Code(error)) if error.kind == CodeKind::Timeout => Some(error.message),
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
    pub(crate) async fn implementations(
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
        let by_name = self
            .on_disk(in_force, move |workspace| {
                // Where nothing can be found by name, the server's places stand alone.
                let by_name = workspace.references(&name_path, of.as_ref(), MOST_UNCLAIMED);
                Ok(by_name.ok())
            })
            .await?;
        let Some(by_name) = by_name else {
            return Ok(found);
        };
        let n_unseen = by_name.total.saturating_sub(by_name.hits.len());
        let mut unclaimed = by_name.hits;
        unclaimed.retain(|hit| {
            let position = Position {
                line: hit.place.line,
                column: hit.place.column,
            };
            let places = claimed.get(&hit.path);
            !places.is_some_and(|places| places.contains(&position))
        });
        let answer = &mut found.answer;
        answer.progress = by_name.progress;
        // Of more than were compared it is not known whose they are.
        answer.is_counted = by_name.is_counted && n_unseen == 0;
        let count = unclaimed.len();
        if count > 0 {
            let (source, least) = (
                &answer.source,
                if answer.is_counted { "" } else { "at least " },
            );
            found.note = Some(format!(
                "{} by {source}, then {least}{count} by name alone, which it does not attribute to this symbol",
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

    /// Whether a server sees a symbol at all.
    pub(super) async fn is_known(&self, in_force: &InForce, anchor: &SymbolAnchor) -> bool {
        let anchors = std::slice::from_ref(anchor);
        let about = SymbolQuestion::References;
        let named = self.places(in_force, anchors, about, PATIENCE).await;
        named.is_ok_and(|named| !named.is_empty())
    }

    pub(super) async fn anchor(
        &self,
        in_force: &InForce,
        symbol: &SymbolDefinition,
    ) -> Result<SymbolAnchor, Error> {
        let symbol = symbol.clone();
        self.on_disk(in_force, move |workspace| anchor(workspace, &symbol))
            .await
    }

    /// These places, and those that a server counts to other symbols of the same name.
    pub(super) async fn with_namesakes(
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

fn anchor(workspace: &Workspace, symbol: &SymbolDefinition) -> Result<SymbolAnchor, Error> {
    let document = document(workspace, &symbol.path)?;
    let position = name_position(&symbol.symbol, &document.text)
        .ok_or_else(|| changed_meanwhile(&symbol.path))?;
    Ok(SymbolAnchor { document, position })
}
