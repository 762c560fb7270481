//! Answers that are still true: what a server has read since the last commit of any process.
//!
//! The index of SQLite's log (`-shm`) begins with a header in two copies, and every commit changes both before it is
//! acknowledged. Reading it is one call of the system; a query locks, unlocks and searches. Without a log, nothing is
//! kept. What is kept belongs to one connection and is gone with it.

use std::any::Any;
use std::collections::HashMap;
use std::fs::File;
use std::mem::ManuallyDrop;
use std::path::Path;

/// Answers that are kept at most; past it, all are forgotten. Each is small, and a server has few at a time.
const ROOM: usize = 4096;
/// Both copies of the header, each 48 bytes (SQLite's file format, «The WAL-Index File Format»).
const HEADER: usize = 96;

/// What the header says: another one after each commit.
pub(crate) type LogState = [u8; HEADER];

/// What was asked: the kind of question, and what it is about.
pub(crate) type RecentQuestion = (&'static str, String);

#[derive(Debug, Default)]
pub(crate) struct RecentAnswers {
    log: Option<LogHeader>,
    /// The header before the answers were read.
    as_of: Option<LogState>,
    answers: HashMap<RecentQuestion, Box<dyn Any + Send>>,
}

/// Never closed: closing any file gives up the locks that SQLite has on it in this process.
#[derive(Debug)]
struct LogHeader(ManuallyDrop<File>);

impl RecentAnswers {
    /// The answer to a question that was asked since this was the last commit.
    pub(crate) fn find<T: Clone + 'static>(
        &self,
        as_of: LogState,
        question: &RecentQuestion,
    ) -> Option<T> {
        if self.as_of != Some(as_of) {
            return None;
        }
        self.answers.get(question)?.downcast_ref::<T>().cloned()
    }

    /// Which commit is the last one; to be asked for before the database is.
    pub(crate) fn now(&mut self, database: &Path) -> Option<LogState> {
        if self.log.is_none() {
            self.log = LogHeader::open(database);
        }
        self.log.as_ref()?.read()
    }

    /// Keeps an answer that was read when `as_of` was the last commit, or later.
    pub(crate) fn keep<T: Send + 'static>(
        &mut self,
        as_of: LogState,
        question: RecentQuestion,
        answer: T,
    ) {
        if self.as_of != Some(as_of) || self.answers.len() >= ROOM {
            self.answers.clear();
            self.as_of = Some(as_of);
        }
        self.answers.insert(question, Box::new(answer));
    }
}

impl LogHeader {
    fn open(database: &Path) -> Option<Self> {
        let mut name = database.as_os_str().to_owned();
        name.push("-shm");
        File::open(name).ok().map(|it| Self(ManuallyDrop::new(it)))
    }

    #[cfg(unix)]
    fn read(&self) -> Option<LogState> {
        use std::os::unix::fs::FileExt as _;
        let mut header = [0; HEADER];
        self.0.read_exact_at(&mut header, 0).ok()?;
        Some(header)
    }

    #[cfg(not(unix))]
    fn read(&self) -> Option<LogState> {
        None
    }
}
