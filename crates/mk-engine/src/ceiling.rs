//! Ceilings: the most that anything on an endpoint may do, whatever mode a task is in.
//!
//! Made from what the operator wrote (builtin and global modes) and never from a project: a cloned repository must
//! not choose its own limits. A project's mode of the same slug can only take rights away.

use std::sync::Arc;

use mk_policy::{Catalogue, Mode, ModeSource};
use mk_types::ModeSlug;

use crate::Engine;
use crate::error::Error;
use crate::mode::{Modes, find};
use crate::open_project::operator_catalogue;

/// A mode that bounds every call of an endpoint. It stays as it was when it was made.
#[derive(Debug, Clone)]
pub struct Ceiling(Arc<Mode>);

impl Ceiling {
    pub fn slug(&self) -> &ModeSlug {
        &self.0.slug
    }

    /// Whether any call of the tool could be allowed below it.
    pub fn could_allow(&self, engine: &Engine, tool: &str) -> bool {
        mk_policy::could_allow(engine.policy(), &self.0, tool)
    }

    /// The modes that bound a call in a project: the ceiling, and the project's own mode of its slug.
    pub(crate) fn modes(&self, project: &Catalogue) -> Vec<Arc<Mode>> {
        let own = project.get(self.slug().as_str());
        let narrower = own.filter(|own| own.source == ModeSource::Project);
        std::iter::once(&self.0).chain(narrower).cloned().collect()
    }
}

impl<'a> Modes<'a> {
    /// The builtin and global modes, as they were when they were first asked for.
    pub(crate) fn operators(self) -> &'a Arc<Catalogue> {
        let inner = &self.engine.inner;
        let read = || Arc::new(operator_catalogue(&inner.folders, self.engine.policy()));
        inner.operator_modes.get_or_init(read)
    }

    /// The ceiling that a slug names among the builtin and global modes.
    pub fn ceiling(self, slug: &str) -> Result<Ceiling, Error> {
        let slug = Self::parse("mode", slug)?;
        find(self.operators(), &slug).map(Ceiling)
    }
}
