//! Symbols with the real language servers, through the built binary as a person installs it.

mod custom;
mod exact;
mod example;
mod fresh;
mod install;
mod lifetime;
mod partial;
mod permission;
mod restart;
mod without;
mod world;

pub(super) use world::text;
