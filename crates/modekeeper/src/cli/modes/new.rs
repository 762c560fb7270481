//! `modekeeper modes new`

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use mk_engine::{OWN_MODE_FILE, ProjectWatching};
use mk_policy::Group;
use mk_types::ModeSlug;

use super::draft;
use crate::cli::{engine, operator, person};
use crate::config::Config;
use crate::output::print;

/// Add a mode to the project's mode file
#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// Slug of the mode: letters, digits and dashes
    slug: String,
    /// What people see (default: made from the slug)
    #[arg(long)]
    name: Option<String>,
    /// Who the agent is; the beginning of its system prompt
    #[arg(long, value_name = "TEXT")]
    role: Option<String>,
    /// Mode to inherit from
    #[arg(long, value_name = "SLUG", conflicts_with_all = ["groups", "edit_only"])]
    extends: Option<String>,
    /// What it may use: read, edit, browser, command, mcp, modes
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "LIST",
        default_value = "read"
    )]
    groups: Vec<String>,
    /// Files it may edit, as a JavaScript pattern
    #[arg(long, value_name = "PATTERN")]
    edit_only: Option<String>,
    /// Show what would be added and change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &NewArgs, config: &Config) -> anyhow::Result<ExitCode> {
    if !args.dry_run {
        person::require("modes new")?;
    }
    let slug = ModeSlug::parse(&args.slug)?;
    let engine = engine(config, ProjectWatching::Off);
    let caller = operator(config);
    let before = engine.modes().file_text(&caller)?;
    let text = appended(before.as_deref(), &entry(args, &slug)?)?;
    let draft = engine.modes().draft(&caller, &text);
    if !draft.modes.iter().any(|mode| mode.slug == slug) {
        draft::show(&draft)?;
        bail!("the mode cannot be used as it is: nothing was changed");
    }
    if args.dry_run {
        print(&text)?;
    }
    draft::show(&draft)?;
    if !args.dry_run {
        draft::save(&engine, config, &text)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The lines of the mode, without the indent of the list.
fn entry(args: &NewArgs, slug: &ModeSlug) -> anyhow::Result<Vec<String>> {
    let name = args.name.clone().unwrap_or_else(|| title(slug.as_str()));
    let mut lines = vec![
        format!("- slug: {slug}"),
        format!("  name: {}", quoted(&name)),
    ];
    if let Some(extends) = &args.extends {
        lines.push(format!("  extends: {}", ModeSlug::parse(extends)?));
        lines.extend(
            args.role
                .iter()
                .map(|role| format!("  roleDefinition: {}", quoted(role))),
        );
        return Ok(lines);
    }
    let role = args
        .role
        .clone()
        .unwrap_or_else(|| format!("You work in {name} mode."));
    lines.push(format!("  roleDefinition: {}", quoted(&role)));
    lines.push("  groups:".to_owned());
    for group in &args.groups {
        let Some(group) = Group::parse(group) else {
            bail!(
                "`{group}` is not a group; there are read, edit, browser, command, mcp and modes"
            );
        };
        if group != Group::Edit || args.edit_only.is_none() {
            lines.push(format!("    - {group}"));
        }
    }
    if let Some(pattern) = &args.edit_only {
        lines.push(format!("    - [edit, {{fileRegex: {}}}]", quoted(pattern)));
    }
    Ok(lines)
}

/// `release-notes` → `Release Notes`
fn title(slug: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|it| it.to_uppercase().to_string());
        first.unwrap_or_default() + letters.as_str()
    };
    slug.split('-').map(word).collect::<Vec<_>>().join(" ")
}

/// A YAML string in which nothing means anything.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''").replace(['\n', '\r'], " "))
}

/// The file with one more mode at the end of its list, everything else as it was.
fn appended(before: Option<&str>, entry: &[String]) -> anyhow::Result<String> {
    let before = before.unwrap_or_default();
    if before.trim_start().starts_with('{') {
        bail!("`{OWN_MODE_FILE}` is JSON: add the mode with `modekeeper modes edit`");
    }
    let mut text = if before.trim().is_empty() {
        "customModes:\n".to_owned()
    } else {
        before.to_owned()
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let item = text
        .lines()
        .find(|line| line.trim_start().starts_with("- slug:"));
    let indent = item.map_or(2, |line| line.len() - line.trim_start().len());
    for line in entry {
        text.push_str(&format!("{}{line}\n", " ".repeat(indent)));
    }
    Ok(text)
}
