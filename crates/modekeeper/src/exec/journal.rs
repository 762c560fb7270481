//! What the command changes, kept for undo. The journal is begun when the first file is about to change.

use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::Context as _;
use mk_engine::{CommandJournal, CommandJournals, FileBefore};
use mk_types::{AbsPath, lock};

use crate::build_dirs::BuildDirs;

/// The journal, from the other end: to finish it.
#[derive(Debug, Clone)]
pub(super) struct JournalHandle {
    begun: Arc<Mutex<Option<CommandJournal>>>,
    journals: Arc<CommandJournals>,
}

pub(super) fn begin(
    state: &Path,
    root: &Path,
    table: &BuildDirs,
) -> anyhow::Result<(mk_wall::PreImageJournal, JournalHandle)> {
    let project = AbsPath::new(root).context("the project has no absolute path")?;
    let journals = Arc::new(CommandJournals::of(state, &project));
    let handle = JournalHandle {
        begun: Arc::default(),
        journals: Arc::clone(&journals),
    };
    let begun = Arc::clone(&handle.begun);
    let (root, not_kept) = (root.to_owned(), table.not_kept.clone());
    let journal = mk_wall::PreImageJournal(Box::new(move |path, before| {
        let is_built = path.strip_prefix(&root).is_ok_and(|path| {
            path.iter()
                .any(|name| not_kept.iter().any(|it| name == it.as_str()))
        });
        let before = match before {
            mk_wall::FileBeforeChange::Missing => FileBefore::Missing,
            mk_wall::FileBeforeChange::File(file) => FileBefore::File(file),
            mk_wall::FileBeforeChange::Link(_) => FileBefore::Link,
        };
        if is_built {
            return Ok(());
        }
        let mut begun = lock(&begun);
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

/// What became of a journal.
#[derive(Debug, Default)]
pub(super) struct FinishedJournal {
    /// The change set that undoes the command.
    pub(super) id: Option<String>,
    /// Files that were too large to be kept.
    pub(super) not_kept: Vec<String>,
}

impl JournalHandle {
    /// Makes a change set of it.
    pub(super) fn finish(&self) -> FinishedJournal {
        let mut begun = lock(&self.begun);
        let Some(journal) = begun.take() else {
            return FinishedJournal::default();
        };
        let not_kept = journal.not_kept().to_vec();
        match journal.finish() {
            Ok(id) => {
                // What is too much goes now or with the next change.
                drop(self.journals.prune());
                FinishedJournal { id, not_kept }
            }
            Err(error) => {
                tracing::warn!(%error, "what the command changed cannot be undone");
                FinishedJournal { id: None, not_kept }
            }
        }
    }
}
