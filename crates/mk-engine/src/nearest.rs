//! The file that somebody may have meant.

use mk_types::{AbsPath, ProjectPath};

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
