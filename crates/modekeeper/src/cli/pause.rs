//! `modekeeper pause`: suspends enforcement in the project for a while.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use mk_engine::ProjectWatching;
use serde_json::json;

use crate::cli::{FormatArgs, block_on, close, duration, engine, person};
use crate::config::Config;
use crate::output::{print, print_json};

/// The longest pause: who forgets it should not work unguarded for days.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Suspend enforcement in this project for a while
#[derive(Debug, Args)]
pub(crate) struct PauseArgs {
    /// How long, such as 10m or 1h; 24 hours at most
    #[arg(value_name = "TIME", value_parser = duration::parse, required_unless_present = "end")]
    time: Option<Duration>,
    /// End the pause now
    #[arg(long, conflicts_with = "time")]
    end: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &PauseArgs, config: &Config) -> anyhow::Result<ExitCode> {
    person::require("pause")?;
    let time = args.time.filter(|_| !args.end);
    if time.is_some_and(|time| time > LONGEST) {
        anyhow::bail!("a pause ends after 24 hours at most");
    }
    if time.is_some_and(|time| time.is_zero()) {
        anyhow::bail!("a pause of no time changes nothing: write 10m, or `--end` to end one");
    }
    let engine = engine(config, ProjectWatching::Off);
    let conversations = engine.conversations();
    let pause = conversations.pause(&config.project_root.value, time);
    let project = block_on(pause)??;
    person::record(&engine, "pause", project.root.as_str());
    let exit = close(&engine);
    if args.format.json {
        let until = project.paused_until.map(|it| it.to_string());
        print_json(&json!({ "root": project.root.as_str(), "paused_until": until }))?;
        return Ok(exit);
    }
    let is_held = project.mode.is_some() || config.configured_mode().is_some();
    let said = match (is_held, project.paused_until) {
        (true, None) => "enforcement is on".to_owned(),
        (true, Some(until)) => format!("enforcement is paused until {until}"),
        (false, paused) => {
            let paused = paused.map(|until| format!("paused until {until}; "));
            let paused = paused.unwrap_or_default();
            format!(
                "{paused}no mode is set, so nothing is enforced: set one with `modekeeper mode <slug>`"
            )
        }
    };
    print(&format!("{}: {said}\n", project.root))?;
    Ok(exit)
}
