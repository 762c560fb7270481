//! The targets of one call, resolved on disk: links followed, hidden files and hooks marked, as long as there is time.

use std::cell::OnceCell;

use mk_policy::{NameExtent, PathAccess, RawTarget, ResolvedTarget};
use mk_project::{IgnoredFiles, hooks_directory, resolve_in};
use mk_types::{AbsPath, ProjectPath};

use crate::allowance::CpuAllowance;

/// Resolves the targets of one evaluation.
#[derive(Debug)]
pub(crate) struct TargetResolver<'a> {
    root: &'a AbsPath,
    directory: ProjectPath,
    ignored: &'a IgnoredFiles,
    allowance: CpuAllowance,
    /// Looked up when something is to be written.
    hooks: OnceCell<Option<ProjectPath>>,
}

impl<'a> TargetResolver<'a> {
    /// `directory` is where relative paths begin.
    pub(crate) fn new(
        root: &'a AbsPath,
        directory: ProjectPath,
        ignored: &'a IgnoredFiles,
    ) -> Self {
        Self {
            root,
            directory,
            ignored,
            allowance: CpuAllowance::start(),
            hooks: OnceCell::new(),
        }
    }

    /// `None` once the time for the evaluation is over.
    pub(crate) fn target(&self, raw: RawTarget) -> Option<ResolvedTarget> {
        let mut target = self
            .allowance
            .permits(|| resolve_in(self.root, &self.directory, self.ignored, raw))?;
        target.is_hook = target.raw.access != PathAccess::Read && self.is_hook(&target);
        Some(target)
    }

    fn is_hook(&self, target: &ResolvedTarget) -> bool {
        let hooks = self.hooks.get_or_init(|| hooks_directory(self.root));
        let (Some(hooks), Ok(path)) = (hooks, &target.path) else {
            return false;
        };
        let is_below = |path: &ProjectPath, directory: &ProjectPath| {
            let rest = path.as_str().strip_prefix(directory.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        is_below(path, hooks) || target.raw.extent == NameExtent::Below && is_below(hooks, path)
    }
}
