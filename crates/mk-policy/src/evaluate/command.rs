//! Shell lines: which commands they run, and which files they use on the way.
//!
//! 1. What is an operator's alone is denied.
//! 2. Where commands are limited, every command must be covered, and all of them must be known.
//! 3. Credentials and hidden files are neither read nor written.
//! 4. A file is written only where the mode may edit it, and read only where a limited mode may read it. Outside the
//!    project, writing is asked for where everything may be edited, and denied elsewhere.
//! 5. A protected file is written only with approval.
//! 6. Where edits or reads are limited, a line that cannot be followed is unproven. Everywhere, what it mentions counts
//!    as used.

use mk_shell::{CommandLine, Form, NameExtent, Records, RoamingReads, SOME_NAME, SimpleCommand};
use mk_types::{PathError, ProjectPath};

use super::{
    DecidingRule, Decision, Evaluation, EvaluationCase, HOOK, NamedFiles, ResolvedTarget, operator,
};
use crate::group::Group;
use crate::mode::{CommandLimit, PatternLimit};
use crate::tool_table::PathAccess;

/// What builds and tests of each language begin with.
const BUILD_FILES: &[&str] = &[
    "Makefile",
    "package.json",
    "vite.config.js",
    "jest.config.ts",
    "Cargo.toml",
    "build.rs",
    "setup.py",
    "conftest.py",
    "pyproject.toml",
    "pytest.ini",
    "tox.ini",
    "noxfile.py",
    "go.mod",
    "main_test.go",
    "build.gradle",
    "build.gradle.kts",
    "pom.xml",
    "build.sbt",
    "CMakeLists.txt",
    "Rakefile",
    "Gemfile",
    "justfile",
    "Taskfile.yml",
    "composer.json",
    "mix.exs",
    "Package.swift",
    "app.csproj",
];

const UNKNOWN_FILE: &str = "a file is named by an expansion";
const BY_PATTERN: &str = "a file is named by a pattern";
const MAY_HIDE: &str = "there are too many files to tell whether hidden ones are among them";

impl EvaluationCase<'_> {
    pub(super) fn command(&self) -> Evaluation {
        let open = self
            .mode
            .grants(Group::Command)
            .any(|grant| grant.commands.is_open());
        let (Some(text), Some(line)) = (&self.request.call.command, &self.request.line) else {
            return if open {
                self.decide(Decision::Allow, DecidingRule::Group)
            } else {
                self.deny_unknown(Group::Command)
            };
        };
        if let Some(command) = operator::called(line) {
            return self.deny(DecidingRule::OperatorCommand, None, Some(command));
        }
        if !open && let Some(evaluation) = self.refused_commands(text, line) {
            return evaluation;
        }
        if let Some(evaluation) = self.refused_files(line) {
            return evaluation;
        }
        if open {
            return self.decide(Decision::Allow, DecidingRule::Group);
        }
        let restriction = self.mode.command_restriction();
        Evaluation {
            restriction,
            ..self.decide(Decision::Allow, DecidingRule::CommandPattern)
        }
    }

    /// What the mode says about the files of a line that runs elsewhere.
    pub(super) fn use_of_files(&self, line: &CommandLine) -> Evaluation {
        let allowed = || self.decide(Decision::Allow, DecidingRule::Group);
        self.refused_files(line).unwrap_or_else(allowed)
    }

    /// What stands most in the way of the files that a line uses.
    fn refused_files(&self, line: &CommandLine) -> Option<Evaluation> {
        let refused = self.used_files().into_iter().chain(self.unproven(line));
        // The strictest decides, and of equals the first.
        refused.reduce(|strictest, next| {
            if next.decision > strictest.decision {
                next
            } else {
                strictest
            }
        })
    }

    /// The first command that no grant covers, or that the line may hold more commands than can be seen.
    fn refused_commands(&self, line: &str, parsed: &CommandLine) -> Option<Evaluation> {
        for command in &parsed.commands {
            let mut denied = None;
            let covered = self.mode.grants(Group::Command).any(|grant| {
                match refuse(&grant.commands, line, command) {
                    None => true,
                    Some(CommandRefusal::Pattern) => false,
                    Some(CommandRefusal::Denied(limit)) => {
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
                Some(limit) => self.deny(
                    DecidingRule::CommandDeny,
                    None,
                    Some(limit.source().to_owned()),
                ),
                None => self.deny(
                    DecidingRule::CommandPattern,
                    None,
                    self.mode.command_restriction(),
                ),
            });
        }
        if let Some(reason) = parsed.doubt_about_commands() {
            return Some(self.deny(DecidingRule::CommandUnproven, None, Some(reason.to_owned())));
        }
        let unlimited = |limit: &CommandLimit| limit.allow.is_none();
        let needs_match = !self
            .mode
            .grants(Group::Command)
            .any(|grant| unlimited(&grant.commands));
        (needs_match && parsed.commands.is_empty()).then(|| {
            self.deny(
                DecidingRule::CommandPattern,
                None,
                self.mode.command_restriction(),
            )
        })
    }

    /// What stands in the way of the files that the line uses: the first denial, or whatever else there is.
    fn used_files(&self) -> Vec<Evaluation> {
        let mut found = Vec::new();
        for target in self.request.targets.iter().filter(|it| it.raw.in_command) {
            let refused = match target.raw.access {
                PathAccess::Write => self.written(target),
                PathAccess::Read => self.read(target),
                PathAccess::Mention => self.mentioned(target),
                PathAccess::Run => self.run(target),
                PathAccess::Obey => self.obeyed(target),
            };
            if let Some(evaluation) = refused {
                let is_final = evaluation.decision == Decision::Deny;
                found.push(evaluation);
                if is_final {
                    break;
                }
            }
        }
        found
    }

    fn unproven(&self, line: &CommandLine) -> Option<Evaluation> {
        let reason = line.doubt.map(mk_shell::Doubt::reason);
        let roams = (line.roams == RoamingReads::Yes)
            .then_some("the program reads files that it does not name");
        let records = (line.records == Records::Yes && !self.mode.enables(Group::Edit))
            .then_some("the command changes the repository");
        let reason = match (self.may_edit_all(), self.may_read_all()) {
            (_, false) => reason.or(roams).or(records),
            (false, true) => reason.or(records),
            (true, true) => None,
        };
        reason.map(|reason| self.unproven_because(reason, None))
    }

    fn unproven_because(&self, reason: &str, target: Option<&ResolvedTarget>) -> Evaluation {
        Evaluation {
            decision: Decision::Unproven,
            ..self.deny(
                DecidingRule::CommandUnproven,
                target,
                Some(reason.to_owned()),
            )
        }
    }

    fn ask(
        &self,
        rule: DecidingRule,
        target: &ResolvedTarget,
        restriction: Option<&str>,
    ) -> Evaluation {
        Evaluation {
            decision: Decision::Ask,
            ..self.deny(rule, Some(target), restriction.map(str::to_owned))
        }
    }

    fn may_edit_all(&self) -> bool {
        let mut grants = self.mode.grants(Group::Edit);
        grants.any(|grant| grant.files.is_open())
    }

    fn may_read_all(&self) -> bool {
        let mut grants = self.mode.grants(Group::Read);
        grants.any(|grant| grant.files.is_open())
    }

    fn secret(&self, target: &ResolvedTarget) -> Option<Evaluation> {
        let secrets = &self.policy.secrets;
        let extent = target.raw.extent;
        // A project's own directories hold what its ignore file does not hide.
        let with_all = extent == NameExtent::Below && target.path.is_err();
        let why = |path: &str| match with_all {
            _ if path.is_empty() => None,
            false => secrets.why_itself(path),
            true => secrets.why(path),
        };
        let written = target.written();
        let reason = match target.raw.form {
            Form::Exact => why(target.raw.path.trim_start_matches("./")),
            // What a wildcard stands for in the project can be seen on disk.
            Form::Pattern => match (&target.path, &target.found) {
                (Ok(_), NamedFiles::These(found)) if !names_dot(written) => {
                    let mut found = found.iter();
                    found.find_map(|found| secrets.why_itself(found.path.as_str()))
                }
                _ => secrets.why_any(written, extent),
            },
            Form::Unknown => None,
        };
        let home = (extent == NameExtent::Below && is_home(target))
            .then_some("credentials are among what is in this directory");
        let reason = reason.or(home);
        let reason = reason.or_else(|| why(target.path.as_ref().ok()?.as_str()));
        reason.map(|reason| self.deny(DecidingRule::Secret, Some(target), Some(reason.to_owned())))
    }

    fn written(&self, target: &ResolvedTarget) -> Option<Evaluation> {
        if target.raw.form == Form::Unknown {
            return Some(self.unproven_because(UNKNOWN_FILE, None));
        }
        if let Some(evaluation) = self.secret(target) {
            return Some(evaluation);
        }
        let may_edit_all = self.may_edit_all();
        let Ok(path) = &target.path else {
            // A pattern, or a directory around the project, may lead back into it.
            if is_temporary(target) && target.found.iter().next().is_none() {
                return self.may_hide(target);
            }
            return Some(if may_edit_all {
                self.ask(DecidingRule::OutsideProject, target, None)
            } else {
                self.deny(DecidingRule::OutsideProject, Some(target), None)
            });
        };
        if target.ignored || target.hides_something() {
            return Some(self.deny(DecidingRule::IgnoredFile, Some(target), None));
        }
        if !may_edit_all {
            let covers = |path: &ProjectPath| {
                let mut grants = self.mode.grants(Group::Edit);
                grants.any(|grant| grant.files.covers(path.as_str()))
            };
            let found = target.found.iter();
            if !covers(path) || !found.clone().all(|found| covers(&found.path)) {
                let limit = self.mode.file_restriction(Group::Edit);
                return Some(self.deny(DecidingRule::CommandWrite, Some(target), limit));
            }
            let is_one = target.raw.form == Form::Exact && target.raw.extent == NameExtent::Itself;
            if !is_one && !target.found.are_known() {
                return Some(self.unproven_because(BY_PATTERN, Some(target)));
            }
        }
        self.protected_target(target)
            .map(|reason| self.ask(DecidingRule::ProtectedFile, target, Some(reason)))
            .or_else(|| self.may_hide(target))
    }

    fn may_hide(&self, target: &ResolvedTarget) -> Option<Evaluation> {
        let is_unknown = matches!(target.found, NamedFiles::MayHide);
        is_unknown.then(|| self.unproven_because(MAY_HIDE, Some(target)))
    }

    fn read(&self, target: &ResolvedTarget) -> Option<Evaluation> {
        let may_read_all = self.may_read_all();
        if target.raw.form == Form::Unknown {
            return (!may_read_all || target.ignored)
                .then(|| self.unproven_because(UNKNOWN_FILE, None));
        }
        if let Some(evaluation) = self.secret(target) {
            return Some(evaluation);
        }
        if target.ignored {
            return Some(self.deny(DecidingRule::IgnoredFile, Some(target), None));
        }
        if target.hides_something() {
            // A pattern names what it matches; a directory is named for what is in it besides.
            return Some(match target.raw.extent {
                NameExtent::Itself => self.deny(DecidingRule::IgnoredFile, Some(target), None),
                NameExtent::Below => self
                    .unproven_because("hidden files are among those that are read", Some(target)),
            });
        }
        if may_read_all {
            return self.may_hide(target);
        }
        let covers = |path: &ProjectPath| {
            let mut grants = self.mode.grants(Group::Read);
            grants.any(|grant| grant.files.covers(path.as_str()))
        };
        let found = target.found.iter();
        let is_one = target.raw.form == Form::Exact && target.raw.extent == NameExtent::Itself;
        let covered = match (&target.path, &target.found) {
            (Err(_), _) => false,
            (Ok(_), NamedFiles::These(_)) if !is_one => {
                found.clone().all(|found| covers(&found.path))
            }
            (Ok(path), _) => covers(path),
        };
        if !covered {
            let limit = self.mode.file_restriction(Group::Read);
            return Some(self.deny(DecidingRule::CommandRead, Some(target), limit));
        }
        let is_unseen = target.raw.form == Form::Pattern && !target.found.are_known();
        is_unseen.then(|| self.unproven_because(BY_PATTERN, Some(target)))
    }

    /// Where edits or reads are limited, nothing runs that the agent may have written itself: what is outside the
    /// project, where anyone writes, and what a build begins with, where the mode may edit that.
    fn run(&self, target: &ResolvedTarget) -> Option<Evaluation> {
        if let Some(evaluation) = self.obeyed(target) {
            return Some(evaluation);
        }
        if self.may_edit_all() {
            return None;
        }
        let directory = target.path.as_ref().ok()?;
        let may_edit = |name: &&str| {
            let name = match directory.as_str() {
                "" => (*name).to_owned(),
                directory => format!("{directory}/{name}"),
            };
            let mut grants = self.mode.grants(Group::Edit);
            grants.any(|grant| grant.files.covers(&name))
        };
        let mut grants = self.mode.grants(Group::Edit);
        let is_own = grants.any(|grant| grant.files.covers(directory.as_str()));
        let begins = is_own || BUILD_FILES.iter().any(may_edit);
        begins.then(|| self.unproven_because("the mode may edit what this runs", Some(target)))
    }

    fn obeyed(&self, target: &ResolvedTarget) -> Option<Evaluation> {
        if self.may_edit_all() && self.may_read_all() {
            return None;
        }
        (target.path.is_err() || target.raw.form == Form::Unknown)
            .then(|| self.unproven_because("code outside the project would run", Some(target)))
    }

    /// What a line in doubt names may be read or written by it.
    fn mentioned(&self, target: &ResolvedTarget) -> Option<Evaluation> {
        let is_root = target.path.as_ref().is_ok_and(ProjectPath::is_root);
        if target.raw.form == Form::Unknown || is_root {
            return None;
        }
        if let Some(evaluation) = self.secret(target) {
            return Some(evaluation);
        }
        if target.ignored || target.hides_something() {
            return Some(self.deny(DecidingRule::IgnoredFile, Some(target), None));
        }
        let reason = self.protected_target(target);
        let reason = reason.filter(|_| self.mode.enables(Group::Edit));
        reason
            .map(|reason| self.ask(DecidingRule::ProtectedFile, target, Some(reason)))
            .or_else(|| self.may_hide(target))
    }

    /// Why a file that a target could be is protected.
    fn protected_target(&self, target: &ResolvedTarget) -> Option<&str> {
        let protected = &self.policy.protected;
        let found = target.found.iter();
        let mut found = found.filter_map(|found| protected.why(found.path.as_str()));
        let path = target.path.as_ref().ok();
        match target.raw.form {
            Form::Exact => path.and_then(|path| protected.why(path.as_str())),
            // Whether there is a file for a wildcard can be seen on disk, unless its name is half written out.
            Form::Pattern if !target.found.are_known() || names_dot(target.written()) => {
                protected.why_any(target.written(), NameExtent::Below)
            }
            Form::Pattern | Form::Unknown => None,
        }
        .or_else(|| found.next())
        .or_else(|| target.is_hook.then_some(HOOK))
    }
}

impl ResolvedTarget {
    /// A pattern as it is written from the root: how the directories above that are called says nothing about it.
    fn written(&self) -> &str {
        let path = self.path.as_ref();
        path.map_or(self.raw.path.as_str(), ProjectPath::as_str)
    }

    fn hides_something(&self) -> bool {
        self.found.iter().any(|found| found.ignored)
    }
}

/// Whether a part of a pattern begins with a dot, or is made by the line rather than found on disk.
fn names_dot(pattern: &str) -> bool {
    pattern
        .split('/')
        .any(|part| part.len() > 1 && part.starts_with('.') && part != "..")
        || pattern.contains(SOME_NAME) && !pattern.contains(ANY_DEPTH)
}

/// Stands in what `find` and `grep -l` print, and that is only what is there.
const ANY_DEPTH: &str = "\u{2}\u{2}";

/// Whether a path outside the project is somebody's home, or holds them all.
fn is_home(target: &ResolvedTarget) -> bool {
    let parts: Vec<&str> = target
        .raw
        .path
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    target.path.is_err()
        && matches!(
            parts.as_slice(),
            [] | ["~" | "home" | "root" | "Users"] | ["home" | "Users", _] | ["~", ".config"]
        )
}

/// Whether a path outside the project is in a directory for temporary files.
fn is_temporary(target: &ResolvedTarget) -> bool {
    const DIRECTORIES: &[&str] = &["/tmp/", "/var/tmp/", "/private/tmp/", "/dev/shm/"];
    let path = target.raw.path.as_str();
    let outside = matches!(target.path, Err(PathError::Escapes(_)));
    let below = DIRECTORIES
        .iter()
        .any(|directory| path.starts_with(directory));
    outside && below && !path.split('/').any(|part| part == "..")
}

/// Why a grant does not cover a command.
enum CommandRefusal<'a> {
    Pattern,
    Denied(&'a PatternLimit),
}

/// What speaks against a command: it must match `commandRegex`, and neither it nor the line may match `commandDeny`.
/// Doubt is a refusal, and quotes change nothing: `git diff"tool"` is `git difftool`.
fn refuse<'a>(
    limit: &'a CommandLimit,
    line: &str,
    command: &SimpleCommand,
) -> Option<CommandRefusal<'a>> {
    let unquoted = command.unquoted();
    let hits = |deny: &&PatternLimit| {
        [line, &command.text, &unquoted]
            .into_iter()
            .any(|text| deny.may_match(text))
    };
    if let Some(deny) = limit.deny.as_ref().filter(hits) {
        return Some(CommandRefusal::Denied(deny));
    }
    let misses = |allow: &PatternLimit| {
        !allow.surely_matches(&command.text) || !allow.surely_matches(&unquoted)
    };
    limit
        .allow
        .as_ref()
        .is_some_and(misses)
        .then_some(CommandRefusal::Pattern)
}
