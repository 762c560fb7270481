//! `modekeeper hook` as the command line shows it. What runs is `crate::hook`, which starts before the command line.

use std::process::ExitCode;

use clap::Args;

/// Answer one event of an agent's hook; settings of clients call this
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// The client that calls: claude, codex, copilot, gemini, qwen, opencode, cline, vscode or cursor
    client: String,
    /// Deny at once what would need approval
    #[arg(long)]
    no_person: bool,
}

/// Options before `hook` bring it here: a hook that is not answered as its client expects must not look like a yes.
pub(crate) fn run(args: &HookArgs) -> anyhow::Result<ExitCode> {
    let HookArgs { client, no_person } = args;
    let rest = no_person.then(|| "--no-person".into());
    Ok(crate::hook::run(client, rest.into_iter().collect()))
}
