//! Which crate may know which: only lower layers, and nobody on its own.

use anyhow::{Context as _, Result};
use serde_json::Value;

/// The design's layers, lowest first.
const LAYERS: [&[&str]; 8] = [
    &["mk-types", "mk-document", "mk-shell", "mk-jsregex"],
    &["mk-policy", "mk-clients", "mk-prompt"],
    &["mk-project"],
    &[
        "mk-store",
        "mk-playbook",
        "mk-symbols",
        "mk-lsp",
        "mk-wall",
        "mk-gateway",
    ],
    &["mk-engine"],
    &["mk-tools"],
    &["mk-mcp", "mk-acp", "mk-web"],
    &["modekeeper"],
];
/// Helps the tests of every layer, and is part of none.
const FOR_TESTS: &str = "mk-testkit";
/// Uses the product from outside only.
const OUTSIDE: &str = "xtask";
/// But for one crate: `train` and inference must make the same features of a prompt.
const TRAINED: &str = "mk-prompt";

/// A member of the workspace and the members it asks for.
#[derive(Debug)]
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) needs: Vec<Need>,
}

#[derive(Debug)]
pub(crate) struct Need {
    pub(crate) name: String,
    pub(crate) for_tests: bool,
}

/// Reads `cargo metadata`.
pub(crate) fn crates(metadata: &Value) -> Result<Vec<Crate>> {
    let packages = metadata["packages"].as_array().context("no packages")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let need = |value: &Value| Need {
        name: text(&value["name"]),
        for_tests: value["kind"] == "dev",
    };
    let members = packages.iter().map(|package| Crate {
        name: text(&package["name"]),
        needs: package["dependencies"]
            .as_array()
            .into_iter()
            .flatten()
            // What has a path is ours.
            .filter(|value| value["path"].is_string())
            .map(need)
            .collect(),
    });
    Ok(members.collect())
}

pub(crate) fn check(crates: &[Crate]) -> Vec<String> {
    let mut problems = Vec::new();
    for Crate { name, needs } in crates {
        if layer(name).is_none() && name != FOR_TESTS && name != OUTSIDE {
            problems.push(format!("`{name}` has no layer: add it to the design first"));
            continue;
        }
        for need in needs {
            if let Some(problem) = forbidden(name, need) {
                problems.push(problem);
            }
        }
    }
    problems
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|names| names.contains(&name))
}

fn forbidden(name: &str, need: &Need) -> Option<String> {
    let other = need.name.as_str();
    if other == FOR_TESTS {
        return (!need.for_tests).then(|| {
            format!("`{name}` needs `{other}` outside of tests: make it a dev-dependency")
        });
    }
    if name == FOR_TESTS || (name == OUTSIDE && other == TRAINED) {
        return None;
    }
    match (layer(name), layer(other)) {
        (Some(layer), Some(lower)) if lower < layer => None,
        (Some(layer), Some(lower)) if lower == layer => Some(format!(
            "`{name}` needs `{other}` of its own layer {layer}: what both need belongs to a lower one"
        )),
        (Some(layer), Some(higher)) => Some(format!(
            "`{name}` of layer {layer} needs `{other}` of layer {higher}: only lower layers may be used"
        )),
        _ => Some(format!(
            "`{name}` needs `{other}`: xtask and the product do not know each other"
        )),
    }
}
