//! The MCP face: wire to tools and engine, on stdio, Streamable HTTP and the older SSE.
//!
//! Knows nothing of SQL, files or rules. `README.md` beside this file explains the two eras of the protocol.

mod approval;
mod connection;
mod era;
mod error;
mod guard;
mod handler;
pub mod http;
mod lift;
mod listen;
mod progress;
mod prompt;
mod resource;
mod roots;
mod tool;
pub mod transport;

#[cfg(test)]
mod tests;

pub use connection::{Connection, McpServer};
pub use handler::Handler;
pub use lift::Lift;
