//! The attack corpus of `tests/attacks/`: what a mode forbids is tried, and the files say whether it happened.
//!
//! A verdict is asked for first; then the line really runs in bash in a throw-away project, whatever the verdict was.
//! What was allowed and did harm has broken through. That a refused line would have done harm is counted as well, so
//! that the corpus does not fill with lines that do nothing.

mod calls;
mod everyday;
mod shell;
mod world;
