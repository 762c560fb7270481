//! From a mode's limits to the wall's rights: trees, temporary directories, environment, network.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use mk_engine::{CommandLimits, FileRight};
use mk_policy::GitReach;
use mk_types::Clock;
use mk_wall::{Background, EditRights, Git, Right, Rights};
use sha2::{Digest as _, Sha256};

use super::journal::{self, JournalHandle};

use crate::build_dirs::{self, BuildDirs};
use crate::cli::gc::{CACHES, GUESTS};
use crate::config::{Config, state_directory};
use crate::env::Env;

/// Where commands may make files of their own.
const OWN_DIRS: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Rights, and the journal that they write to.
#[derive(Debug)]
pub(super) struct PreparedRights {
    pub(super) rights: Rights,
    pub(super) journal: JournalHandle,
}

/// The directories that commands of one project and mode have to themselves.
#[derive(Debug)]
pub(super) struct ExecDirectories {
    /// For temporary files.
    pub(super) scratch: PathBuf,
    /// For caches and what is built.
    pub(super) cache: PathBuf,
}

impl ExecDirectories {
    pub(super) fn of(state: &Path, root: &Path, mode: &str) -> anyhow::Result<Self> {
        let key = key_of(root, mode);
        Ok(Self {
            scratch: scratch(&key)?,
            cache: cache(state, &key)?,
        })
    }
}

pub(super) fn prepare(
    limits: &CommandLimits,
    config: &Config,
    env: &Env,
) -> anyhow::Result<PreparedRights> {
    let table = build_dirs::read()?;
    let mode = limits.mode().map(ToString::to_string).unwrap_or_default();
    let root = limits.root().as_path().canonicalize()?;
    let state = config.folders().state;
    let place = ExecDirectories::of(&state, &root, &limits.fingerprint())?;
    let mut rights = Rights::nothing(&mode, root.clone());
    rights.edit = edit(limits);
    rights.network = build_dirs::network(limits);
    rights.git = git(limits);
    rights.own_dirs = own_dirs();
    rights.background = Background::Keep;
    rights.hidden = hidden(limits, &table, env)?;
    rights.hidden.extend(own_state(&state, &root, env));
    rights.env_drop.clone_from(&table.drop);
    rights.env_set = environment(limits, &table, &place.cache);
    rights
        .env_set
        .insert("TMPDIR".into(), place.scratch.clone().into());
    rights.shown = vec![place.cache.clone()];
    rights.trees = vec![place.scratch, place.cache];
    rights.trees.extend(configured_trees(config, &root)?);
    let sockets = config.wall_sockets.value.iter();
    rights.sockets = sockets.filter_map(|it| it.canonicalize().ok()).collect();
    rights.time_limit = Some(Duration::from_secs(config.wall_time_limit.value));
    rights.records = Some(records(&state)?);
    let (journal, handle) = journal::begin(&state, &root, &table)?;
    rights.journal = Some(journal);
    Ok(PreparedRights {
        rights,
        journal: handle,
    })
}

/// Directories that a person has opened. One that a link leads to is refused: an agent could have made the link.
fn configured_trees(config: &Config, root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut trees = Vec::new();
    for named in &config.wall_trees.value {
        let tree = root.join(named);
        let parent = tree.parent().unwrap_or(root);
        let Ok(real) = parent.canonicalize() else {
            continue;
        };
        let is_link = tree.symlink_metadata().is_ok_and(|it| !it.is_dir());
        let in_repository = tree.iter().any(|name| name == ".git");
        let dots = Path::new(named).iter().any(|name| name == "..");
        if real != parent || is_link || in_repository || dots || root.starts_with(&tree) {
            bail!(
                "`{named}` of wall.trees cannot be opened: name a directory below the project that no link leads to"
            );
        }
        trees.push(tree);
    }
    Ok(trees)
}

fn edit(limits: &CommandLimits) -> EditRights {
    if !limits.edits() {
        return EditRights::Nothing;
    }
    let decider = limits.clone();
    EditRights::Matching {
        label: limits.edit_restriction(),
        decides: Box::new(move |path| match decider.file(path) {
            FileRight::Edit => Right::Edit,
            FileRight::Read => Right::Guest,
            FileRight::Shut => Right::Shut,
        }),
    }
}

fn git(limits: &CommandLimits) -> Git {
    match limits.git() {
        GitReach::Local => Git::Local,
        GitReach::Shut => Git::Shut,
    }
}

/// Tells projects and modes apart in a short name. All modes that hold count: what a command of a narrower mode has
/// left must not be built on by one of a wider mode.
fn key_of(root: &Path, mode: &str) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let mut hash = Sha256::new();
    hash.update(root.as_os_str().as_bytes());
    hash.update([0]);
    hash.update(mode.as_bytes());
    hash.finalize()
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A directory that only this user can reach; somebody else's under the same name is refused.
fn private(path: &Path) -> anyhow::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    match builder.mode(0o700).create(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(error).with_context(|| format!("cannot create `{}`", path.display()));
        }
        _ => {}
    }
    let metadata = path.symlink_metadata()?;
    let is_mine = metadata.uid() == rustix::process::geteuid().as_raw();
    if !metadata.is_dir() || !is_mine || metadata.mode() & 0o077 != 0 {
        bail!("`{}` is not a private directory", path.display());
    }
    Ok(())
}

fn scratch(key: &str) -> anyhow::Result<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let base = PathBuf::from(format!("/tmp/modekeeper-{user}"));
    private(&base)?;
    let scratch = base.join(key);
    private(&scratch)?;
    Ok(scratch.canonicalize()?)
}

fn cache(state: &Path, key: &str) -> anyhow::Result<PathBuf> {
    let cache = state.join(CACHES).join(key);
    let mut builder = std::fs::DirBuilder::new();
    let made = builder.recursive(true).mode(0o700).create(&cache);
    made.with_context(|| format!("cannot create `{}`", cache.display()))?;
    // `gc` removes those that no command has used for long.
    let now = u64::try_from(Clock::System.now().as_millis()).unwrap_or_default();
    let now = std::time::UNIX_EPOCH + Duration::from_millis(now);
    std::fs::File::open(&cache)?.set_modified(now)?;
    Ok(cache.canonicalize()?)
}

pub(super) fn own_dirs() -> Vec<PathBuf> {
    let own = OWN_DIRS
        .iter()
        .filter_map(|path| Path::new(path).canonicalize().ok());
    own.collect()
}

fn hidden(limits: &CommandLimits, table: &BuildDirs, env: &Env) -> anyhow::Result<Vec<PathBuf>> {
    let mut hidden = limits
        .hidden()
        .context("the files that this mode hides cannot all be listed")?;
    hidden.extend(build_dirs::credentials(table, env));
    let root = limits.root().as_path();
    let real = hidden
        .into_iter()
        .filter_map(|path| path.canonicalize().ok());
    // A link may lead up to the project itself, which stays visible.
    Ok(real.filter(|path| !root.starts_with(path)).collect())
}

/// Our own state: tasks and messages of other projects, what was recorded, hashes of tokens.
pub(super) fn own_state(state: &Path, root: &Path, env: &Env) -> Vec<PathBuf> {
    // A server that keeps its state elsewhere hides the user's, too.
    let usual = state_directory(env);
    let found = std::iter::once(state).chain(usual.as_deref());
    let found = found.filter_map(|it| it.canonicalize().ok());
    let hidden = found.flat_map(|state| without_project(&state, root));
    let mut hidden: Vec<PathBuf> = hidden.collect();
    hidden.sort();
    hidden.dedup_by(|inner, outer| inner.starts_with(outer));
    hidden
}

/// A directory of state. A project below it stays visible, so that its neighbours are hidden one by one.
fn without_project(state: &Path, root: &Path) -> Vec<PathBuf> {
    if !root.starts_with(state) {
        return vec![state.to_owned()];
    }
    let entries = std::fs::read_dir(state).into_iter().flatten().flatten();
    let entries = entries.filter(|entry| entry.file_name() != CACHES);
    let real = entries.filter_map(|entry| entry.path().canonicalize().ok());
    real.filter(|path| !root.starts_with(path)).collect()
}

fn environment(
    limits: &CommandLimits,
    table: &BuildDirs,
    cache: &Path,
) -> BTreeMap<OsString, OsString> {
    let mut set = BTreeMap::new();
    let cache = cache.display().to_string();
    for row in &table.redirects {
        let is_open = row
            .instead_of
            .as_ref()
            .is_some_and(|path| limits.file(path) == FileRight::Edit);
        if is_open {
            continue;
        }
        for (name, value) in &row.set {
            set.insert(name.into(), value.replace("{cache}", &cache).into());
        }
    }
    set
}

/// Where guests are written down. What killed commands left is removed first.
fn records(state: &Path) -> anyhow::Result<PathBuf> {
    let records = state.join(GUESTS);
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(&records)?;
    mk_wall::sweep(&records);
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is hidden of a state in `a/state` and the user's own in `b/modekeeper`, for a project.
    #[track_caller]
    fn check(directories: &[&str], root: &str, expected: &[&str]) {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        for directory in directories {
            std::fs::create_dir_all(base.join(directory)).unwrap();
        }
        let env = Env {
            xdg_state_home: Some(base.join("b")),
            ..Env::default()
        };
        let hidden = own_state(&base.join("a/state"), &base.join(root), &env);
        let expected: Vec<_> = expected.iter().map(|it| base.join(it)).collect();
        assert_eq!(hidden, expected, "{directories:?} {root}");
    }

    #[test]
    fn both_states_are_hidden_wherever_the_project_is() {
        let both = ["a/state/x", "b/modekeeper/y"];
        check(&both, "project", &["a/state", "b/modekeeper"]);
        // The user's own is below the project.
        check(&both, "b", &["a/state", "b/modekeeper"]);
        check(&both, "a", &["a/state", "b/modekeeper"]);
        // The configured one was not made yet.
        check(&both[1..], "project", &["b/modekeeper"]);
        // A project in a state leaves its neighbours hidden.
        check(
            &["a/state/x", "b/modekeeper/y", "b/modekeeper/p"],
            "b/modekeeper/p",
            &["a/state", "b/modekeeper/y"],
        );
        check(
            &["a/state/x", "a/state/p", "b/modekeeper"],
            "a/state/p",
            &["a/state/x", "b/modekeeper"],
        );
    }
}
