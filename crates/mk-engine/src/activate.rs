//! Choosing the project that calls are about.

use std::path::Path;

use mk_project::main_worktree;
use mk_types::{AbsPath, ProjectPath};

use crate::approval::{ApprovedAct, Outcome, RequestState};
use crate::code_error::{CodeError, CodeKind, ErrorSubject};
use crate::error::Error;
use crate::project::ProjectHandle;
use crate::worktree::is_worktree;
use crate::{Actor, Caller, Engine, ProjectStanding};

impl ProjectHandle<'_> {
    /// Makes a directory the caller's project.
    pub async fn activate(self, directory: &str) -> Result<Outcome<AbsPath>, Error> {
        self.engine.activate(self.caller, directory).await
    }
}

impl Engine {
    async fn activate(&self, caller: &Caller, folder: &str) -> Result<Outcome<AbsPath>, Error> {
        let admitted = self.admit(caller, folder).await?;
        if let Outcome::Done(directory) = &admitted {
            let root = self.project_of(directory);
            self.forget_replaced(&root);
            self.open(&root);
        }
        Ok(admitted)
    }

    /// A folder that the caller may look into. One that nobody has offered needs a person's yes.
    pub(crate) async fn admit(
        &self,
        caller: &Caller,
        folder: &str,
    ) -> Result<Outcome<AbsPath>, Error> {
        let root = caller
            .project
            .join(Path::new(folder))
            .filter(|root| root.as_path().is_dir());
        let Some(root) = root else {
            return Err(not_found(folder));
        };
        // Compared as it really is: a link inside an offered folder may lead anywhere.
        let real = std::fs::canonicalize(root.as_path())
            .ok()
            .and_then(|real| AbsPath::new(&real))
            .unwrap_or_else(|| root.clone());
        let offered = |folder: &AbsPath| {
            let folder = std::fs::canonicalize(folder.as_path())
                .unwrap_or_else(|_| folder.as_path().to_owned());
            real.as_path().starts_with(folder)
        };
        caller.may_enter(&self.project_of(&real))?;
        let project = self.project_of(&caller.project);
        if caller.actor == Actor::Agent {
            self.refuse_hidden(&real)?;
        }
        let same_repository = || main_worktree(&project) == main_worktree(&self.project_of(&real));
        let known = caller.actor == Actor::Operator
            || (caller.standing == ProjectStanding::InProject
                && (offered(&project) || same_repository()))
            || caller.roots.iter().any(offered)
            || self.settings().project_folders.iter().any(offered)
            || (caller.standing == ProjectStanding::InProject
                && is_worktree(&caller.project, real.as_path()));
        if !known {
            let act = ApprovedAct::Activate {
                project: real.clone(),
            };
            let subject = format!("Let the agent work in the directory {real}?");
            if let RequestState::Open(question) = self
                .ask_once(
                    caller.conversation.id.as_ref(),
                    caller.conversation.tasks.last(),
                    &subject,
                    &act.plan(),
                )
                .await?
            {
                return Ok(Outcome::NeedsApproval(question));
            }
        }
        Ok(Outcome::Done(real))
    }

    /// A directory that is hidden or protected in its project is not a place to work in.
    fn refuse_hidden(&self, directory: &AbsPath) -> Result<(), Error> {
        let root = self.project_of(directory);
        let Ok(path) = ProjectPath::parse(directory.as_str(), &root) else {
            return Ok(());
        };
        if path.is_root() {
            return Ok(());
        }
        // What would stand in it counts as much as its own name.
        let inside = format!("{path}/x");
        let is_hidden = self.ignored(&self.open(&root)).hides(&path);
        let protected = &self.policy().protected;
        let why = match protected
            .why(path.as_str())
            .or_else(|| protected.why(&inside))
        {
            _ if is_hidden => "it is hidden by .rooignore",
            Some(reason) => reason,
            None => return Ok(()),
        };
        Err(Error::Denied {
            rule: None,
            message: format!("The directory '{path}' cannot be activated because {why}."),
            hint: Some("stay in the project, or ask the user for what you need".into()),
        })
    }
}

fn not_found(directory: &str) -> Error {
    let message = format!("Directory not found: {directory}");
    CodeError::new(CodeKind::ProjectNotActive, message)
        .with_hint("give the absolute path of an existing directory")
        .about(ErrorSubject::Project(directory.to_owned()))
        .into()
}
