//! `modekeeper playbook eval`

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use mk_engine::{PlaybookScore, PlaybookScores, PlaybookShare, ProjectWatching};
use serde_json::{Map, Value, json};

use crate::cli::{FormatArgs, engine, operator};
use crate::config::Config;
use crate::output::{print, print_json};

/// Measure on your own cases how well prompts are understood
#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// File with one case per line: {"lang", "prompt", "skill", "match"} or {"lang", "prompt", "mode", "originalPrompt"}
    #[arg(required = true)]
    cases: Vec<PathBuf>,
    /// Show every misunderstood prompt
    #[arg(long)]
    failures: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &EvalArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let operator = operator(config);
    let playbook = engine.project(&operator).playbook();
    let scores = playbook.evaluate(&args.cases)?;
    if args.format.json {
        print_json(&to_json(&scores))?;
    } else {
        print(&table(&scores))?;
        if args.failures {
            for failure in &scores.failures {
                print(&format!("{failure}\n"))?;
            }
        }
        if !scores.unreadable.is_empty() {
            print(&match scores.unreadable.len() {
                1 => "1 line is not a case\n".to_owned(),
                count => format!("{count} lines are not cases\n"),
            })?;
        }
    }
    let n_cases: usize = columns(&scores.all).iter().map(|(_, share)| share.of).sum();
    if n_cases == 0 {
        bail!("the file has no cases");
    }
    Ok(ExitCode::SUCCESS)
}

fn columns(score: &PlaybookScore) -> [(&'static str, PlaybookShare); 6] {
    [
        ("first", score.first),
        ("among three", score.among_three),
        ("listed", score.listed),
        ("silent", score.silent),
        ("avoided", score.avoided),
        ("modes", score.modes),
    ]
}

fn table(scores: &PlaybookScores) -> String {
    let rows = scores.by_language.iter();
    let rows = rows.map(|(language, score)| (language.as_str(), score));
    let mut table = format!("{:10}", "");
    for (title, _) in columns(&scores.all) {
        let _ = write!(table, "{title:>22}");
    }
    table.push('\n');
    for (language, score) in rows.chain([("all", &scores.all)]) {
        let _ = write!(table, "{language:10}");
        for (_, share) in columns(score) {
            let cell = match share.of {
                0 => "–".to_owned(),
                of => format!("{:.1} % ({} of {of})", share.ratio() * 100.0, share.right),
            };
            let _ = write!(table, "{cell:>22}");
        }
        table.push('\n');
    }
    table
}

fn to_json(scores: &PlaybookScores) -> Value {
    let score = |score: &PlaybookScore| -> Value {
        let shares = columns(score).into_iter().filter(|(_, share)| share.of > 0);
        let shares = shares.map(|(title, share)| {
            let value = json!({ "ratio": share.ratio(), "right": share.right, "of": share.of });
            (title.replace(' ', "_"), value)
        });
        Value::Object(shares.collect::<Map<String, Value>>())
    };
    let languages = scores.by_language.iter();
    let languages: Map<String, Value> = languages
        .map(|(language, it)| (language.clone(), score(it)))
        .collect();
    json!({
        "all": score(&scores.all),
        "languages": languages,
        "failures": scores.failures,
        "unreadable_lines": scores.unreadable,
    })
}
