//! Which group a tool belongs to, and where in its arguments stands what it would touch.
//!
//! The names of other products' tools are content (`content/policy/tools.yaml`); ours are added by mk-tools.

mod patch;

use std::collections::HashMap;

use mk_types::{McpTarget, ToolCall};
use serde::Deserialize;
use serde_json::Value;

use crate::command;
use crate::group::Group;

const FOREIGN: &str = include_str!("../../../content/policy/tools.yaml");

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
    pub servers: Vec<String>,
    pub server_tools: Vec<String>,
}

/// Tool names that are made up of a server's and a tool's name.
#[derive(Debug, Deserialize)]
struct Prefix {
    prefix: String,
    separator: String,
}

/// What a call does to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// A path that a call names, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawTarget {
    pub path: String,
    pub access: Access,
    /// Found in a shell line, where a path outside the project is nothing unusual.
    pub in_command: bool,
}

impl ToolTable {
    /// The table of the Roo family's tools, all versions together.
    pub fn foreign() -> Self {
        let mut table = Self::default();
        let file: ToolsFile = match serde_saphyr::from_str(FOREIGN) {
            Ok(file) => file,
            // Unknown tools are denied, so an unreadable table denies; a test keeps it readable.
            Err(_) => return table,
        };
        for name in file.always {
            table.tools.insert(name, ToolShape::default());
        }
        for tool in file.tools {
            let shape = ToolShape {
                group: Group::parse(&tool.group),
                paths: tool.paths,
                patches: tool.patch,
                commands: tool.command,
                servers: tool.server,
                server_tools: tool.tool,
            };
            for alias in tool.aliases {
                table.tools.insert(alias, shape.clone());
            }
            table.tools.insert(tool.name, shape);
        }
        table.prefixes = file.prefixes;
        table
    }

    /// Adds a tool of our own; it wins over a foreign tool of the same name.
    pub fn add(&mut self, name: &str, shape: ToolShape) {
        self.tools.insert(name.to_owned(), shape);
    }

    /// The group of a tool: `None` if nobody knows the tool, `Some(None)` if every mode has it.
    pub fn group_of(&self, tool: &str) -> Option<Option<Group>> {
        match self.tools.get(tool) {
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
        let Some(shape) = self.tools.get(tool) else {
            return call;
        };
        for key in &shape.paths {
            collect(arguments, key, &mut |text| call.paths.push(text.to_owned()));
        }
        for key in &shape.patches {
            collect(arguments, key, &mut |text| {
                call.paths.extend(patch::paths(text))
            });
        }
        let named = !shape.paths.is_empty() || !shape.patches.is_empty();
        call.targets_unknown = named && call.paths.is_empty();
        call.command = first(arguments, &shape.commands);
        if let Some(server) = first(arguments, &shape.servers) {
            call.mcp = Some(McpTarget {
                server,
                tool: first(arguments, &shape.server_tools),
            });
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
    pub fn targets(&self, call: &ToolCall) -> Vec<RawTarget> {
        let access = match self.group_of(&call.tool) {
            Some(Some(Group::Edit)) => Access::Write,
            _ => Access::Read,
        };
        let named = call.paths.iter().map(|path| RawTarget {
            path: path.clone(),
            access,
            in_command: false,
        });
        let mut targets: Vec<RawTarget> = named.collect();
        if let Some(line) = &call.command {
            let line = command::analyse(line);
            let found = |path, access| RawTarget {
                path,
                access,
                in_command: true,
            };
            targets.extend(
                line.writes
                    .into_iter()
                    .map(|path| found(path, Access::Write)),
            );
            targets.extend(line.reads.into_iter().map(|path| found(path, Access::Read)));
        }
        targets
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
        let mut parts = tool.get(length..)?.split(form.separator.as_str());
        match (parts.next(), parts.next(), parts.next()) {
            (Some(server), Some(tool), None) if !server.is_empty() && !tool.is_empty() => {
                Some(McpTarget {
                    server: server.to_owned(),
                    tool: Some(tool.to_owned()),
                })
            }
            _ => None,
        }
    }
}

/// Hands every text below a dotted key to `found`, through lists on the way.
fn collect(value: &Value, key: &str, found: &mut impl FnMut(&str)) {
    let (head, rest) = match key.split_once('.') {
        Some((head, rest)) => (head, Some(rest)),
        None => (key, None),
    };
    match (value.get(head), rest) {
        (Some(inner), Some(rest)) => match inner {
            Value::Array(items) => items.iter().for_each(|item| collect(item, rest, found)),
            inner => collect(inner, rest, found),
        },
        (Some(Value::String(text)), None) if !text.is_empty() => found(text),
        (Some(Value::Array(items)), None) => {
            items.iter().filter_map(Value::as_str).for_each(found);
        }
        _ => {}
    }
}

fn first(arguments: &Value, keys: &[String]) -> Option<String> {
    let mut texts = Vec::new();
    for key in keys {
        collect(arguments, key, &mut |text| texts.push(text.to_owned()));
    }
    texts.into_iter().next()
}

#[derive(Deserialize)]
struct ToolsFile {
    always: Vec<String>,
    tools: Vec<ToolFile>,
    prefixes: Vec<Prefix>,
}

#[derive(Deserialize)]
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
    server: Vec<String>,
    #[serde(default)]
    tool: Vec<String>,
}
