//! Recorded calls decided again, under other modes: «what would have been refused last week?».
//!
//! Reads records and files of modes, and changes nothing. What a call touched is resolved as the project is now.

use std::collections::HashMap;
use std::sync::Arc;

use mk_policy::{Catalogue, Evaluation, Mode, ModeLayer, ModeSource, evaluate, load_modes};
use mk_store::{DecisionFilter, DecisionRecord, Ruling};
use mk_types::{AbsPath, ModeSlug, ProjectId, ProjectPath};
use serde_json::Value;

use crate::command::{RUNS_LINES, line_of};
use crate::decision::Decisions;
use crate::error::Error;
use crate::layer::{CallPlace, ignored_with};
use crate::open_project::{OpenProject, global_layers};
use crate::target::TargetResolver;

/// Under which modes calls are decided again.
#[derive(Debug, Clone, Default)]
pub struct ReplayModes {
    /// A mode file: its name and its text. `None`: the project's own modes, as they are now.
    pub modes: Option<(String, String)>,
    /// As if this mode had been in force; `None`: the one that was.
    pub mode: Option<ModeSlug>,
}

/// A recorded decision, and what would be decided now.
#[derive(Debug)]
pub struct ReplayedDecision {
    pub decision: DecisionRecord,
    /// Why it cannot be decided again, in a few words.
    pub unknown: Option<&'static str>,
    pub ruling: Ruling,
    pub rule: String,
    pub reason: String,
}

impl ReplayedDecision {
    pub fn is_changed(&self) -> bool {
        self.unknown.is_none() && self.ruling != self.decision.ruling
    }
}

struct ReplayPlace {
    open: Arc<OpenProject>,
    catalogue: Arc<Catalogue>,
}

impl Decisions<'_> {
    /// Decides recorded calls again, oldest first.
    pub fn replay(
        &self,
        filter: &DecisionFilter,
        replaying: &ReplayModes,
    ) -> Result<Vec<ReplayedDecision>, Error> {
        let mut found = self.list(filter)?;
        found.reverse();
        let mut places: HashMap<ProjectId, Option<ReplayPlace>> = HashMap::new();
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

    fn place(&self, root: &AbsPath, replaying: &ReplayModes) -> ReplayPlace {
        let open = self.engine.open(root);
        let catalogue = match &replaying.modes {
            None => open.catalogue(),
            Some((file, text)) => {
                let mut layers = vec![ModeLayer {
                    source: ModeSource::Project,
                    file: file.clone(),
                    loaded: load_modes(file, text),
                }];
                layers.extend(global_layers(&self.engine.inner.folders));
                Arc::new(Catalogue::build(layers, self.engine.policy()))
            }
        };
        ReplayPlace { open, catalogue }
    }

    fn again(
        &self,
        decision: DecisionRecord,
        place: Option<&ReplayPlace>,
        replaying: &ReplayModes,
    ) -> ReplayedDecision {
        let same = |decision: DecisionRecord, why: &'static str| ReplayedDecision {
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
        let mode = place.catalogue.get(slug.as_str());
        let Ok(rulings) = self.decide(&decision, &input, slug, place) else {
            return same(decision, "the mode of a project inside is not known");
        };
        // It may be the mode of a project inside that has decided.
        let is_known = mode.is_some() || rulings.iter().any(|(it, _)| it.mode == *slug);
        let strictest = rulings.into_iter().reduce(|first, other| {
            if other.0.decision > first.0.decision {
                other
            } else {
                first
            }
        });
        let Some((found, mode)) = strictest.filter(|_| is_known) else {
            return ReplayedDecision {
                unknown: None,
                ruling: Ruling::Deny,
                rule: "no-mode".to_owned(),
                reason: format!("There is no mode '{slug}'"),
                decision,
            };
        };
        let ruling = match found.decision {
            mk_policy::Decision::Allow => Ruling::Allow,
            mk_policy::Decision::Unproven => Ruling::Unproven,
            mk_policy::Decision::Ask => Ruling::Ask,
            mk_policy::Decision::Deny => Ruling::Deny,
        };
        ReplayedDecision {
            decision,
            unknown: None,
            ruling,
            rule: found.rule.as_str().to_owned(),
            reason: found.sentence(&mode),
        }
    }

    /// What the mode says where the project has it, then what the projects around and inside say.
    fn decide(
        &self,
        decision: &DecisionRecord,
        input: &Value,
        slug: &ModeSlug,
        place: &ReplayPlace,
    ) -> Result<Vec<(Evaluation, Arc<Mode>)>, Error> {
        let policy = self.engine.policy();
        let open = &place.open;
        let layers = self.engine.layers(open.root(), slug)?;
        let ignored = ignored_with(open.root(), &open.ignored(), &layers);
        let call = match line_of(&decision.tool, input) {
            Some(line) => policy.tools.call_on(RUNS_LINES, Some(line)),
            None => policy.tools.call(&decision.tool, input),
        };
        let directory = ProjectPath::root();
        let targets = TargetResolver::new(open.root(), directory.clone(), &ignored);
        let request = policy.request(call, |raw| targets.target(raw));
        let call_place = CallPlace {
            root: open.root(),
            directory: &directory,
        };
        let own = place.catalogue.get(slug.as_str());
        let own = own.map(|mode| (evaluate(policy, mode, &request), Arc::clone(mode)));
        let layers = self.engine.rule_layers(&layers, call_place, &request)?;
        let layers = layers.into_iter().map(|it| (it.evaluation, it.by.mode));
        Ok(own.into_iter().chain(layers).collect())
    }
}
