//! Changing modes: who may go where, and whether a change gives more rights than before.

use globset::GlobMatcher;

use crate::group::Group;
use crate::mode::{Grant, Mode, PatternLimit};
use crate::mode_file::McpFilter;

/// How freely agents may change their mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Switching {
    #[default]
    Free,
    /// A change that widens waits for a person.
    AskToWiden,
    /// No change at all.
    Locked,
}

impl Switching {
    pub const ALL: [Self; 3] = [Self::Free, Self::AskToWiden, Self::Locked];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::AskToWiden => "ask_to_widen",
            Self::Locked => "locked",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|switching| switching.as_str() == text)
    }
}

/// Whether `to` may do something that `from` may not be relied on to forbid.
///
/// It does not widen only if every group it enables was enabled before, unrestricted or with the identical restriction.
pub fn widens(from: &Mode, to: &Mode) -> bool {
    to.groups()
        .into_iter()
        .any(|group| !includes(from, to, group))
}

/// Whether a group of `to` is within what `from` allows.
pub(crate) fn includes(from: &Mode, to: &Mode, group: Group) -> bool {
    let filters = group != Group::Mcp || from.mcp == McpFilter::default() || from.mcp == to.mcp;
    let open = from.grants(group).any(is_open);
    let same = || {
        let (from, to): (Vec<_>, Vec<_>) =
            (from.grants(group).collect(), to.grants(group).collect());
        from.len() == to.len() && from.iter().zip(&to).all(|(from, to)| is_same(from, to))
    };
    filters && from.enables(group) && (open || same())
}

fn is_open(grant: &Grant) -> bool {
    grant.files.is_open() && grant.commands.is_open() && grant.mcp == McpFilter::default()
}

fn is_same(from: &Grant, to: &Grant) -> bool {
    let text = |limit: &Option<PatternLimit>| limit.as_ref().map(|limit| limit.source().to_owned());
    text(&from.files.regex) == text(&to.files.regex)
        && from.files.globs.iter().map(GlobMatcher::glob).eq(to
            .files
            .globs
            .iter()
            .map(GlobMatcher::glob))
        && text(&from.commands.allow) == text(&to.commands.allow)
        && text(&from.commands.deny) == text(&to.commands.deny)
        && from.mcp == to.mcp
}
