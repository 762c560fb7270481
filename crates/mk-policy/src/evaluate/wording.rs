//! Evaluations in words: the reason, what would help, and the sentence an error carries.

use super::{DecidingRule, Decision, Evaluation};
use crate::group::Group;
use crate::mode::{HeldWhy, Mode};
use crate::tool_table::PathAccess;

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

impl DecidingRule {
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
            DecidingRule::UnknownTool => format!("Unknown tool '{}'", self.tool),
            DecidingRule::AlwaysAvailable => {
                format!("Tool '{}' is available in every mode", self.tool)
            }
            DecidingRule::Group => format!("Tool group '{group}' is enabled"),
            DecidingRule::FilePattern | DecidingRule::CommandPattern if self.is_allowed() => {
                format!("Tool group '{group}' is enabled for what matches: {limit}")
            }
            DecidingRule::McpFilter if self.is_allowed() => {
                "The mode allows this MCP server and tool".to_owned()
            }
            DecidingRule::GroupDisabled => format!("Tool group '{group}' is not enabled"),
            DecidingRule::OutsideProject => format!("'{path}' is outside the project"),
            DecidingRule::IgnoredFile => format!("'{path}' is hidden by .rooignore"),
            DecidingRule::TargetUnknown if limit.is_empty() => {
                "The call does not say what it would touch".to_owned()
            }
            DecidingRule::CommandPattern => {
                format!("Tool group 'command' is restricted to commands matching: {limit}")
            }
            DecidingRule::TargetUnknown if self.group == Some(Group::Command) => {
                format!("Tool group 'command' is restricted to commands matching: {limit}")
            }
            DecidingRule::FilePattern | DecidingRule::TargetUnknown => {
                format!("Tool group '{group}' is restricted to files matching: {limit}")
            }
            DecidingRule::CommandDeny => {
                format!("Tool group 'command' forbids commands matching: {limit}")
            }
            DecidingRule::CommandWrite => self.reason_of_access("writes", Group::Edit),
            DecidingRule::CommandRead => self.reason_of_access("reads", Group::Read),
            DecidingRule::CommandUnproven => {
                format!("Cannot determine what this command would do: {limit}")
            }
            DecidingRule::CommandTooLarge => {
                "The call is too long, or names more files than can be checked in time".to_owned()
            }
            DecidingRule::OperatorCommand => {
                format!("'{limit}' is for the user to run, not for an agent")
            }
            DecidingRule::Secret => format!("'{path}' holds credentials or private state: {limit}"),
            DecidingRule::McpFilter => {
                format!("This mode does not allow the MCP server or tool '{limit}'")
            }
            DecidingRule::ProtectedFile => format!("'{path}' is protected: {limit}"),
        }
    }

    /// A command needs the group that a tool for the same file would need.
    fn reason_of_access(&self, does: &str, group: Group) -> String {
        let path = self.path.as_deref().unwrap_or_default();
        match self.restriction.as_deref().unwrap_or_default() {
            "" => format!("The command {does} '{path}', and tool group '{group}' is not enabled"),
            limit => format!(
                "The command {does} '{path}', and tool group '{group}' is restricted to files matching: {limit}"
            ),
        }
    }

    /// What to do next, where something can be done.
    pub fn hint(&self) -> Option<String> {
        let slug = &self.mode;
        match &self.held_back {
            Some(HeldWhy::Untrusted) => {
                return Some(format!(
                    "the mode's file allows this, but its wider text waits for trust: a person can look at it and run `modekeeper modes trust {slug}`"
                ));
            }
            Some(HeldWhy::BrokenFile(file)) => {
                return Some(format!(
                    "`{file}` cannot be read, so '{slug}' may only read until it is fixed: `modekeeper modes lint` shows what is wrong"
                ));
            }
            Some(HeldWhy::UnknownBefore) => {
                return Some(format!(
                    "Modekeeper cannot read what '{slug}' was allowed to do before, so it may only read for now: `modekeeper doctor` shows what is wrong"
                ));
            }
            None => {}
        }
        let hint = match self.rule {
            DecidingRule::AlwaysAvailable | DecidingRule::Group => return None,
            _ if self.is_allowed() => return None,
            DecidingRule::UnknownTool => "use a tool that this client offers",
            DecidingRule::GroupDisabled
            | DecidingRule::FilePattern
            | DecidingRule::CommandWrite
            | DecidingRule::CommandRead => {
                "switch to a mode that may do this, or hand it to a subtask in such a mode"
            }
            DecidingRule::OutsideProject if self.decision == Decision::Ask => {
                "write inside the project, or ask the user to approve it"
            }
            DecidingRule::OutsideProject => "name a file inside the project, relative to its root",
            DecidingRule::IgnoredFile => "work without this file; its owner keeps it from agents",
            DecidingRule::TargetUnknown => {
                "name the file, command or MCP tool, so that it can be checked"
            }
            DecidingRule::CommandPattern | DecidingRule::CommandDeny => {
                "run only commands that the mode allows"
            }
            DecidingRule::CommandUnproven => {
                "write it as plain commands with the files written out, or ask the user to approve it"
            }
            DecidingRule::CommandTooLarge => "split it into smaller calls",
            DecidingRule::OperatorCommand => "ask the user to run it in a terminal of their own",
            DecidingRule::Secret => "work without this file",
            DecidingRule::McpFilter => "use a server or tool that the mode lists",
            DecidingRule::ProtectedFile => "ask the user to approve the change",
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
            Some(PathAccess::Read) => "read",
            Some(PathAccess::Mention | PathAccess::Obey) => "use",
            Some(PathAccess::Run) => "run",
            Some(PathAccess::Write) | None => "edit",
        };
        match (&self.path, self.rule) {
            _ if self.is_allowed() => format!("{}.", self.reason()),
            (Some(path), DecidingRule::FilePattern) => {
                let limit = self.restriction.as_deref().unwrap_or_default();
                format!(
                    "Cannot {verb} '{path}' {place}. Only files matching '{limit}' are allowed."
                )
            }
            (Some(path), DecidingRule::ProtectedFile | DecidingRule::OutsideProject)
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
