//! The one thread that writes: group commit, and touches noted in memory until they are due.
//!
//! It knows transactions, not what a job does.

mod commit;
mod read;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use mk_types::{Clock, DecisionId, SessionId, Timestamp, lock, unpoisoned};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::StoreLocation;
use crate::error::{Error, Failure};
use crate::link::Link;
use crate::mark::{MarkedAct, ProjectMarks};
use crate::model::NewDecision;
use crate::open::{OpenedDatabase, StoreUse};
use crate::postgres::Postgres;

/// Jobs that wait at most; further callers wait for room before their job is built.
const ROOM: usize = 1024;
/// Jobs in one commit at most: bounds how long the first of them waits for the last.
const JOBS_PER_COMMIT: usize = 128;
/// Touches in one commit at most, for the same reason.
pub(crate) const TOUCHES_PER_COMMIT: usize = 256;
/// Queued decisions in one commit at most.
const DECISIONS_PER_COMMIT: usize = 1024;
/// Queued decisions that wait at most: the store fails for long before there are so many.
const ROOM_FOR_DECISIONS: usize = 65_536;
/// How long a touch or a queued decision may stay in memory only. Real time, not the `Clock`'s: it bounds a loss.
const TOUCH_DELAY: Duration = Duration::from_secs(1);
/// How long reads of a server leave a locked database alone.
const LOCKED_PAUSE: Duration = Duration::from_secs(1);
/// How long [`Shared::flush`] waits.
const FLUSH_WAIT: Duration = Duration::from_secs(2);

/// Runs inside a transaction, or learns why there is none.
type WriteJob = Box<dyn FnOnce(Result<&Turn<'_>, Error>) -> RanJobs + Send>;

/// Tells the caller; gets the outcome of the commit.
type CommitAnswer = Box<dyn FnOnce(Result<(), Error>) + Send>;

struct RanJobs {
    /// Why this job, and only this one, has to be undone.
    undo: Option<Error>,
    answer: CommitAnswer,
}

/// What a job works with.
pub(crate) struct Turn<'a> {
    pub(crate) connection: Link<'a>,
    pub(crate) now: Timestamp,
    location: &'a StoreLocation,
    /// Whether a decision was appended, so that the batch is sealed before its commit.
    decided: Cell<bool>,
    /// Ids of what other servers have to look at again.
    changed: RefCell<Vec<String>>,
    /// What persons do in it, to be kept outside of the database as well.
    marks: RefCell<Vec<MarkedAct>>,
}

impl<'a> Turn<'a> {
    fn new(shared: &'a SharedStore, connection: Link<'a>, notes: &Notes) -> Self {
        Self {
            decided: Cell::new(!notes.decisions.is_empty()),
            ..Self::at(&shared.location, connection, shared.clock.now())
        }
    }

    /// One in which nothing else is done.
    pub(crate) fn at(location: &'a StoreLocation, connection: Link<'a>, now: Timestamp) -> Self {
        Self {
            connection,
            now,
            location,
            decided: Cell::new(false),
            changed: RefCell::default(),
            marks: RefCell::default(),
        }
    }

    /// Has the others told that this has changed, in the same transaction. Those who share a file
    /// need no telling.
    pub(crate) fn changed(&self, id: &str) {
        if matches!(self.connection, Link::Postgres { .. }) {
            self.changed.borrow_mut().push(id.to_owned());
        }
    }

    /// Has this kept outside of the database just before the commit.
    pub(crate) fn mark(&self, act: MarkedAct) {
        self.marks.borrow_mut().push(act);
    }

    /// Has the decisions of this batch sealed.
    pub(crate) fn seal_later(&self) {
        self.decided.set(true);
    }
}

/// What the handles of a store and its writer thread share.
pub(crate) struct SharedStore {
    pub(crate) location: StoreLocation,
    pub(crate) postgres: Option<Postgres>,
    pub(crate) clock: Clock,
    pub(crate) marks: ProjectMarks,
    /// The connection of all reads; where there is only one, of the writes too.
    reader: Mutex<StoreReader>,
    store_use: StoreUse,
    inbox: Mutex<Inbox>,
    /// Something arrived in the inbox.
    arrived: Condvar,
    /// A commit with touches succeeded or failed.
    flushed: Condvar,
    room: Arc<Semaphore>,
    commits: AtomicI64,
}

#[derive(Debug, Default)]
struct StoreReader {
    opened: Option<OpenedDatabase>,
    /// Until then a database that was locked is not asked again, so that a thread which serves
    /// others is not held up once per read.
    locked_until: Option<Instant>,
}

#[derive(Default)]
struct Inbox {
    jobs: VecDeque<WriteJob>,
    touches: BTreeMap<SessionId, Timestamp>,
    /// Touches of the commit under way; readers must still see them.
    flushing: Arc<BTreeMap<SessionId, Timestamp>>,
    decisions: VecDeque<QueuedJob>,
    /// When the oldest touch or decision has to be written.
    due: Option<Instant>,
    stage: Stage,
    /// Somebody waits in [`Shared::flush`].
    urgent: bool,
    /// The thread is in a transaction, or has ended.
    thread: ThreadState,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ThreadState {
    #[default]
    Idle,
    Writing,
    Ended,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Stage {
    #[default]
    Open,
    Closing,
}

struct CommitBatch {
    jobs: VecDeque<WriteJob>,
    notes: Notes,
}

/// What is written along with jobs, or on its own when it is due.
struct Notes {
    touches: Arc<BTreeMap<SessionId, Timestamp>>,
    decisions: VecDeque<QueuedJob>,
}

pub(crate) struct QueuedJob {
    pub(crate) id: DecisionId,
    pub(crate) at: Timestamp,
    pub(crate) decision: NewDecision,
}

impl SharedStore {
    pub(crate) fn new(location: StoreLocation, clock: Clock, store_use: StoreUse) -> Self {
        let postgres = match &location {
            StoreLocation::Postgres(url) => Some(Postgres::new(url, &location, store_use)),
            StoreLocation::File(_) | StoreLocation::Memory => None,
        };
        let clock = match &postgres {
            Some(postgres) => postgres.clock(clock),
            None => clock,
        };
        Self {
            location,
            postgres,
            clock,
            marks: ProjectMarks::default(),
            reader: Mutex::default(),
            store_use,
            inbox: Mutex::default(),
            arrived: Condvar::new(),
            flushed: Condvar::new(),
            room: Arc::new(Semaphore::new(ROOM)),
            commits: AtomicI64::new(0),
        }
    }

    /// Waits for room in the queue; the permit travels with the job.
    pub(crate) async fn room(&self) -> Result<OwnedSemaphorePermit, Error> {
        let room = Arc::clone(&self.room);
        room.acquire_owned().await.map_err(|_| Error::Closed)
    }

    /// The same for those who cannot wait.
    pub(crate) fn room_now(&self) -> Result<OwnedSemaphorePermit, Error> {
        let room = Arc::clone(&self.room);
        room.try_acquire_owned().map_err(|_| self.locked())
    }

    /// Queues `work`; the answer comes after its commit.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        permit: OwnedSemaphorePermit,
        work: impl FnOnce(&Turn<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<oneshot::Receiver<Result<T, Error>>, Error> {
        let (job, receiver) = job(permit, work);
        let mut inbox = lock(&self.inbox);
        if inbox.stage == Stage::Closing {
            return Err(Error::Closed);
        }
        inbox.jobs.push_back(job);
        drop(inbox);
        self.arrived.notify_one();
        Ok(receiver)
    }

    /// Whether a write is made on its caller's thread.
    pub(crate) fn writes_here(&self) -> bool {
        self.postgres.is_none() && matches!(self.store_use, StoreUse::Alone | StoreUse::Notes)
    }

    /// Commits `work` at once. Only while no thread writes.
    pub(crate) fn write_here<T: Send + 'static>(
        &self,
        permit: OwnedSemaphorePermit,
        work: impl FnOnce(&Turn<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Error> {
        let (job, mut receiver) = job(permit, work);
        let batch = CommitBatch {
            jobs: VecDeque::from([job]),
            notes: Notes {
                touches: Arc::default(),
                decisions: VecDeque::new(),
            },
        };
        // The caller learns of a failure by its job.
        drop(self.write(&mut lock(&self.reader).opened, batch));
        // A job that panicked answers nothing.
        receiver.try_recv().unwrap_or(Err(Error::Panicked))
    }

    /// Lets go of the database, where no thread has done so.
    pub(crate) fn release(&self) {
        if self.store_use.only_connection().is_some() && self.location != StoreLocation::Memory {
            lock(&self.reader).opened = None;
        }
    }

    /// Notes activity now.
    pub(crate) fn touch(&self, id: &SessionId) {
        let now = self.clock.now();
        let mut inbox = lock(&self.inbox);
        if inbox.stage == Stage::Closing {
            return;
        }
        if let Some(noted) = inbox.touches.get_mut(id) {
            *noted = now.max(*noted);
            return;
        }
        inbox.touches.insert(id.clone(), now);
        self.plan_writing(inbox);
    }

    /// Queues a decision; the thread writes it within a second.
    pub(crate) fn queue_decision(&self, id: DecisionId, decision: NewDecision) {
        let at = self.clock.now();
        let mut inbox = lock(&self.inbox);
        if inbox.stage == Stage::Closing || inbox.decisions.len() >= ROOM_FOR_DECISIONS {
            drop(inbox);
            tracing::warn!(%id, "a decision is not recorded");
            return;
        }
        inbox.decisions.push_back(QueuedJob { id, at, decision });
        self.plan_writing(inbox);
    }

    /// Wakes the thread for the first note only: it sleeps until that one is due.
    fn plan_writing(&self, mut inbox: MutexGuard<'_, Inbox>) {
        if inbox.due.is_none() {
            inbox.due = Some(Instant::now() + TOUCH_DELAY);
            drop(inbox);
            self.arrived.notify_one();
        }
    }

    /// The activity of `id` that is not in the database yet. Ask before reading the row: a commit
    /// in between then shows in the row.
    pub(crate) fn touched(&self, id: &SessionId) -> Option<Timestamp> {
        lock(&self.inbox).touched(id)
    }

    /// All of [`Shared::touched`], for lists.
    pub(crate) fn all_touched(&self) -> BTreeMap<SessionId, Timestamp> {
        let inbox = lock(&self.inbox);
        let mut touches = inbox.flushing.as_ref().clone();
        touches.extend(inbox.touches.iter().map(|(id, at)| (id.clone(), *at)));
        touches
    }

    /// How many touches wait.
    pub(crate) fn waiting_touches(&self) -> usize {
        lock(&self.inbox).touches.len()
    }

    /// Has the touches written now; returns when they are, when that failed, or after two seconds.
    pub(crate) fn flush(&self) {
        let mut inbox = lock(&self.inbox);
        if inbox.has_no_notes() && inbox.flushing.is_empty() {
            return;
        }
        inbox.urgent = true;
        self.arrived.notify_one();
        let waited = self
            .flushed
            .wait_timeout_while(inbox, FLUSH_WAIT, |inbox| inbox.urgent);
        drop(waited);
    }

    /// Lets the thread end once everything queued is written. New writes are refused from here on.
    pub(crate) fn begin_closing(&self) {
        lock(&self.inbox).stage = Stage::Closing;
        self.room.close();
        self.arrived.notify_one();
    }

    /// The thread's whole life.
    pub(crate) fn run(&self) {
        let mut own = None;
        let mut client = None;
        let mut last = Ok(());
        while let Some(batch) = self.next_batch(&last) {
            // Jobs are guarded one by one; this is for what happens around them, such as waking.
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                match (&self.location, &self.postgres) {
                    (_, Some(_)) => self.write_to(&mut client, batch),
                    (_, None) if self.has_one_connection() => {
                        self.write(&mut lock(&self.reader).opened, batch)
                    }
                    (_, None) => self.write(&mut own, batch),
                }
            }));
            let outcome = outcome.unwrap_or(Err(Error::Panicked));
            lock(&self.inbox).thread = ThreadState::Idle;
            if let (Ok(()), Err(error)) = (&last, &outcome) {
                tracing::warn!(%error, "could not write to the store");
            }
            last = outcome;
        }
        drop(own);
        self.release();
        lock(&self.inbox).thread = ThreadState::Ended;
        self.flushed.notify_all();
    }

    /// Whether nothing waits to be written. Activity alone does not count: it is worth little.
    pub(crate) fn is_drained(&self) -> bool {
        let inbox = lock(&self.inbox);
        inbox.jobs.is_empty() && inbox.decisions.is_empty()
    }

    /// Waits until the thread has ended, at most so long; tells whether it has.
    pub(crate) fn wait_for_end(&self, longest: Duration) -> bool {
        let inbox = lock(&self.inbox);
        let waited = self
            .flushed
            .wait_timeout_while(inbox, longest, |inbox| inbox.thread != ThreadState::Ended);
        let (inbox, _) = unpoisoned(waited);
        inbox.thread == ThreadState::Ended
    }

    /// Waits for work. After a failure, closing does not wait for touches that cannot be written.
    fn next_batch(&self, last: &Result<(), Error>) -> Option<CommitBatch> {
        let mut inbox = lock(&self.inbox);
        while inbox.jobs.is_empty() {
            let now = Instant::now();
            let closing = inbox.stage == Stage::Closing;
            if inbox.has_no_notes() || (closing && last.is_err()) {
                if closing {
                    return None;
                }
                inbox = unpoisoned(self.arrived.wait(inbox));
                continue;
            }
            let left = inbox.due.map_or(Duration::ZERO, |due| due - now);
            if closing || inbox.urgent || left.is_zero() {
                break;
            }
            inbox = unpoisoned(self.arrived.wait_timeout(inbox, left)).0;
        }
        inbox.thread = ThreadState::Writing;
        Some(inbox.take_batch())
    }
}

/// What is queued for `work`, and where its answer comes.
fn job<T: Send + 'static>(
    permit: OwnedSemaphorePermit,
    work: impl FnOnce(&Turn<'_>) -> Result<T, Failure> + Send + 'static,
) -> (WriteJob, oneshot::Receiver<Result<T, Error>>) {
    let (sender, receiver) = oneshot::channel();
    let job: WriteJob = Box::new(move |turn| {
        let result = turn.and_then(|turn| work(turn).map_err(|failure| failure.at(turn.location)));
        let undo = result.as_ref().err().cloned();
        let answer: CommitAnswer = Box::new(move |committed| {
            drop(permit);
            // The caller may have gone; its write stands all the same.
            drop(sender.send(result.and_then(|value| committed.map(|()| value))));
        });
        RanJobs { undo, answer }
    });
    (job, receiver)
}

impl fmt::Debug for SharedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("location", &self.location)
            .finish_non_exhaustive()
    }
}

impl Inbox {
    fn touched(&self, id: &SessionId) -> Option<Timestamp> {
        self.touches
            .get(id)
            .or_else(|| self.flushing.get(id))
            .copied()
    }

    fn has_no_notes(&self) -> bool {
        self.touches.is_empty() && self.decisions.is_empty()
    }

    fn take_batch(&mut self) -> CommitBatch {
        let jobs = self.jobs.len().min(JOBS_PER_COMMIT);
        let mut touches = BTreeMap::new();
        while touches.len() < TOUCHES_PER_COMMIT
            && let Some((id, at)) = self.touches.pop_first()
        {
            touches.insert(id, at);
        }
        self.flushing = Arc::new(touches);
        let decisions = self.decisions.len().min(DECISIONS_PER_COMMIT);
        CommitBatch {
            jobs: self.jobs.drain(..jobs).collect(),
            notes: Notes {
                touches: Arc::clone(&self.flushing),
                decisions: self.decisions.drain(..decisions).collect(),
            },
        }
    }
}
