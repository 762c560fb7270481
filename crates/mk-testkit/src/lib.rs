//! What tests of several crates share: a project on disk, written down as one string; a sandbox for the built binary and
//! clients of its transports; names for what differs from run to run; a model that follows a script.
//!
//! Engines, stores and clocks are made by the tests that need them; this crate is below all of them.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test whose fixture cannot be made has nothing to say"
)]

pub mod database;
pub mod dice;
pub mod http;
pub mod model;
pub mod names;
pub mod rename;
pub mod sandbox;
pub mod sse;
pub mod stdio;
pub mod wait;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use mk_types::AbsPath;
use tempfile::TempDir;

/// A project in a temporary folder, gone when this is dropped.
#[derive(Debug)]
pub struct Fixture {
    _folder: TempDir,
    root: AbsPath,
}

impl Fixture {
    /// Writes the files of `text`, each after a line `//- /path`.
    pub fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // The real name, because a temporary folder may itself stand behind a link.
        let root = fs::canonicalize(folder.path()).expect("the folder that was just made");
        let root = AbsPath::new(&root).expect("a folder with a readable name");
        let fixture = Self {
            _folder: folder,
            root,
        };
        for (path, content) in files(text) {
            fixture.write(path, &content);
        }
        fixture
    }

    pub fn root(&self) -> &AbsPath {
        &self.root
    }

    /// A path below the root.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root.as_path().join(path.trim_start_matches('/'))
    }

    /// Writes a file in place, with the folders it needs.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        make_folder(path.parent().expect("a file has a folder"));
        let mut file = File::create(path).expect("a file that can be created");
        file.write_all(content.as_ref())
            .expect("a file that can be written");
    }

    /// Saves a file as most editors do: written beside, then moved over the old one.
    pub fn save(&self, path: &str, content: impl AsRef<[u8]>) {
        let beside = format!("{path}.new~");
        self.write(&beside, content);
        fs::rename(self.path(&beside), self.path(path)).expect("a file that can be moved");
    }

    pub fn folder(&self, path: &str) {
        make_folder(&self.path(path));
    }

    /// Makes a link at `path`; what it leads to is taken as written and need not exist.
    #[cfg(unix)]
    pub fn link(&self, path: &str, to: impl AsRef<Path>) {
        let path = self.path(path);
        make_folder(path.parent().expect("a link has a folder"));
        std::os::unix::fs::symlink(to, path).expect("a link that can be made");
    }

    /// Every file and folder there is, in order.
    pub fn list(&self) -> Vec<PathBuf> {
        let mut left = vec![self.root().as_path().to_owned()];
        let mut found = Vec::new();
        while let Some(folder) = left.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    left.push(path.clone());
                }
                found.push(path);
            }
        }
        found.sort();
        found
    }

    /// Removes a file, a link, or a folder with all that is in it.
    pub fn remove(&self, path: &str) {
        let path = self.path(path);
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
        let removed = if is_folder {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        };
        removed.expect("something that can be removed");
    }
}

fn make_folder(path: &Path) {
    fs::create_dir_all(path).expect("a folder that can be created");
}

fn files(text: &str) -> Vec<(&str, String)> {
    let mut files: Vec<(&str, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(path) = line.trim().strip_prefix("//- /") {
            files.push((path, String::new()));
        } else if let Some((_, content)) = files.last_mut() {
            content.push_str(line);
        } else {
            assert!(
                line.trim().is_empty(),
                "a fixture starts with `//- /path`, not with `{line}`"
            );
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::{Fixture, files};

    #[test]
    fn each_marker_starts_a_file_and_the_text_is_kept_as_it_is() {
        let text = "\n//- /a.md\none\n\n  two\n//- /empty\n//- /src/b.rs\nlast without end";
        let found = files(text);
        let expected = [
            ("a.md", "one\n\n  two\n"),
            ("empty", ""),
            ("src/b.rs", "last without end"),
        ];
        assert_eq!(
            found,
            expected.map(|(path, content)| (path, content.to_owned()))
        );
    }

    #[test]
    fn files_are_on_disk_below_the_root() {
        let fixture = Fixture::new("//- /deep/er/file.txt\nhello\n");
        let text = std::fs::read_to_string(fixture.path("deep/er/file.txt")).unwrap();
        assert_eq!(text, "hello\n");
        assert!(fixture.path("/deep").starts_with(fixture.root().as_path()));
    }
}
