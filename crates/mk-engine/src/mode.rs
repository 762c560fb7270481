//! Modes as callers ask for them: by slug, with an answer that names what there is instead.

use std::sync::Arc;

use mk_policy::{Catalogue, Diagnostic, Mode};
use mk_types::{AbsPath, ModeSlug};

use crate::error::Error;
use crate::lint::idle_patterns;
use crate::missing::MissingThing;
use crate::{Caller, Engine};

/// The modes that projects have.
#[derive(Debug, Clone, Copy)]
pub struct Modes<'a> {
    pub(crate) engine: &'a Engine,
}

impl Engine {
    pub fn modes(&self) -> Modes<'_> {
        Modes { engine: self }
    }
}

impl Modes<'_> {
    /// The modes of the caller's project; where its credential is for others, only those that all projects have.
    pub fn catalogue(self, caller: &Caller) -> Arc<Catalogue> {
        match self.engine.may_enter_own(caller) {
            Ok(()) => self.catalogue_at(&caller.project),
            Err(_) => Arc::clone(self.operators()),
        }
    }

    /// The modes of the project at a root, which is watched from now on where the settings say so.
    pub fn catalogue_at(self, root: &AbsPath) -> Arc<Catalogue> {
        self.engine.open(root).catalogue()
    }

    /// A mode of the caller's project by the slug somebody sent.
    pub fn get(
        self,
        caller: &Caller,
        parameter: &'static str,
        slug: &str,
    ) -> Result<Arc<Mode>, Error> {
        find(&self.catalogue(caller), &Self::parse(parameter, slug)?)
    }

    pub(crate) fn parse(parameter: &'static str, slug: &str) -> Result<ModeSlug, Error> {
        ModeSlug::parse(slug)
            .map_err(|error| Error::invalid(parameter, format!("Invalid {parameter}: {error}")))
    }

    pub fn system_prompt(self, caller: &Caller, slug: &ModeSlug) -> Result<String, Error> {
        self.engine.may_enter_own(caller)?;
        self.system_prompt_at(&caller.project, slug)
    }

    pub(crate) fn system_prompt_at(
        self,
        project: &AbsPath,
        slug: &ModeSlug,
    ) -> Result<String, Error> {
        let project = self.engine.open(project);
        project
            .system_prompt(slug)
            .ok_or_else(|| not_found(&project.catalogue(), slug))
    }

    /// Problems of all mode files of a project, with a warning for each pattern that matches none of its files.
    pub fn lint(self, caller: &Caller) -> Vec<Diagnostic> {
        let catalogue = self.catalogue(caller);
        let mut found = catalogue.diagnostics().to_vec();
        let open = self.engine.open(&caller.project);
        found.extend(idle_patterns(&catalogue, &caller.project, &open.written()));
        found.sort_by(|a, b| (&a.file, a.position).cmp(&(&b.file, b.position)));
        found
    }
}

impl Engine {
    /// Refuses a caller whose credential is not for the project that it is in.
    fn may_enter_own(&self, caller: &Caller) -> Result<(), Error> {
        caller.may_enter(&self.project_of(&caller.project))
    }
}

pub(crate) fn find(catalogue: &Catalogue, slug: &ModeSlug) -> Result<Arc<Mode>, Error> {
    catalogue
        .get(slug.as_str())
        .cloned()
        .ok_or_else(|| not_found(catalogue, slug))
}

/// The same for a mode that holds: what is missing is not what a caller has asked for.
pub(crate) fn find_in_force(catalogue: &Catalogue, slug: &ModeSlug) -> Result<Arc<Mode>, Error> {
    find(catalogue, slug).map_err(|error| match error {
        Error::NotFound(mode) => Error::NotFound(MissingThing::ModeInForce(Box::new(mode))),
        other => other,
    })
}

fn not_found(catalogue: &Catalogue, slug: &ModeSlug) -> Error {
    let broken = catalogue.why_broken(slug.as_str());
    Error::NotFound(MissingThing::Mode {
        slug: slug.clone(),
        available: catalogue.visible().map(|mode| mode.slug.clone()).collect(),
        broken: broken.map(std::string::ToString::to_string),
    })
}
