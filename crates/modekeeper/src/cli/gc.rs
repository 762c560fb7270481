//! `modekeeper gc`: removes old backups and journals, caches of builds, and what killed commands left.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use clap::Args;
use mk_types::Clock;

use crate::cli::{duration, person};
use crate::config::Config;
use crate::output::print;

/// Remove old backups, build caches and leftovers of killed commands
///
/// Of backups the newest of each project stays. Decisions and records are removed by `sessions.retention`.
#[derive(Debug, Args)]
pub(crate) struct GcArgs {
    /// Remove caches that no command has used for this long, such as 12h or 7d
    #[arg(long, value_name = "TIME", default_value = "14d", value_parser = duration::parse)]
    caches: Duration,
    /// Show what would be removed
    #[arg(long)]
    dry_run: bool,
}

/// Below the state directory: caches and outputs of builds, a directory for each project and mode.
pub(crate) const CACHES: &str = "build";
// Below the state directory: names of files that a running command has made under forbidden names.
#[cfg(target_os = "linux")]
pub(crate) use mk_engine::GUESTS;
/// Below the state directory: output of commands that `run_command` started.
pub(crate) const OUTPUTS: &str = "commands";

pub(crate) fn run(args: &GcArgs, config: &Config) -> anyhow::Result<ExitCode> {
    person::require("gc")?;
    let state = config.folders().state;
    let mut freed = 0;
    for directory in [CACHES, OUTPUTS] {
        for path in unused(&state.join(directory), args.caches) {
            let size = size_of(&path);
            freed += size;
            print(&format!("{} {}\n", path.display(), in_words(size)))?;
            if !args.dry_run {
                remove(&path)?;
            }
        }
    }
    if !args.dry_run {
        let removed = mk_engine::prune_backups(&state, &Clock::System);
        if removed > 0 {
            print(&format!(
                "{removed} {}\n",
                if removed == 1 { "backup" } else { "backups" }
            ))?;
        }
        swept(&state)?;
        let subject = format!("{removed} backups, {}", in_words(freed));
        person::record_in(config, "remove old files", &subject);
    }
    let verb = if args.dry_run { "would free" } else { "freed" };
    print(&format!("{verb} {}\n", in_words(freed)))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(target_os = "linux")]
fn swept(state: &Path) -> anyhow::Result<()> {
    for farewell in mk_wall::sweep(&state.join(GUESTS)) {
        if let mk_wall::Farewell::Removed(path) = farewell {
            print(&format!("{}\n", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn swept(_state: &Path) -> anyhow::Result<()> {
    Ok(())
}

/// The entries of a directory that nothing has touched for so long.
fn unused(directory: &Path, age: Duration) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let is_old = |path: &PathBuf| {
        let modified = path.symlink_metadata().and_then(|it| it.modified());
        let elapsed = modified.ok().and_then(|it| elapsed_since(it).ok());
        elapsed.is_some_and(|it| it >= age)
    };
    let mut found: Vec<PathBuf> = entries.map(|it| it.path()).filter(is_old).collect();
    found.sort();
    found
}

#[expect(
    clippy::disallowed_methods,
    reason = "times of files are the system's, whatever clock a store has"
)]
fn elapsed_since(time: SystemTime) -> Result<Duration, std::time::SystemTimeError> {
    SystemTime::now().duration_since(time)
}

fn remove(path: &Path) -> std::io::Result<()> {
    if path.symlink_metadata()?.is_dir() {
        make_removable(path);
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

/// Go makes the directories of its modules read-only.
fn make_removable(directory: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mut waiting = vec![directory.to_owned()];
    while let Some(directory) = waiting.pop() {
        // Removing it says what is wrong if this fails.
        drop(fs::set_permissions(
            &directory,
            fs::Permissions::from_mode(0o700),
        ));
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let directories = entries.filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir()));
        waiting.extend(directories.map(|it| it.path()));
    }
}

fn size_of(path: &Path) -> u64 {
    let mut waiting = vec![path.to_owned()];
    let mut size = 0;
    while let Some(path) = waiting.pop() {
        let Ok(metadata) = path.symlink_metadata() else {
            continue;
        };
        size += metadata.len();
        if metadata.is_dir() {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            waiting.extend(entries.map(|it| it.path()));
        }
    }
    size
}

fn in_words(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
