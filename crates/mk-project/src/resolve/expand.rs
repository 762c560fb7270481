//! The files that a pattern of the shell matches, and those in a directory that is meant as a whole.
//!
//! Looks at a bounded number of names. Where there are more, it says nothing.

use std::collections::VecDeque;
use std::fs;

use mk_policy::{ExistingFile, SOME_NAME};
use mk_types::{AbsPath, ProjectPath};

use super::follow;
use crate::ignored::IgnoredFiles;

/// A few milliseconds' worth of names.
const MOST_NAMES: usize = 2_000;

/// A step of a pattern.
enum ExpandPart<'a> {
    /// Any number of directories; `true` if those that begin with a dot count.
    AnyDepth(bool),
    Name(&'a str),
}

/// What a pattern matches in the project, also one from the root of the file system. `None` if that is too much to look
/// at.
pub(super) fn expand(
    root: &AbsPath,
    ignored: &IgnoredFiles,
    pattern: &str,
) -> Option<Vec<ExistingFile>> {
    let names = pattern.split('/');
    let mut names = names
        .filter(|part| !matches!(*part, "" | "."))
        .collect::<Vec<_>>();
    // What stands before the first wildcard is a directory, and is not looked for.
    let is_wild = |part: &&str| part.contains(['*', '?', '[', '\\', SOME_NAME]);
    let wild = names.split_off(names.iter().position(is_wild).unwrap_or(names.len()));
    let start = match pattern.starts_with('/') {
        true => format!("/{}", names.join("/")),
        false => names.join("/"),
    };
    let parts: Vec<ExpandPart<'_>> = wild
        .into_iter()
        .map(|part| match part {
            "**" => ExpandPart::AnyDepth(false),
            part if part.len() == 2 && part.chars().all(|it| it == SOME_NAME) => {
                ExpandPart::AnyDepth(true)
            }
            part => ExpandPart::Name(part),
        })
        .collect();
    let mut walk = ExpandWalk::new(root, ignored);
    walk.start(start, 0);
    walk.run(&parts)
}

/// Everything in a directory.
pub(super) fn below(
    root: &AbsPath,
    ignored: &IgnoredFiles,
    path: &ProjectPath,
) -> Option<Vec<ExistingFile>> {
    let name = SOME_NAME.to_string();
    let mut walk = ExpandWalk::new(root, ignored);
    walk.start(path.as_str().to_owned(), 0);
    walk.run(&[ExpandPart::AnyDepth(true), ExpandPart::Name(&name)])
}

struct ExpandWalk<'a> {
    root: &'a AbsPath,
    ignored: &'a IgnoredFiles,
    /// Directories, relative to the root or absolute, each with the part of the pattern that its entries must match.
    todo: VecDeque<(String, usize)>,
    found: Vec<ExistingFile>,
    seen: usize,
}

impl<'a> ExpandWalk<'a> {
    fn new(root: &'a AbsPath, ignored: &'a IgnoredFiles) -> Self {
        Self {
            root,
            ignored,
            todo: VecDeque::new(),
            found: Vec::new(),
            seen: 0,
        }
    }

    fn start(&mut self, directory: String, part: usize) {
        self.todo.push_back((directory, part));
    }

    fn run(mut self, parts: &[ExpandPart<'_>]) -> Option<Vec<ExistingFile>> {
        while let Some((directory, part_idx)) = self.todo.pop_front() {
            let here = if directory.is_empty() {
                self.root.as_path().to_owned()
            } else {
                self.root.as_path().join(&directory)
            };
            if let Some(ExpandPart::AnyDepth(_)) = parts.get(part_idx) {
                // It may stand for no directory at all.
                self.start(directory.clone(), part_idx + 1);
            }
            // What is not there, or cannot be read, matches nothing.
            let Ok(entries) = fs::read_dir(here) else {
                continue;
            };
            for entry in entries.flatten() {
                self.seen += 1;
                if self.seen > MOST_NAMES {
                    return None;
                }
                self.visit(&entry, &directory, (parts, part_idx));
            }
        }
        Some(self.found)
    }

    fn visit(
        &mut self,
        entry: &fs::DirEntry,
        directory: &str,
        (parts, part_idx): (&[ExpandPart<'_>], usize),
    ) {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { return };
        let path = if directory.is_empty() || directory.ends_with('/') {
            format!("{directory}{name}")
        } else {
            format!("{directory}/{name}")
        };
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        match parts.get(part_idx) {
            None => {}
            Some(ExpandPart::AnyDepth(dots))
                if is_directory && (*dots || !name.starts_with('.')) =>
            {
                self.start(path, part_idx);
            }
            Some(ExpandPart::AnyDepth(_)) => {}
            Some(ExpandPart::Name(pattern)) if !matches(pattern, name) => {}
            Some(ExpandPart::Name(_)) if part_idx + 1 == parts.len() => {
                // A link is what it leads to.
                if let Ok(path) = follow(self.root, &path) {
                    let ignored = self.ignored.hides(&path);
                    self.found.push(ExistingFile { path, ignored });
                }
            }
            Some(ExpandPart::Name(_)) => self.start(path, part_idx + 1),
        }
    }
}

/// Whether a pattern of the shell matches a name. A wildcard in front does not stand for a dot.
fn matches(pattern: &str, name: &str) -> bool {
    let hides_dot = pattern.starts_with(['*', '?', '[']) && name.starts_with('.');
    // More wildcards than a person writes cost more than they say.
    let is_costly = pattern.matches(['*', SOME_NAME]).count() > 8;
    // The directory that a line runs in is part of the pattern, however it is called.
    pattern == name || !hides_dot && (is_costly || text_matches(pattern, name))
}

fn text_matches(pattern: &str, name: &str) -> bool {
    let (mut patterns, mut names) = (pattern.chars(), name.chars());
    match (patterns.next(), names.next()) {
        (None, None) => true,
        (Some('*' | SOME_NAME), _) => {
            text_matches(patterns.as_str(), name)
                || (!name.is_empty() && text_matches(pattern, names.as_str()))
        }
        (Some('?'), Some(_)) => text_matches(patterns.as_str(), names.as_str()),
        // What is in the brackets is not looked at: it may match.
        (Some('['), Some(_)) => {
            let rest = patterns
                .as_str()
                .split_once(']')
                .map_or("", |(_, rest)| rest);
            text_matches(rest, names.as_str())
        }
        (Some('\\'), Some(other)) => {
            patterns.next() == Some(other) && text_matches(patterns.as_str(), names.as_str())
        }
        (Some(one), Some(other)) => one == other && text_matches(patterns.as_str(), names.as_str()),
        (None, Some(_)) | (Some(_), None) => false,
    }
}
