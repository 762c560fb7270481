//! What other people's packages may be linked: their licences, where they come from, which are banned, which are there
//! in two versions; and what our own say about themselves. Read from `cargo metadata`; advisories need a database that is
//! in no registry, and are left to the publisher.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde_json::Value;

/// What may be linked into a binary that is MIT OR Apache-2.0.
const LICENCES: [&str; 8] = [
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "MPL-2.0",
    "Unicode-3.0",
    "Zlib",
];
/// A licence that one package alone may have.
const EXCEPTIONS: [(&str, &str); 3] = [
    ("notify", "CC0-1.0"), // public domain; the only watcher for every platform
    ("webpki-root-certs", "CDLA-Permissive-2.0"), // certificates, not code
    ("webpki-roots", "CDLA-Permissive-2.0"), // certificates, not code
];
const BANNED: [(&str, &str); 3] = [
    ("openssl-sys", "TLS is rustls: users install nothing for it"),
    ("native-tls", "TLS is rustls: users install nothing for it"),
    ("serde_yaml", "it is deprecated: use serde-saphyr"),
];
/// The Rust registry, as cargo names it: no git, no mirror.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";
/// Packages that may be there in several versions, and why one is not possible yet.
const SEVERAL: [(&str, &str); 19] = [
    ("base64", "postgres-protocol and ureq ask for 0.22"),
    ("bitflags", "kqueue, which only macOS builds, asks for 1"),
    ("block-buffer", SIGNATURES),
    ("const-oid", SIGNATURES),
    ("cpufeatures", SIGNATURES),
    ("crypto-common", SIGNATURES),
    ("digest", SIGNATURES),
    ("embedded-io", "postcard names both; neither is compiled"),
    ("fallible-iterator", "tokio-postgres asks for 0.2"),
    ("getrandom", SIGNATURES),
    (
        "hashbrown",
        "dashmap, rusqlite and indexmap each ask for another",
    ),
    ("hmac", SIGNATURES),
    ("rand", SIGNATURES),
    ("rand_core", SIGNATURES),
    ("sha2", SIGNATURES),
    ("similar", "insta asks for 2; it is in tests only"),
    ("syn", "macro crates are moving to 3, one at a time"),
    (
        "wasi",
        "whoami names one for systems that we do not build for",
    ),
    (
        "windows-sys",
        "ring asks for an older one; it is not built for Windows yet",
    ),
];
/// What a registry shows of a package, as `cargo metadata` names it.
const SHOWN: [&str; 5] = [
    "categories",
    "description",
    "keywords",
    "license",
    "repository",
];
const SIGNATURES: &str = "what jsonwebtoken checks signatures with is a generation behind";

/// A package as `cargo metadata` lists it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: Option<String>,
    /// Absent for members of the workspace.
    pub(crate) source: Option<String>,
}

/// Reads `cargo metadata` with dependencies.
pub(crate) fn packages(metadata: &Value) -> Result<Vec<Package>> {
    let packages = metadata["packages"].as_array().context("no packages")?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let package = |value: &Value| Package {
        name: text(&value["name"]).unwrap_or_default(),
        version: text(&value["version"]).unwrap_or_default(),
        licence: text(&value["license"]),
        source: text(&value["source"]),
    };
    Ok(packages.iter().map(package).collect())
}

pub(crate) fn check(packages: &[Package]) -> Vec<String> {
    let mut problems: Vec<String> = packages.iter().flat_map(about_one).collect();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        versions
            .entry(&package.name)
            .or_default()
            .push(&package.version);
    }
    for (name, versions) in &versions {
        let may_repeat = SEVERAL.iter().any(|(several, _)| several == name);
        match (may_repeat, versions.len()) {
            (false, 2..) => problems.push(format!(
                "`{name}` is there as {}: use one version, or say why not in tidy/package.rs",
                versions.join(", ")
            )),
            (true, 1) => problems.push(format!(
                "`{name}` has one version only: remove it from SEVERAL in tidy/package.rs"
            )),
            _ => {}
        }
    }
    problems
}

/// The members of the workspace that do not say what a registry shows.
pub(crate) fn undescribed(members: &Value) -> Vec<String> {
    let is_said = |value: &Value| match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    };
    let packages = members["packages"].as_array().into_iter().flatten();
    let missing = packages.flat_map(|package| {
        let missing = SHOWN.iter().filter(|key| !is_said(&package[**key]));
        missing.map(|key| format!("{} has no `{key}` in its Cargo.toml", package["name"]))
    });
    missing.collect()
}

fn about_one(package: &Package) -> Vec<String> {
    let Package {
        name,
        version,
        licence,
        source,
    } = package;
    let mut problems = Vec::new();
    let is_exception = |licence: &str| EXCEPTIONS.contains(&(name.as_str(), licence));
    let is_allowed = |one: &str| LICENCES.contains(&one) || is_exception(one);
    match licence {
        Some(licence) if Licence::new(licence).allows(&is_allowed) => {}
        Some(licence) => problems.push(format!(
            "`{name}` {version}: licence `{licence}` is not on the list"
        )),
        None => problems.push(format!("`{name}` {version} names no licence")),
    }
    if let Some((_, reason)) = BANNED.iter().find(|(banned, _)| banned == name) {
        problems.push(format!("`{name}` is banned: {reason}"));
    }
    if source.as_deref().is_some_and(|source| source != REGISTRY) {
        problems.push(format!("`{name}` {version} is not from the Rust registry"));
    }
    problems
}

/// An SPDX expression: names, `AND`, `OR`, `WITH`, parentheses; an old `/` is an `OR`.
#[derive(Debug)]
struct Licence<'a> {
    words: Vec<&'a str>,
    at: usize,
}

impl<'a> Licence<'a> {
    fn new(expression: &'a str) -> Self {
        let mut words = Vec::new();
        for word in expression.split_whitespace() {
            let mut rest = word;
            while let Some(at) = rest.find(['(', ')', '/']) {
                let (before, after) = rest.split_at(at);
                let (sign, after) = after.split_at(1);
                words.extend((!before.is_empty()).then_some(before));
                words.push(if sign == "/" { "OR" } else { sign });
                rest = after;
            }
            words.extend((!rest.is_empty()).then_some(rest));
        }
        Self { words, at: 0 }
    }

    /// Whether allowed licences suffice; what cannot be read does not.
    fn allows(mut self, is_allowed: &impl Fn(&str) -> bool) -> bool {
        self.any(is_allowed).unwrap_or(false) && self.at == self.words.len()
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at) == Some(&word);
        self.at += usize::from(found);
        found
    }

    fn any(&mut self, is_allowed: &impl Fn(&str) -> bool) -> Option<bool> {
        let mut answer = self.all(is_allowed)?;
        while self.take("OR") {
            answer |= self.all(is_allowed)?;
        }
        Some(answer)
    }

    fn all(&mut self, is_allowed: &impl Fn(&str) -> bool) -> Option<bool> {
        let mut answer = self.one(is_allowed)?;
        while self.take("AND") {
            answer &= self.one(is_allowed)?;
        }
        Some(answer)
    }

    fn one(&mut self, is_allowed: &impl Fn(&str) -> bool) -> Option<bool> {
        if self.take("(") {
            let answer = self.any(is_allowed)?;
            return self.take(")").then_some(answer);
        }
        let name = *self.words.get(self.at)?;
        self.at += 1;
        if self.take("WITH") {
            // An exception only adds rights.
            self.words.get(self.at)?;
            self.at += 1;
        }
        Some(is_allowed(name))
    }
}
