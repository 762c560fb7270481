//! One batch into the database: a transaction, a savepoint for each job, and who is told how it ended.

use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use mk_types::lock;

use super::{
    CommitAnswer, CommitBatch, Notes, QueuedJob, RanJobs, SharedStore, TOUCH_DELAY, Turn, WriteJob,
};
use crate::error::{Error, Failure};
use crate::link::{Link, params};
use crate::open::{ConnectionPurpose, DatabaseIdentity, LockWaits, OpenedDatabase, put_back};
use crate::postgres::PgClient;
use crate::{StoreLocation, change, decision, seal, session};

impl SharedStore {
    /// One transaction. The error is the transaction's; a job's own goes to its caller only.
    pub(super) fn write(
        &self,
        slot: &mut Option<OpenedDatabase>,
        batch: CommitBatch,
    ) -> Result<(), Error> {
        let CommitBatch { mut jobs, notes } = batch;
        let mut answers = Vec::with_capacity(jobs.len());
        let outcome = self.open_for_writing(slot).and_then(|opened| {
            let connection = Link::Sqlite(&opened.connection);
            let turn = Turn::new(self, connection, &notes);
            let written = transact(&turn, &notes, &mut jobs, &mut answers, &|| {
                self.refuse_replaced(opened)?;
                self.keep_marks(&turn);
                Ok(())
            });
            if written.is_err() {
                roll_back(connection);
            }
            // Once more: what was committed to a file without a name is acknowledged to nobody.
            written
                .and_then(|()| self.refuse_replaced(opened))
                .map_err(|failure| failure.at(&self.location))
        });
        if outcome
            .as_ref()
            .is_err_and(|error| self.is_broken(error) && !matches!(error, Error::Replaced { .. }))
        {
            *slot = None;
        }
        if outcome.is_ok() {
            self.commits.fetch_add(1, Ordering::SeqCst);
        }
        self.settle_notes(&outcome, notes.decisions);
        settle_jobs(&outcome, jobs, answers);
        outcome
    }

    /// The same in PostgreSQL: what somebody waits for in a transaction of its own, then the
    /// decisions, which are many, without holding it up.
    pub(super) fn write_to(
        &self,
        slot: &mut Option<PgClient>,
        batch: CommitBatch,
    ) -> Result<(), Error> {
        let CommitBatch { mut jobs, notes } = batch;
        let mut answers = Vec::with_capacity(jobs.len());
        let Notes { touches, decisions } = notes;
        let notes = Notes {
            touches,
            decisions: VecDeque::new(),
        };
        let mut outcome = Ok(());
        if !jobs.is_empty() || !notes.touches.is_empty() {
            outcome = self.commit_to(slot, &notes, &mut jobs, &mut answers);
        }
        settle_jobs(&outcome, jobs, answers);
        let notes = Notes {
            touches: Arc::default(),
            decisions,
        };
        if outcome.is_ok() && !notes.decisions.is_empty() {
            let (mut none, mut unasked) = (VecDeque::new(), Vec::new());
            outcome = self.commit_to(slot, &notes, &mut none, &mut unasked);
        }
        self.settle_notes(&outcome, notes.decisions);
        outcome
    }

    fn commit_to(
        &self,
        slot: &mut Option<PgClient>,
        notes: &Notes,
        jobs: &mut VecDeque<WriteJob>,
        answers: &mut Vec<CommitAnswer>,
    ) -> Result<(), Error> {
        let postgres = self.postgres.as_ref().ok_or(Error::Closed)?;
        let since = postgres.reach();
        let kept = slot.take().filter(|client| !client.is_closed());
        let is_kept = kept.is_some();
        let client = match kept {
            Some(client) => client,
            None => postgres.writer()?,
        };
        let waiting = jobs.len();
        let connection = Link::Postgres {
            client: &client,
            known: None,
        };
        let turn = Turn::new(self, connection, notes);
        let seq = Cell::new(None);
        let written = transact(&turn, notes, jobs, answers, &|| {
            seq.set(change::append(
                &turn.changed.borrow(),
                connection,
                turn.now,
            )?);
            Ok(())
        });
        if written.is_err() {
            roll_back(connection);
        }
        match written {
            Ok(()) => {
                self.commits.fetch_add(1, Ordering::SeqCst);
                postgres.committed(seq.get(), &turn.changed.borrow());
                drop(turn);
                *slot = Some(client);
                Ok(())
            }
            Err(failure) => {
                postgres.doubt(&turn.changed.borrow());
                drop(turn);
                match &failure {
                    // It was closed while nothing was written: nothing has begun yet.
                    Failure::Postgres(trouble)
                        if is_kept && trouble.is_closing() && jobs.len() == waiting =>
                    {
                        return self.commit_to(slot, notes, jobs, answers);
                    }
                    Failure::Postgres(trouble) if trouble.is_only_closing() => {}
                    Failure::Postgres(trouble) if trouble.is_loss() => {
                        postgres.lose(trouble, since);
                    }
                    _ if client.is_out_of_transaction() => *slot = Some(client),
                    _ => {}
                }
                Err(failure.at(&self.location))
            }
        }
    }

    /// The connection for writing, to the file that has the database's name now.
    fn open_for_writing<'a>(
        &self,
        slot: &'a mut Option<OpenedDatabase>,
    ) -> Result<&'a OpenedDatabase, Error> {
        if let (StoreLocation::File(path), Some(opened)) = (&self.location, &*slot)
            && self.refuse_replaced(opened).is_err()
        {
            if DatabaseIdentity::of(path).is_none() {
                tracing::warn!(location = %self.location, "the database was removed; putting it back");
                put_back(&opened.connection, path).map_err(|failure| failure.at(&self.location))?;
            } else {
                tracing::warn!(location = %self.location, "the database was replaced; using the new one");
                // The log has the same name for both: what is in it belongs to the old file.
                let emptied =
                    opened
                        .connection
                        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
                if let Err(error) = emptied {
                    tracing::debug!(%error, "could not empty the log of the old database");
                }
            }
            *slot = None;
        }
        let only = self.store_use.only_connection();
        let purpose = only.unwrap_or(ConnectionPurpose::Write);
        let opened = self.ensure_open(slot, purpose, LockWaits::PATIENT)?;
        Ok(opened)
    }

    /// What was set in memory ends with it.
    fn keep_marks(&self, turn: &Turn<'_>) {
        if matches!(self.location, StoreLocation::File(_)) {
            turn.marks
                .borrow()
                .iter()
                .for_each(|act| self.marks.keep(act));
        }
    }

    /// Fails if the database's name no longer leads to the file that is open.
    fn refuse_replaced(&self, opened: &OpenedDatabase) -> Result<(), Failure> {
        match &self.location {
            StoreLocation::File(path)
                if cfg!(unix) && DatabaseIdentity::of(path) != opened.identity =>
            {
                let location = self.location.clone();
                Err(Error::Replaced { location }.into())
            }
            _ => Ok(()),
        }
    }

    /// After a failure, everything noted waits for the next commit.
    fn settle_notes(&self, outcome: &Result<(), Error>, decisions: VecDeque<QueuedJob>) {
        let mut inbox = lock(&self.inbox);
        let flushing = std::mem::take(&mut inbox.flushing);
        if outcome.is_err() {
            for (id, at) in flushing.iter() {
                let noted = inbox.touches.entry(id.clone()).or_insert(*at);
                *noted = (*noted).max(*at);
            }
            for queued in decisions.into_iter().rev() {
                inbox.decisions.push_front(queued);
            }
            inbox.due = Some(Instant::now() + TOUCH_DELAY);
        }
        if inbox.has_no_notes() {
            inbox.due = None;
        }
        if inbox.has_no_notes() || outcome.is_err() {
            inbox.urgent = false;
            self.flushed.notify_all();
        }
    }
}

/// Tells everybody how it ended, also those whose jobs never had their turn.
fn settle_jobs(
    outcome: &Result<(), Error>,
    jobs: VecDeque<WriteJob>,
    mut answers: Vec<CommitAnswer>,
) {
    if let Err(error) = outcome {
        answers.extend(jobs.into_iter().map(|job| job(Err(error.clone())).answer));
    }
    for answer in answers {
        answer(outcome.clone());
    }
}

/// Notes, then each job in a savepoint of its own, then the commit. IMMEDIATE takes the write
/// lock first: a transaction that reads and then wants to write can fail at once, without waiting.
fn transact(
    turn: &Turn<'_>,
    notes: &Notes,
    jobs: &mut VecDeque<WriteJob>,
    answers: &mut Vec<CommitAnswer>,
    before_commit: &dyn Fn() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let connection = turn.connection;
    roll_back(connection);
    let run = |statement| connection.run(statement, params![]);
    connection.begin()?;
    for (id, at) in notes.touches.iter() {
        session::mark_active(connection, id, *at)?;
    }
    decision::append_all(connection, &notes.decisions)?;
    while let Some(job) = jobs.pop_front() {
        run("SAVEPOINT job")?;
        // A job that panics drops its sender, which tells its caller.
        let undo = match catch_unwind(AssertUnwindSafe(|| job(Ok(turn)))) {
            Ok(RanJobs { undo, answer }) => {
                answers.push(answer);
                undo
            }
            Err(_) => Some(Error::Panicked),
        };
        if let Some(error) = undo {
            if connection.is_out_of_transaction() {
                // Some errors, a full disk among them, end the whole transaction in SQLite.
                return Err(error.into());
            }
            run("ROLLBACK TO job")?;
        }
        run("RELEASE job")?;
    }
    if turn.decided.get() {
        seal::seal(connection, turn.now)?;
    }
    before_commit()?;
    run("COMMIT")?;
    Ok(())
}

/// Ends a transaction that a failure left open; what is in it was acknowledged to nobody.
fn roll_back(connection: Link<'_>) {
    if !connection.is_out_of_transaction()
        && let Err(failure) = connection.run("ROLLBACK", params![])
    {
        tracing::error!(?failure, "could not roll back");
    }
}
