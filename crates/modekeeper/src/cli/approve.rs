//! `modekeeper approve`: answers what agents ask for.

use std::process::ExitCode;

use clap::Args;
use mk_engine::{ApprovalRequest, ApprovalVerdict, Engine, ProjectWatching};
use mk_types::{ApprovalId, SessionId};
use serde_json::{Value, json};

use crate::cli::{FormatArgs, block_on, close, engine, person};
use crate::config::Config;
use crate::output::{OutputStyle, print, print_json};

/// Approve or deny a pending request; without an ID, list pending requests
#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// ID of the request, as the agent shows it
    id: Option<String>,
    /// Deny instead of approving
    #[arg(long, requires = "id")]
    deny: bool,
    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &ApproveArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let Some(id) = &args.id else {
        return list(&engine, &engine.approvals().pending()?, args.format);
    };
    person::require("approve")?;
    let id = ApprovalId::parse(id)?;
    let verdict = if args.deny {
        ApprovalVerdict::Denied
    } else {
        ApprovalVerdict::Granted
    };
    let approval = block_on(engine.approvals().decide(&id, verdict, "command line"))??;
    let action = if args.deny { "deny" } else { "approve" };
    person::record(&engine, action, &format!("{id}: {}", approval.subject));
    let exit = close(&engine);
    if args.format.json {
        print_json(&to_json(&approval))?;
    } else {
        print(&format!("{}: {}\n", approval.state, approval.subject))?;
        if !approval.plan.is_empty() {
            print(&format!("{}\n", approval.plan.trim_end()))?;
        }
    }
    Ok(exit)
}

fn list(
    engine: &Engine,
    approvals: &[ApprovalRequest],
    format: FormatArgs,
) -> anyhow::Result<ExitCode> {
    if format.json {
        print_json(&approvals.iter().map(to_json).collect::<Value>())?;
        return Ok(ExitCode::SUCCESS);
    }
    let style = OutputStyle::stdout();
    for approval in approvals {
        let asked = style.dim(&approval.created_at.to_string());
        print(&format!(
            "{}  {asked}  {}\n",
            style.bold(approval.id.as_str()),
            approval.subject
        ))?;
        if let Some(id) = &approval.conversation
            && let Some(asks) = engine.conversations().get(id)?
        {
            let who = format!("asked by {} in {}\n", asks.client.name, asks.root.path);
            print(&style.dim(&who))?;
        }
        if !approval.plan.is_empty() {
            print(&format!("{}\n", approval.plan.trim_end()))?;
        }
    }
    if approvals.is_empty() {
        print("nothing waits for approval\n")?;
    } else {
        let how = "answer with `modekeeper approve ID`, or `modekeeper approve ID --deny`\n";
        print(&style.dim(how))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn to_json(approval: &ApprovalRequest) -> Value {
    json!({
        "id": approval.id.as_str(),
        "session_id": approval.session.as_ref().map(SessionId::as_str),
        "subject": approval.subject,
        "plan": approval.plan,
        "state": approval.state.as_str(),
        "created_at": approval.created_at.to_string(),
        "decided_by": approval.decided_by,
    })
}
