//! Where a caller works: the project whose policy holds, and the directory in it where relative paths begin.
//!
//! The project comes from the operator and from what is on disk above the directory, never from the agent: activating a
//! directory inside a project moves only where relative paths begin.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use mk_project::policy_root;
use mk_types::{AbsPath, ProjectPath};

use crate::Engine;

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
        let mut known = self
            .inner
            .places
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
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

    /// Where relative paths of a call begin, seen from the project's root.
    pub(crate) fn beginning(&self, project: &AbsPath, directory: &AbsPath) -> ProjectPath {
        let real = std::fs::canonicalize(directory.as_path());
        let real = real.ok().and_then(|real| AbsPath::new(&real));
        let below = |directory: &AbsPath| ProjectPath::parse(directory.as_str(), project).ok();
        let found = below(directory).or_else(|| real.as_ref().and_then(below));
        found.unwrap_or_else(ProjectPath::root)
    }
}
