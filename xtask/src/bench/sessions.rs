//! The same call while the store grows: 1 to 100,000 sessions on disk.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::calls::{new_task, session_of, validate};
use super::report::{Budget, Row, Spread, float, microseconds};
use crate::peer::{Home, Peer, Wire, result_of};

const SIZES: [u32; 4] = [1, 100, 10_000, 100_000];
const CALLS: u32 = 2_000;
/// «Unchanged», on a machine that does other things too.
const UNCHANGED: f64 = 1.25;

/// A store with so many sessions, and a server that has just been started on it.
#[derive(Debug)]
struct Store {
    /// Dropped before the home that it lives in.
    peer: Peer,
    sessions: Vec<String>,
    /// Processor time to create one.
    creation: Duration,
    /// Bytes, when it had seen one session.
    resident: u64,
    cpu: Vec<f64>,
    p50: Vec<f64>,
    p99: Vec<f64>,
    _home: Home,
}

pub(crate) fn measure(binary: &Path, rounds: usize) -> Result<Vec<Row>> {
    let mut stores = SIZES
        .map(|size| Store::with(binary, size))
        .into_iter()
        .collect::<Result<Vec<_>>>()?;
    for round in 0..rounds {
        for store in &mut stores {
            store.round(round)?;
        }
    }
    let mut rows = Vec::new();
    let mut first: Option<[Spread; 3]> = None;
    for store in &mut stores {
        let size = store.sessions.len();
        let spread = |values: &Vec<f64>| Spread::of(values.clone());
        let figures = [&store.cpu, &store.p50, &store.p99].map(spread);
        let names = ["CPU", "p50, clock", "p99, clock"];
        for (index, (figure, name)) in figures.iter().zip(names).enumerate() {
            rows.push(Row {
                what: format!("validate_tool_use, {size} sessions, {name}"),
                unit: "µs",
                ours: *figure,
                beside: first.map(|first| ("1 session", first[index])),
                budget: match first {
                    Some(_) if name != "p50, clock" => Budget::Times(UNCHANGED),
                    _ => Budget::None,
                },
            });
        }
        first.get_or_insert(figures);
    }
    if let Some(largest) = stores.last_mut() {
        rows.push(once(
            format!(
                "create_task, {} sessions, CPU of each",
                largest.sessions.len()
            ),
            "µs",
            microseconds(largest.creation),
            Budget::None,
        ));
        rows.push(once(
            format!("resident for each of {} sessions", largest.sessions.len()),
            "B",
            largest.bytes_per_session()?,
            Budget::AtMost(1024.0),
        ));
    }
    Ok(rows)
}

fn once(what: String, unit: &'static str, value: f64, budget: Budget) -> Row {
    Row {
        what,
        unit,
        ours: Spread::of(vec![value]),
        beside: None,
        budget,
    }
}

impl Store {
    fn with(binary: &Path, size: u32) -> Result<Self> {
        let home = Home::new()?;
        let start = || {
            let mut command = home.command(binary);
            command.arg("mcp");
            let mut peer = Peer::spawn(command, Wire::Pipes)?;
            peer.initialize()?;
            anyhow::Ok(peer)
        };
        let mut creator = start()?;
        let before = creator.cpu()?;
        let lines: Vec<_> = (0..size)
            .map(|_| creator.line("tools/call", &new_task()))
            .collect();
        let mut sessions = Vec::new();
        creator.pipelined(&lines, |answer| {
            sessions.push(session_of(&result_of(answer)?)?);
            Ok(())
        })?;
        let creation = (creator.cpu()? - before) / size;
        drop(creator);
        let mut peer = start()?;
        // Opens the store and compiles the mode.
        let warm_up = vec![peer.line("tools/call", &validate(&sessions[0])); 500];
        peer.sequential(&warm_up)?;
        Ok(Self {
            resident: peer.resident()?,
            peer,
            sessions,
            creation,
            cpu: Vec::new(),
            p50: Vec::new(),
            p99: Vec::new(),
            _home: home,
        })
    }

    fn round(&mut self, round: usize) -> Result<()> {
        // A stride that visits all of them, far from each other.
        let lines: Vec<_> = (0..CALLS as usize)
            .map(|call| (call + round * CALLS as usize).wrapping_mul(7919) % self.sessions.len())
            .map(|index| {
                let params = validate(&self.sessions[index]);
                self.peer.line("tools/call", &params)
            })
            .collect();
        let before = self.peer.cpu()?;
        let mut times = self.peer.sequential(&lines)?;
        self.cpu
            .push(microseconds((self.peer.cpu()? - before) / CALLS));
        times.sort();
        self.p50.push(microseconds(times[times.len() / 2]));
        self.p99.push(microseconds(times[times.len() * 99 / 100]));
        Ok(())
    }

    /// Uses every session once, and looks at what that left in memory.
    fn bytes_per_session(&mut self) -> Result<f64> {
        let lines: Vec<_> = self
            .sessions
            .iter()
            .map(|session| self.peer.line("tools/call", &validate(session)))
            .collect();
        self.peer.pipelined(&lines, |_| Ok(()))?;
        let grown = self.peer.resident()?.saturating_sub(self.resident);
        Ok(float(grown) / float(self.sessions.len() as u64))
    }
}
