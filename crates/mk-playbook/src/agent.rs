//! Agents: who does a kind of work, in JSON, or in Markdown as other products have them.
//!
//! Everything a file says is kept in its order; only what the playbook itself needs has a field. The prompt that makes
//! a model such an agent is [`crate::prompt`]'s business.

use mk_document::{
    DocumentNode, DocumentPosition, DocumentReport, Located, read_document, read_json, to_json,
};
use mk_prompt::{AgentCard, AgentKind};
use serde_json::{Map, Value, json};

use crate::markdown::first_paragraph;
use crate::place::{ContentLayer, ContentPlace};
use crate::prompt::WorkMode;

/// The model that an agent would like to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreferredModel {
    pub model: String,
    pub reason: Option<String>,
}

/// An agent.
#[derive(Debug, Clone)]
pub struct Agent {
    /// What callers name it by: the file's name without its ending.
    pub id: String,
    /// What people call it.
    pub name: String,
    pub description: String,
    /// The role's title.
    pub title: String,
    pub kind: Option<AgentKind>,
    pub expertise: Vec<String>,
    pub responsibilities: Vec<String>,
    pub model: Option<PreferredModel>,
    /// The prompt of an agent written in Markdown.
    pub instructions: Option<String>,
    /// The whole definition, as written.
    pub definition: Map<String, Value>,
    pub layer: ContentLayer,
    /// The path in its `rules://` address.
    pub path: String,
}

impl Agent {
    /// What choosing an agent needs to know of it.
    pub(crate) fn card(&self) -> AgentCard {
        let patterns = self
            .definition
            .get("file_patterns")
            .and_then(Value::as_array);
        let patterns = patterns.into_iter().flatten().filter_map(Value::as_str);
        AgentCard {
            id: self.id.clone(),
            name: self.name.clone(),
            description: self.description.clone(),
            kind: self.kind.unwrap_or_default(),
            patterns: patterns.map(str::to_owned).collect(),
            model: self.model.as_ref().map(|model| model.model.clone()),
        }
    }
}

impl Agent {
    /// What the agent looks at in a mode: its own focus, or what it is responsible for.
    pub fn duties(&self, mode: WorkMode) -> Vec<&str> {
        let focus = texts(self.of_mode(mode).and_then(|it| it.get("focus")));
        let duties = texts(self.of_mode(mode).and_then(|it| it.get("duties")));
        match (duties.is_empty(), focus.is_empty()) {
            (false, _) => duties,
            (true, false) => focus,
            (true, true) => self.responsibilities.iter().map(String::as_str).collect(),
        }
    }

    /// What the agent checks in a mode.
    pub fn checklist(&self, mode: WorkMode) -> Vec<&str> {
        let Some(of_mode) = self.of_mode(mode) else {
            return Vec::new();
        };
        let own = texts(of_mode.get("checklist"));
        if !own.is_empty() {
            return own;
        }
        // As the program that made this format has it.
        let mandatory = of_mode
            .get("activation")
            .and_then(|it| it.get("mandatory_checklist"))
            .and_then(Value::as_object);
        let rules = mandatory.into_iter().flatten();
        rules
            .filter_map(|(_, item)| item.get("rule").and_then(Value::as_str))
            .collect()
    }

    /// The steps of its work and what each is.
    pub fn workflow(&self) -> Vec<(&str, &str)> {
        let steps = self.definition.get("workflow").and_then(Value::as_object);
        let steps = steps.into_iter().flatten();
        steps
            .filter_map(|(step, text)| Some((step.as_str(), text.as_str()?)))
            .collect()
    }

    fn of_mode(&self, mode: WorkMode) -> Option<&Value> {
        let key = match mode {
            WorkMode::Plan => "planning",
            WorkMode::Act => "implementation",
            WorkMode::Eval => "evaluation",
        };
        self.definition.get("modes")?.get(key)
    }
}

fn texts(list: Option<&Value>) -> Vec<&str> {
    let list = list.and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Reads a JSON agent; `None` if it lacks what makes it one.
pub(crate) fn read_json_agent(
    place: &ContentPlace,
    text: &str,
    report: &mut DocumentReport,
) -> Option<Agent> {
    let document = read_json(text)
        .map_err(|unread| report.unread(unread))
        .ok()?;
    let Value::Object(definition) = to_json(&document.value) else {
        let message = format!("an agent is an object, not {}", document.value.kind());
        report.error(document.position, message);
        return None;
    };
    if !report.keys_are_safe(&document.value) {
        return None;
    }
    let root = &document.value;
    let name = required(root, "name", report);
    let description = required(root, "description", report);
    let role = match root.get("role") {
        Some(role) if matches!(role.value, DocumentNode::Map(_)) => Some(role),
        Some(role) => {
            let message = format!("`role` must be an object, not {}", role.value.kind());
            report.error(role.position, message);
            None
        }
        None => {
            report.error(document.position, "`role` is missing");
            None
        }
    };
    let title = role.and_then(|role| required(&role.value, "title", report));
    let list = |key: &str, report: &mut DocumentReport| {
        role.and_then(|role| role.value.get(key))
            .map_or_else(Vec::new, |node| report.texts(&format!("role.{key}"), node))
    };
    let expertise = list("expertise", report);
    let responsibilities = list("responsibilities", report);
    let kind = role
        .and_then(|role| role.value.get("type"))
        .and_then(|node| read_kind(node, report));
    let model = root.get("model").and_then(|node| read_model(node, report));
    Some(Agent {
        id: place.stem().to_owned(),
        name: name?,
        description: description?,
        title: title?,
        kind,
        expertise,
        responsibilities,
        model,
        instructions: None,
        definition,
        layer: place.layer,
        path: place.address.clone(),
    })
}

/// Reads an agent written as Markdown with a head; the text is its prompt.
pub(crate) fn read_markdown_agent(
    place: &ContentPlace,
    text: &str,
    report: &mut DocumentReport,
) -> Option<Agent> {
    let document = read_document(text, report);
    if report.errors() > 0 {
        return None;
    }
    let empty = DocumentNode::Map(Vec::new());
    let head = document.head.as_ref().map_or(&empty, |head| &head.value);
    let mut text_of = |key: &str| {
        let text = head.get(key).and_then(|node| report.text(key, node));
        text.map(str::trim)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    let name = text_of("name").unwrap_or_else(|| place.stem().to_owned());
    let written = text_of("description");
    let model = text_of("model").filter(|model| model != "inherit");
    let id = id_of(&name).unwrap_or_else(|| place.stem().to_owned());
    let Some(description) = written.or_else(|| first_paragraph(document.body)) else {
        report.error(
            DocumentPosition::START,
            "the agent has neither a `description` nor a text",
        );
        return None;
    };
    let instructions = document.body.trim().to_owned();
    let mut definition = Map::new();
    definition.insert("name".to_owned(), json!(name));
    definition.insert("description".to_owned(), json!(description));
    definition.insert("role".to_owned(), json!({ "title": name, "expertise": [] }));
    if let Value::Object(written) = to_json(head) {
        for (key, value) in written {
            definition.entry(key).or_insert(value);
        }
    }
    definition.insert("instructions".to_owned(), json!(instructions));
    Some(Agent {
        id,
        title: name.clone(),
        name,
        description,
        kind: None,
        expertise: Vec::new(),
        responsibilities: Vec::new(),
        model: model.map(|model| PreferredModel {
            model,
            reason: None,
        }),
        instructions: Some(instructions),
        definition,
        layer: place.layer,
        path: place.address.clone(),
    })
}

/// How callers may write a name: `Security Specialist` means `security-specialist`.
pub(crate) fn id_of(name: &str) -> Option<String> {
    let words: Vec<String> = name
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    (!words.is_empty()).then(|| words.join("-"))
}

fn required(node: &DocumentNode, key: &str, report: &mut DocumentReport) -> Option<String> {
    let Some(value) = node.get(key) else {
        report.error(DocumentPosition::START, format!("`{key}` is missing"));
        return None;
    };
    match &value.value {
        DocumentNode::Text(text) if !text.trim().is_empty() => Some(text.clone()),
        DocumentNode::Text(_) => {
            report.error(value.position, format!("`{key}` is empty"));
            None
        }
        other => {
            let message = format!("`{key}` must be text, not {}", other.kind());
            report.error(value.position, message);
            None
        }
    }
}

fn read_kind(node: &Located<DocumentNode>, report: &mut DocumentReport) -> Option<AgentKind> {
    match report.text("role.type", node)? {
        "primary" => Some(AgentKind::Primary),
        "specialist" => Some(AgentKind::Specialist),
        "utility" => Some(AgentKind::Utility),
        other => {
            let message =
                format!("`role.type` must be primary, specialist or utility, not `{other}`");
            report.warning(node.position, message);
            None
        }
    }
}

fn read_model(node: &Located<DocumentNode>, report: &mut DocumentReport) -> Option<PreferredModel> {
    if let DocumentNode::Text(model) = &node.value {
        return Some(PreferredModel {
            model: model.clone(),
            reason: None,
        });
    }
    let preferred = node.value.get("preferred");
    let Some(preferred) = preferred else {
        report.expected(
            "model",
            "an object with `preferred`",
            &node.value,
            node.position,
        );
        return None;
    };
    let model = report.text("model.preferred", preferred)?.to_owned();
    let reason = node.value.get("reason");
    let reason = reason.and_then(|reason| report.text("model.reason", reason));
    Some(PreferredModel {
        model,
        reason: reason.map(str::to_owned),
    })
}
