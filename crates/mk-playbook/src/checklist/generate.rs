//! Puts together the checklists that domains or files call for.

use std::sync::Arc;

use super::trigger::PathNames;
use super::{Checklist, ChecklistCategory, ChecklistItem, Priority};

/// What to generate checklists for; with neither there is nothing to check.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChecklistQuery<'a> {
    /// These domains and no others; without files, all of them.
    pub domains: &'a [String],
    /// What these files call for; in a domain that was asked for and has nothing for them, all of it.
    pub files: &'a [String],
}

/// Why a category is in a checklist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriggerReason {
    /// The domain was asked for.
    Explicit,
    FilePattern,
}

/// A category that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedTrigger {
    pub domain: String,
    pub category: String,
    pub reason: TriggerReason,
    /// The file, or the domain that was asked for.
    pub matched: String,
}

/// The items of one domain, the most important first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainChecklist {
    pub domain: String,
    pub icon: Option<String>,
    /// That of its most important item.
    pub priority: Priority,
    pub items: Vec<ChecklistItem>,
}

/// How many items there are, by priority.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    pub total: usize,
    pub critical: usize,
    pub high: usize,
    pub medium: usize,
    pub low: usize,
}

/// Everything to check, the domain with the most important items first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GeneratedChecklists {
    pub checklists: Vec<DomainChecklist>,
    pub summary: Summary,
    pub matched_triggers: Vec<MatchedTrigger>,
    /// The words and patterns that were found in the files' paths, in the order they were met.
    pub detected_patterns: Vec<String>,
    /// Domains that were asked for and that no one has written a checklist for.
    pub unknown_domains: Vec<String>,
}

pub(crate) fn generate(
    checklists: &[Arc<Checklist>],
    query: &ChecklistQuery<'_>,
) -> GeneratedChecklists {
    let mut generated = GeneratedChecklists::default();
    let is_known = |domain: &&String| {
        checklists
            .iter()
            .any(|checklist| checklist.domain == **domain)
    };
    generated.unknown_domains = query
        .domains
        .iter()
        .filter(|domain| !is_known(domain))
        .cloned()
        .collect();
    let files: Vec<PathNames> = query
        .files
        .iter()
        .map(|file| PathNames::new(file))
        .collect();
    let mut seen: Vec<String> = Vec::new();
    for checklist in checklists {
        let explicit = query.domains.contains(&checklist.domain);
        if !query.domains.is_empty() && !explicit {
            continue;
        }
        let mut chosen = by_files(checklist, query, &files, &mut generated);
        if chosen.is_empty() && explicit {
            chosen = checklist.categories.iter().collect();
        }
        if explicit {
            let triggers = chosen.iter().map(|category| MatchedTrigger {
                domain: checklist.domain.clone(),
                category: category.name.clone(),
                reason: TriggerReason::Explicit,
                matched: checklist.domain.clone(),
            });
            generated.matched_triggers.extend(triggers);
        }
        let items = unseen_items(&chosen, &mut seen);
        if let Some(first) = items.first() {
            generated.checklists.push(DomainChecklist {
                domain: checklist.domain.clone(),
                icon: checklist.icon.clone(),
                priority: first.priority,
                items,
            });
        }
    }
    generated
        .checklists
        .sort_by_key(|checklist| checklist.priority);
    generated.summary = summary(&generated.checklists);
    generated
}

/// A text that two domains share is read once, and so is an item of two categories.
fn unseen_items(chosen: &[&ChecklistCategory], seen: &mut Vec<String>) -> Vec<ChecklistItem> {
    let mut items: Vec<ChecklistItem> = Vec::new();
    for item in chosen.iter().flat_map(|category| &category.items) {
        let is_known = items.iter().any(|known| known.id == item.id);
        if !is_known && !seen.contains(&item.text) {
            seen.push(item.text.clone());
            items.push(item.clone());
        }
    }
    items.sort_by_key(|item| item.priority);
    items
}

/// The texts of the most important items, of each domain in turn: what [`generate`] would list, without making all of it.
pub(crate) fn first_points(
    checklists: &[Arc<Checklist>],
    query: &ChecklistQuery<'_>,
    most: usize,
) -> Vec<String> {
    let files = query.files.iter().map(|file| PathNames::new(file));
    let files: Vec<PathNames> = files.collect();
    let mut domains: Vec<_> = checklists
        .iter()
        .filter(|it| query.domains.is_empty() || query.domains.contains(&it.domain))
        .map(|checklist| points_of(checklist, query, &files, most).into_iter())
        .collect();
    domains.sort_by_key(|items| items.as_slice().first().map(|item| item.priority));
    let mut points: Vec<String> = Vec::new();
    while points.len() < most && domains.iter().any(|items| !items.as_slice().is_empty()) {
        for item in domains.iter_mut().filter_map(Iterator::next) {
            if points.len() < most && !points.contains(&item.text) {
                points.push(item.text.clone());
            }
        }
    }
    points
}

/// The first items of one domain, the most important first.
fn points_of<'c>(
    checklist: &'c Checklist,
    query: &ChecklistQuery<'_>,
    files: &[PathNames],
    most: usize,
) -> Vec<&'c ChecklistItem> {
    let called_for = |category: &&ChecklistCategory| {
        let mut triggers = category.triggers.iter();
        triggers.any(|trigger| files.iter().any(|file| !trigger.matches(file).is_empty()))
    };
    let chosen = checklist.categories.iter().filter(called_for);
    let mut chosen: Vec<&ChecklistCategory> = chosen.collect();
    if chosen.is_empty() && query.domains.contains(&checklist.domain) {
        chosen = checklist.categories.iter().collect();
    }
    let items = chosen.into_iter().flat_map(|category| &category.items);
    let mut items: Vec<&ChecklistItem> = items.collect();
    items.sort_by_key(|item| item.priority);
    items.truncate(most);
    items
}

/// The categories that the files call for.
fn by_files<'c>(
    checklist: &'c Checklist,
    query: &ChecklistQuery<'_>,
    files: &[PathNames],
    generated: &mut GeneratedChecklists,
) -> Vec<&'c ChecklistCategory> {
    let explicit = query.domains.contains(&checklist.domain);
    let mut chosen: Vec<&ChecklistCategory> = Vec::new();
    for category in &checklist.categories {
        let mut is_chosen = false;
        for (file, names) in query.files.iter().zip(files) {
            let found: Vec<String> = category
                .triggers
                .iter()
                .flat_map(|trigger| trigger.matches(names))
                .collect();
            if found.is_empty() {
                continue;
            }
            is_chosen = true;
            if !explicit {
                generated.matched_triggers.push(MatchedTrigger {
                    domain: checklist.domain.clone(),
                    category: category.name.clone(),
                    reason: TriggerReason::FilePattern,
                    matched: file.clone(),
                });
            }
            for pattern in found {
                if !generated.detected_patterns.contains(&pattern) {
                    generated.detected_patterns.push(pattern);
                }
            }
        }
        if is_chosen {
            chosen.push(category);
        }
    }
    chosen
}

fn summary(checklists: &[DomainChecklist]) -> Summary {
    let mut summary = Summary::default();
    for item in checklists.iter().flat_map(|checklist| &checklist.items) {
        summary.total += 1;
        match item.priority {
            Priority::Critical => summary.critical += 1,
            Priority::High => summary.high += 1,
            Priority::Medium => summary.medium += 1,
            Priority::Low => summary.low += 1,
        }
    }
    summary
}
