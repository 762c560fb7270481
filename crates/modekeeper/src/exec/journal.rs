//! What the command changes, kept for undo. The journal is begun when the first file is about to change.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use mk_engine::{CommandJournal, CommandJournals, FileBefore};
use mk_types::AbsPath;

use super::table::Table;

/// The journal, from the other end: to finish it.
#[derive(Debug, Clone)]
pub(super) struct JournalHandle {
    begun: Arc<Mutex<Option<CommandJournal>>>,
}

pub(super) fn begin(
    state: &Path,
    root: &Path,
    table: &Table,
) -> anyhow::Result<(mk_wall::Journal, JournalHandle)> {
    let project = AbsPath::new(root).context("the project has no absolute path")?;
    let journals = CommandJournals::of(state, &project);
    let handle = JournalHandle {
        begun: Arc::default(),
    };
    let begun = Arc::clone(&handle.begun);
    let (root, not_kept) = (root.to_owned(), table.not_kept.clone());
    let journal = mk_wall::Journal(Box::new(move |path, before| {
        let is_built = path.strip_prefix(&root).is_ok_and(|path| {
            path.iter()
                .any(|name| not_kept.iter().any(|it| name == it.as_str()))
        });
        let before = match before {
            mk_wall::Before::Missing => FileBefore::Missing,
            mk_wall::Before::File(file) => FileBefore::File(file),
            // A link holds nothing that could be lost.
            mk_wall::Before::Link(_) => return Ok(()),
        };
        if is_built {
            return Ok(());
        }
        let mut begun = begun.lock().unwrap_or_else(PoisonError::into_inner);
        if begun.is_none() {
            *begun = Some(journals.begin("exec").map_err(std::io::Error::other)?);
        }
        match &mut *begun {
            Some(journal) => journal.keep(path, before),
            None => Ok(()),
        }
    }));
    Ok((journal, handle))
}

impl JournalHandle {
    /// Makes a change set of it; its id.
    pub(super) fn finish(&self) -> Option<String> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.take()?.finish().ok()?
    }
}
