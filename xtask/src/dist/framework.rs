//! What a linker has to know of macOS's frameworks where there is no Mac: their names, and those of their functions.
//!
//! The names are in the packages that declare them for Rust, so a stub lists these. It holds no code of Apple's; the
//! system loads its own frameworks when the program starts. zig brings such a stub for the C library itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::workspace;

/// A framework, and the packages that declare it. They ask for the certificates that a Mac trusts, and for the name of
/// the user who connects to PostgreSQL.
const FRAMEWORKS: [(&str, &[&str]); 3] = [
    (
        "CoreFoundation",
        &["core-foundation-sys", "objc2-core-foundation"],
    ),
    ("Security", &["security-framework-sys"]),
    ("SystemConfiguration", &["objc2-system-configuration"]),
];

/// Writes the stubs below a directory, laid out as Apple's SDK is.
pub(super) fn write(sdk: &Path) -> Result<()> {
    let metadata = workspace::packages()?;
    for (framework, packages) in FRAMEWORKS {
        let mut names = BTreeSet::new();
        for package in packages {
            let declared = declared(&sources(&metadata, package)?)?;
            ensure!(!declared.is_empty(), "`{package}` declares nothing");
            names.extend(declared);
        }
        let directory = sdk.join(format!("System/Library/Frameworks/{framework}.framework"));
        fs::create_dir_all(&directory)?;
        fs::write(
            directory.join(format!("{framework}.tbd")),
            stub(framework, &names),
        )?;
    }
    // The linker looks here, too.
    fs::create_dir_all(sdk.join("usr/lib"))?;
    Ok(())
}

fn sources(metadata: &Value, package: &str) -> Result<PathBuf> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut named = packages.filter(|it| it["name"] == package);
    let manifest = named.next().and_then(|it| it["manifest_path"].as_str());
    let directory = manifest.and_then(|manifest| Path::new(manifest).parent());
    let directory = directory.with_context(|| format!("there is no package `{package}`"))?;
    Ok(directory.join("src"))
}

/// Every function and constant in a directory of Rust files. One that is no framework's is in the stub for nothing.
fn declared(directory: &Path) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let entries = fs::read_dir(directory);
    for entry in entries.with_context(|| format!("cannot read {}", directory.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            names.extend(declared(&path)?);
        } else {
            names.extend(declarations(&fs::read_to_string(path)?));
        }
    }
    Ok(names)
}

fn declarations(source: &str) -> BTreeSet<String> {
    let name = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("pub ").unwrap_or(line);
        let rest = line
            .strip_prefix("fn ")
            .or_else(|| line.strip_prefix("static "))?;
        let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        Some(rest.split_at(end?).0.to_owned())
    };
    source.lines().filter_map(name).collect()
}

fn stub(framework: &str, names: &BTreeSet<String>) -> String {
    let targets = "[ x86_64-macos, arm64-macos ]";
    // A C name has an underscore in front.
    let symbols: Vec<String> = names.iter().map(|name| format!("_{name}")).collect();
    format!(
        "--- !tapi-tbd\ntbd-version: 4\ntargets: {targets}\n\
         install-name: '/System/Library/Frameworks/{framework}.framework/Versions/A/{framework}'\n\
         exports:\n  - targets: {targets}\n    symbols: [ {} ]\n...\n",
        symbols.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::{declarations, stub};

    #[test]
    fn a_stub_names_what_a_package_declares() {
        let source = "
            extern \"C\" {
                pub static kSecClass: CFStringRef;
                pub fn SecItemAdd(attributes: CFDictionaryRef) -> OSStatus;
                fn SecItemCopy();
                // pub fn SecNothing();
            }
            pub type SecRef = u8;
        ";
        let stub = stub("Security", &declarations(source));
        assert!(
            stub.contains("symbols: [ _SecItemAdd, _SecItemCopy, _kSecClass ]"),
            "{stub}"
        );
        assert!(
            stub.contains("/Security.framework/Versions/A/Security"),
            "{stub}"
        );
    }
}
