//! Files that decide what agents may do: modes, rules, hooks, client settings. No agent changes them without approval.
//!
//! Which files these are is content (`content/policy/protected.yaml`).

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;

const FILES: &str = include_str!("../../../content/policy/protected.yaml");

/// The protected files and why they are.
#[derive(Debug)]
pub struct Protected {
    globs: GlobSet,
    /// In step with the globs.
    reasons: Vec<String>,
}

impl Protected {
    /// The list that ships.
    #[expect(
        clippy::expect_used,
        reason = "the file is part of the program, and a test reads it"
    )]
    pub fn shipped() -> Self {
        Self::read(FILES).expect("protected.yaml is a list of globs with reasons")
    }

    pub(crate) fn read(text: &str) -> Option<Self> {
        let file: ProtectedFile = serde_saphyr::from_str(text).ok()?;
        let mut globs = GlobSetBuilder::new();
        let mut reasons = Vec::new();
        for Entry { glob, reason } in file.protected {
            let glob = fold(&glob);
            for glob in std::iter::successors(Some(glob.as_str()), |glob| parent(glob)) {
                let glob = GlobBuilder::new(glob).literal_separator(true).build();
                globs.add(glob.ok()?);
                reasons.push(reason.clone());
            }
        }
        let globs = globs.build().ok()?;
        Some(Self { globs, reasons })
    }

    /// Why a path is protected; `None` if it is not. The root is: it contains all the others.
    pub fn why(&self, path: &str) -> Option<&str> {
        if path.is_empty() {
            return self.reasons.first().map(String::as_str);
        }
        let found = self.globs.matches(fold(path));
        found
            .first()
            .and_then(|glob_idx| self.reasons.get(*glob_idx))
            .map(String::as_str)
    }
}

/// The folder that a glob's files are in: whoever removes or replaces it removes them too.
fn parent(glob: &str) -> Option<&str> {
    let (folder, _) = glob.rsplit_once('/')?;
    (folder != "**").then_some(folder)
}

/// A path as the most forgiving of file systems compares names: no case, no characters without width, no dots or
/// spaces at the end of a name, no streams. It only ever protects a path too many.
fn fold(path: &str) -> String {
    let has_width = |letter: &char| !matches!(letter, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}');
    // Upper case first: `ſ` is a small letter whose capital is `S`.
    let folded = path.to_uppercase().to_lowercase();
    let folded: String = folded.chars().filter(has_width).collect();
    let names = folded.split('/').map(|name| {
        let name = name.split(':').next().unwrap_or_default();
        name.trim_end_matches(['.', ' '])
    });
    names.collect::<Vec<_>>().join("/")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProtectedFile {
    protected: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    glob: String,
    reason: String,
}
