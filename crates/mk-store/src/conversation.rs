//! Conversations: opened once per client session, with a root that stays as it was at first use.

use mk_types::{AbsPath, ConversationId, ModeSlug, ProjectId, Timestamp};

use crate::error::{Error, Failure, MissingSubject};
use crate::link::{Link, Row, SqlValue, params};
use crate::model::{AgentSession, Conversation, NewConversation, ProcessIdentity, RootDirectory};
use crate::row::{all, first, optional, parsed, run, signed, unsigned};
use crate::writer::Turn;
use crate::{Store, project};

macro_rules! select_conversation {
    ($rest:literal) => {
        concat!(
            "SELECT c.id, c.client, c.client_session, j.id, c.root, c.root_device, c.root_inode,
                    c.directory, c.mode, p.id, c.process, c.process_started, c.created_at,
                    c.last_active, c.ended_at, c.told
             FROM conversation c JOIN project j ON j.key = c.project
             LEFT JOIN conversation p ON p.key = c.parent ",
            $rest
        )
    };
}

impl Store {
    pub fn conversation(&self, id: &ConversationId) -> Result<Option<Conversation>, Error> {
        let shared = &self.inner.shared;
        shared.read(|connection| find(connection, id))
    }

    /// The conversation that a client knows by its own session id.
    pub fn conversation_of_client(
        &self,
        client: &AgentSession,
    ) -> Result<Option<Conversation>, Error> {
        let question = ("client", format!("{} {}", client.name, client.session));
        let shared = &self.inner.shared;
        shared.read_recent(question, |connection| of_client(connection, client))
    }

    /// The conversations of these processes that have not ended, oldest first.
    pub fn conversations_of_processes(
        &self,
        processes: &[ProcessIdentity],
    ) -> Result<Vec<Conversation>, Error> {
        let names = processes
            .iter()
            .map(|it| format!("{} {}", it.id, it.started));
        let question = ("processes", names.collect::<Vec<_>>().join(" "));
        let shared = &self.inner.shared;
        shared.read_recent(question, |connection| of_processes(connection, processes))
    }

    /// The conversations of a project that have not ended and were active since then, oldest first.
    pub fn live_conversations(
        &self,
        project: &ProjectId,
        since: Timestamp,
    ) -> Result<Vec<Conversation>, Error> {
        let shared = &self.inner.shared;
        shared.read(|connection| live(connection, project, since))
    }

    /// The conversations of every project that were active since then, the latest first.
    pub fn conversations_since(&self, since: Timestamp) -> Result<Vec<Conversation>, Error> {
        let query = select_conversation!("WHERE c.last_active >= ?1 ORDER BY c.last_active DESC");
        let shared = &self.inner.shared;
        shared.read(|connection| all(connection, query, params![since.as_millis()], read))
    }

    /// When an agent's process that has not ended was last active, if it was since then. A server remembers the answer for
    /// as long as `since` is the same.
    pub fn last_agent_active(&self, since: Timestamp) -> Result<Option<Timestamp>, Error> {
        let query = "SELECT last_active FROM conversation
                     WHERE last_active >= ?1 AND process IS NOT NULL AND ended_at IS NULL
                     ORDER BY last_active DESC LIMIT 1";
        let shared = &self.inner.shared;
        let since = since.as_millis();
        let last: Option<i64> = shared
            .read_recent(("last agent", since.to_string()), |connection| {
                first(connection, query, params![since], |row| row.get(0))
            })?;
        Ok(last.map(Timestamp::from_millis))
    }

    /// The client's conversation, made if this is its first event; then its root and its parent
    /// are fixed. Counts as activity.
    pub async fn open_conversation(&self, new: NewConversation) -> Result<Conversation, Error> {
        self.write(move |turn| open(turn, &new)).await
    }

    /// Puts a conversation into a mode; `None` gives it the project's again.
    pub async fn set_conversation_mode(
        &self,
        id: &ConversationId,
        mode: Option<ModeSlug>,
    ) -> Result<Conversation, Error> {
        let id = id.clone();
        self.write(move |turn| {
            turn.changed(id.as_str());
            let mode = mode.as_ref().map(ModeSlug::as_str);
            let statement = "UPDATE conversation SET mode = ?2 WHERE id = ?1";
            run(turn.connection, statement, params![id.as_str(), mode])?;
            existing(turn.connection, &id)
        })
        .await
    }

    /// Notes the mode whose instructions the model was given.
    pub async fn tell_conversation(
        &self,
        id: &ConversationId,
        mode: &ModeSlug,
    ) -> Result<(), Error> {
        let (id, mode) = (id.clone(), mode.clone());
        self.write(move |turn| {
            turn.changed(id.as_str());
            let statement = "UPDATE conversation SET told = ?2 WHERE id = ?1";
            match run(
                turn.connection,
                statement,
                params![id.as_str(), mode.as_str()],
            )? {
                0 => Err(missing(&id)),
                _ => Ok(()),
            }
        })
        .await
    }

    /// Moves where a conversation's relative paths begin; `None` is its root.
    pub async fn set_conversation_directory(
        &self,
        id: &ConversationId,
        directory: Option<AbsPath>,
    ) -> Result<Conversation, Error> {
        let id = id.clone();
        self.write(move |turn| {
            turn.changed(id.as_str());
            let directory = directory.as_ref().map(AbsPath::as_str);
            let statement = "UPDATE conversation SET directory = ?2 WHERE id = ?1";
            run(turn.connection, statement, params![id.as_str(), directory])?;
            existing(turn.connection, &id)
        })
        .await
    }

    /// Notes that a conversation is in use, or, with `process`, in which process it is now.
    pub async fn touch_conversation(
        &self,
        id: &ConversationId,
        process: Option<ProcessIdentity>,
    ) -> Result<(), Error> {
        let id = id.clone();
        self.write(move |turn| touch(turn, &id, process)).await
    }

    /// Ends a conversation: it is no longer live, and can be opened again by its client.
    pub async fn end_conversation(&self, id: &ConversationId) -> Result<(), Error> {
        let id = id.clone();
        self.write(move |turn| {
            turn.changed(id.as_str());
            let statement = "UPDATE conversation SET ended_at = ?2 WHERE id = ?1";
            let changed = run(
                turn.connection,
                statement,
                params![id.as_str(), turn.now.as_millis()],
            )?;
            match changed {
                0 => Err(missing(&id)),
                _ => Ok(()),
            }
        })
        .await
    }
}

pub(crate) fn find(
    connection: Link<'_>,
    id: &ConversationId,
) -> Result<Option<Conversation>, Failure> {
    let query = select_conversation!("WHERE c.id = ?1");
    first(connection, query, params![id.as_str()], read)
}

fn of_client(connection: Link<'_>, client: &AgentSession) -> Result<Option<Conversation>, Failure> {
    let query = select_conversation!("WHERE c.client = ?1 AND c.client_session = ?2");
    first(
        connection,
        query,
        params![client.name, client.session],
        read,
    )
}

fn of_processes(
    connection: Link<'_>,
    processes: &[ProcessIdentity],
) -> Result<Vec<Conversation>, Failure> {
    if processes.is_empty() {
        return Ok(Vec::new());
    }
    let places: Vec<String> = (1..=processes.len()).map(|it| format!("?{it}")).collect();
    let query = format!(
        concat!(
            select_conversation!("WHERE c.ended_at IS NULL AND c.process IN "),
            "({}) ORDER BY c.key"
        ),
        places.join(", ")
    );
    let ids = processes
        .iter()
        .map(|it| SqlValue::Number(Some(i64::from(it.id))));
    let ids: Vec<SqlValue<'_>> = ids.collect();
    let mut found = all(connection, &query, &ids, read)?;
    // A process id is used again.
    found.retain(|it| {
        it.process
            .is_some_and(|process| processes.contains(&process))
    });
    Ok(found)
}

fn live(
    connection: Link<'_>,
    project: &ProjectId,
    since: Timestamp,
) -> Result<Vec<Conversation>, Failure> {
    let query = select_conversation!(
        "WHERE j.id = ?1 AND c.last_active >= ?2 AND c.ended_at IS NULL ORDER BY c.key"
    );
    all(
        connection,
        query,
        params![project.as_str(), since.as_millis()],
        read,
    )
}

fn open(turn: &Turn<'_>, new: &NewConversation) -> Result<Conversation, Failure> {
    let connection = turn.connection;
    if let Some(found) = of_client(connection, &new.client)? {
        touch(turn, &found.id, new.process)?;
        return existing(connection, &found.id);
    }
    let project = project::key(connection, &new.project)?;
    let parent: Option<i64> = match &new.parent {
        None => None,
        Some(parent) => {
            let query = "SELECT key FROM conversation WHERE id = ?1";
            let key = first(connection, query, params![parent.as_str()], |row| {
                row.get(0)
            })?;
            Some(key.ok_or_else(|| missing(parent))?)
        }
    };
    let id = ConversationId::random();
    turn.changed(&new.client.session);
    run(
        connection,
        "INSERT INTO conversation (id, client, client_session, project, root, root_device,
             root_inode, mode, parent, process, process_started, created_at, last_active)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12)",
        params![
            id.as_str(),
            new.client.name,
            new.client.session,
            project,
            new.root.path.as_str(),
            signed(new.root.device),
            signed(new.root.inode),
            new.mode.as_ref().map(ModeSlug::as_str),
            parent,
            new.process.map(|process| process.id),
            new.process.map(|process| signed(process.started)),
            turn.now.as_millis(),
        ],
    )?;
    existing(connection, &id)
}

fn touch(
    turn: &Turn<'_>,
    id: &ConversationId,
    process: Option<ProcessIdentity>,
) -> Result<(), Failure> {
    turn.changed(id.as_str());
    let changed = run(
        turn.connection,
        "UPDATE conversation SET ended_at = NULL,
             last_active = CASE WHEN last_active < ?2 THEN ?2 ELSE last_active END,
             process = coalesce(?3, process), process_started = coalesce(?4, process_started)
         WHERE id = ?1",
        params![
            id.as_str(),
            turn.now.as_millis(),
            process.map(|process| process.id),
            process.map(|process| signed(process.started)),
        ],
    )?;
    match changed {
        0 => Err(missing(id)),
        _ => Ok(()),
    }
}

fn existing(connection: Link<'_>, id: &ConversationId) -> Result<Conversation, Failure> {
    find(connection, id)?.ok_or_else(|| missing(id))
}

fn missing(id: &ConversationId) -> Failure {
    Error::NotFound(MissingSubject::Conversation(id.clone())).into()
}

fn read(row: &Row<'_>) -> Result<Conversation, Failure> {
    let process: Option<u32> = row.get(10)?;
    let started: Option<i64> = row.get(11)?;
    Ok(Conversation {
        id: parsed(row, 0, ConversationId::parse)?,
        client: AgentSession {
            name: row.get(1)?,
            session: row.get(2)?,
        },
        project: parsed(row, 3, ProjectId::parse)?,
        root: RootDirectory {
            path: parsed(row, 4, project::absolute)?,
            device: unsigned(row.get(5)?),
            inode: unsigned(row.get(6)?),
        },
        directory: optional(row, 7, project::absolute)?,
        mode: optional(row, 8, ModeSlug::parse)?,
        parent: optional(row, 9, ConversationId::parse)?,
        process: process.zip(started).map(|(id, started)| ProcessIdentity {
            id,
            started: unsigned(started),
        }),
        created_at: Timestamp::from_millis(row.get(12)?),
        last_active: Timestamp::from_millis(row.get(13)?),
        ended_at: row.get::<Option<i64>>(14)?.map(Timestamp::from_millis),
        told: optional(row, 15, ModeSlug::parse)?,
    })
}
