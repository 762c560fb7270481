//! `modekeeper lsp install`

use std::ffi::OsStr;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Args;
use mk_engine::{InstallPlan, ProjectWatching};

use crate::cli::{engine, person};
use crate::config::Config;
use crate::output::{OutputStyle, print};

/// Install a language server
///
/// Packages from npm, PyPI and cargo go into Modekeeper's own directory; Debian's and rustup's into their usual places.
/// The commands are shown first, and run after your confirmation.
#[derive(Debug, Args)]
pub(crate) struct LspInstallArgs {
    /// Language, such as python or typescript
    language: String,
    /// Which server (default: the first that can be installed here)
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Show the commands without running them
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: &LspInstallArgs, config: &Config) -> anyhow::Result<ExitCode> {
    let engine = engine(config, ProjectWatching::Off);
    let plans = engine
        .language_servers()
        .install_plans(&config.project_root.value, &args.language)?;
    let search_path = config.folders().search_path;
    let plan = choose(&plans, args, &search_path)?;
    let style = OutputStyle::stdout();
    print(&format!(
        "{} from {}:\n",
        style.bold(&plan.server),
        plan.source
    ))?;
    for command in &plan.commands {
        print(&format!("  {}\n", command.join(" ")))?;
    }
    if args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes && !agreed()? {
        print("nothing was installed\n")?;
        return Ok(ExitCode::FAILURE);
    }
    let style = OutputStyle::of(&io::stderr());
    let launcher = config.settings(ProjectWatching::Off).servers.launcher;
    plan.run(&search_path, launcher.as_ref(), &mut |line| {
        writeln!(io::stderr(), "{}", style.dim(line)).is_ok()
    })
    .with_context(|| format!("cannot install `{}`", plan.server))?;
    person::record(&engine, "install language server", &plan.server);
    print(&format!(
        "{} is installed for {}\n",
        plan.server, plan.language
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn choose<'a>(
    plans: &'a [InstallPlan],
    args: &LspInstallArgs,
    search_path: &OsStr,
) -> anyhow::Result<&'a InstallPlan> {
    let is_wanted = |plan: &&InstallPlan| {
        let server = args.server.as_ref();
        server.is_none_or(|server| *server == plan.server)
    };
    let wanted: Vec<&InstallPlan> = plans.iter().filter(is_wanted).collect();
    let Some(first) = wanted.first().copied() else {
        let mut names: Vec<&str> = plans.iter().map(|plan| plan.server.as_str()).collect();
        // One that several sources have is listed once.
        names.dedup();
        if names.is_empty() {
            bail!(
                "no package of a server for {} is known: install one yourself and put it on PATH",
                args.language
            );
        }
        bail!("choose one of these servers: {}", names.join(", "));
    };
    let is_possible = |plan: &&InstallPlan| {
        let installer = plan.commands.first().and_then(|command| command.first());
        installer.is_some_and(|installer| {
            std::env::split_paths(search_path).any(|folder| folder.join(installer).is_file())
        })
    };
    Ok(wanted.into_iter().find(is_possible).unwrap_or(first))
}

fn agreed() -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        bail!("cannot ask for confirmation without a terminal: repeat with --yes");
    }
    print("run this? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
