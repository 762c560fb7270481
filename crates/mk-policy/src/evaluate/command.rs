//! Shell lines: which commands they run, and which files they would write on the way.

use super::{Case, Decision, Evaluation, Rule};
use crate::command::{self, CommandLine, SimpleCommand};
use crate::group::Group;
use crate::mode::{CommandLimit, Limit};
use crate::tool_table::Access;

impl Case<'_> {
    pub(super) fn command(&self) -> Evaluation {
        let open = self
            .mode
            .grants(Group::Command)
            .any(|grant| grant.commands.is_open());
        let Some(line) = &self.request.call.command else {
            return if open {
                self.decide(Decision::Allow, Rule::Group)
            } else {
                self.deny(Rule::TargetUnknown, None, self.mode.command_restriction())
            };
        };
        let parsed = command::analyse(line);
        if !open {
            let mut refusal = Some(Refusal::Pattern);
            for grant in self.mode.grants(Group::Command) {
                match refuse(&grant.commands, line, &parsed) {
                    None => {
                        refusal = None;
                        break;
                    }
                    // That it was forbidden says more than that it did not match.
                    Some(Refusal::Denied(limit)) => refusal = Some(Refusal::Denied(limit)),
                    Some(Refusal::Pattern) => {}
                }
            }
            match refusal {
                None => {}
                Some(Refusal::Pattern) => {
                    return self.deny(Rule::CommandPattern, None, self.mode.command_restriction());
                }
                Some(Refusal::Denied(limit)) => {
                    return self.deny(Rule::CommandDeny, None, Some(limit));
                }
            }
        }
        if let Some(evaluation) = self.written_files(&parsed) {
            return evaluation;
        }
        if open {
            return self.decide(Decision::Allow, Rule::Group);
        }
        let restriction = self.mode.command_restriction();
        Evaluation {
            restriction,
            ..self.decide(Decision::Allow, Rule::CommandPattern)
        }
    }

    /// What stands in the way of the files that the line names.
    fn written_files(&self, parsed: &CommandLine) -> Option<Evaluation> {
        let targets = self
            .request
            .targets
            .iter()
            .filter(|target| target.raw.in_command);
        if let Some(target) = targets.clone().find(|target| target.ignored) {
            return Some(self.deny(Rule::IgnoredFile, Some(target), None));
        }
        let may_edit_all = self
            .mode
            .grants(Group::Edit)
            .any(|grant| grant.files.is_open());
        let mut writes = targets
            .clone()
            .filter(|target| target.raw.access == Access::Write);
        // A mode that may edit everything may as well use the shell for it; others may not go round their limits.
        if !may_edit_all
            && let Some(target) = writes.find(|target| !self.covers(Group::Edit, target))
        {
            return Some(self.deny(
                Rule::CommandWrite,
                Some(target),
                self.mode.file_restriction(Group::Edit),
            ));
        }
        if !may_edit_all && let Some(why) = parsed.opaque {
            return Some(self.deny(Rule::CommandOpaque, None, Some(why.to_owned())));
        }
        self.protected(targets)
    }
}

enum Refusal {
    Pattern,
    Denied(String),
}

/// What speaks against a line: every command of it must match `commandRegex`, none may match `commandDeny`, and doubt
/// is a refusal.
fn refuse(limit: &CommandLimit, line: &str, parsed: &CommandLine) -> Option<Refusal> {
    let doubtful = !parsed.commands_are_known();
    if let Some(deny) = &limit.deny {
        let hits = |command: &SimpleCommand| {
            deny.may_match(&command.text) || deny.may_match(&command.unquoted())
        };
        if doubtful || deny.may_match(line) || parsed.commands.iter().any(hits) {
            return Some(Refusal::Denied(deny.source().to_owned()));
        }
    }
    if let Some(allow) = &limit.allow {
        let sure = !doubtful && !parsed.commands.is_empty();
        if !sure
            || !parsed
                .commands
                .iter()
                .all(|command| allow.surely_matches(&command.text))
        {
            return Some(Refusal::Pattern);
        }
    }
    None
}

impl crate::mode::Mode {
    /// The commands a mode is restricted to, as one string.
    pub fn command_restriction(&self) -> Option<String> {
        let sources: Option<Vec<&str>> = self
            .grants(Group::Command)
            .map(|grant| grant.commands.allow.as_ref().map(Limit::source))
            .collect();
        match sources?.as_slice() {
            [] => None,
            [only] => Some((*only).to_owned()),
            several => Some(
                several
                    .iter()
                    .map(|it| format!("(?:{it})"))
                    .collect::<Vec<_>>()
                    .join("|"),
            ),
        }
    }
}
