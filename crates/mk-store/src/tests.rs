//! Tests of the store, each on a file and in memory where both can show it.

mod approval;
mod command;
mod commit;
mod conversation;
mod credential;
mod decision;
mod lifecycle;
mod mark;
mod open;
mod project_mode;
mod recent;
mod replaced;
mod seal;
mod sweep;
mod touch;

use std::fs;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use mk_types::{AbsPath, Clock, ModeSlug, SessionId, TaskId, Timestamp};

use crate::{
    AgentSession, Conversation, Error, ModeGrounds, ModeReach, ModeSwitch, NewConversation,
    NewProjectMode, NewSession, PostgresUrl, Project, RootDirectory, Session, SetProjectMode,
    Store, StoreLocation, TaskState,
};

pub(super) const HOUR: Duration = Duration::from_secs(3600);
pub(super) const SECOND: Duration = Duration::from_secs(1);

/// A store with a clock that stands still, in a folder of its own.
pub(super) struct Fixture {
    pub(super) store: Store,
    pub(super) clock: Clock,
    location: StoreLocation,
    folder: tempfile::TempDir,
}

impl Fixture {
    pub(super) fn in_file() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = StoreLocation::File(folder.path().join("state/modekeeper.db"));
        Self::at(folder, location)
    }

    pub(super) fn in_memory() -> Self {
        Self::at(tempfile::tempdir().unwrap(), StoreLocation::Memory)
    }

    /// One of each kind: most tests hold for all. PostgreSQL is one where the tests run with it.
    pub(super) fn each() -> Vec<Self> {
        let mut each = Vec::from(Self::embedded());
        each.extend(Self::in_postgres());
        each
    }

    /// For what only SQLite has: pages, copies, and a clock of its own to compare with.
    pub(super) fn embedded() -> [Self; 3] {
        [Self::in_file(), Self::in_memory(), Self::for_a_moment()]
    }

    /// As a command has it: one connection for everything.
    fn for_a_moment() -> Self {
        let fixture = Self::in_file();
        let store = Store::for_a_moment(fixture.location.clone(), fixture.clock.clone());
        Self { store, ..fixture }
    }

    pub(super) fn in_postgres() -> Option<Self> {
        let url = PostgresUrl::parse(&mk_testkit::database::schema()?).unwrap();
        let location = StoreLocation::Postgres(Box::new(url));
        Some(Self::at(tempfile::tempdir().unwrap(), location))
    }

    fn at(folder: tempfile::TempDir, location: StoreLocation) -> Self {
        let clock = Clock::manual(Timestamp::from_millis(1_800_000_000_000));
        Self {
            store: Store::new(location.clone(), clock.clone()),
            clock,
            location,
            folder,
        }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("state/modekeeper.db")
    }

    /// Another store on the same file, as another process would have it.
    pub(super) fn neighbour(&self) -> Store {
        Store::new(self.location.clone(), self.clock.clone())
    }

    /// A new session in mode `code`, below `parent` if there is one.
    #[track_caller]
    pub(super) fn session(&self, parent: Option<&Session>) -> Session {
        block_on(self.store.create(new_session(parent))).unwrap()
    }

    /// The project at `/project`.
    #[track_caller]
    pub(super) fn project(&self) -> Project {
        block_on(self.store.open_project(&path("/project"))).unwrap()
    }

    /// The conversation that the client `agent` calls `session`.
    #[track_caller]
    pub(super) fn conversation(&self, session: &str) -> Conversation {
        let new = new_conversation(&self.project(), session);
        block_on(self.store.open_conversation(new)).unwrap()
    }

    /// A mode that a person sets for a project.
    #[track_caller]
    pub(super) fn set_mode(&self, root: &str, mode: &str, reach: ModeReach) -> SetProjectMode {
        block_on(self.store.set_project_mode(new_mode(root, mode, reach))).unwrap()
    }

    /// The session as the store has it now.
    #[track_caller]
    pub(super) fn now(&self, session: &Session) -> Session {
        self.store.session(&session.id).unwrap().unwrap()
    }

    #[track_caller]
    pub(super) fn finish(&self, session: &Session, state: TaskState) -> Result<Session, Error> {
        block_on(self.store.finish(&session.id, state, None))
    }
}

pub(super) fn new_session(parent: Option<&Session>) -> NewSession {
    NewSession {
        mode: slug("code"),
        parent: parent.map(|parent| parent.task.clone()),
        project: "/project".to_owned(),
        conversation: None,
        message: Some("hello".to_owned()),
        grounds: ModeGrounds::default(),
    }
}

pub(super) fn new_conversation(project: &Project, session: &str) -> NewConversation {
    NewConversation {
        client: AgentSession {
            name: "agent".to_owned(),
            session: session.to_owned(),
        },
        project: project.id.clone(),
        root: RootDirectory {
            path: path("/project"),
            device: 7,
            inode: u64::MAX,
        },
        mode: None,
        parent: None,
        process: None,
    }
}

pub(super) fn new_mode(root: &str, mode: &str, reach: ModeReach) -> NewProjectMode {
    NewProjectMode {
        root: path(root),
        worktrees: Vec::new(),
        mode: slug(mode),
        reach,
        switching: None,
        reason: "set by a person".to_owned(),
    }
}

pub(super) fn path(text: &str) -> AbsPath {
    AbsPath::new(std::path::Path::new(text)).unwrap()
}

pub(super) fn switch(session: &SessionId, from: &str, to: &str) -> ModeSwitch {
    ModeSwitch {
        session: session.clone(),
        from: slug(from),
        to: slug(to),
        reason: Some(format!("{from} to {to}")),
        grounds: ModeGrounds::default(),
    }
}

pub(super) fn slug(text: &str) -> ModeSlug {
    ModeSlug::parse(text).unwrap()
}

/// The error's words, with ids and folders taken out.
pub(super) fn words<T: std::fmt::Debug>(outcome: Result<T, Error>) -> String {
    let text = outcome.unwrap_err().to_string();
    text.split('`')
        .enumerate()
        .map(|(index, part)| match index % 2 {
            0 => part.to_owned(),
            _ if SessionId::parse(part).is_ok() || TaskId::parse(part).is_ok() => "`ID`".to_owned(),
            _ if part.starts_with("appr_") => "`ID`".to_owned(),
            _ if part.contains('/') => {
                format!("`…{}`", part.rsplit('/').next().unwrap_or_default())
            }
            _ => format!("`{part}`"),
        })
        .collect()
}

/// Puts text where a database should be.
pub(super) fn put(path: &std::path::Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = fs::File::create(path).unwrap();
    std::io::Write::write_all(&mut file, bytes).unwrap();
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Proves in passing that no runtime is needed.
pub(super) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        std::thread::park();
    }
}

/// All of `futures` at once, in their order.
pub(super) fn block_on_all<'a, T>(
    futures: impl IntoIterator<Item = impl Future<Output = T> + 'a>,
) -> Vec<T> {
    let mut running: Vec<Pin<Box<dyn Future<Output = T> + 'a>>> = Vec::new();
    for future in futures {
        running.push(Box::pin(future));
    }
    let mut done: Vec<Option<T>> = running.iter().map(|_| None).collect();
    block_on(std::future::poll_fn(|context| {
        for (future, value) in running.iter_mut().zip(&mut done) {
            if value.is_none()
                && let Poll::Ready(ready) = future.as_mut().poll(context)
            {
                *value = Some(ready);
            }
        }
        if done.iter().all(Option::is_some) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }));
    done.into_iter().flatten().collect()
}
