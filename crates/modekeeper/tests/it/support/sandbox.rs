//! The sandbox of mk-testkit, and the binary that this package builds.

pub(crate) use mk_testkit::sandbox::{Ran, Sandbox, bare_command, overwrite, run, set_mode};

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_modekeeper");
