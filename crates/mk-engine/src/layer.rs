//! Projects around and inside the one that a call works in, with a mode that a person has set: each holds what touches
//! it, besides the mode in force. Calls, hooks, commands and what is hidden all ask here which they are.
//!
//! A layer only narrows. Modes that a nested repository brings along without a person having set one count for nothing.
//! What touches a layer is decided by paths; its modes are read when something does. Of projects around, the nearest
//! holds, and only where this one has no mode of its own.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use mk_policy::{
    Evaluation, Form, Group, Mode, NameExtent, PathAccess, RawTarget, Request, ResolvedTarget,
    evaluate, evaluate_from_outside, may_read,
};
use mk_project::{IgnoredFiles, is_project};
use mk_store::Project;
use mk_types::{AbsPath, ModeSlug, ProjectPath};

use crate::command::FileRight;
use crate::error::Error;
use crate::next_step::NextStep;
use crate::open_project::OpenProject;
use crate::place::real;
use crate::target::TargetResolver;
use crate::{Engine, mode};

/// A project with a say in what touches it.
#[derive(Debug, Clone)]
pub(crate) struct ProjectLayer {
    engine: Engine,
    root: AbsPath,
    slug: ModeSlug,
    place: LayerPlace,
    /// The project in use: what a directory inside it does not have is its.
    above: AbsPath,
    /// Whether a person has suspended its enforcement.
    is_paused: bool,
    ignored: OnceLock<Arc<IgnoredFiles>>,
    /// Read when it is needed.
    mode: OnceLock<LayerMode>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LayerPlace {
    /// It holds everything, by its own text of the mode in force.
    Around,
    /// It holds what touches it, by the mode that a person has set for it.
    Inside,
}

/// The mode of a layer.
#[derive(Debug, Clone)]
enum LayerMode {
    Known(Arc<Mode>),
    /// Around a project whose mode only that project knows: then it has a say in what is hidden.
    Unasked,
    /// It is not there any more, so nothing that touches the project is allowed.
    Missing,
}

/// The layer that has decided.
#[derive(Debug, Clone)]
pub(crate) struct DecidingLayer {
    pub(crate) mode: Arc<Mode>,
    /// The project inside this one whose mode it is.
    pub(crate) inside: Option<AbsPath>,
}

/// What a layer says about a call.
#[derive(Debug)]
pub(crate) struct LayerRuling {
    /// The call as it is seen from there.
    pub(crate) request: Request,
    pub(crate) evaluation: Evaluation,
    pub(crate) by: DecidingLayer,
}

/// Where a call works: the project in which its targets were resolved, and where relative paths begin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallPlace<'a> {
    pub(crate) root: &'a AbsPath,
    pub(crate) directory: &'a ProjectPath,
}

impl CallPlace<'_> {
    /// Where a line runs.
    fn of_line(self, request: &Request) -> Option<PathBuf> {
        request.call.command.as_ref()?;
        let directory = request.call.directory.as_deref().unwrap_or_default();
        Some(real(&self.directory.under(self.root).join(directory)))
    }
}

impl Engine {
    /// The layers of the project at `root`, for work in one of its modes.
    ///
    /// 1. The project around it that a person has set a mode for, as its own files say that mode. Not where the one is
    ///    marked as a project and the other is not: then it is a project of its own.
    /// 2. Each project inside it that a person has set a mode for, and that is there.
    pub(crate) fn layers(
        &self,
        root: &AbsPath,
        in_force: &ModeSlug,
    ) -> Result<Vec<ProjectLayer>, Error> {
        let now = self.inner.clock.now();
        let layer = |project: Project, slug: ModeSlug, place| ProjectLayer {
            engine: self.clone(),
            is_paused: project.paused_until.is_some_and(|until| until > now),
            root: project.root,
            slug,
            place,
            above: root.clone(),
            ignored: OnceLock::new(),
            mode: OnceLock::new(),
        };
        let around = self.set_around(root)?;
        let around = around.map(|around| layer(around, in_force.clone(), LayerPlace::Around));
        let inside = self.inner.store.set_below(root)?;
        let inside = inside.into_iter().filter_map(|project| {
            let slug = project.mode.clone().filter(|_| is_there(&project.root))?;
            Some(layer(project, slug, LayerPlace::Inside))
        });
        Ok(around.into_iter().chain(inside).collect())
    }

    pub(crate) fn root_around(&self, root: &AbsPath) -> Result<Option<AbsPath>, Error> {
        Ok(self.set_around(root)?.map(|it| it.root))
    }

    /// The project around one that a person has set a mode for.
    fn set_around(&self, root: &AbsPath) -> Result<Option<Project>, Error> {
        let found = self.nearest_above(root)?.found;
        let is_around = |around: &AbsPath| {
            around != root && (is_project(around.as_path()) || !is_project(root.as_path()))
        };
        Ok(found.map(|it| *it).filter(|it| is_around(&it.root)))
    }

    /// What is hidden in a project, where its layers are not needed for anything else.
    pub(crate) fn ignored(&self, open: &OpenProject) -> Arc<IgnoredFiles> {
        match self.layers(open.root(), &self.settings().default_mode) {
            Ok(layers) => ignored_with(open.root(), &open.ignored(), &layers),
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
        let works_in = place.of_line(request);
        let works_in = works_in.as_deref();
        let mut rulings = Vec::new();
        for layer in layers {
            let works_here = works_in.is_some_and(|directory| layer.holds_in(directory));
            let targets = layer.targets(place.root, request);
            if layer.is_inside() && !works_here && targets.is_empty() {
                continue;
            }
            let Some(mode) = layer.known_mode()? else {
                continue;
            };
            let request = layer.request(request, targets)?;
            let evaluation = match layer.is_inside() && !works_here {
                true => evaluate_from_outside(self.policy(), mode, &request),
                false => evaluate(self.policy(), mode, &request),
            };
            rulings.push(LayerRuling {
                evaluation,
                request,
                by: layer.deciding(mode),
            });
        }
        Ok(rulings)
    }

    /// What a command may do with a file as far as a layer is concerned.
    pub(crate) fn file_in(&self, layer: &ProjectLayer, place: &Path) -> FileRight {
        let Some(path) = layer.below(place) else {
            return FileRight::Edit;
        };
        let mode = match layer.mode() {
            LayerMode::Known(mode) => mode,
            LayerMode::Unasked => return FileRight::Edit,
            LayerMode::Missing => return FileRight::Shut,
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
        &self.root
    }

    pub(crate) fn is_inside(&self) -> bool {
        self.place == LayerPlace::Inside
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Whether it holds work in a directory, whatever is touched there.
    pub(crate) fn holds_in(&self, directory: &Path) -> bool {
        directory.starts_with(self.root.as_path())
    }

    /// Its mode where it has one to say; refuses where that is not there any more.
    pub(crate) fn known_mode(&self) -> Result<Option<&Arc<Mode>>, Error> {
        match self.mode() {
            LayerMode::Known(mode) => Ok(Some(mode)),
            LayerMode::Unasked => Ok(None),
            LayerMode::Missing => {
                let (root, slug) = (&self.root, &self.slug);
                let message = format!("Cannot find the mode '{slug}' that the project {root} has");
                Err(Error::Denied {
                    rule: None,
                    message,
                    hint: Some(NextStep::ChangeModeOf(root.clone())),
                })
            }
        }
    }

    /// Whether it lets an agent see a file.
    pub(crate) fn shows(&self, place: &Path) -> bool {
        let Some(path) = self.below(place) else {
            return true;
        };
        match self.mode() {
            LayerMode::Known(mode) => may_read(mode, None, path),
            LayerMode::Unasked => true,
            LayerMode::Missing => false,
        }
    }

    /// Whether it keeps some files from being read.
    pub(crate) fn hides_some(&self) -> bool {
        self.limits_reads() || !matches!(**self.ignored(), IgnoredFiles::Nothing)
    }

    /// Whether its mode does.
    pub(crate) fn limits_reads(&self) -> bool {
        match self.mode() {
            LayerMode::Known(mode) => limits_reads(mode),
            LayerMode::Unasked => false,
            LayerMode::Missing => true,
        }
    }

    /// The same text as long as it holds a line in a directory in the same way.
    pub(crate) fn policy_in(&self, directory: &Path) -> String {
        let (root, slug) = (&self.root, &self.slug);
        // Of what is elsewhere, the files count, and the wall holds those by the modes as they are then.
        let rights = match self.holds_in(directory) || !self.is_inside() {
            true => self.rights(),
            false => String::new(),
        };
        format!("\n{root} {slug} {rights}")
    }

    /// What its mode may do, as a text.
    pub(crate) fn rights(&self) -> String {
        match self.mode() {
            LayerMode::Known(mode) => format!("{} {}", mode.slug, mode.rights()),
            LayerMode::Unasked => String::new(),
            LayerMode::Missing => format!("{} missing", self.slug),
        }
    }

    fn deciding(&self, mode: &Arc<Mode>) -> DecidingLayer {
        DecidingLayer {
            mode: Arc::clone(mode),
            inside: self.is_inside().then(|| self.root.clone()),
        }
    }

    fn mode(&self) -> &LayerMode {
        self.mode.get_or_init(|| {
            let catalogue = self.engine.peek_at(&self.root).catalogue();
            let slug = self.slug.as_str();
            let is_broken = catalogue.why_broken(slug).is_some();
            match mode::find(&catalogue, &self.slug) {
                Ok(mode) => LayerMode::Known(mode),
                Err(_) if is_broken => LayerMode::Missing,
                Err(_) if !self.is_inside() => LayerMode::Unasked,
                Err(_) => {
                    let above = self.engine.peek_at(&self.above).catalogue();
                    let found = above.get(slug).cloned();
                    found.map_or(LayerMode::Missing, LayerMode::Known)
                }
            }
        })
    }

    fn ignored(&self) -> &Arc<IgnoredFiles> {
        let ignored = || self.engine.ignored_at(&self.root);
        self.ignored.get_or_init(ignored)
    }

    /// The path as it is named from there; `None` elsewhere.
    fn below<'a>(&self, place: &'a Path) -> Option<&'a str> {
        place.strip_prefix(self.root.as_path()).ok()?.to_str()
    }

    /// What a call from `above` names that concerns it.
    fn targets(&self, above: &AbsPath, request: &Request) -> Vec<RawTarget> {
        let targets = request.targets.iter();
        let targets = targets.flat_map(|target| match self.place {
            LayerPlace::Around => vec![in_place(target, above)],
            LayerPlace::Inside => self.names(target, above),
        });
        targets.collect()
    }

    /// What a target is here. To change a directory around it is to change what is in it; to read one is to read what is
    /// in it, where its mode reads only some files.
    fn names(&self, target: &ResolvedTarget, above: &AbsPath) -> Vec<RawTarget> {
        let raw = &target.raw;
        let root = self.root.as_path();
        let is_changed = raw.access != PathAccess::Read;
        let around = |place: &Path| {
            raw.extent == NameExtent::Below
                && root.starts_with(place)
                && (is_changed || self.limits_reads())
        };
        let seen = |place: &Path, form| {
            let place = match place.starts_with(root) {
                true => place,
                false if around(place) => root,
                false => return None,
            };
            Some(RawTarget {
                path: place.display().to_string(),
                form,
                ..raw.clone()
            })
        };
        let written = target.path.iter();
        let written = written.filter_map(|path| seen(&path.under(above), raw.form));
        let found = target.found.iter();
        let found = found.filter(|_| raw.form == Form::Pattern);
        let found = found.filter_map(|it| seen(&it.path.under(above), Form::Exact));
        let unseen = self.may_be_among(target, above).then(|| RawTarget {
            form: Form::Unknown,
            ..raw.clone()
        });
        written.chain(found).chain(unseen).collect()
    }

    /// Whether a pattern that matches too much to look at may match something here.
    fn may_be_among(&self, target: &ResolvedTarget, above: &AbsPath) -> bool {
        let raw = &target.raw;
        if raw.form != Form::Pattern || target.found.are_known() || raw.path.starts_with('~') {
            return false;
        }
        let end = raw.path.find(['*', '?', '[', '\\']);
        let fixed = raw.path.get(..end.unwrap_or(raw.path.len()));
        let fixed = fixed.and_then(|it| it.rsplit_once('/'));
        let fixed = above
            .as_path()
            .join(fixed.map_or("", |(directory, _)| directory));
        let fixed = real(&fixed);
        let root = self.root.as_path();
        root.starts_with(&fixed) || fixed.starts_with(root)
    }

    /// The call as it is seen from here.
    fn request(&self, request: &Request, targets: Vec<RawTarget>) -> Result<Request, Error> {
        let ignored = self.ignored();
        let resolver = TargetResolver::new(&self.root, ProjectPath::root(), ignored)
            .beside(&self.engine.inner.folders.state);
        let targets: Option<Vec<ResolvedTarget>> = targets
            .into_iter()
            .map(|raw| resolver.target(raw))
            .collect();
        let targets = targets.ok_or_else(|| Error::Denied {
            rule: None,
            message: format!("The call is too large to be looked at in {}", self.root),
            hint: Some("run the parts as separate calls".into()),
        })?;
        Ok(Request {
            targets,
            ..request.clone()
        })
    }
}

/// A target by where it is: links have been followed already.
fn in_place(target: &ResolvedTarget, above: &AbsPath) -> RawTarget {
    let path = match &target.path {
        Ok(path) => path.under(above).display().to_string(),
        Err(_) => target.raw.path.clone(),
    };
    RawTarget {
        path,
        ..target.raw.clone()
    }
}

/// Whether something stands at a root. What is not there can hold nothing.
fn is_there(root: &AbsPath) -> bool {
    let is_missing = |error: std::io::Error| {
        matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
    };
    !std::fs::symlink_metadata(root.as_path()).is_err_and(is_missing)
}

/// What is hidden in a project: by its own ignore file, and by those of its layers.
pub(crate) fn ignored_with(
    root: &AbsPath,
    own: &Arc<IgnoredFiles>,
    layers: &[ProjectLayer],
) -> Arc<IgnoredFiles> {
    let others = layers.iter();
    let others = others.map(|layer| (layer.root.clone(), Arc::clone(layer.ignored())));
    own.with_others(root, others)
}

/// Whether a mode reads only some files.
pub(crate) fn limits_reads(mode: &Mode) -> bool {
    let mut grants = mode.grants(Group::Read);
    !grants.any(|grant| grant.files.is_open())
}
