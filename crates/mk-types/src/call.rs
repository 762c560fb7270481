//! A tool call as the policy sees it: the tool's name and everything it would touch, still as written.

/// What an agent is about to do. How it is read from a tool's arguments is the tool table's knowledge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool's name as the agent said it.
    pub tool: String,
    /// Every path the call names, moves included, as written.
    pub paths: Vec<String>,
    /// The shell line, for tools that run one.
    pub command: Option<String>,
    /// Where the shell line starts, as written; the project's root without it.
    pub directory: Option<String>,
    /// The MCP server and tool behind the call.
    pub mcp: Option<McpTarget>,
    /// The tool names its targets in its arguments, but none could be found there.
    pub targets_unknown: bool,
}

impl ToolCall {
    pub fn new(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            ..Self::default()
        }
    }

    #[must_use]
    pub fn with_path(mut self, path: &str) -> Self {
        self.paths.push(path.to_owned());
        self
    }

    #[must_use]
    pub fn with_command(mut self, command: &str) -> Self {
        self.command = Some(command.to_owned());
        self
    }
}

/// A tool of some MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpTarget {
    pub server: String,
    /// Missing when a resource is read rather than a tool called.
    pub tool: Option<String>,
}
