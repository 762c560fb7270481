//! A product's own tools: which group each belongs to, and where its targets stand in the arguments.
//!
//! Names are those that a hook sees, which are not always those that the model sees. They compare without regard to case.

use serde::Serialize;

/// What a tool does, in the policy's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientToolGroup {
    Read,
    Edit,
    Command,
    Browser,
    Mcp,
    Modes,
    /// Touches nothing outside the client's own state: every mode has it.
    Harmless,
}

impl ClientToolGroup {
    /// The group as mode files write it; `None` for tools that every mode has.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Read => Some("read"),
            Self::Edit => Some("edit"),
            Self::Command => Some("command"),
            Self::Browser => Some("browser"),
            Self::Mcp => Some("mcp"),
            Self::Modes => Some("modes"),
            Self::Harmless => None,
        }
    }
}

/// One tool of one product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ToolRow {
    pub name: &'static str,
    pub group: ClientToolGroup,
    /// Arguments with one path or a list of paths; dots lead into objects and through lists.
    pub paths: &'static [&'static str],
    /// Arguments with the text of a patch, of which every path counts.
    pub patches: &'static [&'static str],
    /// Arguments with one shell line or a list of them.
    pub commands: &'static [&'static str],
    /// The argument that says where the tool works instead of the conversation's directory.
    pub cwd: Option<&'static str>,
    /// The lines are typed into a program that runs already.
    pub typed: bool,
    /// How it looks into files that its arguments do not name.
    pub search: Option<SearchRow>,
}

/// How a tool searches: which files below its directory it reads, in the words of ripgrep, which most products start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SearchRow {
    /// Arguments with globs of files to search.
    pub globs: &'static [&'static str],
    pub engine: SearchEngine,
    /// Whether one text may hold several globs, with spaces or commas in between.
    pub splits_globs: bool,
    /// The argument with a file type, such as `rust`.
    pub file_type: Option<&'static str>,
    /// The argument that makes it pass over nothing.
    pub unrestricted: Option<&'static str>,
}

/// What a tool searches with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum SearchEngine {
    /// It passes over what Git ignores, unless a glob names it, and a glob that begins with `!` leaves files out.
    Ripgrep,
    /// Nothing is known of what it leaves out.
    Unknown,
}

impl SearchRow {
    /// One that reads whatever is below its directory.
    pub(crate) const WHOLE: Self = Self {
        globs: &[],
        engine: SearchEngine::Unknown,
        splits_globs: false,
        file_type: None,
        unrestricted: None,
    };

    /// ripgrep with `--hidden`, and globs in these arguments.
    pub(crate) const fn ripgrep(globs: &'static [&'static str]) -> Self {
        Self {
            globs,
            engine: SearchEngine::Ripgrep,
            ..Self::WHOLE
        }
    }
}

impl ToolRow {
    const fn new(name: &'static str, group: ClientToolGroup) -> Self {
        Self {
            name,
            group,
            paths: &[],
            patches: &[],
            commands: &[],
            cwd: None,
            typed: false,
            search: None,
        }
    }

    pub(crate) const fn read(name: &'static str, paths: &'static [&'static str]) -> Self {
        Self {
            paths,
            ..Self::new(name, ClientToolGroup::Read)
        }
    }

    pub(crate) const fn edit(name: &'static str, paths: &'static [&'static str]) -> Self {
        Self {
            paths,
            ..Self::new(name, ClientToolGroup::Edit)
        }
    }

    pub(crate) const fn patch(name: &'static str, patches: &'static [&'static str]) -> Self {
        Self {
            patches,
            ..Self::new(name, ClientToolGroup::Edit)
        }
    }

    pub(crate) const fn command(name: &'static str, commands: &'static [&'static str]) -> Self {
        Self {
            commands,
            ..Self::new(name, ClientToolGroup::Command)
        }
    }

    pub(crate) const fn browser(name: &'static str) -> Self {
        Self::new(name, ClientToolGroup::Browser)
    }

    pub(crate) const fn mcp(name: &'static str) -> Self {
        Self::new(name, ClientToolGroup::Mcp)
    }

    pub(crate) const fn modes(name: &'static str) -> Self {
        Self::new(name, ClientToolGroup::Modes)
    }

    pub(crate) const fn harmless(name: &'static str) -> Self {
        Self::new(name, ClientToolGroup::Harmless)
    }

    pub(crate) const fn in_directory(mut self, argument: &'static str) -> Self {
        self.cwd = Some(argument);
        self
    }

    pub(crate) const fn typed(mut self) -> Self {
        self.typed = true;
        self
    }

    pub(crate) const fn searching(mut self, search: SearchRow) -> Self {
        self.search = Some(search);
        self
    }

    pub(crate) const fn with_paths(mut self, paths: &'static [&'static str]) -> Self {
        self.paths = paths;
        self
    }
}

/// A tool of some MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpTool {
    pub server: String,
    pub tool: String,
}

/// How a client makes one name from a server's and a tool's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpNames {
    pub prefix: &'static str,
    pub separator: &'static str,
}

/// The name under which clients know our server.
pub const SERVER: &str = "modekeeper";

impl McpNames {
    /// Whether a name that no row has is one of an MCP tool.
    pub(crate) fn fits(self, name: &str) -> bool {
        name.strip_prefix(self.prefix)
            .is_some_and(|rest| rest.contains(self.separator))
    }

    /// Server and tool of a name. Our own server is found first, because its name is known (whether it has such a tool
    /// is for the caller to say); any other must split in one way only: guessing would let a name slip past a filter.
    pub(crate) fn split(self, name: &str) -> Option<McpTool> {
        let rest = name.strip_prefix(self.prefix)?;
        let own = rest
            .strip_prefix(SERVER)
            .and_then(|rest| rest.strip_prefix(self.separator));
        if let Some(tool) = own.filter(|tool| !tool.is_empty()) {
            return Some(McpTool {
                server: SERVER.to_owned(),
                tool: tool.to_owned(),
            });
        }
        // `a___b` holds `__` twice: its server may be `a` or `a_`.
        let is_border = |at: &usize| {
            rest.get(*at..)
                .is_some_and(|rest| rest.starts_with(self.separator))
        };
        let mut borders = (0..rest.len()).filter(is_border);
        let (Some(border), None) = (borders.next(), borders.next()) else {
            return None;
        };
        let (server, tool) = (
            rest.get(..border)?,
            rest.get(border + self.separator.len()..)?,
        );
        (!server.is_empty() && !tool.is_empty()).then(|| McpTool {
            server: server.to_owned(),
            tool: tool.to_owned(),
        })
    }
}
