//! What the workspace does to itself: checks, generated documents, measurements, the published binary.
//!
//! Nothing here is part of the product, which is used from outside, as a built binary.
//! `train` alone links a crate of it, because a model must see prompts in training as it does at work.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a tool for developers: no protocol on stdout, no projects to keep apart"
)]

mod bench;
mod codegen;
mod dist;
mod peer;
mod tidy;
mod train;
mod workspace;

#[cfg(test)]
mod tests;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Checks, documents, measures and packs the workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Check layers, headers, sizes, leftovers and generated documents; also a test of this crate
    Tidy(codegen::BinaryArgs),
    /// Write docs/reference/ from what the built binary says about itself
    Codegen(codegen::CodegenArgs),
    /// Measure the budgets, beside a bare rmcp server
    Bench(bench::BenchArgs),
    /// Make the vocabulary and the skill model in content/model/ from the rest of content/
    Train,
    /// Build what is published: archives, npm packages, wheels, a bill of materials and checksums
    Dist(dist::DistArgs),
}

fn main() -> ExitCode {
    let ended = match Cli::parse().task {
        Task::Tidy(args) => tidy::run(&args),
        Task::Codegen(args) => codegen::run(&args),
        Task::Bench(args) => bench::run(&args),
        Task::Train => train::run(),
        Task::Dist(args) => dist::run(&args),
    };
    match ended {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
