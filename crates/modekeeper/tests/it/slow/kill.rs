//! kill −9 at random moments: what was acknowledged is there, and nothing is there by halves.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::PATIENCE;
use crate::support::dice::Dice;
use crate::support::sandbox::Sandbox;
use crate::support::stdio::Client;

const ACKNOWLEDGED: usize = 1000;
const MODES: [&str; 5] = ["code", "architect", "ask", "debug", "orchestrator"];
/// Requests that are under way when the end comes.
const WINDOW: usize = 4;

/// What one side knows of its sessions: the changes that were acknowledged, and all that were tried, by reason.
#[derive(Debug, Default)]
struct Known {
    acknowledged: BTreeMap<String, Vec<String>>,
    tried: BTreeMap<String, (String, String)>,
    creates: usize,
    switches: usize,
    kills: usize,
}

#[test]
fn what_was_acknowledged_survives_kill_9() {
    let seed = 20_261_115;
    eprintln!("seed {seed}");
    let sandbox = Sandbox::new();
    let done = AtomicUsize::new(0);
    let sides: Vec<Known> = std::thread::scope(|scope| {
        let sides = [1, 2].map(|side| {
            let (sandbox, done) = (&sandbox, &done);
            scope.spawn(move || live_and_die(sandbox, done, Dice::new(seed + side)))
        });
        sides.map(|side| side.join().unwrap()).into()
    });
    let database = Connection::open(sandbox.database()).unwrap();
    let text = |query: &str| -> String { database.query_row(query, [], |row| row.get(0)).unwrap() };
    assert_eq!(text("PRAGMA integrity_check"), "ok");
    let mut broken = database.prepare("PRAGMA foreign_key_check").unwrap();
    assert!(!broken.exists([]).unwrap());
    let (mut creates, mut switches) = (0, 0);
    for side in &sides {
        eprintln!(
            "{} creates, {} switches, {} kills",
            side.creates, side.switches, side.kills
        );
        assert!(side.kills >= 10, "killed only {} times", side.kills);
        creates += side.creates;
        switches += side.switches;
        side.verify(&database);
    }
    assert!(creates + switches >= ACKNOWLEDGED);
    assert!(creates > 100 && switches > 100);
    verify_histories(&database);
    // And the next server simply goes on.
    Client::start(&sandbox).create("code");
}

fn live_and_die(sandbox: &Sandbox, done: &AtomicUsize, mut dice: Dice) -> Known {
    let mut known = Known::default();
    let mut serial = 0;
    while done.load(Ordering::Relaxed) < ACKNOWLEDGED {
        let mut client = Client::start(sandbox);
        let mut under_way: BTreeMap<u64, Option<(String, String)>> = BTreeMap::new();
        // A few answers, and then any moment of what comes after.
        let mut answers = dice.below(16);
        let mut end = None;
        loop {
            while under_way.len() < WINDOW {
                serial += 1;
                let (id, switch) = send(&mut client, &mut known, &mut dice, serial);
                under_way.insert(id, switch);
            }
            if answers == 0 && end.is_none() {
                end = Some(Instant::now() + Duration::from_micros(dice.roll() % 5_000));
            }
            let left = end.map_or(PATIENCE, |end: Instant| {
                end.saturating_duration_since(Instant::now())
            });
            let Ok(line) = client.lines().recv_timeout(left) else {
                assert!(end.is_some(), "no answer within {PATIENCE:?}");
                break;
            };
            answers = answers.saturating_sub(1);
            done.fetch_add(known.note(&line, &mut under_way), Ordering::Relaxed);
        }
        client.child().kill().unwrap();
        client.child().wait().unwrap();
        // Answers that left the process before its end are acknowledgements too.
        let rest: Vec<String> = client.lines().iter().collect();
        for line in rest {
            done.fetch_add(known.note(&line, &mut under_way), Ordering::Relaxed);
        }
        known.kills += 1;
    }
    known
}

/// Sends a create, or a switch of a session of ours that no other request is about.
fn send(
    client: &mut Client,
    known: &mut Known,
    dice: &mut Dice,
    serial: usize,
) -> (u64, Option<(String, String)>) {
    let mode = *dice.pick(&MODES);
    let sessions: Vec<&String> = known.acknowledged.keys().collect();
    if sessions.is_empty() || dice.once_in(3) {
        let call = Client::call_params("create_task", &json!({ "mode_slug": mode }));
        return (client.post("tools/call", &call), None);
    }
    let session = (*dice.pick(&sessions)).clone();
    // The reason tells one change from another.
    let reason = format!("{} {serial}", std::process::id());
    let call = json!({ "session_id": session, "new_mode_slug": mode, "reason": reason });
    let id = client.post("tools/call", &Client::call_params("switch_mode", &call));
    known
        .tried
        .insert(reason.clone(), (session.clone(), mode.to_owned()));
    (id, Some((session, reason)))
}

impl Known {
    /// Takes an answer in; 1 if it acknowledges something. The last line may be cut off: no acknowledgement.
    fn note(
        &mut self,
        line: &str,
        under_way: &mut BTreeMap<u64, Option<(String, String)>>,
    ) -> usize {
        let Ok(answer) = serde_json::from_str::<Value>(line) else {
            return 0;
        };
        let Some(request) = answer["id"].as_u64().and_then(|id| under_way.remove(&id)) else {
            return 0;
        };
        assert!(answer["result"].is_object(), "{answer:#}");
        if let Some((session, reason)) = request {
            self.acknowledged.get_mut(&session).unwrap().push(reason);
            self.switches += 1;
        } else {
            let id = answer["result"]["metadata"]["session_id"].as_str().unwrap();
            self.acknowledged.insert(id.to_owned(), Vec::new());
            self.creates += 1;
        }
        1
    }

    fn verify(&self, database: &Connection) {
        let mut history = database
            .prepare("SELECT reason, to_mode FROM mode_change JOIN session ON session.key = mode_change.session WHERE session.id = ?1 ORDER BY mode_change.key")
            .unwrap();
        for (session, acknowledged) in &self.acknowledged {
            let rows = history.query_map([session], |row| Ok((row.get(0)?, row.get(1)?)));
            let rows: Vec<(Option<String>, String)> = rows.unwrap().map(Result::unwrap).collect();
            assert!(!rows.is_empty(), "{session} was acknowledged and is lost");
            for reason in acknowledged {
                let found = rows
                    .iter()
                    .filter(|row| row.0.as_ref() == Some(reason))
                    .count();
                assert_eq!(found, 1, "{session}: the change {reason} of {rows:?}");
            }
            for (reason, mode) in rows.iter().skip(1) {
                let tried = &self.tried[reason.as_ref().unwrap()];
                assert_eq!(*tried, (session.clone(), mode.clone()));
            }
        }
    }
}

/// Every session: a first mode, each change from where the last one led, and the mode where the last one led.
fn verify_histories(database: &Connection) {
    let mut rows = database
        .prepare("SELECT session.id, session.mode, session.task, from_mode, to_mode FROM session LEFT JOIN mode_change ON mode_change.session = session.key ORDER BY session.key, mode_change.key")
        .unwrap();
    let rows = rows.query_map([], |row| {
        Ok((
            row.get(0)?,
            row.get(1)?,
            row.get(2)?,
            row.get(3)?,
            row.get(4)?,
        ))
    });
    type Row = (String, String, String, Option<String>, Option<String>);
    let rows: Vec<Row> = rows.unwrap().map(Result::unwrap).collect();
    for session in rows.chunk_by(|one, other| one.0 == other.0) {
        let mut at = None;
        for (id, _, task, from, to) in session {
            assert_eq!(*from, at, "{id}: {session:?}");
            assert!(
                task.starts_with("task_") && to.is_some(),
                "{id} is there by halves"
            );
            at.clone_from(to);
        }
        assert_eq!(Some(&session[0].1), at.as_ref(), "{session:?}");
    }
}
