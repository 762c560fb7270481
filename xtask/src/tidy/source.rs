//! Rules about single files: headers, sizes, leftovers, paths of one machine.
//!
//! It reads text, not syntax: a rule that needs a parser belongs to clippy.

use std::path::{Path, PathBuf};

use super::Findings;
use crate::workspace::has_extension;

const SOFT_LIMIT: usize = 500;
const HARD_LIMIT: usize = 800;

/// In pieces, because this file is checked too.
const PLACEHOLDER: &str = concat!("In ", "progress.");
const LEFTOVERS: [(&str, &str); 4] = [
    (concat!("todo", "!("), "finish it, or leave it out"),
    (concat!("unimplemented", "!("), "finish it, or leave it out"),
    (
        concat!("#[ig", "nore"),
        "a test that does not run proves nothing",
    ),
    (concat!("#[should", "_panic"), "check the error instead"),
];
/// What is done in one place, and where that is.
const ONCE: [(&str, &str, &str); 2] = [
    (
        "PoisonError",
        "crates/mk-types/src/lock.rs",
        "mk_types::lock",
    ),
    (
        "GlobBuilder::",
        "crates/mk-types/src/glob.rs",
        "mk_types::path_glob",
    ),
];
/// Places that exist on one machine only.
const PLACES: [&str; 4] = [
    concat!("/wo", "rk/"),
    concat!("/fa", "rm/"),
    concat!("/ro", "ot/"),
    concat!("/tmp/bash", "_jobs"),
];
/// Packages are named, not the hosts they come from: those differ from place to place.
const HOSTS: [&str; 6] = [
    concat!("registry.npm", "js.org"),
    concat!("pypi", ".org"),
    concat!("python", "hosted.org"),
    concat!("index.crates", ".io"),
    concat!("static.crates", ".io"),
    concat!("deb.debian", ".org"),
];

pub(crate) fn check(files: &[(PathBuf, String)], findings: &mut Findings) {
    for (path, text) in files {
        let mut problems = rust(path, text);
        problems.extend(places(path, text));
        problems.extend(content(path, text));
        problems.extend(unreached(path, files));
        findings.problems.extend(named(path, problems));
        let warnings = growing(path, text).into_iter().collect();
        findings.warnings.extend(named(path, warnings));
    }
}

fn named(path: &Path, findings: Vec<String>) -> impl Iterator<Item = String> {
    findings
        .into_iter()
        .map(move |finding| format!("{}: {finding}", path.display()))
}

/// Rules for Rust.
pub(crate) fn rust(path: &Path, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if !has_extension(path, "rs") {
        return problems;
    }
    if path.file_name().is_some_and(|name| name == "mod.rs") {
        problems.push("name it after its module, beside the folder".to_owned());
    }
    if !text.starts_with("//!") {
        problems.push("open it with `//!`: what it is for, and what it does not do".to_owned());
    }
    if text.contains(PLACEHOLDER) || text.lines().all(|line| line.starts_with("//!")) {
        problems.push("there is no code in it".to_owned());
    }
    for (leftover, advice) in LEFTOVERS {
        if let Some(number) = line_of(text, leftover) {
            problems.push(format!("line {number}: `{leftover}`: {advice}"));
        }
    }
    for (word, place, instead) in ONCE {
        let is_elsewhere = !path.starts_with("xtask") && path != Path::new(place);
        if let (true, Some(number)) = (is_elsewhere, line_of(text, word)) {
            problems.push(format!("line {number}: use `{instead}`"));
        }
    }
    let lines = text.lines().count();
    if !is_test(path) && lines > HARD_LIMIT {
        problems.push(format!(
            "{lines} lines: split it by idea, {HARD_LIMIT} at most"
        ));
    }
    problems
}

/// A module that should be split soon.
pub(crate) fn growing(path: &Path, text: &str) -> Option<String> {
    let lines = text.lines().count();
    let grows = has_extension(path, "rs") && !is_test(path);
    (grows && lines > SOFT_LIMIT && lines <= HARD_LIMIT)
        .then(|| format!("{lines} lines, more than {SOFT_LIMIT}"))
}

/// Rules for every text.
pub(crate) fn places(path: &Path, text: &str) -> Vec<String> {
    // Cargo writes it, and names the source of each package.
    if path == Path::new("Cargo.lock") {
        return Vec::new();
    }
    let place = |place: &&str| {
        let found = text.lines().position(|line| names_place(line, place))?;
        let number = found + 1;
        Some(format!("line {number}: `{place}` is on one machine only"))
    };
    let host = |host: &&str| {
        let number = line_of(text, host)?;
        Some(format!("line {number}: names the host of a registry"))
    };
    let mut problems: Vec<_> = PLACES.iter().filter_map(place).collect();
    problems.extend(HOSTS.iter().filter_map(host));
    problems
}

/// Whether a path begins with the place: `../root/docs` is elsewhere, and so is a file of a fixture.
fn names_place(line: &str, place: &str) -> bool {
    let within_path = |it: char| it.is_alphanumeric() || "._-~@/}>*".contains(it);
    let begins = |(index, _): (usize, &str)| {
        let before = line.get(..index).and_then(|it| it.chars().next_back());
        !before.is_some_and(within_path)
    };
    !line.trim_start().starts_with("//- ") && line.match_indices(place).any(begins)
}

/// What people edit without Rust has to be readable at least; what it means is tested by its loader.
pub(crate) fn content(path: &Path, text: &str) -> Vec<String> {
    let yaml = has_extension(path, "yaml") || has_extension(path, "yml");
    if !path.starts_with("content") || !yaml {
        return Vec::new();
    }
    match serde_saphyr::from_str::<serde_json::Value>(text) {
        Ok(_) => Vec::new(),
        Err(error) => vec![format!("not YAML: {error}")],
    }
}

/// A file that no `mod` names is never compiled, and its tests never run.
fn unreached(path: &Path, files: &[(PathBuf, String)]) -> Option<String> {
    let (folder, name) = (path.parent()?, path.file_stem()?.to_str()?);
    let is_root = folder.ends_with("src") || folder.ends_with("tests/it");
    let below_root = path
        .ancestors()
        .any(|it| it.ends_with("src") || it.ends_with("tests/it"));
    if !has_extension(path, "rs") || !below_root || ["lib", "main"].contains(&name) {
        return None;
    }
    let parents = if is_root {
        vec![folder.join("lib.rs"), folder.join("main.rs")]
    } else {
        vec![folder.with_extension("rs")]
    };
    let declaration = format!("mod {name};");
    let reached = files
        .iter()
        .any(|(path, text)| parents.contains(path) && text.contains(&declaration));
    let is_built = reached
        || files
            .iter()
            .any(|(manifest, text)| names_script(manifest, text, path));
    (!is_built).then(|| format!("no `{declaration}` above it: it is not compiled"))
}

/// Whether a manifest names this file as its crate's build script.
fn names_script(manifest: &Path, text: &str, path: &Path) -> bool {
    let (true, Some(root)) = (manifest.ends_with("Cargo.toml"), manifest.parent()) else {
        return false;
    };
    let script = path.strip_prefix(root).map(Path::display);
    script.is_ok_and(|script| text.contains(&format!("build = \"{script}\"")))
}

fn is_test(path: &Path) -> bool {
    path.iter()
        .any(|part| part == "tests" || part == "tests.rs")
}

fn line_of(text: &str, pattern: &str) -> Option<usize> {
    let found = text.lines().position(|line| line.contains(pattern))?;
    Some(found + 1)
}
