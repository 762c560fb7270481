//! The names of Serena: its tools and their arguments lead to ours, so that prompts written for it keep working.
//!
//! They are always understood, and listed only on request. The policy sees the tool that they lead to. What has no
//! counterpart here (its REPL, edits by line number) is not in the table.

use std::sync::LazyLock;

use mk_engine::Error;
use serde_json::{Map, Value, json};

use crate::tool::Tool;

/// A tool of Serena's.
#[derive(Debug)]
pub(crate) struct Alias {
    name: &'static str,
    /// The tool of ours that it leads to.
    target: &'static str,
    arguments: &'static [Argument],
    /// What ours needs besides.
    fixed: &'static [(&'static str, &'static str)],
}

/// An argument as Serena calls it, and as we do.
#[derive(Debug)]
struct Argument {
    name: &'static str,
    ours: &'static str,
    reading: ValueReading,
}

/// How a value is to be read.
#[derive(Debug, Clone, Copy)]
enum ValueReading {
    Same,
    /// A line counted from 0; negative ones count from the end.
    Line,
    /// `regex` or `literal`.
    Mode,
    /// A number from 1, the most severe.
    Severity,
    /// One glob where we take several.
    Glob,
    /// `""` and `.` mean the project.
    Place,
    /// A replacement with `$!1` for the first group.
    Replacement,
}

const fn same(name: &'static str, ours: &'static str) -> Argument {
    Argument {
        name,
        ours,
        reading: ValueReading::Same,
    }
}

const fn read(name: &'static str, ours: &'static str, reading: ValueReading) -> Argument {
    Argument {
        name,
        ours,
        reading,
    }
}

const FILE: Argument = read(PATH, "file_path", ValueReading::Place);
const FOLDER: Argument = read(PATH, "path", ValueReading::Place);
const NAME: Argument = same("name_path", "symbol_name");
const BODY: Argument = same("body", "content");
const MEMORY: Argument = same("memory_name", "name");
const NEEDLE: Argument = same("needle", "find");
const REPLACEMENT: Argument = read("repl", "replace", ValueReading::Replacement);
const MODE: Argument = read("mode", "regex", ValueReading::Mode);
const EVERY: Argument = same("allow_multiple_occurrences", "all");
const FIRST_LINE: Argument = read("start_line", "start_line", ValueReading::Line);
const LAST_LINE: Argument = read("end_line", "end_line", ValueReading::Line);

const fn alias(name: &'static str, target: &'static str, arguments: &'static [Argument]) -> Alias {
    Alias {
        name,
        target,
        arguments,
        fixed: &[],
    }
}

const fn edit(
    name: &'static str,
    arguments: &'static [Argument],
    fixed: &'static [(&'static str, &'static str)],
) -> Alias {
    Alias {
        name,
        target: "edit_symbol",
        arguments,
        fixed,
    }
}

static ALIASES: &[Alias] = &[
    alias(
        "find_symbol",
        "find_symbols",
        &[
            same("name_path_pattern", "query"),
            same("name_path", "query"),
            read(PATH, "file_pattern", ValueReading::Place),
            same("max_matches", "max_results"),
        ],
    ),
    alias("find_referencing_symbols", "find_references", &[NAME, FILE]),
    alias(
        "find_implementations",
        "find_implementations",
        &[NAME, FILE],
    ),
    alias(
        "get_symbols_overview",
        "get_symbols_overview",
        &[FILE, same("depth", "depth")],
    ),
    alias(
        "get_diagnostics_for_file",
        "get_diagnostics",
        &[
            FILE,
            FIRST_LINE,
            LAST_LINE,
            read("min_severity", "min_severity", ValueReading::Severity),
        ],
    ),
    edit(
        "replace_symbol_body",
        &[NAME, FILE, BODY],
        &[("operation", "replace")],
    ),
    edit(
        "insert_after_symbol",
        &[NAME, FILE, BODY],
        &[("operation", "insert_after")],
    ),
    edit(
        "insert_before_symbol",
        &[NAME, FILE, BODY],
        &[("operation", "insert_before")],
    ),
    edit(
        "rename_symbol",
        &[NAME, FILE, same("new_name", "new_name")],
        &[("operation", "rename")],
    ),
    edit(
        "safe_delete_symbol",
        &[same("name_path_pattern", "symbol_name"), NAME, FILE],
        &[("operation", "delete")],
    ),
    alias("read_file", "read_file", &[FILE, FIRST_LINE, LAST_LINE]),
    alias(
        "create_text_file",
        "write_file",
        &[FILE, same("content", "content")],
    ),
    alias(
        "list_dir",
        "list_dir",
        &[FOLDER, same("recursive", "recursive")],
    ),
    alias(
        "find_file",
        "find_files",
        &[same("file_mask", "pattern"), FOLDER],
    ),
    alias(
        "search_for_pattern",
        "search_for_pattern",
        &[
            same("substring_pattern", "pattern"),
            FOLDER,
            read("paths_include_glob", "include", ValueReading::Glob),
            read("paths_exclude_glob", "exclude", ValueReading::Glob),
            same("context_lines_before", "context_lines"),
            same("context_lines_after", "context_lines"),
            same("multiline", "multiline"),
        ],
    ),
    alias(
        "replace_content",
        "replace_content",
        &[FILE, NEEDLE, REPLACEMENT, MODE, EVERY],
    ),
    alias(
        "replace_in_files",
        "replace_in_files",
        &[
            NEEDLE,
            REPLACEMENT,
            MODE,
            FOLDER,
            read("paths_include_glob", "include", ValueReading::Glob),
            read("paths_exclude_glob", "exclude", ValueReading::Glob),
            same("dry_run", "dry_run"),
            same("expected_count", "expected_count"),
        ],
    ),
    alias(
        "write_memory",
        "write_memory",
        &[MEMORY, same("content", "content")],
    ),
    alias("read_memory", "read_memory", &[MEMORY]),
    alias("list_memories", "list_memories", &[same("topic", "topic")]),
    alias("delete_memory", "delete_memory", &[MEMORY]),
    alias(
        "rename_memory",
        "rename_memory",
        &[same("old_name", "old_name"), same("new_name", "new_name")],
    ),
    alias(
        "edit_memory",
        "edit_memory",
        &[MEMORY, NEEDLE, REPLACEMENT, MODE, EVERY],
    ),
    alias(
        "activate_project",
        "activate_project",
        &[same("project", "project_root")],
    ),
    alias("get_current_config", "get_project_info", &[]),
    alias("onboarding", "get_onboarding", &[]),
    alias("initial_instructions", "get_onboarding", &[]),
];

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let tool = |alias: &'static Alias| {
        let target = crate::all().find(|tool| tool.name == alias.target)?;
        Some(Tool::alias(alias, target, alias.schema(target)))
    };
    ALIASES.iter().filter_map(tool).collect()
});

/// What Serena calls a file or a directory.
pub(crate) const PATH: &str = "relative_path";

/// The names that are Serena's alone, and what they lead to.
pub(crate) fn names() -> impl Iterator<Item = (&'static str, &'static Tool)> {
    let foreign = ALIASES.iter().filter(|alias| alias.name != alias.target);
    foreign.filter_map(|alias| {
        let target = crate::all().find(|tool| tool.name == alias.target)?;
        Some((alias.name, target))
    })
}

/// Serena's tools.
pub(crate) fn tools() -> &'static [Tool] {
    &TOOLS
}

/// Serena's names for arguments of a tool that has the same name with us.
pub(crate) fn accept(tool: &Tool, arguments: &mut Map<String, Value>) {
    let alias = ALIASES.iter().find(|alias| alias.name == tool.name);
    let is_foreign = |argument: &&Argument| {
        argument.name != argument.ours && arguments.contains_key(argument.name)
    };
    // Lines are counted from 0 by those only who write the rest in Serena's way too.
    if let Some(alias) = alias.filter(|alias| alias.arguments.iter().any(|one| is_foreign(&one))) {
        alias.rename(arguments);
    }
}

impl Alias {
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// The tool that a call leads to, and its arguments there.
    pub(crate) fn lead(
        &self,
        mut arguments: Map<String, Value>,
    ) -> Result<(&'static Tool, Map<String, Value>), Error> {
        let wants = |name: &str| match arguments.get(name) {
            Some(Value::Bool(wanted)) => *wanted,
            Some(Value::Number(depth)) => depth.as_u64().is_some_and(|depth| depth > 0),
            _ => false,
        };
        let mut target = self.target;
        let (body, depth) = (wants("include_body"), wants("depth"));
        self.rename(&mut arguments);
        if self.name == "find_symbol" && (body || depth) {
            target = "get_symbol_definition";
            arguments.insert("body".to_owned(), json!(body));
            let moved = [("query", "symbol_name"), ("file_pattern", "file_path")];
            for (from, to) in moved {
                if let Some(value) = arguments.remove(from) {
                    arguments.insert(to.to_owned(), value);
                }
            }
        }
        for (name, value) in self.fixed {
            arguments.insert((*name).to_owned(), json!(value));
        }
        let found = crate::all().find(|tool| tool.name == target);
        let tool = found
            .ok_or_else(|| Error::invalid("name", format!("There is no tool for {}", self.name)))?;
        Ok((tool, arguments))
    }

    fn rename(&self, arguments: &mut Map<String, Value>) {
        for argument in self.arguments {
            let Some(value) = arguments.remove(argument.name) else {
                continue;
            };
            if let Some(value) = argument.reading.read(value) {
                arguments.insert(argument.ours.to_owned(), value);
            }
        }
    }

    /// Serena's arguments with what ours say about them.
    fn schema(&self, target: &Tool) -> Map<String, Value> {
        let theirs = target.input_schema();
        let described = |ours: &str| {
            let properties = theirs.get("properties");
            properties.and_then(|all| all.get(ours)).cloned()
        };
        let mut properties = Map::new();
        let mut required = Vec::new();
        let is_required = |ours: &str| {
            let required = theirs.get("required").and_then(Value::as_array);
            required.is_some_and(|all| all.iter().any(|one| one == ours))
        };
        for argument in self.arguments {
            let described = match argument.reading {
                ValueReading::Mode => {
                    Some(json!({ "type": "string", "enum": ["literal", "regex"] }))
                }
                ValueReading::Severity => {
                    Some(json!({ "type": "integer", "description": "1 error … 4 hint" }))
                }
                ValueReading::Glob => Some(json!({ "type": "string", "description": "Glob" })),
                ValueReading::Line => Some(json!({ "type": "integer", "description": "From 0" })),
                ValueReading::Same | ValueReading::Place | ValueReading::Replacement => {
                    described(argument.ours)
                }
            };
            let is_new = !properties.contains_key(argument.name);
            properties.extend(described.map(|it| (argument.name.to_owned(), it)));
            let is_second = self
                .arguments
                .iter()
                .any(|other| other.ours == argument.ours && required.contains(&json!(other.name)));
            if is_new && is_required(argument.ours) && !is_second {
                required.push(json!(argument.name));
            }
        }
        if self.name == "find_symbol" {
            let flag = json!({ "type": "boolean", "description": "Show its code" });
            properties.insert("include_body".to_owned(), flag);
            let depth = json!({ "type": "integer", "description": "1 shows its members" });
            properties.insert("depth".to_owned(), depth);
        }
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(required));
        }
        schema
    }
}

impl ValueReading {
    /// `None` where the value says what is so anyway.
    fn read(self, value: Value) -> Option<Value> {
        match (self, &value) {
            (Self::Line, Value::Number(line)) => match line.as_i64() {
                Some(line) if line >= 0 => Some(json!(line + 1)),
                _ => Some(value),
            },
            (Self::Mode, Value::String(mode)) => Some(json!(mode == "regex")),
            (Self::Severity, Value::Number(number)) => {
                let names = ["error", "warning", "information", "hint"];
                let number = number
                    .as_u64()
                    .and_then(|number| usize::try_from(number).ok());
                let name = number.and_then(|number| names.get(number.checked_sub(1)?));
                name.map(|name| json!(name))
            }
            (Self::Glob, Value::String(glob)) => (!glob.is_empty()).then(|| json!([glob])),
            (Self::Place, Value::String(place)) => {
                (!matches!(place.as_str(), "" | ".")).then_some(value)
            }
            (Self::Replacement, Value::String(text)) => Some(json!(text.replace("$!", "$"))),
            _ => Some(value),
        }
    }
}
