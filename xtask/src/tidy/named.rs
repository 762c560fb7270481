//! What documents name exists: files, links, crates, flags, settings, tools, variables and identifiers.
//!
//! Also in the reasons of clippy.toml and the comments of manifests. It reads text: code in blocks is left to the tests
//! that run it, except for the flags of `modekeeper`.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::workspace::{self, has_extension};

/// Where paths of the repository begin.
const ROOTS: [&str; 8] = [
    "crates/", "docs/", "content/", "tests/", "xtask/", ".ci/", ".cargo/", ".config/",
];
/// Signs that a path or a name is only a pattern for many.
const PLACEHOLDERS: [char; 7] = ['<', '>', '{', '}', '*', '…', ' '];
/// Sections of the configuration.
const SECTIONS: [&str; 4] = ["http.", "logging.", "paths.", "sessions."];
/// Generated from what the binary says.
const COMMAND_LINE: &str = "docs/reference/cli.md";
const SETTINGS: &str = "docs/reference/config.md";

pub(crate) fn check(files: &[(PathBuf, String)], crates: &[String]) -> Vec<String> {
    let names = Names::new(files, crates);
    let mut problems = Vec::new();
    for (path, text) in files {
        let spans = match path.to_str() {
            Some("clippy.toml") => reasons(text),
            Some(name) if name.ends_with("Cargo.toml") => comments(text),
            Some(_) if is_document(path) => spans(text),
            _ => continue,
        };
        for (line, span) in spans {
            if let Some(problem) = names.unknown(path, &span) {
                problems.push(format!("{}: line {line}: {problem}", path.display()));
            }
        }
        if is_document(path) {
            problems.extend(names.broken_links(path, text));
        }
    }
    problems
}

/// Documents about the product; content is the product, and the change log speaks of what is gone.
fn is_document(path: &Path) -> bool {
    let generated = path.starts_with("docs/reference");
    // The tables of docs/policy are examples, which the tests of mk-policy run.
    let elsewhere = ["content", "tests", "docs/policy"]
        .iter()
        .any(|it| path.starts_with(it));
    has_extension(path, "md") && !generated && !elsewhere && path != Path::new("CHANGELOG.md")
}

#[derive(Debug)]
struct Names<'a> {
    files: &'a [(PathBuf, String)],
    paths: BTreeSet<PathBuf>,
    crates: &'a [String],
    command_line: &'a str,
    settings: &'a str,
    /// Every word of what is not a document.
    words: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    fn new(files: &'a [(PathBuf, String)], crates: &'a [String]) -> Self {
        let text_of = |wanted: &str| {
            let found = files.iter().find(|(path, _)| path == Path::new(wanted));
            found.map_or("", |(_, text)| text.as_str())
        };
        let is_source = |path: &Path| !has_extension(path, "md") && !has_extension(path, "toml");
        let sources = files.iter().filter(|(path, _)| is_source(path));
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let directories = files.iter().flat_map(|(path, _)| path.ancestors());
        Self {
            files,
            paths: directories.map(Path::to_owned).collect(),
            crates,
            command_line: text_of(COMMAND_LINE),
            settings: text_of(SETTINGS),
            words: sources
                .flat_map(|(_, text)| text.split(move |letter| !is_part(letter)))
                .collect(),
        }
    }

    /// Why the span names nothing; `None` if it names something, or is not a name.
    fn unknown(&self, document: &Path, span: &str) -> Option<String> {
        if let Some(rest) = span.strip_prefix("modekeeper ") {
            let flags = rest
                .split_whitespace()
                .filter(|word| word.starts_with("--"));
            return flags.filter_map(|flag| self.unknown_flag(flag)).next();
        }
        if span.starts_with("--") {
            return self.unknown_flag(span);
        }
        if span.contains(PLACEHOLDERS) || span.contains("..") {
            return None;
        }
        if ROOTS.iter().any(|root| span.starts_with(root)) {
            return (!self.paths.contains(Path::new(span.trim_end_matches('/'))))
                .then(|| format!("there is no `{span}`"));
        }
        if let Some(name) = span.strip_prefix("mk-") {
            let known = self.crates.iter().any(|it| it == span) || name.contains(['/', '.']);
            return (!known).then(|| format!("there is no crate `{span}`"));
        }
        if SECTIONS.iter().any(|section| span.starts_with(section)) && !span.ends_with(".rs") {
            let known = self.settings.contains(&format!("| `{span}` |"));
            return (!known).then(|| format!("there is no setting `{span}`"));
        }
        let last = span.rsplit("::").next().unwrap_or(span);
        let is_name =
            last.contains('_') || span.contains("::") || document == Path::new("clippy.toml");
        let is_identifier = last.chars().all(|it| it.is_alphanumeric() || it == '_');
        (is_name && is_identifier && !self.words.contains(last))
            .then(|| format!("`{span}` is nowhere in the sources"))
    }

    fn unknown_flag(&self, flag: &str) -> Option<String> {
        let name = flag.split(['=', ' ']).next().unwrap_or(flag);
        let words = self
            .command_line
            .split(|it: char| !it.is_alphanumeric() && it != '-');
        let known = words.into_iter().any(|word| word == name);
        (!known).then(|| format!("`modekeeper` has no flag `{name}`"))
    }

    fn broken_links(&self, document: &Path, text: &str) -> Vec<String> {
        let directory = document.parent().unwrap_or(Path::new(""));
        let links = text.match_indices("](").filter_map(|(at, _)| {
            let rest = text.get(at + 2..)?;
            Some(rest.split_once(')')?.0)
        });
        let broken = links.filter(|link| !link.contains("://")).filter(|link| {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() {
                document.to_owned()
            } else {
                normal(&directory.join(path))
            };
            let text = self.files.iter().find(|(path, _)| *path == target);
            let heading =
                anchor.is_empty() || text.is_some_and(|(_, text)| has_heading(text, anchor));
            // Pictures are no text, and so not among the files.
            let is_there =
                self.paths.contains(&target) || workspace::root().join(&target).is_file();
            !is_there || !heading
        });
        broken
            .map(|link| format!("{}: the link `{link}` leads nowhere", document.display()))
            .collect()
    }
}

fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(normal.pop()),
            other => normal.push(other),
        }
    }
    normal
}

/// As forges make anchors: lower case, spaces as dashes, other signs dropped.
fn has_heading(text: &str, anchor: &str) -> bool {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| line.trim_start_matches('#').trim().to_lowercase())
        .any(|title| {
            let kept = title
                .chars()
                .filter(|it| it.is_alphanumeric() || " -_".contains(*it));
            kept.map(|it| if it == ' ' { '-' } else { it })
                .collect::<String>()
                == anchor
        })
}

/// Inline code of a document, outside of blocks; and calls of `modekeeper` in blocks.
fn spans(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (at, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = !inside;
        } else if inside {
            let call = line.trim_start_matches("$ ");
            let call = call.split(" #").next().unwrap_or(call);
            found.extend(
                call.starts_with("modekeeper ")
                    .then(|| (at + 1, call.to_owned())),
            );
        } else {
            let parts = line.split('`').skip(1).step_by(2);
            found.extend(parts.map(|span| (at + 1, span.to_owned())));
        }
    }
    found
}

/// Paths and names in the reasons of clippy.toml.
fn reasons(text: &str) -> Vec<(usize, String)> {
    let lines = text.lines().enumerate().filter_map(|(at, line)| {
        let (_, reason) = line.split_once("reason = \"")?;
        Some((at + 1, reason.split('"').next()?))
    });
    lines
        .flat_map(|(at, reason)| {
            let words = reason.split([' ', ',', ';', '`']);
            let named = words.filter(|word| word.contains("::") || word.contains('/'));
            named
                .map(move |word| (at, word.to_owned()))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Inline code in the comments of a manifest.
fn comments(text: &str) -> Vec<(usize, String)> {
    let lines = text.lines().enumerate();
    let comments = lines.filter_map(|(at, line)| Some((at + 1, line.split_once('#')?.1)));
    comments
        .flat_map(|(at, comment)| {
            let spans = comment.split('`').skip(1).step_by(2);
            spans
                .map(move |span| (at, span.to_owned()))
                .collect::<Vec<_>>()
        })
        .collect()
}
