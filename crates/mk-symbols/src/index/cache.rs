//! The index on disk, so that the next start need not parse what has not changed.
//!
//! One file for each project, replaced as a whole: several processes may write it, and the last one wins. What
//! cannot be read, was written by another version or belongs to another project is as good as no file.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use mk_types::{AbsPath, ProjectPath};
use serde::{Deserialize, Serialize};

use super::store::{IndexEntry, IndexedFiles};
use crate::language::Language;

const MAGIC: &[u8; 8] = b"mksymbol";
/// Goes up with every change of the format, and of what extraction makes of the same query.
const VERSION: u64 = 3;
/// A cache that is larger was not written by us.
const LARGEST: u64 = 1 << 30;

/// Where a project's index is kept.
#[derive(Debug)]
pub(crate) struct Cache {
    path: PathBuf,
    root: String,
}

/// What stands in the file after the magic, the version and the checksum.
#[derive(Deserialize)]
struct LoadedCache {
    root: String,
    names: Vec<Box<str>>,
    files: Vec<(String, IndexEntry)>,
}

#[derive(Serialize)]
struct SavedIndex<'a> {
    root: &'a str,
    names: &'a [Box<str>],
    files: Vec<(&'a str, &'a IndexEntry)>,
}

impl Cache {
    pub(crate) fn new(folder: &Path, root: &AbsPath) -> Self {
        let name = format!("{:016x}.symbols", hash(root.as_str().as_bytes()));
        Self {
            path: folder.join(name),
            root: root.as_str().to_owned(),
        }
    }

    /// What was saved, if it can be used.
    pub(crate) fn load(&self, root: &AbsPath) -> Option<IndexedFiles> {
        match fs::metadata(&self.path) {
            Ok(metadata) if metadata.len() <= LARGEST => {}
            Ok(_) | Err(_) => return None,
        }
        let bytes = fs::read(&self.path).ok()?;
        let store = self.decode(&bytes, root);
        if store.is_none() {
            tracing::info!(path = %self.path.display(), "the index on disk cannot be used; it is made again");
        }
        store
    }

    fn decode(&self, bytes: &[u8], root: &AbsPath) -> Option<IndexedFiles> {
        let bytes = bytes.strip_prefix(MAGIC)?;
        let (version, bytes) = bytes.split_first_chunk::<8>()?;
        let (checksum, bytes) = bytes.split_first_chunk::<8>()?;
        if u64::from_le_bytes(*version) != version_hash()
            || u64::from_le_bytes(*checksum) != hash(bytes)
        {
            return None;
        }
        let loaded: LoadedCache = postcard::from_bytes(bytes).ok()?;
        if loaded.root != self.root {
            return None;
        }
        let files = loaded.files.into_iter().filter_map(|(path, entry)| {
            let path = ProjectPath::parse(&path, root).ok()?;
            Some((path, entry))
        });
        let files = files.collect::<BTreeMap<_, _>>();
        Some(IndexedFiles::new(loaded.names, files))
    }

    /// Writes the index beside the old one and puts it in its place.
    pub(crate) fn save(&self, store: &IndexedFiles) -> io::Result<()> {
        let files = store.files.iter();
        let saved = SavedIndex {
            root: &self.root,
            names: store.names.texts(),
            files: files.map(|(path, entry)| (path.as_str(), entry)).collect(),
        };
        let body = postcard::to_allocvec(&saved).map_err(io::Error::other)?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(MAGIC)?;
        file.write_all(&version_hash().to_le_bytes())?;
        file.write_all(&hash(&body).to_le_bytes())?;
        file.write_all(&body)?;
        // No sync: after a loss of power the checksum tells, and the index is made again.
        file.persist(&self.path)?;
        Ok(())
    }
}

/// Another version of the format or another query finds other symbols.
fn version_hash() -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u64(VERSION);
    for language in Language::all() {
        hasher.write(language.query().as_bytes());
    }
    hasher.finish()
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
