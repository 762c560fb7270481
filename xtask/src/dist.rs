//! `cargo xtask dist`: the binary as it is published, static and stripped, its size and checksum. It uploads nothing.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use sha2::{Digest as _, Sha256};

use crate::workspace;

pub(crate) fn run() -> Result<ExitCode> {
    let arguments = "--profile dist --package modekeeper --config .cargo/static.toml";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let path = workspace::build(&arguments)?;
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
