//! What holds in this project: the team's and the user's own rules, and those for the technologies that it uses.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use mk_types::AbsPath;

use crate::detect::detect;
use crate::place::ContentLayer;
use crate::rule::{Activation, RulesFile};
use crate::rules_for_files::{AppliedRule, Reason, rules_for_files};

/// Rules for this many technologies are as many as anyone reads.
const MOST_STACKS: usize = 2;

/// The rules of a project, sorted by whose they are.
#[derive(Debug, Default)]
pub(crate) struct TeamRules {
    own: Vec<Arc<RulesFile>>,
    stacks: Vec<Arc<RulesFile>>,
    /// Places among the stacks of those that the project uses.
    used: Vec<usize>,
}

impl TeamRules {
    pub(crate) fn new(rules: &[Arc<RulesFile>], root: Option<&AbsPath>) -> Self {
        let is_stack = |rule: &&Arc<RulesFile>| !rule.stack.is_empty();
        let stacks: Vec<Arc<RulesFile>> = rules.iter().filter(is_stack).cloned().collect();
        let own = rules
            .iter()
            .filter(|rule| rule.layer != ContentLayer::Embedded && rule.stack.is_empty());
        let mut own: Vec<Arc<RulesFile>> = own.cloned().collect();
        // What stands in plain sight, such as `AGENTS.md`, is what the team means; a product's dot file repeats it often.
        own.sort_by_key(|rule| rule.path.starts_with('.'));
        let detected = root.map(detect).unwrap_or_default();
        // Languages say more about the work than what surrounds them.
        let names: Vec<&str> = [
            &detected.languages,
            &detected.frontend,
            &detected.infrastructure,
            &detected.database,
        ]
        .into_iter()
        .flatten()
        .copied()
        .collect();
        let mut used: Vec<(usize, usize)> = Vec::new();
        for (place, rule) in stacks.iter().enumerate() {
            let first = names
                .iter()
                .position(|name| rule.stack.iter().any(|it| it == name));
            if let Some(first) = first {
                used.push((first, place));
            }
        }
        used.sort_unstable();
        Self {
            own,
            used: used.into_iter().map(|(_, place)| place).collect(),
            stacks,
        }
    }

    /// What was written here for these files, the nearest first; without files, what holds everywhere. Each text once, and
    /// no more than `most` of them.
    pub(crate) fn applied(&self, files: &[String], mode: &str, most: usize) -> Vec<AppliedRule> {
        let applied = if files.is_empty() {
            self.everywhere(mode, most)
        } else {
            rules_for_files(&self.own, files, Some(mode))
        };
        let mut seen: HashSet<u64> = HashSet::new();
        let hashes = RandomState::new();
        let applied = applied.into_iter().filter(|it| {
            let text = it.rule.text.trim();
            !text.is_empty() && seen.insert(hashes.hash_one(text))
        });
        applied.take(most).collect()
    }

    /// The project's before the user's. A few more than asked for, because some may say the same.
    fn everywhere(&self, mode: &str, most: usize) -> Vec<AppliedRule> {
        let reason = |rule: &RulesFile| match &rule.mode {
            Some(slug) => (slug == mode).then(|| Reason::Mode { slug: slug.clone() }),
            None => (rule.activation == Activation::Always && rule.scope.is_empty())
                .then_some(Reason::Always),
        };
        let layers = [ContentLayer::Project, ContentLayer::User].into_iter();
        let rules = layers.flat_map(|layer| self.own.iter().filter(move |it| it.layer == layer));
        let applied = rules.filter_map(|rule| {
            Some(AppliedRule {
                reason: reason(rule)?,
                rule: Arc::clone(rule),
                files: Vec::new(),
            })
        });
        applied.take(most.saturating_mul(2)).collect()
    }

    /// The rules for the technologies of these files; without files, of those that the project's manifests name.
    pub(crate) fn of_stack(&self, files: &[String]) -> Vec<&RulesFile> {
        if files.is_empty() {
            let used = self.used.iter().filter_map(|place| self.stacks.get(*place));
            return used.take(MOST_STACKS).map(AsRef::as_ref).collect();
        }
        let fits = |rule: &&Arc<RulesFile>| {
            let mut globs = rule.globs.iter();
            globs.any(|glob| files.iter().any(|file| glob.matches(file)))
        };
        let fitting = self.stacks.iter().filter(fits);
        fitting.take(MOST_STACKS).map(AsRef::as_ref).collect()
    }
}
