//! `modekeeper self uninstall`: clients first, then the program, and what it remembers if that is wanted.
//!
//! A program that a package manager brought is left to that package manager.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;

use crate::cli::install::{HowArgs, ScopeArg, Workshop, agreed};
use crate::cli::uninstall::take_out;
use crate::config::Config;
use crate::env::Env;
use crate::output::print;

/// Remove Modekeeper from this machine
///
/// Shows what will be removed and what will stay, then asks. Clients get their settings back as `modekeeper uninstall`
/// does it. Your own modes and `config.json` always stay.
#[derive(Debug, Args)]
pub(crate) struct SelfUninstallArgs {
    /// Remove tasks, decisions, backups and language servers too
    #[arg(long)]
    state: bool,
    #[command(flatten)]
    asking: AskingArgs,
}

/// Whether to ask.
#[derive(Debug, Args)]
struct AskingArgs {
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Show what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
}

/// Who brought the program.
#[derive(Debug, PartialEq, Eq)]
enum Owner {
    /// Nobody who keeps a list of files: it was unpacked or copied.
    Nobody,
    /// A package manager, and how to ask it.
    Manager(String),
    /// It is the copy that clients start.
    Clients,
}

pub(crate) fn run(
    args: &SelfUninstallArgs,
    config: &Config,
    env: &Env,
) -> anyhow::Result<ExitCode> {
    let how = HowArgs {
        scope: ScopeArg::User,
        floor: None,
        yes: args.asking.yes,
        dry_run: args.asking.dry_run,
    };
    let workshop = Workshop::new(config, env, &how)?;
    let mut journal = workshop.journal()?;
    let clients = journal.clients();
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let copy = workshop.place.program();
    let removal = Removal {
        owner: owner(&program, &copy),
        program,
        copy,
        state: config.folders().state,
        wants_state: args.state,
        marks: config.config_dir.value.as_deref().map(|it| it.join("held")),
    };
    let mut plan: String = clients
        .iter()
        .map(|client| plan_line("undo", &format!("the settings of {}", client.atlas().name)))
        .collect();
    plan.push_str(&removal.plan());
    if let Some(directory) = config.config_dir.value.as_deref().filter(|it| it.exists()) {
        let kept = format!("{}: your own files", directory.display());
        plan.push_str(&plan_line("keep", &kept));
    }
    print(&plan)?;
    if how.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    if !agreed("Remove Modekeeper?", &how)? {
        print("nothing was changed\n")?;
        return Ok(ExitCode::FAILURE);
    }
    take_out(&workshop, &mut journal, &clients)?;
    workshop.place.clear()?;
    removal.carry_out()?;
    Ok(ExitCode::SUCCESS)
}

/// What is removed from the machine, besides the settings of clients.
struct Removal {
    program: PathBuf,
    owner: Owner,
    /// The copy that clients start.
    copy: PathBuf,
    state: PathBuf,
    wants_state: bool,
    /// The modes that persons have set, kept outside of the state in case it is lost.
    marks: Option<PathBuf>,
}

impl Removal {
    fn plan(&self) -> String {
        let mut plan = String::new();
        let mut line = |verb: &str, what: &str| plan.push_str(&plan_line(verb, what));
        if self.copy.exists() {
            line("remove", &self.copy.display().to_string());
        }
        match &self.owner {
            Owner::Nobody => line("remove", &self.program.display().to_string()),
            Owner::Manager(command) => {
                let program = self.program.display();
                line("keep", &format!("{program}: run `{command}`"));
            }
            Owner::Clients => {}
        }
        let shown = self.state.display();
        match (self.state.exists(), self.wants_state, self.removes_state()) {
            (false, _, _) => {}
            (true, _, true) => line("remove", &format!("{shown}: tasks, decisions, backups")),
            (true, true, false) => line(
                "keep",
                &format!(
                    "{shown}: not a directory of Modekeeper's own by its name, remove it yourself"
                ),
            ),
            (true, false, false) => line(
                "keep",
                &format!("{shown}: tasks, decisions, backups; `--state` removes them"),
            ),
        }
        if let Some(marks) = self.marks.as_ref().filter(|it| it.exists()) {
            let what = format!("{}: the modes of projects", marks.display());
            match self.wants_state {
                true => line("remove", &what),
                false => line("keep", &format!("{what}; `--state` removes them")),
            }
        }
        plan
    }

    fn removes_state(&self) -> bool {
        self.wants_state && is_ours(&self.state)
    }

    fn carry_out(&self) -> anyhow::Result<()> {
        if self.owner == Owner::Nobody {
            let failed = || format!("cannot remove `{}`", self.program.display());
            fs::remove_file(&self.program).with_context(failed)?;
        }
        if self.removes_state() && self.state.exists() {
            let failed = || format!("cannot remove `{}`", self.state.display());
            fs::remove_dir_all(&self.state).with_context(failed)?;
        }
        if let Some(marks) = self
            .marks
            .as_ref()
            .filter(|it| self.wants_state && it.exists())
        {
            let failed = || format!("cannot remove `{}`", marks.display());
            fs::remove_dir_all(marks).with_context(failed)?;
        }
        Ok(())
    }
}

fn plan_line(verb: &str, what: &str) -> String {
    format!("{verb:8}{what}\n")
}

/// A directory that someone named in the settings may hold other things; the usual one is called after us.
fn is_ours(state: &Path) -> bool {
    state.file_name().is_some_and(|name| name == "modekeeper")
}

fn owner(program: &Path, copy: &Path) -> Owner {
    let resolved = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let program = resolved(program);
    if program == resolved(copy) {
        return Owner::Clients;
    }
    let names: Vec<&str> = program.iter().filter_map(|name| name.to_str()).collect();
    let follows = |first: &str, second: &str| names.windows(2).any(|it| it == [first, second]);
    let manager = |command: &str| Owner::Manager(command.to_owned());
    if let Some(at) = names.iter().position(|name| *name == "node_modules") {
        let packages: PathBuf = names.iter().take(at + 1).collect();
        let mut command = "npm uninstall -g".to_owned();
        let chooser = Some("modekeeper").filter(|name| packages.join(name).exists());
        let own = names
            .get(at + 1)
            .copied()
            .filter(|name| Some(*name) != chooser);
        for package in chooser.into_iter().chain(own) {
            command.push_str(&format!(" {package}"));
        }
        return manager(&command);
    }
    if follows("uv", "tools") {
        return manager("uv tool uninstall modekeeper");
    }
    if follows("pipx", "venvs") {
        return manager("pipx uninstall modekeeper");
    }
    if is_in_python(&program) {
        return manager("pip uninstall modekeeper");
    }
    let above = program.ancestors().nth(2);
    if above.is_some_and(|root| root.join(".crates.toml").exists()) {
        return manager("cargo uninstall modekeeper");
    }
    Owner::Nobody
}

/// Whether a Python environment around the program lists it.
fn is_in_python(program: &Path) -> bool {
    let entries = |directory: PathBuf| fs::read_dir(directory).into_iter().flatten().flatten();
    let Some(root) = program.ancestors().nth(2) else {
        return false;
    };
    entries(root.join("lib")).any(|version| {
        entries(version.path().join("site-packages")).any(|package| {
            let name = package.file_name().to_string_lossy().into_owned();
            name.starts_with("modekeeper-") && name.ends_with(".dist-info")
        })
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Owner, is_ours, owner};

    #[track_caller]
    fn check(program: &str, more: &str, expected: &Owner) {
        let directory = tempfile::tempdir().unwrap();
        for file in [program, more] {
            let file = directory.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::File::create(file).unwrap();
        }
        let copy = directory.path().join("share/modekeeper/bin/modekeeper");
        let found = owner(&directory.path().join(program), &copy);
        assert_eq!(found, *expected, "{program}");
    }

    #[test]
    fn a_package_manager_removes_what_it_brought() {
        let manager = |command: &str| Owner::Manager(command.to_owned());
        let nothing = "other/file";
        check(".local/bin/modekeeper", nothing, &Owner::Nobody);
        check("share/modekeeper/bin/modekeeper", nothing, &Owner::Clients);
        check(
            "lib/node_modules/modekeeper-linux-x64/bin/modekeeper",
            nothing,
            &manager("npm uninstall -g modekeeper-linux-x64"),
        );
        check(
            "lib/node_modules/modekeeper-linux-x64/bin/modekeeper",
            "lib/node_modules/modekeeper/package.json",
            &manager("npm uninstall -g modekeeper modekeeper-linux-x64"),
        );
        check(
            "lib/node_modules/modekeeper/node_modules/modekeeper-linux-x64/bin/modekeeper",
            nothing,
            &manager("npm uninstall -g modekeeper"),
        );
        check(
            "uv/tools/modekeeper/bin/modekeeper",
            nothing,
            &manager("uv tool uninstall modekeeper"),
        );
        check(
            "venv/bin/modekeeper",
            "venv/lib/python3.12/site-packages/modekeeper-0.1.0.dist-info/RECORD",
            &manager("pip uninstall modekeeper"),
        );
        check(
            ".cargo/bin/modekeeper",
            ".cargo/.crates.toml",
            &manager("cargo uninstall modekeeper"),
        );
    }

    #[test]
    fn only_a_directory_called_after_us_is_removed_whole() {
        assert!(is_ours(Path::new("/home/a/.local/state/modekeeper")));
        assert!(!is_ours(Path::new("/home/a")));
        assert!(!is_ours(Path::new("/")));
    }
}
