//! 200,000 mutated lines through the built binary: no crash, no hang, one answer a request, JSON only.

mod message;
mod mutate;

use std::collections::BTreeMap;
use std::io::{BufReader, Write as _};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::support::dice::Dice;
use crate::support::sandbox::Sandbox;
use crate::support::stdio::server;
use crate::support::wait_for_end;
use message::{Era, messages};
use mutate::{Expected, mutate};

const SEED: u64 = 20_261_115;
const RUNS: usize = 26;
const LINES: usize = 8_000;

#[test]
fn mutated_lines_are_answered_and_break_nothing() {
    eprintln!("seed {SEED}, {RUNS} runs of {LINES} lines");
    let (next, total) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let since = Instant::now();
    std::thread::scope(|scope| {
        let work = || {
            loop {
                let run = next.fetch_add(1, Ordering::Relaxed);
                if run >= RUNS {
                    return;
                }
                total.fetch_add(feed(run), Ordering::Relaxed);
            }
        };
        let workers: Vec<_> = (0..3).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            worker.join().unwrap();
        }
    });
    let total = total.into_inner();
    eprintln!("{total} lines in {:?}", since.elapsed());
    assert!(total >= 200_000);
}

/// Feeds one process, and gives the number of lines.
fn feed(run: usize) -> usize {
    let mut dice = Dice::new(SEED + run as u64);
    let era = [Era::Connected, Era::Stateless, Era::Both][run % 3];
    let sandbox = Sandbox::new();
    // A few on disk; in memory the lines come faster.
    let flags: &[&str] = if run < 3 { &[] } else { &["--in-memory"] };
    let mut child = server(&sandbox, flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || read(output));

    let n_early = if run.is_multiple_of(2) { 0 } else { 50 };
    let mut expected: BTreeMap<String, (Expected, Vec<u8>)> = BTreeMap::new();
    let handshake = format!("{}\n", message::initialize("handshake"));
    let mut write = |line: &[u8]| {
        if let Err(error) = input.write_all(line) {
            panic!("run {run}: {error} at {:?}", String::from_utf8_lossy(line));
        }
    };
    let messages = messages("", era);
    for index in 0..LINES {
        // Some processes get nonsense before the handshake, some never get a handshake.
        if index == n_early && era != Era::Stateless {
            write(handshake.as_bytes());
        }
        // Long, so that no id becomes another one by a slip of a byte.
        let id = format!("{index}-{:016x}", dice.roll());
        let mut message = dice.pick(&messages).clone();
        if message["id"] == "" {
            message["id"] = json!(id);
        }
        let mutated = mutate(message, &id, &mut dice);
        write(&mutated.line);
        write(b"\n");
        expected.insert(id, (mutated.expected, mutated.line));
    }
    let last = json!({ "jsonrpc": "2.0", "id": "last", "method": "ping" });
    write(format!("{last}\n").as_bytes());
    drop(input);
    let (status, time) = wait_for_end(&mut child);
    assert!(status.success(), "run {run}: {status}");
    assert!(time < Duration::from_secs(60), "run {run}: {time:?}");
    let answers = reader.join().unwrap();
    for (id, (expected, line)) in &expected {
        let found = answers.get(id).copied().unwrap_or(0);
        let line = String::from_utf8_lossy(line);
        let start: String = line.chars().take(600).collect();
        assert!(
            expected.is_met(found),
            "run {run}: {found} answers, expected {expected:?}: {start}"
        );
    }
    LINES
}

/// As much of a message as is looked at.
#[derive(serde::Deserialize)]
struct Answer {
    jsonrpc: String,
    id: Option<Value>,
    method: Option<String>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// How many answers each id got. Every line is JSON and a message.
fn read(output: impl std::io::BufRead) -> BTreeMap<String, usize> {
    let mut answers = BTreeMap::new();
    for line in output.split(b'\n') {
        let line = line.unwrap();
        let shown = || String::from_utf8_lossy(&line);
        let answer: Answer = serde_json::from_slice(&line)
            .unwrap_or_else(|error| panic!("{error} on stdout: {:?}", shown()));
        assert_eq!(answer.jsonrpc, "2.0", "{}", shown());
        if answer.method.is_none() {
            let whole = answer.result.is_some() != answer.error.is_some();
            assert!(
                whole && answer.id.is_some() || shown().contains("\"id\":null"),
                "{}",
                shown()
            );
            let id = answer
                .id
                .as_ref()
                .and_then(Value::as_str)
                .unwrap_or_default();
            *answers.entry(id.to_owned()).or_default() += 1;
        }
    }
    answers
}
