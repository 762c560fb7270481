//! Choosing the project that calls are about.

use std::path::Path;
use std::sync::PoisonError;

use mk_types::AbsPath;

use crate::approval::{Act, Asked, Outcome};
use crate::code_error::{CodeError, CodeKind};
use crate::error::Error;
use crate::project::ProjectHandle;
use crate::worktree::is_worktree;
use crate::{Actor, Caller, Engine, Standing};

impl ProjectHandle<'_> {
    /// Makes a directory the caller's project.
    pub async fn activate(self, directory: &str) -> Result<Outcome<AbsPath>, Error> {
        self.engine.activate(self.caller, directory).await
    }
}

impl Engine {
    async fn activate(&self, caller: &Caller, folder: &str) -> Result<Outcome<AbsPath>, Error> {
        let admitted = self.admit(caller, folder).await?;
        if let Outcome::Done(root) = &admitted {
            self.open(root);
            *self
                .inner
                .active_project
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = Some(root.clone());
        }
        Ok(admitted)
    }

    /// A folder that the caller may look into. One that nobody has offered needs a person's yes.
    pub async fn admit(&self, caller: &Caller, folder: &str) -> Result<Outcome<AbsPath>, Error> {
        let root = caller
            .project
            .join(Path::new(folder))
            .filter(|root| root.as_path().is_dir());
        let Some(root) = root else {
            let error = CodeError::new(
                CodeKind::ProjectNotActive,
                format!("There is no folder {folder}"),
            );
            return Err(error
                .with_hint("name the absolute path of an existing folder")
                .with_detail("project_root", folder)
                .into());
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
        let known = caller.actor == Actor::Operator
            || (caller.standing == Standing::InProject && offered(&caller.project))
            || caller.roots.iter().any(offered)
            || self.settings().project_folders.iter().any(offered)
            || (caller.standing == Standing::InProject
                && is_worktree(&caller.project, real.as_path()));
        if !known {
            let act = Act::Activate {
                project: real.clone(),
            };
            let subject = format!("Let the agent work in the folder {real}?");
            if let Asked::Open(question) = self
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
        Ok(Outcome::Done(root))
    }

    /// The project that this process has activated last.
    pub fn active_project(&self) -> Option<AbsPath> {
        self.inner
            .active_project
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
