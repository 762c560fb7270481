//! Tests of the wall. Each runs real commands; what must not happen inside is first shown to happen outside.
#![cfg(target_os = "linux")]

mod attack;
mod clerk;
mod door;
mod everyday;
mod fixture;
mod git;
mod message;
mod seatbelt;
mod spawn;
