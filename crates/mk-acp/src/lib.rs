//! The ACP face: a proxy between an editor and its agent, which gives the agent the user's own modes.
//!
//! Lines go through as they came, unless they are about modes, permissions, files or terminals. What a call may do is the
//! engine's answer, the same that the agent's hook gets: both share a conversation by the agent's own session id.
//! It does not know policy, and it writes into no file but a trace and the names of sessions that were begun again.

mod access;
mod agent;
mod alias;
mod ask;
mod editor;
mod error;
mod grant;
mod line;
mod message;
mod names;
mod open;
mod passthrough;
mod permission;
mod pin;
mod plan;
mod policy;
mod process;
mod prompt;
mod proxy;
mod restart;
mod server;
mod session;
mod shown;
pub mod stdio;
mod title;
mod trace;
mod watch;

pub use error::Error;
pub use process::{AgentCommand, RunningAgent, start};
pub use proxy::{
    EditorAttend, EditorAttendance, Exit, LaunchAgent, Options, OwnServer, Relay, run,
};

#[cfg(test)]
mod tests;
