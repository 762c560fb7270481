//! Behaviour of a project on disk, in temporary folders.

mod backup;
mod beneath;
mod file;
mod find;
mod grove;
mod hooks;
mod ignored;
mod inspect;
mod journal;
mod memory;
mod project;
mod random_tree;
mod read;
mod resolve;
mod root;
mod rules;
mod search;
mod shown;
mod walk;
mod watch;
mod write;
