//! Modes as tools and resources show them.

use std::collections::BTreeMap;

use mk_engine::InForce;
use mk_policy::{Group, Mode};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A mode in full.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModeInfo {
    pub slug: String,
    /// Display name.
    pub name: String,
    /// `builtin`, `global` or `project`.
    pub source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when_to_use: Option<String>,
    pub role_definition: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// Every group, enabled or not.
    #[schemars(with = "BTreeMap<String, ToolGroup>")]
    pub tool_groups: Map<String, Value>,
    /// Modes it may switch or delegate to; absent for any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_to: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// What a mode may do with a group.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ToolGroup {
    enabled: bool,
    /// Files the group is restricted to.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_regex: Option<String>,
    /// Commands the group is restricted to.
    #[serde(skip_serializing_if = "Option::is_none")]
    command_regex: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A mode as its file has it: what `mode://{slug}/config` shows.
#[derive(Debug, Serialize)]
pub struct ModeConfig {
    slug: String,
    name: String,
    source: String,
    groups: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    when_to_use: Option<String>,
    /// Keys that are not ours, as written.
    #[serde(flatten)]
    unknown: BTreeMap<String, Value>,
}

impl From<&Mode> for ModeInfo {
    fn from(mode: &Mode) -> Self {
        Self {
            slug: mode.slug.to_string(),
            name: mode.name.clone(),
            source: mode.source.as_str().to_owned(),
            description: mode.description.clone(),
            when_to_use: mode.when_to_use.clone(),
            role_definition: mode.role_definition.clone(),
            custom_instructions: mode.custom_instructions.clone(),
            tool_groups: tool_groups(|_| mode),
            switch_to: mode.switch_to.clone(),
            model: mode.model.clone(),
        }
    }
}

/// One line a group with what it may do here: a ceiling counts.
pub(crate) fn group_lines(in_force: &InForce) -> Vec<String> {
    let line = |(position, group)| {
        let mut lines = mk_policy::group_lines(in_force.decides(group));
        lines.swap_remove(position)
    };
    Group::ALL.into_iter().enumerate().map(line).collect()
}

/// What a text adds where a ceiling takes something from the mode.
pub(crate) fn capped(in_force: &InForce) -> String {
    match in_force.capped_at() {
        Some(_) if in_force.is_detached() => {
            "\nThe server cannot reach its database: only reading is allowed until it is back.\n"
                .to_owned()
        }
        Some(ceiling) => format!(
            "\nThis endpoint is capped at '{ceiling}': in '{}' mode too, nothing beyond it is allowed.\n",
            in_force.mode.slug
        ),
        None => String::new(),
    }
}

/// Text of others in an answer: what follows its first line is indented, so that no line of it can pass for ours.
pub(crate) fn continued(text: &str) -> String {
    let ends_line = |letter: char| {
        matches!(
            letter,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    text.replace("\r\n", "\n")
        .split(ends_line)
        .collect::<Vec<_>>()
        .join("\n    ")
}

/// Every group in its order, which a map of structs would lose.
pub(crate) fn tool_groups<'a>(decides: impl Fn(Group) -> &'a Mode) -> Map<String, Value> {
    let group = |group: Group| {
        let mode = decides(group);
        ToolGroup {
            enabled: mode.enables(group),
            file_regex: mode.file_restriction(group),
            command_regex: if group == Group::Command {
                mode.command_restriction()
            } else {
                None
            },
            description: mode.group_description(group).map(str::to_owned),
        }
    };
    Group::ALL
        .into_iter()
        .map(|it| (it.to_string(), json!(group(it))))
        .collect()
}

impl From<&Mode> for ModeConfig {
    fn from(mode: &Mode) -> Self {
        let known = [
            "slug",
            "name",
            "source",
            "groups",
            "description",
            "when_to_use",
        ];
        let unknown = mode
            .unknown
            .iter()
            .filter(|(key, _)| !known.contains(&key.as_str()));
        Self {
            slug: mode.slug.to_string(),
            name: mode.name.clone(),
            source: mode.source.as_str().to_owned(),
            groups: mode.grants.iter().map(|grant| group_entry(grant)).collect(),
            description: mode.description.clone(),
            when_to_use: mode.when_to_use.clone(),
            unknown: unknown
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
        }
    }
}

/// `"read"`, or `["edit", {"fileRegex": …}]`.
fn group_entry(grant: &mk_policy::Grant) -> Value {
    let pattern = |limit: Option<&mk_policy::PatternLimit>| limit.map(|it| json!(it.source()));
    let names = |list: &[String]| (!list.is_empty()).then(|| json!(list));
    let (files, commands, mcp) = (&grant.files, &grant.commands, &grant.mcp);
    let globs: Vec<String> = files
        .globs
        .iter()
        .map(|glob| glob.glob().glob().to_owned())
        .collect();
    let options: Map<String, Value> = [
        ("fileRegex", pattern(files.regex.as_ref())),
        ("commandRegex", pattern(commands.allow.as_ref())),
        ("commandDeny", pattern(commands.deny.as_ref())),
        (
            "description",
            grant.description.as_ref().map(|it| json!(it)),
        ),
        ("glob", names(&globs)),
        (
            "allowedMcpServers",
            mcp.allowed_servers.as_ref().map(|it| json!(it)),
        ),
        ("blockedMcpServers", names(&mcp.blocked_servers)),
        (
            "allowedTools",
            mcp.allowed_tools.as_ref().map(|it| json!(it)),
        ),
        ("blockedTools", names(&mcp.blocked_tools)),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key.to_owned(), value?)))
    .collect();
    if options.is_empty() {
        json!(grant.group.as_str())
    } else {
        json!([grant.group.as_str(), options])
    }
}
