//! The modes that persons have set for projects, once more as small files outside of the database's directory.
//!
//! A database that was lost is made again by whichever program comes next, and one that was put back from a copy knows
//! only what was set before. So each is compared with these files when it is opened, and a person's latest act counts.
//! A file says what a person did and when, and is written under the lock of the database that does it, so that the order
//! of the files is the order of the acts. What was set for single conversations is not in them.

use std::fs::{self, File, Metadata};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, UNIX_EPOCH};

use mk_types::{AbsPath, ModeSlug, Timestamp};
use rusqlite::{Connection, TransactionBehavior};
use sha2::{Digest as _, Sha256};

use crate::StoreLocation;
use crate::error::{Error, Failure, MarkContent};
use crate::link::{Link, params};
use crate::model::{ModeReach, NewProjectMode};
use crate::open::{private_file, private_folders};
use crate::project_mode::{act_time_of, set, unset};
use crate::row::{first, run};
use crate::writer::Turn;

/// A directory that changed less than this ago may change again without another time of change: file systems count in
/// steps, the longest of two seconds.
const SETTLED: Duration = Duration::from_secs(3);
/// A file that a process has not finished for so long is a killed one's.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The directory of the files, where there is one.
#[derive(Debug, Default)]
pub(crate) struct ProjectMarks(OnceLock<PathBuf>);

/// What a person has done with the mode of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkedAct {
    pub(crate) root: AbsPath,
    /// Where else its tasks work.
    pub(crate) worktrees: Vec<AbsPath>,
    /// `None` if it was taken back.
    pub(crate) mode: Option<ModeSlug>,
    pub(crate) switching: Option<String>,
    pub(crate) at: Timestamp,
    /// Files of the first version do not say it.
    pub(crate) reach: Option<ModeReach>,
}

/// What is in the directory.
#[derive(Debug, Default)]
struct FoundMarks {
    /// In the order in which they happened.
    acts: Vec<MarkedAct>,
    unreadable: Vec<(PathBuf, Option<Arc<io::Error>>)>,
}

/// What the modes of a project may do, and since when that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkedRights {
    pub(crate) at: Timestamp,
    pub(crate) text: String,
}

impl MarkedRights {
    fn parse(text: &str) -> Option<Self> {
        let (at, text) = text.split_once('\n')?;
        Some(Self {
            at: Timestamp::from_millis(at.parse().ok()?),
            text: text.to_owned(),
        })
    }
}

impl ProjectMarks {
    /// Says where they are, before the first use of the store.
    pub(crate) fn set_directory(&self, directory: PathBuf) {
        // The first word counts.
        let _set = self.0.set(directory);
    }

    /// Keeps what a person has done, before the database has it for good: who opens that in between waits for the writer
    /// and finds both. A failure is only told.
    pub(crate) fn keep(&self, act: &MarkedAct) {
        let Some(directory) = self.0.get() else {
            return;
        };
        let name = file_name(act.root.as_str());
        // What reached every conversation and task is still to be done where the database is older than that.
        let mut acts = match act.reach {
            Some(ModeReach::AllActiveSince(_)) if act.mode.is_some() => Vec::new(),
            _ => read_acts(&directory.join(&name)).unwrap_or_default(),
        };
        acts.retain(MarkedAct::reaches_all);
        acts.push(act.clone());
        let texts: Vec<String> = acts.iter().map(MarkedAct::to_text).collect();
        if let Err(error) = write(directory, &name, &texts.join(BETWEEN_ACTS)) {
            let directory = directory.display();
            tracing::warn!(
                "the mode of {} cannot be kept in {directory}, and would be lost with the database: {error}",
                act.root
            );
        }
    }

    /// Keeps what the modes of a project may do, unless it is kept already.
    pub(crate) fn keep_rights(&self, root: &AbsPath, text: &str, now: Timestamp) {
        let Some(directory) = self.0.get() else {
            return;
        };
        if matches!(self.rights(root), Ok(Some(kept)) if kept.text == text) {
            return;
        }
        let name = rights_name(root);
        let kept = format!("{}\n{text}", now.as_millis());
        if let Err(error) = write(directory, &name, &kept) {
            let directory = directory.display();
            tracing::warn!(
                "what the modes of {root} may do cannot be kept in {directory}, and would be lost with the database: {error}"
            );
        }
    }

    /// What the modes of a project were allowed to do when it was last kept.
    pub(crate) fn rights(&self, root: &AbsPath) -> Result<Option<MarkedRights>, Error> {
        let Some(directory) = self.0.get() else {
            return Ok(None);
        };
        let path = directory.join(rights_name(root));
        let read = match fs::read_to_string(&path) {
            Ok(text) => MarkedRights::parse(&text).ok_or(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => Err(Some(error.into())),
        };
        let content = MarkContent::Rights;
        read.map(Some).map_err(|source| Error::Marks {
            path,
            content,
            source,
        })
    }

    /// Brings a database up to what persons have done since it was written: all of it, if it was just made. Refuses a
    /// database that lacks the mode of an unreadable mark. Gives what to [`remember`], if everything was compared.
    pub(crate) fn bring_into(
        &self,
        connection: &mut Connection,
        location: &StoreLocation,
    ) -> Result<Option<String>, Failure> {
        let Some(directory) = self.0.get() else {
            return Ok(None);
        };
        // Asked first: what changes from now on is seen by the next who opens.
        let metadata = match fs::metadata(directory) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(directory, Some(error.into()))),
        };
        let state = state_of(&metadata);
        let query = "SELECT state FROM marks_seen";
        let seen: Option<String> =
            first(Link::Sqlite(connection), query, params![], |row| row.get(0))?;
        if state.is_some() && seen == state {
            return Ok(None);
        }
        let found = FoundMarks::in_directory(directory, connection)?;
        for act in &found.acts {
            if act.is_later(connection)? {
                apply(directory, connection, location)?;
                break;
            }
        }
        let is_whole = found.unreadable.is_empty() && is_older(&metadata, SETTLED);
        Ok(state.filter(|_| is_whole))
    }
}

/// Does once more in the database what it lacks. The files are read again: those who write them have this lock.
fn apply(
    directory: &Path,
    connection: &mut Connection,
    location: &StoreLocation,
) -> Result<(), Failure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for act in FoundMarks::in_directory(directory, &transaction)?.acts {
        if act.is_later(&transaction)? {
            act.put_into(&Turn::at(location, Link::Sqlite(&transaction), act.at))?;
        }
    }
    transaction.commit()?;
    Ok(())
}

/// Notes that a database was compared with the directory in this state, so that opening it need not read every file.
/// Without waiting for others that write: the next who opens can note it as well.
pub(crate) fn remember(connection: &Connection, state: &str) {
    let statement = "INSERT INTO marks_seen (key, state) VALUES (1, ?1)
                     ON CONFLICT (key) DO UPDATE SET state = excluded.state";
    let noted = connection.busy_timeout(Duration::ZERO);
    if let Err(error) = noted.and_then(|()| connection.execute(statement, [state])) {
        tracing::debug!(%error, "could not note which marks were compared");
    }
}

/// Changes whenever a file is put in place. `None` where that cannot be told.
fn state_of(metadata: &Metadata) -> Option<String> {
    #[cfg(unix)]
    let identity = {
        use std::os::unix::fs::MetadataExt as _;
        (metadata.dev(), metadata.ino())
    };
    #[cfg(not(unix))]
    let identity = (0, 0);
    let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!(
        "{} {} {}",
        identity.0,
        identity.1,
        changed.as_nanos()
    ))
}

/// Whether it was last changed longer ago.
fn is_older(metadata: &Metadata, age: Duration) -> bool {
    let changed = metadata.modified().ok();
    let elapsed = changed.and_then(|it| it.elapsed().ok());
    elapsed.is_some_and(|elapsed| elapsed > age)
}

fn unreadable(path: &Path, source: Option<Arc<io::Error>>) -> Failure {
    let path = path.to_path_buf();
    let content = MarkContent::Mode;
    Failure::Refused(Error::Marks {
        path,
        content,
        source,
    })
}

impl FoundMarks {
    /// Refuses if a file that cannot be read is about a project that the database has no mode of. Files that are not
    /// ours are left alone.
    fn in_directory(directory: &Path, connection: &Connection) -> Result<Self, Failure> {
        let failed = |error: io::Error| unreadable(directory, Some(error.into()));
        let mut found = Self::default();
        for entry in fs::read_dir(directory).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if is_unfinished(name) {
                let metadata = entry.metadata();
                if metadata.is_ok_and(|it| is_older(&it, ABANDONED)) {
                    drop(fs::remove_file(entry.path()));
                }
            }
            if !is_hash(name) {
                continue;
            }
            match read_acts(&entry.path()) {
                Ok(acts) => found.acts.extend(acts),
                Err(source) => found.unreadable.push((entry.path(), source)),
            }
        }
        found.acts.sort_by_key(|act| act.at);
        found.refuse_unknown(connection)?;
        Ok(found)
    }

    fn refuse_unknown(&self, connection: &Connection) -> Result<(), Failure> {
        if self.unreadable.is_empty() {
            return Ok(());
        }
        let mut query = connection.prepare("SELECT root FROM project WHERE mode IS NOT NULL")?;
        let known = query.query_map([], |row| Ok(file_name(&row.get::<_, String>(0)?)))?;
        let known: Vec<String> = known.collect::<Result<_, _>>()?;
        let is_known = |path: &Path| {
            let name = path.file_name().and_then(|it| it.to_str());
            name.is_some_and(|name| known.iter().any(|it| it == name))
        };
        let mut unknown = self.unreadable.iter().filter(|(path, _)| !is_known(path));
        match unknown.next() {
            Some((path, source)) => Err(unreadable(path, source.clone())),
            None => Ok(()),
        }
    }
}

/// No path has two of these in a row: one is between the paths of an act.
const BETWEEN_ACTS: &str = "\0\0";
const BETWEEN_PATHS: &str = "\0";

impl MarkedAct {
    /// A path may have any other character, so paths come last.
    fn to_text(&self) -> String {
        let mode = self.mode.as_ref().map_or("", ModeSlug::as_str);
        let switching = self.switching.as_deref().unwrap_or_default();
        let reach = match self.reach() {
            ModeReach::NewConversations => "new".to_owned(),
            ModeReach::AllActiveSince(since) => format!("all {}", since.as_millis()),
        };
        let paths: Vec<&str> = [&self.root]
            .into_iter()
            .chain(&self.worktrees)
            .map(AbsPath::as_str)
            .collect();
        let paths = paths.join(BETWEEN_PATHS);
        let at = self.at.as_millis();
        format!("{mode}\n{switching}\n{at}\n{reach}\n{paths}")
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.splitn(4, '\n');
        let (mode, switching, at) = (lines.next()?, lines.next()?, lines.next()?);
        let rest = lines.next()?;
        // The first version had the root here, which is absolute.
        let (reach, paths) = match rest.split_once('\n') {
            Some(("new", paths)) => (Some(ModeReach::NewConversations), paths),
            Some((reach, paths)) if reach.starts_with("all ") => {
                let since = reach.strip_prefix("all ")?.parse().ok()?;
                let since = Timestamp::from_millis(since);
                (Some(ModeReach::AllActiveSince(since)), paths)
            }
            _ => (None, rest),
        };
        let paths = paths.split(BETWEEN_PATHS);
        let mut paths = paths.map(|it| AbsPath::new(Path::new(it)));
        let root = paths.next()??;
        let mode = match mode {
            "" if reach.is_some() => None,
            mode => Some(ModeSlug::parse(mode).ok()?),
        };
        Some(Self {
            root,
            worktrees: paths.collect::<Option<_>>()?,
            mode,
            switching: Some(switching.to_owned()).filter(|it| !it.is_empty()),
            at: Timestamp::from_millis(at.parse().ok()?),
            reach,
        })
    }

    /// Where the file does not say it, all of them: no conversation and no task may stay in a wider mode.
    fn reach(&self) -> ModeReach {
        self.reach.unwrap_or(ModeReach::AllActiveSince(self.at))
    }

    fn reaches_all(&self) -> bool {
        self.mode.is_some() && matches!(self.reach(), ModeReach::AllActiveSince(_))
    }

    /// Whether the person did this after what the database knows of the project.
    fn is_later(&self, connection: &Connection) -> Result<bool, Failure> {
        let connection = Link::Sqlite(connection);
        let Some(known) = act_time_of(connection, &self.root)? else {
            return Ok(self.mode.is_some());
        };
        if known.is_some_and(|known| known >= self.at) {
            return Ok(false);
        }
        if self.reach.is_some() {
            return Ok(true);
        }
        // The first version noted the time after the database had it: the same act looks later.
        let query = "SELECT mode, switching FROM project WHERE root = ?1";
        let mode = self.mode.as_ref().map(ModeSlug::as_str);
        let is_same = first(connection, query, params![self.root.as_str()], |row| {
            Ok(row.text(0)? == mode && row.text(1)? == self.switching.as_deref())
        })?;
        Ok(is_same != Some(true))
    }

    fn put_into(&self, turn: &Turn<'_>) -> Result<(), Failure> {
        let Some(mode) = &self.mode else {
            return unset(turn, &self.root).map(drop);
        };
        set(
            turn,
            &NewProjectMode {
                root: self.root.clone(),
                worktrees: self.worktrees.clone(),
                mode: mode.clone(),
                reach: self.reach(),
                switching: self.switching.clone(),
                reason: "set for the project by a person".to_owned(),
            },
        )?;
        // That of the database is an earlier one.
        let statement = "UPDATE project SET switching = coalesce(?2, switching) WHERE root = ?1";
        run(
            turn.connection,
            statement,
            params![self.root.as_str(), self.switching],
        )?;
        Ok(())
    }
}

/// What a file says; `Err` with the cause, if there is one, where it cannot be told.
fn read_acts(path: &Path) -> Result<Vec<MarkedAct>, Option<Arc<io::Error>>> {
    let text = fs::read_to_string(path).map_err(|error| Some(error.into()))?;
    let acts = text.split(BETWEEN_ACTS).map(MarkedAct::parse);
    let acts: Vec<MarkedAct> = acts.collect::<Option<_>>().ok_or(None)?;
    let name = path.file_name().and_then(|it| it.to_str());
    let is_own = |act: &MarkedAct| name == Some(&file_name(act.root.as_str()));
    if acts.iter().all(is_own) {
        Ok(acts)
    } else {
        Err(None)
    }
}

/// Of two processes that write at once, one wins, and no reader sees half a file.
fn write(directory: &Path, name: &str, text: &str) -> io::Result<()> {
    private_folders().create(directory)?;
    let unfinished = directory.join(format!("{name}.{}", std::process::id()));
    // What a killed process of this number has left.
    drop(fs::remove_file(&unfinished));
    let mut file = private_file().open(&unfinished)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&unfinished, directory.join(name))?;
    // The name must survive power loss, too; file systems without this are no worse off.
    drop(File::open(directory).and_then(|it| it.sync_all()));
    Ok(())
}

/// Programs of older versions leave a name with a dot alone.
fn rights_name(root: &AbsPath) -> String {
    format!("{}.modes", file_name(root.as_str()))
}

/// One name for one project, whatever its path is made of.
fn file_name(root: &str) -> String {
    let hash = Sha256::digest(root.as_bytes());
    hash.iter().take(16).map(|it| format!("{it:02x}")).collect()
}

fn is_hash(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|it| it.is_ascii_hexdigit())
}

/// Whether this is what [`write`] begins with.
fn is_unfinished(name: &str) -> bool {
    let Some((name, process)) = name.rsplit_once('.') else {
        return false;
    };
    let name = name.strip_suffix(".modes").unwrap_or(name);
    is_hash(name) && process.bytes().all(|it| it.is_ascii_digit())
}
