//! Files that decide what agents may do: modes, rules, hooks, client settings. No agent changes them without approval.
//!
//! Which files these are is content (`content/policy/protected.yaml`), here as JSON. Its globs need no more than `**` and `*`, and
//! compiling that many to expressions would take most of a process's start, so they are compared name by name.

use std::collections::HashMap;

use mk_shell::{NameExtent, SOME_NAME};
use serde::Deserialize;

const FILES: &str = include_str!("shipped/protected.json");
const SECRETS: &str = include_str!("shipped/secrets.json");

/// The protected files and why they are.
#[derive(Debug, Default)]
pub struct ProtectedFiles {
    /// Globs `**/name/…` by their name; what follows it, and the reason.
    by_name: HashMap<String, Vec<ProtectedGlob>>,
    others: Vec<ProtectedGlob>,
    /// Why the root is protected: it contains all the others.
    root: String,
}

#[derive(Debug)]
struct ProtectedGlob {
    parts: Vec<String>,
    reason: String,
    kind: ProtectedKind,
}

/// What a glob names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProtectedKind {
    Listed,
    /// A directory on the way to what is listed.
    Directory,
}

impl ProtectedFiles {
    /// The list that ships.
    #[expect(
        clippy::expect_used,
        reason = "the file is part of the program, and a test reads it"
    )]
    pub fn shipped() -> Self {
        Self::shipped_in(FILES).expect("protected.yaml is a list of globs with reasons")
    }

    /// Credentials, which shell lines do not touch.
    #[expect(
        clippy::expect_used,
        reason = "the file is part of the program, and a test reads it"
    )]
    pub fn secrets() -> Self {
        Self::shipped_in(SECRETS).expect("secrets.yaml is a list of globs with reasons")
    }

    fn shipped_in(text: &str) -> Option<Self> {
        Self::of(serde_json::from_str(text).ok()?)
    }

    /// As people write it.
    #[cfg(test)]
    pub(crate) fn read(text: &str) -> Option<Self> {
        Self::of(serde_saphyr::from_str(text).ok()?)
    }

    fn of(file: ProtectedFile) -> Option<Self> {
        let mut protected = Self::default();
        protected.root = file.protected.first()?.reason.clone();
        for ProtectedEntry { glob, reason } in file.protected {
            if glob.is_empty() || glob.contains(['?', '[', ']', '{', '}', '!', '\\']) {
                return None;
            }
            let parts: Vec<String> = fold(&glob).split('/').map(str::to_owned).collect();
            // Removing or replacing a directory removes what is in it.
            let shortest = 1 + usize::from(parts.len() > 1 && parts[0] == "**");
            for length in (shortest..=parts.len()).rev() {
                let kind = if length == parts.len() {
                    ProtectedKind::Listed
                } else {
                    ProtectedKind::Directory
                };
                protected.add(&parts[..length], &reason, kind);
            }
        }
        Some(protected)
    }

    /// Adds a directory of this machine with all that is in it.
    pub fn add_directory(&mut self, path: &str, reason: &str) {
        let mut parts: Vec<String> = fold(path.trim_end_matches('/'))
            .split('/')
            .map(str::to_owned)
            .collect();
        self.add(&parts, reason, ProtectedKind::Listed);
        parts.push("**".to_owned());
        self.add(&parts, reason, ProtectedKind::Listed);
    }

    /// All globs, those of directories on the way included, in order.
    pub fn globs(&self) -> Vec<String> {
        let named = self.by_name.iter().flat_map(|(name, below)| {
            below.iter().map(move |glob| {
                let parts = ["**", name].into_iter();
                let parts = parts.chain(glob.parts.iter().map(String::as_str));
                parts.collect::<Vec<_>>().join("/")
            })
        });
        let mut globs: Vec<String> = named.collect();
        globs.extend(self.others.iter().map(|glob| glob.parts.join("/")));
        globs.sort();
        globs.dedup();
        globs
    }

    fn add(&mut self, parts: &[String], reason: &str, kind: ProtectedKind) {
        let glob = |parts: &[String]| ProtectedGlob {
            parts: parts.to_vec(),
            reason: reason.to_owned(),
            kind,
        };
        match parts {
            [any, name, rest @ ..] if any == "**" && !name.contains('*') => {
                let same = self.by_name.entry(name.clone()).or_default();
                same.push(glob(rest));
            }
            parts => self.others.push(glob(parts)),
        }
    }

    /// Why something that a pattern of the shell could match is protected.
    pub(crate) fn why_any(&self, pattern: &str, extent: NameExtent) -> Option<&str> {
        // More wildcards than a person writes cost more than they say.
        if pattern.matches(['*', SOME_NAME]).count() > 8 {
            return Some(&self.root);
        }
        let folded = fold(pattern);
        let mut names: Vec<&str> = folded
            .split('/')
            .filter(|name| !matches!(*name, "" | "."))
            .collect();
        // The globs of the whole machine begin with nothing, too.
        if folded.starts_with('/') {
            names.insert(0, "");
        }
        let any = "**".to_owned();
        let named = self
            .by_name
            .iter()
            .flat_map(|(name, globs)| globs.iter().map(move |glob| (Some(name), glob)));
        let others = self.others.iter().map(|glob| (None, glob));
        let mut found: Vec<&str> = named
            .chain(others)
            .filter(|(_, glob)| extent == NameExtent::Below || glob.kind == ProtectedKind::Listed)
            .filter(|(name, glob)| {
                let parts: Vec<String> = match name {
                    Some(name) => [&any, *name]
                        .into_iter()
                        .chain(&glob.parts)
                        .cloned()
                        .collect(),
                    None => glob.parts.clone(),
                };
                overlap(&parts, &names)
            })
            .map(|(_, glob)| glob.reason.as_str())
            .collect();
        found.sort_unstable();
        found.first().copied()
    }

    /// Why a path is protected; `None` if it is not.
    pub fn why(&self, path: &str) -> Option<&str> {
        if path.is_empty() {
            return Some(&self.root);
        }
        self.first(path, |_| true)
    }

    /// The same for a path that does not stand for what is in it.
    pub(crate) fn why_itself(&self, path: &str) -> Option<&str> {
        self.first(path, |kind| kind == ProtectedKind::Listed)
    }

    fn first(&self, path: &str, counts: impl Fn(ProtectedKind) -> bool) -> Option<&str> {
        let folded = fold(path);
        let names: Vec<&str> = folded.split('/').collect();
        let below = |(name_idx, name): (usize, &&str)| {
            let globs = self.by_name.get(*name)?;
            globs
                .iter()
                .find(|glob| counts(glob.kind) && matches(&glob.parts, &names[name_idx + 1..]))
        };
        let fits = |glob: &&ProtectedGlob| counts(glob.kind) && matches(&glob.parts, &names);
        let others = || self.others.iter().find(fits);
        let found = names.iter().enumerate().find_map(below).or_else(others);
        found.map(|glob| glob.reason.as_str())
    }
}

/// Whether a glob and a pattern of the shell could name the same path.
fn overlap(glob: &[String], names: &[&str]) -> bool {
    match (glob.split_first(), names.split_first()) {
        (None, None) => true,
        (Some((part, rest)), _) if part == "**" => {
            (0..=names.len()).any(|skipped| overlap(rest, &names[skipped..]))
        }
        (_, Some((name, others))) if is_any_depth(name) => {
            (0..=glob.len()).any(|skipped| overlap(&glob[skipped..], others))
        }
        (Some((part, rest)), Some((name, others))) => {
            names_overlap(part, name) && overlap(rest, others)
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// `**`, and its relative that also enters what begins with a dot.
fn is_any_depth(name: &str) -> bool {
    name == "**" || (name.len() == 2 && name.chars().all(|it| it == SOME_NAME))
}

/// Whether a part of a glob and a part of a pattern could name the same file.
fn names_overlap(part: &str, name: &str) -> bool {
    // A wildcard in front does not stand for a dot.
    let hides_dot = name.starts_with(['*', '?', '[']) && part.starts_with('.');
    !hides_dot && texts_overlap(part, name)
}

fn texts_overlap(part: &str, name: &str) -> bool {
    let (mut parts, mut names) = (part.chars(), name.chars());
    match (parts.next(), names.next()) {
        (None, None) => true,
        (Some('*'), _) => {
            texts_overlap(parts.as_str(), name)
                || (!name.is_empty() && texts_overlap(part, names.as_str()))
        }
        (_, Some('*' | SOME_NAME)) => {
            texts_overlap(part, names.as_str())
                || (!part.is_empty() && texts_overlap(parts.as_str(), name))
        }
        (Some(_), Some('?')) => texts_overlap(parts.as_str(), names.as_str()),
        // What is in the brackets is not looked at.
        (Some(_), Some('[')) => {
            let rest = names.as_str().split_once(']').map_or("", |(_, rest)| rest);
            texts_overlap(parts.as_str(), rest)
        }
        (Some(_), Some('\\')) => texts_overlap(part, names.as_str()),
        (Some(one), Some(other)) => one == other && texts_overlap(parts.as_str(), names.as_str()),
        (None, Some(_)) | (Some(_), None) => false,
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
    #[serde(alias = "secrets")]
    protected: Vec<ProtectedEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProtectedEntry {
    glob: String,
    reason: String,
}
