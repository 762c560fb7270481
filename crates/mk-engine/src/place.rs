//! Where a caller works: the project whose policy holds, and the directory in it where relative paths begin.
//!
//! The project comes from the operator and from what is on disk above the directory, never from the agent: activating a
//! directory inside a project moves only where relative paths begin.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use mk_project::policy_root;
use mk_types::{AbsPath, ProjectPath, lock};

use crate::error::Error;
use crate::governing::GoverningTask;
use crate::{Caller, Engine, ProjectStanding};

/// More directories than anybody works in; then all are looked at again.
const MOST_KNOWN: usize = 256;

/// The projects of directories that were asked for. A project does not change while the process lives.
#[derive(Debug, Default)]
pub(crate) struct ProjectPlaces(Mutex<HashMap<AbsPath, AbsPath>>);

impl Engine {
    /// The project that a directory belongs to.
    ///
    /// 1. What the operator named, or what was found from where the process was started.
    /// 2. The outermost directory above it that looks like a project.
    /// 3. The directory itself.
    pub(crate) fn project_of(&self, directory: &AbsPath) -> AbsPath {
        if let Some(start) = &self.settings().start_root
            && directory.as_path().starts_with(start.as_path())
        {
            return start.clone();
        }
        let mut known = lock(&self.inner.places.0);
        if let Some(root) = known.get(directory) {
            return root.clone();
        }
        let root = policy_root(directory, self.inner.folders.home.as_deref());
        // A link to a directory inside the project that the process was started in leads into that project.
        let root = match &self.settings().start_root {
            Some(start) if root.as_path().starts_with(start.as_path()) => start.clone(),
            _ => root,
        };
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(directory.clone(), root.clone());
        root
    }

    /// The project that a caller may look into, and how it stands to it: what [`Engine::in_force`] says of both, without
    /// asking which mode holds. For what no mode stands in front of, such as how the team works.
    ///
    /// 1. That of the conversation's task that governs.
    /// 2. The caller's own. Without tasks nothing else can be, and nothing has to be looked up.
    pub(crate) fn whereabouts(&self, caller: &Caller) -> Result<(AbsPath, ProjectStanding), Error> {
        let own = self.project_of(&caller.project);
        let project = if caller.conversation.tasks.is_empty() {
            own.clone()
        } else {
            match self.governing(caller)? {
                GoverningTask::Live(session) => self.session_project(caller, &session),
                GoverningTask::Ended(_) | GoverningTask::Nothing => own.clone(),
            }
        };
        caller.may_enter(&project)?;
        let standing = if project == own {
            caller.standing
        } else {
            ProjectStanding::InProject
        };
        Ok((project, standing))
    }

    /// Where relative paths of a call begin, seen from the project's root.
    pub(crate) fn beginning(&self, project: &AbsPath, directory: &AbsPath) -> ProjectPath {
        let below = |directory: &AbsPath| ProjectPath::parse(directory.as_str(), project).ok();
        // Only a directory that is not there by its name is looked up on disk.
        let real = || std::fs::canonicalize(directory.as_path()).ok();
        let real = || real().and_then(|real| AbsPath::new(&real));
        let found = below(directory).or_else(|| real().as_ref().and_then(below));
        found.unwrap_or_else(ProjectPath::root)
    }
}

/// What a path leads to; one that is not there is taken as written.
pub(crate) fn real(path: &Path) -> PathBuf {
    let written = AbsPath::new(path).map_or_else(|| path.to_owned(), |it| it.as_path().to_owned());
    std::fs::canonicalize(path).unwrap_or(written)
}
