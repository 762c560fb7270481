//! Modes and rules: given a mode and a call, a decision with its reasons.
//!
//! Pure: no files, no clock, no protocol. What it is given decides what it answers.

mod catalogue;
mod evaluate;
mod group;
mod mode;
mod mode_file;
mod permit;
mod prompt;
mod protected;
mod rights;
mod shipped;
mod switching;
mod tool_table;

pub use catalogue::{Catalogue, ModeLayer};
pub use evaluate::{
    DecidingRule, Decision, Evaluation, ExistingFile, NamedFiles, Policy, Request, ResolvedTarget,
    agents_may_call, could_allow, evaluate, evaluate_bounded, evaluate_from_outside, may_read,
};
pub use group::Group;
// Faces see this crate's words and none below, and loading answers with these.
pub use mk_document::{Diagnostic, DiagnosticSubject, DocumentPosition, Severity};
pub use mk_shell::{ANYTHING, Form, NameExtent, SOME_NAME};
pub use mode::{CommandLimit, FileLimit, Grant, HeldBack, HeldWhy, Mode, ModeSource, PatternLimit};
pub use mode_file::{
    AutoApprove, ExampleFile, GroupFile, GroupOptions, LegibleFile, LoadedFile, McpFilter,
    ModeFile, load_modes,
};
pub use permit::{Authority, Permit};
pub use prompt::{RulesSection, assemble_prompt, group_lines};
pub use protected::ProtectedFiles;
pub use rights::{GitReach, NetworkReach};
pub use switching::{Switching, widens};
pub use tool_table::{PathAccess, RawTarget, ToolReach, ToolShape, ToolTable};

#[cfg(test)]
mod tests;
