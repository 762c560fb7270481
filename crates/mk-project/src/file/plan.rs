//! What an edit would do to the file that is there now. Reads, compares and refuses; changes nothing.

use std::io;

use mk_types::ProjectPath;

use super::diff::Diff;
use super::edit::{PlannedEdit, TextRewrite, WriteKind, WrittenFile};
use super::encoding::{LineEnding, UTF_8, encode};
use super::state::{FileState, FileStep, revision_of};
use super::{FileText, LARGEST};
use crate::backup::Backups;
use crate::beneath::{RootDir, cannot_write, shown};
use crate::error::Error;

pub(super) fn plan_write(
    root: &RootDir,
    path: ProjectPath,
    contents: String,
    seen: Option<&SeenState<'_>>,
) -> Result<PlannedEdit, Error> {
    let before = FileState::find(root, &path)?;
    let old = before
        .as_ref()
        .and_then(|state| FileText::decode(&state.bytes));
    let keeps_crlf = old
        .as_ref()
        .is_some_and(|old| old.line_ending == LineEnding::CrLf);
    let text = if keeps_crlf && !contents.contains("\r\n") {
        contents.replace('\n', "\r\n")
    } else {
        contents
    };
    let encoding = old.as_ref().map_or(UTF_8, |old| old.encoding);
    let wanted = WantedText::encode(&path, text, encoding)?;
    if let (Some(seen), Some(state)) = (seen, &before)
        && wanted.bytes != state.bytes
    {
        seen.check(&path, state, Some(&wanted.text))?;
    }
    plan_text(path, before, old, wanted)
}

pub(super) fn plan_replace(
    root: &RootDir,
    path: ProjectPath,
    change: TextRewrite,
    seen: Option<&SeenState<'_>>,
) -> Result<PlannedEdit, Error> {
    let before = FileState::read(root, &path)?;
    if let Some(seen) = seen {
        seen.check(&path, &before, None)?;
    }
    let old = FileText::decode(&before.bytes).ok_or_else(|| Error::Binary {
        path: shown(&path),
        size: before.bytes.len() as u64,
    })?;
    let mut text = change(&old.editable())?;
    if old.line_ending == LineEnding::CrLf {
        text = text.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    let wanted = WantedText::encode(&path, text, old.encoding)?;
    plan_text(path, Some(before), Some(old), wanted)
}

pub(super) fn plan_delete(root: &RootDir, path: ProjectPath) -> Result<PlannedEdit, Error> {
    let before = FileState::read(root, &path)?;
    let text = FileText::decode(&before.bytes).map(|old| old.text);
    let diff = text
        .map(|text| Diff::between(&text, ""))
        .unwrap_or_default();
    let written = written(path.clone(), WriteKind::Deleted, None, diff);
    let step = Some(FileStep::Remove { path, before });
    Ok(PlannedEdit { step, written })
}

/// The same for a file that may be gone already.
pub(crate) fn plan_delete_if_there(
    root: &RootDir,
    path: ProjectPath,
) -> Result<PlannedEdit, Error> {
    match plan_delete(root, path.clone()) {
        Err(Error::Missing { .. }) => {
            let written = written(path, WriteKind::Unchanged, None, Diff::default());
            Ok(PlannedEdit {
                step: None,
                written,
            })
        }
        planned => planned,
    }
}

/// The file is not read: any size and any kind of contents can be moved.
pub(crate) fn plan_move(
    root: &RootDir,
    from: ProjectPath,
    to: ProjectPath,
) -> Result<PlannedEdit, Error> {
    root.open_file(&from)?;
    match root.open_file(&to) {
        Err(Error::Missing { .. }) => {}
        Err(Error::Link { path }) => return Err(Error::Link { path }),
        Err(Error::NotAFolder { path }) => return Err(Error::NotAFolder { path }),
        Ok(_) | Err(_) => return Err(Error::Exists { path: shown(&to) }),
    }
    let kind = WriteKind::Moved { to: to.clone() };
    let written = written(from.clone(), kind, None, Diff::default());
    let step = Some(FileStep::Rename { from, to });
    Ok(PlannedEdit { step, written })
}

/// Bytes and mode bits as they once were.
pub(crate) fn plan_put_back(
    root: &RootDir,
    path: ProjectPath,
    bytes: Vec<u8>,
    mode: u32,
) -> Result<PlannedEdit, Error> {
    let before = FileState::find(root, &path)?;
    let revision = Some(revision_of(&bytes));
    if before
        .as_ref()
        .is_some_and(|state| state.bytes == bytes && state.mode == mode)
    {
        let written = written(path, WriteKind::Unchanged, revision, Diff::default());
        return Ok(PlannedEdit {
            step: None,
            written,
        });
    }
    let old = match &before {
        Some(state) => FileText::decode(&state.bytes).map(|old| old.text),
        None => Some(String::new()),
    };
    let new = FileText::decode(&bytes).map(|new| new.text);
    let diff = old.zip(new).map(|(old, new)| Diff::between(&old, &new));
    let written = written(
        path,
        kind_of(before.as_ref()),
        revision,
        diff.unwrap_or_default(),
    );
    put(written, before, bytes, Some(mode))
}

/// A text ready to be written.
struct WantedText {
    text: String,
    bytes: Vec<u8>,
    recoded_from: Option<&'static str>,
}

impl WantedText {
    /// Refuses what could not be read again.
    fn encode(path: &ProjectPath, text: String, encoding: &'static str) -> Result<Self, Error> {
        let (bytes, used) = encode(&text, encoding);
        let size = bytes.len() as u64;
        if size > LARGEST {
            return Err(Error::TooLarge {
                path: shown(path),
                size,
                limit: LARGEST,
            });
        }
        if text.contains('\0') {
            return Err(Error::Binary {
                path: shown(path),
                size,
            });
        }
        Ok(Self {
            text,
            bytes,
            recoded_from: (used != encoding).then_some(encoding),
        })
    }
}

/// A state of the file that the caller knows.
pub(super) struct SeenState<'a> {
    pub(super) backups: &'a Backups,
    pub(super) revision: String,
}

impl SeenState<'_> {
    /// Refuses if the file has changed since, with what the caller has not seen; where that state is in no backup,
    /// with what its own text would change.
    fn check(
        &self,
        path: &ProjectPath,
        now: &FileState,
        wanted: Option<&str>,
    ) -> Result<(), Error> {
        let revision = revision_of(&now.bytes);
        if revision == self.revision {
            return Ok(());
        }
        let text = |bytes: &[u8]| FileText::decode(bytes).map(|file| file.text);
        let seen = self.backups.find_bytes(path, &self.revision);
        let diff = match (
            seen.and_then(|bytes| text(&bytes)),
            text(&now.bytes),
            wanted,
        ) {
            (Some(seen), Some(now), _) => {
                Diff::titled(("as you read it", &seen), ("on disk now", &now))
            }
            (None, Some(now), Some(wanted)) => {
                Diff::titled(("on disk now", &now), ("as you would write it", wanted))
            }
            _ => String::new(),
        };
        Err(Error::Changed {
            path: shown(path),
            revision,
            diff,
        })
    }
}

fn plan_text(
    path: ProjectPath,
    before: Option<FileState>,
    old: Option<FileText>,
    wanted: WantedText,
) -> Result<PlannedEdit, Error> {
    let revision = Some(revision_of(&wanted.bytes));
    if before
        .as_ref()
        .is_some_and(|state| state.bytes == wanted.bytes)
    {
        let written = written(path, WriteKind::Unchanged, revision, Diff::default());
        return Ok(PlannedEdit {
            step: None,
            written,
        });
    }
    // What was there and is not text cannot be compared.
    let comparable = before.is_none() || old.is_some();
    let old = old.map(|old| old.text).unwrap_or_default();
    let diff = if comparable {
        Diff::between(&old, &wanted.text)
    } else {
        Diff::default()
    };
    let mut written = written(path, kind_of(before.as_ref()), revision, diff);
    written.recoded_from = wanted.recoded_from;
    put(written, before, wanted.bytes, None)
}

fn put(
    written: WrittenFile,
    before: Option<FileState>,
    bytes: Vec<u8>,
    mode: Option<u32>,
) -> Result<PlannedEdit, Error> {
    // The new file takes the old one's name, for which the folder's rights are enough: what the owner said about the
    // file itself has to be asked for.
    if before.as_ref().is_some_and(FileState::is_read_only) {
        let source = io::Error::from(io::ErrorKind::PermissionDenied);
        return Err(cannot_write(&written.path, source));
    }
    let mode = mode.or(before.as_ref().map(|state| state.mode));
    let step = Some(FileStep::Put {
        path: written.path.clone(),
        before,
        bytes,
        mode,
    });
    Ok(PlannedEdit { step, written })
}

fn kind_of(before: Option<&FileState>) -> WriteKind {
    match before {
        Some(_) => WriteKind::Changed,
        None => WriteKind::Created,
    }
}

fn written(
    path: ProjectPath,
    kind: WriteKind,
    revision: Option<String>,
    diff: Diff,
) -> WrittenFile {
    WrittenFile {
        path,
        kind,
        revision,
        added: diff.added,
        removed: diff.removed,
        diff: diff.text,
        recoded_from: None,
        backup: None,
    }
}
