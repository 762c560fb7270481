//! Evaluations in words: the reason, what would help, and the sentence an error carries.

use super::{Decision, Evaluation, Rule};
use crate::group::Group;
use crate::mode::Mode;
use crate::tool_table::Access;

impl Decision {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Unproven => "unproven",
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
            Self::CommandRead => "command-read",
            Self::CommandUnproven => "command-unproven",
            Self::CommandTooLarge => "command-too-large",
            Self::OperatorCommand => "operator-command",
            Self::Secret => "secret",
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
                | Self::CommandRead
                | Self::Secret
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
                "The call does not say what it would touch".to_owned()
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
            Rule::CommandRead if limit.is_empty() => {
                format!("The command reads '{path}', and tool group 'read' is not enabled")
            }
            Rule::CommandRead => {
                format!(
                    "The command reads '{path}', and tool group 'read' is restricted to files matching: {limit}"
                )
            }
            Rule::CommandUnproven => {
                format!("Cannot determine what this command would do: {limit}")
            }
            Rule::CommandTooLarge => {
                "The call is too long, or names more files than can be checked in time".to_owned()
            }
            Rule::OperatorCommand => {
                format!("'{limit}' is for the user to run, not for an agent")
            }
            Rule::Secret => format!("'{path}' holds credentials or private state: {limit}"),
            Rule::McpFilter => format!("MCP '{limit}' is not among what this mode may use"),
            Rule::ProtectedFile => format!("'{path}' is protected: {limit}"),
        }
    }

    /// What to do next, where something can be done.
    pub fn hint(&self) -> Option<String> {
        let hint = match self.rule {
            Rule::AlwaysAvailable | Rule::Group => return None,
            _ if self.is_allowed() => return None,
            Rule::UnknownTool => {
                "use a tool that this client offers; `get_mode_info` shows the mode's groups"
            }
            Rule::GroupDisabled | Rule::FilePattern | Rule::CommandWrite | Rule::CommandRead => {
                "switch to a mode that may do this, or hand it to a subtask in such a mode"
            }
            Rule::OutsideProject if self.decision == Decision::Ask => {
                "write inside the project, or ask the user to approve it"
            }
            Rule::OutsideProject => "name a file inside the project, relative to its root",
            Rule::IgnoredFile => "work without this file; its owner keeps it from agents",
            Rule::TargetUnknown => "name the file, command or MCP tool, so that it can be checked",
            Rule::CommandPattern | Rule::CommandDeny => "run only commands that the mode allows",
            Rule::CommandUnproven => {
                "write it as plain commands with the files written out, or ask the user to approve it"
            }
            Rule::CommandTooLarge => "split it into smaller calls",
            Rule::OperatorCommand => "ask the user to run it in a terminal of their own",
            Rule::Secret => "work without this file",
            Rule::McpFilter => "use a server or tool that the mode lists",
            Rule::ProtectedFile => "ask the user to approve the change",
        };
        Some(match &self.description {
            Some(description) => format!("the mode says: {description}; {hint}"),
            None => hint.to_owned(),
        })
    }

    /// The whole sentence that a call answers with when it is refused. `mode` is the one that the agent is in.
    pub fn sentence(&self, mode: &Mode) -> String {
        let slug = &mode.slug;
        let place = if self.mode == mode.slug {
            format!("in '{slug}' mode")
        } else {
            format!("in '{slug}' mode under the bound '{}'", self.mode)
        };
        let verb = match self.access {
            Some(Access::Read) => "read",
            Some(Access::Mention) => "use",
            Some(Access::Write) | None => "edit",
        };
        match (&self.path, self.rule) {
            _ if self.is_allowed() => format!("{}.", self.reason()),
            (Some(path), Rule::FilePattern) => {
                let limit = self.restriction.as_deref().unwrap_or_default();
                format!(
                    "Cannot {verb} '{path}' {place}. Only files matching '{limit}' are allowed."
                )
            }
            (Some(path), Rule::ProtectedFile | Rule::OutsideProject)
                if self.decision == Decision::Ask =>
            {
                format!(
                    "Cannot {verb} '{path}' {place} without approval. {}.",
                    self.reason()
                )
            }
            (Some(path), rule) if rule.concerns_file() => {
                format!("Cannot {verb} '{path}' {place}. {}.", self.reason())
            }
            _ => format!(
                "Tool '{}' cannot be used {place}. {}.",
                self.tool,
                self.reason()
            ),
        }
    }
}
