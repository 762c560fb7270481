//! Which directory a project's policy comes from, seen from the directory somebody works in.
//!
//! The agent does not choose it: a repository or a mode file that it makes or clones further down changes nothing.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use mk_clients::{IGNORE_FILE, PROJECT_MODE_FILES};
use mk_types::AbsPath;

const STICKY: u32 = 0o1000;
const WRITABLE_BY_ALL: u32 = 0o002;

/// What marks a project. A directory of rules does not: it also stands in people's homes.
fn marks() -> impl Iterator<Item = &'static str> {
    [".git", IGNORE_FILE].into_iter().chain(PROJECT_MODE_FILES)
}

/// The outermost directory upwards that looks like a project, resolved; the directory itself if none does.
///
/// Never `/`, the home or what is above it, a temporary directory itself, or a directory of another user: anyone who may
/// write there would choose the policy for everything below.
pub fn policy_root(directory: &AbsPath, home: Option<&Path>) -> AbsPath {
    let real = resolved(directory.as_path());
    let home = home.map(resolved);
    let owners = owners(&real);
    let is_allowed = |ancestor: &&Path| {
        let above_home = home.as_ref().is_some_and(|home| home.starts_with(ancestor));
        ancestor.parent().is_some()
            && !above_home
            && fs::metadata(ancestor)
                .is_ok_and(|metadata| !is_temporary(&metadata) && owners.contains(&metadata.uid()))
    };
    real.ancestors()
        .filter(is_allowed)
        .filter(|ancestor| is_project(ancestor))
        .last()
        .and_then(AbsPath::new)
        .or_else(|| AbsPath::new(&real))
        .unwrap_or_else(|| directory.clone())
}

/// Whether a directory looks like a project.
pub fn is_project(directory: &Path) -> bool {
    marks().any(|mark| has(&directory.join(mark)))
}

/// What a directory is, whatever its name: device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DirectoryIdentity {
    pub device: u64,
    pub inode: u64,
}

impl DirectoryIdentity {
    /// Of what the path leads to now.
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self::of_metadata(&metadata))
    }

    pub(crate) fn of_metadata(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }
}

/// A broken link is a mark, too: what it should lead to may come.
fn has(mark: &Path) -> bool {
    fs::symlink_metadata(mark).is_ok()
}

fn resolved(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Whose directories count: ours, and for root those of the user whose directory it works in.
fn owners(directory: &Path) -> Vec<u32> {
    let own = rustix::process::geteuid();
    let mut owners = vec![own.as_raw()];
    if own.is_root() {
        owners.extend(fs::metadata(directory).map(|metadata| metadata.uid()));
    }
    owners
}

/// As `/tmp` is: everyone may write, and nobody remove what is another's.
fn is_temporary(metadata: &Metadata) -> bool {
    metadata.mode() & (STICKY | WRITABLE_BY_ALL) == STICKY | WRITABLE_BY_ALL
}
