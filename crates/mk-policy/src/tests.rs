//! Behaviour of the policy, from patterns to whole modes.

mod catalogue;
mod evaluate;
mod fixture;
mod mode_file;
mod permit;
mod policy_docs;
mod prompt;
mod properties;
mod rights;
mod shell;
mod tool_table;
mod wording;
