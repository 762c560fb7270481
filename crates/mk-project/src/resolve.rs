//! What a path really names: links followed one by one, never out of the project.
//!
//! Opening what was resolved without following further links is the opener's duty.

use std::collections::VecDeque;
use std::fs;
use std::path::{Component, Path};

use mk_policy::{RawTarget, Target};
use mk_types::{AbsPath, PathError, ProjectPath};

use crate::ignored::Ignored;

/// As many links as Linux itself follows in one path.
const MOST_LINKS: usize = 40;

/// Resolves a target of a call. What does not exist yet is taken as written below the deepest folder that does.
pub fn resolve(root: &AbsPath, ignored: &Ignored, raw: RawTarget) -> Target {
    let path = follow(root, &raw.path);
    let ignored = path.as_ref().is_ok_and(|path| ignored.hides(path));
    Target { raw, path, ignored }
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
    let mut done = if slashed.starts_with('/') {
        Vec::new()
    } else {
        parts_of(root.as_path())
    };
    let mut todo: VecDeque<String> = slashed.split('/').map(str::to_owned).collect();
    if matches!(slashed.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic()) {
        return Err(escapes());
    }
    let mut links = 0;
    while let Some(part) = todo.pop_front() {
        match part.as_str() {
            "" | "." => continue,
            ".." => {
                done.pop();
                continue;
            }
            _ => done.push(part),
        }
        let here = absolute(&done);
        let Ok(target) = fs::read_link(&here) else {
            continue;
        };
        links += 1;
        if links > MOST_LINKS {
            return Err(escapes());
        }
        done.pop();
        let target = target.to_str().ok_or_else(escapes)?;
        if target.starts_with('/') {
            done.clear();
        }
        for part in target.split('/').rev() {
            todo.push_front(part.to_owned());
        }
    }
    let inside = relative_to(root, &done).or_else(|| {
        // The root may itself be reached through a link, as /tmp is on some systems.
        let real = fs::canonicalize(root.as_path()).ok()?;
        relative_to(&AbsPath::new(&real)?, &done)
    });
    ProjectPath::parse(&inside.ok_or_else(escapes)?, root).map_err(|_| escapes())
}

fn parts_of(path: &Path) -> Vec<String> {
    let normal = |component: Component<'_>| match component {
        Component::Normal(part) => part.to_str().map(str::to_owned),
        _ => None,
    };
    path.components().filter_map(normal).collect()
}

fn absolute(parts: &[String]) -> String {
    parts
        .iter()
        .fold(String::new(), |path, part| path + "/" + part)
}

fn relative_to(root: &AbsPath, parts: &[String]) -> Option<String> {
    let rest = parts.strip_prefix(parts_of(root.as_path()).as_slice())?;
    Some(if rest.is_empty() {
        ".".to_owned()
    } else {
        rest.join("/")
    })
}
