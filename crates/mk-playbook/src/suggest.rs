//! What a configuration does not say yet about what the project uses, and a first configuration for one that has none.
//!
//! Suggests only; writing is the caller's decision.

use serde_json::{Map, Value, json};

use crate::config::PlaybookConfig;
use crate::detect::Stack;

/// How much a suggestion matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Importance {
    High,
    Medium,
    Low,
}

impl Importance {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

/// One change to a configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The path of the setting, such as `techStack.frontend`.
    pub field: &'static str,
    pub reason: String,
    /// `None` if it is not set.
    pub current: Option<Value>,
    pub suggested: Value,
    pub importance: Importance,
}

/// Compares a configuration with what was detected.
///
/// 1. `projectName`, if it differs from the manifest's or is missing.
/// 2. What is newly detected of frontend, backend, database, languages, test frameworks, infrastructure, in this order;
///    what the configuration names already stays in front.
pub(crate) fn suggest(config: &PlaybookConfig, stack: &Stack) -> Vec<Suggestion> {
    let mut suggestions = Vec::new();
    suggestions.extend(suggest_name(config, stack));
    let list = |field, path, detected, what, importance| {
        suggest_list(
            config,
            &List {
                field,
                path,
                detected,
                what,
                importance,
            },
        )
    };
    let lists = [
        list(
            "techStack.frontend",
            ["techStack", "frontend"],
            &stack.frontend,
            "frontend framework",
            Importance::High,
        ),
        list(
            "techStack.backend",
            ["techStack", "backend"],
            &stack.backend,
            "backend framework",
            Importance::High,
        ),
        list(
            "techStack.database",
            ["techStack", "database"],
            &stack.database,
            "database tool",
            Importance::Medium,
        ),
        list(
            "techStack.languages",
            ["techStack", "languages"],
            &stack.languages,
            "language",
            Importance::Medium,
        ),
        list(
            "testStrategy.frameworks",
            ["testStrategy", "frameworks"],
            &stack.testing,
            "test framework",
            Importance::Medium,
        ),
        list(
            "techStack.infrastructure",
            ["techStack", "infrastructure"],
            &stack.infrastructure,
            "infrastructure",
            Importance::Low,
        ),
    ];
    suggestions.extend(lists.into_iter().flatten());
    suggestions
}

/// A setting that lists technologies.
struct List<'a> {
    field: &'static str,
    path: [&'static str; 2],
    detected: &'a [&'static str],
    what: &'static str,
    importance: Importance,
}

fn suggest_list(config: &PlaybookConfig, list: &List<'_>) -> Option<Suggestion> {
    let known = config.texts(&list.path);
    let is_known = |name: &&&str| known.iter().any(|known| known.eq_ignore_ascii_case(name));
    let new: Vec<&str> = list
        .detected
        .iter()
        .filter(|name| !is_known(name))
        .copied()
        .collect();
    if new.is_empty() {
        return None;
    }
    let List { what, .. } = list;
    Some(Suggestion {
        field: list.field,
        reason: format!(
            "Detected {what} not in the configuration: {}",
            new.join(", ")
        ),
        current: config.get(&list.path).cloned(),
        suggested: known.iter().chain(&new).copied().collect(),
        importance: list.importance,
    })
}

fn suggest_name(config: &PlaybookConfig, stack: &Stack) -> Option<Suggestion> {
    let name = stack.name.as_deref()?;
    let (reason, importance) = match config.project_name() {
        Some(known) if known == name => return None,
        Some(_) => (
            "The manifest names the project differently",
            Importance::Medium,
        ),
        None => ("The project has a name in its manifest", Importance::Low),
    };
    Some(Suggestion {
        field: "projectName",
        reason: reason.to_owned(),
        current: config.get(&["projectName"]).cloned(),
        suggested: json!(name),
        importance,
    })
}

/// The text of a first `codingbuddy.config.json`.
pub fn first_config(stack: &Stack, folder_name: &str) -> String {
    let mut settings = Map::new();
    let name = stack.name.as_deref().unwrap_or(folder_name);
    settings.insert("projectName".to_owned(), json!(name));
    if let Some(description) = &stack.description {
        settings.insert("description".to_owned(), json!(description));
    }
    let mut tech = Map::new();
    for (key, names) in [
        ("languages", &stack.languages),
        ("frontend", &stack.frontend),
        ("backend", &stack.backend),
        ("database", &stack.database),
        ("infrastructure", &stack.infrastructure),
        ("tools", &stack.tools),
    ] {
        if !names.is_empty() {
            tech.insert(key.to_owned(), json!(names));
        }
    }
    if !tech.is_empty() {
        settings.insert("techStack".to_owned(), tech.into());
    }
    if !stack.testing.is_empty() {
        settings.insert(
            "testStrategy".to_owned(),
            json!({ "frameworks": stack.testing }),
        );
    }
    format!("{:#}\n", Value::Object(settings))
}
