//! Which crate may depend on which: the list of allowed edges, all of which lead to a lower layer.

use anyhow::{Context as _, Result};
use serde_json::Value;

/// The design's layers, lowest first.
const LAYERS: [&[&str]; 8] = [
    &[
        "mk-types",
        "mk-document",
        "mk-shell",
        "mk-jsregex",
        "mk-grammars",
    ],
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
/// What each crate may depend on. Faces and tools see the engine, the words of policy and types, and nothing else below.
const EDGES: &[(&str, &[&str])] = &[
    (
        "mk-policy",
        &["mk-types", "mk-document", "mk-shell", "mk-jsregex"],
    ),
    ("mk-clients", &["mk-types", "mk-document"]),
    ("mk-prompt", &["mk-types"]),
    ("mk-project", &["mk-types", "mk-policy", "mk-clients"]),
    ("mk-store", &["mk-types"]),
    (
        "mk-playbook",
        &[
            "mk-types",
            "mk-clients",
            "mk-document",
            "mk-prompt",
            "mk-project",
        ],
    ),
    (
        "mk-symbols",
        &["mk-types", "mk-grammars", "mk-clients", "mk-project"],
    ),
    ("mk-lsp", &["mk-types", "mk-project"]),
    (
        "mk-engine",
        &[
            "mk-types",
            "mk-document",
            "mk-policy",
            "mk-clients",
            "mk-prompt",
            "mk-project",
            "mk-store",
            "mk-playbook",
            "mk-symbols",
            "mk-lsp",
        ],
    ),
    ("mk-tools", &["mk-types", "mk-policy", "mk-engine"]),
    (
        "mk-mcp",
        &[
            "mk-types",
            "mk-policy",
            "mk-clients",
            "mk-engine",
            "mk-tools",
        ],
    ),
    (
        "mk-acp",
        &[
            "mk-types",
            "mk-policy",
            "mk-clients",
            "mk-engine",
            "mk-tools",
        ],
    ),
    (
        "mk-web",
        &[
            "mk-types",
            "mk-policy",
            "mk-clients",
            "mk-engine",
            "mk-tools",
        ],
    ),
    (
        "modekeeper",
        &[
            "mk-types",
            "mk-policy",
            "mk-clients",
            "mk-wall", // for `exec` alone
            "mk-engine",
            "mk-tools",
            "mk-mcp",
            "mk-acp",
            "mk-web",
        ],
    ),
    // `train` and inference must make the same features of a prompt.
    ("xtask", &["mk-prompt"]),
];
/// Helps the tests of every layer, and is part of none.
const FOR_TESTS: &str = "mk-testkit";
/// Uses the product from outside only.
const OUTSIDE: &str = "xtask";
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
    if name == FOR_TESTS {
        return None;
    }
    if let (Some(layer), Some(other_layer)) = (layer(name), layer(other))
        && other_layer >= layer
    {
        return Some(format!(
            "`{name}` of layer {layer} needs `{other}` of layer {other_layer}: only lower layers may be used"
        ));
    }
    let allowed = EDGES.iter().find(|(from, _)| *from == name);
    let is_allowed = allowed.is_some_and(|(_, to)| to.contains(&other));
    // Tests may build the parts of an engine, which are below it.
    let is_part = need.for_tests && layer(other) < layer("mk-engine");
    (!is_allowed && !is_part).then(|| {
        format!(
            "`{name}` may not depend on `{other}`: ask the engine, or add the edge to the design"
        )
    })
}
