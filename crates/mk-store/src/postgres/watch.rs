//! Who watches the log of changes: reads what others committed, tells others that there is more,
//! and finds out when the database is back.
//!
//! Nothing depends on how fast this is: decisions read the database themselves. A notification that
//! is lost, or that a pooler swallows, costs a poll.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use mk_types::Clock;
use tokio::sync::Notify;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{AsyncMessage, Client, Config, Row};

use super::client::{numbered, typed};
use super::{KnownAnswers, PgClient, PostgresTrouble, PostgresUrl, Shift, set_shift};
use crate::change::EVERYTHING;
use crate::open::StoreUse;

/// How long a change of another server may stay unseen here, notified or not.
const POLL: Duration = Duration::from_millis(250);
/// Notifications are this far apart at least, however many commits there are.
const BETWEEN_NOTIFICATIONS: Duration = Duration::from_millis(50);
/// How long a poll may take before the database counts as lost.
const LONGEST_POLL: Duration = Duration::from_secs(2);
/// A clock that is this close to the database's is left alone.
const CLOSE: i64 = 1000;

/// Whether the database itself got what [`PostgresUrl::marked_config`] says.
const MARKER: &str = "SELECT current_setting('modekeeper.listens', true) = 'on'";

/// What the database says of itself: its time, and whether it can only be read, as a standby or by a role that may not
/// write. Tables that are not there yet refuse nothing.
const CONDITION: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
    current_setting('transaction_read_only') = 'on'
    OR EXISTS (SELECT FROM (VALUES ('session'), ('decision'), ('change')) AS needed(name)
        WHERE NOT has_table_privilege(to_regclass(name)::oid, 'INSERT'))";

/// How often a database was lost and found again: odd while it is lost. Two that are equal and not lost say that every
/// answer in between was the database's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreReach(u64);

impl StoreReach {
    /// What no database can be lost of.
    pub(crate) const ALWAYS: Self = Self(0);

    pub fn is_lost(self) -> bool {
        !self.0.is_multiple_of(2)
    }
}

#[derive(Debug, Default)]
pub(crate) struct WatchedChanges {
    known: KnownAnswers,
    version: AtomicI64,
    /// See [`StoreReach`].
    reach: AtomicU64,
    /// Why it is lost: it answers, and takes nothing.
    read_only: AtomicBool,
    shift: Shift,
    /// There is something to tell, or to look at.
    woken: Notify,
    untold: AtomicBool,
    /// Nothing listens: a pooler is in between, or the process ends soon.
    only_polls: AtomicBool,
}

impl WatchedChanges {
    pub(crate) fn new(store_use: StoreUse) -> Self {
        Self {
            only_polls: AtomicBool::new(store_use != StoreUse::Server),
            ..Self::default()
        }
    }

    pub(crate) fn known(&self) -> &KnownAnswers {
        &self.known
    }

    pub(crate) fn version(&self) -> i64 {
        self.version.load(Ordering::SeqCst)
    }

    pub(crate) fn shift(&self) -> &Shift {
        &self.shift
    }

    pub(crate) fn reach(&self) -> StoreReach {
        StoreReach(self.reach.load(Ordering::SeqCst))
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.reach().is_lost()
    }

    /// Whether it was lost because it can only be read: then it still knows more than this server does.
    pub(crate) fn is_read_only(&self) -> bool {
        self.read_only.load(Ordering::SeqCst)
    }

    /// The database has answered a question of who watches.
    pub(crate) fn settle(&self, since: StoreReach) {
        match self.is_read_only() {
            true => self.lose(&PostgresTrouble::ReadOnly, since),
            false => self.find(),
        }
    }

    /// A try that began at `since` has failed. If the database was lost and found meanwhile, that says nothing about now.
    pub(crate) fn lose(&self, trouble: &PostgresTrouble, since: StoreReach) {
        if !since.is_lost() && self.follows(since) {
            tracing::warn!(%trouble, "the database is lost: nothing that writes is allowed");
        }
        self.woken.notify_one();
    }

    /// The database has answered.
    pub(crate) fn find(&self) {
        let now = self.reach();
        if now.is_lost() && self.follows(now) {
            tracing::info!("the database is back");
        }
    }

    /// Turns from lost to found or back, unless another has done so since.
    fn follows(&self, since: StoreReach) -> bool {
        let (old, new) = (since.0, since.0 + 1);
        let turned = self
            .reach
            .compare_exchange(old, new, Ordering::SeqCst, Ordering::SeqCst);
        turned.is_ok()
    }

    /// After a commit of this server's own.
    pub(crate) fn committed(&self, seq: Option<i64>, keys: &[String]) {
        for key in keys {
            self.known.forget(key);
        }
        if let Some(seq) = seq {
            self.version.fetch_max(seq, Ordering::SeqCst);
            self.untold.store(true, Ordering::SeqCst);
            self.woken.notify_one();
        }
    }

    /// Where the log and the clock stand at the beginning.
    pub(crate) fn catch_up(&self, client: &PgClient) -> Result<(), PostgresTrouble> {
        let rows = client.query("SELECT coalesce(max(seq), 0) FROM change", &[])?;
        if let Some(row) = rows.first() {
            self.version.fetch_max(row.try_get(0)?, Ordering::SeqCst);
        }
        let rows = client.query(CONDITION, &[])?;
        rows.first().map_or(Ok(()), |row| self.note(row))?;
        Ok(())
    }

    fn note(&self, condition: &Row) -> Result<(), tokio_postgres::Error> {
        let (theirs, is_read_only): (i64, bool) = (condition.try_get(0)?, condition.try_get(1)?);
        let ahead = theirs - Clock::System.now().as_millis();
        set_shift(&self.shift, if ahead.abs() < CLOSE { 0 } else { ahead });
        self.read_only.store(is_read_only, Ordering::SeqCst);
        Ok(())
    }

    /// Forgets everything where changes after `seen` were removed before they were read: who was away for so long does
    /// not know what they were.
    async fn resume(&self, client: &Client, seen: i64) -> Result<(), tokio_postgres::Error> {
        let query = "SELECT min(seq) FROM change";
        let rows = client.query_typed(query, &[]).await?;
        let first: Option<i64> = rows.first().map_or(Ok(None), |row| row.try_get(0))?;
        if first.is_none_or(|first| first > seen + 1) {
            self.known.forget(EVERYTHING);
        }
        Ok(())
    }

    /// Reads what was committed since, in that order.
    async fn poll(&self, client: &Client, seen: &mut i64) -> Result<(), tokio_postgres::Error> {
        let query = "SELECT seq, key FROM change WHERE seq > $1 ORDER BY seq LIMIT 1000";
        loop {
            let parameters: [(&(dyn ToSql + Sync), Type); 1] = [(&*seen, Type::INT8)];
            let rows = client.query_typed(query, &parameters).await?;
            for row in &rows {
                *seen = row.try_get(0)?;
                self.known.forget(row.try_get(1)?);
            }
            self.version.fetch_max(*seen, Ordering::SeqCst);
            if rows.len() < 1000 {
                break;
            }
        }
        for question in self.known.take_again() {
            let forgotten = self.known.forgotten();
            let values = question.values();
            let query = numbered(&question.query);
            let rows = client.query_typed(&query, &typed(&values)).await?;
            self.known
                .keep(&question.query, &values, &Arc::new(rows), forgotten);
        }
        let rows = client.query_typed(CONDITION, &[]).await?;
        rows.first().map_or(Ok(()), |row| self.note(row))
    }
}

/// Runs until the runtime ends.
pub(crate) async fn watch(watched: Arc<WatchedChanges>, url: PostgresUrl) {
    let mut client: Option<Client> = None;
    let mut seen = watched.version();
    let mut told = Instant::now();
    loop {
        let since = watched.reach();
        let kept = client.take();
        // That a kept connection was closed says nothing about the database: a new one does.
        let mut looked = match kept {
            Some(kept) => look(&watched, kept, &mut seen).await,
            None => Err(Unlooked::Closed),
        };
        if let Err(Unlooked::Closed) = looked {
            looked = look_anew(&watched, &url, &mut seen).await;
        }
        match looked {
            Ok(looking) => {
                watched.settle(since);
                // One that can only be read is left: the next may lead to one that can be written.
                client = Some(looking).filter(|_| !watched.is_read_only());
            }
            Err(_) => {
                watched.read_only.store(false, Ordering::SeqCst);
                watched.lose(&PostgresTrouble::Silent(LONGEST_POLL), since);
            }
        }
        if told.elapsed() >= BETWEEN_NOTIFICATIONS
            && let Some(client) = &client
            && watched.untold.swap(false, Ordering::SeqCst)
        {
            told = Instant::now();
            // Lost ones cost the others a poll.
            drop(timeout(LONGEST_POLL, client.batch_execute("NOTIFY modekeeper")).await);
        }
        let pause = match watched.is_lost() {
            true => sleep_for(POLL, None).await,
            false => sleep_for(POLL, Some(&watched.woken)).await,
        };
        // Not more often than notifications come, however busy it is.
        sleep(BETWEEN_NOTIFICATIONS.saturating_sub(pause)).await;
    }
}

/// Why the log could not be read.
enum Unlooked {
    Silent,
    Closed,
}

impl From<Elapsed> for Unlooked {
    fn from(_: Elapsed) -> Self {
        Self::Silent
    }
}

impl From<tokio_postgres::Error> for Unlooked {
    fn from(_: tokio_postgres::Error) -> Self {
        Self::Closed
    }
}

/// Reads the log; gives the connection back if it is of use.
async fn look(
    watched: &WatchedChanges,
    client: Client,
    seen: &mut i64,
) -> Result<Client, Unlooked> {
    timeout(LONGEST_POLL, watched.poll(&client, seen)).await??;
    Ok(client)
}

/// The same on a new connection.
async fn look_anew(
    watched: &Arc<WatchedChanges>,
    url: &PostgresUrl,
    seen: &mut i64,
) -> Result<Client, Unlooked> {
    let client = listen(watched, url).await.ok_or(Unlooked::Silent)?;
    timeout(LONGEST_POLL, watched.resume(&client, *seen)).await??;
    look(watched, client, seen).await
}

/// Sleeps, or is woken; tells for how long.
async fn sleep_for(longest: Duration, woken: Option<&Notify>) -> Duration {
    let begun = Instant::now();
    match woken {
        Some(woken) => tokio::select! {
            () = woken.notified() => {}
            () = sleep(longest) => {}
        },
        None => sleep(longest).await,
    }
    begun.elapsed()
}

/// A connection that wakes who watches when another server has notified. Behind a pooler nothing listens: there the
/// connection that hears of it is another client's in the next moment, and the poll does.
async fn listen(watched: &Arc<WatchedChanges>, url: &PostgresUrl) -> Option<Client> {
    if !watched.only_polls.load(Ordering::SeqCst) {
        match connect(watched, &url.marked_config(), url).await {
            Ok(client) if is_marked(&client).await? => {
                let listening = client.batch_execute("LISTEN modekeeper");
                let listening = timeout(LONGEST_POLL, listening).await;
                return matches!(listening, Ok(Ok(()))).then_some(client);
            }
            Err(Unconnected::Silent) => return None,
            Ok(_) | Err(Unconnected::Refused) => {}
        }
    }
    let client = connect(watched, url.config(), url).await.ok()?;
    if !watched.only_polls.swap(true, Ordering::SeqCst) {
        tracing::info!("a pooler stands before the database: changes are polled for");
    }
    Some(client)
}

async fn is_marked(client: &Client) -> Option<bool> {
    let marker = timeout(LONGEST_POLL, client.query_typed(MARKER, &[])).await;
    let rows = marker.ok()?.ok()?;
    let is_marked: Option<bool> = rows.first()?.try_get(0).ok()?;
    Some(is_marked == Some(true))
}

/// Why there is no connection.
enum Unconnected {
    Silent,
    /// By the database, or by what answers in its place.
    Refused,
}

async fn connect(
    watched: &Arc<WatchedChanges>,
    config: &Config,
    url: &PostgresUrl,
) -> Result<Client, Unconnected> {
    let tls = url.proof().connector().map_err(|_| Unconnected::Silent)?;
    let made = timeout(LONGEST_POLL, config.connect(tls)).await;
    let made = made.map_err(|_| Unconnected::Silent)?;
    let (client, mut connection) = made.map_err(|error| match error.code() {
        // Too many connections, or it is starting or ending.
        Some(code) if !["53", "57"].contains(&code.code().get(..2).unwrap_or_default()) => {
            Unconnected::Refused
        }
        _ => Unconnected::Silent,
    })?;
    let listener = Arc::clone(watched);
    tokio::spawn(async move {
        let mut messages =
            futures::stream::poll_fn(move |context| connection.poll_message(context));
        while let Some(Ok(message)) = futures::StreamExt::next(&mut messages).await {
            if matches!(message, AsyncMessage::Notification(_)) {
                listener.woken.notify_one();
            }
        }
    });
    Ok(client)
}

#[cfg(test)]
mod tests {
    use super::{PostgresTrouble, WatchedChanges};

    #[test]
    fn a_loss_counts_only_if_nothing_was_found_since() {
        let watched = WatchedChanges::default();
        let before = watched.reach();
        watched.lose(&PostgresTrouble::Unknown, before);
        assert!(watched.is_lost());
        let lost = watched.reach();
        watched.find();
        assert!(!watched.is_lost());
        for since in [before, lost] {
            watched.lose(&PostgresTrouble::Unknown, since);
            assert!(!watched.is_lost());
        }
        assert_ne!(watched.reach(), before, "what was read since may be old");
        watched.lose(&PostgresTrouble::Unknown, watched.reach());
        assert!(watched.is_lost());
    }
}
