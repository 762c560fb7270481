//! What the atlas says.

mod atlas;
mod editor;
mod hook;
mod install;
mod settings;
mod trust;
