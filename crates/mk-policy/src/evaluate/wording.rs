//! Evaluations in words: the reason, what would help, and the sentence an error carries.

use super::{Decision, Evaluation, Rule};
use crate::group::Group;
use crate::mode::Mode;

impl Decision {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl Rule {
    /// The rule's name in documents and machine-readable answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown-tool",
            Self::AlwaysAvailable => "always-available",
            Self::GroupDisabled => "group-disabled",
            Self::OutsideProject => "outside-project",
            Self::IgnoredFile => "ignored-file",
            Self::TargetUnknown => "target-unknown",
            Self::FilePattern => "file-pattern",
            Self::CommandPattern => "command-pattern",
            Self::CommandDeny => "command-deny",
            Self::CommandWrite => "command-write",
            Self::CommandOpaque => "command-opaque",
            Self::McpFilter => "mcp-filter",
            Self::ProtectedFile => "protected-file",
            Self::Group => "group",
        }
    }

    /// Whether the rule speaks about a file rather than about the tool.
    pub const fn concerns_file(self) -> bool {
        matches!(
            self,
            Self::FilePattern
                | Self::OutsideProject
                | Self::IgnoredFile
                | Self::ProtectedFile
                | Self::CommandWrite
        )
    }
}

impl Evaluation {
    /// Why, in one line without a final dot.
    pub fn reason(&self) -> String {
        let group = self.group.map(Group::as_str).unwrap_or_default();
        let path = self.path.as_deref().unwrap_or_default();
        let limit = self.restriction.as_deref().unwrap_or_default();
        match self.rule {
            Rule::UnknownTool => format!("Unknown tool '{}'", self.tool),
            Rule::AlwaysAvailable => format!("Tool '{}' is available in every mode", self.tool),
            Rule::Group => format!("Tool group '{group}' is enabled"),
            Rule::FilePattern | Rule::CommandPattern if self.is_allowed() => {
                format!("Tool group '{group}' is enabled for what matches: {limit}")
            }
            Rule::McpFilter if self.is_allowed() => {
                "The MCP server and tool are among what this mode may use".to_owned()
            }
            Rule::GroupDisabled => format!("Tool group '{group}' is not enabled"),
            Rule::OutsideProject => format!("'{path}' is outside the project"),
            Rule::IgnoredFile => format!("'{path}' is hidden by .rooignore"),
            Rule::TargetUnknown if limit.is_empty() => {
                format!(
                    "The call does not say what it would touch, and tool group '{group}' is restricted"
                )
            }
            Rule::CommandPattern => {
                format!("Tool group 'command' is restricted to commands matching: {limit}")
            }
            Rule::TargetUnknown if self.group == Some(Group::Command) => {
                format!("Tool group 'command' is restricted to commands matching: {limit}")
            }
            Rule::FilePattern | Rule::TargetUnknown => {
                format!("Tool group '{group}' is restricted to files matching: {limit}")
            }
            Rule::CommandDeny => format!("Tool group 'command' forbids commands matching: {limit}"),
            Rule::CommandWrite if limit.is_empty() => {
                format!("The command writes '{path}', and tool group 'edit' is not enabled")
            }
            Rule::CommandWrite => {
                format!(
                    "The command writes '{path}', and tool group 'edit' is restricted to files matching: {limit}"
                )
            }
            Rule::CommandOpaque => {
                format!(
                    "It cannot be told which files the command writes ({limit}), and tool group 'edit' is limited"
                )
            }
            Rule::McpFilter => format!("MCP '{limit}' is not among what this mode may use"),
            Rule::ProtectedFile => format!("'{path}' is protected: {limit}"),
        }
    }

    /// What to do next, where something can be done.
    pub fn hint(&self) -> Option<String> {
        let hint = match self.rule {
            Rule::AlwaysAvailable | Rule::Group => return None,
            Rule::UnknownTool => {
                "use a tool that this client offers; `get_mode_info` shows the mode's groups"
                    .to_owned()
            }
            Rule::GroupDisabled | Rule::FilePattern | Rule::CommandWrite => {
                "switch to a mode that may do this, or hand it to a subtask in such a mode"
                    .to_owned()
            }
            Rule::OutsideProject => {
                "name a file inside the project, relative to its root".to_owned()
            }
            Rule::IgnoredFile => {
                "work without this file; its owner keeps it from agents".to_owned()
            }
            Rule::TargetUnknown => {
                "name the file or the command, so that it can be checked".to_owned()
            }
            Rule::CommandPattern | Rule::CommandDeny | Rule::CommandOpaque => {
                "run a single plain command that the mode allows, without redirections".to_owned()
            }
            Rule::McpFilter => "use a server or tool that the mode lists".to_owned(),
            Rule::ProtectedFile => "ask the user to approve the change".to_owned(),
        };
        Some(hint)
    }

    /// The whole sentence that a refused call answers with.
    pub fn sentence(&self, mode: &Mode) -> String {
        let slug = &mode.slug;
        match (&self.path, self.rule) {
            (Some(path), Rule::FilePattern) => {
                let verb = if self.group == Some(Group::Read) {
                    "read"
                } else {
                    "edit"
                };
                let limit = self.restriction.as_deref().unwrap_or_default();
                format!(
                    "Cannot {verb} '{path}' in '{slug}' mode. Only files matching '{limit}' are allowed."
                )
            }
            (Some(path), rule) if rule.concerns_file() => {
                let verb = if self.group == Some(Group::Read) {
                    "read"
                } else {
                    "edit"
                };
                format!(
                    "Cannot {verb} '{path}' in '{slug}' mode. {}.",
                    self.reason()
                )
            }
            _ => format!(
                "Tool '{}' cannot be used in '{slug}' mode. {}.",
                self.tool,
                self.reason()
            ),
        }
    }
}
