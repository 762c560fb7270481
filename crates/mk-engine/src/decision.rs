//! Decisions as they were recorded: listed, followed, and explained.

use mk_store::{DecisionFilter, DecisionRecord, Ruling};
use mk_types::{AbsPath, DecisionId, ModeSlug, ProjectId};

use crate::Engine;
use crate::error::Error;
use crate::missing::MissingThing;

/// The record of what was decided.
#[derive(Debug, Clone, Copy)]
pub struct Decisions<'a> {
    pub(crate) engine: &'a Engine,
}

/// Why a decision was made, and what would change it.
#[derive(Debug)]
pub struct Explanation {
    pub decision: DecisionRecord,
    /// Where the project is now, if it is still known.
    pub root: Option<AbsPath>,
    /// The mode that is in force in the project now.
    pub mode_now: Option<ModeSlug>,
    pub advice: Vec<String>,
}

impl Engine {
    pub fn decisions(&self) -> Decisions<'_> {
        Decisions { engine: self }
    }
}

impl Decisions<'_> {
    /// Newest first.
    pub fn list(&self, filter: &DecisionFilter) -> Result<Vec<DecisionRecord>, Error> {
        Ok(self.engine.inner.store.decisions(filter)?)
    }

    /// Those that came after this one, oldest first.
    pub fn after(
        &self,
        id: Option<&DecisionId>,
        filter: &DecisionFilter,
    ) -> Result<Vec<DecisionRecord>, Error> {
        Ok(self.engine.inner.store.decisions_after(id, filter)?)
    }

    /// The project's id, for a filter; `None` if nothing was ever stored about it.
    pub fn project(&self, directory: &AbsPath) -> Result<Option<ProjectId>, Error> {
        let root = self.engine.policy_root(directory);
        let found = self.engine.project_with(&root)?;
        Ok(found.map(|project| project.id))
    }

    pub fn explain(&self, id: &DecisionId) -> Result<Explanation, Error> {
        let store = &self.engine.inner.store;
        let decision = store.decision(id)?;
        let missing = || Error::NotFound(MissingThing::Decision(id.clone()));
        let decision = decision.ok_or_else(missing)?;
        let project = match &decision.project {
            Some(project) => store.project(project)?,
            None => None,
        };
        let root = project.as_ref().map(|project| project.root.clone());
        let mode_now = project.and_then(|project| project.mode);
        let advice = advice(&decision, mode_now.as_ref());
        Ok(Explanation {
            decision,
            root,
            mode_now,
            advice,
        })
    }
}

/// What a person can do about it.
fn advice(decision: &DecisionRecord, mode_now: Option<&ModeSlug>) -> Vec<String> {
    let mut advice: Vec<String> = decision.hint.clone().into_iter().collect();
    match decision.ruling {
        Ruling::Allow | Ruling::Paused => return advice,
        Ruling::Ask | Ruling::Unproven => {
            advice
                .push("answer it with `modekeeper approve`; the agent then tries again".to_owned());
        }
        Ruling::Deny => {
            advice.push("see what each mode allows with `modekeeper modes list`".to_owned());
            advice.push("suspend enforcement for a while with `modekeeper pause 10m`".to_owned());
        }
    }
    if let Some(now) = mode_now.filter(|now| **now != decision.mode) {
        advice.push(format!(
            "the project is in '{now}' mode now: the same call may be decided differently"
        ));
    }
    advice
}
