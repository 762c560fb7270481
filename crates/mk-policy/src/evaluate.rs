//! The one decision of the product: may this mode make this call? Used for lists, calls, hooks and advice alike.
//!
//! Pure: links have been followed and ignore files read before ([`Target`]); asking a person comes after.

mod command;
mod mcp;
mod operator;
mod wording;

pub use operator::agents_may_call;

use std::sync::Arc;

use mk_shell::{CommandLine, MOST_FILES, ProgramTable, Size, analyse};
use mk_types::{AbsPath, ModeSlug, PathError, ProjectPath, ToolCall};

use crate::group::Group;
use crate::mode::{HeldBack, HeldWhy, Mode};
use crate::protected::ProtectedFiles;
use crate::shipped::PROGRAMS;
use crate::tool_table::{PathAccess, RawTarget, ToolReach, ToolTable};

/// Why a hook is protected, wherever the repository keeps its hooks.
const HOOK: &str = "hooks that Git runs";

/// What evaluation knows beside the mode: the tools there are, and the files that are nobody's to change.
#[derive(Debug)]
pub struct Policy {
    pub tools: ToolTable,
    pub protected: ProtectedFiles,
    /// Credentials, and what is Modekeeper's own.
    pub secrets: ProtectedFiles,
    pub programs: ProgramTable,
}

/// A call with its targets resolved.
#[derive(Debug, Clone)]
pub struct Request {
    pub call: ToolCall,
    /// The call's shell line, taken apart.
    pub line: Option<CommandLine>,
    pub targets: Vec<ResolvedTarget>,
}

/// A path of a call after links were followed.
#[derive(Debug, Clone)]
pub struct ResolvedTarget {
    pub raw: RawTarget,
    pub path: Result<ProjectPath, PathError>,
    /// Whether the project's ignore file hides it. For what could be any file: whether it hides anything.
    pub ignored: bool,
    /// Whether Git would run it: its configuration takes hooks from there.
    pub is_hook: bool,
    /// The files of the project that a pattern matches, or that are in a directory that is meant as a whole.
    pub found: NamedFiles,
}

/// The files that a name stands for.
#[derive(Debug, Clone)]
pub enum NamedFiles {
    /// They were not looked for, or there are too many names to look at, and nothing is hidden.
    Unknown,
    /// There are too many names to look at, and hidden files may be among them.
    MayHide,
    These(Vec<ExistingFile>),
}

impl NamedFiles {
    pub fn iter(&self) -> std::slice::Iter<'_, ExistingFile> {
        match self {
            Self::These(files) => files.iter(),
            Self::Unknown | Self::MayHide => [].iter(),
        }
    }

    pub fn are_known(&self) -> bool {
        matches!(self, Self::These(_))
    }
}

/// A file that is there.
#[derive(Debug, Clone)]
pub struct ExistingFile {
    pub path: ProjectPath,
    pub ignored: bool,
}

/// May it? Ordered by strictness, so that the strictest of several answers is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    Allow,
    /// It cannot be told what it would do: only inside the wall, or if a person agrees.
    Unproven,
    /// Only if a person agrees.
    Ask,
    Deny,
}

/// The rule that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidingRule {
    UnknownTool,
    AlwaysAvailable,
    GroupDisabled,
    OutsideProject,
    IgnoredFile,
    TargetUnknown,
    FilePattern,
    CommandPattern,
    CommandDeny,
    CommandWrite,
    CommandRead,
    CommandUnproven,
    CommandTooLarge,
    OperatorCommand,
    Secret,
    McpFilter,
    ProtectedFile,
    Group,
}

/// A decision and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    pub decision: Decision,
    pub rule: DecidingRule,
    /// The mode that decided: the task's, or the bound of its endpoint.
    pub mode: ModeSlug,
    pub tool: String,
    pub group: Option<Group>,
    /// The target that decided, as written.
    pub path: Option<String>,
    /// What would be done to that target.
    pub access: Option<PathAccess>,
    /// The limit that decided: a pattern, a server's name, why a file is protected.
    pub restriction: Option<String>,
    /// The limit in its author's words.
    pub description: Option<String>,
    /// Why the mode does not have what its file says, where that would allow the call.
    pub held_back: Option<HeldWhy>,
}

/// Decides about a call.
///
/// 1. A tool nobody knows is denied.
/// 2. A tool that every mode has is allowed.
/// 3. A tool whose group the mode does not enable is denied.
/// 4. A path that leaves the project, or that an ignore file hides, is denied, whatever the mode says. So is a call
///    whose targets cannot be read from its arguments, or that names more of them than are looked at.
/// 5. A limited group allows what at least one of its grants covers: files by pattern and glob, commands by
///    `commandRegex` and `commandDeny`, MCP tools by the filters. A target that cannot be told is not covered.
///    Every path and every command of the call must be covered. A shell line may read, write and leave the project
///    only as the mode may: see `evaluate/command.rs`.
/// 6. A protected file may be changed only with approval.
/// 7. Everything else that the group covers is allowed.
pub fn evaluate(policy: &Policy, mode: &Mode, request: &Request) -> Evaluation {
    let evaluation = evaluate_in_force(policy, mode, request);
    let held = mode.held_back.as_ref();
    let held = held.filter(|_| evaluation.decision == Decision::Deny);
    let would_allow = |held: &&Arc<HeldBack>| {
        evaluate_in_force(policy, &held.wanted, request).decision < Decision::Deny
    };
    Evaluation {
        held_back: held.filter(would_allow).map(|held| held.why.clone()),
        ..evaluation
    }
}

/// Decides about a call from outside of the mode's project. Where a line runs, it is decided whether it may: here, only
/// the files count that it uses.
pub fn evaluate_from_outside(policy: &Policy, mode: &Mode, request: &Request) -> Evaluation {
    let case = EvaluationCase {
        policy,
        mode,
        request,
        group: Some(Group::Command),
    };
    match &request.line {
        Some(line) if request.call.command.is_some() && line.size == Size::Fits => {
            case.use_of_files(line)
        }
        _ => evaluate(policy, mode, request),
    }
}

fn evaluate_in_force(policy: &Policy, mode: &Mode, request: &Request) -> Evaluation {
    let mut case = EvaluationCase {
        policy,
        mode,
        request,
        group: None,
    };
    match policy.tools.group_of(&request.call.tool) {
        None => case.decide(Decision::Deny, DecidingRule::UnknownTool),
        Some(None) => case.decide(Decision::Allow, DecidingRule::AlwaysAvailable),
        Some(Some(group)) => {
            case.group = Some(group);
            if mode.enables(group) {
                case.in_group(group)
            } else {
                case.decide(Decision::Deny, DecidingRule::GroupDisabled)
            }
        }
    }
}

/// Decides under two modes at once: an endpoint's mode is an upper bound for the task's.
pub fn evaluate_bounded(
    policy: &Policy,
    mode: &Mode,
    bound: Option<&Mode>,
    request: &Request,
) -> Evaluation {
    let own = evaluate(policy, mode, request);
    match bound.map(|bound| evaluate(policy, bound, request)) {
        Some(upper) if upper.decision > own.decision => upper,
        _ => own,
    }
}

/// Whether the modes let an agent read a file: what walks and searches leave out.
pub fn may_read(mode: &Mode, bound: Option<&Mode>, path: &str) -> bool {
    let covered = |mode: &Mode| {
        mode.grants(Group::Read)
            .any(|grant| grant.files.covers(path))
    };
    covered(mode) && bound.is_none_or(covered)
}

/// Whether any call of the tool could be allowed: what lists may leave out, calls would deny.
pub fn could_allow(policy: &Policy, mode: &Mode, tool: &str) -> bool {
    match policy.tools.group_of(tool) {
        None => false,
        Some(None) => true,
        Some(Some(group)) => mode.enables(group),
    }
}

impl Policy {
    pub fn shipped() -> Self {
        Self {
            tools: ToolTable::foreign(),
            protected: ProtectedFiles::shipped(),
            secrets: ProtectedFiles::secrets(),
            programs: PROGRAMS,
        }
    }

    /// A call with its shell line taken apart and its targets resolved. The resolver may stop: then the call
    /// counts as one that is too large to be looked at.
    pub fn request(
        &self,
        call: ToolCall,
        resolve: impl FnMut(RawTarget) -> Option<ResolvedTarget>,
    ) -> Request {
        let start = call.directory.as_deref().unwrap_or_default();
        let line = call
            .command
            .as_ref()
            .map(|line| analyse(self.programs, line, start));
        let targets = self.tools.targets(&call, line.as_ref());
        // What is refused for its size is not looked at.
        let fits =
            targets.len() <= MOST_FILES && line.as_ref().is_none_or(|line| line.size == Size::Fits);
        let targets: Option<Vec<ResolvedTarget>> = fits
            .then(|| targets.into_iter().map(resolve).collect())
            .flatten();
        let line = line.or_else(|| targets.is_none().then(CommandLine::default));
        let line = line.map(|line| CommandLine {
            size: match targets {
                Some(_) => Size::Fits,
                None => Size::TooLarge,
            },
            ..line
        });
        Request {
            call,
            line,
            targets: targets.unwrap_or_default(),
        }
    }

    /// A request whose paths are taken as they are written: no disk, no links.
    pub fn lexical(&self, call: ToolCall, root: &AbsPath) -> Request {
        self.request(call, |raw| Some(ResolvedTarget::lexical(raw, root)))
    }
}

impl ResolvedTarget {
    pub fn lexical(raw: RawTarget, root: &AbsPath) -> Self {
        Self {
            path: ProjectPath::parse(&raw.path, root),
            raw,
            ignored: false,
            is_hook: false,
            found: NamedFiles::Unknown,
        }
    }
}

impl Evaluation {
    pub fn is_allowed(&self) -> bool {
        self.decision == Decision::Allow
    }
}

/// One evaluation under way.
struct EvaluationCase<'a> {
    policy: &'a Policy,
    mode: &'a Mode,
    request: &'a Request,
    group: Option<Group>,
}

impl<'a> EvaluationCase<'a> {
    fn decide(&self, decision: Decision, rule: DecidingRule) -> Evaluation {
        Evaluation {
            decision,
            rule,
            mode: self.mode.slug.clone(),
            tool: self.request.call.tool.clone(),
            group: self.group,
            path: None,
            access: None,
            restriction: None,
            description: None,
            held_back: None,
        }
    }

    fn deny(
        &self,
        rule: DecidingRule,
        target: Option<&ResolvedTarget>,
        restriction: Option<String>,
    ) -> Evaluation {
        let limited = match rule {
            DecidingRule::CommandWrite => Some(Group::Edit),
            DecidingRule::CommandRead => Some(Group::Read),
            _ => self.group.filter(|_| restriction.is_some()),
        };
        Evaluation {
            path: target.map(|target| target.raw.path.clone()),
            access: target.map(|target| target.raw.access),
            restriction,
            description: limited.and_then(|group| self.mode.descriptions(group)),
            ..self.decide(Decision::Deny, rule)
        }
    }

    fn deny_unknown(&self, group: Group) -> Evaluation {
        let restriction = match group {
            Group::Command => self.mode.command_restriction(),
            group => self.mode.file_restriction(group),
        };
        self.deny(DecidingRule::TargetUnknown, None, restriction)
    }

    fn in_group(&self, group: Group) -> Evaluation {
        let is_too_large = |line: &CommandLine| line.size == Size::TooLarge;
        if self.request.line.as_ref().is_some_and(is_too_large) {
            return self.deny(DecidingRule::CommandTooLarge, None, None);
        }
        for target in self
            .request
            .targets
            .iter()
            .filter(|target| !target.raw.in_command)
        {
            if target.path.is_err() {
                return self.deny(DecidingRule::OutsideProject, Some(target), None);
            }
            if target.ignored {
                return self.deny(DecidingRule::IgnoredFile, Some(target), None);
            }
        }
        if self.request.call.targets_unknown {
            return self.deny_unknown(group);
        }
        match group {
            Group::Read | Group::Edit => self.files(group),
            Group::Command => self.command(),
            Group::Mcp => self.mcp(),
            Group::Browser | Group::Modes => self.decide(Decision::Allow, DecidingRule::Group),
        }
    }

    fn files(&self, group: Group) -> Evaluation {
        let targets = &self.request.targets;
        if targets.is_empty()
            && self.policy.tools.reach(&self.request.call.tool) == ToolReach::NoFiles
        {
            return self.decide(Decision::Allow, DecidingRule::Group);
        }
        let open = self.mode.grants(group).any(|grant| grant.files.is_open());
        let restriction = || self.mode.file_restriction(group);
        if !open && targets.is_empty() {
            return self.deny_unknown(group);
        }
        if !open && let Some(target) = targets.iter().find(|target| !self.covers(group, target)) {
            return self.deny(DecidingRule::FilePattern, Some(target), restriction());
        }
        if let Some(evaluation) = self.protected(targets.iter()) {
            return evaluation;
        }
        if open {
            return self.decide(Decision::Allow, DecidingRule::Group);
        }
        Evaluation {
            restriction: restriction(),
            ..self.decide(Decision::Allow, DecidingRule::FilePattern)
        }
    }

    /// Whether some grant of the group covers a target.
    fn covers(&self, group: Group, target: &ResolvedTarget) -> bool {
        let Ok(path) = &target.path else { return false };
        self.mode
            .grants(group)
            .any(|grant| grant.files.covers(path.as_str()))
    }

    fn protected(
        &self,
        mut targets: impl Iterator<Item = &'a ResolvedTarget>,
    ) -> Option<Evaluation> {
        targets.find_map(|target| {
            let path = target
                .path
                .as_ref()
                .ok()
                .filter(|_| target.raw.access == PathAccess::Write)?;
            let reason = self.policy.protected.why(path.as_str());
            let reason = reason.or_else(|| target.is_hook.then_some(HOOK))?;
            Some(Evaluation {
                path: Some(target.raw.path.clone()),
                access: Some(target.raw.access),
                restriction: Some(reason.to_owned()),
                ..self.decide(Decision::Ask, DecidingRule::ProtectedFile)
            })
        })
    }
}
