//! Ceilings: the most that anything on an endpoint or with a token may do, whatever mode a task is in.
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

/// A mode that bounds every call of an endpoint or of a token. It stays as it was when it was made.
#[derive(Debug, Clone)]
pub struct Ceiling {
    mode: Arc<Mode>,
    origin: CeilingOrigin,
}

/// What sets a ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CeilingOrigin {
    /// The server, or the address of one of its endpoints. Calls that no task governs begin in its mode.
    Endpoint,
    /// The credential of a request. It only limits: a token with a highest mode must not do more than one without.
    Token,
}

impl Ceiling {
    pub fn slug(&self) -> &ModeSlug {
        &self.mode.slug
    }

    pub(crate) fn mode(&self) -> &Mode {
        &self.mode
    }

    /// The same, set by the credential of a request.
    #[must_use]
    pub fn of_token(mut self) -> Self {
        self.origin = CeilingOrigin::Token;
        self
    }

    pub(crate) fn origin(&self) -> CeilingOrigin {
        self.origin
    }

    /// Whether any call of the tool could be allowed below it.
    pub fn could_allow(&self, engine: &Engine, tool: &str) -> bool {
        mk_policy::could_allow(engine.policy(), &self.mode, tool)
    }

    /// The modes that bound a call in a project: the ceiling, and the project's own mode of its slug.
    pub(crate) fn modes(&self, project: &Catalogue) -> Vec<Arc<Mode>> {
        let own = project.get(self.slug().as_str());
        let narrower = own.filter(|own| own.source == ModeSource::Project);
        std::iter::once(&self.mode)
            .chain(narrower)
            .cloned()
            .collect()
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
        let mode = find(self.operators(), &slug)?;
        Ok(Ceiling {
            mode,
            origin: CeilingOrigin::Endpoint,
        })
    }
}
