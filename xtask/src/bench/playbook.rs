//! The rules tools over stdio: what a call costs, with our own content and with 2,000 files of the user's.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::report::{Budget, Row, Spread, microseconds};
use crate::peer::{Home, Peer, Wire};

const WARM_UP: usize = 50;
const CALLS: u32 = 500;
const USER_RULES: usize = 2_000;

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
    for (n_rules, which) in [(0, "builtin"), (USER_RULES, "2,000 user rules")] {
        let mut samples: Vec<Vec<f64>> = questions().iter().map(|_| Vec::new()).collect();
        for _ in 0..rounds {
            let home = Home::new()?;
            plant(&home.project(), n_rules)?;
            let mut command = home.command(modekeeper);
            command.arg("mcp");
            let mut peer = Peer::spawn(command, Wire::Pipes)?;
            peer.initialize()?;
            for ((tool, argument, _, prompts), samples) in questions().iter().zip(&mut samples) {
                let mut lines = |count: usize| -> Vec<String> {
                    let prompts = prompts.iter().cycle().take(count);
                    let calls = prompts.map(|prompt| call(tool, argument, prompt));
                    calls.map(|call| peer.line("tools/call", &call)).collect()
                };
                let (warm_up, calls) = (lines(WARM_UP), lines(CALLS as usize));
                peer.sequential(&warm_up)?;
                let before = peer.cpu()?;
                peer.pipelined(&calls, |_| Ok(()))?;
                samples.push(microseconds((peer.cpu()? - before) / CALLS));
            }
        }
        for ((tool, _, most, _), samples) in questions().into_iter().zip(samples) {
            rows.push(Row {
                what: format!("{tool}, {which}, CPU with the protocol"),
                unit: "µs",
                ours: Spread::of(samples),
                beside: None,
                budget: Budget::AtMost(most),
            });
        }
    }
    Ok(rows)
}

fn call(tool: &str, argument: &str, text: &str) -> Value {
    json!({ "name": tool, "arguments": { argument: text } })
}

/// Rules as a large organisation has them.
fn plant(project: &Path, count: usize) -> Result<()> {
    let folder = project.join(".codingbuddy/rules");
    std::fs::create_dir_all(&folder)?;
    for number in 0..count {
        let text = format!(
            "# Rule {number}\n\n## When\n\nFor service {number} and what it calls.\n\n## What\n\n\
             Handle errors at the border. Write the test of case {number} first. Log no secret of tenant {number}.\n"
        );
        std::fs::write(folder.join(format!("rule-{number}.md")), text)?;
    }
    Ok(())
}
