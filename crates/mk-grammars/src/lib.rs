//! Grammars of tree-sitter that are large and rarely needed, in a form that takes little room: the binary holds their
//! parse tables packed, and unpacks a grammar's tables into memory when it is first asked for. A grammar that is never
//! asked for takes neither memory nor time.
//!
//! Each constant stands for the `LANGUAGE` of the grammar's own crate, and is used like it. `build.rs` makes them out of
//! that crate's sources, and the tests compare the two.
//!
//! It knows nothing of files and symbols; which file is in which language is for mk-symbols to say.

#[cfg(test)]
mod convert;
#[expect(
    unsafe_code,
    reason = "the tables belong to C code, which reads them once they are filled"
)]
mod packed;
#[cfg(test)]
mod tests;

pub use packed::{C_SHARP, CPP, DART, ELIXIR, HASKELL, KOTLIN, PHP, RUBY, SCALA, SWIFT};
