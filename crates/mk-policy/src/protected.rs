//! Files that decide what agents may do: modes, rules, hooks, client settings. No agent changes them without approval.
//!
//! Which files these are is content (`content/policy/protected.yaml`). Its globs need no more than `**` and `*`, and
//! compiling that many to expressions would take most of a process's start, so they are compared name by name.

use std::collections::HashMap;

use serde::Deserialize;

const FILES: &str = include_str!("../../../content/policy/protected.yaml");

/// The protected files and why they are.
#[derive(Debug, Default)]
pub struct Protected {
    /// Globs `**/name/…` by their name; what follows it, and the reason.
    by_name: HashMap<String, Vec<Glob>>,
    others: Vec<Glob>,
    /// Why the root is protected: it contains all the others.
    root: String,
}

#[derive(Debug)]
struct Glob {
    parts: Vec<String>,
    reason: String,
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
        let mut protected = Self::default();
        protected.root = file.protected.first()?.reason.clone();
        for Entry { glob, reason } in file.protected {
            if glob.is_empty() || glob.contains(['?', '[', ']', '{', '}', '!', '\\']) {
                return None;
            }
            let parts: Vec<String> = fold(&glob).split('/').map(str::to_owned).collect();
            // Whoever removes or replaces a folder removes what is in it.
            let shortest = 1 + usize::from(parts.len() > 1 && parts[0] == "**");
            for length in (shortest..=parts.len()).rev() {
                protected.add(&parts[..length], &reason);
            }
        }
        Some(protected)
    }

    fn add(&mut self, parts: &[String], reason: &str) {
        let glob = |parts: &[String]| Glob {
            parts: parts.to_vec(),
            reason: reason.to_owned(),
        };
        match parts {
            [any, name, rest @ ..] if any == "**" && !name.contains('*') => {
                let same = self.by_name.entry(name.clone()).or_default();
                same.push(glob(rest));
            }
            parts => self.others.push(glob(parts)),
        }
    }

    /// Why a path is protected; `None` if it is not.
    pub fn why(&self, path: &str) -> Option<&str> {
        if path.is_empty() {
            return Some(&self.root);
        }
        let folded = fold(path);
        let names: Vec<&str> = folded.split('/').collect();
        let below = |(name_idx, name): (usize, &&str)| {
            let globs = self.by_name.get(*name)?;
            globs
                .iter()
                .find(|glob| matches(&glob.parts, &names[name_idx + 1..]))
        };
        let others = || self.others.iter().find(|glob| matches(&glob.parts, &names));
        let found = names.iter().enumerate().find_map(below).or_else(others);
        found.map(|glob| glob.reason.as_str())
    }
}

/// Whether a glob names exactly these parts of a path.
fn matches(glob: &[String], names: &[&str]) -> bool {
    match (glob.split_first(), names.split_first()) {
        (None, first) => first.is_none(),
        (Some((part, rest)), _) if part == "**" => {
            (0..=names.len()).any(|skipped| matches(rest, &names[skipped..]))
        }
        (Some((part, rest)), Some((name, others))) => {
            name_matches(part, name) && matches(rest, others)
        }
        (Some(_), None) => false,
    }
}

/// `*` stands for any part of one name.
fn name_matches(part: &str, name: &str) -> bool {
    let Some((start, rest)) = part.split_once('*') else {
        return part == name;
    };
    let Some(name) = name.strip_prefix(start) else {
        return false;
    };
    let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
    let tails = ends.filter_map(|at| name.get(at..));
    tails.into_iter().any(|tail| name_matches(rest, tail))
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
