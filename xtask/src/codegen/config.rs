//! The configuration: what each value is by default, and which file key, variable and flag set it.
//!
//! All of it is found by trying: `config show` says for each value where it comes from.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value, json};

use super::cli::Help;
use super::{Asked, cell, header};
use crate::workspace;

/// Where the names of the variables are declared.
const VARIABLES: &str = "crates/modekeeper/src/env.rs";
const FILE: &str = "probe.json";

/// What values mean whose flag does not say so.
const ABOUT: [(&str, &str); 18] = [
    (
        "paths.config_dir",
        "Where `config.json` and `modes.yaml` are",
    ),
    (
        "paths.global_config_dir",
        "Where the global modes of Roo and its family are",
    ),
    (
        "sessions.timeout",
        "Seconds without activity after which a session expires",
    ),
    (
        "sessions.cleanup_interval",
        "Seconds between two removals of expired sessions",
    ),
    (
        "sessions.persistence.enabled",
        "Whether sessions are kept on disk",
    ),
    (
        "sessions.persistence.storage_path",
        "Folder of the database",
    ),
    ("logging.file", "File to log to, beside stderr"),
    (
        "approval_timeout",
        "Seconds that a call waits for a person's answer",
    ),
    (
        "toolsets",
        "Families of tools to offer: modes, files, memory, project",
    ),
    (
        "project_folders",
        "Folders whose projects agents may activate without asking",
    ),
    (
        "read_only_memories",
        "Globs of memories that agents may not change",
    ),
    (
        "language_servers",
        "Language servers of yours, before the known ones: objects with `language`, `command` (program and arguments), \
         `extensions` (for a language that is not known), `options` (for its start), `settings` (by section), `warm` \
         (`progress`, `status`, `nothing` or `{\"log\": text}`)",
    ),
    (
        "run_project_code",
        "Whether language servers may run code of the project: build scripts, macros, programs in `node_modules` and `.venv`",
    ),
    ("http.rate_limits", "Whether calls over HTTP are limited"),
    ("http.listen", "Address and port of `modekeeper serve`"),
    ("http.allow_hosts", "Host names that clients may use"),
    ("http.allow_origins", "Web pages that may connect"),
    ("paths.project_root", "Project folder"),
];

#[derive(Debug, Default)]
struct Sources {
    in_file: bool,
    variables: Vec<String>,
    flags: Vec<String>,
    about: Option<String>,
}

pub(super) fn document(asked: &Asked<'_>) -> Result<String> {
    let defaults =
        show(asked, &[], &[])?.context("modekeeper config show fails on its defaults")?;
    let mut sources: BTreeMap<&str, Sources> = BTreeMap::new();
    for key in defaults.keys() {
        sources.insert(key, Sources::default());
    }
    file_keys(asked, &defaults, &mut sources)?;
    let moved = variables(asked, &defaults, &mut sources)?;
    flags(asked, &defaults, &mut sources)?;
    render(asked, &defaults, &sources, &moved)
}

fn render(
    asked: &Asked<'_>,
    defaults: &Map<String, Value>,
    sources: &BTreeMap<&str, Sources>,
    moved: &[(String, String)],
) -> Result<String> {
    let mut text = header("Configuration", "`modekeeper config show`");
    text.push_str(
        "A flag beats an environment variable, a variable beats the file, and the file beats the default.\n\
         `modekeeper config show` prints every value and where it comes from.\n\
         In `config.json`, `a.b` is the key `b` of the object `a`.\n\n\
         | value | default | in the file | variable | flag | about |\n| --- | --- | --- | --- | --- | --- |\n",
    );
    for (key, value) in defaults {
        let sources = sources.get(key.as_str()).context("a key without sources")?;
        let default = match (&value["value"], value["origin"].as_str()) {
            (_, Some(origin)) if origin != "default" => origin.to_owned(),
            (Value::Null, _) => "none".to_owned(),
            (Value::String(text), _) => format!("`{}`", asked.anonymous(text)),
            (value, _) => format!("`{value}`"),
        };
        let code = |names: &[String]| {
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            names.join(", ")
        };
        let about = match ABOUT.iter().find(|(name, _)| name == key) {
            Some((_, about)) => (*about).to_owned(),
            None => match &sources.about {
                Some(about) => about.clone(),
                None => bail!("xtask/src/codegen/config.rs does not say what `{key}` is"),
            },
        };
        writeln!(
            text,
            "| `{key}` | {} | {} | {} | {} | {} |",
            cell(&default),
            if sources.in_file { "yes" } else { "" },
            code(&sources.variables),
            code(&sources.flags),
            cell(&about)
        )?;
    }
    if !moved.is_empty() {
        text.push_str("\nDefaults follow these variables:\n\n");
    }
    for (variable, key) in moved {
        writeln!(text, "- `{variable}`: `{key}`")?;
    }
    Ok(text)
}

/// What `config show` says; `None` if it refuses the arguments.
fn show(
    asked: &Asked<'_>,
    arguments: &[&str],
    variables: &[(&str, &OsStr)],
) -> Result<Option<Map<String, Value>>> {
    let mut command = asked.command();
    command.args(["config", "show", "--json"]).args(arguments);
    command.envs(variables.iter().copied());
    let output = command.output()?;
    if !output.status.success() {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&output.stdout)?))
}

/// The key whose value comes from there.
fn coming_from<'a>(shown: &'a Map<String, Value>, origin: &str) -> Option<&'a str> {
    let found = shown.iter().find(|(_, value)| value["origin"] == origin);
    found.map(|(key, _)| key.as_str())
}

/// Sets each key to its default, one by one.
fn file_keys(
    asked: &Asked<'_>,
    defaults: &Map<String, Value>,
    sources: &mut BTreeMap<&str, Sources>,
) -> Result<()> {
    let path = asked.home.path().join(FILE);
    let path_text = path.display().to_string();
    for (key, value) in defaults {
        let value = match &value["value"] {
            Value::Null => json!(asked.home.path().join("file")),
            value => value.clone(),
        };
        let nested = key
            .rsplit('.')
            .fold(value, |inner, name| json!({ name: inner }));
        std::fs::write(&path, nested.to_string())?;
        let shown = show(asked, &["--config", &path_text], &[])?;
        let shown = shown.with_context(|| format!("a file with `{key}` is refused"))?;
        if let Some(key) = coming_from(&shown, &path_text)
            && let Some(sources) = sources.get_mut(key)
        {
            sources.in_file = true;
        }
    }
    std::fs::remove_file(&path)?;
    Ok(())
}

/// Tries every default as the value of every variable; returns variables that only move defaults.
fn variables(
    asked: &Asked<'_>,
    defaults: &Map<String, Value>,
    sources: &mut BTreeMap<&str, Sources>,
) -> Result<Vec<(String, String)>> {
    let declared = std::fs::read_to_string(workspace::root().join(VARIABLES))?;
    let mut names: Vec<_> = declared
        .split('"')
        .skip(1)
        .step_by(2)
        .filter(|name| name.contains('_'))
        .filter(|name| name.chars().all(|it| it.is_ascii_uppercase() || it == '_'))
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut moved = Vec::new();
    'names: for name in names {
        for value in candidates(defaults) {
            let value = OsStr::new(&value);
            if let Some(shown) = show(asked, &[], &[(name, value)])?
                && let Some(key) = coming_from(&shown, name)
                && let Some(sources) = sources.get_mut(key)
            {
                sources.variables.push(name.to_owned());
                continue 'names;
            }
        }
        let elsewhere = asked.home.path().join("elsewhere");
        let shown = show(asked, &[], &[(name, elsewhere.as_os_str())])?.unwrap_or_default();
        let changed = shown
            .iter()
            .filter(|(key, value)| defaults.get(*key) != Some(value));
        let mut changed = changed.peekable();
        if changed.peek().is_none() {
            bail!("{VARIABLES} declares `{name}`, but it sets nothing");
        }
        moved.extend(changed.map(|(key, _)| (name.to_owned(), key.clone())));
    }
    Ok(moved)
}

/// Tries every default as the value of every flag. Those of `serve` cannot be tried: they go by their names.
fn flags(
    asked: &Asked<'_>,
    defaults: &Map<String, Value>,
    sources: &mut BTreeMap<&str, Sources>,
) -> Result<()> {
    let common = Help::read(asked, &["config".to_owned(), "show".to_owned()])?;
    for flag in common.options() {
        let valued = candidates(defaults).into_iter().map(Some);
        for value in std::iter::once(None).chain(valued) {
            let arguments: Vec<_> = std::iter::once(flag.as_str())
                .chain(value.as_deref())
                .collect();
            let Ok(Some(shown)) = show(asked, &arguments, &[]) else {
                continue;
            };
            if let Some(key) = coming_from(&shown, &flag)
                && let Some(sources) = sources.get_mut(key)
            {
                sources.flags.push(flag.clone());
                sources.about = common.about(&flag);
                break;
            }
        }
    }
    let serve = Help::read(asked, &["serve".to_owned()])?;
    let common = common.options();
    for flag in serve.options() {
        let name = flag.trim_start_matches("--").replace('-', "_");
        let key = defaults.keys().find(|key| {
            let last = key.rsplit('.').next().unwrap_or_default();
            last.trim_end_matches('s') == name
        });
        if let Some(sources) = key.and_then(|key| sources.get_mut(key.as_str()))
            && !common.contains(&flag)
        {
            sources.flags.push(format!("serve {flag}"));
        }
    }
    Ok(())
}

/// Values that some key takes.
fn candidates(defaults: &Map<String, Value>) -> Vec<String> {
    let values = defaults
        .values()
        .filter_map(|value| value["value"].as_str());
    values.map(str::to_owned).collect()
}
