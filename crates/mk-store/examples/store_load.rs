//! What `cargo xtask bench store` runs: fills a store with sessions, then reads and switches them from several threads.
//! Prints a line for each figure: what, threads, operations per second.
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

use mk_store::{ModeGrounds, ModeSwitch, NewSession, PostgresUrl, Session, Store, StoreLocation};
use mk_types::{Clock, ModeSlug};

const THREADS: [usize; 3] = [1, 16, 64];
const TOGETHER: usize = 128;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("three arguments are needed");
    let (place, sessions, seconds) = (next()?, next()?.parse()?, next()?.parse()?);
    let location = match place.starts_with("postgres") {
        true => StoreLocation::Postgres(Box::new(PostgresUrl::parse(&place)?)),
        false => StoreLocation::File(PathBuf::from(place)),
    };
    let store = Store::new(location, Clock::System);
    let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
    let made = runtime.block_on(fill(&store, sessions))?;
    let time = Duration::from_secs(seconds);
    for threads in THREADS {
        let rate = measure(threads, time, |index, round| {
            let session = &made[(index * 7919 + round * 104_729) % made.len()];
            store.session(&session.id)?;
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
            let session = made[index].id.clone();
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
            let now = store.session(&session.id)?.ok_or("a session is gone")?;
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

async fn fill(store: &Store, sessions: usize) -> Outcome<Vec<Session>> {
    let mode = ModeSlug::parse("code")?;
    let new = NewSession {
        mode,
        parent: None,
        project: "/project".to_owned(),
        conversation: None,
        message: Some("hello".to_owned()),
        grounds: ModeGrounds::default(),
    };
    let mut made = Vec::with_capacity(sessions);
    while made.len() < sessions {
        let together = TOGETHER.min(sessions - made.len());
        let creations = (0..together).map(|_| store.create(new.clone()));
        for session in futures::future::join_all(creations).await {
            made.push(session?);
        }
    }
    Ok(made)
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
