//! What a mode file would mean if it were saved, for the person who is about to.

use std::io::BufRead as _;

use mk_engine::{Draft, Engine};
use mk_policy::Severity;

use crate::cli::{block_on, operator, person};
use crate::config::Config;
use crate::output::{OutputStyle, print};

/// Problems, what patterns match, and whose rights change.
pub(super) fn show(draft: &Draft) -> anyhow::Result<()> {
    let style = OutputStyle::stdout();
    let mut text = String::new();
    for found in &draft.diagnostics {
        let line = found.to_string();
        text.push_str(&match found.severity {
            Severity::Error => style.red(&line),
            Severity::Warning => style.yellow(&line),
        });
        text.push('\n');
        if let Some(hint) = &found.hint {
            text.push_str(&format!("  {} {hint}\n", style.bold("hint:")));
        }
    }
    for mode in &draft.modes {
        for found in &mode.patterns {
            text.push_str(&format!(
                "{}: {} `{}` matches {} of {} files\n",
                mode.slug, found.group, found.pattern, found.matched, found.n_files
            ));
        }
    }
    for change in &draft.changes {
        let wider = if change.widens { "  (wider)" } else { "" };
        text.push_str(&format!(
            "{}: {}: {} → {}{}\n",
            style.bold(change.mode.as_str()),
            change.group,
            change.before,
            change.after,
            style.yellow(wider),
        ));
    }
    if draft.changes.is_empty() {
        text.push_str("no rights change\n");
    }
    print(&text)
}

/// Saves a text as the project's mode file.
pub(super) fn save(engine: &Engine, config: &Config, text: &str) -> anyhow::Result<()> {
    let caller = operator(config);
    let changes = block_on(engine.modes().save(&caller, text))??;
    for change in changes.files {
        print(&format!("{} {}\n", change.what, change.path))?;
        person::record(engine, "save modes", &change.path.to_string());
    }
    Ok(())
}

/// Whether the person at the terminal agrees.
pub(super) fn agrees(question: &str) -> anyhow::Result<bool> {
    print(&format!("{question} [y/N] "))?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
