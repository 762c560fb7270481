//! The six groups of tools a mode may enable.

use std::fmt;

/// A group of tools, in the order in which groups are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    Read,
    Edit,
    Browser,
    Command,
    Mcp,
    Modes,
}

impl Group {
    pub const ALL: [Self; 6] = [
        Self::Read,
        Self::Edit,
        Self::Browser,
        Self::Command,
        Self::Mcp,
        Self::Modes,
    ];

    /// Reads a group's name; `web` is what newer editors call `browser`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "web" => Some(Self::Browser),
            name => Self::ALL.into_iter().find(|group| group.as_str() == name),
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edit => "edit",
            Self::Browser => "browser",
            Self::Command => "command",
            Self::Mcp => "mcp",
            Self::Modes => "modes",
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
