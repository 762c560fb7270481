//! Shell lines: which commands they run, and which files they would write on the way.

use mk_shell::{CommandLine, SimpleCommand, analyse};

use super::{Case, Decision, Evaluation, Rule};
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
                self.deny_unknown(Group::Command)
            };
        };
        let parsed = analyse(line);
        if !open && let Some(evaluation) = self.refused_commands(line, &parsed) {
            return evaluation;
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

    /// The first command that no grant covers, or that the line may hold more commands than can be seen.
    fn refused_commands(&self, line: &str, parsed: &CommandLine) -> Option<Evaluation> {
        for command in &parsed.commands {
            let mut denied = None;
            let covered = self.mode.grants(Group::Command).any(|grant| {
                match refuse(&grant.commands, line, command) {
                    None => true,
                    Some(Refusal::Pattern) => false,
                    Some(Refusal::Denied(limit)) => {
                        denied = Some(limit);
                        false
                    }
                }
            });
            if covered {
                continue;
            }
            // That it was forbidden says more than that it did not match.
            return Some(match denied {
                Some(limit) => self.deny(Rule::CommandDeny, None, Some(limit.source().to_owned())),
                None => self.deny(Rule::CommandPattern, None, self.mode.command_restriction()),
            });
        }
        if !parsed.commands_are_known() {
            let why = parsed.opaque.map(str::to_owned);
            return Some(self.deny(Rule::CommandOpaque, None, why));
        }
        let unlimited = |limit: &CommandLimit| limit.allow.is_none();
        let needs_match = !self
            .mode
            .grants(Group::Command)
            .any(|grant| unlimited(&grant.commands));
        (needs_match && parsed.commands.is_empty())
            .then(|| self.deny(Rule::CommandPattern, None, self.mode.command_restriction()))
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

/// Why a grant does not cover a command.
enum Refusal<'a> {
    Pattern,
    Denied(&'a Limit),
}

/// What speaks against a command: it must match `commandRegex`, and neither it nor the line may match `commandDeny`.
/// Doubt is a refusal, and quotes change nothing: `git diff"tool"` is `git difftool`.
fn refuse<'a>(limit: &'a CommandLimit, line: &str, command: &SimpleCommand) -> Option<Refusal<'a>> {
    let unquoted = command.unquoted();
    let hits = |deny: &&Limit| {
        [line, &command.text, &unquoted]
            .into_iter()
            .any(|text| deny.may_match(text))
    };
    if let Some(deny) = limit.deny.as_ref().filter(hits) {
        return Some(Refusal::Denied(deny));
    }
    let misses =
        |allow: &Limit| !allow.surely_matches(&command.text) || !allow.surely_matches(&unquoted);
    limit
        .allow
        .as_ref()
        .is_some_and(misses)
        .then_some(Refusal::Pattern)
}
