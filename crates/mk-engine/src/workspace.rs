//! A project's files and memories as a granted call may use them. Work on disk runs beside the runtime.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mk_policy::{Mode, may_read};
use mk_project::{Backups, FileText, IgnoredFiles, Memories, RootDir};
use mk_types::{AbsPath, Clock, ProjectPath};

use crate::check::InForce;
use crate::code_error::{CodeError, CodeKind};
use crate::error::Error;
use crate::layer::{ProjectLayer, ignored_with};
use crate::nearest::with_nearest;
use crate::next_step::NextStep;
use crate::open_project::OpenProject;
use crate::{Engine, ProjectStanding};

/// What a granted call works on.
#[derive(Debug)]
pub struct Workspace {
    pub root: RootDir,
    pub backups: Backups,
    config: Option<PathBuf>,
    read_only_memories: Vec<String>,
    pub(crate) project: Arc<OpenProject>,
    pub(crate) clock: Clock,
    ignored: Arc<IgnoredFiles>,
    modes: Vec<Arc<Mode>>,
    layers: Vec<ProjectLayer>,
    cancel: Arc<AtomicBool>,
}

impl Workspace {
    /// Whether the mode in force lets the agent see a file.
    pub fn readable(&self, path: &ProjectPath) -> bool {
        let covered = |mode: &Arc<Mode>| may_read(mode, None, path.as_str());
        let place = path.under(self.root.root());
        let is_shown = |layer: &ProjectLayer| layer.shows(&place);
        !self.ignored.hides(path)
            && self.modes.iter().all(covered)
            && self.layers.iter().all(is_shown)
    }

    /// The memories whose files are not hidden. A person has an editor for the others: agents reach the command line, too.
    pub fn memories(&self) -> Result<Memories, Error> {
        let global = self.config.as_ref().map(|folder| folder.join("memories"));
        let all = Memories::of(
            self.root.root(),
            global.as_deref(),
            &self.read_only_memories,
        )?;
        Ok(all.hiding(Arc::clone(&self.ignored)))
    }

    /// A text file; one that is not there comes with the nearest name that is.
    pub fn read_file(&self, path: &ProjectPath) -> Result<FileText, Error> {
        let read = self.root.read_file(path).map_err(Error::from);
        read.map_err(|error| {
            with_nearest(error, self.root.root(), path, &|path| self.readable(path))
        })
    }

    /// Set when the caller no longer waits.
    pub fn cancel(&self) -> &AtomicBool {
        &self.cancel
    }
}

/// Tells the work on disk that nobody waits for it any more.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Engine {
    /// Runs work on a project's files beside the runtime, so that no call waits for another's disk.
    pub(crate) async fn on_disk<T: Send + 'static>(
        &self,
        in_force: &InForce,
        work: impl FnOnce(&Workspace) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let workspace = self.workspace(in_force)?;
        let _cancel = CancelOnDrop(Arc::clone(&workspace.cancel));
        let joined = tokio::task::spawn_blocking(move || work(&workspace)).await;
        joined.unwrap_or_else(|error| {
            tracing::error!(%error, "work on disk failed");
            Err(CodeError::new(CodeKind::Timeout, "The work on disk was interrupted").into())
        })
    }

    fn workspace(&self, in_force: &InForce) -> Result<Workspace, Error> {
        if in_force.standing == ProjectStanding::Nowhere {
            let error = CodeError::new(CodeKind::ProjectNotActive, "No project is active");
            return Err(error.with_hint(NextStep::ActivateProject).into());
        }
        let root = open_root(&in_force.project)?;
        let project = self.open(&in_force.project);
        // Links are resolved when a project is chosen; what stands in its place since is another directory.
        if root.identity() != project.identity() {
            let message = format!("The directory {} was replaced", in_force.project);
            let error = CodeError::new(CodeKind::ProjectNotActive, message);
            return Err(error.with_hint(NextStep::ActivateAgain).into());
        }
        let layers = self.layers(&in_force.project, &in_force.mode.slug)?;
        Ok(Workspace {
            backups: Backups::new(
                &self.inner.folders.state,
                &in_force.project,
                self.inner.clock.clone(),
            ),
            config: self.inner.folders.config.clone(),
            read_only_memories: self.settings().read_only_memories.clone(),
            ignored: ignored_with(project.root(), &project.ignored(), &layers),
            layers,
            project,
            clock: self.inner.clock.clone(),
            modes: in_force.modes().cloned().collect(),
            cancel: Arc::default(),
            root,
        })
    }

    pub fn clock(&self) -> &Clock {
        &self.inner.clock
    }
}

fn open_root(root: &AbsPath) -> Result<RootDir, Error> {
    RootDir::open(root).map_err(|error| {
        CodeError::new(
            CodeKind::ProjectNotActive,
            format!("The project {root} cannot be opened: {error}"),
        )
        .with_hint(NextStep::ActivateOther)
        .into()
    })
}
