//! Modekeeper's command line: parse, log, one `match`, an exit code.

mod cli;
mod config;
mod env;
mod log;
mod output;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::Cli;
use crate::env::Env;

fn main() -> ExitCode {
    let arguments = Cli::parse();
    let outcome = cli::run(arguments, &Env::read());
    log::finish();
    match outcome {
        Ok(code) => code,
        Err(error) => {
            output::print_error(&error);
            ExitCode::FAILURE
        }
    }
}
