//! The description of a change set, as JSON that a person can read when nothing else works any more.

use std::collections::BTreeSet;

use mk_types::{AbsPath, ProjectPath, Timestamp};
use serde_json::{Value, json};

use super::{Backup, BackupEntry, ChangeSet};
use crate::file::{FileState, FileStep, revision_of};

const VERSION: u64 = 1;

/// A change set with what only restoring needs.
#[derive(Debug)]
pub(super) struct Meta {
    pub(super) backup: Backup,
    /// Mode bits for each entry; 0 where nothing is kept.
    modes: Vec<u32>,
    /// Folders that the change created.
    pub(super) folders: BTreeSet<ProjectPath>,
}

impl Meta {
    pub(super) fn of(id: &str, at: Timestamp, set: &ChangeSet<'_>) -> Self {
        let steps = set.steps;
        let backup = Backup {
            id: id.to_owned(),
            at,
            tool: set.tool.to_owned(),
            entries: steps.iter().map(entry_of).collect(),
        };
        Self {
            backup,
            modes: steps
                .iter()
                .map(|step| before(step).map_or(0, |state| state.mode))
                .collect(),
            folders: set.folders.clone(),
        }
    }

    pub(super) fn mode_of(&self, entry_idx: usize) -> u32 {
        self.modes.get(entry_idx).copied().unwrap_or_default()
    }

    /// With what the steps will leave, so that a later change of the same file is noticed.
    pub(super) fn to_json(&self, steps: &[FileStep]) -> String {
        let entries = self.backup.entries.iter().zip(&self.modes).zip(steps);
        let entries = entries.map(|((entry, mode), step)| {
            let mut value = json!({
                "path": entry.path.as_str(),
                "existed": entry.existed,
                "size": entry.size,
                "revision": entry.revision,
                "mode": format!("{mode:o}"),
                "moved_to": entry.moved_to.as_ref().map(ProjectPath::as_str),
            });
            match step {
                FileStep::Put { bytes, .. } => value["after"] = revision_of(bytes).into(),
                FileStep::Remove { .. } => value["after"] = Value::Null,
                // It goes back as it is then.
                FileStep::Rename { .. } => {}
            }
            value
        });
        let meta = json!({
            "version": VERSION,
            "at": self.backup.at.as_millis(),
            "tool": self.backup.tool,
            "entries": entries.collect::<Vec<Value>>(),
            "folders": self.folders.iter().map(ProjectPath::as_str).collect::<Vec<&str>>(),
        });
        format!("{meta:#}\n")
    }

    /// `None` if it is damaged, or from a version that we do not know.
    pub(super) fn from_json(id: &str, json: &[u8], root: &AbsPath) -> Option<Self> {
        let meta: Value = serde_json::from_slice(json).ok()?;
        if meta.get("version")?.as_u64()? != VERSION {
            return None;
        }
        let path = |value: &Value| ProjectPath::parse(value.as_str()?, root).ok();
        let mut entries = Vec::new();
        let mut modes = Vec::new();
        for entry in meta.get("entries")?.as_array()? {
            modes.push(u32::from_str_radix(entry.get("mode")?.as_str()?, 8).ok()? & 0o777);
            entries.push(BackupEntry {
                path: path(entry.get("path")?)?,
                existed: entry.get("existed")?.as_bool()?,
                size: entry.get("size")?.as_u64()?,
                revision: entry.get("revision")?.as_str().map(str::to_owned),
                moved_to: match entry.get("moved_to")? {
                    Value::Null => None,
                    to => Some(path(to)?),
                },
            });
        }
        let folders = meta.get("folders")?.as_array()?.iter().map(path);
        Some(Self {
            backup: Backup {
                id: id.to_owned(),
                at: Timestamp::from_millis(meta.get("at")?.as_i64()?),
                tool: meta.get("tool")?.as_str()?.to_owned(),
                entries,
            },
            modes,
            folders: folders.collect::<Option<_>>()?,
        })
    }
}

fn entry_of(step: &FileStep) -> BackupEntry {
    let state = before(step);
    let (path, moved_to) = match step {
        FileStep::Put { path, .. } | FileStep::Remove { path, .. } => (path, None),
        FileStep::Rename { from, to } => (from, Some(to.clone())),
    };
    BackupEntry {
        path: path.clone(),
        existed: state.is_some() || moved_to.is_some(),
        size: state.map_or(0, |state| state.bytes.len() as u64),
        revision: state.map(|state| revision_of(&state.bytes)),
        moved_to,
    }
}

fn before(step: &FileStep) -> Option<&FileState> {
    match step {
        FileStep::Put { before, .. } => before.as_ref(),
        FileStep::Remove { before, .. } => Some(before),
        FileStep::Rename { .. } => None,
    }
}
