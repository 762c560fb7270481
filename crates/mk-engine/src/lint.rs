//! `modes lint`: everything that is wrong with mode files, and patterns that match nothing.

use std::path::Path;

use mk_policy::{
    Catalogue, Diagnostic, DiagnosticSubject, FileLimit, Mode, ModeLayer, ModeSource, PatternLimit,
    Policy, Severity, load_modes,
};
use mk_project::any_file;
use mk_types::{AbsPath, ModeSlug};

use crate::open_project::{LARGEST_MODE_FILE, not_there, unreadable};

/// Problems of one mode file, wherever it is. The modes it extends may be builtin or its own.
pub fn lint_file(path: &Path, name: &str, policy: &Policy) -> (usize, Vec<Diagnostic>) {
    let loaded = match mk_project::read_text(path, LARGEST_MODE_FILE) {
        Ok(Some(text)) => load_modes(name, &text),
        Ok(None) => return (0, not_there(path, name).diagnostics),
        Err(error) => unreadable(name, &error),
    };
    let layer = ModeLayer {
        source: ModeSource::Project,
        file: name.to_owned(),
        loaded,
    };
    let catalogue = Catalogue::build(vec![layer], policy);
    let n_modes = catalogue
        .modes()
        .iter()
        .filter(|mode| mode.file == name)
        .count();
    (n_modes, catalogue.diagnostics().to_vec())
}

/// Patterns of the project's own modes that no file of the project matches: most likely a slip. `written` are the modes
/// that its files define as they are now: another one holds by an earlier text, whose lines are not there any more.
pub(crate) fn idle_patterns(
    catalogue: &Catalogue,
    root: &AbsPath,
    written: &[(String, ModeSlug)],
) -> Vec<Diagnostic> {
    let own = catalogue.modes().iter().filter(|mode| {
        let mut written = written.iter();
        mode.source == ModeSource::Project
            && written.any(|(file, slug)| *file == mode.file && *slug == mode.slug)
    });
    let mut idle: Vec<(&Mode, &FileLimit)> = Vec::new();
    for mode in own {
        // One that cannot be used at all has its own complaint.
        let usable =
            |limit: &FileLimit| !matches!(limit.regex, Some(PatternLimit::Unusable { .. }));
        for grant in mode.grants.iter().filter(|grant| !grant.files.is_open()) {
            if usable(&grant.files) {
                idle.push((mode, &grant.files));
            }
        }
    }
    if idle.is_empty() {
        return Vec::new();
    }
    let all_used = any_file(root, |path| {
        idle.retain(|(_, limit)| !limit.covers(path.as_str()));
        idle.is_empty()
    });
    // In a project too large to walk, silence is better than a guess.
    if all_used != Some(false) {
        return Vec::new();
    }
    let warn = |(mode, limit): (&Mode, &FileLimit)| Diagnostic {
        severity: Severity::Warning,
        file: mode.file.clone(),
        position: limit.position,
        subject: Some(DiagnosticSubject {
            kind: "mode",
            name: mode.slug.to_string(),
        }),
        message: format!(
            "`{}` matches no file of this project",
            limit.show().unwrap_or_default()
        ),
        hint: Some(
            "patterns are searched in paths relative to the project's root, like `src/main.rs`"
                .to_owned(),
        ),
    };
    idle.into_iter().map(warn).collect()
}
