//! A command held by the kernel: whatever a program does, only what the mode allows is changed.
//!
//! Three layers. The *floor* is a Landlock ruleset that is never wider than the mode. The *doors* are a seccomp filter
//! that refuses what Landlock leaves open. The *clerk* answers single calls for paths that the mode allows: it only
//! opens holes in a floor that refuses, so its bugs mean «refused».
//!
//! This crate is given rights, paths and a function that decides about a path. It knows no mode, session or protocol.

#[cfg(target_os = "linux")]
mod clerk;
#[cfg(target_os = "linux")]
mod cover;
#[cfg(target_os = "linux")]
mod door;
#[cfg(target_os = "linux")]
mod environment;
mod error;
pub mod exit_code;
#[cfg(target_os = "linux")]
mod floor;
#[cfg(target_os = "linux")]
mod git;
#[cfg(target_os = "linux")]
mod guest;
#[cfg(target_os = "linux")]
mod hide;
#[cfg(target_os = "linux")]
mod hold;
#[cfg(target_os = "linux")]
mod probe;
#[cfg(target_os = "linux")]
mod report;
mod rights;
#[cfg(target_os = "linux")]
mod run;
mod seatbelt;
#[cfg(target_os = "linux")]
mod supervise;
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "no library offers the filter's notifications, another process's memory, fork and pre_exec safely"
)]
mod sys;
#[cfg(target_os = "linux")]
mod watch;

pub use error::Error;
#[cfg(target_os = "linux")]
pub use guest::{Farewell, sweep};
#[cfg(target_os = "linux")]
pub use probe::{Probe, WallFinding, holds, is_inside, probe};
#[cfg(target_os = "linux")]
pub use report::{Paths, RefusedAttempt, RefusedOperation, WallReport};
pub use rights::{
    Background, EditRights, FileBeforeChange, Git, Kernel, Links, Network, PreImageJournal,
    Require, Right, Rights,
};
#[cfg(target_os = "linux")]
pub use run::{Supervised, Supervision, WallHold, WallOutcome, run, supervise};
pub use seatbelt::{SeatbeltEdit, SeatbeltGrant, SeatbeltRights};
#[cfg(target_os = "linux")]
pub use sys::leave;

/// Whether this process is inside a wall of ours; there is none on this system.
#[cfg(not(target_os = "linux"))]
pub fn is_inside() -> bool {
    false
}

/// Whether commands can be held here; they cannot on this system.
#[cfg(not(target_os = "linux"))]
pub fn holds() -> bool {
    false
}

#[cfg(test)]
mod tests;
