//! `modekeeper check`: would this mode allow this call?

use std::process::ExitCode;

use clap::Args;
use mk_engine::{NextStep, ProjectWatching};
use mk_policy::Decision;
use serde_json::json;

use crate::cli::modes::trouble;
use crate::cli::{FormatArgs, engine, operator};
use crate::config::Config;
use crate::next_step::for_person;
use crate::output::{OutputStyle, print, print_json, print_warning};

/// Check whether a mode allows a tool call; exit code 0 if allowed, 1 if not
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Slug of the mode
    mode: String,
    /// Name of the tool, such as write_to_file or execute_command
    tool: String,
    /// What it would touch: a path, a command line, or server/tool (default: the tool in general)
    target: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &CheckArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let caller = operator(config);
    let mode = engine.modes().get(&caller, "mode", &args.mode)?;
    // As `log` names what `modekeeper exec` was asked to run.
    let tool = match args.tool.as_str() {
        "exec" => "execute_command",
        tool => tool,
    };
    let call = engine.policy().tools.call_on(tool, args.target.as_deref());
    let evaluation = engine.project(&caller).check_in(mode, call);
    let allowed = evaluation.is_allowed();
    let hint = NextStep::of(&evaluation).map(|step| for_person(&step));
    if args.format.json {
        print_json(&json!({
            "allowed": allowed,
            "decision": evaluation.decision.as_str(),
            "mode": evaluation.mode.as_str(),
            "tool": evaluation.tool,
            "target": args.target,
            "rule": evaluation.rule.as_str(),
            "reason": evaluation.reason(),
            "restriction": evaluation.restriction,
            "hint": hint,
        }))?;
    } else {
        let style = OutputStyle::stdout();
        let verdict = match evaluation.decision {
            Decision::Allow => style.green("allowed"),
            Decision::Unproven => style.yellow("unproven"),
            Decision::Ask => style.yellow("needs approval"),
            Decision::Deny => style.red("denied"),
        };
        print(&format!(
            "{verdict}: {} [{}]\n",
            evaluation.reason(),
            evaluation.rule.as_str()
        ))?;
        if let Some(hint) = hint.filter(|_| !allowed) {
            print(&format!("{} {hint}\n", style.bold("hint:")))?;
        }
        if !allowed {
            for line in trouble::broken_files(&engine, config, |mode| mode == args.mode) {
                print_warning(&line);
            }
        }
    }
    Ok(if allowed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
