//! Files outside of any project: read, replaced whole or not at all, removed with the directories made for them.

use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use sha2::{Digest as _, Sha256};

const ORDINARY: u32 = 0o644;
const EXECUTABLE: u32 = 0o755;

/// The bytes of a file; `None` if there is none.
pub(super) fn read(path: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read `{}`", path.display())),
    }
}

/// Where a file really is: people keep their settings elsewhere and link to them.
pub(super) fn resolve(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Writes a file whole: readers see the old bytes or the new ones.
pub(super) fn replace(path: &Path, bytes: &[u8], executable: bool) -> anyhow::Result<()> {
    let write = || -> io::Result<()> {
        let directory = path.parent().unwrap_or(Path::new("/"));
        std::fs::create_dir_all(directory)?;
        let mode = match std::fs::metadata(path) {
            Ok(metadata) => metadata.permissions().mode(),
            Err(_) if executable => EXECUTABLE,
            Err(_) => ORDINARY,
        };
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(bytes)?;
        file.as_file()
            .set_permissions(std::fs::Permissions::from_mode(mode))?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write `{}`", path.display()))
}

/// Removes a file if it is there, then the directories made for it that are empty now.
pub(super) fn remove(path: &Path, directories: &[PathBuf]) -> anyhow::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot remove `{}`", path.display()));
        }
        _ => {}
    }
    for directory in directories.iter().rev() {
        // One that somebody else uses by now stays.
        if std::fs::remove_dir(directory).is_err() {
            break;
        }
    }
    Ok(())
}

/// The directories above a file that are not there yet, outermost first.
pub(super) fn missing_directories(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> = path
        .ancestors()
        .skip(1)
        .take_while(|directory| !directory.exists())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
}

pub(super) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
