//! Recorded calls decided again, under other modes: «what would have been refused last week?».
//!
//! Reads records and files of modes, and changes nothing. What a call touched is resolved as the project is now.

use std::collections::HashMap;
use std::sync::Arc;

use mk_policy::{Catalogue, Layer, Mode, Source, evaluate, load_modes};
use mk_store::{Decision, DecisionFilter, Ruling};
use mk_types::{AbsPath, ModeSlug, ProjectId, ProjectPath};
use serde_json::Value;

use crate::decision::Decisions;
use crate::error::Error;
use crate::open_project::{OpenProject, global_layers};
use crate::target::TargetResolver;

/// Under which modes calls are decided again.
#[derive(Debug, Clone, Default)]
pub struct Replaying {
    /// A mode file: its name and its text. `None`: the project's own modes, as they are now.
    pub modes: Option<(String, String)>,
    /// As if this mode had been in force; `None`: the one that was.
    pub mode: Option<ModeSlug>,
}

/// A recorded decision, and what would be decided now.
#[derive(Debug)]
pub struct Replayed {
    pub decision: Decision,
    /// Why it cannot be decided again, in a few words.
    pub unknown: Option<&'static str>,
    pub ruling: Ruling,
    pub rule: String,
    pub reason: String,
}

impl Replayed {
    pub fn is_changed(&self) -> bool {
        self.unknown.is_none() && self.ruling != self.decision.ruling
    }
}

struct Place {
    open: Arc<OpenProject>,
    catalogue: Arc<Catalogue>,
}

impl Decisions<'_> {
    /// Decides recorded calls again, oldest first.
    pub fn replay(
        &self,
        filter: &DecisionFilter,
        replaying: &Replaying,
    ) -> Result<Vec<Replayed>, Error> {
        let mut found = self.list(filter)?;
        found.reverse();
        let mut places: HashMap<ProjectId, Option<Place>> = HashMap::new();
        let mut replayed = Vec::with_capacity(found.len());
        for decision in found {
            let place = match &decision.project {
                None => None,
                Some(id) => {
                    if !places.contains_key(id) {
                        let project = self.engine.inner.store.project(id)?;
                        let place = project.map(|it| self.place(&it.root, replaying));
                        places.insert(id.clone(), place);
                    }
                    places.get(id).and_then(Option::as_ref)
                }
            };
            replayed.push(self.again(decision, place, replaying));
        }
        Ok(replayed)
    }

    fn place(&self, root: &AbsPath, replaying: &Replaying) -> Place {
        let open = self.engine.open(root);
        let catalogue = match &replaying.modes {
            None => open.catalogue(),
            Some((file, text)) => {
                let mut layers = vec![Layer {
                    source: Source::Project,
                    file: file.clone(),
                    loaded: load_modes(file, text),
                }];
                layers.extend(global_layers(&self.engine.inner.folders));
                Arc::new(Catalogue::build(layers, self.engine.policy()))
            }
        };
        Place { open, catalogue }
    }

    fn again(&self, decision: Decision, place: Option<&Place>, replaying: &Replaying) -> Replayed {
        let same = |decision: Decision, why: &'static str| Replayed {
            unknown: Some(why),
            ruling: decision.ruling,
            rule: decision.rule.clone(),
            reason: decision.reason.clone(),
            decision,
        };
        let Some(place) = place else {
            return same(decision, "the project is not known any more");
        };
        if !decision.has_whole_input() {
            return same(decision, "the input was too long to keep");
        }
        let Ok(input) = serde_json::from_str::<Value>(&decision.input) else {
            return same(decision, "the input cannot be read");
        };
        let slug = replaying.mode.as_ref().unwrap_or(&decision.mode);
        let Some(mode) = place.catalogue.get(slug.as_str()) else {
            return Replayed {
                unknown: None,
                ruling: Ruling::Deny,
                rule: "no-mode".to_owned(),
                reason: format!("There is no mode '{slug}'"),
                decision,
            };
        };
        let (ruling, rule, reason) = self.decide(&decision, &input, mode, &place.open);
        Replayed {
            decision,
            unknown: None,
            ruling,
            rule,
            reason,
        }
    }

    fn decide(
        &self,
        decision: &Decision,
        input: &Value,
        mode: &Mode,
        open: &OpenProject,
    ) -> (Ruling, String, String) {
        let policy = self.engine.policy();
        let ignored = open.ignored();
        let call = policy.tools.call(&decision.tool, input);
        let targets = TargetResolver::new(open.root(), ProjectPath::root(), &ignored);
        let request = policy.request(call, |raw| targets.target(raw));
        let found = evaluate(policy, mode, &request);
        let ruling = match found.decision {
            mk_policy::Decision::Allow => Ruling::Allow,
            mk_policy::Decision::Unproven => Ruling::Unproven,
            mk_policy::Decision::Ask => Ruling::Ask,
            mk_policy::Decision::Deny => Ruling::Deny,
        };
        (ruling, found.rule.as_str().to_owned(), found.sentence(mode))
    }
}
