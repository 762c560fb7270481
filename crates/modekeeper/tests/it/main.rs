//! Modekeeper from outside: the built binary over pipes, sockets, HTTP and the command line.
//!
//! Few and black box: what a crate can see by itself is tested there. Tests under `slow` run in the nextest profile
//! `ci`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on panics, and says what it measured"
)]

mod access;
mod approval;
mod broken_modes;
mod cli;
mod documents;
mod escape;
mod hook;
mod hostile;
mod http;
mod kept;
mod lifetime;
mod never_wider;
mod place;
mod slow;
mod stdio;
mod support;
mod wall;
mod watch;
