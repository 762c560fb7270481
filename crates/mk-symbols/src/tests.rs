//! Tests of the crate, by subject.

mod edit;
mod find;
mod hostile;
mod index;
mod language;
mod map;
mod reference;
mod refresh;
mod structure;
mod table;
