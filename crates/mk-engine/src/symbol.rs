//! A project's symbols: an index that the first question starts, as fresh as the files are.
//!
//! Tools ask here and not the index, so that who answers is decided in one place.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mk_symbols::{
    AnswerSource, DefinitionTarget, Error as SymbolError, IndexAnswer, IndexQuery, IndexState,
    IndexingProgress, NamePlace, NameRenamePlan, Outline, Reference, RepositoryMap,
    SymbolDefinition, SymbolHit, SymbolIndex,
};
use mk_types::{AbsPath, ProjectPath, lock};

use crate::Engine;
use crate::code_error::{CodeError, CodeKind};
use crate::error::Error;
use crate::nearest::with_nearest;
use crate::open_project::OpenProject;
use crate::workspace::Workspace;

/// Small projects are indexed within this time; in larger ones the files that hold a name are read first.
const PATIENCE: Duration = Duration::from_millis(200);
/// More definitions of one name are not told apart by looking at them.
const MOST_NAMESAKES: usize = 50;

/// So many of the files that were changed last are looked at together.
const MOST_EDITED: usize = 20;

/// The symbols of a project.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    index: Mutex<Option<StartedIndex>>,
    /// Files that we have changed since.
    changed: Mutex<BTreeSet<ProjectPath>>,
    /// Files that we have changed, the last ones.
    edited: Mutex<VecDeque<ProjectPath>>,
}

#[derive(Debug)]
struct StartedIndex {
    index: Arc<SymbolIndex>,
    at: Instant,
}

/// How far a project's index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexStatus {
    pub progress: IndexingProgress,
    /// Files with symbols.
    pub files: usize,
    pub symbols: usize,
}

impl IndexStatus {
    pub fn is_complete(&self) -> bool {
        self.progress.state == IndexState::Ready
    }
}

/// What a rename would write.
#[derive(Debug)]
pub(crate) struct Rename {
    pub name: String,
    pub files: Vec<RenamedFile>,
    /// Places of the same name that a language server does not count to the symbol, each file with both renamed.
    pub unclaimed: Vec<RenamedFile>,
    pub source: AnswerSource,
    pub progress: IndexingProgress,
    /// Why the places may mean different things, though they share the name; `None` if there is no reason to think so.
    pub doubt: Option<String>,
}

#[derive(Debug)]
pub(crate) struct RenamedFile {
    pub path: ProjectPath,
    /// Of the text that was renamed.
    pub revision: String,
    pub text: String,
    pub places: Vec<NamePlace>,
}

impl Rename {
    /// The same with the places that a server does not count to the symbol.
    pub(crate) fn with_unclaimed(mut self) -> Self {
        for more in std::mem::take(&mut self.unclaimed) {
            match self.files.iter_mut().find(|file| file.path == more.path) {
                Some(file) => {
                    file.text = more.text;
                    file.places.extend(more.places);
                    file.places.sort_by_key(|place| (place.line, place.column));
                }
                None => self.files.push(more),
            }
        }
        if let AnswerSource::Servers(names) = self.source {
            self.source = AnswerSource::IndexAndServers(names);
        }
        self
    }
}

impl Symbols {
    /// Notes files that we have written ourselves; the next request pays for reading them.
    fn changed(&self, paths: impl Iterator<Item = ProjectPath>) {
        let paths: Vec<ProjectPath> = paths.collect();
        let mut edited = lock(&self.edited);
        edited.retain(|path| !paths.contains(path));
        edited.extend(paths.iter().cloned());
        let n_old = edited.len().saturating_sub(MOST_EDITED);
        edited.drain(..n_old);
        drop(edited);
        if lock(&self.index).is_some() {
            lock(&self.changed).extend(paths);
        }
    }

    fn status(&self) -> Option<IndexStatus> {
        let index = Arc::clone(&lock(&self.index).as_ref()?.index);
        let (files, symbols) = index.size();
        Some(IndexStatus {
            progress: index.progress(),
            files,
            symbols,
        })
    }

    /// Tells the index what we have written ourselves, also one that is still being made.
    fn pass_on(&self, index: &SymbolIndex) {
        let changed = std::mem::take(&mut *lock(&self.changed));
        let changed: Vec<ProjectPath> = changed.into_iter().collect();
        if !changed.is_empty() {
            index.update(&changed);
        }
    }
}

impl OpenProject {
    /// The files that tools of this process have changed, the last one last.
    pub(crate) fn edited_files(&self) -> Vec<ProjectPath> {
        lock(&self.symbols.edited).iter().cloned().collect()
    }
}

impl Workspace {
    /// The project's index as the files are now; while it is being made, what there is of it.
    pub fn index(&self) -> Result<Arc<SymbolIndex>, Error> {
        let symbols = &self.project.symbols;
        let (index, at) = {
            let mut started = lock(&symbols.index);
            if let Some(started) = started.as_ref() {
                (Arc::clone(&started.index), started.at)
            } else {
                let root = self.project.root();
                if self.project.is_never_a_project() {
                    let message = format!("{root} is not a project: it is not indexed");
                    let error = CodeError::new(CodeKind::ProjectNotActive, message);
                    return Err(error.with_hint("work in a project's directory").into());
                }
                let cache = self.project.state_folder().join("index");
                let index = Arc::new(SymbolIndex::start(self.project.root(), Some(cache))?);
                let at = Instant::now();
                index.refresh(self.clock.now());
                *started = Some(StartedIndex {
                    index: Arc::clone(&index),
                    at,
                });
                (index, at)
            }
        };
        symbols.pass_on(&index);
        let progress = index.wait(PATIENCE.saturating_sub(at.elapsed()));
        if progress.state == IndexState::Ready {
            index.refresh(self.clock.now());
        }
        Ok(index)
    }

    /// Says which files a call has changed.
    pub fn changed(&self, paths: impl Iterator<Item = ProjectPath>) {
        let paths: Vec<ProjectPath> = paths.collect();
        self.project.tell_servers(paths.iter().cloned());
        self.project.symbols.changed(paths.into_iter());
    }

    pub fn find_symbols(&self, query: &IndexQuery) -> Result<IndexAnswer<SymbolHit>, Error> {
        Ok(self.index()?.find(query, &|path| self.readable(path))?)
    }

    pub fn definitions(
        &self,
        target: DefinitionTarget<'_>,
        limit: usize,
    ) -> Result<IndexAnswer<SymbolDefinition>, Error> {
        let file = match target {
            DefinitionTarget::Name { file, .. } => file,
            DefinitionTarget::Position { file, .. } => Some(file),
        };
        let index = self.index()?;
        let found = index.definitions(target, limit, &|path| self.readable(path));
        found.map_err(|error| self.explain(error, file))
    }

    /// The one symbol that a name means.
    pub fn definition(
        &self,
        name_path: &str,
        file: Option<&ProjectPath>,
    ) -> Result<SymbolDefinition, Error> {
        let target = DefinitionTarget::Name { name_path, file };
        let answer = self.definitions(target, MOST_NAMESAKES)?;
        let (mut found, total) = (answer.hits, answer.total);
        if found.len() > 1 {
            let shown = |one: &SymbolDefinition| {
                format!("{}:{} {}", one.path, one.symbol.lines.start, one.name_path)
            };
            return Err(SymbolError::Ambiguous {
                name_path: name_path.to_owned(),
                candidates: found.iter().map(shown).collect(),
                total,
            }
            .into());
        }
        found.pop().ok_or_else(|| {
            let nearest = Vec::new();
            let name_path = name_path.to_owned();
            SymbolError::NoSymbol { name_path, nearest }.into()
        })
    }

    /// The symbols of a file as it is now, for which no index is needed.
    pub fn outline(&self, file: &ProjectPath) -> Result<(String, Outline), Error> {
        let path = || PathBuf::from(file.as_str());
        if !self.readable(file) {
            // Who may not see a file does not learn that it is there.
            return Err(mk_project::Error::Missing { path: path() }.into());
        }
        let text = self.read_file(file)?.text;
        let outline = Outline::parse(file.as_str(), &text).map_err(|reason| {
            let reason = reason.to_string();
            SymbolError::Skipped {
                path: path(),
                reason,
            }
        })?;
        let outline = outline.ok_or_else(|| SymbolError::NoLanguage { path: path() })?;
        Ok((text, outline))
    }

    /// Where a symbol is used. A name that nobody uses and nobody defines is not there.
    ///
    /// Uses in languages that cannot mean the symbol of file `of` do not count.
    pub fn references(
        &self,
        name_path: &str,
        of: Option<&ProjectPath>,
        limit: usize,
    ) -> Result<IndexAnswer<Reference>, Error> {
        let index = self.index()?;
        let answer = index.references(name_path, of, limit, &|path| self.readable(path))?;
        if answer.hits.is_empty() {
            let target = DefinitionTarget::Name {
                name_path,
                file: None,
            };
            self.definitions(target, 1)?;
        }
        Ok(answer)
    }

    pub fn repository_map(
        &self,
        tokens: usize,
        focus: Option<&str>,
    ) -> Result<RepositoryMap, Error> {
        Ok(self
            .index()?
            .map(tokens, focus, &|path| self.readable(path)))
    }

    /// What it takes to give every use of a symbol's name another one. Nothing is written.
    pub(crate) fn rename_by_name(
        &self,
        symbol: &SymbolDefinition,
        new_name: &str,
    ) -> Result<Rename, Error> {
        let name = &symbol.symbol.name;
        let plan = self.name_plan(symbol, new_name)?;
        let mut files = Vec::new();
        for file in &plan.files {
            let read = self.read_file(&file.path)?;
            let Some(text) = renamed(&read.editable(), &file.places, &plan.old, &plan.new) else {
                let message = format!("`{}` has changed meanwhile", file.path);
                let error = CodeError::new(CodeKind::Timeout, message);
                return Err(error.with_hint("try again").into());
            };
            files.push(RenamedFile {
                path: file.path.clone(),
                revision: read.revision,
                text,
                places: file.places.clone(),
            });
        }
        Ok(Rename {
            doubt: self.doubt(symbol, &plan)?,
            name: name.clone(),
            files,
            unclaimed: Vec::new(),
            progress: self.progress_of(&plan)?,
            source: plan.source,
        })
    }

    /// Where a symbol's name stands, whatever it means there.
    pub(crate) fn name_plan(
        &self,
        symbol: &SymbolDefinition,
        new_name: &str,
    ) -> Result<NameRenamePlan, Error> {
        let readable = |path: &ProjectPath| self.readable(path);
        let name = &symbol.symbol.name;
        let index = self.index()?;
        Ok(index.rename_plan_by_name(name, &symbol.path, new_name, &readable)?)
    }

    /// How complete an answer is that may be whole before the index is.
    pub(crate) fn progress_of(&self, plan: &NameRenamePlan) -> Result<IndexingProgress, Error> {
        let progress = self.index()?.progress();
        Ok(if plan.is_whole {
            let state = IndexState::Ready;
            IndexingProgress { state, ..progress }
        } else {
            progress
        })
    }

    fn doubt(
        &self,
        symbol: &SymbolDefinition,
        plan: &NameRenamePlan,
    ) -> Result<Option<String>, Error> {
        let name = &symbol.symbol.name;
        let target = DefinitionTarget::Name {
            name_path: name,
            file: None,
        };
        let found = self.definitions(target, MOST_NAMESAKES)?;
        let is_other = |one: &&SymbolDefinition| {
            one.path != symbol.path || one.symbol.container != symbol.symbol.container
        };
        let others: Vec<String> = found
            .hits
            .iter()
            .filter(is_other)
            .map(|one| format!("{}:{}", one.path, one.symbol.lines.start))
            .collect();
        Ok(if !plan.is_whole || found.is_partial() {
            Some("the index is not complete".to_owned())
        } else if let Some(path) = plan.unparsed.first() {
            let more = match plan.unparsed.len() - 1 {
                0 => String::new(),
                count => format!(" and {count} more"),
            };
            Some(format!(
                "{path}{more} has the name too and stays as it is, because it cannot be parsed"
            ))
        } else if !others.is_empty() {
            let shown: Vec<&str> = others.iter().take(5).map(String::as_str).collect();
            Some(format!("`{name}` is also defined at {}", shown.join(", ")))
        } else if !symbol.symbol.container.is_empty() {
            Some(format!(
                "`{name}` is part of `{}`, and other types may have one too",
                symbol.symbol.container
            ))
        } else {
            None
        })
    }

    fn explain(&self, error: SymbolError, file: Option<&ProjectPath>) -> Error {
        let error = Error::from(error);
        match file {
            Some(file) => with_nearest(error, self.root.root(), file, &|path| self.readable(path)),
            None => error,
        }
    }
}

/// The text with another name at these places; `None` if one of them does not hold the name any more.
fn renamed(text: &str, places: &[NamePlace], name: &str, new_name: &str) -> Option<String> {
    let mut lines = text.split_inclusive('\n').zip(1_u32..);
    let mut places = places.iter().peekable();
    let mut renamed = String::with_capacity(text.len());
    for (line, number) in lines.by_ref() {
        let mut rest = line;
        let mut column = 1;
        while let Some(place) = places.next_if(|place| place.line == number) {
            let n_before = (place.column.checked_sub(column)?) as usize;
            let at: usize = rest.chars().take(n_before).map(char::len_utf8).sum();
            let (before, after) = rest.split_at_checked(at)?;
            renamed.push_str(before);
            renamed.push_str(new_name);
            rest = after.strip_prefix(name)?;
            column = place.column + u32::try_from(name.chars().count()).ok()?;
        }
        renamed.push_str(rest);
    }
    places.next().is_none().then_some(renamed)
}

impl Engine {
    /// How far a project's index is; `None` if nobody has asked for it yet.
    pub(crate) fn index_status(&self, project: &AbsPath) -> Option<IndexStatus> {
        self.open(project).symbols.status()
    }
}
