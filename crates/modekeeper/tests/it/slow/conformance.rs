//! The official conformance suite against the fixture, which is built on the transport stack of the product.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use super::tools::repository;
use crate::support::sandbox::{BINARY, bare_command, run};

#[test]
fn of_2025_11_25() {
    check("2025-11-25");
}

#[test]
fn of_2026_07_28() {
    check("2026-07-28");
}

#[track_caller]
fn check(requirements: &str) {
    let (mut fixture, url) = start();
    let mut suite = bare_command(repository().join("tests/conformance/run.sh"), &repository());
    let ran = run(suite.args([&url, requirements]));
    fixture.kill().unwrap();
    fixture.wait().unwrap();
    eprint!("{}", ran.stdout);
    assert!(ran.status.success(), "{}\n{}", ran.stdout, ran.stderr);
}

/// The fixture on a free port, and where it is.
fn start() -> (Child, String) {
    let program = fixture();
    assert!(
        program.is_file(),
        "build it: cargo build -p modekeeper --example conformance ({})",
        program.display()
    );
    let mut child = bare_command(&program, &repository())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let url = line
        .split_whitespace()
        .find(|word| word.starts_with("http://"));
    let url = url
        .unwrap_or_else(|| panic!("no address in {line:?}"))
        .to_owned();
    (child, url)
}

/// Beside the product's binary.
fn fixture() -> PathBuf {
    Path::new(BINARY).with_file_name("examples/conformance")
}
