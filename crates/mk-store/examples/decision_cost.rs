//! What `cargo xtask bench decisions` runs: the processor time of recording a decision. Prints a line for each round:
//! `queued` and microseconds of the thread that decides, as in a server; `all` and microseconds of every thread, with
//! the writing; `hook` and milliseconds of the process that appends one and waits for it.
//!
//!     decision_cost <file>

#![expect(
    clippy::print_stdout,
    reason = "the figures are for the program that runs this"
)]

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use mk_store::{CloseOutcome, DecisionFilter, NewDecision, Ruling, Store, StoreLocation};
use mk_types::{Clock, ModeSlug};
use rustix::time::{ClockId, clock_gettime};

const ROUNDS: usize = 20;
/// Decisions in a round.
const TOGETHER: u32 = 500;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let file = std::env::args()
        .nth(1)
        .ok_or("the file of a store is needed")?;
    let location = StoreLocation::File(PathBuf::from(file));
    resident(&location)?;
    hook(&location)
}

fn resident(location: &StoreLocation) -> Outcome<()> {
    let store = Store::for_server(location.clone(), Clock::System);
    // The first one starts the writer.
    store.record_decision(decision()?);
    store.flush();
    for _ in 0..ROUNDS {
        let decisions: Outcome<Vec<NewDecision>> = (0..TOGETHER).map(|_| decision()).collect();
        let decisions = decisions?;
        let (thread, process) = (cpu(ClockId::ThreadCPUTime), cpu(ClockId::ProcessCPUTime));
        for decision in decisions {
            store.record_decision(decision);
        }
        let thread = cpu(ClockId::ThreadCPUTime).saturating_sub(thread);
        store.flush();
        let process = cpu(ClockId::ProcessCPUTime).saturating_sub(process);
        println!("queued {}", (thread / TOGETHER).as_secs_f64() * 1e6);
        println!("all {}", (process / TOGETHER).as_secs_f64() * 1e6);
    }
    closed(&store)
}

fn hook(location: &StoreLocation) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    for _ in 0..ROUNDS {
        let store = Store::for_a_moment(location.clone(), Clock::System);
        // A hook has read the project and the conversation before.
        let filter = DecisionFilter {
            limit: Some(1),
            ..DecisionFilter::default()
        };
        store.decisions(&filter)?;
        let before = cpu(ClockId::ProcessCPUTime);
        runtime.block_on(store.append_decision(decision()?))?;
        let spent = cpu(ClockId::ProcessCPUTime).saturating_sub(before);
        println!("hook {}", spent.as_secs_f64() * 1e3);
        closed(&store)?;
    }
    Ok(())
}

fn closed(store: &Store) -> Outcome<()> {
    match store.close() {
        CloseOutcome::Complete => Ok(()),
        CloseOutcome::CutOff => Err("the store did not close in time".into()),
    }
}

fn cpu(clock: ClockId) -> Duration {
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

/// As long as those of agents are.
fn decision() -> Outcome<NewDecision> {
    Ok(NewDecision {
        conversation: None,
        client: "claude-code".to_owned(),
        project: None,
        mode: ModeSlug::parse("architect")?,
        tool: "Edit".to_owned(),
        target: "crates/mk-store/src/decision.rs".to_owned(),
        ruling: Ruling::Deny,
        rule: "file-pattern".to_owned(),
        reason: "'architect' mode can only edit files matching `\\.md$`".to_owned(),
        hint: Some("switch to a mode that may do this".to_owned()),
        policy_hash: "eab33bfc12ecc9197fd5e35c6828b801".to_owned(),
        input: format!(
            "{{\"file_path\": \"decision.rs\", \"new_string\": \"{}\"}}",
            "x".repeat(600)
        ),
        tool_use: Some("toolu_01A09q90qw90lq917835lq9".to_owned()),
    })
}
