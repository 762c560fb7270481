//! The mode that fits a keyword: where nothing is to be written, one that cannot write.

use mk_playbook::{KeywordMode, WorkMode};
use mk_policy::{Group, Mode, group_lines};

use crate::{Caller, Engine};

/// A mode and what it allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkingMode {
    pub slug: String,
    /// One line for each group.
    pub may_touch: Vec<String>,
}

/// The mode of the caller's project that fits; for PLAN and EVAL the first that can neither edit nor run commands.
pub(super) fn working_mode(
    engine: &Engine,
    caller: &Caller,
    keyword: KeywordMode,
) -> Option<WorkingMode> {
    let catalogue = engine.modes().catalogue(caller);
    let wanted = catalogue.get(keyword.suggested_mode());
    let only_reads = |mode: &Mode| {
        mode.enables(Group::Read) && !mode.enables(Group::Edit) && !mode.enables(Group::Command)
    };
    let mode = match keyword {
        KeywordMode::Act | KeywordMode::Auto => wanted?,
        KeywordMode::Plan | KeywordMode::Eval => wanted
            .filter(|mode| only_reads(mode))
            .or_else(|| catalogue.visible().find(|mode| only_reads(mode)))?,
    };
    Some(WorkingMode {
        slug: mode.slug.to_string(),
        may_touch: group_lines(mode),
    })
}

/// The keyword of a way of working.
pub(super) fn keyword_of(mode: WorkMode) -> KeywordMode {
    match mode {
        WorkMode::Plan => KeywordMode::Plan,
        WorkMode::Act => KeywordMode::Act,
        WorkMode::Eval => KeywordMode::Eval,
    }
}
