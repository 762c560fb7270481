//! The state in PostgreSQL, shared by several servers.
//!
//! Connections live on a runtime of their own; callers wait on their own threads, as they do for
//! SQLite. Every read asks the database, so what was committed anywhere binds the next decision
//! everywhere. While it cannot be reached, reads get the last answers and writes fail.

mod client;
mod known;
mod migrate;
mod tls;
mod url;
mod watch;

use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mk_types::{Clock, lock};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Connection, Socket};

use crate::StoreLocation;
use crate::error::{Error, Failure};
use crate::link::Link;
use crate::open::StoreUse;
pub(crate) use client::PgClient;
pub(crate) use known::KnownAnswers;
use tls::EncryptedSocket;
pub use url::{InvalidPostgresUrl, PostgresUrl};
pub use watch::StoreReach;
use watch::WatchedChanges;

/// Connections that wait for the next read.
const IDLE: usize = 8;
/// How long a connection is waited for, with everything that making one takes.
const LONGEST_CONNECT: Duration = Duration::from_secs(3);
/// How long a database that could not be reached is not tried again, before its first answer: those who ask for several
/// things fail once, and not once for each.
const UNREACHABLE_PAUSE: Duration = Duration::from_secs(1);

/// Why the database did not answer.
#[derive(Debug, thiserror::Error)]
pub enum PostgresTrouble {
    #[error("no answer within {} s", .0.as_secs())]
    Silent(Duration),
    #[error("{}", message(.0))]
    Driver(#[from] tokio_postgres::Error),
    #[error("the connection was lost")]
    Unknown,
    #[error("it can only be read")]
    ReadOnly,
    #[error("{0}")]
    Again(Arc<Self>),
    #[error("cannot read the certificates of `{}`: {}", .0.display(), .1)]
    Certificates(PathBuf, String),
    #[error("TLS cannot be set up: {0}")]
    Encryption(#[from] rustls::Error),
    #[error("could not start the thread that communicates with it")]
    Thread(#[source] std::io::Error),
}

/// The driver's own words are "db error"; what the server said is below.
fn message(error: &tokio_postgres::Error) -> String {
    match (error.as_db_error(), std::error::Error::source(error)) {
        (Some(said), _) => said.message().to_owned(),
        (None, Some(cause)) => format!("{error}: {cause}"),
        (None, None) => error.to_string(),
    }
}

impl PostgresTrouble {
    /// Whether the database is gone, as opposed to having refused something.
    pub(crate) fn is_loss(&self) -> bool {
        match self {
            Self::Silent(_)
            | Self::Unknown
            | Self::ReadOnly
            | Self::Certificates(..)
            | Self::Encryption(_)
            | Self::Thread(_) => true,
            Self::Again(why) => why.is_loss(),
            Self::Driver(error) => match error.code() {
                None => true,
                Some(code) => {
                    let lost = ["08", "57P", "28", "3D000", "53"];
                    lost.iter().any(|class| code.code().starts_with(class))
                        || *code == SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
                        || *code == SqlState::READ_ONLY_SQL_TRANSACTION
                }
            },
        }
    }

    /// Whether a connection ended, so that another one may do.
    pub(crate) fn is_closing(&self) -> bool {
        matches!(self, Self::Driver(_)) && self.is_loss()
    }

    /// Whether nothing but a connection ended: what comes next finds out whether the database did, too.
    pub(crate) fn is_only_closing(&self) -> bool {
        match self {
            Self::Driver(error) => error.code().is_none_or(|code| {
                ["08", "57P"]
                    .iter()
                    .any(|class| code.code().starts_with(class))
                    || *code == SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
            }),
            _ => false,
        }
    }

    pub(crate) fn at(self, location: &StoreLocation) -> Error {
        let location = location.clone();
        let is_loss = self.is_loss();
        let source = Arc::new(self);
        match is_loss {
            true => Error::Unreachable { location, source },
            false => Error::Server { location, source },
        }
    }
}

#[derive(Debug)]
pub(crate) struct Postgres {
    url: PostgresUrl,
    location: StoreLocation,
    running: Mutex<Option<RunningPostgres>>,
    watched: Arc<WatchedChanges>,
    /// Why it could not be reached at the last try, until when this counts.
    failed: Mutex<Option<(Instant, Arc<PostgresTrouble>)>>,
}

/// What there is from the first use on.
#[derive(Debug)]
struct RunningPostgres {
    /// Taken when it ends: a runtime must not be dropped where one runs.
    runtime: Option<Runtime>,
    /// With what was known of the database when each was taken.
    idle: Vec<(StoreReach, PgClient)>,
    is_migrated: bool,
    /// The process that made it: after a fork there is no thread behind it.
    process: u32,
}

impl Postgres {
    /// Connects to nothing yet.
    pub(crate) fn new(url: &PostgresUrl, location: &StoreLocation, store_use: StoreUse) -> Self {
        Self {
            url: url.clone(),
            location: location.clone(),
            running: Mutex::default(),
            watched: Arc::new(WatchedChanges::new(store_use)),
            failed: Mutex::default(),
        }
    }

    /// The clock of the database, as far as it is known; a test's stays as it is.
    pub(crate) fn clock(&self, clock: Clock) -> Clock {
        match clock {
            Clock::System => Clock::Shifted(Arc::clone(self.watched.shift())),
            other => other,
        }
    }

    /// The number of the last change that is known here.
    pub(crate) fn version(&self) -> Result<i64, Error> {
        self.connect_once().map_err(|it| it.at(&self.location))?;
        match (self.watched.is_lost(), self.watched.is_read_only()) {
            (true, true) => Err(PostgresTrouble::ReadOnly.at(&self.location)),
            (true, false) => Err(PostgresTrouble::Unknown.at(&self.location)),
            (false, _) => Ok(self.watched.version()),
        }
    }

    /// Whether it can be reached and written, as far as is known.
    pub(crate) fn reach(&self) -> StoreReach {
        // Before the first use nothing is known; what comes next says why there is none.
        drop(self.connect_once());
        self.watched.reach()
    }

    /// Runs `query` on a connection, or on what is known while there is none.
    pub(crate) fn read<T>(
        &self,
        query: impl Fn(Link<'_>) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        let mut why = PostgresTrouble::Unknown;
        let since = self.watched.reach();
        // A connection that the server has closed meanwhile says so once.
        for attempt in 0..2 {
            if self.watched.is_lost() && !self.watched.is_read_only() && self.is_watching() {
                break;
            }
            let from = self.watched.reach();
            let taken = match attempt {
                0 => self.take(),
                _ => self.connect(),
            };
            let asked = taken.map_err(Failure::from).and_then(|client| {
                let found = query(Link::Postgres {
                    client: &client,
                    known: Some(self.watched.known()),
                });
                if !matches!(&found, Err(Failure::Postgres(trouble)) if trouble.is_loss()) {
                    self.give_back(client, from);
                }
                found
            });
            match asked {
                Err(Failure::Postgres(trouble)) if trouble.is_loss() => {
                    self.drop_idle();
                    // One that does not answer is not asked twice.
                    if attempt > 0 || !trouble.is_closing() {
                        self.lose(&trouble, since);
                        why = trouble;
                        break;
                    }
                    why = trouble;
                }
                outcome => return outcome.map_err(|failure| failure.at(&self.location)),
            }
        }
        let outcome = query(Link::Known(self.watched.known()));
        outcome.map_err(|failure| {
            match failure {
                // What was never asked is missing for the reason that there is no answer now.
                Failure::Postgres(PostgresTrouble::Unknown) => Failure::Postgres(why),
                other => other,
            }
            .at(&self.location)
        })
    }

    /// Runs `query` with everything as of one moment.
    pub(crate) fn read_at_once<T>(
        &self,
        query: impl Fn(Link<'_>) -> Result<T, Failure>,
    ) -> Result<T, Error> {
        let from = self.watched.reach();
        let client = self.take().map_err(|it| it.at(&self.location))?;
        let read = || -> Result<T, Failure> {
            client.begin_reading()?;
            let found = query(Link::Postgres {
                client: &client,
                known: None,
            })?;
            client.run("COMMIT", &[])?;
            Ok(found)
        };
        let outcome = read();
        if outcome.is_ok() {
            self.give_back(client, from);
        }
        outcome.map_err(|failure| failure.at(&self.location))
    }

    /// A connection for the thread that writes.
    pub(crate) fn writer(&self) -> Result<PgClient, Error> {
        let since = self.watched.reach();
        self.connect_once()
            .and_then(|()| self.connect())
            .inspect_err(|trouble| self.lose(trouble, since))
            .map_err(|trouble| trouble.at(&self.location))
    }

    /// The database has answered. Tells the others, soon, that there is something after `seq`.
    pub(crate) fn committed(&self, seq: Option<i64>, keys: &[String]) {
        self.watched.committed(seq, keys);
        self.watched.find();
    }

    /// No answer said whether it was committed.
    pub(crate) fn doubt(&self, keys: &[String]) {
        self.watched.committed(None, keys);
    }

    /// A try that began at `since` has failed.
    pub(crate) fn lose(&self, trouble: &PostgresTrouble, since: StoreReach) {
        if trouble.is_loss() {
            self.watched.lose(trouble, since);
        }
    }

    /// Whether somebody finds out when the database is back.
    fn is_watching(&self) -> bool {
        let running = lock(&self.running);
        running.as_ref().is_some_and(|running| running.is_migrated)
    }

    fn drop_idle(&self) {
        if let Some(running) = &mut *lock(&self.running) {
            running.idle.clear();
        }
    }

    /// A connection that waits, or a new one. Those from before a loss are left: another database may have taken the
    /// lost one's place.
    fn take(&self) -> Result<PgClient, PostgresTrouble> {
        self.connect_once()?;
        let waiting = lock(&self.running)
            .as_mut()
            .and_then(|running| running.idle.pop());
        match waiting {
            Some((from, client)) if from == self.watched.reach() && !client.is_closed() => {
                Ok(client)
            }
            Some(_) => {
                self.drop_idle();
                self.connect()
            }
            None => self.connect(),
        }
    }

    /// Keeps a connection that was taken when the database was reached like this.
    fn give_back(&self, client: PgClient, from: StoreReach) {
        if let Some(running) = &mut *lock(&self.running)
            && running.idle.len() < IDLE
            && client.is_out_of_transaction()
        {
            running.idle.push((from, client));
        }
    }

    /// The first use, unless it has just failed.
    fn connect_once(&self) -> Result<(), PostgresTrouble> {
        // Another thread may have connected since one has failed.
        if self.is_ready() {
            return Ok(());
        }
        if let Some((until, why)) = &*lock(&self.failed)
            && Instant::now() < *until
        {
            return Err(PostgresTrouble::Again(Arc::clone(why)));
        }
        let begun = self.begin().inspect(|()| *lock(&self.failed) = None);
        begun.map_err(|trouble| {
            let why = Arc::new(trouble);
            let until = Instant::now() + UNREACHABLE_PAUSE;
            *lock(&self.failed) = Some((until, Arc::clone(&why)));
            PostgresTrouble::Again(why)
        })
    }

    fn is_ready(&self) -> bool {
        let running = lock(&self.running);
        let is_here = |it: &RunningPostgres| it.is_migrated && it.process == std::process::id();
        running.as_ref().is_some_and(is_here)
    }

    /// The runtime, the schema, and who watches.
    fn begin(&self) -> Result<(), PostgresTrouble> {
        if self.is_ready() {
            return Ok(());
        }
        self.start_runtime()?;
        let client = self.connect()?;
        migrate::migrate(&client)?;
        let mut running = lock(&self.running);
        if let Some(running) = &mut *running
            && !running.is_migrated
        {
            self.watched.catch_up(&client)?;
            running.is_migrated = true;
            self.watched.settle(self.watched.reach());
            if let Some(runtime) = &running.runtime {
                let watched = Arc::clone(&self.watched);
                runtime.spawn(watch::watch(watched, self.url.clone()));
            }
        }
        Ok(())
    }

    fn start_runtime(&self) -> Result<(), PostgresTrouble> {
        let mut running = lock(&self.running);
        let process = std::process::id();
        if running.as_ref().is_some_and(|it| it.process == process) {
            return Ok(());
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("mk-postgres")
            .enable_all()
            .build()
            .map_err(PostgresTrouble::Thread)?;
        let before = running.replace(RunningPostgres {
            runtime: Some(runtime),
            idle: Vec::new(),
            is_migrated: false,
            process,
        });
        // The threads of the process that we were forked from are not here to be joined.
        std::mem::forget(before);
        Ok(())
    }

    fn connect(&self) -> Result<PgClient, PostgresTrouble> {
        let (sender, receiver) = oneshot::channel();
        let config = self.url.config().clone();
        let tls = self.url.proof().connector()?;
        match &*lock(&self.running) {
            Some(RunningPostgres {
                runtime: Some(runtime),
                ..
            }) => drop(runtime.spawn(async move {
                let made = config.connect(tls).await;
                let made = made.map(|(client, connection)| {
                    tokio::spawn(carry(connection));
                    client
                });
                drop(sender.send(made));
            })),
            _ => return Err(PostgresTrouble::Unknown),
        }
        match client::wait(receiver, LONGEST_CONNECT) {
            Some(Ok(made)) => Ok(PgClient::new(made?)),
            Some(Err(_)) | None => Err(PostgresTrouble::Silent(LONGEST_CONNECT)),
        }
    }
}

/// Carries what a connection's client says and hears.
async fn carry(connection: Connection<Socket, EncryptedSocket<Socket>>) {
    if let Err(error) = connection.await {
        tracing::debug!(
            error = message(&error),
            "a connection to the database ended"
        );
    }
}

impl Drop for RunningPostgres {
    fn drop(&mut self) {
        self.idle.clear();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The number that a clock is moved by.
pub(crate) type Shift = Arc<AtomicI64>;

pub(crate) fn set_shift(shift: &Shift, millis: i64) {
    shift.store(millis, Ordering::SeqCst);
}
