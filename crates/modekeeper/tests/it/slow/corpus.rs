//! Mode files in every shape that people write: every valid mode loads, every other one has its line.
//!
//! What is valid is decided by a reader of the test's own: a plain parse, and the rules of the original extension
//! applied to each mode by itself. Beyond those rules we take several entries of one group, a `null` where a text or
//! the list of modes may be missing, the groups `browser` and `web`, and the source `organization`.
//!
//! The files of `tests/mode-files` are ours; each is named after its shape. Files of public repositories are not ours
//! to publish, so they are tried where a copy lies beside the checkout.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::sandbox::Sandbox;

const GROUPS: [&str; 7] = ["read", "edit", "browser", "web", "command", "mcp", "modes"];
const SOURCES: [&str; 3] = ["global", "project", "organization"];

#[test]
fn every_valid_mode_of_a_file_loads_and_every_other_has_its_line() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = root.join("tests/mode-files");
    let shared = Some(root.join("../shared/data/mode-files")).filter(|folder| folder.is_dir());
    for folder in [Some(&own), shared.as_ref()].into_iter().flatten() {
        let files = files(folder);
        let mut sum = Sum::default();
        for file in &files {
            check(file, &mut sum);
        }
        eprintln!("{}: {} files: {sum:?}", folder.display(), files.len());
        assert!(sum.problems.is_empty(), "{:#?}", sum.problems);
        if *folder == own {
            assert_eq!((sum.valid, sum.invalid, sum.unreadable), (169, 49, 9));
        } else {
            assert!(sum.valid > 300, "{sum:?}");
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("the mode files belong at {}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    // These speak about the files.
    files.retain(|file| !file.ends_with("INDEX.json") && !file.ends_with(".gitattributes"));
    files.sort();
    files
}

#[derive(Debug, Default)]
struct Sum {
    valid: usize,
    invalid: usize,
    unreadable: usize,
    problems: Vec<String>,
}

fn check(file: &Path, sum: &mut Sum) {
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let bytes = std::fs::read(file).unwrap();
    let text = String::from_utf8(bytes.clone()).ok();
    let sandbox = Sandbox::with(".roomodes", &bytes);
    let lint = sandbox.run(&["modes", "lint", "--json"]);
    if !matches!(lint.status.code(), Some(0 | 1)) || lint.stderr.contains("panicked") {
        sum.problems.push(format!("{name}: {lint:#?}"));
        return;
    }
    let lint: Value = serde_json::from_str(&lint.stdout).unwrap();
    let found = lint["diagnostics"].as_array().unwrap();
    let n_lines = text.as_deref().unwrap_or_default().lines().count().max(1);
    for diagnostic in found.iter().filter(|it| !is_placed(it, n_lines)) {
        sum.problems
            .push(format!("{name}: no place or reason: {diagnostic}"));
    }
    let list = sandbox.json(&["modes", "list", "--all", "--json"]);
    let loaded: BTreeSet<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .filter(|mode| mode["file"] == ".roomodes")
        .map(|mode| mode["slug"].as_str().unwrap())
        .collect();

    let Some(items) = text.as_deref().and_then(items) else {
        sum.unreadable += 1;
        // Modes around a syntax error are kept where they can be told; nothing else is.
        let text = text.unwrap_or_default();
        let is_told = |slug: &&str| text.contains(*slug);
        if !loaded.iter().all(is_told) || !found.iter().any(|it| it["severity"] == "error") {
            sum.problems
                .push(format!("{name}: unreadable, but {loaded:?} and {found:?}"));
        }
        return;
    };
    let outcome = FileOutcome {
        name,
        loaded,
        found,
    };
    outcome.check_modes(&items, sum);
}

fn is_placed(diagnostic: &Value, n_lines: usize) -> bool {
    let line = diagnostic["line"].as_u64().unwrap_or(0);
    (1..=n_lines as u64 + 1).contains(&line)
        && diagnostic["file"] == ".roomodes"
        && diagnostic["message"]
            .as_str()
            .is_some_and(|it| !it.is_empty())
}

/// What the program made of a file.
struct FileOutcome<'a> {
    name: String,
    loaded: BTreeSet<&'a str>,
    found: &'a [Value],
}

impl FileOutcome<'_> {
    fn check_modes(&self, items: &[Value], sum: &mut Sum) {
        let Self {
            name,
            loaded,
            found,
        } = self;
        let mut seen = BTreeSet::new();
        let mut nameless = 0;
        for item in items {
            let slug = item["slug"].as_str().unwrap_or_default();
            // Broken or not, the first one of a slug counts.
            let is_first = seen.insert(slug);
            let why = match invalid(item) {
                None if is_first => {
                    sum.valid += 1;
                    if !loaded.contains(slug) {
                        sum.problems.push(format!(
                            "{name}: `{slug}` is valid but not loaded: {found:#?}"
                        ));
                    }
                    continue;
                }
                why => why.unwrap_or("a second mode of this slug"),
            };
            sum.invalid += 1;
            if !is_slug(slug) {
                nameless += 1;
            } else if !found.iter().any(|it| it["mode"] == slug) {
                sum.problems
                    .push(format!("{name}: `{slug}` ({why}) without a diagnostic"));
            }
            // Where a mode comes from limits nothing, so an odd source is no reason to refuse it.
            // A group that nobody knows grants nothing, and its mode stays.
            let is_kept = why == "source" || (why == "a group" && has_unknown_group(item));
            if is_first && !is_kept && loaded.contains(slug) {
                sum.problems
                    .push(format!("{name}: `{slug}` ({why}) is loaded"));
            }
        }
        let lines: BTreeSet<_> = found
            .iter()
            .filter(|it| it["mode"].is_null() && it["severity"] == "error")
            .map(|it| it["line"].as_u64())
            .collect();
        if lines.len() < nameless {
            sum.problems.push(format!(
                "{name}: {nameless} modes without a slug, errors in lines {lines:?}"
            ));
        }
    }
}

/// The entries of `customModes`; `None` where there is no such list.
pub(super) fn items(text: &str) -> Option<Vec<Value>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(_) => {
            // YAML 1.2, in which `yes` is a text.
            let options = serde_saphyr::options! { strict_booleans: true };
            serde_saphyr::from_str_with_options(text, options).ok()?
        }
    };
    match value.get("customModes")? {
        Value::Null => Some(Vec::new()),
        modes => modes.as_array().cloned(),
    }
}

fn is_slug(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || it == '-')
}

/// Why the original extension would not take this mode.
pub(super) fn invalid(mode: &Value) -> Option<&'static str> {
    let text = |key: &str| mode[key].as_str().filter(|text| !text.is_empty());
    if !mode["slug"].as_str().is_some_and(is_slug) {
        return Some("slug");
    }
    if text("name").is_none() {
        return Some("name");
    }
    if text("roleDefinition").is_none() {
        return Some("roleDefinition");
    }
    for key in ["whenToUse", "description", "customInstructions"] {
        if !(mode[key].is_null() || mode[key].is_string()) {
            return Some("an optional text");
        }
    }
    if !(mode["source"].is_null() || SOURCES.iter().any(|it| mode["source"] == *it)) {
        return Some("source");
    }
    let Some(groups) = mode["groups"].as_array() else {
        return Some("groups");
    };
    groups
        .iter()
        .any(|group| !is_group(group))
        .then_some("a group")
}

/// Whether the only thing wrong with a mode's groups is that nobody knows one of them.
fn has_unknown_group(mode: &Value) -> bool {
    let groups = mode["groups"].as_array().into_iter().flatten();
    groups.filter(|group| !is_group(group)).all(|group| {
        let name = group.as_str().or_else(|| group[0].as_str());
        name.is_some_and(|name| !GROUPS.contains(&name))
    })
}

fn is_group(group: &Value) -> bool {
    let known = |name: &Value| GROUPS.iter().any(|group| name == group);
    match group {
        Value::String(_) => known(group),
        Value::Array(parts) => match parts.as_slice() {
            [name, Value::Object(options)] => {
                let described = options
                    .get("description")
                    .is_none_or(|it| it.is_null() || it.is_string());
                let matching = options.get("fileRegex").is_none_or(|it| {
                    it.as_str()
                        .is_some_and(|it| regress::Regex::new(it).is_ok())
                });
                known(name) && described && matching
            }
            _ => false,
        },
        _ => false,
    }
}
