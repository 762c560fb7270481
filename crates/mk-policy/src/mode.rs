//! A mode that is valid and ready to decide: every limit is there, parsed, and knows where it came from.
//!
//! How it came about (files, layers, inheritance) is [`crate::catalogue`]'s business.

use std::sync::Arc;

use globset::GlobMatcher;
use mk_document::DocumentPosition;
use mk_jsregex::Pattern;
use mk_types::ModeSlug;

use crate::group::Group;
use crate::mode_file::{AutoApprove, McpFilter};

/// Who an agent is and what it may touch.
#[derive(Debug, Clone)]
pub struct Mode {
    pub slug: ModeSlug,
    pub name: String,
    pub source: ModeSource,
    /// The file that defines it, as a person would name it.
    pub file: String,
    pub description: Option<String>,
    pub when_to_use: Option<String>,
    pub role_definition: String,
    pub custom_instructions: Option<String>,
    /// In the order of the file; several grants of one group add up.
    pub grants: Vec<Arc<Grant>>,
    pub mcp: McpFilter,
    /// Modes it may switch or delegate to; `None` for any.
    pub switch_to: Option<Vec<String>>,
    /// Left out of lists and prompts, still usable by its slug.
    pub hidden: bool,
    pub model: Option<String>,
    pub auto_approve: Option<AutoApprove>,
    /// Rules that came inside the mode: name and text.
    pub rules_files: Vec<(String, String)>,
    /// Keys we do not know, as JSON, in the order of the file.
    pub unknown: serde_json::Map<String, serde_json::Value>,
    /// What its file says, where less than that is in force.
    pub held_back: Option<Arc<HeldBack>>,
}

/// A mode as its file has it, and why it may do less.
#[derive(Debug)]
pub struct HeldBack {
    pub wanted: Mode,
    pub why: HeldWhy,
}

/// Why a mode may do less than its file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeldWhy {
    /// The text allows more than before, and no person has trusted it.
    Untrusted,
    /// This file cannot be read, and may have narrowed the mode.
    BrokenFile(String),
    /// What it was allowed to do before is unknown for now.
    UnknownBefore,
}

/// Where a mode comes from, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ModeSource {
    Builtin,
    Global,
    Project,
}

impl ModeSource {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Global => "global",
            Self::Project => "project",
        }
    }
}

/// One entry of `groups`: the group, and what narrows it.
#[derive(Debug)]
pub struct Grant {
    pub group: Group,
    pub files: FileLimit,
    pub commands: CommandLimit,
    pub mcp: McpFilter,
    pub description: Option<String>,
}

/// Which files a grant covers: all parts must agree; without any, every file.
#[derive(Debug)]
pub struct FileLimit {
    pub regex: Option<PatternLimit>,
    /// One of them must match.
    pub globs: Vec<GlobMatcher>,
    /// Where the limit stands in its file.
    pub position: DocumentPosition,
}

/// Which shell lines a grant covers.
#[derive(Debug, Default)]
pub struct CommandLimit {
    pub allow: Option<PatternLimit>,
    pub deny: Option<PatternLimit>,
}

/// A pattern, or what stands in its place when it is valid JavaScript that we cannot run: it denies.
#[derive(Debug)]
pub enum PatternLimit {
    Pattern(Pattern),
    Unusable { source: String },
}

impl PatternLimit {
    pub fn source(&self) -> &str {
        match self {
            Self::Pattern(pattern) => pattern.source(),
            Self::Unusable { source } => source,
        }
    }

    /// Whether the subject certainly matches: doubt counts as no.
    pub(crate) fn surely_matches(&self, subject: &str) -> bool {
        match self {
            Self::Pattern(pattern) => pattern.is_match(subject).unwrap_or(false),
            Self::Unusable { .. } => false,
        }
    }

    /// Whether the subject may match: doubt counts as yes.
    pub(crate) fn may_match(&self, subject: &str) -> bool {
        match self {
            Self::Pattern(pattern) => pattern.is_match(subject).unwrap_or(true),
            Self::Unusable { .. } => true,
        }
    }
}

impl FileLimit {
    pub fn is_open(&self) -> bool {
        self.regex.is_none() && self.globs.is_empty()
    }

    pub fn covers(&self, path: &str) -> bool {
        let regex = self
            .regex
            .as_ref()
            .is_none_or(|limit| limit.surely_matches(path));
        regex && (self.globs.is_empty() || self.globs.iter().any(|glob| glob.is_match(path)))
    }

    /// The limit as one line: the pattern, the globs, or both.
    pub fn show(&self) -> Option<String> {
        let globs: Vec<&str> = self.globs.iter().map(|glob| glob.glob().glob()).collect();
        let globs = (!globs.is_empty()).then(|| globs.join(", "));
        match (self.regex.as_ref().map(PatternLimit::source), globs) {
            (Some(regex), Some(globs)) => Some(format!("{regex} and {globs}")),
            (Some(regex), None) => Some(regex.to_owned()),
            (None, globs) => globs,
        }
    }
}

impl CommandLimit {
    pub fn is_open(&self) -> bool {
        self.allow.is_none() && self.deny.is_none()
    }

    fn show(&self) -> Option<String> {
        let source = |limit: &Option<PatternLimit>| limit.as_ref().map(|it| it.source().to_owned());
        match (source(&self.allow), source(&self.deny)) {
            (Some(allow), Some(deny)) => Some(format!("{allow} but not {deny}")),
            (None, Some(deny)) => Some(format!("all but {deny}")),
            (allow, None) => allow,
        }
    }
}

/// One pattern that matches where one of several does.
fn join_patterns(patterns: &[impl AsRef<str>]) -> Option<String> {
    match patterns {
        [] => None,
        [only] => Some(only.as_ref().to_owned()),
        several => {
            let grouped = several.iter().map(|it| format!("(?:{})", it.as_ref()));
            Some(grouped.collect::<Vec<_>>().join("|"))
        }
    }
}

impl Mode {
    pub fn grants(&self, group: Group) -> impl Iterator<Item = &Grant> {
        self.grants
            .iter()
            .map(Arc::as_ref)
            .filter(move |grant| grant.group == group)
    }

    pub fn enables(&self, group: Group) -> bool {
        self.grants(group).next().is_some()
    }

    /// Groups in the order of the file, each once.
    pub fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for grant in &self.grants {
            if !groups.contains(&grant.group) {
                groups.push(grant.group);
            }
        }
        groups
    }

    /// The files a group is restricted to, as one string; `None` when it is not restricted.
    ///
    /// Several patterns join as `(?:a)|(?:b)`, so that the string is again a pattern with the same meaning. With globs
    /// among them there is no such pattern.
    pub fn file_restriction(&self, group: Group) -> Option<String> {
        let limits: Option<Vec<String>> =
            self.grants(group).map(|grant| grant.files.show()).collect();
        let limits = limits?;
        if self.grants(group).all(|grant| grant.files.globs.is_empty()) {
            join_patterns(&limits)
        } else {
            Some(limits.join(" or "))
        }
    }

    /// The patterns commands must match, as one string; `None` when some grant has none.
    pub fn command_restriction(&self) -> Option<String> {
        let sources: Option<Vec<&str>> = self
            .grants(Group::Command)
            .map(|grant| grant.commands.allow.as_ref().map(PatternLimit::source))
            .collect();
        join_patterns(&sources?)
    }

    /// What limits a group, as one line for people.
    pub fn restriction(&self, group: Group) -> Option<String> {
        let parts = |part: fn(&Grant) -> Option<String>| -> Option<Vec<String>> {
            self.grants(group).map(part).collect()
        };
        match group {
            Group::Command
                if self
                    .grants(group)
                    .any(|grant| grant.commands.deny.is_some()) =>
            {
                parts(|grant| grant.commands.show()).map(|parts| parts.join(" or "))
            }
            Group::Command => self.command_restriction(),
            Group::Mcp => {
                let grants = parts(|grant| grant.mcp.show()).map(|parts| parts.join(" or "));
                let both: Vec<String> = self.mcp.show().into_iter().chain(grants).collect();
                (!both.is_empty()).then(|| both.join("; "))
            }
            Group::Read | Group::Edit | Group::Browser | Group::Modes => {
                self.file_restriction(group)
            }
        }
    }

    /// What the author says about a group's restriction.
    pub fn group_description(&self, group: Group) -> Option<&str> {
        self.grants(group)
            .find_map(|grant| grant.description.as_deref())
    }

    /// The same of all grants, for where there is room.
    pub(crate) fn descriptions(&self, group: Group) -> Option<String> {
        let said: Vec<&str> = self
            .grants(group)
            .filter_map(|grant| grant.description.as_deref())
            .collect();
        (!said.is_empty()).then(|| said.join(", "))
    }

    /// Takes away everything but reading: what is left of a mode that a file which cannot be read may have narrowed.
    pub(crate) fn make_read_only(&mut self) {
        self.grants.retain(|grant| grant.group == Group::Read);
        self.auto_approve = None;
    }

    /// The same, because of a file; what it would be otherwise is remembered for its refusals.
    pub(crate) fn hold_to_reading(&mut self, file: &str) {
        let wanted = self.clone();
        self.make_read_only();
        self.hold_back(wanted, HeldWhy::BrokenFile(file.to_owned()));
    }

    /// Remembers what the mode would be; the first reason stays.
    pub(crate) fn hold_back(&mut self, wanted: Self, why: HeldWhy) {
        if self.held_back.is_none() {
            self.held_back = Some(Arc::new(HeldBack { wanted, why }));
        }
    }

    /// The same mode with nothing but its right to read.
    #[must_use]
    pub fn read_only(&self) -> Self {
        let mut mode = self.clone();
        mode.make_read_only();
        mode
    }

    /// Whether this mode may hand over to `slug`.
    pub fn may_switch_to(&self, slug: &ModeSlug) -> bool {
        match &self.switch_to {
            None => true,
            Some(names) => names
                .iter()
                .any(|name| name == "*" || name == slug.as_str()),
        }
    }
}
