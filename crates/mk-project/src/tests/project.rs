//! A project in a temporary folder, with something outside that nobody may touch.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use mk_policy::Permit;
use mk_types::{AbsPath, Clock, ProjectPath, Timestamp};
use tempfile::TempDir;

use crate::{Backups, Error, FileEdit, RootDir, WrittenFile};

pub(super) const SECRET: &str = "nobody may read this\n";

/// `project/`, `outside/secret.txt` and `state/` side by side.
#[derive(Debug)]
pub(super) struct Project {
    temp: TempDir,
    pub(super) root: RootDir,
    pub(super) backups: Backups,
    pub(super) clock: Clock,
}

/// What stands at a path: nothing for a folder, mode bits and bytes for a file.
pub(super) type Tree = BTreeMap<String, Option<(u32, Vec<u8>)>>;

impl Project {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let temp = TempDir::new().unwrap();
        let folder = temp.path().join("project");
        fs::create_dir(&folder).unwrap();
        fs::create_dir(temp.path().join("outside")).unwrap();
        put(&temp.path().join("outside/secret.txt"), SECRET.as_bytes());
        let clock = Clock::manual(Timestamp::from_millis(1_736_764_200_000));
        let root = AbsPath::new(&folder).unwrap();
        let project = Self {
            root: RootDir::open(&root).unwrap(),
            backups: Backups::new(&temp.path().join("state"), &root, clock.clone()),
            clock,
            temp,
        };
        for (path, text) in files {
            project.put(path, text.as_bytes());
        }
        project
    }

    /// Another process would have its own.
    pub(super) fn other_backups(&self) -> Backups {
        Backups::new(&self.state(), self.root.root(), self.clock.clone())
    }

    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.temp.path().join("project").join(path)
    }

    pub(super) fn outside(&self) -> PathBuf {
        self.temp.path().join("outside")
    }

    pub(super) fn state(&self) -> PathBuf {
        self.temp.path().join("state")
    }

    /// The folder of this project's backups.
    pub(super) fn backups_folder(&self) -> PathBuf {
        let mut keys = fs::read_dir(self.state().join("backups")).unwrap();
        keys.next().unwrap().unwrap().path()
    }

    pub(super) fn put(&self, path: &str, bytes: &[u8]) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        put(&self.at(path), bytes);
    }

    pub(super) fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.at(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(super) fn mode(&self, path: &str) -> u32 {
        fs::metadata(self.at(path)).unwrap().mode() & 0o7777
    }

    pub(super) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.at(path)).unwrap()
    }

    pub(super) fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap()
    }

    pub(super) fn path(&self, path: &str) -> ProjectPath {
        ProjectPath::parse(path, self.root.root()).unwrap()
    }

    /// Edits with a permit for exactly what they touch.
    pub(super) fn edit(&self, edits: Vec<FileEdit>) -> Result<Vec<WrittenFile>, Error> {
        let targets = edits.iter().flat_map(FileEdit::paths).cloned().collect();
        self.root
            .edit(Permit::operator("test", targets), &self.backups, edits)
    }

    pub(super) fn write(&self, path: &str, contents: &str) -> Result<WrittenFile, Error> {
        let edit = self.write_edit(path, contents);
        self.edit(vec![edit]).map(|mut written| written.remove(0))
    }

    pub(super) fn write_edit(&self, path: &str, contents: &str) -> FileEdit {
        FileEdit::Write {
            path: self.path(path),
            contents: contents.to_owned(),
            expected: None,
        }
    }

    pub(super) fn delete_edit(&self, path: &str) -> FileEdit {
        FileEdit::Delete {
            path: self.path(path),
        }
    }

    pub(super) fn move_edit(&self, from: &str, to: &str) -> FileEdit {
        FileEdit::Move {
            from: self.path(from),
            to: self.path(to),
        }
    }

    pub(super) fn restore(&self, id: &str) -> Result<Vec<WrittenFile>, Error> {
        let targets = self.backups.get(id)?.paths();
        self.backups
            .restore(&self.root, Permit::operator("restore", targets), id)
    }

    pub(super) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        collect(&self.at(""), &self.at(""), &mut tree);
        tree
    }

    /// Nothing outside was created, changed or removed.
    #[track_caller]
    pub(super) fn check_outside_untouched(&self) {
        let mut tree = Tree::new();
        collect(&self.outside(), &self.outside(), &mut tree);
        let names: Vec<&String> = tree.keys().collect();
        assert_eq!(names, ["secret.txt"]);
        assert_eq!(
            fs::read(self.outside().join("secret.txt")).unwrap(),
            SECRET.as_bytes()
        );
    }
}

pub(super) fn put(path: &Path, bytes: &[u8]) {
    File::create(path).unwrap().write_all(bytes).unwrap();
}

fn collect(root: &Path, folder: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        let metadata = fs::symlink_metadata(&path).unwrap();
        if metadata.is_dir() {
            tree.insert(name, None);
            collect(root, &path, tree);
        } else if metadata.is_file() {
            let bytes = fs::read(&path).unwrap();
            tree.insert(name, Some((metadata.mode() & 0o7777, bytes)));
        }
    }
}

/// The name of an error's variant.
pub(super) fn name_of<T: std::fmt::Debug>(result: &Result<T, Error>) -> String {
    match result {
        Ok(_) => "Ok".to_owned(),
        Err(error) => {
            let debug = format!("{error:?}");
            debug
                .split([' ', '{'])
                .next()
                .unwrap_or_default()
                .to_owned()
        }
    }
}
