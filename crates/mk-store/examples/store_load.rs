//! What `cargo xtask bench store` runs: fills a store with sessions, then reads and switches them from several threads.
//! Prints a line for each figure: what, threads, operations per second.
//!
//! One session is made as a server makes it, and the database itself copies it: so many commits would take longer than
//! everything that is measured.
//!
//!     store_load <file or postgres://…> <sessions> <seconds>

#![expect(
    clippy::print_stdout,
    reason = "the figures are for the program that runs this"
)]

use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use mk_store::{ModeGrounds, ModeSwitch, NewSession, PostgresUrl, Store, StoreLocation};
use mk_types::{Clock, ModeSlug, SessionId};
use tokio::runtime::Runtime;

const THREADS: [usize; 3] = [1, 16, 64];
/// Sixteen digits, as an id has letters: the copies count from here.
const FIRST_COPY: usize = 1_000_000_000_000_001;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("three arguments are needed");
    let (place, sessions, seconds) = (next()?, next()?.parse()?, next()?.parse()?);
    let location = match place.starts_with("postgres") {
        true => StoreLocation::Postgres(Box::new(PostgresUrl::parse(&place)?)),
        false => StoreLocation::File(PathBuf::from(&place)),
    };
    let store = Store::new(location, Clock::System);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let made = fill(&store, &runtime, &place, sessions)?;
    let time = Duration::from_secs(seconds);
    for threads in THREADS {
        let rate = measure(threads, time, |index, round| {
            let session = &made[(index * 7919 + round * 104_729) % made.len()];
            store.session(session)?.ok_or("a session is gone")?;
            Ok(())
        })?;
        println!("read {threads} {rate:.0}");
    }
    for threads in THREADS {
        let rate = measure(threads, time, |index, round| {
            let (code, ask) = (ModeSlug::parse("code")?, ModeSlug::parse("ask")?);
            let (from, to) = if round % 2 == 0 {
                (code, ask)
            } else {
                (ask, code)
            };
            // Every thread switches a session of its own, there and back.
            let session = made[index].clone();
            let reason = None;
            runtime.block_on(store.switch(ModeSwitch {
                session,
                from,
                to,
                reason,
                grounds: ModeGrounds::default(),
            }))?;
            Ok(())
        });
        // An odd number of switches leaves sessions in the other mode: put all back.
        for session in made.iter().take(threads) {
            let now = store.session(session)?.ok_or("a session is gone")?;
            let (session, from) = (now.id, now.mode);
            let back = ModeSwitch {
                session,
                from,
                to: ModeSlug::parse("code")?,
                reason: None,
                grounds: ModeGrounds::default(),
            };
            runtime.block_on(store.switch(back))?;
        }
        println!("write {threads} {:.0}", rate?);
    }
    Ok(())
}

/// The ids of so many sessions, each with a message and a mode.
fn fill(store: &Store, runtime: &Runtime, place: &str, sessions: usize) -> Outcome<Vec<SessionId>> {
    let new = NewSession {
        mode: ModeSlug::parse("code")?,
        parent: None,
        project: "/project".to_owned(),
        conversation: None,
        message: Some("hello".to_owned()),
        grounds: ModeGrounds::default(),
    };
    let first = runtime.block_on(store.create(new))?.id;
    let statements = copies(&first, sessions - 1);
    if place.starts_with("postgres") {
        runtime.block_on(async {
            let none = tokio_postgres::NoTls;
            let (client, connection) = tokio_postgres::connect(place, none).await?;
            tokio::spawn(connection);
            client.batch_execute(&statements).await
        })?;
    } else {
        rusqlite::Connection::open(place)?.execute_batch(&statements)?;
    }
    let copied = (FIRST_COPY..).map(|number| SessionId::parse(&format!("sess_{number}")));
    let mut made: Vec<SessionId> = copied.take(sessions - 1).collect::<Result<_, _>>()?;
    made.push(first);
    Ok(made)
}

/// What both databases understand.
fn copies(first: &SessionId, count: usize) -> String {
    format!(
        "BEGIN;
         WITH RECURSIVE copy (number) AS (
             SELECT {FIRST_COPY} UNION ALL
             SELECT number + 1 FROM copy WHERE number + 1 < {FIRST_COPY} + {count}
         )
         INSERT INTO session (id, task, mode, state, project, created_at, last_activity)
         SELECT 'sess_' || number, 'task_' || number, mode, state, project, created_at, last_activity
         FROM session, copy WHERE id = '{first}';
         INSERT INTO message (session, role, content, at)
         SELECT key, 'user', 'hello', created_at FROM session WHERE id <> '{first}';
         INSERT INTO mode_change (session, to_mode, at)
         SELECT key, mode, created_at FROM session WHERE id <> '{first}';
         COMMIT;
         ANALYZE;"
    )
}

/// How often a second so many threads do it, together.
fn measure(
    threads: usize,
    time: Duration,
    act: impl Fn(usize, usize) -> Outcome<()> + Sync,
) -> Outcome<f64> {
    let (over, done) = (AtomicBool::new(false), AtomicUsize::new(0));
    let begun = Instant::now();
    let work = |index: usize| -> Outcome<()> {
        let mut round = 0;
        while !over.load(Ordering::Relaxed) {
            act(index, round)?;
            round += 1;
            done.fetch_add(1, Ordering::Relaxed);
            if begun.elapsed() >= time {
                over.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let work = &work;
        let all: Vec<_> = (0..threads)
            .map(|index| scope.spawn(move || work(index)))
            .collect();
        for one in all {
            one.join().map_err(|_| "a thread panicked")??;
        }
        Outcome::Ok(())
    })?;
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    Ok(done.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64())
}
