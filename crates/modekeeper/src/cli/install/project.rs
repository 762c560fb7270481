//! What `init` sets for a project: its mode, and that an agent may not widen it by itself. Rows in the store, never
//! files in the project, because agents write those.

use mk_clients::{ClientFloor, FloorEdits};
use mk_engine::{CloseOutcome, ProjectWatching};
use mk_policy::{Group, Mode};
use mk_types::ModeSlug;

use crate::cli::install::ScopeArg;
use crate::cli::{block_on, engine, operator};
use crate::config::Config;

/// Sets the mode of the project: the one given, else the one it has, else the configuration's. Gives its slug.
pub(crate) fn set_up_project(config: &Config, mode: Option<&str>) -> anyhow::Result<ModeSlug> {
    let engine = engine(config, ProjectWatching::Off);
    let root = &config.project_root.value;
    let slug = block_on(async {
        let mode = match mode {
            Some(mode) => Some(
                engine
                    .modes()
                    .get(&operator(config), "mode", mode)?
                    .slug
                    .clone(),
            ),
            None => None,
        };
        engine.conversations().set_up(root, mode).await
    })??;
    anyhow::ensure!(
        engine.close() == CloseOutcome::Complete,
        "the mode of the project could not be stored: the database is in use; try again"
    );
    Ok(slug)
}

/// Refuses a directory that no mode can be set for.
pub(crate) fn require_project(config: &Config) -> anyhow::Result<()> {
    let engine = engine(config, ProjectWatching::Off);
    let conversations = engine.conversations();
    Ok(conversations.may_be_set(&config.project_root.value)?)
}

/// Makes the store if there is none yet, with the modes that were set before it was lost.
pub(crate) fn make_store(config: &Config) -> anyhow::Result<()> {
    let engine = engine(config, ProjectWatching::Off);
    engine
        .conversations()
        .standpoint(&config.project_root.value)?;
    anyhow::ensure!(
        engine.close() == CloseOutcome::Complete,
        "the database is in use; try again"
    );
    Ok(())
}

/// Whether the project has a mode of this name.
pub(crate) fn find_mode(config: &Config, slug: &str) -> anyhow::Result<()> {
    let engine = engine(config, ProjectWatching::Off);
    engine.modes().get(&operator(config), "mode", slug)?;
    Ok(())
}

/// Whether a person has set another mode for the project.
pub(crate) fn has_other_mode(config: &Config, slug: &str) -> anyhow::Result<bool> {
    let engine = engine(config, ProjectWatching::Off);
    let root = &config.project_root.value;
    let own = engine.conversations().standpoint(root)?.project;
    let own = own.and_then(|project| project.mode);
    Ok(own.is_some_and(|own| own.as_str() != slug))
}

/// What a mode leaves as the floor under every client.
pub(crate) fn floor(config: &Config, slug: &str) -> anyhow::Result<ClientFloor> {
    let engine = engine(config, ProjectWatching::Off);
    let mode = engine.modes().get(&operator(config), "floor", slug)?;
    Ok(floor_of(&mode))
}

/// The same for a mode that is at hand.
pub(crate) fn floor_of(mode: &Mode) -> ClientFloor {
    ClientFloor {
        edits: floor_edits(mode),
        runs_commands: mode.enables(Group::Command),
        mode: Some(mode.slug.to_string()),
    }
}

/// What no mode of this project allows, although a person may switch to any of them without starting a client again.
/// `None` where that is nothing: then the hook alone holds it.
///
/// A user's settings hold in every project, and another project may have any mode, or none.
pub(crate) fn reachable_floor(config: &Config, scope: ScopeArg) -> Option<ClientFloor> {
    if scope == ScopeArg::User {
        return None;
    }
    let engine = engine(config, ProjectWatching::Off);
    let catalogue = engine.modes().catalogue(&operator(config));
    let floors = catalogue.modes().iter().map(|mode| floor_of(mode));
    floors
        .reduce(ClientFloor::or)
        .filter(|floor| !floor.is_everything())
}

/// Products can say «nothing» and «files of this kind». What they cannot say must not be said narrower than it is, so
/// it becomes everything, and the hook alone holds it.
fn floor_edits(mode: &Mode) -> FloorEdits {
    if !mode.enables(Group::Edit) {
        return FloorEdits::Nothing;
    }
    let extensions = mode
        .grants(Group::Edit)
        .map(|grant| {
            let regex = grant.files.regex.as_ref()?;
            grant.files.globs.is_empty().then_some(())?;
            extensions(regex.source())
        })
        .collect::<Option<Vec<_>>>();
    match extensions {
        Some(extensions) => FloorEdits::Extensions(extensions.concat()),
        None => FloorEdits::Anything,
    }
}

/// The extensions of `\.md$` and `\.(md|txt)$`.
fn extensions(pattern: &str) -> Option<Vec<String>> {
    let rest = pattern.strip_prefix(r"\.")?.strip_suffix('$')?;
    let rest = rest
        .strip_prefix("(?:")
        .or_else(|| rest.strip_prefix('('))
        .map_or(Some(rest), |inner| inner.strip_suffix(')'))?;
    rest.split('|')
        .map(|it| {
            let plain = !it.is_empty() && it.chars().all(|it| it.is_ascii_alphanumeric());
            plain.then(|| it.to_owned())
        })
        .collect()
}
