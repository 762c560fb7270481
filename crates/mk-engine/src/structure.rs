//! `replace_structure`: the same change to all code of one shape, in every file that has it, or in none.

use mk_project::FileEdit;
use mk_symbols::{StructureEdit, StructureQuery};
use mk_types::ProjectPath;

use crate::approval::Outcome;
use crate::authorize::ToolRequest;
use crate::check::InForce;
use crate::edit::FileChanges;
use crate::edit_symbol::{EditRun, SyntaxProblem};
use crate::error::Error;
use crate::symbols::{IndexProgress, ProjectSymbols};
use crate::workspace::Workspace;

/// Code to find by its shape, and what comes in its place.
#[derive(Debug, Clone, Default)]
pub struct StructureReplacement {
    pub pattern: String,
    pub replacement: String,
    pub language: Option<String>,
    /// Only files that match this glob.
    pub files: Option<String>,
    /// Refuse any other number of places.
    pub expected_count: Option<usize>,
}

/// What was replaced, or would be.
#[derive(Debug, Clone)]
pub struct StructureReplaced {
    /// The files with their places: line, and its text before.
    pub files: Vec<(ProjectPath, Vec<(u32, String)>)>,
    pub changes: FileChanges,
    pub syntax_errors: Vec<SyntaxProblem>,
    pub progress: IndexProgress,
}

impl StructureReplaced {
    pub fn n_places(&self) -> usize {
        self.files.iter().map(|(_, places)| places.len()).sum()
    }
}

/// A file with its text after the replacement, in place of the one that has this revision.
struct PlannedStructure {
    edit: StructureEdit,
    revision: String,
}

impl ProjectSymbols<'_> {
    pub async fn replace_structure(
        self,
        mut request: ToolRequest<'_>,
        wanted: StructureReplacement,
        doing: EditRun,
    ) -> Result<Outcome<StructureReplaced>, Error> {
        let (project, engine) = (&self.project, self.project.engine);
        let in_force = project.in_force()?;
        if !engine.could_allow(&in_force, &request.call.tool) {
            // Before anything is searched: where nothing matches there would be nothing to refuse.
            project.judge(&request)?;
        }
        let expected = wanted.expected_count;
        let query = StructureQuery {
            pattern: wanted.pattern,
            replacement: wanted.replacement,
            language: wanted.language,
            files: wanted.files,
        };
        let (planned, progress) = engine
            .on_disk(&in_force, move |workspace| plan(workspace, &query))
            .await?;
        let count = planned.iter().map(|file| file.edit.places.len()).sum();
        if let Some(expected) = expected.filter(|expected| *expected != count) {
            return Err(mk_project::Error::UnexpectedCount { count, expected }.into());
        }
        let mut replaced = StructureReplaced {
            files: planned.iter().map(places).collect(),
            changes: FileChanges::default(),
            syntax_errors: planned.iter().flat_map(problems).collect(),
            progress,
        };
        if planned.is_empty() {
            return Ok(Outcome::Done(replaced));
        }
        let paths = planned
            .iter()
            .map(|file| file.edit.path.as_str().to_owned());
        request.call.paths = paths.collect();
        if doing == EditRun::DryRun {
            // The mode decides here too: a dry run should not promise what would be refused.
            project.judge(&request)?;
            return Ok(Outcome::Done(replaced));
        }
        let edits = |_: &InForce, _: &[ProjectPath]| Ok(planned.iter().map(edit).collect());
        let changed = project.edit(&request, edits).await?;
        Ok(changed.map(|changes| {
            replaced.changes = changes;
            replaced
        }))
    }
}

fn plan(
    workspace: &Workspace,
    query: &StructureQuery,
) -> Result<(Vec<PlannedStructure>, IndexProgress), Error> {
    let index = workspace.index()?;
    let plan = index.replace_structure(query, &|path| workspace.readable(path))?;
    let mut planned = Vec::new();
    for found in plan.files {
        // As it is written: with its own line endings, and as new as the revision that is expected.
        let read = workspace.read_file(&found.path)?;
        let edit = mk_symbols::replace_structure(&found.path, &read.editable(), query)?;
        let revision = read.revision;
        planned.extend(edit.map(|edit| PlannedStructure { edit, revision }));
    }
    Ok((planned, plan.progress.into()))
}

fn edit(planned: &PlannedStructure) -> FileEdit {
    let text = planned.edit.text.clone();
    FileEdit::Replace {
        path: planned.edit.path.clone(),
        expected: Some(planned.revision.clone()),
        change: Box::new(move |_| Ok(text)),
    }
}

fn places(planned: &PlannedStructure) -> (ProjectPath, Vec<(u32, String)>) {
    let places = planned.edit.places.iter();
    let places = places.map(|place| (place.line, place.text.clone()));
    (planned.edit.path.clone(), places.collect())
}

fn problems(planned: &PlannedStructure) -> impl Iterator<Item = SyntaxProblem> {
    planned.edit.errors.iter().map(|error| SyntaxProblem {
        path: planned.edit.path.clone(),
        line: error.line,
        column: error.column,
        message: error.message.clone(),
    })
}
