//! `modekeeper uninstall`: takes clients out again.

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use mk_clients::ClientId;

use crate::cli::install::{
    HowArgs, InstallJournal, ScopeArg, UndoneChange, Workshop, agreed, known_client,
};
use crate::cli::person;
use crate::config::Config;
use crate::env::Env;
use crate::output::{OutputStyle, print};

/// Undo what `init` and `install` changed
///
/// A file that has not changed since gets its old bytes back; from one that has, only Modekeeper's entries are removed.
/// Without a client, all of them, and the copy of the program.
#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    /// Client, such as claude-code (default: all)
    client: Option<String>,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Show which clients would be removed, and change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &UninstallArgs, config: &Config, env: &Env) -> anyhow::Result<ExitCode> {
    let how = HowArgs {
        scope: ScopeArg::User,
        floor: None,
        yes: args.yes,
        dry_run: args.dry_run,
    };
    let workshop = Workshop::new(config, env, &how)?;
    let mut journal = workshop.journal()?;
    let installed = journal.clients();
    let wanted = match &args.client {
        None => installed.clone(),
        Some(name) => {
            let client = known_client(name)?;
            if !installed.contains(&client) {
                bail!("{} is not set up", client.atlas().name);
            }
            vec![client]
        }
    };
    let names: Vec<&str> = wanted.iter().map(|client| client.atlas().name).collect();
    print(&format!("to remove: {}\n", list(&names)))?;
    if args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    if !agreed("Undo the changes?", &how)? {
        print("nothing was changed\n")?;
        return Ok(ExitCode::FAILURE);
    }
    take_out(&workshop, &mut journal, &wanted)?;
    person::record_in(config, "take clients out", &list(&names));
    Ok(ExitCode::SUCCESS)
}

/// Undoes what was changed for these clients; after the last of all, the copy of the program goes, too.
pub(crate) fn take_out(
    workshop: &Workshop,
    journal: &mut InstallJournal,
    clients: &[ClientId],
) -> anyhow::Result<()> {
    let style = OutputStyle::stdout();
    for &client in clients {
        for (file, outcome) in journal.undo(client)? {
            let file = file.display();
            let line = match outcome {
                UndoneChange::Restored => format!("restored {file}\n"),
                UndoneChange::EntriesRemoved => {
                    let kept = "changed since: only Modekeeper's entries were removed";
                    format!("{file} {}\n", style.dim(kept))
                }
                UndoneChange::Left => {
                    let note = "changed since: remove it yourself if you do not need it";
                    format!("{file} {}\n", style.yellow(note))
                }
            };
            print(&line)?;
        }
    }
    if journal.clients().is_empty() {
        workshop.place.clear()?;
    }
    Ok(())
}

fn list(names: &[&str]) -> String {
    match names.is_empty() {
        true => "nothing".to_owned(),
        false => names.join(", "),
    }
}
