//! `cargo xtask tidy`: what the compiler does not check about the tree. It changes nothing.

pub(crate) mod function;
pub(crate) mod layer;
pub(crate) mod map;
pub(crate) mod means;
pub(crate) mod named;
pub(crate) mod package;
pub(crate) mod promise;
pub(crate) mod source;
pub(crate) mod suite;
pub(crate) mod type_name;
pub(crate) mod waiting;
pub(crate) mod word;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

use crate::codegen::{self, BinaryArgs};
use crate::{train, workspace};

/// What is wrong, and what soon will be.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) problems: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

pub(crate) fn run(args: &BinaryArgs) -> Result<ExitCode> {
    let findings = check(&args.path()?)?;
    for warning in &findings.warnings {
        println!("warning: {warning}");
    }
    for problem in &findings.problems {
        println!("error: {problem}");
    }
    println!(
        "tidy: {}, {}",
        counted(findings.problems.len(), "error"),
        counted(findings.warnings.len(), "warning")
    );
    Ok(ExitCode::from(u8::from(!findings.problems.is_empty())))
}

fn counted(count: usize, name: &str) -> String {
    match count {
        1 => format!("1 {name}"),
        _ => format!("{count} {name}s"),
    }
}

/// Everything; the test of this crate calls it too.
pub(crate) fn check(binary: &Path) -> Result<Findings> {
    let members = workspace::members()?;
    let crates = layer::crates(&members)?;
    let mut findings = Findings {
        problems: layer::check(&crates),
        warnings: Vec::new(),
    };
    findings.problems.extend(package::undescribed(&members));
    let packages = package::packages(&workspace::packages()?)?;
    findings.problems.extend(package::check(&packages));
    let mut files = Vec::new();
    for path in workspace::files()? {
        if let Some(text) = workspace::text(&path)? {
            files.push((path, text));
        }
    }
    source::check(&files, &mut findings);
    findings.problems.extend(function::check(&files));
    findings.problems.extend(suite::check(&files));
    findings.problems.extend(waiting::check(&files));
    findings.problems.extend(promise::check(&files));
    findings.problems.extend(map::check(&files));
    findings.problems.extend(means::check(&files));
    findings.problems.extend(type_name::check(&files));
    findings.problems.extend(word::check(&files));
    let names: Vec<String> = crates.into_iter().map(|it| it.name).collect();
    findings.problems.extend(named::check(&files, &names));
    findings.problems.extend(codegen::stale(binary)?);
    findings.problems.extend(train::stale(workspace::root())?);
    Ok(findings)
}
