//! `modekeeper modes show`

use std::process::ExitCode;

use clap::Args;
use mk_engine::ProjectWatching;
use mk_policy::group_lines;
use mk_tools::ModeInfo;

use crate::cli::{FormatArgs, engine, operator};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// Show one mode in full
#[derive(Debug, Args)]
pub(crate) struct ModesShowArgs {
    /// Slug of the mode
    slug: String,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &ModesShowArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let mode =
        engine(config, ProjectWatching::Off)
            .modes()
            .get(&operator(config), "slug", &args.slug)?;
    if args.format.json {
        print_json(&serde_json::to_value(ModeInfo::from(&*mode))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = OutputStyle::stdout();
    let mut text = format!(
        "{} ({})\n{}\n",
        style.bold(&mode.name),
        mode.slug,
        style.dim(&mode.file)
    );
    let mut section = |title: &str, body: Option<&str>| {
        if let Some(body) = body.map(str::trim).filter(|body| !body.is_empty()) {
            text.push_str(&format!("\n{}\n{body}\n", style.bold(title)));
        }
    };
    section("Description", mode.description.as_deref());
    section("When to use", mode.when_to_use.as_deref());
    section("Role", Some(&mode.role_definition));
    section("Tool groups", Some(&group_lines(&mode).join("\n")));
    section("Instructions", mode.custom_instructions.as_deref());
    section(
        "May switch to",
        mode.switch_to
            .as_ref()
            .map(|slugs| slugs.join(", "))
            .as_deref(),
    );
    section("Model", mode.model.as_deref());
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
