//! Files that decide what agents may do: modes, rules, hooks, client settings. No agent changes them without approval.
//!
//! Which files these are is content (`content/policy/protected.yaml`), here as JSON. Its globs need no more than `**` and `*`, and
//! compiling that many to expressions would take most of a process's start, so they are compared name by name.

use std::borrow::Cow;
use std::collections::HashMap;

use mk_shell::{NameExtent, SOME_NAME};
use serde::Deserialize;

const FILES: &str = include_str!("shipped/protected.json");
const SECRETS: &str = include_str!("shipped/secrets.json");

/// The protected files and why they are.
#[derive(Debug, Default)]
pub struct ProtectedFiles {
    /// What was written, each with its reason.
    written: Vec<ProtectedPath>,
    /// Globs `**/name/…` by their name; what follows it.
    by_name: HashMap<String, Vec<ProtectedGlob>>,
    others: Vec<ProtectedGlob>,
}

/// The parts of a glob, and why it is there.
#[derive(Debug)]
struct ProtectedPath {
    parts: Vec<String>,
    reason: Cow<'static, str>,
}

/// Some of the parts of what was written.
#[derive(Debug, Clone, Copy)]
struct ProtectedGlob {
    written: usize,
    begin: usize,
    end: usize,
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

    fn shipped_in(text: &'static str) -> Option<Self> {
        Self::of(serde_json::from_str(text).ok()?)
    }

    /// As people write it.
    #[cfg(test)]
    pub(crate) fn read(text: &str) -> Option<Self> {
        let file: ProtectedFile<'_> = serde_saphyr::from_str(text).ok()?;
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let protected = file.protected.into_iter().map(|entry| ProtectedEntry {
            glob: owned(entry.glob),
            reason: owned(entry.reason),
        });
        Self::of(ProtectedFile {
            protected: protected.collect(),
        })
    }

    fn of(file: ProtectedFile<'static>) -> Option<Self> {
        let mut protected = Self::default();
        file.protected.first()?;
        for ProtectedEntry { glob, reason } in file.protected {
            if glob.is_empty() || glob.contains(['?', '[', ']', '{', '}', '!', '\\']) {
                return None;
            }
            let parts: Vec<String> = fold(&glob).split('/').map(str::to_owned).collect();
            let length = parts.len();
            // Removing or replacing a directory removes what is in it.
            let shortest = 1 + usize::from(length > 1 && parts[0] == "**");
            protected.written.push(ProtectedPath { parts, reason });
            protected.add(length, ProtectedKind::Listed);
            for shorter in (shortest..length).rev() {
                protected.add(shorter, ProtectedKind::Directory);
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
        let length = parts.len();
        parts.push("**".to_owned());
        let reason = Cow::Owned(reason.to_owned());
        self.written.push(ProtectedPath { parts, reason });
        self.add(length, ProtectedKind::Listed);
        self.add(length + 1, ProtectedKind::Listed);
    }

    fn parts(&self, glob: &ProtectedGlob) -> &[String] {
        &self.written[glob.written].parts[glob.begin..glob.end]
    }

    fn reason(&self, glob: &ProtectedGlob) -> &str {
        &self.written[glob.written].reason
    }

    /// Why the root is protected: it contains all the others.
    fn root(&self) -> &str {
        self.written.first().map_or("", |it| &it.reason)
    }

    /// All globs, those of directories on the way included, in order.
    pub fn globs(&self) -> Vec<String> {
        let named = self.by_name.iter().flat_map(|(name, below)| {
            below.iter().map(move |glob| {
                let parts = ["**", name].into_iter();
                let parts = parts.chain(self.parts(glob).iter().map(String::as_str));
                parts.collect::<Vec<_>>().join("/")
            })
        });
        let mut globs: Vec<String> = named.collect();
        globs.extend(self.others.iter().map(|glob| self.parts(glob).join("/")));
        globs.sort();
        globs.dedup();
        globs
    }

    /// Adds the first parts of what was written last.
    fn add(&mut self, end: usize, kind: ProtectedKind) {
        let Some(last) = self.written.last() else {
            return;
        };
        let glob = |begin| ProtectedGlob {
            written: self.written.len() - 1,
            begin,
            end,
            kind,
        };
        match &last.parts[..end] {
            [any, name, ..] if any == "**" && !name.contains('*') => {
                let glob = glob(2);
                match self.by_name.get_mut(name) {
                    Some(same) => same.push(glob),
                    None => drop(self.by_name.insert(name.clone(), vec![glob])),
                }
            }
            _ => self.others.push(glob(0)),
        }
    }

    /// Why something that a pattern of the shell could match is protected.
    pub(crate) fn why_any(&self, pattern: &str, extent: NameExtent) -> Option<&str> {
        // More wildcards than a person writes cost more than they say.
        if pattern.matches(['*', SOME_NAME]).count() > 8 {
            return Some(self.root());
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
                        .chain(self.parts(glob))
                        .cloned()
                        .collect(),
                    None => self.parts(glob).to_vec(),
                };
                overlap(&parts, &names)
            })
            .map(|(_, glob)| self.reason(glob))
            .collect();
        found.sort_unstable();
        found.first().copied()
    }

    /// Why a path is protected; `None` if it is not.
    pub fn why(&self, path: &str) -> Option<&str> {
        if path.is_empty() {
            return Some(self.root());
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
                .find(|glob| counts(glob.kind) && matches(self.parts(glob), &names[name_idx + 1..]))
        };
        let fits = |glob: &&ProtectedGlob| counts(glob.kind) && matches(self.parts(glob), &names);
        let others = || self.others.iter().find(fits);
        let found = names.iter().enumerate().find_map(below).or_else(others);
        found.map(|glob| self.reason(glob))
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
    if is_plain(path) {
        return path.to_ascii_lowercase();
    }
    // Upper case first: `ſ` is a small letter whose capital is `S`.
    let folded = path.to_uppercase().to_lowercase();
    let folded: String = folded.chars().filter(has_width).collect();
    let names = folded.split('/').map(|name| {
        let name = name.split(':').next().unwrap_or_default();
        name.trim_end_matches(['.', ' '])
    });
    names.collect::<Vec<_>>().join("/")
}

/// Whether only the case of a path could matter, as with nearly all: folding the rest costs more than comparing.
fn is_plain(path: &str) -> bool {
    let bytes = path.as_bytes();
    let ends_name = |at: usize| bytes.get(at + 1).is_none_or(|next| *next == b'/');
    let odd = |(at, byte): (usize, &u8)| match byte {
        b'.' | b' ' => ends_name(at),
        b':' => true,
        byte => !byte.is_ascii(),
    };
    !bytes.iter().enumerate().any(odd)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProtectedFile<'a> {
    #[serde(borrow, alias = "secrets")]
    protected: Vec<ProtectedEntry<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProtectedEntry<'a> {
    #[serde(borrow)]
    glob: Cow<'a, str>,
    #[serde(borrow)]
    reason: Cow<'a, str>,
}
