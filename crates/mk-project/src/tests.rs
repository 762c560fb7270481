//! Behaviour of a project on disk, in temporary folders.

mod ignored;
mod random_tree;
mod read;
mod resolve;
mod root;
mod rules;
mod walk;
mod watch;
mod write;
