//! `edit_symbol`: code is changed by its symbols.
//!
//! What is to be changed is found first; then the mode decides about every file; then all is written or nothing.

use std::time::Duration;

use mk_project::FileEdit;
use mk_symbols::{
    IndexAnswer, Reference, SymbolDefinition, SymbolEdit, SyntaxFault, plan_edit, syntax_errors,
};
use mk_types::ProjectPath;

use crate::Engine;
use crate::approval::Outcome;
use crate::authorize::ToolRequest;
use crate::check::InForce;
use crate::code_error::{CodeError, CodeKind, ErrorSubject};
use crate::edit::FileChanges;
use crate::error::Error;
use crate::next_step::NextStep;
use crate::symbol::{Rename, RenamedFile};
use crate::symbols::{IndexProgress, ProjectSymbols};
use crate::workspace::Workspace;

/// Beyond so many uses a symbol is in use, whatever the rest is.
const MOST_LOOKED_AT: usize = 5_000;
/// How long a deletion waits for an index that is not complete.
const INDEX_PATIENCE: Duration = Duration::from_secs(60);
/// So many places say where.
const MOST_USES: usize = 20;

/// What is to be done with a symbol.
#[derive(Debug, Clone)]
pub enum SymbolChange {
    Replace(String),
    InsertBefore(String),
    InsertAfter(String),
    /// Refused while it is used, unless somebody knows in how many places.
    Delete {
        expected_count: Option<usize>,
    },
    Rename {
        new_name: String,
        /// Refuse any other number of places.
        expected_count: Option<usize>,
    },
}

/// Whether a change is made or only shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditRun {
    Change,
    DryRun,
}

/// What was done with a symbol, or would be.
#[derive(Debug, Clone)]
pub struct SymbolEdited {
    pub name_path: String,
    pub changes: FileChanges,
    /// The lines of the new text; none for a rename.
    pub lines: Option<(u32, u32)>,
    /// Comments and attributes above it stayed as they were.
    pub kept_leading: bool,
    pub renamed: Option<SymbolRenamed>,
    /// Where files do not parse any more.
    pub syntax_errors: Vec<SyntaxProblem>,
}

/// How far a rename went.
#[derive(Debug, Clone)]
pub struct SymbolRenamed {
    pub name: String,
    pub new_name: String,
    pub n_places: usize,
    pub n_files: usize,
    /// The lines of each file.
    pub places: Vec<(ProjectPath, Vec<u32>)>,
    /// The lines of places that have the name, and that a language server does not count to the symbol; they stay.
    pub unclaimed: Vec<(ProjectPath, Vec<u32>)>,
    pub source: String,
    pub progress: IndexProgress,
    /// Why some places may mean something else of that name.
    pub doubt: Option<String>,
}

#[derive(Debug, Clone)]
pub struct SyntaxProblem {
    pub path: ProjectPath,
    pub line: u32,
    pub column: u32,
    pub message: String,
}

/// New texts, and what there is to say about them.
struct SymbolPlan {
    texts: Vec<NewText>,
    edited: SymbolEdited,
}

/// A text in place of the one that has this revision, and of no other.
#[derive(Clone)]
struct NewText {
    path: ProjectPath,
    revision: String,
    text: String,
}

impl ProjectSymbols<'_> {
    pub async fn edit(
        self,
        mut request: ToolRequest<'_>,
        (name, file): (&str, Option<&str>),
        change: SymbolChange,
        doing: EditRun,
    ) -> Result<Outcome<SymbolEdited>, Error> {
        let (project, engine) = (&self.project, self.project.engine);
        let in_force = project.in_force()?;
        if !engine.could_allow(&in_force, &request.call.tool) {
            project.judge(&request)?;
        }
        let file = match file {
            None => None,
            Some(path) => Some(engine.directory(&in_force, Some(path)).or_else(|error| {
                // The mode's own refusal says more.
                request.call.paths = vec![path.to_owned()];
                project.judge(&request).and(Err(error))
            })?),
        };
        let SymbolPlan { texts, edited } = engine
            .plan_symbol(&in_force, (name, file), change, doing)
            .await?;
        // The mode decides about every file, also for the dry run: it should not promise what would be refused.
        let paths = texts.iter().map(|new| new.path.as_str().to_owned());
        request.call.paths = paths.collect();
        let edits = |_: &InForce, _: &[ProjectPath]| Ok(texts.iter().map(NewText::edit).collect());
        let changed = match doing {
            EditRun::Change => project.edit(&request, edits).await?,
            EditRun::DryRun => {
                project.judge(&request)?;
                let edits = texts.iter().map(NewText::edit).collect();
                Outcome::Done(project.preview(&in_force, edits).await?)
            }
        };
        Ok(changed.map(|changes| SymbolEdited { changes, ..edited }))
    }
}

impl NewText {
    fn edit(&self) -> FileEdit {
        let text = self.text.clone();
        FileEdit::Replace {
            path: self.path.clone(),
            expected: Some(self.revision.clone()),
            change: Box::new(move |_| Ok(text)),
        }
    }
}

impl Engine {
    async fn plan_symbol(
        &self,
        in_force: &InForce,
        (name, file): (&str, Option<ProjectPath>),
        change: SymbolChange,
        doing: EditRun,
    ) -> Result<SymbolPlan, Error> {
        let name = name.to_owned();
        let find = move |workspace: &Workspace| workspace.definition(&name, file.as_ref());
        let symbol = self.on_disk(in_force, find).await?;
        if let SymbolChange::Delete { expected_count } = change {
            self.refuse_used(in_force, &symbol, expected_count).await?;
        }
        if let SymbolChange::Rename {
            new_name,
            expected_count,
        } = change
        {
            let renamed = self.rename(in_force, &symbol, &new_name).await?;
            let renamed = confirmed(&symbol, renamed, expected_count, doing)?;
            let plan = self
                .plan_rename(in_force, symbol, renamed, new_name)
                .await?;
            return match plan.edited.syntax_errors.first() {
                Some(error) if doing == EditRun::Change => Err(unparsable(&plan.edited, error)),
                _ => Ok(plan),
            };
        }
        let plan = move |workspace: &Workspace| {
            let read = workspace.read_file(&symbol.path)?;
            let name_path = format!("/{}", symbol.name_path);
            let edit = match &change {
                SymbolChange::Replace(text) => SymbolEdit::Replace(text),
                SymbolChange::InsertBefore(text) => SymbolEdit::InsertBefore(text),
                SymbolChange::InsertAfter(text) => SymbolEdit::InsertAfter(text),
                SymbolChange::Delete { .. } | SymbolChange::Rename { .. } => SymbolEdit::Delete,
            };
            let edited = plan_edit(&symbol.path, &read.editable(), &name_path, edit)?;
            let problem = |error| problem(&symbol.path, error);
            Ok(SymbolPlan {
                edited: SymbolEdited {
                    name_path: symbol.name_path.clone(),
                    changes: FileChanges::default(),
                    lines: Some((edited.lines.start, edited.lines.end)),
                    kept_leading: edited.kept_leading,
                    renamed: None,
                    syntax_errors: edited.errors.into_iter().map(problem).collect(),
                },
                texts: vec![NewText {
                    path: symbol.path.clone(),
                    revision: read.revision,
                    text: edited.text,
                }],
            })
        };
        self.on_disk(in_force, plan).await
    }

    /// A symbol that is used stays, unless somebody has seen the places and says how many there are.
    async fn refuse_used(
        &self,
        in_force: &InForce,
        symbol: &SymbolDefinition,
        expected: Option<usize>,
    ) -> Result<(), Error> {
        let found = self.all_uses_of(in_force, symbol).await?;
        let is_inside = |one: &Reference| {
            let lines = symbol.body_lines;
            one.path == symbol.path && (lines.start..=lines.end).contains(&one.place.line)
        };
        let is_use = |one: &&Reference| !one.is_definition && !is_inside(one);
        let uses: Vec<&Reference> = found.hits.iter().filter(is_use).collect();
        let count = uses.len();
        let is_all = found.is_counted && found.hits.len() == found.total;
        match expected {
            Some(expected) if expected == count && is_all => return Ok(()),
            Some(expected) if is_all => {
                return Err(mk_project::Error::UnexpectedCount { count, expected }.into());
            }
            None if count == 0 => return Ok(()),
            _ => {}
        }
        let name_path = &symbol.name_path;
        let places = if count == 1 { "place" } else { "places" };
        let more = if is_all { "" } else { "more than " };
        let mut message = format!("`{name_path}` is used in {more}{count} {places}");
        let n_unclaimed = uses.iter().filter(|one| one.is_unclaimed).count();
        if n_unclaimed > 0 {
            message.push_str(&format!(
                ", {n_unclaimed} of them by name alone, which {} does not attribute to this symbol",
                found.source
            ));
        }
        message.push(':');
        for one in uses.iter().take(MOST_USES) {
            let place = &one.place;
            message.push_str(&format!("\n- {}:{}: {}", one.path, place.line, place.text));
        }
        if count > MOST_USES {
            message.push_str(&format!("\n[{MOST_USES} of {more}{count} shown]"));
        }
        let hint = if is_all {
            format!(
                "change these places first; if they mean something else of that name, repeat with expected_count {count}"
            )
        } else {
            "change these places first".to_owned()
        };
        Err(invalid(message, hint, name_path))
    }

    /// The uses by a complete index: what it has not read may be the one place that matters.
    async fn all_uses_of(
        &self,
        in_force: &InForce,
        symbol: &SymbolDefinition,
    ) -> Result<IndexAnswer<Reference>, Error> {
        let found = self.uses_of(in_force, symbol).await?;
        if !found.is_partial() {
            return Ok(found);
        }
        let wait = |workspace: &Workspace| Ok(workspace.index()?.wait(INDEX_PATIENCE));
        self.on_disk(in_force, wait).await?;
        let found = self.uses_of(in_force, symbol).await?;
        if !found.is_partial() {
            return Ok(found);
        }
        let message = format!(
            "Cannot tell whether `{}` is used, because the index is not complete",
            symbol.name_path
        );
        let error = CodeError::new(CodeKind::Timeout, message);
        Err(error.with_hint("try again when it is").into())
    }

    async fn uses_of(
        &self,
        in_force: &InForce,
        symbol: &SymbolDefinition,
    ) -> Result<IndexAnswer<Reference>, Error> {
        let name_path = format!("/{}", symbol.name_path);
        let file = Some(symbol.path.clone());
        let found = self.references(in_force, &name_path, file, MOST_LOOKED_AT);
        Ok(found.await?.answer)
    }

    async fn plan_rename(
        &self,
        in_force: &InForce,
        symbol: SymbolDefinition,
        renamed: Rename,
        new_name: String,
    ) -> Result<SymbolPlan, Error> {
        let Rename {
            name,
            files,
            unclaimed,
            source,
            progress,
            doubt,
        } = renamed;
        let summary = SymbolRenamed {
            name,
            new_name,
            n_places: count(&files),
            n_files: files.len(),
            places: files.iter().map(lines_of).collect(),
            unclaimed: unclaimed.iter().map(lines_of).collect(),
            source: source.to_string(),
            progress: progress.into(),
            doubt,
        };
        let check = move |workspace: &Workspace| {
            let broken = |file| broken_by(workspace, file);
            let errors = files.iter().map(broken).collect::<Result<Vec<_>, _>>()?;
            Ok((files, errors.concat()))
        };
        let (files, syntax_errors) = self.on_disk(in_force, check).await?;
        let new_text = |file: RenamedFile| NewText {
            path: file.path,
            revision: file.revision,
            text: file.text,
        };
        Ok(SymbolPlan {
            texts: files.into_iter().map(new_text).collect(),
            edited: SymbolEdited {
                name_path: symbol.name_path,
                changes: FileChanges::default(),
                lines: None,
                kept_leading: false,
                renamed: Some(summary),
                syntax_errors,
            },
        })
    }
}

fn lines_of(file: &RenamedFile) -> (ProjectPath, Vec<u32>) {
    let lines = file.places.iter().map(|place| place.line);
    (file.path.clone(), lines.collect())
}

fn count(files: &[RenamedFile]) -> usize {
    files.iter().map(|file| file.places.len()).sum()
}

/// What a count confirms: the places of the symbol, or these and those that only share its name.
///
/// Another number of places than expected is refused, and so is what no one has counted where it is in doubt.
fn confirmed(
    symbol: &SymbolDefinition,
    renamed: Rename,
    expected: Option<usize>,
    doing: EditRun,
) -> Result<Rename, Error> {
    let (count, n_more) = (count(&renamed.files), count(&renamed.unclaimed));
    let all = count + n_more;
    match expected {
        Some(expected) if expected == count => return Ok(renamed),
        Some(expected) if expected == all => return Ok(renamed.with_unclaimed()),
        Some(expected) => {
            return Err(mk_project::Error::UnexpectedCount { count, expected }.into());
        }
        None if doing == EditRun::DryRun => return Ok(renamed),
        None => {}
    }
    let places = |count: usize| format!("{count} {}", if count == 1 { "place" } else { "places" });
    if n_more > 0 {
        let source = &renamed.source;
        let message = format!(
            "{source} attributes {} to this symbol; {n_more} more {} the same name",
            places(count),
            if n_more == 1 { "has" } else { "have" }
        );
        let hint = format!(
            "look at them with dry_run, then repeat with expected_count {count} to rename only what {source} attributes to it, \
             or {all} to rename all of them"
        );
        return Err(invalid(message, hint, &symbol.name_path));
    }
    if let Some(doubt) = &renamed.doubt {
        let message = format!(
            "Only the name tells the {} apart, and {doubt}",
            places(count)
        );
        let hint = format!("look at them with dry_run, then repeat with expected_count {count}");
        return Err(invalid(message, hint, &symbol.name_path));
    }
    Ok(renamed)
}

/// Where a file does not parse any more, if it has more such places than before.
fn broken_by(workspace: &Workspace, file: &RenamedFile) -> Result<Vec<SyntaxProblem>, Error> {
    let after = syntax_errors(&file.path, &file.text).unwrap_or_default();
    if after.is_empty() {
        return Ok(Vec::new());
    }
    let read = workspace.read_file(&file.path)?;
    let before = syntax_errors(&file.path, &read.editable()).unwrap_or_default();
    let is_more = after.len() > before.len();
    let errors = after.into_iter().filter(|_| is_more);
    Ok(errors.map(|error| problem(&file.path, error)).collect())
}

fn problem(path: &ProjectPath, error: SyntaxFault) -> SyntaxProblem {
    SyntaxProblem {
        path: path.clone(),
        line: error.line,
        column: error.column,
        message: error.message,
    }
}

/// A name that the language does not take, or that is not one in every place.
fn unparsable(edited: &SymbolEdited, error: &SyntaxProblem) -> Error {
    let SyntaxProblem {
        path,
        line,
        message,
        ..
    } = error;
    let message = format!("The renamed code does not parse: {path}:{line}: {message}");
    invalid(message, "choose another name", &edited.name_path)
}

fn invalid(message: String, hint: impl Into<NextStep>, symbol: &str) -> Error {
    CodeError::new(CodeKind::InvalidArguments, message)
        .with_hint(hint)
        .about(ErrorSubject::Symbol(symbol.to_owned()))
        .into()
}
