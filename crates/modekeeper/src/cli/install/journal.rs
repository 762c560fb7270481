//! What the installer has written, so that it can be undone: each file with its bytes before, the hash of what we left,
//! and our entries in it.
//!
//! A file that has not changed since gets its old bytes back. From one that has, only our entries are taken out.

mod planned;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use mk_clients::settings::{self, Format, SettingsEdit};
use mk_clients::{ClientId, FileContent, InstallScope, SettingsChange};
use serde::{Deserialize, Serialize};

use super::disk;
use planned::{PlannedSettings, plan};

/// The journal on disk.
#[derive(Debug)]
pub(crate) struct InstallJournal {
    directory: PathBuf,
    place: JournalPlace,
    files: BTreeMap<String, FileRecord>,
}

/// Where the installer works: what is set up for one project says nothing about another.
#[derive(Debug, Clone)]
pub(super) struct JournalPlace {
    pub(super) project: PathBuf,
    pub(super) scope: InstallScope,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct FileRecord {
    /// The project that it was written for; `None` for the user's own files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<PathBuf>,
    /// Whether the file was there before us.
    existed: bool,
    /// Its bytes before us, below the journal's directory; dropped once somebody else has changed the file.
    backup: Option<String>,
    /// The hash of what we left.
    after: String,
    /// Directories that we made for it, outermost first.
    directories: Vec<PathBuf>,
    entries: Vec<EntryRecord>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct EntryRecord {
    client: String,
    /// `None` for a file that is ours as a whole.
    format: Option<Format>,
    edits: Vec<SettingsEdit>,
}

/// What became of one change.
#[derive(Debug)]
pub(crate) enum AppliedChange {
    Written(PathBuf),
    Unchanged,
    /// Something of the user's stands there; where, and what.
    Taken(PathBuf, String),
}

/// What became of one file when its client was taken out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum UndoneChange {
    /// As it was before, byte for byte.
    Restored,
    /// Somebody has changed it since; our entries are out.
    EntriesRemoved,
    /// Somebody has changed our own file; it stays.
    Left,
}

impl InstallJournal {
    pub(super) fn open(state: &Path, place: JournalPlace) -> anyhow::Result<Self> {
        let directory = state.join("install");
        let path = directory.join(NAME);
        let files = match disk::read(&path)? {
            None => BTreeMap::new(),
            Some(bytes) => serde_json::from_slice(&bytes)
                .with_context(|| format!("cannot read `{}`", path.display()))?,
        };
        Ok(Self {
            directory,
            place,
            files,
        })
    }

    /// The project that files are written for now; `None` for the user's own.
    fn project(&self) -> Option<&Path> {
        match self.place.scope {
            InstallScope::User => None,
            InstallScope::Project => Some(&self.place.project),
        }
    }

    /// The files that say something in this project: the user's own, and its own.
    fn files_here(&self) -> impl Iterator<Item = (&String, &FileRecord)> {
        let here = &self.place.project;
        self.files.iter().filter(move |(_, record)| {
            let project = record.project.as_ref();
            project.is_none_or(|project| project == here)
        })
    }

    /// The clients that have been set up, and have not been taken out.
    pub(crate) fn clients(&self) -> Vec<ClientId> {
        clients_in(self.files.values())
    }

    /// Those that have been set up for the user, or for this project.
    pub(crate) fn clients_here(&self) -> Vec<ClientId> {
        clients_in(self.files_here().map(|(_, record)| record))
    }

    /// Whether all of these are among the client's entries.
    pub(crate) fn has_all<'a>(
        &self,
        client: ClientId,
        mut edits: impl Iterator<Item = &'a SettingsEdit>,
    ) -> bool {
        let entries = self.files_here().flat_map(|(_, file)| &file.entries);
        let mine: Vec<&SettingsEdit> = entries
            .filter(|entry| entry.client == client.slug())
            .flat_map(|entry| &entry.edits)
            .collect();
        edits.all(|edit| mine.contains(&edit))
    }

    /// Whether a change of the client was written, or stands in its file all the same.
    pub(crate) fn has(&self, client: ClientId, change: &SettingsChange) -> anyhow::Result<bool> {
        let file = disk::resolve(&chosen(change));
        let record = self.files.get(&key(&file)?);
        let entries = record.into_iter().flat_map(|record| &record.entries);
        let mut mine = entries.filter(|entry| entry.client == client.slug());
        // Values may be an older binary's; the client's other entries in the same file say nothing about this change.
        let is_written = match &change.content {
            FileContent::Entries { edits, .. } => {
                let mine: Vec<_> = mine.flat_map(|it| &it.edits).collect();
                let is_mine = |edit: &SettingsEdit| mine.iter().any(|it| it.path() == edit.path());
                edits.iter().all(is_mine)
            }
            FileContent::Whole { .. } => mine.any(|entry| entry.format.is_none()),
        };
        if is_written {
            return Ok(true);
        }
        let text = disk::read(&file)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        Ok(match &change.content {
            FileContent::Entries { format, edits } => settings::has_all(*format, &text, edits),
            FileContent::Whole { text: ours, .. } => text == *ours,
        })
    }

    /// Whether the client has entries that these changes do not ask for: an older binary's, or another floor's.
    pub(crate) fn is_stale(&self, client: ClientId, changes: &[SettingsChange]) -> bool {
        let planned = |edit: &SettingsEdit| {
            changes.iter().any(|change| match &change.content {
                FileContent::Entries { edits, .. } => edits.contains(edit),
                FileContent::Whole { .. } => false,
            })
        };
        let whole = |key: &str| {
            changes.iter().any(|change| {
                matches!(change.content, FileContent::Whole { .. })
                    && disk::resolve(&change.file) == Path::new(key)
            })
        };
        let files = self.files.iter();
        let files = files.filter(|(_, record)| record.project.as_deref() == self.project());
        let mut of_client = files.flat_map(|(key, record)| {
            let mine = |entry: &&EntryRecord| entry.client == client.slug();
            record.entries.iter().filter(mine).map(move |it| (key, it))
        });
        of_client.any(|(key, entry)| match entry.format {
            Some(_) => !entry.edits.iter().all(planned),
            None => !whole(key),
        })
    }

    /// A file from which an entry of the client has disappeared.
    pub(crate) fn missing(&self, client: ClientId) -> anyhow::Result<Option<PathBuf>> {
        for (key, record) in self.files_here() {
            let file = PathBuf::from(key);
            let mine = |entry: &&EntryRecord| entry.client == client.slug();
            for entry in record.entries.iter().filter(mine) {
                if !is_in_place(&file, record, entry)? {
                    return Ok(Some(file));
                }
            }
        }
        Ok(None)
    }

    /// A JSON file with entries of the client that it does not read.
    pub(crate) fn unread_json(&self, client: ClientId) -> anyhow::Result<Option<PathBuf>> {
        for (key, record) in self.files_here() {
            let mine = |entry: &EntryRecord| entry.client == client.slug();
            let file = PathBuf::from(key);
            if file.extension().is_none_or(|it| it != "json") || !record.entries.iter().any(mine) {
                continue;
            }
            let bytes = disk::read(&file)?.unwrap_or_default();
            if !client.atlas().json.reads(&String::from_utf8_lossy(&bytes)) {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    /// Writes one change of a client.
    pub(crate) fn apply(
        &mut self,
        client: ClientId,
        change: &SettingsChange,
    ) -> anyhow::Result<AppliedChange> {
        let file = disk::resolve(&chosen(change));
        let before = disk::read(&file)?;
        if before.is_none()
            && let Some(hidden) = change.hides.iter().find(|other| other.exists())
        {
            let reason = format!("it would hide {}", hidden.display());
            return Ok(AppliedChange::Taken(file, reason));
        }
        let key = key(&file)?;
        let known = self.files.get(&key);
        let planned = plan(known, client, change, before.as_deref())
            .with_context(|| format!("cannot change `{}`", file.display()))?;
        let PlannedSettings { text, entry, taken } = planned;
        let outcome = match taken {
            Some(taken) => AppliedChange::Taken(file.clone(), taken),
            None if before.as_deref() == Some(text.as_bytes()) => AppliedChange::Unchanged,
            None => AppliedChange::Written(file.clone()),
        };
        if entry.is_ours() {
            let executable = matches!(
                change.content,
                FileContent::Whole {
                    executable: true,
                    ..
                }
            );
            self.write(&file, before.as_deref(), &text, (entry, executable))?;
        }
        Ok(outcome)
    }

    /// The record goes to disk first: what is written without one could not be undone.
    fn write(
        &mut self,
        file: &Path,
        before: Option<&[u8]>,
        text: &str,
        (entry, executable): (EntryRecord, bool),
    ) -> anyhow::Result<()> {
        let key = key(file)?;
        let after = disk::hash(text.as_bytes());
        let mut record = match self.files.remove(&key) {
            Some(mut record) => {
                let current = before.map(disk::hash);
                if current.as_deref() != Some(record.after.as_str()) {
                    record.backup = None;
                }
                record
            }
            None => FileRecord {
                project: self.project().map(Path::to_owned),
                existed: before.is_some(),
                backup: before.map(|bytes| self.back_up(&key, bytes)).transpose()?,
                after: String::new(),
                directories: disk::missing_directories(file),
                entries: Vec::new(),
            },
        };
        record.after = after;
        record.entries.retain(|old| {
            old.client != entry.client || old.format.is_some() != entry.format.is_some()
        });
        record.entries.push(entry);
        self.files.insert(key, record);
        self.save()?;
        if before != Some(text.as_bytes()) {
            disk::replace(file, text.as_bytes(), executable)?;
        }
        Ok(())
    }

    /// Counts entries as ours that the client has written into its file at our request.
    pub(crate) fn adopt(
        &mut self,
        client: ClientId,
        file: &Path,
        edits: &[SettingsEdit],
    ) -> anyhow::Result<()> {
        let key = key(&disk::resolve(file))?;
        let bytes = disk::read(file)?.unwrap_or_default();
        let current = String::from_utf8(bytes).context("it is not UTF-8")?;
        let Some(record) = self.files.get_mut(&key) else {
            return Ok(());
        };
        let mine = |entry: &&mut EntryRecord| entry.client == client.slug();
        let Some(entry) = record.entries.iter_mut().find(mine) else {
            return Ok(());
        };
        let Some(format) = entry.format else {
            return Ok(());
        };
        // If nothing else has changed, the old bytes can still be given back.
        let without = settings::remove(format, &current, edits)?;
        if disk::hash(without.as_bytes()) != record.after {
            record.backup = None;
        }
        for edit in edits {
            if !entry.edits.contains(edit) {
                entry.edits.push(edit.clone());
            }
        }
        record.after = disk::hash(current.as_bytes());
        self.save()
    }

    /// Takes a client out of every file that it is in.
    pub(crate) fn undo(
        &mut self,
        client: ClientId,
    ) -> anyhow::Result<Vec<(PathBuf, UndoneChange)>> {
        let keys = self.files.keys().cloned().collect();
        self.undo_in(client, keys)
    }

    /// The same in the files that are written now: what another project has stays.
    pub(crate) fn retire(&mut self, client: ClientId) -> anyhow::Result<()> {
        let files = self.files.iter();
        let files = files.filter(|(_, record)| record.project.as_deref() == self.project());
        let keys = files.map(|(key, _)| key.clone()).collect();
        self.undo_in(client, keys)?;
        Ok(())
    }

    fn undo_in(
        &mut self,
        client: ClientId,
        keys: Vec<String>,
    ) -> anyhow::Result<Vec<(PathBuf, UndoneChange)>> {
        let mut done = Vec::new();
        for key in keys {
            let Some(record) = self.files.get(&key) else {
                continue;
            };
            if !record.entries.iter().any(|it| it.client == client.slug()) {
                continue;
            }
            let file = PathBuf::from(&key);
            let record = record.clone();
            let outcome = self
                .undo_file(&file, record, client)
                .with_context(|| format!("cannot undo the changes to `{key}`"))?;
            done.extend(outcome.map(|outcome| (file, outcome)));
        }
        Ok(done)
    }

    fn undo_file(
        &mut self,
        file: &Path,
        mut record: FileRecord,
        client: ClientId,
    ) -> anyhow::Result<Option<UndoneChange>> {
        let key = key(file)?;
        let (ours, others): (Vec<_>, Vec<_>) = record
            .entries
            .drain(..)
            .partition(|entry| entry.client == client.slug());
        record.entries = others;
        let current = disk::read(file)?;
        let untouched = current.as_deref().map(disk::hash) == Some(record.after.clone());
        let last = record.entries.is_empty();
        let outcome = match &current {
            // The user has removed it.
            None => None,
            Some(_) if last && untouched && !record.existed => {
                disk::remove(file, &record.directories)?;
                Some(UndoneChange::Restored)
            }
            Some(_) if last && untouched && record.backup.is_some() => {
                let name = record.backup.clone().unwrap_or_default();
                let backup = self.directory.join(name);
                let bytes = disk::read(&backup)?.context("the backup is gone")?;
                disk::replace(file, &bytes, false)?;
                Some(UndoneChange::Restored)
            }
            Some(bytes) => Some(take_out(file, bytes, &ours, &mut record)?),
        };
        match last {
            true => {
                if let Some(backup) = &record.backup {
                    disk::remove(&self.directory.join(backup), &[])?;
                }
                self.files.remove(&key);
            }
            false => {
                self.files.insert(key, record);
            }
        }
        self.save()?;
        Ok(outcome)
    }

    fn back_up(&self, key: &str, bytes: &[u8]) -> anyhow::Result<String> {
        let name = format!("before-{}", disk::hash(key.as_bytes()));
        disk::replace(&self.directory.join(&name), bytes, false)?;
        Ok(name)
    }

    fn save(&self) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(&self.files)?;
        let path = self.directory.join(NAME);
        if self.files.is_empty() {
            return disk::remove(&path, std::slice::from_ref(&self.directory));
        }
        disk::replace(&path, format!("{text}\n").as_bytes(), false)
    }
}

const NAME: &str = "journal.json";

fn clients_in<'a>(files: impl Iterator<Item = &'a FileRecord>) -> Vec<ClientId> {
    let entries = files.flat_map(|file| &file.entries);
    let mut clients: Vec<ClientId> = entries
        .filter_map(|entry| ClientId::parse(&entry.client))
        .collect();
    clients.sort_unstable();
    clients.dedup();
    clients
}

fn take_out(
    file: &Path,
    bytes: &[u8],
    ours: &[EntryRecord],
    record: &mut FileRecord,
) -> anyhow::Result<UndoneChange> {
    let mut text = String::from_utf8(bytes.to_vec()).context("it is not UTF-8")?;
    for entry in ours {
        match entry.format {
            Some(format) => text = settings::remove(format, &text, &entry.edits)?,
            None if disk::hash(bytes) == record.after => {
                disk::remove(file, &record.directories)?;
                return Ok(UndoneChange::Restored);
            }
            None => return Ok(UndoneChange::Left),
        }
    }
    let empty = matches!(text.trim(), "" | "{}");
    if empty && !record.existed && record.entries.is_empty() {
        disk::remove(file, &record.directories)?;
        return Ok(UndoneChange::Restored);
    }
    disk::replace(file, text.as_bytes(), false)?;
    record.after = disk::hash(text.as_bytes());
    record.backup = None;
    Ok(UndoneChange::EntriesRemoved)
}

fn is_in_place(file: &Path, record: &FileRecord, entry: &EntryRecord) -> anyhow::Result<bool> {
    let Some(bytes) = disk::read(file)? else {
        return Ok(false);
    };
    let Some(format) = entry.format else {
        return Ok(disk::hash(&bytes) == record.after);
    };
    let text = String::from_utf8(bytes).context("it is not UTF-8")?;
    // A file that has all entries is not changed by writing them.
    Ok(settings::apply(format, &text, &entry.edits).is_ok_and(|edited| edited.text == text))
}

/// The first of the file's names that exists, else its usual one.
pub(super) fn chosen(change: &SettingsChange) -> PathBuf {
    let existing = change.alternatives.iter().find(|file| file.exists());
    existing.unwrap_or(&change.file).clone()
}

fn key(file: &Path) -> anyhow::Result<String> {
    match file.to_str() {
        Some(text) => Ok(text.to_owned()),
        None => bail!("`{}` is not UTF-8", file.display()),
    }
}

#[cfg(test)]
mod tests;
