//! `modekeeper modes lint`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use mk_engine::{ProjectWatching, lint_file};
use mk_policy::{Diagnostic, Severity};
use serde_json::{Value, json};

use crate::cli::{FormatArgs, engine, operator};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// Report every problem in mode files
#[derive(Debug, Args)]
pub(crate) struct ModesLintArgs {
    /// Mode files to check (default: all files that this project uses)
    files: Vec<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &ModesLintArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let (n_modes, found) = if args.files.is_empty() {
        let caller = operator(config);
        (
            engine.modes().catalogue(&caller).modes().len(),
            engine.modes().lint(&caller),
        )
    } else {
        let mut sum = (0, Vec::new());
        for file in &args.files {
            let (n_modes, found) = lint_file(file, &file.display().to_string(), engine.policy());
            sum.0 += n_modes;
            sum.1.extend(found);
        }
        sum
    };
    let counted = LintCounts {
        name: "modes",
        count: n_modes,
    };
    report(&counted, &found, args.format)
}

/// What was looked at.
pub(crate) struct LintCounts {
    pub(crate) name: &'static str,
    pub(crate) count: usize,
}

/// Prints what was found; a failure if there is an error among it.
pub(crate) fn report(
    counted: &LintCounts,
    found: &[Diagnostic],
    format: FormatArgs,
) -> anyhow::Result<ExitCode> {
    let of = |severity| {
        found
            .iter()
            .filter(|found| found.severity == severity)
            .count()
    };
    let (errors, warnings) = (of(Severity::Error), of(Severity::Warning));
    let LintCounts { name, count } = counted;
    if format.json {
        let diagnostics: Vec<Value> = found.iter().map(to_json).collect();
        print_json(&json!({
            *name: count, "errors": errors, "warnings": warnings, "diagnostics": diagnostics,
        }))?;
    } else {
        let style = OutputStyle::stdout();
        for diagnostic in found {
            print(&show(diagnostic, style))?;
        }
        print(&format!(
            "{}, {}, {}\n",
            counted_of(*count, name),
            counted_of(errors, "errors"),
            counted_of(warnings, "warnings")
        ))?;
    }
    Ok(if errors > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// `1 error`, `2 errors`.
fn counted_of(count: usize, things: &str) -> String {
    let one = things.strip_suffix('s').unwrap_or(things);
    format!("{count} {}", if count == 1 { one } else { things })
}

fn show(found: &Diagnostic, style: OutputStyle) -> String {
    let line = found.to_string();
    let line = match found.severity {
        Severity::Error => line.replacen("error:", &style.red("error:"), 1),
        Severity::Warning => line.replacen("warning:", &style.yellow("warning:"), 1),
    };
    match &found.hint {
        Some(hint) => format!("{line}\n  {} {hint}\n", style.bold("hint:")),
        None => format!("{line}\n"),
    }
}

fn to_json(found: &Diagnostic) -> Value {
    json!({
        "severity": match found.severity { Severity::Error => "error", Severity::Warning => "warning" },
        "file": found.file,
        "line": found.position.line,
        "column": found.position.column,
        "mode": found.subject.as_ref().map(|subject| &subject.name),
        "message": found.message,
        "hint": found.hint,
    })
}
