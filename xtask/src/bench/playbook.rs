//! The rules tools over stdio: what a call costs, with our own content, with 2,000 rules or skills of the user's, with a
//! prompt of 8,000 characters, and the first time.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::report::{Budget, Row, Spread, microseconds};
use crate::peer::{Home, Peer, Wire};

const WARM_UP: usize = 50;
const CALLS: u32 = 500;
const USER_FILES: usize = 2_000;
/// A long prompt may cost this much, in microseconds, and the first call this much in milliseconds.
const LONG_PROMPT: f64 = 1_000.0;
const FIRST_USE: f64 = 10.0;

/// What the project of a round has.
#[derive(Clone, Copy)]
enum Planted {
    Nothing,
    Rules,
    Skills,
}

/// A question and what it may cost, in microseconds. Several prompts, so that no answer is the last one.
fn questions() -> [(&'static str, &'static str, f64, [&'static str; 4]); 3] {
    [
        (
            "parse_mode",
            "prompt",
            150.0,
            [
                "PLAN: add login with OAuth to the shop",
                "ACT write the migration for the orders table",
                "계획: 결제 화면을 다시 설계해줘",
                "EVAL the error handling of the API client",
            ],
        ),
        (
            "search_rules",
            "query",
            200.0,
            [
                "TDD cycle",
                "single responsibility",
                "error handling",
                "accessibility of forms",
            ],
        ),
        (
            "recommend_skills",
            "prompt",
            100.0,
            [
                "There is a bug in the login",
                "Build a dashboard component",
                "로그인에 버그가 있어",
                "explain what this module does",
            ],
        ),
    ]
}

pub(crate) fn measure(modekeeper: &Path, rounds: usize) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (planted, which) in [
        (Planted::Nothing, "builtin"),
        (Planted::Rules, "2,000 user rules"),
        (Planted::Skills, "2,000 user skills"),
    ] {
        let mut samples: Vec<Vec<f64>> = questions().iter().map(|_| Vec::new()).collect();
        let mut long: Vec<Vec<f64>> = vec![Vec::new(), Vec::new()];
        let mut first = Vec::new();
        for _ in 0..rounds {
            let home = Home::new()?;
            plant(&home.project(), planted)?;
            let mut command = home.command(modekeeper);
            command.arg("mcp");
            let mut peer = Peer::spawn(command, Wire::Pipes)?;
            peer.initialize()?;
            let line = peer.line("tools/call", &call("parse_mode", "prompt", "PLAN a login"));
            let before = peer.cpu()?;
            peer.sequential(&[line])?;
            first.push(microseconds(peer.cpu()? - before) / 1_000.0);
            for ((tool, argument, _, prompts), samples) in questions().iter().zip(&mut samples) {
                samples.push(cost(&mut peer, tool, argument, prompts)?);
            }
            let prompt = long_prompt();
            for (tool, samples) in ["parse_mode", "recommend_skills"].iter().zip(&mut long) {
                samples.push(cost(&mut peer, tool, "prompt", &[prompt.as_str()])?);
            }
        }
        for ((tool, _, most, _), samples) in questions().into_iter().zip(samples) {
            rows.push(row(&format!("{tool}, {which}"), "µs", samples, most));
        }
        for (tool, samples) in ["parse_mode", "recommend_skills"].iter().zip(long) {
            let what = format!("{tool}, {which}, 8,000 characters");
            rows.push(row(&what, "µs", samples, LONG_PROMPT));
        }
        if matches!(planted, Planted::Nothing) {
            rows.push(row("first use, builtin", "ms", first, FIRST_USE));
        }
    }
    Ok(rows)
}

fn row(what: &str, unit: &'static str, samples: Vec<f64>, most: f64) -> Row {
    Row {
        what: format!("{what}, CPU with the protocol"),
        unit,
        ours: Spread::of(samples),
        beside: None,
        budget: Budget::AtMost(most),
    }
}

/// The CPU time of a call, in microseconds.
fn cost(peer: &mut Peer, tool: &str, argument: &str, prompts: &[&str]) -> Result<f64> {
    let mut lines = |count: usize| -> Vec<String> {
        let prompts = prompts.iter().cycle().take(count);
        let calls = prompts.map(|prompt| call(tool, argument, prompt));
        calls.map(|call| peer.line("tools/call", &call)).collect()
    };
    let (warm_up, calls) = (lines(WARM_UP), lines(CALLS as usize));
    peer.sequential(&warm_up)?;
    let before = peer.cpu()?;
    peer.pipelined(&calls, |_| Ok(()))?;
    Ok(microseconds((peer.cpu()? - before) / CALLS))
}

/// A prompt with a ticket behind it.
fn long_prompt() -> String {
    let ticket = "The export stops after a hundred rows. Customers on mobile see no message. \
                  Support has heard of it from three accounts, all of them with large invoices.\n\n";
    let ticket: String = ticket.chars().cycle().take(8_000).collect();
    format!("ACT fix the export\n\n{ticket}")
}

fn call(tool: &str, argument: &str, text: &str) -> Value {
    json!({ "name": tool, "arguments": { argument: text } })
}

/// Files as a large organisation has them.
fn plant(project: &Path, planted: Planted) -> Result<()> {
    for number in 0..USER_FILES {
        let (path, text) = match planted {
            Planted::Nothing => return Ok(()),
            Planted::Rules => (
                format!(".codingbuddy/rules/rule-{number}.md"),
                format!(
                    "# Rule {number}\n\n## When\n\nFor service {number} and what it calls.\n\n## What\n\n\
                     Handle errors at the border. Write the test of case {number} first. Log no secret of tenant {number}.\n"
                ),
            ),
            Planted::Skills => (
                format!(".claude/skills/skill-{number}/SKILL.md"),
                format!(
                    "---\nname: skill-{number}\ndescription: Builds the report of department {number}. Use for figures of {number}.\n\
                     ---\n# Report\n\nCollect, check, send.\n"
                ),
            ),
        };
        let path = project.join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}
