//! The directory of the project that Git takes its hooks from, where its configuration names one (`core.hooksPath`).
//!
//! Only the repository's own configuration is read, without what it includes; `.git/hooks` is protected by its name.

use mk_types::{AbsPath, ProjectPath};

use crate::read::read_text;

const LARGEST: u64 = 256 * 1024;

/// Where files would be run by Git. Relative to the root, as Git takes it.
pub fn hooks_directory(root: &AbsPath) -> Option<ProjectPath> {
    let text = read_text(&root.as_path().join(".git/config"), LARGEST).ok()??;
    let directory = ProjectPath::parse(&configured(&text)?, root).ok()?;
    (!directory.is_root()).then_some(directory)
}

/// The last value of `hooksPath` in a section `core`.
fn configured(text: &str) -> Option<String> {
    let mut in_core = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            in_core = section
                .split(']')
                .next()
                .is_some_and(|name| name.trim().eq_ignore_ascii_case("core"));
        }
        let Some((key, value)) = line.split_once('=').filter(|_| in_core) else {
            continue;
        };
        let key = key.rsplit(']').next().unwrap_or(key).trim();
        if key.eq_ignore_ascii_case("hooksPath") {
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    found.filter(|value| !value.is_empty())
}
