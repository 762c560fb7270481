//! `cargo xtask dist`: the binary as it is published, its size and checksum. It uploads nothing.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use sha2::{Digest as _, Sha256};

use crate::workspace;

pub(crate) fn run() -> Result<ExitCode> {
    let path = workspace::build(&["--profile", "dist", "--package", "modekeeper"])?;
    let bytes = std::fs::read(&path)?;
    let mut checksum = String::new();
    for byte in Sha256::digest(&bytes) {
        write!(checksum, "{byte:02x}")?;
    }
    println!("path    {}", path.display());
    println!("size    {} bytes", bytes.len());
    println!("sha256  {checksum}");
    Ok(ExitCode::SUCCESS)
}
