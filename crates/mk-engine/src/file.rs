//! Files as tools ask for them: the targets of a permit, and what each session has seen of a file.

use std::collections::HashMap;
use std::sync::PoisonError;

use mk_policy::{Access, Permit, RawTarget};
use mk_project::resolve;
use mk_types::{AbsPath, ProjectPath, SessionId};

use crate::Engine;
use crate::check::InForce;
use crate::code_error::{CodeError, CodeKind};
use crate::error::Error;

/// More than a busy day's work; beyond it the oldest half is forgotten, which only means fewer warnings.
const MOST_SEEN: usize = 20_000;

/// Which revision of a file a session has last read or written.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    revisions: HashMap<(SessionId, ProjectPath), (u64, String)>,
    counter: u64,
}

impl Engine {
    /// The one file that a permit is for.
    pub fn only_target(&self, permit: &Permit) -> Result<ProjectPath, Error> {
        match permit.targets() {
            [path] if path.is_root() => {
                Err(invalid("The path names the project itself, not a file"))
            }
            [path] => Ok(path.clone()),
            _ => Err(invalid("The call must name exactly one file")),
        }
    }

    /// The folder that a permit is for; the project's root where none is named.
    pub fn target_or_root(
        &self,
        permit: &Permit,
        in_force: &InForce,
    ) -> Result<ProjectPath, Error> {
        match permit.targets() {
            [] => self.folder(in_force, None),
            [path] => Ok(path.clone()),
            _ => Err(invalid("The call must name one folder")),
        }
    }

    /// A folder or file as a caller wrote it, resolved and visible.
    pub fn folder(&self, in_force: &InForce, given: Option<&str>) -> Result<ProjectPath, Error> {
        let raw = RawTarget::new(given.unwrap_or("."), Access::Read);
        let ignored = self.open(&in_force.project).ignored();
        let target = resolve(&in_force.project, &ignored, raw);
        match target.path {
            Ok(path) if !target.ignored => Ok(path),
            Ok(_) => Err(denied(&target.raw.path, "is hidden by .rooignore")),
            Err(_) => Err(denied(&target.raw.path, "is outside the project")),
        }
    }

    /// Notes what a session has seen of a file.
    pub fn saw(&self, session: Option<&SessionId>, path: &ProjectPath, revision: &str) {
        let Some(session) = session else { return };
        let mut seen = self
            .inner
            .seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        seen.counter += 1;
        let entry = (seen.counter, revision.to_owned());
        seen.revisions
            .insert((session.clone(), path.clone()), entry);
        if seen.revisions.len() > MOST_SEEN {
            let oldest = seen.counter.saturating_sub(MOST_SEEN as u64 / 2);
            seen.revisions.retain(|_, (at, _)| *at > oldest);
        }
    }

    /// The revision that a session has last seen.
    pub fn seen(&self, session: Option<&SessionId>, path: &ProjectPath) -> Option<String> {
        let key = (session?.clone(), path.clone());
        let seen = self
            .inner
            .seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        seen.revisions
            .get(&key)
            .map(|(_, revision)| revision.clone())
    }
}

/// A failure about a path that is not there, with the nearest name that is.
pub(crate) fn with_nearest(
    error: Error,
    root: &AbsPath,
    path: &ProjectPath,
    readable: &dyn Fn(&ProjectPath) -> bool,
) -> Error {
    match error {
        Error::Code(mut code) if code.kind == CodeKind::FileNotFound => {
            if let Some(nearest) = nearest_file(root, path).filter(readable) {
                code.hint = Some(format!("did you mean {nearest}?"));
            }
            Error::Code(code)
        }
        error => error,
    }
}

/// A file of the same name elsewhere, or of a similar name in the same folder.
fn nearest_file(root: &AbsPath, path: &ProjectPath) -> Option<ProjectPath> {
    let name = path
        .as_str()
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let folder = path
        .as_str()
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder)
        .to_owned();
    let mut best: Option<(usize, ProjectPath)> = None;
    mk_project::any_file(root, |candidate| {
        let (place, other) = candidate
            .as_str()
            .rsplit_once('/')
            .unwrap_or(("", candidate.as_str()));
        let other = other.to_lowercase();
        let distance = if other == name {
            0
        } else if place == folder {
            edit_distance(&name, &other)
        } else {
            usize::MAX
        };
        if distance <= 2.max(name.len() / 4)
            && best.as_ref().is_none_or(|(found, _)| distance < *found)
        {
            best = Some((distance, candidate.clone()));
        }
        distance == 0
    });
    best.map(|(_, path)| path)
}

/// Levenshtein's, on characters.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (a_idx, a_char) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = a_idx + 1;
        for (b_idx, b_char) in b.iter().enumerate() {
            let cost = diagonal + usize::from(a_char != *b_char);
            diagonal = row[b_idx + 1];
            row[b_idx + 1] = cost.min(row[b_idx] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn invalid(message: &str) -> Error {
    CodeError::new(CodeKind::InvalidArguments, message).into()
}

fn denied(path: &str, why: &str) -> Error {
    CodeError::new(CodeKind::PermissionDenied, format!("'{path}' {why}"))
        .with_detail("file_path", path)
        .into()
}
