//! npm packages: one with the binary for each platform, and `modekeeper`, which depends on all of them and starts the
//! one that npm has installed. A platform's package works alone, too: that is how it is installed from a file.

use anyhow::Result;
use libdeflater::CompressionLvl;
use serde_json::{Value, json};

use super::Built;
use super::archive::{Entry, tar_gz};
use super::platform;
use crate::workspace::Product;

const LAUNCHER: &str = include_str!("launcher.js");
const README: &str =
    "# Modekeeper\n\nKeeps AI coding agents in their mode.\n\n```sh\nnpx modekeeper init\n```\n";
const LICENCES: [(&str, &str); 2] = [
    ("LICENSE-MIT", include_str!("../../../LICENSE-MIT")),
    ("LICENSE-APACHE", include_str!("../../../LICENSE-APACHE")),
];

/// The package with a platform's binary, and its file's name.
pub(super) fn platform_package(product: &Product, built: &Built) -> Result<(String, Vec<u8>)> {
    let name = built.platform.npm_package();
    let (system, processor) = built.platform.node;
    let mut about = about(&name, product);
    about["description"] = json!(format!("Modekeeper's binary for {system} {processor}"));
    about["os"] = json!([system]);
    about["cpu"] = json!([processor]);
    about["bin"] = json!({ "modekeeper": "bin/modekeeper" });
    about["preferUnplugged"] = json!(true);
    let program = Entry::program("bin/modekeeper", &built.binary);
    pack(&name, product, &about, (program, built.level))
}

/// The package that people name.
pub(super) fn chooser_package(product: &Product) -> Result<(String, Vec<u8>)> {
    let mut about = about("modekeeper", product);
    about["bin"] = json!({ "modekeeper": "bin/modekeeper.js" });
    let platforms = platform::ALL.iter();
    about["optionalDependencies"] = platforms
        .map(|platform| (platform.npm_package(), json!(product.version)))
        .collect();
    let launcher = Entry::program("bin/modekeeper.js", LAUNCHER.as_bytes());
    pack(
        "modekeeper",
        product,
        &about,
        (launcher, CompressionLvl::best()),
    )
}

fn about(name: &str, product: &Product) -> Value {
    let mut about = json!({
        "name": name,
        "version": product.version,
        "description": product.description,
        "license": "MIT OR Apache-2.0",
        "keywords": ["mcp", "agents", "modes"],
        "engines": { "node": ">=18" },
    });
    if let Some(repository) = &product.repository {
        about["repository"] = json!({ "type": "git", "url": format!("git+{repository}.git") });
    }
    about
}

fn pack(
    name: &str,
    product: &Product,
    about: &Value,
    program: (Entry, CompressionLvl),
) -> Result<(String, Vec<u8>)> {
    let (program, level) = program;
    let mut entries = vec![
        Entry::file("package.json", format!("{about:#}\n")),
        Entry::file("README.md", README),
        program,
    ];
    entries.extend(LICENCES.map(|(name, text)| Entry::file(name, text)));
    // npm expects everything below `package`.
    let file = format!("{name}-{}.tgz", product.version);
    Ok((file, tar_gz("package", &entries, level)?))
}
