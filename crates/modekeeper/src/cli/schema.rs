//! `modekeeper schema`: JSON Schemas of files that people write. An editor that knows one completes and checks them.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::config::schema;
use crate::output::{print, print_json};

const MODES: &str = include_str!("../../../../content/schemas/modes.schema.json");

/// Print the JSON Schema of a file that you write, for editors
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// Which file
    #[arg(value_enum)]
    file: SchemaOf,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SchemaOf {
    /// Mode files: .roomodes, modes.yaml and their relatives
    Modes,
    /// config.json
    Config,
}

pub(crate) fn run(args: &SchemaArgs) -> anyhow::Result<ExitCode> {
    match args.file {
        SchemaOf::Modes => print(MODES)?,
        SchemaOf::Config => print_json(&schema())?,
    }
    Ok(ExitCode::SUCCESS)
}
