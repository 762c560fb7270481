//! Who watches the log of changes: reads what others committed, tells others that there is more,
//! and finds out when the database is back.
//!
//! Nothing depends on how fast this is: decisions read the database themselves. A notification that
//! is lost, or that a pooler swallows, costs a poll.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use mk_types::Clock;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{AsyncMessage, Client};

use super::client::{numbered, typed};
use super::{KnownAnswers, PgClient, PostgresTrouble, PostgresUrl, Shift, set_shift};

/// How long a change of another server may stay unseen here, notified or not.
const POLL: Duration = Duration::from_millis(250);
/// Notifications are this far apart at least, however many commits there are.
const BETWEEN_NOTIFICATIONS: Duration = Duration::from_millis(50);
/// How long a poll may take before the database counts as lost.
const LONGEST_POLL: Duration = Duration::from_secs(2);
/// A clock that is this close to the database's is left alone.
const CLOSE: i64 = 1000;

const NOW: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";

#[derive(Debug, Default)]
pub(crate) struct WatchedChanges {
    known: KnownAnswers,
    version: AtomicI64,
    lost: AtomicBool,
    shift: Shift,
    /// There is something to tell, or to look at.
    woken: Notify,
    untold: AtomicBool,
}

impl WatchedChanges {
    pub(crate) fn known(&self) -> &KnownAnswers {
        &self.known
    }

    pub(crate) fn version(&self) -> i64 {
        self.version.load(Ordering::SeqCst)
    }

    pub(crate) fn shift(&self) -> &Shift {
        &self.shift
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::SeqCst)
    }

    pub(crate) fn lose(&self, trouble: &PostgresTrouble) {
        if !self.lost.swap(true, Ordering::SeqCst) {
            tracing::warn!(%trouble, "the database is lost: nothing that writes is allowed");
        }
        self.woken.notify_one();
    }

    /// The database has answered.
    pub(crate) fn find(&self) {
        if self.lost.swap(false, Ordering::SeqCst) {
            tracing::info!("the database is back");
        }
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
        let rows = client.query(NOW, &[])?;
        if let Some(row) = rows.first() {
            self.compare_clocks(row.try_get(0)?);
        }
        Ok(())
    }

    fn compare_clocks(&self, theirs: i64) {
        let ahead = theirs - Clock::System.now().as_millis();
        set_shift(&self.shift, if ahead.abs() < CLOSE { 0 } else { ahead });
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
        let rows = client.query_typed(NOW, &[]).await?;
        if let Some(row) = rows.first() {
            self.compare_clocks(row.try_get(0)?);
        }
        Ok(())
    }
}

/// Runs until the runtime ends.
pub(crate) async fn watch(watched: Arc<WatchedChanges>, url: PostgresUrl) {
    let mut client: Option<Client> = None;
    let mut seen = watched.version();
    let mut told = Instant::now();
    loop {
        if client.is_none() {
            client = listen(&watched, &url).await;
        }
        let polled = match &client {
            Some(client) => {
                let poll = timeout(LONGEST_POLL, watched.poll(client, &mut seen)).await;
                matches!(poll, Ok(Ok(())))
            }
            None => false,
        };
        if polled {
            watched.find();
        } else {
            client = None;
            watched.lose(&PostgresTrouble::Silent(LONGEST_POLL));
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

/// A connection that wakes who watches when another server has notified.
async fn listen(watched: &Arc<WatchedChanges>, url: &PostgresUrl) -> Option<Client> {
    let tls = url.proof().connector().ok()?;
    let (client, mut connection) = timeout(LONGEST_POLL, url.config().connect(tls))
        .await
        .ok()?
        .ok()?;
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
    let listening = timeout(LONGEST_POLL, client.batch_execute("LISTEN modekeeper")).await;
    matches!(listening, Ok(Ok(()))).then_some(client)
}
