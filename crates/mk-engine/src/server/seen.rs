//! The files of a project as its servers were last told: they believe what they have read, and do not look again.
//!
//! A rename that a server plans from an older text would be written into the wrong places.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use mk_lsp::{ChangeKind, DiskChange};
use mk_project::{FindQuery, ReadStamp, find_files};
use mk_types::{AbsPath, ProjectPath};

/// Files of no language that tell a server how to read the others.
const MANIFESTS: [&str; 8] = [
    "Cargo.toml",
    "Cargo.lock",
    "pyproject.toml",
    "ty.toml",
    "setup.cfg",
    "go.sum",
    "compile_flags.txt",
    ".clangd",
];
const MOST_FILES: usize = 200_000;
/// A look that took no longer is taken before every question.
const CHEAP: Duration = Duration::from_millis(50);
/// So many times as long as a longer look took, nobody looks again.
const PAUSE: u32 = 20;

/// What is known of the files.
#[derive(Debug, Default)]
pub(super) struct SeenFiles {
    files: BTreeMap<ProjectPath, ReadStamp>,
    last: Option<FileLook>,
}

#[derive(Debug, Clone, Copy)]
struct FileLook {
    ended: Instant,
    took: Duration,
}

impl FileLook {
    fn is_recent(self) -> bool {
        self.took > CHEAP && self.ended.elapsed() < self.took * PAUSE
    }
}

impl SeenFiles {
    /// What others have done to the files since the last look; nothing the first time, when no server has read any.
    pub(super) fn look(
        &mut self,
        root: &AbsPath,
        has_server: &(dyn Fn(&ProjectPath) -> bool + Sync),
    ) -> Vec<DiskChange> {
        if self.last.is_some_and(FileLook::is_recent) {
            return Vec::new();
        }
        let begun = Instant::now();
        let Some(now) = list(root, has_server) else {
            return Vec::new();
        };
        let before = std::mem::replace(&mut self.files, now);
        let is_first = self.last.is_none();
        self.last = Some(FileLook {
            ended: Instant::now(),
            took: begun.elapsed(),
        });
        if is_first {
            return Vec::new();
        }
        let gone = before.keys().filter(|path| !self.files.contains_key(path));
        let gone = gone.map(|path| (path, ChangeKind::Deleted));
        let there = self.files.iter().filter_map(|(path, stamp)| {
            let kind = match before.get(path) {
                None => ChangeKind::Created,
                Some(known) if known != stamp => ChangeKind::Changed,
                Some(_) => return None,
            };
            Some((path, kind))
        });
        let changes = gone.chain(there).map(|(path, kind)| DiskChange {
            path: path.clone(),
            kind,
        });
        changes.collect()
    }

    /// Makes the next look happen, however soon it is.
    pub(super) fn hurry(&mut self) {
        if let Some(last) = &mut self.last {
            last.took = Duration::ZERO;
        }
    }

    /// Takes note of a file that we have changed, and says how.
    pub(super) fn note(&mut self, root: &AbsPath, path: ProjectPath) -> DiskChange {
        let kind = match ReadStamp::of(&path.under(root)) {
            Some(stamp) => match self.files.insert(path.clone(), stamp) {
                Some(_) => ChangeKind::Changed,
                None => ChangeKind::Created,
            },
            None => {
                self.files.remove(&path);
                ChangeKind::Deleted
            }
        };
        DiskChange { path, kind }
    }
}

/// The files that servers read; also those that agents may not see.
fn list(
    root: &AbsPath,
    has_server: &(dyn Fn(&ProjectPath) -> bool + Sync),
) -> Option<BTreeMap<ProjectPath, ReadStamp>> {
    let query = FindQuery {
        pattern: "*".to_owned(),
        folder: ProjectPath::parse(".", root).ok()?,
        max_results: MOST_FILES,
    };
    let is_read = |path: &ProjectPath| {
        let name = path.as_str().rsplit('/').next().unwrap_or_default();
        has_server(path) || MANIFESTS.contains(&name)
    };
    let found = match find_files(root, &query, &is_read, &AtomicBool::new(false)) {
        Ok(found) => found,
        Err(error) => {
            tracing::warn!(%error, "changes of files cannot be told to the language servers");
            return None;
        }
    };
    let stamped = found.paths.into_iter().filter_map(|path| {
        let stamp = ReadStamp::of(&path.under(root))?;
        Some((path, stamp))
    });
    Some(stamped.collect())
}

#[cfg(test)]
mod tests {
    use mk_testkit::Fixture;

    use super::*;

    fn look(seen: &mut SeenFiles, files: &Fixture) -> Vec<(String, ChangeKind)> {
        seen.hurry();
        let changes = seen.look(files.root(), &|path| path.as_str().ends_with(".py"));
        let shown = changes.into_iter().map(|it| (it.path.to_string(), it.kind));
        shown.collect()
    }

    #[test]
    fn what_others_do_is_told_once() {
        let files = Fixture::new("//- /a.py\n\n//- /b.py\n\n//- /Cargo.toml\n\n//- /c.txt\n\n");
        let mut seen = SeenFiles::default();
        assert_eq!(look(&mut seen, &files), []);
        files.remove("a.py");
        files.save("b.py", "1\n");
        files.write("d/new.py", "");
        files.save("Cargo.toml", "[package]\n");
        files.save("c.txt", "of no server\n");
        let told = [
            ("a.py", ChangeKind::Deleted),
            ("Cargo.toml", ChangeKind::Changed),
            ("b.py", ChangeKind::Changed),
            ("d/new.py", ChangeKind::Created),
        ];
        let told = told.map(|(path, kind)| (path.to_owned(), kind));
        assert_eq!(look(&mut seen, &files), told);
        assert_eq!(look(&mut seen, &files), []);
    }

    #[test]
    fn what_we_do_is_told_at_once_and_not_again() {
        let files = Fixture::new("//- /a.py\n\n");
        let mut seen = SeenFiles::default();
        look(&mut seen, &files);
        let mut note = |path: &str| {
            let path = ProjectPath::parse(path, files.root()).expect("a path");
            seen.note(files.root(), path).kind
        };
        files.write("new.py", "");
        assert_eq!(note("new.py"), ChangeKind::Created);
        files.save("new.py", "1\n");
        assert_eq!(note("new.py"), ChangeKind::Changed);
        files.remove("a.py");
        assert_eq!(note("a.py"), ChangeKind::Deleted);
        assert_eq!(look(&mut seen, &files), []);
    }
}
