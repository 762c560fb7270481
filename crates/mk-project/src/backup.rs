//! Undo: what files were before each change, kept outside the project's tree.
//!
//! One folder per change set, named so that names sort by time, complete before anything is changed. Nothing here is
//! ever needed to read a project: what cannot be read is skipped.

mod command;
mod id;
mod journal;
mod lock;
mod meta;

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use mk_policy::Permit;
use mk_types::{AbsPath, Clock, ProjectPath, Timestamp};

pub use command::{CommandJournal, Conflict, FileBefore};
pub(crate) use journal::{JournalStep, RecoverDirection};
pub(crate) use lock::Lock;

use self::id::SetId;
use self::meta::Meta;
use crate::beneath::RootDir;
use crate::error::Error;
use crate::file::{
    EditPlan, FileStep, LARGEST, WrittenFile, direction, plan_delete_if_there, plan_move,
    plan_put_back, revision_of, roll_back, roll_forward,
};

const META: &str = "meta.json";
/// Folders that are being made or removed; nobody lists them.
const UNFINISHED: &str = ".";
/// A description of many thousand files is still smaller.
const LARGEST_META: u64 = 16 * 1024 * 1024;
/// So that an edit never pays for more than a few others.
const MOST_REMOVED: usize = 16;

/// The change sets of one project that can be undone.
#[derive(Debug)]
pub struct Backups {
    folder: PathBuf,
    root: AbsPath,
    clock: Clock,
    /// How long to wait for another process.
    pub(crate) patience: Duration,
    pub(crate) keep: BackupLimits,
}

/// How much is kept; the newest change set always is.
#[derive(Debug)]
pub(crate) struct BackupLimits {
    pub(crate) sets: usize,
    pub(crate) bytes: u64,
    pub(crate) age: Duration,
}

/// One change set: what a single call changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    pub id: String,
    pub at: Timestamp,
    pub tool: String,
    /// In the order in which they were changed.
    pub entries: Vec<BackupEntry>,
}

/// A file before it was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupEntry {
    pub path: ProjectPath,
    pub existed: bool,
    /// Bytes that are kept; none for a file that was only moved.
    pub size: u64,
    /// What it held, as [`crate::FileText::revision`] says it; none for a file that was only moved.
    pub revision: Option<String>,
    /// Where the change moved it.
    pub moved_to: Option<ProjectPath>,
}

/// A change set that is complete on disk and not yet decided.
#[derive(Debug)]
pub(crate) struct PreparedChangeSet {
    pub(crate) id: String,
    making: PathBuf,
}

/// What is about to be changed.
#[derive(Debug)]
pub(crate) struct ChangeSet<'a> {
    pub(crate) tool: &'a str,
    pub(crate) steps: &'a [FileStep],
    /// Folders that the steps will create.
    pub(crate) folders: &'a BTreeSet<ProjectPath>,
}

impl Backup {
    /// Every path that restoring touches, for the permit.
    pub fn paths(&self) -> Vec<ProjectPath> {
        let paths = self
            .entries
            .iter()
            .flat_map(|entry| [Some(&entry.path), entry.moved_to.as_ref()]);
        paths.flatten().cloned().collect()
    }
}

impl Backups {
    /// The backups of the project at `root`, below Modekeeper's state folder. Nothing is created yet.
    pub fn new(state: &Path, root: &AbsPath, clock: Clock) -> Self {
        Self {
            folder: state.join("backups").join(key_of(root)),
            root: root.clone(),
            clock,
            patience: Duration::from_secs(10),
            keep: BackupLimits {
                sets: 200,
                bytes: 200 * 1024 * 1024,
                age: Duration::from_hours(30 * 24),
            },
        }
    }

    /// All change sets, newest first.
    pub fn list(&self) -> Result<Vec<Backup>, Error> {
        let sets = self.sets()?;
        let backups = sets.into_iter().filter_map(|id| self.load(&id));
        Ok(backups.map(|meta| meta.backup).collect())
    }

    pub fn get(&self, id: &str) -> Result<Backup, Error> {
        Ok(self.find(id)?.backup)
    }

    /// Puts the files of a change set back as they were before it. This is a change like any other, with a backup.
    ///
    /// Later changes of the same files are overwritten; a file that was only moved comes back as it is now.
    pub fn restore(
        &self,
        root: &RootDir,
        permit: Permit,
        id: &str,
    ) -> Result<Vec<WrittenFile>, Error> {
        self.restore_except(root, permit, id, &[])
    }

    /// The same, leaving some files as they are now.
    pub fn restore_except(
        &self,
        root: &RootDir,
        permit: Permit,
        id: &str,
        left: &[ProjectPath],
    ) -> Result<Vec<WrittenFile>, Error> {
        let meta = self.find(id)?;
        root.change(permit, self, &meta.backup.paths(), || {
            let mut planned = Vec::new();
            // In any order: no two entries concern the same name.
            for (entry_idx, entry) in meta.backup.entries.iter().enumerate() {
                if left.contains(&entry.path) {
                    continue;
                }
                let path = entry.path.clone();
                planned.push(match &entry.moved_to {
                    Some(to) => plan_move(root, to.clone(), path)?,
                    None if entry.existed => {
                        let bytes = self.read_entry(id, entry_idx, entry)?;
                        plan_put_back(root, path, bytes, meta.mode_of(entry_idx))?
                    }
                    None => plan_delete_if_there(root, path)?,
                });
            }
            Ok(EditPlan {
                planned,
                emptied: meta.folders,
            })
        })
    }

    /// Removes what is too old or too much, a little at a time; says how many change sets went.
    pub fn prune(&self) -> Result<usize, Error> {
        let lock = self.lock()?;
        Ok(self.prune_held(&lock))
    }

    pub(crate) fn prune_held(&self, _lock: &Lock) -> usize {
        let now = self.clock.now();
        let mut bytes = 0_u64;
        let mut surplus = Vec::new();
        for (set_idx, set) in self.sets().unwrap_or_default().into_iter().enumerate() {
            bytes = bytes.saturating_add(set.bytes());
            let keeps = set_idx == 0
                || (set_idx < self.keep.sets
                    && bytes <= self.keep.bytes
                    && now.since(set.at()) <= self.keep.age);
            if !keeps {
                surplus.push(set);
            }
        }
        let oldest: Vec<SetId> = surplus.into_iter().rev().take(MOST_REMOVED).collect();
        for set in &oldest {
            self.remove(set.as_str());
        }
        // What killed processes left; the holder of the lock is the only one at work here.
        let unfinished = self.names().unwrap_or_default();
        let unfinished = unfinished
            .iter()
            .filter(|name| name.starts_with(UNFINISHED));
        for name in unfinished.take(MOST_REMOVED) {
            drop(fs::remove_dir_all(self.folder.join(name)));
        }
        oldest.len()
    }

    /// Waits until no other process changes this project.
    pub(crate) fn lock(&self) -> Result<Lock, Error> {
        self.make_folder(&self.folder)?;
        Lock::take(&self.folder, self.patience)
    }

    /// Keeps what the steps will change, on disk before this returns, under a name that nobody lists yet.
    pub(crate) fn prepare(
        &self,
        _lock: &Lock,
        set: &ChangeSet<'_>,
    ) -> Result<PreparedChangeSet, Error> {
        let newest = self.sets()?.into_iter().next();
        let id = SetId::after(newest.as_ref(), self.clock.now(), set.steps);
        let making = self.folder.join(format!("{UNFINISHED}{}", id.as_str()));
        let prepared = PreparedChangeSet {
            id: id.as_str().to_owned(),
            making,
        };
        let made = self.make_folder(&prepared.making).and_then(|()| {
            for (entry_idx, bytes) in set.steps.iter().map(kept_bytes).enumerate() {
                if let Some(bytes) = bytes {
                    write_new(&prepared.making.join(entry_idx.to_string()), bytes)?;
                }
            }
            let meta = Meta::of(id.as_str(), self.clock.now(), set);
            write_new(
                &prepared.making.join(META),
                meta.to_json(set.steps).as_bytes(),
            )
        });
        match made {
            Ok(()) => Ok(prepared),
            Err(error) => {
                self.drop_prepared(prepared);
                Err(error)
            }
        }
    }

    /// Decides that the change happens: the journal is written, and the change set gets its final name.
    pub(crate) fn decide(
        &self,
        prepared: &PreparedChangeSet,
        steps: &[JournalStep],
    ) -> Result<(), Error> {
        journal::write(&prepared.making, steps)?;
        let complete = self.folder.join(&prepared.id);
        fs::rename(&prepared.making, &complete)
            .map_err(|source| cannot_write(&complete, source))?;
        sync(&self.folder)
    }

    #[expect(clippy::needless_pass_by_value, reason = "it is gone afterwards")]
    pub(crate) fn drop_prepared(&self, prepared: PreparedChangeSet) {
        drop(fs::remove_dir_all(&prepared.making));
    }

    /// The change has happened.
    pub(crate) fn finish(&self, id: &str) -> Result<(), Error> {
        journal::finish(&self.folder.join(id))
    }

    /// The change is to be taken back.
    pub(crate) fn turn_back(&self, id: &str) -> Result<(), Error> {
        journal::turn_back(&self.folder.join(id))
    }

    /// Finishes what a killed process left. Only the newest change set can be half done: one is applied at a time.
    pub(crate) fn finish_half_done(&self, root: &RootDir, lock: &Lock) -> Result<(), Error> {
        let Some(newest) = self.sets()?.into_iter().next() else {
            return Ok(());
        };
        let set = self.folder.join(newest.as_str());
        let Some((wanted, steps)) = journal::load(&set, &self.root)? else {
            return Ok(());
        };
        let meta = self.find(newest.as_str())?;
        let finished = match direction(root, wanted, &steps) {
            RecoverDirection::Forward => roll_forward(root, &steps)?,
            RecoverDirection::Back => {
                journal::turn_back(&set)?;
                let pre_image = |entry_idx: usize| {
                    let missing = || Error::NoBackup {
                        id: newest.as_str().to_owned(),
                    };
                    let entry = meta.backup.entries.get(entry_idx).ok_or_else(missing)?;
                    let bytes = self.read_entry(newest.as_str(), entry_idx, entry)?;
                    Ok((bytes, meta.mode_of(entry_idx)))
                };
                let finished = roll_back(root, lock, &steps, &pre_image)?;
                for folder in meta.folders.iter().rev() {
                    root.remove_if_empty(folder);
                }
                finished
            }
        };
        tracing::warn!(
            change = newest.as_str(),
            tool = meta.backup.tool,
            files = meta.backup.entries.len(),
            conflicts = ?finished.conflicts,
            "a change that was cut off has been finished"
        );
        journal::finish(&set)
    }

    /// Forgets a change set that did not happen.
    pub(crate) fn discard(&self, _lock: &Lock, id: &str) {
        self.remove(id);
    }

    /// What a file held when it had this revision, if some change set knows.
    pub(crate) fn find_bytes(&self, path: &ProjectPath, revision: &str) -> Option<Vec<u8>> {
        self.sets().ok()?.iter().find_map(|set| {
            let meta = self.load(set)?;
            let (entry_idx, entry) =
                meta.backup.entries.iter().enumerate().find(|(_, entry)| {
                    entry.path == *path && entry.revision.as_deref() == Some(revision)
                })?;
            self.read_entry(set.as_str(), entry_idx, entry).ok()
        })
    }

    fn find(&self, id: &str) -> Result<Meta, Error> {
        let set = SetId::parse(id);
        set.and_then(|set| self.load(&set))
            .ok_or_else(|| Error::NoBackup { id: id.to_owned() })
    }

    fn load(&self, set: &SetId) -> Option<Meta> {
        let path = self.folder.join(set.as_str()).join(META);
        let json = read(&path, LARGEST_META).ok()?;
        Meta::from_json(set.as_str(), &json, &self.root)
    }

    fn read_entry(
        &self,
        id: &str,
        entry_idx: usize,
        entry: &BackupEntry,
    ) -> Result<Vec<u8>, Error> {
        let path = self.folder.join(id).join(entry_idx.to_string());
        let unreadable = |source| Error::Read {
            path: path.clone(),
            source,
        };
        let bytes = read(&path, LARGEST).map_err(unreadable)?;
        if entry.revision.as_deref() == Some(revision_of(&bytes).as_str()) {
            Ok(bytes)
        } else {
            Err(unreadable(io::ErrorKind::InvalidData.into()))
        }
    }

    /// The change sets there are, newest first, by their names alone.
    fn sets(&self) -> Result<Vec<SetId>, Error> {
        let names = self.names()?;
        let mut sets: Vec<SetId> = names.iter().filter_map(|name| SetId::parse(name)).collect();
        sets.sort_unstable_by(|left, right| right.cmp(left));
        Ok(sets)
    }

    fn names(&self) -> Result<Vec<String>, Error> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => {
                return Err(Error::Read {
                    path: self.folder.clone(),
                    source,
                });
            }
        };
        let names = entries
            .flatten()
            .map(|entry| entry.file_name().into_string());
        Ok(names.flatten().collect())
    }

    /// Takes a change set out of sight first, so that half of one is never listed.
    fn remove(&self, id: &str) {
        let leaving = self.folder.join(format!("{UNFINISHED}{id}"));
        let removed =
            fs::rename(self.folder.join(id), &leaving).and_then(|()| fs::remove_dir_all(&leaving));
        if let Err(error) = removed {
            tracing::warn!(%error, id, "a backup could not be removed");
        }
    }

    fn make_folder(&self, folder: &Path) -> Result<(), Error> {
        // Old files may hold what their owner has removed from the project since.
        let mut builder = fs::DirBuilder::new();
        let made = builder.recursive(true).mode(0o700).create(folder);
        made.map_err(|source| cannot_write(folder, source))
    }
}

/// Removes what is too old or too much of all projects; says how many change sets went.
pub fn prune_backups(state: &Path, clock: &Clock) -> usize {
    let folders = fs::read_dir(state.join("backups")).into_iter().flatten();
    let mut removed = 0;
    for folder in folders.flatten().map(|entry| entry.path()) {
        // Whose they are does not matter for this.
        let Some(root) = AbsPath::new(&folder) else {
            continue;
        };
        let backups = Backups {
            folder,
            ..Backups::new(state, &root, clock.clone())
        };
        while let Ok(more) = backups.prune()
            && more > 0
        {
            removed += more;
        }
    }
    removed
}

/// What must be kept of a step; a rename undoes itself.
fn kept_bytes(step: &FileStep) -> Option<&[u8]> {
    match step {
        FileStep::Put { before, .. } => before.as_ref().map(|state| state.bytes.as_slice()),
        FileStep::Remove { before, .. } => Some(&before.bytes),
        FileStep::Rename { .. } => None,
    }
}

/// A readable name, and what tells projects of that name apart. Links to one project lead to one key.
fn key_of(root: &AbsPath) -> String {
    let real = fs::canonicalize(root.as_path()).unwrap_or_else(|_| root.as_path().to_owned());
    let name = real
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("root");
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    let name: String = name
        .chars()
        .map(|character| if plain(character) { character } else { '_' })
        .take(40)
        .collect();
    format!(
        "{name}-{}",
        revision_of(real.as_os_str().as_encoded_bytes())
    )
}

fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    if file.metadata()?.len() > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn write_new(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.map_err(|source| cannot_write(path, source))
}

fn sync(folder: &Path) -> Result<(), Error> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|source| cannot_write(folder, source))
}

fn cannot_write(path: &Path, source: io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        source,
    }
}
