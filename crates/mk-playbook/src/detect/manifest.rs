//! The packages that a manifest names. What cannot be read names none.

use mk_document::{DocumentNode, read_json};

use super::table::Ecosystem;

/// What a manifest says.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    /// In lower case.
    pub(super) packages: Vec<String>,
}

/// A kind of manifest.
pub(super) struct ManifestKind {
    pub(super) ecosystem: Ecosystem,
    pub(super) read: fn(&str) -> Manifest,
}

/// The kind of manifest that a file's name stands for.
pub(super) fn kind(name: &str) -> Option<ManifestKind> {
    let (ecosystem, read): (Ecosystem, fn(&str) -> Manifest) = match name {
        "package.json" => (Ecosystem::Npm, package_json),
        "Cargo.toml" => (Ecosystem::Cargo, cargo),
        "pyproject.toml" => (Ecosystem::Python, pyproject),
        "go.mod" => (Ecosystem::Go, go_mod),
        "pom.xml" => (Ecosystem::Jvm, pom),
        "build.gradle" | "build.gradle.kts" => (Ecosystem::Jvm, gradle),
        "Gemfile" => (Ecosystem::Ruby, gemfile),
        "composer.json" => (Ecosystem::Php, composer),
        _ if name.starts_with("requirements") && name.ends_with(".txt") => {
            (Ecosystem::Python, requirements)
        }
        _ if name.ends_with(".csproj") => (Ecosystem::DotNet, csproj),
        _ if is_compose(name) => (Ecosystem::Image, compose),
        _ => return None,
    };
    Some(ManifestKind { ecosystem, read })
}

pub(super) fn is_compose(name: &str) -> bool {
    let stem = name
        .strip_suffix(".yml")
        .or_else(|| name.strip_suffix(".yaml"));
    stem.is_some_and(|stem| stem == "compose" || stem.starts_with("docker-compose"))
}

fn json(text: &str, sections: &[&str]) -> Manifest {
    let Ok(document) = read_json(text) else {
        return Manifest::default();
    };
    let text_of = |key: &str| match document.value.get(key).map(|node| &node.value) {
        Some(DocumentNode::Text(text)) if !text.trim().is_empty() => Some(text.clone()),
        _ => None,
    };
    let mut packages = Vec::new();
    for section in sections {
        if let Some(DocumentNode::Map(entries)) =
            document.value.get(section).map(|node| &node.value)
        {
            packages.extend(entries.iter().map(|(key, _)| key.value.to_lowercase()));
        }
    }
    Manifest {
        name: text_of("name"),
        description: text_of("description"),
        packages,
    }
}

fn package_json(text: &str) -> Manifest {
    json(
        text,
        &["dependencies", "devDependencies", "peerDependencies"],
    )
}

fn composer(text: &str) -> Manifest {
    json(text, &["require", "require-dev"])
}

fn cargo(text: &str) -> Manifest {
    let Ok(document) = text.parse::<toml::Table>() else {
        return Manifest::default();
    };
    let package = document.get("package");
    let mut packages = Vec::new();
    collect_dependencies(&document, &mut packages, 4);
    Manifest {
        name: toml_text(package, "name"),
        description: toml_text(package, "description"),
        packages,
    }
}

/// The keys of every table whose name ends in `dependencies`, at any place Cargo or Poetry has them.
fn collect_dependencies(table: &toml::Table, packages: &mut Vec<String>, depth: usize) {
    for (key, value) in table {
        let Some(inner) = value.as_table() else {
            continue;
        };
        if key.ends_with("dependencies") {
            packages.extend(inner.keys().map(|name| name.to_lowercase()));
        } else if depth > 0 {
            collect_dependencies(inner, packages, depth - 1);
        }
    }
}

fn pyproject(text: &str) -> Manifest {
    let Ok(document) = text.parse::<toml::Table>() else {
        return Manifest::default();
    };
    let project = document.get("project");
    let poetry = document.get("tool").and_then(|tool| tool.get("poetry"));
    let mut packages = Vec::new();
    collect_dependencies(&document, &mut packages, 4);
    let mut lists = Vec::new();
    lists.extend(project.and_then(|project| project.get("dependencies")));
    let groups = [
        project.and_then(|project| project.get("optional-dependencies")),
        document.get("dependency-groups"),
    ];
    for group in groups
        .into_iter()
        .flatten()
        .filter_map(toml::Value::as_table)
    {
        lists.extend(group.values());
    }
    for requirement in lists
        .into_iter()
        .filter_map(toml::Value::as_array)
        .flatten()
        .filter_map(toml::Value::as_str)
    {
        packages.extend(requirement_name(requirement));
    }
    Manifest {
        name: toml_text(project, "name").or_else(|| toml_text(poetry, "name")),
        description: toml_text(project, "description").or_else(|| toml_text(poetry, "description")),
        packages,
    }
}

fn toml_text(table: Option<&toml::Value>, key: &str) -> Option<String> {
    table?.get(key)?.as_str().map(str::to_owned)
}

fn requirements(text: &str) -> Manifest {
    only_packages(text.lines().filter_map(requirement_name))
}

/// `Django` in `Django[extra]>=4.2 ; python_version > "3"`.
fn requirement_name(line: &str) -> Option<String> {
    let belongs = |character: char| character.is_alphanumeric() || "-_.".contains(character);
    let name: String = line
        .trim()
        .chars()
        .take_while(|character| belongs(*character))
        .collect();
    let starts = name.starts_with(|first: char| first.is_alphanumeric());
    starts.then(|| name.to_lowercase().replace('_', "-"))
}

fn go_mod(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    for line in text.lines() {
        let line = line.trim();
        let line = line.strip_prefix("require ").unwrap_or(line).trim();
        if let Some(module) = line.strip_prefix("module ") {
            manifest.name = module.trim().rsplit('/').next().map(str::to_owned);
        } else if let Some((path, version)) = line.split_once(' ')
            && version.trim_start().starts_with('v')
        {
            manifest.packages.push(path.to_lowercase());
        }
    }
    manifest
}

fn pom(text: &str) -> Manifest {
    let artifacts = text.split("<artifactId>").skip(1);
    let mut names =
        artifacts.filter_map(|rest| Some(rest.split_once("</artifactId>")?.0.trim().to_owned()));
    // The text before any dependency or parent names the project itself.
    let own = text
        .split("<parent>")
        .next()
        .and_then(|head| head.split_once("<artifactId>"))
        .and_then(|(_, rest)| Some(rest.split_once("</artifactId>")?.0.trim().to_owned()));
    Manifest {
        name: own,
        description: None,
        packages: names.by_ref().map(|name| name.to_lowercase()).collect(),
    }
}

/// Whatever stands in quotes: `"group:artifact:version"` and the ids of plugins.
fn gradle(text: &str) -> Manifest {
    let quoted = text.lines().flat_map(|line| {
        let line = line.split("//").next().unwrap_or_default();
        line.split(['"', '\'']).skip(1).step_by(2)
    });
    only_packages(quoted.map(|text| {
        let artifact = text.split(':').nth(1).unwrap_or(text);
        artifact.to_lowercase()
    }))
}

fn gemfile(text: &str) -> Manifest {
    only_packages(text.lines().filter_map(|line| {
        let rest = line.trim().strip_prefix("gem ")?;
        let name = rest.split(['"', '\'']).nth(1)?;
        Some(name.to_lowercase())
    }))
}

fn csproj(text: &str) -> Manifest {
    let mut manifest = only_packages(
        text.split("Include=\"")
            .skip(1)
            .filter_map(|rest| Some(rest.split_once('"')?.0.to_lowercase())),
    );
    if text.contains("Microsoft.NET.Sdk.Web") {
        manifest.packages.push("microsoft.aspnetcore".to_owned());
    }
    manifest
}

/// The images' names without their registry and tag.
fn compose(text: &str) -> Manifest {
    only_packages(text.lines().filter_map(|line| {
        let image = line
            .trim()
            .strip_prefix("image:")?
            .trim()
            .trim_matches(['"', '\'']);
        let name = image.rsplit('/').next()?;
        Some(name.split(':').next()?.to_lowercase())
    }))
}

fn only_packages(packages: impl Iterator<Item = String>) -> Manifest {
    Manifest {
        packages: packages.collect(),
        ..Manifest::default()
    }
}
