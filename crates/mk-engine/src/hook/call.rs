//! A call of an agent's own tool in the policy's words: the same group, and every path, patch and shell line it names.

use std::path::{Path, PathBuf};

use mk_clients::{ClientId, ClientToolGroup, HookEvent, ToolRow, ToolUse};
use mk_policy::{Group, ToolReach};
use mk_types::{AbsPath, McpTarget, ToolCall};
use serde_json::Value;

use super::Hooks;
use crate::OwnTool;

/// The tool of our table that stands for any tool of any MCP server.
const ANY_MCP: &str = "use_mcp_tool";
/// Longest target in a list of decisions.
const LONGEST: usize = 200;

impl Hooks<'_> {
    /// What the policy is asked: one call, or one for each shell line. `None` for a tool that every mode has.
    pub(super) fn calls(
        &self,
        event: &HookEvent,
        tool: &ToolUse,
        root: &AbsPath,
    ) -> Option<Vec<ToolCall>> {
        match tool.group() {
            Some(ClientToolGroup::Harmless) => return None,
            Some(ClientToolGroup::Mcp) => {
                return Some(vec![ToolCall {
                    mcp: tool.mcp.as_ref().map(|mcp| McpTarget {
                        server: mcp.server.clone(),
                        tool: Some(mcp.tool.clone()),
                    }),
                    ..ToolCall::new(ANY_MCP)
                }]);
            }
            _ => {}
        }
        // The table compares names to the letter, clients do not.
        let name = tool.row.map_or(tool.name.as_str(), |row| row.name);
        let directory = directory(event, tool, root);
        let absolute = |path: String| self.absolute(&directory, &path);
        let touched = tool.touched();
        if touched.commands.len() > 1 || tool.input.get("commands").is_some() {
            let calls = touched.commands.into_iter().map(|line| ToolCall {
                command: Some(line),
                directory: Some(directory.display().to_string()),
                targets_unknown: touched.unclear,
                ..ToolCall::new(name)
            });
            return Some(calls.collect());
        }
        let mut call = self.engine.policy().tools.call(name, &tool.input);
        call.targets_unknown |= touched.unclear;
        call.directory = Some(directory.display().to_string());
        call.paths = call.paths.into_iter().map(absolute).collect();
        call.paths.extend(self.searched(&directory, tool));
        Some(vec![call])
    }

    /// Relative paths begin where the agent works, not at the root.
    pub(super) fn absolute(&self, directory: &Path, path: &str) -> String {
        let home = self.engine.inner.folders.home.as_deref();
        let below_home = path.strip_prefix("~/").zip(home);
        match below_home {
            Some((rest, home)) => home.join(rest).display().to_string(),
            None => directory.join(path).display().to_string(),
        }
    }

    /// Where a search looks that names a pattern and perhaps no directory.
    fn searched(&self, directory: &Path, tool: &ToolUse) -> Option<String> {
        let is_glob = tool.name.eq_ignore_ascii_case("glob");
        let pattern = tool.input.get("pattern").and_then(Value::as_str)?;
        let fixed = pattern.split(['*', '?', '[', '{']).next()?;
        // What stands before the first wildcard is a directory, and the beginning of a name.
        let fixed = match fixed.rfind('/') {
            Some(end) if fixed != pattern => fixed.get(..=end)?,
            None if fixed != pattern => "",
            _ => fixed,
        };
        if !is_glob || fixed.is_empty() {
            return None;
        }
        let named = tool.touched().paths.into_iter().next();
        let directory = directory.join(named.unwrap_or_default());
        Some(self.absolute(&directory, fixed))
    }
}

/// Where the agent works: what the call says, else the event, else the root.
pub(super) fn directory(event: &HookEvent, tool: &ToolUse, root: &AbsPath) -> PathBuf {
    let root = root.as_path();
    let base = match &event.cwd {
        Some(directory) => root.join(directory),
        None => root.to_owned(),
    };
    let argument = tool.row.and_then(|row| row.cwd);
    let named = argument.and_then(|key| tool.input.get(key)?.as_str());
    named.map_or(base.clone(), |named| base.join(named))
}

/// One line that says what a call would touch.
pub(super) fn target(tool: &ToolUse) -> String {
    let touched = tool.touched();
    let first = touched.paths.first().or(touched.commands.first()).cloned();
    let text = first
        .or_else(|| patched(touched.patches.first()?))
        .or_else(|| {
            let mcp = tool.mcp.as_ref()?;
            Some(format!("{}/{}", mcp.server, mcp.tool))
        });
    let text = text.or_else(|| {
        let keys = ["url", "query", "pattern", "prompt", "description"];
        let found = keys.iter().find_map(|key| tool.input.get(*key)?.as_str());
        found.map(str::to_owned)
    });
    let line: String = text
        .unwrap_or_default()
        .chars()
        .map(|it| if it.is_control() { ' ' } else { it })
        .take(LONGEST)
        .collect();
    line
}

/// The files that a patch names.
fn patched(patch: &str) -> Option<String> {
    let names = patch.lines().filter_map(|line| {
        let (_, name) = line.strip_prefix("*** ")?.split_once(": ")?;
        Some(name)
    });
    let names: Vec<&str> = names.collect();
    (!names.is_empty()).then(|| names.join(", "))
}

impl OwnTool {
    /// The tools of one product, for an engine that answers its hook.
    pub fn of_client(client: ClientId) -> impl Iterator<Item = Self> {
        Self::of_rows(client.atlas().tools)
    }

    /// Tools as the atlas of products tells of them.
    pub fn of_rows(rows: &'static [ToolRow]) -> impl Iterator<Item = Self> {
        rows.iter().map(|row| Self {
            name: row.name,
            group: row.group.name().and_then(Group::parse),
            paths: row.paths,
            patches: row.patches,
            commands: row.commands,
            directories: row.cwd.as_slice(),
            reach: match row.group {
                ClientToolGroup::Read | ClientToolGroup::Edit => ToolReach::Files,
                _ => ToolReach::NoFiles,
            },
        })
    }
}
