//! `modekeeper mode`: shows and sets the mode of the project, or of one conversation.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use mk_engine::{Conversation, ProjectWatching, Standpoint, SwitchAudience};
use mk_types::{ConversationId, ModeSlug};
use serde_json::{Value, json};

use crate::cli::modes::trouble;
use crate::cli::{FormatArgs, block_on, close, engine, person};
use crate::config::{Config, SettingOrigin};
use crate::env::Env;
use crate::output::{OutputStyle, print, print_json, print_note, print_warning};

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
    /// Remove the project's mode: the configured `default_mode` holds again, or none
    #[arg(long, conflicts_with_all = ["slug", "conversation", "new_only"])]
    unset: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &ModeArgs, config: &Config, env: &Env) -> anyhow::Result<ExitCode> {
    if args.unset {
        person::require("mode")?;
        return unset(args, config);
    }
    let exit = match &args.slug {
        Some(slug) => {
            person::require("mode")?;
            set(&ModeSlug::parse(slug)?, args, config)
        }
        None => show(args, config),
    }?;
    if let Some(inner) = repository_inside(config, env).filter(|_| args.conversation.is_none()) {
        let (inner, root) = (inner.display(), &config.project_root.value);
        print_note(&format!(
            "{inner} is part of the project {root}; for a mode of its own besides, use `--project-root {inner}`"
        ));
    }
    Ok(exit)
}

/// The project that the person stands in, where that is part of another one whose mode this is about.
fn repository_inside(config: &Config, env: &Env) -> Option<PathBuf> {
    if !matches!(config.project_root.origin, SettingOrigin::Found(_)) {
        return None;
    }
    let root = config.project_root.value.as_path();
    let current = env.current_dir.as_ref()?.canonicalize().ok()?;
    let inner = current.ancestors().find(|it| mk_engine::is_project(it))?;
    (inner.starts_with(root) && inner != root).then(|| inner.to_owned())
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

fn unset(args: &ModeArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let conversations = engine.conversations();
    let root = &config.project_root.value;
    let before = block_on(conversations.unset_project_mode(root))??;
    let Some((project, mode)) = before.and_then(|it| Some((it.root, it.mode?))) else {
        match config.configured_mode() {
            None => anyhow::bail!("no mode is set for {root}"),
            Some(mode) => anyhow::bail!(
                "no mode is set for {root}: `{mode}` comes from the configuration (`default_mode`; \
                 `modekeeper config show` shows where it is set)"
            ),
        }
    };
    person::record(&engine, "unset mode", &format!("{project}: {mode}"));
    let here = conversations.standpoint(root)?;
    let now = here.project.and_then(|it| it.mode);
    let now = now.as_ref().or(config.configured_mode());
    let exit = close(&engine);
    if args.format.json {
        let now = now.map(ModeSlug::as_str);
        print_json(&json!({ "target": project.as_str(), "before": mode.as_str(), "mode": now }))?;
        return Ok(exit);
    }
    let now = match now {
        Some(now) => format!("`{now}` is in force now"),
        None => "agents are not held here now".to_owned(),
    };
    print(&format!(
        "{project}: `{mode}` is no longer set; {now}. Tasks that have begun keep their mode.\n"
    ))?;
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
        (None, _) => {
            let here = engine.conversations().may_be_set(&found.root);
            let step = match here {
                Ok(()) => "set a mode with `modekeeper mode <slug>`",
                Err(_) => "it is not a project: run this in a project's directory",
            };
            print(&format!("{}: not held; {step}\n", found.root))?;
        }
    }
    for nested in &found.nested {
        let mode = nested.mode.as_ref().map_or("-", ModeSlug::as_str);
        let note = style.dim("(inside it, holds there as well)");
        print(&format!("  {}: {} {note}\n", nested.root, style.bold(mode)))?;
    }
    if let Some(until) = found.project.as_ref().and_then(|it| it.paused_until) {
        print(&format!("  enforcement is paused until {until}\n"))?;
    }
    for conversation in &found.conversations {
        print(&format!("  {}\n", line(conversation, mode, style)))?;
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
    let nested = found.nested.iter().map(
        |it| json!({ "root": it.root.as_str(), "mode": it.mode.as_ref().map(ModeSlug::as_str) }),
    );
    json!({
        "root": found.root.as_str(),
        "mode": mode.map(ModeSlug::as_str),
        "nested": nested.collect::<Value>(),
        "paused_until": project.and_then(|it| it.paused_until).map(|it| it.to_string()),
        "conversations": conversations.collect::<Value>(),
    })
}
