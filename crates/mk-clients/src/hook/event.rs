//! What a hook is told, whichever client tells it.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::ClientId;
use crate::tool::{ClientToolGroup, McpTool, SearchRow, ToolRow};

/// One event of a client's hook.
#[derive(Debug, Clone, PartialEq)]
pub struct HookEvent {
    pub client: ClientId,
    /// The event's name as the client wrote it; answers repeat it.
    pub name: String,
    /// The agent's own id of the conversation: the root's where the client names it.
    pub conversation: Option<String>,
    /// The subagent that acts, where the client tells it apart.
    pub agent: Option<String>,
    /// The conversation that started this one, in clients that give a child an id of its own.
    pub parent: Option<String>,
    /// Where relative paths begin. Not the project's root: it follows `cd`.
    pub cwd: Option<PathBuf>,
    pub moment: HookMoment,
}

/// When a hook is called.
#[derive(Debug, Clone, PartialEq)]
pub enum HookMoment {
    BeforeTool(ToolUse),
    AfterTool(ToolUse),
    /// The client is about to ask its user about a call, which comes again as `BeforeTool` if they agree.
    Permission(ToolUse),
    SessionStart {
        /// `startup`, `resume`, `fork`, … as the client says it.
        source: Option<String>,
    },
    Prompt {
        text: String,
    },
    /// A moment that asks for no decision.
    Other,
}

/// A call of one of the client's tools.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolUse {
    pub client: ClientId,
    /// The tool's name as the hook sees it.
    pub name: String,
    /// The whole input. Always an object: a plain text, which some tools take, is under [`ToolUse::TEXT`].
    pub input: Value,
    /// The client's id of this call.
    pub id: Option<String>,
    /// The MCP server and tool, where the event says them or the name splits in one way.
    pub mcp: Option<McpTool>,
    /// What is known about the tool; `None` for a tool that nobody knows.
    pub row: Option<ToolRow>,
}

/// What a call touches, as its arguments say it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TouchedTargets {
    pub paths: Vec<String>,
    /// Texts of patches; every path in them counts.
    pub patches: Vec<String>,
    /// Shell lines, in order.
    pub commands: Vec<String>,
    /// Something stands where a target should be, and it is not a text.
    pub unclear: bool,
}

impl ToolUse {
    /// The key of an input that is a text and not an object.
    pub const TEXT: &'static str = "input";

    pub(crate) fn new(client: ClientId, name: &str, input: Value) -> Self {
        let input = match input {
            Value::Object(entries) => Value::Object(entries),
            Value::Null => Value::Object(Map::new()),
            Value::String(text) => match serde_json::from_str(&text) {
                Ok(Value::Object(entries)) => Value::Object(entries),
                _ => text_input(Value::String(text)),
            },
            other => text_input(other),
        };
        let atlas = client.atlas();
        let row = atlas.tool(name).copied();
        let names = atlas.mcp_names.filter(|_| row.is_none());
        Self {
            client,
            name: name.to_owned(),
            input,
            id: None,
            mcp: names.and_then(|names| names.split(name)),
            row,
        }
    }

    /// The group of the tool; `None` for a tool that nobody knows.
    pub fn group(&self) -> Option<ClientToolGroup> {
        let names = self.client.atlas().mcp_names;
        match &self.row {
            Some(row) => Some(row.group),
            None if self.mcp.is_some() => Some(ClientToolGroup::Mcp),
            None => names
                .filter(|names| names.fits(&self.name))
                .map(|_| ClientToolGroup::Mcp),
        }
    }

    /// Every path, patch and shell line that the arguments name.
    pub fn touched(&self) -> TouchedTargets {
        let mut touched = TouchedTargets::default();
        let Some(row) = &self.row else { return touched };
        let mut clear = true;
        for key in row.paths {
            clear &= collect(&self.input, key, &mut touched.paths);
        }
        for key in row.patches {
            clear &= collect(&self.input, key, &mut touched.patches);
        }
        for key in row.commands {
            clear &= collect(&self.input, key, &mut touched.commands);
        }
        touched.unclear = !clear;
        touched
    }

    /// The globs with which a search is narrowed; `None` if something stands there that is not a text.
    pub fn globs(&self, search: &SearchRow) -> Option<Vec<String>> {
        let mut globs = Vec::new();
        for key in search.globs {
            collect(&self.input, key, &mut globs).then_some(())?;
        }
        if !search.splits_globs {
            return Some(globs);
        }
        let words = globs.iter().flat_map(|glob| glob.split_whitespace());
        let parts = words.flat_map(|word| {
            let is_whole = word.contains('{') && word.contains('}');
            let separators: &[char] = if is_whole { &[] } else { &[','] };
            word.split(separators).filter(|part| !part.is_empty())
        });
        Some(parts.map(str::to_owned).collect())
    }

    /// The same input with each shell line replaced; `None` for a tool that starts none, or where one cannot be.
    pub fn with_commands(&self, replace: &dyn Fn(&str) -> Option<String>) -> Option<Value> {
        let row = self.row.filter(|row| !row.typed)?;
        let keys = row.commands;
        let mut input = self.input.clone();
        let mut found = false;
        for key in keys {
            match input.get_mut(*key) {
                Some(Value::String(line)) => {
                    *line = replace(line)?;
                    found = true;
                }
                Some(Value::Array(lines)) => {
                    for line in lines {
                        if let Value::String(line) = line {
                            *line = replace(line)?;
                            found = true;
                        }
                    }
                }
                _ => {}
            }
        }
        found.then_some(input)
    }
}

fn text_input(value: Value) -> Value {
    Value::Object(Map::from_iter([(ToolUse::TEXT.to_owned(), value)]))
}

/// Collects the texts below a dotted key, through lists on the way. Says whether it understood all there is.
fn collect(value: &Value, key: &str, found: &mut Vec<String>) -> bool {
    let (head, rest) = match key.split_once('.') {
        Some((head, rest)) => (head, Some(rest)),
        None => (key, None),
    };
    let Value::Object(entries) = value else {
        // `files: ["a.rs"]` where `files: [{path: "a.rs"}]` is usual.
        return match value {
            Value::String(text) => {
                found.push(text.clone());
                true
            }
            other => other.is_null(),
        };
    };
    let mut each = |value: &Value| match (value, rest) {
        (Value::Null, _) => true,
        (value, Some(rest)) => collect(value, rest, found),
        (Value::String(text), None) => {
            found.push(text.clone());
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

/// Why an event could not be read.
#[derive(Debug, thiserror::Error)]
pub enum HookError {
    #[error("the hook's input is not JSON")]
    NotJson(#[source] serde_json::Error),
    #[error("the hook's input is not a JSON object")]
    NotAnObject,
    #[error("the hook's input has no `{field}`")]
    Missing { field: &'static str },
    #[error("{} has no hooks that Modekeeper knows", .client.atlas().name)]
    NoHooks { client: ClientId },
}

/// The top-level fields of an event.
#[derive(Debug)]
pub(crate) struct EventFields {
    /// Who has sent it.
    pub(crate) client: ClientId,
    /// Whose hook was started: a product that runs another's may leave out events that its own would have.
    pub(crate) hook_of: ClientId,
    entries: Map<String, Value>,
}

impl EventFields {
    pub(crate) fn read(client: ClientId, bytes: &[u8]) -> Result<Self, HookError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        match serde_json::from_slice(bytes).map_err(HookError::NotJson)? {
            Value::Object(entries) => Ok(Self {
                client,
                hook_of: client,
                entries,
            }),
            _ => Err(HookError::NotAnObject),
        }
    }

    /// A text that is there and not empty, under the first of several names.
    pub(crate) fn text(&self, names: &[&str]) -> Option<String> {
        names
            .iter()
            .find_map(|name| self.entries.get(*name)?.as_str())
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    }

    pub(crate) fn required(&self, field: &'static str) -> Result<String, HookError> {
        self.text(&[field]).ok_or(HookError::Missing { field })
    }

    /// The event's name in Claude's shape. VS Code's documentation spells the key in its own way.
    pub(crate) fn event_name(&self) -> Option<String> {
        self.text(&["hook_event_name", "hookEventName"])
    }

    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.entries.get(name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// The call that an event is about.
    pub(crate) fn tool_use(
        &self,
        name: &'static str,
        input: &str,
        id: &[&str],
    ) -> Result<ToolUse, HookError> {
        let tool = self.required(name)?;
        let input = self.value(input).cloned().unwrap_or(Value::Null);
        let mut tool_use = ToolUse::new(self.client, &tool, input);
        tool_use.id = self.text(id);
        Ok(tool_use)
    }

    /// An event without its moment: ids and directory under the names that most clients use.
    pub(crate) fn event(&self, name: String, moment: HookMoment) -> HookEvent {
        HookEvent {
            client: self.client,
            name,
            conversation: self.text(&["session_id", "sessionId"]),
            agent: self.text(&["agent_id"]),
            parent: None,
            cwd: self.text(&["cwd"]).map(PathBuf::from),
            moment,
        }
    }
}
