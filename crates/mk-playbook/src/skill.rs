//! Skills in the open Agent Skills format: a folder with a `SKILL.md`.
//!
//! Lenient where the standard asks readers to be: a skill written for another product works here unchanged. What only
//! that product knows is kept and not interpreted.

use mk_document::{
    DocumentNode, DocumentPosition, DocumentReport, Located, read_document, to_json,
};
use mk_prompt::SkillCandidate;
use serde_json::{Map, Value};

use crate::markdown::first_paragraph;
use crate::markdown::sections;
use crate::place::{ContentLayer, ContentPlace};
use crate::rule::flag;

const LONGEST_NAME: usize = 64;
const LONGEST_DESCRIPTION: usize = 1024;
const LONGEST_COMPATIBILITY: usize = 500;
/// Where a skill stands that says nothing of its priority; lower comes first.
const DEFAULT_PRIORITY: u32 = 100;
/// First words of headings below which a skill says what to check.
const CHECKED_IN: [&str; 4] = ["done", "check", "verify", "finish"];
/// Points to check that are kept of a skill.
const MOST_CHECKS: usize = 5;
const READ_HERE: [&str; 8] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
    "disable-model-invocation",
    "user-invocable",
];

/// A skill.
#[derive(Debug, Clone)]
pub struct Skill {
    pub name: String,
    pub description: String,
    pub license: Option<String>,
    pub compatibility: Option<String>,
    pub metadata: Vec<(String, String)>,
    pub allowed_tools: Vec<String>,
    /// Whether a model may choose it by itself; if not, it is neither listed for it nor recommended.
    pub model_may_invoke: bool,
    pub user_may_invoke: bool,
    /// `metadata.priority`; lower comes first.
    pub priority: u32,
    /// Keys of other products, as written.
    pub extra: Map<String, Value>,
    pub layer: ContentLayer,
    /// The path in its `rules://` address: `skills/{folder}/SKILL.md`.
    pub path: String,
    /// The file without its head.
    pub text: String,
    /// What must be true when the work is done: the points of its section «Done», «Check» or «Verify».
    pub checks: Vec<String>,
}

impl Skill {
    /// What recommending needs to know of it.
    pub(crate) fn candidate(&self) -> SkillCandidate {
        // The model knows those that ship by heart.
        let sections = match self.layer {
            ContentLayer::Embedded => Vec::new(),
            ContentLayer::User | ContentLayer::Project => sections(&self.text, 1),
        };
        let headings = sections.into_iter();
        SkillCandidate {
            name: self.name.clone(),
            description: self.description.clone(),
            headings: headings
                .filter_map(|section| section.title().map(str::to_owned))
                .collect(),
            priority: self.priority,
        }
    }
}

/// Reads a skill; `None` if it has no name or nothing to say.
pub(crate) fn read_skill(
    place: &ContentPlace,
    text: &str,
    report: &mut DocumentReport,
) -> Option<Skill> {
    let document = read_document(text, report);
    if report.errors() > 0 {
        return None;
    }
    let empty = DocumentNode::Map(Vec::new());
    let head = document.head.as_ref().map_or(&empty, |head| &head.value);
    let name = read_name(place, head, report)?;
    let description = read_description(head, document.body, report)?;
    let compatibility = optional_text(head, "compatibility", report);
    if let Some(compatibility) = &compatibility
        && compatibility.chars().count() > LONGEST_COMPATIBILITY
    {
        let message = format!("`compatibility` is longer than {LONGEST_COMPATIBILITY} characters");
        report.warning(position(head, "compatibility"), message);
    }
    let metadata = read_metadata(head, report);
    let priority = metadata
        .iter()
        .find(|(key, _)| key == "priority")
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(DEFAULT_PRIORITY);
    let mut read_flag = |key: &str| head.get(key).and_then(|node| flag(key, node, report));
    let model_may_invoke = !read_flag("disable-model-invocation").unwrap_or(false);
    let user_may_invoke = read_flag("user-invocable").unwrap_or(true);
    Some(Skill {
        name,
        description,
        license: optional_text(head, "license", report),
        compatibility,
        metadata,
        allowed_tools: read_tools(head, report),
        model_may_invoke,
        user_may_invoke,
        priority,
        extra: extra(head),
        layer: place.layer,
        path: place.address.clone(),
        text: document.body.to_owned(),
        checks: checks(document.body),
    })
}

/// The points below the first heading that speaks of being done.
fn checks(text: &str) -> Vec<String> {
    let is_title = |title: &str| {
        let title = title.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
        let first = title.split_whitespace().next().unwrap_or_default();
        CHECKED_IN
            .iter()
            .any(|word| first.eq_ignore_ascii_case(word))
    };
    let sections = sections(text, 0);
    let section = sections
        .iter()
        .find(|section| section.title().is_some_and(is_title));
    let Some(section) = section else {
        return Vec::new();
    };
    let (start, end) = (section.line as usize, section.end_line as usize);
    let lines = text.lines().skip(start).take(end - start);
    let points = lines.filter_map(|line| {
        let number = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
        let point = line.strip_prefix("- ").or(number.strip_prefix(". "))?;
        Some(point.trim_start_matches("[ ] ").to_owned())
    });
    points.take(MOST_CHECKS).collect()
}

/// Why a name is not one of the standard's: letters that have no upper case, digits, single hyphens between them.
pub(crate) fn name_problem(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.chars().count() > LONGEST_NAME {
        return Some("it must have 1 to 64 characters");
    }
    let fits = |character: char| {
        character == '-' || character.is_alphanumeric() && character.to_lowercase().eq([character])
    };
    if !name.chars().all(fits) {
        return Some("only lower-case letters, digits and hyphens are allowed");
    }
    let hyphens_fit = !name.starts_with('-') && !name.ends_with('-') && !name.contains("--");
    (!hyphens_fit).then_some("each hyphen must be between letters or digits")
}

fn read_name(
    place: &ContentPlace,
    head: &DocumentNode,
    report: &mut DocumentReport,
) -> Option<String> {
    let folder = place.folder();
    let name = match head.get("name") {
        Some(node) => report.text("name", node).map(|name| name.trim().to_owned()),
        None => None,
    };
    let at = position(head, "name");
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        if let Some(problem) = name_problem(folder) {
            report.error(
                at,
                format!("the directory name `{folder}` is not a valid skill name: {problem}"),
            );
            return None;
        }
        report.warning(
            at,
            format!("`name` is missing; using the directory name `{folder}`"),
        );
        return Some(folder.to_owned());
    };
    if let Some(problem) = name_problem(&name) {
        let name: String = name.chars().take(80).collect();
        report.error(at, format!("`{name}` cannot be a skill's name: {problem}"));
        return None;
    }
    if name != folder {
        let message = format!("the name `{name}` differs from its directory `{folder}`");
        report
            .warning(at, message)
            .hint("rename the directory to the skill's name");
    }
    Some(name)
}

fn read_description(
    head: &DocumentNode,
    body: &str,
    report: &mut DocumentReport,
) -> Option<String> {
    let at = position(head, "description");
    let written = optional_text(head, "description", report);
    let Some(description) = written else {
        let Some(paragraph) = first_paragraph(body) else {
            report.error(at, "`description` is missing");
            return None;
        };
        report
            .warning(at, "`description` is missing; the first paragraph is used")
            .hint("say in one or two sentences what the skill does and when to use it");
        return Some(paragraph.chars().take(LONGEST_DESCRIPTION).collect());
    };
    if description.chars().count() > LONGEST_DESCRIPTION {
        report.warning(
            at,
            format!("`description` is longer than {LONGEST_DESCRIPTION} characters"),
        );
    }
    Some(description)
}

fn read_metadata(head: &DocumentNode, report: &mut DocumentReport) -> Vec<(String, String)> {
    let Some(node) = head.get("metadata") else {
        return Vec::new();
    };
    let DocumentNode::Map(entries) = &node.value else {
        report.expected("metadata", "a map of texts", &node.value, node.position);
        return Vec::new();
    };
    let mut metadata = Vec::new();
    for (key, value) in entries {
        match &value.value {
            DocumentNode::Text(text) => metadata.push((key.value.clone(), text.clone())),
            // Unquoted numbers and flags are what people write.
            DocumentNode::Number(number) => metadata.push((key.value.clone(), number.to_string())),
            DocumentNode::Bool(flag) => metadata.push((key.value.clone(), flag.to_string())),
            other => report.expected(
                &format!("metadata.{}", key.value),
                "text",
                other,
                value.position,
            ),
        }
    }
    metadata
}

/// Separated by spaces in the standard; a list or commas elsewhere. `Bash(git add:*)` is one tool.
fn read_tools(head: &DocumentNode, report: &mut DocumentReport) -> Vec<String> {
    let Some(node) = head.get("allowed-tools") else {
        return Vec::new();
    };
    match &node.value {
        DocumentNode::Text(text) => {
            let mut depth = 0_usize;
            let parts = text.split(|character: char| {
                match character {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0 && (character == ',' || character.is_whitespace())
            });
            parts
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect()
        }
        _ => report.texts("allowed-tools", node),
    }
}

fn optional_text(head: &DocumentNode, key: &str, report: &mut DocumentReport) -> Option<String> {
    let text = report.text(key, head.get(key)?)?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn extra(head: &DocumentNode) -> Map<String, Value> {
    let DocumentNode::Map(entries) = head else {
        return Map::new();
    };
    entries
        .iter()
        .filter(|(key, _)| !READ_HERE.contains(&key.value.as_str()))
        .map(|(key, value)| (key.value.clone(), to_json(&value.value)))
        .collect()
}

fn position(head: &DocumentNode, key: &str) -> DocumentPosition {
    head.get(key)
        .map_or(DocumentPosition::START, |Located { position, value: _ }| {
            *position
        })
}
