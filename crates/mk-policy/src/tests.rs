//! Behaviour of the policy, from patterns to whole modes.

mod command;
mod pattern;
