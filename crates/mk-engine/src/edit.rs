//! The one way in which files are changed: the mode decides about all of them, a person about the plan where the mode
//! wants it, and what must follow a change (index, language servers, what the task has seen) follows it here.

use mk_lsp::{ServerDiagnostic, ServerSeverity};
use mk_policy::Decision;
use mk_project::{FileEdit, WriteKind, WrittenFile};
use mk_types::ProjectPath;
use serde_json::json;

use crate::approval::{ApprovalPlan, Outcome, RequestState};
use crate::authorize::{AllowedCall, ToolRequest};
use crate::check::InForce;
use crate::error::Error;
use crate::project::ProjectHandle;
use crate::symbols::FileProblem;
use crate::workspace::Workspace;

/// So many changed files are checked for new problems.
const MOST_CHECKED: usize = 5;

/// What a call has done to files, or would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileChanges {
    pub files: Vec<FileChange>,
    /// The backup that undoes all of it.
    pub backup: Option<String>,
    /// What language servers complain about in these files now, and did not before.
    pub problems: Vec<(ProjectPath, FileProblem)>,
}

/// What happened to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub path: ProjectPath,
    /// `Created`, `Changed`, `Unchanged`, `Deleted` or `Moved`.
    pub what: String,
    /// Of the file as it is now.
    pub revision: Option<String>,
    pub lines_added: usize,
    pub lines_removed: usize,
    /// Unified, without file names; cut with a note where it is long.
    pub diff: String,
    pub backup: Option<String>,
}

impl From<Vec<WrittenFile>> for FileChanges {
    fn from(written: Vec<WrittenFile>) -> Self {
        let backup = written.iter().find_map(|change| change.backup.clone());
        let file = |change: WrittenFile| FileChange {
            path: change.path,
            what: change.kind.to_string(),
            revision: change.revision,
            lines_added: change.added,
            lines_removed: change.removed,
            diff: change.diff,
            backup: change.backup,
        };
        Self {
            files: written.into_iter().map(file).collect(),
            backup,
            problems: Vec::new(),
        }
    }
}

impl ProjectHandle<'_> {
    /// Changes files as `edits` says, all or none. Where the mode wants a person to agree, they are shown the plan,
    /// and what they agree to is that plan: the same call, the same files in the same state, the same result.
    pub(crate) async fn edit(
        &self,
        request: &ToolRequest<'_>,
        edits: impl Fn(&InForce, &[ProjectPath]) -> Result<Vec<FileEdit>, Error>,
    ) -> Result<Outcome<FileChanges>, Error> {
        let checked = self.judge(request)?;
        let targets = checked.targets()?;
        let in_force = checked.in_force.clone();
        let wanted = edits(&in_force, &targets)?;
        if checked.evaluation.decision == Decision::Allow {
            let permit = checked.permit()?;
            return self.apply(AllowedCall { permit, in_force }, wanted).await;
        }
        let (plan, revisions) = self.plan(&in_force, request, wanted).await?;
        let subject = match targets.as_slice() {
            [path] => format!(
                "Let the agent change the protected file '{path}' with {}?",
                request.call.tool
            ),
            paths => format!(
                "Let the agent change {} files, some of them protected, with {}?",
                paths.len(),
                request.call.tool
            ),
        };
        let asked = self.engine.ask_once(
            self.caller.conversation.id.as_ref(),
            in_force.session.as_ref(),
            &subject,
            &plan,
        );
        let approval = match asked.await? {
            RequestState::Open(question) => return Ok(Outcome::NeedsApproval(question)),
            RequestState::Granted(approval) => approval,
        };
        let permit = checked.approved_permit(approval)?;
        let mut wanted = edits(&in_force, &targets)?;
        for (edit, revision) in wanted.iter_mut().zip(revisions) {
            pin(edit, revision);
        }
        self.apply(AllowedCall { permit, in_force }, wanted).await
    }

    /// What edits would do, without doing it.
    pub(crate) async fn preview(
        &self,
        in_force: &InForce,
        edits: Vec<FileEdit>,
    ) -> Result<FileChanges, Error> {
        let preview = move |workspace: &Workspace| {
            Ok(workspace.root.preview(&workspace.backups, edits)?.into())
        };
        self.engine.on_disk(in_force, preview).await
    }

    /// What a person agrees to, and the revisions that the files must still have then.
    async fn plan(
        &self,
        in_force: &InForce,
        request: &ToolRequest<'_>,
        edits: Vec<FileEdit>,
    ) -> Result<(ApprovalPlan, Vec<Option<String>>), Error> {
        let (tool, mut arguments) = (request.call.tool.clone(), request.arguments.clone());
        arguments.sort_all_objects();
        let project = in_force.project.clone();
        let planned = move |workspace: &Workspace| {
            let before: Vec<Option<String>> = edits
                .iter()
                .map(|edit| {
                    edit.paths()
                        .first()
                        .and_then(|path| revision(workspace, path))
                })
                .collect();
            let after = workspace
                .root
                .preview_to_decide(&workspace.backups, edits)?;
            let files: Vec<_> = after
                .iter()
                .zip(&before)
                .map(|(change, before)| {
                    let moved_to = match &change.kind {
                        WriteKind::Moved { to } => Some(to.as_str()),
                        _ => None,
                    };
                    json!({
                        "path": change.path.as_str(),
                        "change": change.kind.to_string(),
                        "to": moved_to,
                        "before": before,
                        "after": change.revision,
                    })
                })
                .collect();
            let act = json!({
                "edit": {
                    "project": project.as_str(),
                    "tool": tool,
                    "arguments": arguments.to_string(),
                    "files": files,
                }
            });
            // It has not happened yet.
            let planned: Vec<&str> = after.iter().map(|change| change.kind.planned()).collect();
            let mut changes = FileChanges::from(after);
            for (change, what) in changes.files.iter_mut().zip(planned) {
                what.clone_into(&mut change.what);
            }
            let shown = changes.describe();
            Ok((ApprovalPlan::new(&act, shown), before))
        };
        self.engine.on_disk(in_force, planned).await
    }

    pub(crate) async fn apply(
        &self,
        allowed: AllowedCall,
        edits: Vec<FileEdit>,
    ) -> Result<Outcome<FileChanges>, Error> {
        let AllowedCall { permit, in_force } = allowed;
        let paths = edits.iter().flat_map(FileEdit::paths).take(MOST_CHECKED);
        let paths: Vec<ProjectPath> = paths.cloned().collect();
        let before = self.problems_of(&in_force, paths).await;
        let write = move |workspace: &Workspace| {
            let written = workspace.root.edit(permit, &workspace.backups, edits)?;
            workspace.changed(written.iter().flat_map(touched));
            Ok(FileChanges::from(written))
        };
        let mut changes = self.engine.on_disk(&in_force, write).await?;
        changes.problems = self.new_problems(&in_force, before).await;
        for change in &changes.files {
            if let Some(revision) = &change.revision {
                let session = in_force.session.as_ref();
                self.engine.saw(session, &change.path, revision);
            }
        }
        Ok(Outcome::Done(changes))
    }
}

/// What was wrong in a file.
type KnownProblems = (ProjectPath, Vec<ServerDiagnostic>);

impl ProjectHandle<'_> {
    /// What is wrong in the files that are about to be changed, where a server would say so at once.
    async fn problems_of(&self, in_force: &InForce, paths: Vec<ProjectPath>) -> Vec<KnownProblems> {
        let mut known = Vec::new();
        for path in paths {
            if let Some(problems) = self.engine.known_problems(in_force, &path).await {
                known.push((path, problems));
            }
        }
        known
    }

    async fn new_problems(
        &self,
        in_force: &InForce,
        before: Vec<KnownProblems>,
    ) -> Vec<(ProjectPath, FileProblem)> {
        let mut new = Vec::new();
        for (path, mut known) in before {
            let now = self.engine.known_problems(in_force, &path).await;
            for problem in now.unwrap_or_default() {
                let is_same = |one: &ServerDiagnostic| {
                    (one.severity, &one.message) == (problem.severity, &problem.message)
                };
                let was_there = known.iter().position(is_same);
                let is_told = matches!(
                    problem.severity,
                    ServerSeverity::Error | ServerSeverity::Warning
                );
                match was_there {
                    Some(position) => drop(known.swap_remove(position)),
                    None if is_told => new.push((path.clone(), problem.into())),
                    None => {}
                }
            }
        }
        new
    }
}

impl FileChanges {
    /// `Changed src/x.rs (+3 −1)` and the diff, file by file.
    pub fn describe(&self) -> String {
        let mut text = String::new();
        for change in &self.files {
            text.push_str(&format!(
                "{} {} (+{} −{})\n",
                change.what, change.path, change.lines_added, change.lines_removed
            ));
            if !change.diff.is_empty() {
                text.push_str(&format!("{}\n", change.diff.trim_end()));
            }
        }
        text
    }
}

/// Tells a file's state from any other; none where there is no file.
fn revision(workspace: &Workspace, path: &ProjectPath) -> Option<String> {
    let read = workspace.root.read_file(path).map(|read| read.revision);
    let stamp = || mk_project::ReadStamp::of(&path.under(workspace.root.root()));
    read.ok()
        .or_else(|| stamp().map(|stamp| format!("{stamp:?}")))
}

/// Lets an edit happen only to the file that the person has seen.
fn pin(edit: &mut FileEdit, revision: Option<String>) {
    match edit {
        FileEdit::Write { expected, .. } | FileEdit::Replace { expected, .. } => {
            *expected = expected.take().or(revision);
        }
        FileEdit::Delete { .. } | FileEdit::Move { .. } => {}
    }
}

fn touched(change: &WrittenFile) -> impl Iterator<Item = ProjectPath> + use<> {
    let moved_to = match &change.kind {
        WriteKind::Moved { to } => Some(to.clone()),
        _ => None,
    };
    [Some(change.path.clone()), moved_to].into_iter().flatten()
}
