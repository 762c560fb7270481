//! Projects inside another one, with a mode of their own that a person has set: work from above them is held by it
//! in what touches them, besides the mode that holds above.

use std::path::Path;
use std::sync::Arc;

use mk_policy::{
    Evaluation, Mode, NameExtent, PathAccess, RawTarget, Request, ResolvedTarget, evaluate,
};
use mk_store::Project;
use mk_types::{AbsPath, ProjectPath};

use crate::error::Error;
use crate::open_project::OpenProject;
use crate::target::TargetResolver;
use crate::{Engine, mode};

/// What a nested project says about a call.
#[derive(Debug)]
pub(crate) struct NestedRuling {
    pub(crate) mode: Arc<Mode>,
    /// The call as it is seen from there.
    pub(crate) request: Request,
    pub(crate) evaluation: Evaluation,
}

impl Engine {
    /// What each nested project says that a call touches. `root` is where the targets of the request were resolved, and
    /// `directory` where its relative paths begin.
    pub(crate) fn rule_nested(
        &self,
        root: &AbsPath,
        directory: &ProjectPath,
        request: &Request,
    ) -> Result<Vec<NestedRuling>, Error> {
        let mut rulings = Vec::new();
        // Files that a line names may be many; projects in projects are few.
        for project in self.inner.store.set_below(root)? {
            if works_in(&project, &directory.under(root), request)
                || is_named(&project, root, request)
            {
                rulings.push(self.rule_in(&project, root, request)?);
            }
        }
        Ok(rulings)
    }

    fn rule_in(
        &self,
        project: &Project,
        above: &AbsPath,
        request: &Request,
    ) -> Result<NestedRuling, Error> {
        // Not the one that `open` would give: that is the project around it.
        let open = OpenProject::new(project.root.clone(), self.inner.folders.clone());
        open.reload(self);
        let slug = project.mode.as_ref();
        let slug = slug.unwrap_or(&self.settings().default_mode);
        let mode = mode::find(&open.catalogue(), slug)?;
        let ignored = open.ignored();
        let resolver = TargetResolver::new(open.root(), ProjectPath::root(), &ignored)
            .beside(open.state_folder());
        let seen = |target: &ResolvedTarget| match &target.path {
            // Links have been followed already.
            Ok(path) => resolver.target(RawTarget {
                path: path.under(above).display().to_string(),
                ..target.raw.clone()
            }),
            Err(_) => Some(target.clone()),
        };
        let targets: Option<Vec<ResolvedTarget>> = request.targets.iter().map(seen).collect();
        let targets = targets.ok_or_else(|| Error::Denied {
            rule: None,
            message: format!("The call is too large to be looked at in {}", project.root),
            hint: Some("split it".into()),
        })?;
        let request = Request {
            targets,
            ..request.clone()
        };
        Ok(NestedRuling {
            evaluation: evaluate(self.policy(), &mode, &request),
            mode,
            request,
        })
    }
}

/// Whether a line runs in a project, whatever it names.
fn works_in(project: &Project, beginning: &Path, request: &Request) -> bool {
    let directory = request.call.directory.as_deref().unwrap_or_default();
    let is_there = beginning
        .join(directory)
        .starts_with(project.root.as_path());
    request.call.command.is_some() && is_there
}

/// Whether a call names something of a project. To read a directory around it is to read the directory; to change one is
/// to change what is in it.
fn is_named(project: &Project, above: &AbsPath, request: &Request) -> bool {
    let root = project.root.as_path();
    let mut targets = request.targets.iter();
    targets.any(|target| {
        let Ok(path) = &target.path else { return false };
        let path = path.under(above);
        let changes_around = target.raw.extent == NameExtent::Below
            && target.raw.access != PathAccess::Read
            && root.starts_with(&path);
        path.starts_with(root) || changes_around
    })
}
