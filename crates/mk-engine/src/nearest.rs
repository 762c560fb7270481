//! The file that may have been meant.

use mk_types::{AbsPath, ProjectPath, edit_distance};

use crate::code_error::CodeKind;
use crate::error::Error;

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
                code.hint = Some(format!("did you mean {nearest}?").into());
            }
            Error::Code(code)
        }
        error => error,
    }
}

/// A file of the same name elsewhere, or of a similar name in the same directory.
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
    let letters: Vec<char> = name.chars().collect();
    let allowed = 2.max(letters.len() / 4);
    let mut best: Option<(usize, ProjectPath)> = None;
    mk_project::any_file(root, |candidate| {
        let (place, other) = candidate
            .as_str()
            .rsplit_once('/')
            .unwrap_or(("", candidate.as_str()));
        let other = other.to_lowercase();
        let distance = if other == name {
            Some(0)
        } else if place == folder {
            let other: Vec<char> = other.chars().collect();
            edit_distance(&letters, &other, allowed)
        } else {
            None
        };
        if let Some(distance) = distance
            && best.as_ref().is_none_or(|(found, _)| distance < *found)
        {
            best = Some((distance, candidate.clone()));
        }
        distance == Some(0)
    });
    best.map(|(_, path)| path)
}
