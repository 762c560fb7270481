//! The bill of materials: every package that is linked into the binary, as CycloneDX. What only builds or tests is not
//! in it, and neither is anything that would differ from run to run.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::workspace;

const PRODUCT: &str = "modekeeper";

pub(super) fn bill(version: &str) -> Result<Vec<u8>> {
    let lock = workspace::text("Cargo.lock".as_ref())?.context("Cargo.lock is not text")?;
    let bill = of(&workspace::packages()?, &checksums(&lock), version)?;
    Ok(format!("{bill:#}\n").into_bytes())
}

/// From `cargo metadata` and the checksums of the lock file.
pub(crate) fn of(
    metadata: &Value,
    checksums: &BTreeMap<(String, String), String>,
    version: &str,
) -> Result<Value> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .map(|package| (text(&package["id"]), package))
        .collect();
    let nodes: BTreeMap<String, Vec<String>> = list(&metadata["resolve"]["nodes"])
        .iter()
        .map(|node| {
            let needs = list(&node["deps"]);
            let linked = needs.iter().filter(|need| is_linked(need));
            let linked = linked.map(|need| text(&need["pkg"])).collect();
            (text(&node["id"]), linked)
        })
        .collect();
    let product = packages.iter().find(|(_, it)| it["name"] == PRODUCT);
    let (root, _) = product.context("there is no package of the product")?;
    let reached = reached(root, &nodes);
    let package = |id: &String| packages.get(id).unwrap_or(&Value::Null);
    let address = |id: &String| address(package(id));
    let component = |id: &String| component(package(id), checksums);
    let dependency = |id: &String| {
        let needs: BTreeSet<String> = nodes.get(id).into_iter().flatten().map(address).collect();
        json!({ "ref": address(id), "dependsOn": needs })
    };
    let others = reached.iter().filter(|id| *id != root);
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": {
            "type": "application",
            "bom-ref": address(root),
            "name": PRODUCT,
            "version": version,
            "licenses": [{ "expression": "MIT OR Apache-2.0" }],
        } },
        "components": others.map(component).collect::<Vec<_>>(),
        "dependencies": reached.iter().map(dependency).collect::<Vec<_>>(),
    }))
}

/// A package and everything that it needs.
fn reached(root: &str, nodes: &BTreeMap<String, Vec<String>>) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![root.to_owned()];
    while let Some(id) = open.pop() {
        if reached.insert(id.clone()) {
            open.extend(nodes.get(&id).into_iter().flatten().cloned());
        }
    }
    reached
}

fn name_and_version(package: &Value) -> (String, String) {
    let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
    (text("name"), text("version"))
}

fn address(package: &Value) -> String {
    let (name, version) = name_and_version(package);
    format!("pkg:cargo/{name}@{version}")
}

fn component(package: &Value, checksums: &BTreeMap<(String, String), String>) -> Value {
    let (name, version) = name_and_version(package);
    let mut component = json!({
        "type": "library",
        "bom-ref": address(package),
        "name": name,
        "version": version,
        "purl": address(package),
    });
    if let Some(licence) = package["license"].as_str() {
        // Older packages write `/` for `OR`.
        component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
    }
    if let Some(checksum) = checksums.get(&(name, version)) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

/// Whether a dependency is there when the binary runs, on any platform.
fn is_linked(need: &Value) -> bool {
    let kinds = need["dep_kinds"].as_array();
    kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
}

/// Of every package in the lock file, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let value = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key));
        line.map(|value| value.trim_matches([' ', '=', '"']).to_owned())
    };
    let blocks = lock.split("[[package]]");
    blocks
        .filter_map(|block| {
            let name = (value(block, "name")?, value(block, "version")?);
            Some((name, value(block, "checksum")?))
        })
        .collect()
}
