//! Projects around and inside the one that a call works in, with a mode that a person has set: each holds what touches
//! it, besides the mode in force. Calls, hooks, commands and what is hidden all ask here which they are.
//!
//! A layer only narrows. Modes that a nested repository brings along without a person having set one count for nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mk_policy::{
    Evaluation, Group, Mode, NameExtent, PathAccess, RawTarget, Request, ResolvedTarget, evaluate,
    may_read,
};
use mk_project::{IgnoredFiles, is_project};
use mk_types::{AbsPath, ModeSlug, ProjectPath};

use crate::command::FileRight;
use crate::error::Error;
use crate::open_project::OpenProject;
use crate::target::TargetResolver;
use crate::{Engine, mode};

/// A project with a say in what touches it.
#[derive(Debug, Clone)]
pub(crate) struct ProjectLayer {
    open: Arc<OpenProject>,
    /// `None` around a project whose mode only that project knows: then it has a say in what is hidden.
    mode: Option<Arc<Mode>>,
    place: LayerPlace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LayerPlace {
    /// It holds everything, by its own text of the mode in force.
    Around,
    /// It holds what touches it, by the mode that a person has set for it.
    Inside,
}

/// What a layer says about a call.
#[derive(Debug)]
pub(crate) struct LayerRuling {
    /// The call as it is seen from there.
    pub(crate) request: Request,
    pub(crate) evaluation: Evaluation,
    /// The project inside this one whose mode it is.
    pub(crate) inside: Option<AbsPath>,
}

/// Where a call works: the project in which its targets were resolved, and where relative paths begin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallPlace<'a> {
    pub(crate) root: &'a AbsPath,
    pub(crate) directory: &'a ProjectPath,
}

impl Engine {
    /// The layers of the project at `root`, for work in one of its modes.
    ///
    /// 1. The project around it that a person has set a mode for, as its own files say that mode. Not where the one is
    ///    marked as a project and the other is not: then it is a project of its own.
    /// 2. Each project inside it that a person has set a mode for.
    pub(crate) fn layers(
        &self,
        root: &AbsPath,
        in_force: &ModeSlug,
    ) -> Result<Vec<ProjectLayer>, Error> {
        let mut layers = Vec::new();
        if let Some(around) = self.root_around(root)? {
            let open = self.open_at(&around);
            let catalogue = open.catalogue();
            let is_known = catalogue.get(in_force.as_str()).is_some()
                || catalogue.why_broken(in_force.as_str()).is_some();
            let mode = is_known.then(|| mode::find(&catalogue, in_force));
            layers.push(ProjectLayer {
                open,
                mode: mode.transpose()?,
                place: LayerPlace::Around,
            });
        }
        for project in self.inner.store.set_below(root)? {
            let open = self.open_at(&project.root);
            let slug = project.mode.as_ref();
            let slug = slug.unwrap_or(&self.settings().default_mode);
            let mode = mode::find(&open.catalogue(), slug)?;
            layers.push(ProjectLayer {
                open,
                mode: Some(mode),
                place: LayerPlace::Inside,
            });
        }
        Ok(layers)
    }

    /// The project around one that a person has set a mode for.
    pub(crate) fn root_around(&self, root: &AbsPath) -> Result<Option<AbsPath>, Error> {
        let found = self.nearest_above(root)?.found.map(|it| it.root);
        let is_around = |around: &AbsPath| {
            around != root && (is_project(around.as_path()) || !is_project(root.as_path()))
        };
        Ok(found.filter(is_around))
    }

    /// What is hidden in a project, where its layers are not needed for anything else.
    pub(crate) fn ignored(&self, open: &OpenProject) -> Arc<IgnoredFiles> {
        match self.layers(open.root(), &self.settings().default_mode) {
            Ok(layers) => ignored_with(open, &layers),
            Err(error) => {
                tracing::warn!(%error, "projects inside {} are unknown: every file is hidden", open.root());
                Arc::new(IgnoredFiles::Everything)
            }
        }
    }

    /// What each layer says that a call touches.
    pub(crate) fn rule_layers(
        &self,
        layers: &[ProjectLayer],
        place: CallPlace<'_>,
        request: &Request,
    ) -> Result<Vec<LayerRuling>, Error> {
        let touched = layers
            .iter()
            .filter(|layer| layer.is_touched(place, request));
        let rulings = touched.filter_map(|layer| {
            let mode = layer.mode.as_ref()?;
            Some(self.rule_in(layer, mode, place.root, request))
        });
        rulings.collect()
    }

    fn rule_in(
        &self,
        layer: &ProjectLayer,
        mode: &Mode,
        above: &AbsPath,
        request: &Request,
    ) -> Result<LayerRuling, Error> {
        let open = &layer.open;
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
            message: format!("The call is too large to be looked at in {}", open.root()),
            hint: Some("split it".into()),
        })?;
        let request = Request {
            targets,
            ..request.clone()
        };
        let inside = layer.place == LayerPlace::Inside;
        Ok(LayerRuling {
            evaluation: evaluate(self.policy(), mode, &request),
            request,
            inside: inside.then(|| open.root().clone()),
        })
    }

    /// What a command may do with a file as far as a layer is concerned.
    pub(crate) fn file_in(&self, layer: &ProjectLayer, place: &Path) -> FileRight {
        let Some((path, mode)) = layer.below(place).zip(layer.mode.as_ref()) else {
            return FileRight::Edit;
        };
        let mut grants = mode.grants(Group::Edit);
        if self.policy().protected.why(path).is_some() {
            FileRight::Shut
        } else if grants.any(|grant| grant.files.covers(path)) {
            FileRight::Edit
        } else {
            FileRight::Read
        }
    }
}

impl ProjectLayer {
    pub(crate) fn root(&self) -> &AbsPath {
        self.open.root()
    }

    pub(crate) fn mode(&self) -> Option<&Arc<Mode>> {
        self.mode.as_ref()
    }

    pub(crate) fn is_inside(&self) -> bool {
        self.place == LayerPlace::Inside
    }

    /// Whether it holds work in a directory, whatever is touched there.
    pub(crate) fn holds_in(&self, directory: &Path) -> bool {
        directory.starts_with(self.root().as_path())
    }

    /// Whether it lets an agent see a file.
    pub(crate) fn shows(&self, place: &Path) -> bool {
        match self.below(place).zip(self.mode.as_ref()) {
            Some((path, mode)) => may_read(mode, None, path),
            None => true,
        }
    }

    /// Whether it keeps some files from being read.
    pub(crate) fn hides_some(&self) -> bool {
        let limits_reads = self.mode.as_ref().is_some_and(|mode| limits_reads(mode));
        limits_reads || !matches!(*self.open.ignored(), IgnoredFiles::Nothing)
    }

    /// The path as it is named from there; `None` elsewhere.
    fn below<'a>(&self, place: &'a Path) -> Option<&'a str> {
        place.strip_prefix(self.root().as_path()).ok()?.to_str()
    }

    fn is_touched(&self, place: CallPlace<'_>, request: &Request) -> bool {
        match self.place {
            LayerPlace::Around => true,
            LayerPlace::Inside => self.works_here(place, request) || self.is_named(place, request),
        }
    }

    /// Whether a line runs in it, whatever it names.
    fn works_here(&self, place: CallPlace<'_>, request: &Request) -> bool {
        let directory = request.call.directory.as_deref().unwrap_or_default();
        let directory = place.directory.under(place.root).join(directory);
        request.call.command.is_some() && self.holds_in(&real(directory))
    }

    /// Whether a call names something of it. To read a directory around it is to read the directory; to change one is
    /// to change what is in it.
    fn is_named(&self, place: CallPlace<'_>, request: &Request) -> bool {
        let root = self.root().as_path();
        let mut targets = request.targets.iter();
        targets.any(|target| {
            let Ok(path) = &target.path else { return false };
            let path = path.under(place.root);
            let changes_around = target.raw.extent == NameExtent::Below
                && target.raw.access != PathAccess::Read
                && root.starts_with(&path);
            path.starts_with(root) || changes_around
        })
    }
}

/// What is hidden in a project: by its own ignore file, and by those of its layers.
pub(crate) fn ignored_with(open: &OpenProject, layers: &[ProjectLayer]) -> Arc<IgnoredFiles> {
    let others = layers.iter();
    let others = others.map(|layer| (layer.root().clone(), layer.open.ignored()));
    open.ignored().with_others(open.root(), others)
}

/// Whether a mode reads only some files.
pub(crate) fn limits_reads(mode: &Mode) -> bool {
    let mut grants = mode.grants(Group::Read);
    !grants.any(|grant| grant.files.is_open())
}

/// What a path leads to; one that is not there is taken as written.
fn real(path: PathBuf) -> PathBuf {
    let real = std::fs::canonicalize(&path).ok();
    let written = || AbsPath::new(&path).map(|it| it.as_path().to_owned());
    real.or_else(written).unwrap_or(path)
}
