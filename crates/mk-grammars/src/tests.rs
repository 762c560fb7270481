//! The packed grammars are those of the grammars' own crates, number by number; and what the build script reads.

mod convert;
mod same;
