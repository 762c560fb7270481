//! Files that decide what agents may do: modes, rules, hooks, client settings. No agent changes them without approval.
//!
//! Which files these are is content (`content/policy/protected.yaml`).

use globset::{Glob, GlobSet, GlobSetBuilder};
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
        let file: ProtectedFile =
            serde_saphyr::from_str(FILES).expect("protected.yaml is readable");
        let mut globs = GlobSetBuilder::new();
        let mut reasons = Vec::new();
        for Entry { glob, reason } in file.protected {
            // Case does not keep a file apart on every disk, so it is ignored on all.
            let glob = glob.to_lowercase();
            // Whoever removes the folder removes what is in it.
            let folder = glob.strip_suffix("/**").map(str::to_owned);
            for glob in folder.into_iter().chain([glob]) {
                globs.add(Glob::new(&glob).expect("protected.yaml holds globs"));
                reasons.push(reason.clone());
            }
        }
        Self {
            globs: globs.build().expect("protected.yaml holds globs"),
            reasons,
        }
    }

    /// Why a path is protected; `None` if it is not. The root is: it contains all the others.
    pub fn why(&self, path: &str) -> Option<&str> {
        if path.is_empty() {
            return self.reasons.first().map(String::as_str);
        }
        let found = self.globs.matches(path.to_lowercase());
        found
            .first()
            .and_then(|glob_idx| self.reasons.get(*glob_idx))
            .map(String::as_str)
    }
}

#[derive(Deserialize)]
struct ProtectedFile {
    protected: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    glob: String,
    reason: String,
}
