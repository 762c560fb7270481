//! Behaviour of the policy, from patterns to whole modes.

mod catalogue;
mod command;
mod evaluate;
mod fixture;
mod mode_file;
mod pattern;
mod permit;
mod policy_docs;
mod prompt;
mod properties;
mod tool_table;
mod wording;
