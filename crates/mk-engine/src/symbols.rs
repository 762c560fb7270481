//! The symbols of a project as tools and people ask for them, in words of our own.
//!
//! Who answers (the index or a language server) is decided in `exact`; what a rename or an edit plans, in
//! `edit_symbol`.

mod answer;

use std::collections::BTreeMap;
use std::time::Duration;

use mk_symbols::{AnswerSource, DefinitionTarget, IndexQuery, SymbolKind};
use mk_types::{Position, ProjectPath};

use crate::authorize::{AllowedCall, ToolRequest};
use crate::check::InForce;
use crate::code_error::CodeKind;
use crate::error::Error;
use crate::exact::AnnotatedAnswer;
use crate::file::only;
use crate::project::ProjectHandle;
use crate::workspace::Workspace;
pub use answer::{
    ContextLine, DefinitionText, FileOutline, FileProblem, FileProblems, FoundDefinition,
    IndexContents, IndexProgress, OutlineEntry, ProjectMap, SymbolAnswer, SymbolReference,
};

/// Of a line near a place.
const LONGEST_LINE: usize = 200;
/// How often somebody who waits for the index hears how far it is.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// What can be asked about the symbols of a project.
#[derive(Debug, Clone)]
pub struct ProjectSymbols<'a> {
    pub(crate) project: ProjectHandle<'a>,
}

impl<'a> ProjectHandle<'a> {
    pub fn symbols(self) -> ProjectSymbols<'a> {
        ProjectSymbols { project: self }
    }
}

/// Symbols to look for.
#[derive(Debug, Clone, Default)]
pub struct SymbolQuery {
    pub name: String,
    pub kind: Option<String>,
    /// Only files that match this glob.
    pub files: Option<String>,
    pub limit: usize,
}

/// The kinds that a [`SymbolQuery`] can ask for.
pub fn symbol_kinds() -> [&'static str; SymbolKind::ALL.len()] {
    SymbolKind::ALL.map(SymbolKind::as_str)
}

impl ProjectSymbols<'_> {
    pub async fn find(
        self,
        request: ToolRequest<'_>,
        query: SymbolQuery,
    ) -> Result<SymbolAnswer<FoundDefinition>, Error> {
        let query = query.parse()?;
        let AllowedCall { in_force, .. } = self.project.allow(&request)?;
        let answer = self.project.engine.find_symbols(&in_force, query).await?;
        Ok(SymbolAnswer::of(answer, None))
    }

    /// A symbol by its name; or, in the file that the call names, what stands at a line and column.
    pub async fn definition(
        self,
        request: ToolRequest<'_>,
        wanted: DefinitionQuery,
        limit: usize,
    ) -> Result<SymbolAnswer<DefinitionText>, Error> {
        let AllowedCall { permit, in_force } = self.project.allow(&request)?;
        let engine = self.project.engine;
        let file = optional(permit.targets())?;
        let AnnotatedAnswer { answer, note } = match (wanted, file) {
            (DefinitionQuery::Name(name_path), file) => {
                let named = move |workspace: &Workspace| {
                    let target = DefinitionTarget::Name {
                        name_path: &name_path,
                        file: file.as_ref(),
                    };
                    workspace.definitions(target, limit)
                };
                AnnotatedAnswer {
                    answer: engine.on_disk(&in_force, named).await?,
                    note: None,
                }
            }
            (DefinitionQuery::Position { line, column }, Some(file)) => {
                let position = Position { line, column };
                engine
                    .definition_at(&in_force, file, position, limit)
                    .await?
            }
            (DefinitionQuery::Position { .. }, None) => {
                return Err(Error::invalid("file_path", "A line needs a file_path"));
            }
        };
        Ok(SymbolAnswer::of(answer, note))
    }

    pub async fn references(
        self,
        request: ToolRequest<'_>,
        name_path: &str,
        shown: AnswerDetail,
    ) -> Result<SymbolAnswer<SymbolReference>, Error> {
        let AllowedCall { permit, in_force } = self.project.allow(&request)?;
        let file = optional(permit.targets())?;
        let engine = self.project.engine;
        let AnnotatedAnswer { answer, note } = engine
            .references(&in_force, name_path, file, shown.limit)
            .await?;
        let answer = SymbolAnswer::of(answer, note);
        self.with_context(&in_force, answer, shown).await
    }

    pub async fn implementations(
        self,
        request: ToolRequest<'_>,
        name_path: &str,
        shown: AnswerDetail,
    ) -> Result<SymbolAnswer<SymbolReference>, Error> {
        let AllowedCall { permit, in_force } = self.project.allow(&request)?;
        let file = optional(permit.targets())?;
        let engine = self.project.engine;
        let AnnotatedAnswer { answer, note } = engine
            .implementations(&in_force, name_path, file, shown.limit)
            .await?;
        let answer = SymbolAnswer::of(answer, note);
        self.with_context(&in_force, answer, shown).await
    }

    /// The places with the lines around them.
    async fn with_context(
        &self,
        in_force: &InForce,
        mut answer: SymbolAnswer<SymbolReference>,
        shown: AnswerDetail,
    ) -> Result<SymbolAnswer<SymbolReference>, Error> {
        if shown.context_lines == 0 {
            return Ok(answer);
        }
        let look = move |workspace: &Workspace| {
            let mut texts: BTreeMap<ProjectPath, String> = BTreeMap::new();
            for hit in &mut answer.hits {
                if !texts.contains_key(&hit.path) {
                    // A file that has vanished since has no lines.
                    let read = workspace.read_file(&hit.path).map(|read| read.text);
                    texts.insert(hit.path.clone(), read.unwrap_or_default());
                }
                let text = texts.get(&hit.path).map_or("", String::as_str);
                let first = hit.line.saturating_sub(shown.context_lines).max(1);
                let last = hit.line.saturating_add(shown.context_lines);
                let lines = text.lines().zip(1_u32..);
                let near = lines.filter(|(_, line)| (first..=last).contains(line));
                let line = |(text, line): (&str, u32)| ContextLine {
                    line,
                    text: text.chars().take(LONGEST_LINE).collect(),
                };
                hit.context = near.map(line).collect();
            }
            Ok(answer)
        };
        self.project.engine.on_disk(in_force, look).await
    }

    pub async fn outline(self, request: ToolRequest<'_>) -> Result<FileOutline, Error> {
        let AllowedCall { permit, in_force } = self.project.allow(&request)?;
        let file = only(permit.targets())?;
        self.outline_of(&in_force, file).await
    }

    pub async fn map(
        self,
        request: ToolRequest<'_>,
        tokens: usize,
        focus: Option<String>,
    ) -> Result<ProjectMap, Error> {
        let AllowedCall { in_force, .. } = self.project.allow(&request)?;
        self.map_of(&in_force, tokens, focus).await
    }

    /// The problems of the file that a call names; without one, of the files that tools of this process have changed.
    pub async fn problems(self, request: ToolRequest<'_>) -> Result<Vec<FileProblems>, Error> {
        let AllowedCall { permit, in_force } = self.project.allow(&request)?;
        let engine = self.project.engine;
        let files = match optional(permit.targets())? {
            Some(file) => vec![file],
            None => engine.open(&in_force.project).edited_files(),
        };
        let mut found = Vec::new();
        for path in files {
            let is_asked = !permit.targets().is_empty();
            match engine.diagnostics(&in_force, path.clone()).await {
                Ok(AnnotatedAnswer { answer, note }) => found.push(FileProblems {
                    path,
                    problems: answer.found.into_iter().map(FileProblem::from).collect(),
                    source: answer.source.to_string(),
                    note,
                }),
                Err(error) if is_asked => return Err(error),
                // One that was deleted, or that nobody can read as code, has no problems.
                Err(_) => {}
            }
        }
        Ok(found)
    }

    /// Waits until the index is complete, for a person who would rather wait than ask again; `tell` hears how far it is.
    pub async fn index(
        &self,
        mut tell: impl FnMut(IndexProgress) + Send + 'static,
    ) -> Result<IndexContents, Error> {
        let in_force = self.project.in_force()?;
        let wait = move |workspace: &Workspace| {
            let index = workspace.index()?;
            let progress = loop {
                let progress = IndexProgress::from(index.wait(TELL_EVERY));
                tell(progress);
                if let IndexProgress::Ready | IndexProgress::Stopped = progress {
                    break progress;
                }
            };
            let (files, symbols) = index.size();
            let skipped = index.skipped().into_iter();
            Ok(IndexContents {
                is_complete: progress == IndexProgress::Ready,
                files,
                symbols,
                skipped: skipped
                    .map(|file| (file.path, file.reason.to_string()))
                    .collect(),
            })
        };
        self.project.engine.on_disk(&in_force, wait).await
    }

    /// What the index has of a name, for the person at the command line.
    pub async fn find_for_operator(
        self,
        query: SymbolQuery,
    ) -> Result<SymbolAnswer<FoundDefinition>, Error> {
        let (query, in_force) = (query.parse()?, self.project.in_force()?);
        let find = move |workspace: &Workspace| workspace.find_symbols(&query);
        let answer = self.project.engine.on_disk(&in_force, find).await?;
        Ok(SymbolAnswer::of(answer, None))
    }

    /// Where a name is used, as the index or a language server knows it, for the person at the command line.
    pub async fn references_for_operator(
        self,
        name_path: &str,
        limit: usize,
        exactness: Exactness,
    ) -> Result<SymbolAnswer<SymbolReference>, Error> {
        let in_force = self.project.in_force()?;
        let engine = self.project.engine;
        let AnnotatedAnswer { answer, note } = match exactness {
            Exactness::LanguageServer => {
                engine.references(&in_force, name_path, None, limit).await?
            }
            Exactness::ByName => {
                let name_path = name_path.to_owned();
                let find =
                    move |workspace: &Workspace| workspace.references(&name_path, None, limit);
                let answer = engine.on_disk(&in_force, find).await?;
                AnnotatedAnswer { answer, note: None }
            }
        };
        Ok(SymbolAnswer::of(answer, note))
    }

    pub async fn outline_for_operator(self, path: ProjectPath) -> Result<FileOutline, Error> {
        let in_force = self.project.in_force()?;
        self.outline_of(&in_force, path).await
    }

    pub async fn map_for_operator(
        self,
        tokens: usize,
        focus: Option<String>,
    ) -> Result<ProjectMap, Error> {
        let in_force = self.project.in_force()?;
        self.map_of(&in_force, tokens, focus).await
    }

    pub(crate) async fn outline_of(
        &self,
        in_force: &InForce,
        path: ProjectPath,
    ) -> Result<FileOutline, Error> {
        let engine = self.project.engine;
        let shown = path.clone();
        let look = move |workspace: &Workspace| {
            let (text, outline) = workspace.outline(&path)?;
            let entry = |(position, symbol): (usize, &mk_symbols::Symbol)| OutlineEntry {
                depth: outline.depth(position),
                name_path: outline.indexed_path(position),
                kind: symbol.kind.as_str(),
                start_line: symbol.lines.start,
                end_line: symbol.lines.end,
                signature: symbol.signature.clone(),
                attributes: symbol.attributes(&text),
                docs: symbol.doc.clone(),
            };
            Ok(FileOutline {
                language: outline.language.name().to_owned(),
                source: AnswerSource::Index.to_string(),
                entries: outline.symbols.iter().enumerate().map(entry).collect(),
                path,
            })
        };
        let outline = engine.on_disk(in_force, look).await;
        match outline {
            // No grammar knows the language; its server may.
            Err(Error::Code(error)) if error.kind == CodeKind::InvalidArguments => {
                let known = engine.outline_by_server(in_force, shown).await;
                known.ok_or(Error::Code(error))
            }
            outline => outline,
        }
    }

    pub(crate) async fn map_of(
        &self,
        in_force: &InForce,
        tokens: usize,
        focus: Option<String>,
    ) -> Result<ProjectMap, Error> {
        let look = move |workspace: &Workspace| {
            let map = workspace.repository_map(tokens, focus.as_deref())?;
            Ok(ProjectMap {
                text: map.text,
                tokens: map.tokens,
                files_shown: map.files_shown,
                files_total: map.files_total,
                progress: map.progress.into(),
            })
        };
        self.project.engine.on_disk(in_force, look).await
    }
}

/// How much of an answer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerDetail {
    pub limit: usize,
    /// Around each place.
    pub context_lines: u32,
}

/// Who is asked where a symbol is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    ByName,
    LanguageServer,
}

/// What a definition is asked for by.
#[derive(Debug, Clone)]
pub enum DefinitionQuery {
    Name(String),
    /// Both counted from 1.
    Position {
        line: u32,
        column: u32,
    },
}

impl SymbolQuery {
    pub(crate) fn parse(self) -> Result<IndexQuery, Error> {
        let kind = self.kind.as_deref().map(|name| {
            SymbolKind::parse(name).ok_or_else(|| {
                let kinds = symbol_kinds().join(", ");
                Error::invalid(
                    "symbol_type",
                    format!("Parameter symbol_type must be one of: {kinds}"),
                )
            })
        });
        Ok(IndexQuery {
            kind: kind.transpose()?,
            files: self.files,
            limit: self.limit,
            ..IndexQuery::new(self.name)
        })
    }
}

/// The file that a call names, if it names one.
fn optional(targets: &[ProjectPath]) -> Result<Option<ProjectPath>, Error> {
    match targets {
        [] => Ok(None),
        targets => only(targets).map(Some),
    }
}
