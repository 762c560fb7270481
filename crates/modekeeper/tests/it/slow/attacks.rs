//! The attack corpus of `tests/attacks/`: what a mode forbids is tried, and the files say whether it happened.
//!
//! A verdict is asked for first, of every line. What was allowed really runs in bash in a throw-away project; if it does
//! harm, it has broken through. Of what was refused, lines drawn by a seed run as well, so that the corpus does not fill
//! with lines that do nothing; `attacks_whole` runs them all.

mod calls;
mod everyday;
pub(super) mod shell;
mod world;
