//! `modekeeper hook` as the command line shows it. What runs is `crate::hook`, which starts before the command line.

use std::process::ExitCode;

use clap::Args;

/// Handle one hook event of an agent; called from clients' settings
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// The client that calls: claude, codex, copilot, gemini, qwen, opencode, cline, vscode or cursor
    client: String,
    /// Deny at once what would need approval
    #[arg(long)]
    no_person: bool,
    /// The client's shell leads every line through `modekeeper exec`: let lines pass that cannot be read
    #[arg(long)]
    walled: bool,
}

/// Options before `hook` bring it here: a hook that is not answered as its client expects must not look like a yes.
pub(crate) fn run(args: &HookArgs) -> anyhow::Result<ExitCode> {
    let HookArgs {
        client,
        no_person,
        walled,
    } = args;
    let flags = [(no_person, "--no-person"), (walled, "--walled")];
    let flags = flags.into_iter().filter(|(is_set, _)| **is_set);
    let rest = flags.map(|(_, name)| name.into());
    Ok(crate::hook::run(client, rest.collect()).into())
}
