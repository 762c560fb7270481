//! What the atlas says.

mod atlas;
mod hook;
mod install;
mod settings;
