//! What the atlas says.

mod atlas;
mod hook;
