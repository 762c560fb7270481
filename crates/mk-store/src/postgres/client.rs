//! One connection, used from threads that are no part of its runtime: every call waits for its
//! answer, and for so long at most.
//!
//! No statement is kept prepared, because a pooler gives every transaction another connection.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

use super::PostgresTrouble;
use crate::link::SqlValue;

/// How long an answer in a transaction may take: longer than any lock is waited for.
const LONGEST_ANSWER: Duration = Duration::from_secs(5);
/// How long any other may take: reads wait for no lock.
const LONGEST_READ: Duration = Duration::from_secs(3);

/// Takes the turn of all who write, with limits for those who fall silent in it. A pooler passes on
/// only what is said inside of the transaction.
const BEGIN: &str = "BEGIN;
    SET LOCAL lock_timeout = '4s';
    SET LOCAL statement_timeout = '4s';
    SET LOCAL idle_in_transaction_session_timeout = '4s';
    SELECT pg_advisory_xact_lock(hashtext('modekeeper'), hashtext(current_schema()))";

#[derive(Debug)]
pub(crate) struct PgClient {
    client: Client,
    in_transaction: AtomicBool,
    /// It has not answered once, so it is of no use: what it still says belongs to an older question.
    is_silent: AtomicBool,
}

impl PgClient {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            in_transaction: AtomicBool::new(false),
            is_silent: AtomicBool::new(false),
        }
    }

    pub(crate) fn query(
        &self,
        query: &str,
        values: &[SqlValue<'_>],
    ) -> Result<Vec<Row>, PostgresTrouble> {
        let query = numbered(query);
        let parameters = typed(values);
        self.answer(self.client.query_typed(&query, &parameters))
    }

    pub(crate) fn run(
        &self,
        statement: &str,
        values: &[SqlValue<'_>],
    ) -> Result<usize, PostgresTrouble> {
        let statement = numbered(statement);
        let parameters = typed(values);
        let changed = self.answer(self.client.execute_typed(&statement, &parameters))?;
        if matches!(&*statement, "COMMIT" | "ROLLBACK") {
            self.in_transaction.store(false, Ordering::Relaxed);
        }
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    /// Several statements at once, without values.
    pub(crate) fn batch(&self, statements: &str) -> Result<(), PostgresTrouble> {
        self.answer(self.client.batch_execute(statements))
    }

    /// Begins a transaction in which nobody else writes.
    pub(crate) fn begin(&self) -> Result<(), PostgresTrouble> {
        self.in_transaction.store(true, Ordering::Relaxed);
        self.batch(BEGIN)
    }

    /// Begins one in which everything read is of one moment.
    pub(crate) fn begin_reading(&self) -> Result<(), PostgresTrouble> {
        self.in_transaction.store(true, Ordering::Relaxed);
        self.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }

    pub(crate) fn is_out_of_transaction(&self) -> bool {
        !self.in_transaction.load(Ordering::Relaxed)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_silent.load(Ordering::Relaxed) || self.client.is_closed()
    }

    fn answer<T>(
        &self,
        question: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, PostgresTrouble> {
        let longest = match self.is_out_of_transaction() {
            true => LONGEST_READ,
            false => LONGEST_ANSWER,
        };
        match wait(question, longest) {
            Some(answer) => Ok(answer?),
            None => {
                self.is_silent.store(true, Ordering::Relaxed);
                Err(PostgresTrouble::Silent(longest))
            }
        }
    }
}

/// PostgreSQL's way to number values.
pub(super) fn numbered(statement: &str) -> String {
    statement.replace('?', "$")
}

pub(super) fn typed<'a>(values: &'a [SqlValue<'a>]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    let typed = |value: &'a SqlValue<'a>| -> (&'a (dyn ToSql + Sync), Type) {
        match value {
            SqlValue::Text(_) => (value, Type::TEXT),
            SqlValue::Number(_) => (value, Type::INT8),
        }
    };
    values.iter().map(typed).collect()
}

/// Waits on this thread, whether or not a runtime drives it: the work is done on ours.
pub(crate) fn wait<F: Future>(future: F, longest: Duration) -> Option<F::Output> {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(UnparkOnWake(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let end = Instant::now() + longest;
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        std::thread::park_timeout(left);
    }
}

struct UnparkOnWake(Thread);

impl Wake for UnparkOnWake {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
