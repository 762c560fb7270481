//! What a path really names: links followed one by one, never out of the project.
//!
//! Opening what was resolved without following further links is the opener's duty.

mod expand;

use std::collections::VecDeque;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use mk_policy::{Form, NameExtent, NamedFiles, PathAccess, RawTarget, ResolvedTarget};
use mk_types::{AbsPath, PathError, ProjectPath, is_elsewhere};

use crate::ignored::IgnoredFiles;

/// As many links as Linux itself follows in one path.
const MOST_LINKS: usize = 40;

/// Resolves a target of a call. What does not exist yet is taken as written below the deepest folder that does.
pub fn resolve(root: &AbsPath, ignored: &IgnoredFiles, raw: RawTarget) -> ResolvedTarget {
    if raw.form == Form::Unknown {
        return ResolvedTarget {
            path: Err(PathError::Escapes(raw.path.clone())),
            ignored: !matches!(ignored, IgnoredFiles::Nothing),
            is_hook: false,
            found: NamedFiles::Unknown,
            raw,
        };
    }
    let path = follow(root, &raw.path);
    let hides = !matches!(ignored, IgnoredFiles::Nothing);
    // Who reads a directory where nothing is hidden may read whatever there is.
    let matters = raw.access != PathAccess::Read || hides;
    let files = match (&path, raw.form, raw.extent) {
        (_, Form::Pattern, _) if !is_elsewhere(&raw.path) => {
            Some(expand::expand(root, ignored, &raw.path))
        }
        (Ok(path), Form::Exact, NameExtent::Below) if matters => {
            Some(expand::below(root, ignored, path))
        }
        (Err(_), Form::Exact, NameExtent::Below) if matters && is_around(root, &raw.path) => {
            Some(expand::below(root, ignored, &ProjectPath::root()))
        }
        _ => None,
    };
    // What is removed as a whole is mostly large, and made by a build.
    let counts = raw.form == Form::Pattern || raw.access == PathAccess::Read;
    let found = match files {
        Some(Some(files)) => NamedFiles::These(files),
        Some(None) if hides && counts => NamedFiles::MayHide,
        Some(None) | None => NamedFiles::Unknown,
    };
    let ignored = path.as_ref().is_ok_and(|path| ignored.hides(path));
    ResolvedTarget {
        raw,
        path,
        ignored,
        is_hook: false,
        found,
    }
}

/// Whether a path leads to a directory that the project is in.
fn is_around(root: &AbsPath, text: &str) -> bool {
    if is_elsewhere(text) {
        return false;
    }
    let real = fs::canonicalize(root.as_path().join(text));
    let root = fs::canonicalize(root.as_path());
    root.is_ok_and(|root| real.is_ok_and(|real| root.starts_with(real)))
}

/// The same where relative paths begin in `directory`. What is not there but below the root is meant from the root:
/// our answers name files from there, and agents repeat them.
pub fn resolve_in(
    root: &AbsPath,
    directory: &ProjectPath,
    ignored: &IgnoredFiles,
    mut raw: RawTarget,
) -> ResolvedTarget {
    let slashed = raw.path.replace('\\', "/");
    let is_relative = !slashed.starts_with('/') && !is_elsewhere(&slashed) && !slashed.is_empty();
    if directory.is_root() || !is_relative {
        return resolve(root, ignored, raw);
    }
    let here = directory.under(root).join(&slashed);
    let from_root = root.as_path().join(&slashed);
    // A shell never looks in the root as well.
    let is_here = raw.in_command || fs::symlink_metadata(here).is_ok();
    if is_here || fs::symlink_metadata(from_root).is_err() {
        raw.path = format!("{}/{slashed}", directory.as_str());
    }
    resolve(root, ignored, raw)
}

/// Walks the path as the kernel would, so that `link/..` means the parent of where the link leads.
fn follow(root: &AbsPath, text: &str) -> Result<ProjectPath, PathError> {
    // Checks shape and length; whether `..` escapes is decided below, on the real folders.
    match ProjectPath::parse(text, root) {
        Ok(_) | Err(PathError::Escapes(_)) => {}
        Err(error) => return Err(error),
    }
    let escapes = || PathError::Escapes(text.to_owned());
    let slashed = text.replace('\\', "/");
    if is_elsewhere(&slashed) {
        return Err(escapes());
    }
    let mut place = if slashed.starts_with('/') {
        WalkPlace::Anywhere(Vec::new())
    } else {
        WalkPlace::Below(Vec::new())
    };
    let mut todo: VecDeque<String> = slashed.split('/').map(str::to_owned).collect();
    let mut links = 0;
    // How many parts the place has that is known to be missing: below it there are no links.
    let mut missing = usize::MAX;
    while let Some(part) = todo.pop_front() {
        match part.as_str() {
            "" | "." => continue,
            ".." => {
                place = place.parent(root);
                if place.parts().len() < missing {
                    missing = usize::MAX;
                }
                continue;
            }
            _ => place.parts().push(part),
        }
        if place.is_process_own() {
            return Err(escapes());
        }
        if place.parts().len() > missing {
            continue;
        }
        let target = match fs::read_link(place.on_disk(root)) {
            Ok(target) => target,
            Err(error) => {
                if error.kind() == ErrorKind::NotFound {
                    missing = place.parts().len();
                }
                continue;
            }
        };
        links += 1;
        if links > MOST_LINKS {
            return Err(escapes());
        }
        // A `\` in a link is part of a name, but further on it would be taken for a `/`.
        let target = target
            .to_str()
            .filter(|target| !target.contains('\\'))
            .ok_or_else(escapes)?;
        if target.starts_with('/') {
            place = WalkPlace::Anywhere(Vec::new());
        } else {
            place.parts().pop();
        }
        for part in target.split('/').rev() {
            todo.push_front(part.to_owned());
        }
    }
    let below = place.below(root).ok_or_else(escapes)?;
    ProjectPath::parse(&below, root).map_err(|_| escapes())
}

/// Where a walk stands.
enum WalkPlace {
    /// Below the root, as most paths are from the first part to the last.
    Below(Vec<String>),
    /// At an absolute place of which every part is real: the root must be looked for by its real name.
    Anywhere(Vec<String>),
}

impl WalkPlace {
    fn parts(&mut self) -> &mut Vec<String> {
        match self {
            Self::Below(parts) | Self::Anywhere(parts) => parts,
        }
    }

    fn parent(mut self, root: &AbsPath) -> Self {
        match &mut self {
            // The parent of the root is where the root really is, not where a link to it stands.
            Self::Below(parts) if parts.is_empty() => {
                let mut parts = real_parts(root);
                parts.pop();
                Self::Anywhere(parts)
            }
            Self::Below(parts) | Self::Anywhere(parts) => {
                parts.pop();
                self
            }
        }
    }

    /// Links in `/proc` lead elsewhere for every process, so what they are to us says nothing about the agent's.
    fn is_process_own(&self) -> bool {
        matches!(self, Self::Anywhere(parts) if parts.first().is_some_and(|part| part == "proc"))
    }

    fn on_disk(&self, root: &AbsPath) -> PathBuf {
        let (mut path, parts) = match self {
            Self::Below(parts) => (root.as_path().to_owned(), parts),
            Self::Anywhere(parts) => (PathBuf::from("/"), parts),
        };
        path.extend(parts);
        path
    }

    /// The path relative to the root; `None` outside.
    fn below(self, root: &AbsPath) -> Option<String> {
        let parts = match self {
            Self::Below(parts) => parts,
            Self::Anywhere(parts) => parts.strip_prefix(real_parts(root).as_slice())?.to_vec(),
        };
        Some(if parts.is_empty() {
            ".".to_owned()
        } else {
            parts.join("/")
        })
    }
}

/// The root may itself be reached through a link, as /tmp is on some systems.
fn real_parts(root: &AbsPath) -> Vec<String> {
    match fs::canonicalize(root.as_path()) {
        Ok(real) => parts_of(&real),
        Err(_) => parts_of(root.as_path()),
    }
}

fn parts_of(path: &Path) -> Vec<String> {
    let normal = |component: Component<'_>| match component {
        Component::Normal(part) => part.to_str().map(str::to_owned),
        _ => None,
    };
    path.components().filter_map(normal).collect()
}
