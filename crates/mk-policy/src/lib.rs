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
mod shipped;
mod switching;
mod tool_table;

pub use catalogue::{Catalogue, Layer};
pub use evaluate::{
    Decision, Evaluation, Found, Policy, Request, Rule, Target, agents_may_call, could_allow,
    evaluate, evaluate_bounded, may_read,
};
pub use group::Group;
// Faces see this crate's words and none below, and loading answers with these.
pub use mk_document::{Diagnostic, Position, Severity, Subject};
pub use mk_shell::{ANYTHING, Extent, Form, SOME_NAME};
pub use mode::{CommandLimit, FileLimit, Grant, Limit, Mode, Source};
pub use mode_file::{
    AutoApprove, ExampleFile, GroupFile, GroupOptions, Legible, LoadedFile, McpFilter, ModeFile,
    load_modes,
};
pub use permit::{Authority, Permit};
pub use prompt::{RulesSection, assemble_prompt, group_lines};
pub use protected::Protected;
pub use switching::{Switching, widens};
pub use tool_table::{Access, RawTarget, Reach, ToolShape, ToolTable};

#[cfg(test)]
mod tests;
