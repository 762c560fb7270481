//! What this build is: `cargo xtask dist` says the commit and the target, and any other build says that it cannot.

use std::env::consts::{ARCH, OS};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const COMMIT: Option<&str> = option_env!("MODEKEEPER_COMMIT");
const TARGET: Option<&str> = option_env!("MODEKEEPER_TARGET");

/// What `--version --verbose` prints.
pub(crate) fn verbose() -> String {
    let commit = COMMIT.unwrap_or("unknown: not built by `cargo xtask dist`");
    let target = TARGET.map_or_else(|| format!("{ARCH}-{OS}"), str::to_owned);
    format!("modekeeper {VERSION}\ncommit: {commit}\ntarget: {target}\n")
}
