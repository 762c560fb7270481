//! The projects that a process has in memory: loaded on first use, watched where the settings say so.
//!
//! Bounded: a server may meet many projects in its life, and each one that is watched holds one of the few watch
//! queues that the system gives a user. A project that falls out is loaded again at its next use.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use mk_policy::{Catalogue, Mode};
use mk_project::{DirectoryIdentity, IgnoredFiles};
use mk_store::Session;
use mk_types::{AbsPath, lock};

use crate::open_project::OpenProject;
use crate::{Engine, EngineChange, ProjectWatching};

/// Linux gives a user 128 watch queues for all programs together.
pub(crate) const MOST_PROJECTS: usize = 32;

/// Projects in use, the latest last.
#[derive(Debug, Default)]
pub(crate) struct OpenProjects(Mutex<Vec<Arc<OpenProject>>>);

impl OpenProjects {
    /// The project at `root`, made by `load` unless it is there.
    fn get_or_load(
        &self,
        root: &AbsPath,
        load: impl FnOnce() -> Arc<OpenProject>,
    ) -> Arc<OpenProject> {
        let mut projects = lock(&self.0);
        // From the end, because most processes have one project and most calls mean the latest.
        let found = projects.iter().rposition(|project| project.root() == root);
        let project = match found {
            Some(found) => projects.remove(found),
            None => load(),
        };
        if projects.len() >= MOST_PROJECTS {
            projects.remove(0);
        }
        projects.push(Arc::clone(&project));
        project
    }

    fn get(&self, root: &AbsPath) -> Option<Arc<OpenProject>> {
        let projects = lock(&self.0);
        projects
            .iter()
            .find(|project| project.root() == root)
            .cloned()
    }

    #[cfg(test)]
    pub(crate) fn roots(&self) -> Vec<AbsPath> {
        let projects = lock(&self.0);
        projects
            .iter()
            .map(|project| project.root().clone())
            .collect()
    }
}

/// The modes of projects that are only looked at, each read once.
#[derive(Debug, Default)]
pub(crate) struct Glances(HashMap<String, Option<Arc<Catalogue>>>);

impl Engine {
    /// The project that a directory belongs to, loaded on first use.
    pub(crate) fn open(&self, directory: &AbsPath) -> Arc<OpenProject> {
        self.open_at(&self.project_of(directory))
    }

    /// The project with exactly this root, also inside another one.
    pub(crate) fn open_at(&self, root: &AbsPath) -> Arc<OpenProject> {
        let inner = &self.inner;
        let project = inner.projects.get_or_load(root, || {
            let project = OpenProject::new(root.clone(), inner.folders.clone());
            let project = Arc::new(project.with_servers(inner.settings.servers.clone()));
            // Before reading, so that no change falls between.
            if inner.settings.watching == ProjectWatching::On {
                self.watch(&project);
            }
            project.reload(self);
            project
        });
        if self.is_held_too_long(&project) {
            project.reload(self);
        }
        project
    }

    /// The mode of a session as its project has it now. A project that nobody works in is read without staying or
    /// being watched: lists show the tasks of every project there ever was.
    pub(crate) fn mode_of(&self, session: &Session, glances: &mut Glances) -> Option<Arc<Mode>> {
        let catalogue = match glances.0.get(&session.project) {
            Some(catalogue) => catalogue.clone(),
            None => {
                let catalogue =
                    AbsPath::new(Path::new(&session.project)).map(|root| self.glance(&root));
                glances.0.insert(session.project.clone(), catalogue.clone());
                catalogue
            }
        };
        catalogue?.get(session.mode.as_str()).cloned()
    }

    /// Forgets a project whose directory is another one by now, so that it is loaded again.
    pub(crate) fn forget_replaced(&self, root: &AbsPath) {
        let mut projects = lock(&self.inner.projects.0);
        projects.retain(|project| {
            project.root() != root || project.identity() == DirectoryIdentity::of(root.as_path())
        });
    }

    fn glance(&self, root: &AbsPath) -> Arc<Catalogue> {
        self.peek_at(&self.project_of(root)).catalogue()
    }

    /// The project with exactly this root. One that is not in use is read without staying or being watched.
    pub(crate) fn peek_at(&self, root: &AbsPath) -> Arc<OpenProject> {
        if self.inner.projects.get(root).is_some() {
            return self.open_at(root);
        }
        let project = OpenProject::new(root.clone(), self.inner.folders.clone());
        project.reload(self);
        Arc::new(project)
    }

    /// What the ignore file at a root hides: mostly there is none, and nothing else has to be read.
    pub(crate) fn ignored_at(&self, root: &AbsPath) -> Arc<IgnoredFiles> {
        match self.inner.projects.get(root) {
            Some(project) => project.ignored(),
            None => Arc::new(IgnoredFiles::load(root)),
        }
    }

    fn watch(&self, project: &Arc<OpenProject>) {
        // Weak, because the watcher lives in the project it reloads.
        let (engine, weak) = (Arc::downgrade(&self.inner), Arc::downgrade(project));
        project.watch(move || {
            let (Some(inner), Some(project)) = (engine.upgrade(), weak.upgrade()) else {
                return;
            };
            let engine = Self { inner };
            project.reload(&engine);
            engine.announce(EngineChange::Modes {
                project: project.root().clone(),
            });
        });
    }
}
