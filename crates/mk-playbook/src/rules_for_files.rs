//! Which rules apply to which files, and why.

use std::collections::BTreeMap;
use std::sync::Arc;

use mk_clients::AGENTS_FILES;

use crate::glob::PathGlob;
use crate::rule::{Activation, RulesFile};

/// Why a rule applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It holds for every file.
    Always,
    /// It stands in this folder, the nearest above the file that has one.
    Nearest {
        folder: String,
    },
    /// It stands in a folder above the file.
    Above {
        folder: String,
    },
    Glob {
        pattern: String,
    },
    /// It is written for the mode that is in force.
    Mode {
        slug: String,
    },
}

/// A rule that applies to some of the files.
#[derive(Debug, Clone)]
pub struct AppliedRule {
    pub rule: Arc<RulesFile>,
    pub reason: Reason,
    /// Those of the given paths that it applies to.
    pub files: Vec<String>,
}

/// The rules for these files.
///
/// 1. Rules with globs apply to the files that match, below the folder that they are written for.
/// 2. Instructions of a folder apply below it, and add to those of the folders above.
/// 3. Rules that say nothing of files apply to all of them.
/// 4. Rules of one mode apply in that mode only.
///
/// The most specific come first: matching globs, then instructions by depth, then what always holds; the project's before
/// the user's. Rules that wait to be asked for apply to no file by themselves.
pub(crate) fn rules_for_files(
    rules: &[Arc<RulesFile>],
    files: &[String],
    mode: Option<&str>,
) -> Vec<AppliedRule> {
    let mut applied: BTreeMap<usize, AppliedRule> = BTreeMap::new();
    for file in files {
        let path = normal(file);
        let nearest = nearest_agents(rules, &path);
        for (rule_idx, rule) in rules.iter().enumerate() {
            if let Some(reason) = reason(rule, &path, mode, nearest == Some(rule_idx)) {
                applied
                    .entry(rule_idx)
                    .or_insert_with(|| AppliedRule {
                        rule: Arc::clone(rule),
                        reason,
                        files: Vec::new(),
                    })
                    .files
                    .push(file.clone());
            }
        }
    }
    let mut applied: Vec<AppliedRule> = applied.into_values().collect();
    applied.sort_by_key(|applied| {
        let depth = |folder: &str| folder.split('/').filter(|part| !part.is_empty()).count();
        let order = match &applied.reason {
            Reason::Glob { .. } => (0, 0),
            Reason::Nearest { folder } | Reason::Above { folder } => {
                (1, usize::MAX - depth(folder))
            }
            Reason::Mode { .. } => (2, 0),
            Reason::Always => (3, 0),
        };
        (order, std::cmp::Reverse(applied.rule.layer))
    });
    applied
}

fn reason(rule: &RulesFile, path: &str, mode: Option<&str>, is_nearest: bool) -> Option<Reason> {
    if let Some(slug) = &rule.mode {
        return (mode == Some(slug)).then(|| Reason::Mode { slug: slug.clone() });
    }
    let below = below(&rule.scope, path)?;
    let matching = |glob: &&PathGlob| glob.matches(below) || glob.matches(path);
    if let Some(glob) = rule.globs.iter().find(matching) {
        return Some(Reason::Glob {
            pattern: glob.as_str().to_owned(),
        });
    }
    let folder = rule.scope.clone();
    match rule.activation {
        Activation::Always if is_nearest => Some(Reason::Nearest { folder }),
        Activation::Always if !folder.is_empty() => Some(Reason::Above { folder }),
        Activation::Always => Some(Reason::Always),
        Activation::Auto | Activation::Requested | Activation::Manual => None,
    }
}

fn nearest_agents(rules: &[Arc<RulesFile>], path: &str) -> Option<usize> {
    let above = rules
        .iter()
        .enumerate()
        .filter(|(_, rule)| is_agents(rule) && below(&rule.scope, path).is_some());
    above
        .max_by_key(|(_, rule)| rule.scope.len())
        .map(|(rule_idx, _)| rule_idx)
}

fn is_agents(rule: &RulesFile) -> bool {
    let [name, _] = AGENTS_FILES;
    match rule.path.strip_suffix(name) {
        Some(above) => above.is_empty() || above.ends_with('/') && !above.starts_with("rules/"),
        None => false,
    }
}

/// The path below a folder; `None` if it is elsewhere.
fn below<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    if folder.is_empty() {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// A path as globs are written: `/` between parts, no `./` in front.
fn normal(path: &str) -> String {
    let slashed = path.replace('\\', "/");
    let parts: Vec<&str> = slashed
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    parts.join("/")
}
