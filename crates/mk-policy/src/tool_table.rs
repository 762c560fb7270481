//! Which group a tool belongs to, and where in its arguments stands what it would touch.
//!
//! The names of other products' tools are content (`content/policy/tools.yaml`); ours are added by mk-tools.

mod patch;

use std::collections::HashMap;

use mk_shell::{CommandLine, Form, NameExtent, UseOfFile};
use mk_types::{McpTarget, ToolCall};
use serde::Deserialize;
use serde_json::Value;

use crate::group::Group;

const FOREIGN: &str = include_str!("shipped/tools.json");

/// Every tool name that means something to the policy.
#[derive(Debug, Default)]
pub struct ToolTable {
    tools: HashMap<String, ToolShape>,
    prefixes: Vec<Prefix>,
}

/// A tool's group and the argument keys that name its targets.
#[derive(Debug, Clone, Default)]
pub struct ToolShape {
    /// `None` for tools that every mode has.
    pub group: Option<Group>,
    /// Keys of one path or a list of paths; dots lead into objects and lists.
    pub paths: Vec<String>,
    /// Keys of a patch text, of which every path counts.
    pub patches: Vec<String>,
    pub commands: Vec<String>,
    /// Keys of the directory in which a command starts.
    pub directories: Vec<String>,
    pub servers: Vec<String>,
    pub server_tools: Vec<String>,
    pub reach: ToolReach,
}

/// Whether a tool touches files of the project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolReach {
    #[default]
    Files,
    /// It needs its group in any form: memories, say, are nobody's `fileRegex`.
    NoFiles,
}

/// Tool names that are made up of a server's and a tool's name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Prefix {
    prefix: String,
    separator: String,
}

/// What a call does to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathAccess {
    Read,
    Write,
    /// A shell line that cannot be followed names it.
    Mention,
    /// A build, a test or a formatter runs what it finds there.
    Run,
    /// Git does what the settings there tell it.
    Obey,
}

/// A path that a call names, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawTarget {
    pub path: String,
    pub access: PathAccess,
    /// Found in a shell line, where a path outside the project is nothing unusual.
    pub in_command: bool,
    /// Whether it is a path or a pattern.
    pub form: Form,
    /// Whether all that is in a directory is meant.
    pub extent: NameExtent,
}

impl RawTarget {
    /// A path that an argument names.
    pub fn new(path: impl Into<String>, access: PathAccess) -> Self {
        Self {
            path: path.into(),
            access,
            in_command: false,
            form: Form::Exact,
            extent: NameExtent::Itself,
        }
    }
}

impl ToolTable {
    /// The table of the Roo family's tools, all versions together.
    pub fn foreign() -> Self {
        let mut table = Self::default();
        let file: ToolsFile = match serde_json::from_str(FOREIGN) {
            Ok(file) => file,
            // Unknown tools are denied, so an unreadable table denies; a test keeps it readable.
            Err(_) => return table,
        };
        for name in file.always {
            table.tools.insert(name, ToolShape::default());
        }
        for tool in file.tools {
            // Without a group the tool would be available in every mode.
            let Some(group) = Group::parse(&tool.group) else {
                continue;
            };
            let shape = ToolShape {
                group: Some(group),
                paths: tool.paths,
                patches: tool.patch,
                commands: tool.command,
                directories: tool.directory,
                servers: tool.server,
                server_tools: tool.tool,
                reach: ToolReach::Files,
            };
            for alias in tool.aliases {
                table.tools.insert(alias, shape.clone());
            }
            table.tools.insert(tool.name, shape);
        }
        table.prefixes = file.prefixes;
        table
    }

    /// Adds a tool of our own. Where others have a tool of that name, their ways of naming targets stay known:
    /// a path that is overlooked is a path that is not checked.
    pub fn add(&mut self, name: &str, shape: ToolShape) {
        let foreign = self.tools.remove(name).unwrap_or_default();
        let mut merged = shape;
        for key in foreign.paths {
            if !merged.paths.contains(&key) {
                merged.paths.push(key);
            }
        }
        merged.patches.extend(foreign.patches);
        self.tools.insert(name.to_owned(), merged);
    }

    /// Adds a tool of another product. Where several have a tool of that name, all their ways of naming targets count,
    /// and the group that was there first stays: a table may add what is looked at, and never take away.
    pub fn join(&mut self, name: &str, shape: ToolShape) {
        let key = name.to_ascii_lowercase();
        let Some(known) = self.tools.get_mut(&key) else {
            self.tools.insert(key, shape);
            return;
        };
        let keys = |known: &mut Vec<String>, more: Vec<String>| {
            for key in more {
                if !known.contains(&key) {
                    known.push(key);
                }
            }
        };
        keys(&mut known.paths, shape.paths);
        keys(&mut known.patches, shape.patches);
        keys(&mut known.commands, shape.commands);
        keys(&mut known.directories, shape.directories);
    }

    /// Names compare without regard to case.
    fn shape(&self, tool: &str) -> Option<&ToolShape> {
        self.tools.get(tool).or_else(|| {
            let has_capitals = tool.bytes().any(|letter| letter.is_ascii_uppercase());
            has_capitals
                .then(|| self.tools.get(&tool.to_ascii_lowercase()))
                .flatten()
        })
    }

    /// Whether a tool touches files.
    pub(crate) fn reach(&self, tool: &str) -> ToolReach {
        self.shape(tool)
            .map_or(ToolReach::Files, |shape| shape.reach)
    }

    /// The group of a tool: `None` if nobody knows the tool, `Some(None)` if every mode has it.
    pub fn group_of(&self, tool: &str) -> Option<Option<Group>> {
        match self.shape(tool) {
            Some(shape) => Some(shape.group),
            None => self.prefix_of(tool).map(|_| Some(Group::Mcp)),
        }
    }

    /// All names, sorted.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.tools.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// Reads a call from a tool's arguments: every path, the shell line, the MCP server.
    pub fn call(&self, tool: &str, arguments: &Value) -> ToolCall {
        let mut call = ToolCall::new(tool);
        call.mcp = self.split_dynamic(tool);
        let Some(shape) = self.shape(tool) else {
            return call;
        };
        let mut understood = true;
        for key in &shape.paths {
            understood &= collect(arguments, key, &mut |text| call.paths.push(text.to_owned()));
        }
        let mut patches_understood = true;
        for key in &shape.patches {
            understood &= collect(arguments, key, &mut |text| match patch::paths(text) {
                Some(paths) => call.paths.extend(paths),
                None => patches_understood = false,
            });
        }
        let mut lines: Vec<String> = Vec::new();
        for key in &shape.commands {
            // `command: [rm, -rf, x]` is one command in pieces, `commands` is a list of lines.
            let is_list = arguments.get(key).is_some_and(Value::is_array);
            understood &= (!is_list || key.ends_with("commands"))
                && collect(arguments, key, &mut |text| lines.push(text.to_owned()));
        }
        let directory = single(arguments, &shape.directories);
        understood &= patches_understood && directory.is_ok();
        // Several lines run one after the other.
        call.command = (!lines.is_empty()).then(|| lines.join("\n"));
        call.directory = directory.ok().flatten();
        // Reading without a path means the whole project; there is no such reading of a change.
        let named = !shape.paths.is_empty() || !shape.patches.is_empty();
        let nameless = named && call.paths.is_empty() && shape.group == Some(Group::Edit);
        call.targets_unknown = nameless || !understood;
        if !shape.servers.is_empty() {
            call.mcp = mcp_target(arguments, shape);
        }
        call
    }

    /// Reads a call from a tool's name and one target as people write it: a path, a shell line, or `server/tool`.
    pub fn call_on(&self, tool: &str, target: Option<&str>) -> ToolCall {
        let mut call = ToolCall::new(tool);
        call.mcp = self.split_dynamic(tool);
        let Some(target) = target else { return call };
        match self.group_of(tool).flatten() {
            Some(Group::Command) => call.command = Some(target.to_owned()),
            Some(Group::Mcp) => {
                let (server, tool) = target.split_once('/').unwrap_or((target, ""));
                let tool = (!tool.is_empty()).then(|| tool.to_owned());
                call.mcp = Some(McpTarget {
                    server: server.to_owned(),
                    tool,
                });
            }
            _ => call.paths.push(target.to_owned()),
        }
        call
    }

    /// Every path that a call would touch, those in its shell line included.
    pub(crate) fn targets(&self, call: &ToolCall, line: Option<&CommandLine>) -> Vec<RawTarget> {
        let access = match self.group_of(&call.tool) {
            Some(Some(Group::Edit)) => PathAccess::Write,
            _ => PathAccess::Read,
        };
        let named = call.paths.iter().map(|path| RawTarget::new(path, access));
        let found = line.into_iter().flat_map(|line| &line.files);
        let found = found.map(|file| RawTarget {
            path: file.path.clone(),
            access: match file.access {
                UseOfFile::Read => PathAccess::Read,
                UseOfFile::Write => PathAccess::Write,
                UseOfFile::Mention => PathAccess::Mention,
                UseOfFile::Run => PathAccess::Run,
                UseOfFile::Obey => PathAccess::Obey,
            },
            in_command: true,
            form: file.form,
            extent: file.extent,
        });
        named.chain(found).collect()
    }

    fn prefix_of(&self, tool: &str) -> Option<(&Prefix, usize)> {
        let fits =
            |form: &&Prefix| tool.len() > form.prefix.len() && tool.starts_with(&form.prefix);
        self.prefixes
            .iter()
            .find(fits)
            .map(|form| (form, form.prefix.len()))
    }

    /// The server and tool in `mcp__server__tool` and its relatives; `None` where the name can be split in several ways,
    /// because guessing would let a name slip past a filter.
    fn split_dynamic(&self, tool: &str) -> Option<McpTarget> {
        let (form, length) = self.prefix_of(tool)?;
        let name = tool.get(length..)?;
        let separator = form.separator.as_str();
        let is_border = |at: &usize| {
            name.get(*at..)
                .is_some_and(|rest| rest.starts_with(separator))
        };
        let mut borders = (0..name.len()).filter(is_border);
        // `a___b` holds `__` twice: its server may be `a` or `a_`.
        let (Some(border), None) = (borders.next(), borders.next()) else {
            return None;
        };
        let (server, tool) = (name.get(..border)?, name.get(border + separator.len()..)?);
        (!server.is_empty() && !tool.is_empty()).then(|| McpTarget {
            server: server.to_owned(),
            tool: Some(tool.to_owned()),
        })
    }
}

/// Hands every text below a dotted key to `found`, through lists on the way. Says whether it understood all there is.
fn collect(value: &Value, key: &str, found: &mut impl FnMut(&str)) -> bool {
    let (head, rest) = match key.split_once('.') {
        Some((head, rest)) => (head, Some(rest)),
        None => (key, None),
    };
    let Value::Object(entries) = value else {
        return value.is_null();
    };
    let mut each = |value: &Value| match (value, rest) {
        (Value::Null, _) => true,
        (value, Some(rest)) => collect(value, rest, found),
        (Value::String(text), None) => {
            if !text.is_empty() {
                found(text);
            }
            true
        }
        (_, None) => false,
    };
    match entries.get(head) {
        None => true,
        Some(Value::Array(items)) => items.iter().filter(|item| !each(item)).count() == 0,
        Some(value) => each(value),
    }
}

/// There is something under a key, but not the one text that should be there.
struct NotOneText;

fn single(arguments: &Value, keys: &[String]) -> Result<Option<String>, NotOneText> {
    let mut found = None;
    for key in keys {
        match arguments.get(key) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if found.is_none() => found = Some(text.clone()),
            Some(_) => return Err(NotOneText),
        }
    }
    Ok(found)
}

fn mcp_target(arguments: &Value, shape: &ToolShape) -> Option<McpTarget> {
    let server = single(arguments, &shape.servers).ok()??;
    let tool = single(arguments, &shape.server_tools).ok()?;
    // A tool that is not named is not «no tool»: only resources have none.
    (tool.is_some() || shape.server_tools.is_empty()).then_some(McpTarget { server, tool })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolsFile {
    always: Vec<String>,
    tools: Vec<ToolFile>,
    prefixes: Vec<Prefix>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolFile {
    name: String,
    group: String,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    patch: Vec<String>,
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    directory: Vec<String>,
    #[serde(default)]
    server: Vec<String>,
    #[serde(default)]
    tool: Vec<String>,
}
