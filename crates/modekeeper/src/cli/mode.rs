//! `modekeeper mode`: shows and sets the mode of the project, or of one conversation.

use std::process::ExitCode;

use clap::Args;
use mk_engine::{Conversation, ProjectWatching, Standpoint, SwitchAudience};
use mk_types::{ConversationId, ModeSlug};
use serde_json::{Value, json};

use crate::cli::modes::trouble;
use crate::cli::{FormatArgs, block_on, close, engine, person};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json, print_warning};

/// Show or set the mode that agents are held in
#[derive(Debug, Args)]
pub(crate) struct ModeArgs {
    /// Slug of the mode to set; without it, show what is set
    slug: Option<String>,
    /// Set the mode of this conversation only
    #[arg(
        long,
        value_name = "ID",
        requires = "slug",
        conflicts_with = "new_only"
    )]
    conversation: Option<String>,
    /// Leave running conversations in the mode they are in
    #[arg(long, requires = "slug")]
    new_only: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &ModeArgs, config: &Config) -> anyhow::Result<ExitCode> {
    match &args.slug {
        Some(slug) => {
            person::require("mode")?;
            set(&ModeSlug::parse(slug)?, args, config)
        }
        None => show(args, config),
    }
}

fn set(slug: &ModeSlug, args: &ModeArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let conversations = engine.conversations();
    let (what, mode) = match &args.conversation {
        Some(id) => {
            let id = ConversationId::parse(id)?;
            let (found, mode) = block_on(conversations.set_mode(&id, slug))??;
            (format!("conversation {}", found.id), mode)
        }
        None => {
            let whom = if args.new_only {
                SwitchAudience::NewOnes
            } else {
                SwitchAudience::Everyone
            };
            let root = &config.project_root.value;
            let set = conversations.set_project_mode(root, slug, whom);
            let (project, mode) = block_on(set)??;
            (project.root.to_string(), mode)
        }
    };
    person::record(&engine, "set mode", &format!("{what}: {}", mode.slug));
    let trouble = trouble::lines(&engine, config);
    let exit = close(&engine);
    if args.format.json {
        print_json(&json!({ "target": what, "mode": mode.slug.as_str() }))?;
    } else {
        print(&format!("{what}: {} ({})\n", mode.slug, mode.name))?;
    }
    for line in trouble {
        print_warning(&line);
    }
    Ok(exit)
}

fn show(args: &ModeArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let found = engine
        .conversations()
        .standpoint(&config.project_root.value)?;
    let configured = config.configured_mode();
    let own = found.project.as_ref().and_then(|it| it.mode.as_ref());
    let mode = own.or(configured);
    if args.format.json {
        print_json(&to_json(&found, mode))?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = OutputStyle::stdout();
    match (mode, own) {
        (Some(mode), Some(_)) => {
            print(&format!("{}: {}\n", found.root, style.bold(mode.as_str())))?;
        }
        (Some(mode), None) => print(&format!(
            "{}: {} {}\n",
            found.root,
            style.bold(mode.as_str()),
            style.dim("(from the configuration)")
        ))?,
        (None, _) => print(&format!(
            "{}: not held; set a mode with `modekeeper mode <slug>`\n",
            found.root
        ))?,
    }
    if let Some(until) = found.project.as_ref().and_then(|it| it.paused_until) {
        print(&format!("  enforcement is paused until {until}\n"))?;
    }
    for conversation in &found.conversations {
        print(&format!("  {}\n", line(conversation, mode, style)))?;
    }
    let catalogue = engine.modes().catalogue_at(&found.root);
    if let Some(mode) = mode.filter(|mode| catalogue.get(mode.as_str()).is_none()) {
        print_warning(&format!(
            "there is no mode '{mode}' here: every call is denied; `modekeeper modes list` shows what there is"
        ));
    }
    for line in trouble::lines(&engine, config) {
        print_warning(&line);
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn line(
    conversation: &Conversation,
    project: Option<&ModeSlug>,
    style: OutputStyle,
) -> String {
    let mode = conversation.mode.as_ref().or(project);
    format!(
        "{}  {:<9}  {:<12}  {}",
        style.bold(conversation.id.as_str()),
        conversation.client.name,
        mode.map_or("-", ModeSlug::as_str),
        style.dim(&format!("last active {}", conversation.last_active)),
    )
}

pub(super) fn to_json(found: &Standpoint, mode: Option<&ModeSlug>) -> Value {
    let conversations = found.conversations.iter().map(|it| {
        json!({
            "id": it.id.as_str(),
            "client": it.client.name,
            "client_session": it.client.session,
            "mode": it.mode.as_ref().or(mode).map(ModeSlug::as_str),
            "last_active": it.last_active.to_string(),
        })
    });
    let project = found.project.as_ref();
    json!({
        "root": found.root.as_str(),
        "mode": mode.map(ModeSlug::as_str),
        "paused_until": project.and_then(|it| it.paused_until).map(|it| it.to_string()),
        "conversations": conversations.collect::<Value>(),
    })
}
