//! What keeps modes from being what their files say, for commands that show which mode holds.

use mk_engine::{Engine, RightsChange, UntrustedMode};
use mk_policy::{Diagnostic, Severity};

use crate::cli::operator;
use crate::config::Config;
use crate::next_step::for_person;

/// One line for a mode that is set and that no file defines, one for a store without a place, one for each broken mode file with its first error, and one
/// for each mode that waits for trust.
pub(crate) fn lines(engine: &Engine, config: &Config) -> Vec<String> {
    let waiting = engine.modes().untrusted(&operator(config));
    let mut lines: Vec<String> = vanished(engine, config).into_iter().collect();
    if config.has_lost_its_store() {
        lines.push(
            "the store has no place, because HOME is not set: hooks deny every call until it is"
                .to_owned(),
        );
    }
    lines.extend(broken_files(engine, config, |_| true));
    lines.extend(waiting.iter().map(waits));
    lines
}

/// The mode files that are broken as a whole, or where they define a mode that is meant, each with its first error.
pub(crate) fn broken_files(
    engine: &Engine,
    config: &Config,
    is_meant: impl Fn(&str) -> bool,
) -> Vec<String> {
    let catalogue = engine.modes().catalogue(&operator(config));
    let is_error = |found: &&Diagnostic| {
        let subject = found.subject.as_ref();
        found.severity == Severity::Error && subject.is_none_or(|it| is_meant(&it.name))
    };
    let mut files: Vec<&str> = Vec::new();
    let mut lines = Vec::new();
    for found in catalogue.diagnostics().iter().filter(is_error) {
        if !files.contains(&found.file.as_str()) {
            files.push(&found.file);
            lines.push(format!(
                "{found}; until it is fixed, modes may be those of an earlier text or only read (`modekeeper modes lint` shows all)"
            ));
        }
    }
    lines
}

/// That no file defines the mode of the project any more.
pub(crate) fn vanished(engine: &Engine, config: &Config) -> Option<String> {
    let conversations = engine.conversations();
    let here = conversations.standpoint(&config.project_root.value).ok()?;
    let error = conversations.missing_mode(&here, config.configured_mode())?;
    Some(match error.next_step() {
        Some(step) => format!("{error}; {}", for_person(step)),
        None => error.to_string(),
    })
}

fn waits(mode: &UntrustedMode) -> String {
    let slug = &mode.slug;
    format!(
        "the text of '{slug}' allows more than before and waits for trust: look at it and run `modekeeper modes trust {slug}`"
    )
}

/// `edit: no → all`
pub(super) fn change(change: &RightsChange) -> String {
    format!("{}: {} → {}", change.group, change.before, change.after)
}
