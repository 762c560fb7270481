//! A tree of files from one text: `//- /path` starts a file.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use mk_types::{AbsPath, ProjectPath};
use tempfile::TempDir;

/// `project/` in a temporary folder.
#[derive(Debug)]
pub(super) struct Grove {
    temp: TempDir,
    pub(super) root: AbsPath,
}

impl Grove {
    pub(super) fn new(fixture: &str) -> Self {
        let temp = TempDir::new().unwrap();
        let folder = temp.path().join("project");
        fs::create_dir(&folder).unwrap();
        let grove = Self {
            root: AbsPath::new(&folder).unwrap(),
            temp,
        };
        for file in fixture.split("//- /").skip(1) {
            let (path, text) = file.split_once('\n').unwrap();
            grove.put(path.trim(), text.as_bytes());
        }
        grove
    }

    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.root.as_path().join(path)
    }

    pub(super) fn beside(&self, path: &str) -> PathBuf {
        self.temp.path().join(path)
    }

    pub(super) fn path(&self, path: &str) -> ProjectPath {
        ProjectPath::parse(path, &self.root).unwrap()
    }

    pub(super) fn put(&self, path: &str, bytes: &[u8]) {
        put(&self.at(path), bytes);
    }

    pub(super) fn link(&self, path: &str, target: &str) {
        symlink(target, self.at(path)).unwrap();
    }

    pub(super) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }
}

pub(super) fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::File::create(path).unwrap().write_all(bytes).unwrap();
}

/// Git as a person would call it, with nobody's own configuration.
#[expect(clippy::disallowed_methods, reason = "a test makes real repositories")]
pub(super) fn git(folder: &Path, arguments: &[&str]) {
    let output = std::process::Command::new("git")
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .args([
            "-c",
            "user.name=Nobody",
            "-c",
            "user.email=nobody@example.org",
        ])
        .args(["-c", "init.defaultBranch=main"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
