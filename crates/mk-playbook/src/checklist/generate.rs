//! Puts together the checklists that domains or files call for.

use std::sync::Arc;

use super::trigger::PathNames;
use super::{Checklist, ChecklistItem, Priority};

/// What to generate checklists for; both are joined, and with neither there is nothing to check.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChecklistQuery<'a> {
    /// All of these domains.
    pub domains: &'a [String],
    /// What these files call for.
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
    for checklist in checklists {
        let explicit = query.domains.contains(&checklist.domain);
        let mut items: Vec<ChecklistItem> = Vec::new();
        for category in &checklist.categories {
            let mut chosen = explicit;
            if explicit {
                generated.matched_triggers.push(MatchedTrigger {
                    domain: checklist.domain.clone(),
                    category: category.name.clone(),
                    reason: TriggerReason::Explicit,
                    matched: checklist.domain.clone(),
                });
            }
            for (file, names) in query.files.iter().zip(&files) {
                let found: Vec<String> = category
                    .triggers
                    .iter()
                    .flat_map(|trigger| trigger.matches(names))
                    .collect();
                if found.is_empty() {
                    continue;
                }
                chosen = true;
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
            if chosen {
                let is_new = |item: &&ChecklistItem| items.iter().all(|known| known.id != item.id);
                let new: Vec<ChecklistItem> =
                    category.items.iter().filter(is_new).cloned().collect();
                items.extend(new);
            }
        }
        items.sort_by_key(|item| item.priority);
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
