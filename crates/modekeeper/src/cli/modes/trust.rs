//! `modekeeper modes trust`: a person agrees to what a project's mode file wants.

use std::process::ExitCode;

use clap::Args;
use mk_engine::ProjectWatching;
use mk_types::ModeSlug;
use serde_json::json;

use super::trouble;
use crate::cli::{FormatArgs, block_on, close, engine, operator, person};
use crate::config::Config;
use crate::output::{print, print_json};

/// Trust a mode as its file has it now
#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Slug of the mode; without it, list the modes that wait for trust
    slug: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &TrustArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let caller = operator(config);
    let Some(slug) = &args.slug else {
        let engine = engine(config, ProjectWatching::Off);
        let waiting = engine.modes().untrusted(&caller);
        if args.format.json {
            let slugs: Vec<&str> = waiting.iter().map(|held| held.slug.as_str()).collect();
            print_json(&json!({ "untrusted": slugs }))?;
        } else if waiting.is_empty() {
            print("no mode waits for trust\n")?;
        }
        for held in waiting.iter().filter(|_| !args.format.json) {
            print(&format!("{}\n", held.slug))?;
            for change in &held.changes {
                print(&format!("  {}\n", trouble::change(change)))?;
            }
        }
        return Ok(close(&engine));
    };
    person::require("modes trust")?;
    let engine = engine(config, ProjectWatching::Off);
    let slug = ModeSlug::parse(slug)?;
    let changes = block_on(engine.modes().trust(&caller, &slug, None))??;
    person::record(&engine, "trust mode", slug.as_str());
    let exit = close(&engine);
    if args.format.json {
        print_json(&json!({ "trusted": slug.as_str() }))?;
    } else {
        print(&format!("'{slug}' is trusted as it is written now\n"))?;
        // The file may have been written since the person looked at it.
        for change in &changes {
            print(&format!("  {}\n", trouble::change(change)))?;
        }
    }
    Ok(exit)
}
