//! Checklists: what to look at in a domain, and which files make a category worth looking at.
//!
//! Only paths are looked at, never what is in the files.

mod generate;
mod trigger;

use mk_document::{DocumentNode, DocumentReport, Located, read_json};

use crate::place::{ContentLayer, ContentPlace};
pub use generate::{
    ChecklistQuery, DomainChecklist, GeneratedChecklists, MatchedTrigger, Summary, TriggerReason,
};
pub(crate) use generate::{first_points, generate};
pub(crate) use trigger::Trigger;

/// How much an item matters; the most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    Critical,
    High,
    Medium,
    Low,
}

impl Priority {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }

    fn read(text: &str) -> Option<Self> {
        [Self::Critical, Self::High, Self::Medium, Self::Low]
            .into_iter()
            .find(|priority| priority.as_str() == text)
    }
}

/// One thing to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChecklistItem {
    pub id: String,
    pub text: String,
    pub priority: Priority,
    pub reason: Option<String>,
    pub reference: Option<String>,
}

/// Items that belong together, and the files that call for them.
#[derive(Debug, Clone)]
pub struct ChecklistCategory {
    pub name: String,
    pub(crate) triggers: Vec<Trigger>,
    pub items: Vec<ChecklistItem>,
}

/// A domain's checklist.
#[derive(Debug, Clone)]
pub struct Checklist {
    pub domain: String,
    pub icon: Option<String>,
    pub description: Option<String>,
    pub categories: Vec<ChecklistCategory>,
    pub layer: ContentLayer,
    /// The path in its `rules://` address.
    pub path: String,
}

/// Reads a checklist; items and categories that are wrong are left out, the others stay.
pub(crate) fn read_checklist(
    place: &ContentPlace,
    text: &str,
    report: &mut DocumentReport,
) -> Option<Checklist> {
    let document = read_json(text)
        .map_err(|unread| report.unread(unread))
        .ok()?;
    let root = &document.value;
    if !report.keys_are_safe(root) {
        return None;
    }
    if !matches!(root, DocumentNode::Map(_)) {
        report.error(
            document.position,
            format!("a checklist is an object, not {}", root.kind()),
        );
        return None;
    }
    let domain = match root.get("domain") {
        Some(node) => report.text("domain", node)?.to_owned(),
        None => place.stem().to_owned(),
    };
    let Some(DocumentNode::List(written)) = root.get("categories").map(|node| &node.value) else {
        report.error(document.position, "`categories` must be a list");
        return None;
    };
    let categories = written
        .iter()
        .filter_map(|node| read_category(node, report))
        .collect();
    Some(Checklist {
        domain,
        icon: optional(root, "icon", report),
        description: optional(root, "description", report),
        categories,
        layer: place.layer,
        path: place.address.clone(),
    })
}

fn read_category(
    node: &Located<DocumentNode>,
    report: &mut DocumentReport,
) -> Option<ChecklistCategory> {
    let name = needed(node, "name", report)?;
    let mut triggers = Vec::new();
    let files = node
        .value
        .get("triggers")
        .and_then(|triggers| triggers.value.get("files"));
    if let Some(files) = files {
        for pattern in report.texts("triggers.files", files) {
            match Trigger::new(&pattern) {
                Ok(trigger) => triggers.push(trigger),
                Err(reason) => {
                    report.warning(
                        files.position,
                        format!("`{pattern}` is not a glob: {reason}"),
                    );
                }
            }
        }
    }
    let Some(DocumentNode::List(written)) = node.value.get("items").map(|items| &items.value)
    else {
        report.warning(
            node.position,
            format!("category `{name}` has no list of `items`"),
        );
        return None;
    };
    let items = written
        .iter()
        .filter_map(|item| read_item(item, report))
        .collect();
    Some(ChecklistCategory {
        name,
        triggers,
        items,
    })
}

fn read_item(node: &Located<DocumentNode>, report: &mut DocumentReport) -> Option<ChecklistItem> {
    let id = needed(node, "id", report)?;
    let text = needed(node, "text", report)?;
    let written = needed(node, "priority", report)?;
    let priority = Priority::read(&written).unwrap_or_else(|| {
        let message = format!("`priority` must be critical, high, medium or low, not `{written}`");
        report.warning(node.position, message);
        Priority::Medium
    });
    Some(ChecklistItem {
        id,
        text,
        priority,
        reason: optional(&node.value, "reason", report),
        reference: optional(&node.value, "reference", report),
    })
}

fn needed(node: &Located<DocumentNode>, key: &str, report: &mut DocumentReport) -> Option<String> {
    let found = optional(&node.value, key, report);
    if found.is_none() {
        report.warning(
            node.position,
            format!("`{key}` is missing; the entry is left out"),
        );
    }
    found
}

fn optional(node: &DocumentNode, key: &str, report: &mut DocumentReport) -> Option<String> {
    let text = report.text(key, node.get(key)?)?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}
