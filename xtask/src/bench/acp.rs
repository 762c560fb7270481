//! The ACP proxy: processor time of its process for each message, each streamed chunk and each question, beside a bare
//! relay of two pipes, and its memory after many of them.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::report::{Budget, Row, Spread, float, microseconds};
use crate::peer::{Home, Peer, Wire};

const MESSAGES: u64 = 5_000;
const CHUNKS: u64 = 100_000;
const QUESTIONS: u64 = 500;
/// How long the proxy may take to give back what it does not use.
const REST: Duration = Duration::from_secs(2);

pub(crate) fn measure(binary: &Path, agent: &Path, rounds: usize) -> Result<Vec<Row>> {
    let home = Home::new()?;
    let mut ours = Talk::open(&home, home.command(binary), &["acp", "--"], agent)?;
    let mut bare = Talk::open(&home, home.command(agent), &["relay"], agent)?;
    let mut row = |what: &str, each: Each, budget: Budget| -> Result<Row> {
        let (mut costs, mut beside) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            costs.push(ours.cost(each)?);
            beside.push(bare.cost(each)?);
        }
        Ok(Row {
            what: format!("acp, {what}, CPU"),
            unit: "µs",
            ours: Spread::of(costs),
            beside: Some(("bare relay", Spread::of(beside))),
            budget,
        })
    };
    let mut rows = vec![
        row("message", Each::Message, Budget::AtMost(100.0))?,
        row("streamed chunk", Each::Chunk, Budget::Above(10.0))?,
    ];
    let mut costs = Vec::new();
    for _ in 0..rounds {
        costs.push(ours.cost(Each::Question)?);
    }
    rows.push(Row {
        what: "acp, question that the mode answers, CPU".to_owned(),
        unit: "µs",
        ours: Spread::of(costs),
        beside: None,
        budget: Budget::None,
    });
    rows.extend(ours.last(rounds)?);
    let resident = float(ours.rested()?) / 1e6;
    let passed = 2 * rounds as u64 * (2 * MESSAGES + CHUNKS + 2 * QUESTIONS);
    rows.push(Row {
        what: format!("acp, resident after {passed} messages"),
        unit: "MB",
        ours: Spread::of(vec![resident]),
        beside: None,
        budget: Budget::AtMost(10.0),
    });
    Ok(rows)
}

/// What is counted.
#[derive(Debug, Clone, Copy)]
enum Each {
    Message,
    Chunk,
    Question,
}

/// A session behind one of the two.
struct Talk {
    peer: Peer,
}

impl Talk {
    fn open(home: &Home, mut command: Command, before: &[&str], agent: &Path) -> Result<Self> {
        command.args(before).arg(agent);
        let mut peer = Peer::spawn(command, Wire::Pipes)?;
        peer.request("initialize", &json!({ "protocolVersion": 1 }))?;
        let cwd = home.project();
        let opened = peer.request("session/new", &json!({ "cwd": cwd, "mcpServers": [] }))?;
        ensure!(opened["sessionId"] == "s1", "no session: {opened}");
        Ok(Self { peer })
    }

    /// Microseconds of processor time for each of them.
    fn cost(&mut self, each: Each) -> Result<f64> {
        let before = self.peer.cpu()?;
        let count = match each {
            Each::Message => {
                let params = json!({ "sessionId": "s1", "text": "x".repeat(500) });
                for _ in 0..MESSAGES {
                    self.peer.request("_bench/echo", &params)?;
                }
                2 * MESSAGES
            }
            Each::Chunk => {
                self.prompt(&format!("say {CHUNKS}"))?;
                CHUNKS
            }
            Each::Question => {
                self.prompt(&format!("ask {QUESTIONS}"))?;
                QUESTIONS
            }
        };
        let spent = self.peer.cpu()?.saturating_sub(before);
        Ok(microseconds(spent) / float(count))
    }

    /// Resident bytes when it has given back what it does not use.
    fn rested(&self) -> Result<u64> {
        std::thread::sleep(REST);
        self.peer.resident()
    }

    /// The same again, by the clock, and what has been kept of it.
    fn last(&mut self, rounds: usize) -> Result<Vec<Row>> {
        let before = self.rested()?;
        let mut clock = Vec::new();
        for _ in 0..rounds {
            let start = Instant::now();
            self.cost(Each::Message)?;
            clock.push(microseconds(start.elapsed()) / float(2 * MESSAGES));
            self.cost(Each::Chunk)?;
            self.cost(Each::Question)?;
        }
        let last = self.peer.resident()?;
        let grown = self.rested()?.saturating_sub(before);
        let row = |what: &str, unit, figures, most| Row {
            what: format!("acp, {what}"),
            unit,
            ours: Spread::of(figures),
            beside: None,
            budget: Budget::AtMost(most),
        };
        // The pages of the program that the last questions have mapped are given back within a second.
        let last = Row {
            what: "acp, resident with the last message".to_owned(),
            unit: "MB",
            ours: Spread::of(vec![float(last) / 1e6]),
            beside: None,
            budget: Budget::None,
        };
        // 1,000 messages per second.
        Ok(vec![
            last,
            row("message, by the clock", "µs", clock, 1_000.0),
            row(
                "grown by as many messages again",
                "MB",
                vec![float(grown) / 1e6],
                0.5,
            ),
        ])
    }

    fn prompt(&mut self, text: &str) -> Result<Value> {
        let prompt = json!([{ "type": "text", "text": text }]);
        let params = json!({ "sessionId": "s1", "prompt": prompt });
        self.peer.request("session/prompt", &params)
    }
}
