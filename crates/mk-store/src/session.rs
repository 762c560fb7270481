//! Queries and changes of sessions, their messages and their mode history.
//!
//! Every function runs inside whatever transaction its caller has; none begins one. Credentials in what agents write
//! are taken out: the database is copied and shown.

use mk_types::{ConversationId, SessionId, TaskId, Timestamp, without_secrets};

use crate::error::{Error, Failure, MissingSubject};
use crate::link::{Link, params};
use crate::model::{
    ModeSwitch, NewSession, Role, Session, SessionFilter, StoredMessage, StoredModeChange,
    TaskState,
};
use crate::project_mode::apply_grounds;
use crate::row::{self, all, first, run, select_session};
use crate::writer::Turn;

pub(crate) fn find(connection: Link<'_>, id: &SessionId) -> Result<Option<Session>, Failure> {
    let query = select_session!("WHERE s.id = ?1");
    first(connection, query, params![id.as_str()], row::session)
}

pub(crate) fn id_of_task(
    connection: Link<'_>,
    task: &TaskId,
) -> Result<Option<SessionId>, Failure> {
    let query = "SELECT id FROM session WHERE task = ?1";
    first(connection, query, params![task.as_str()], row::session_id)
}

pub(crate) fn is_tombstone(connection: Link<'_>, id: &SessionId) -> Result<bool, Failure> {
    let query = "SELECT 1 FROM tombstone WHERE id = ?1";
    Ok(first(connection, query, params![id.as_str()], |_| Ok(()))?.is_some())
}

pub(crate) fn is_tombstone_of_task(connection: Link<'_>, task: &TaskId) -> Result<bool, Failure> {
    let query = "SELECT 1 FROM tombstone WHERE task = ?1";
    Ok(first(connection, query, params![task.as_str()], |_| Ok(()))?.is_some())
}

pub(crate) fn children(connection: Link<'_>, task: &TaskId) -> Result<Vec<TaskId>, Failure> {
    let query = "SELECT c.task FROM session s JOIN session c ON c.parent = s.key
                 WHERE s.task = ?1 ORDER BY c.key";
    all(connection, query, params![task.as_str()], row::task)
}

pub(crate) fn messages(
    connection: Link<'_>,
    id: &SessionId,
) -> Result<Vec<StoredMessage>, Failure> {
    let query = "SELECT m.role, m.content, m.at FROM session s JOIN message m ON m.session = s.key
                 WHERE s.id = ?1 ORDER BY m.key";
    all(connection, query, params![id.as_str()], row::message)
}

pub(crate) fn title(connection: Link<'_>, id: &SessionId) -> Result<Option<String>, Failure> {
    let query = "SELECT substr(m.content, 1, 200)
                 FROM session s JOIN message m ON m.session = s.key
                 WHERE s.id = ?1 ORDER BY m.key LIMIT 1";
    let text: Option<String> = first(connection, query, params![id.as_str()], |row| row.get(0))?;
    Ok(text.and_then(|text| text.lines().next().map(str::to_owned)))
}

pub(crate) fn mode_changes(
    connection: Link<'_>,
    id: &SessionId,
) -> Result<Vec<StoredModeChange>, Failure> {
    let query = "SELECT c.from_mode, c.to_mode, c.reason, c.at
                 FROM session s JOIN mode_change c ON c.session = s.key
                 WHERE s.id = ?1 ORDER BY c.key";
    all(connection, query, params![id.as_str()], row::mode_change)
}

/// Newest first.
pub(crate) fn list(connection: Link<'_>, filter: &SessionFilter) -> Result<Vec<Session>, Failure> {
    let query = select_session!(
        "WHERE (?1 IS NULL OR s.state = ?1) AND (?2 IS NULL OR s.project = ?2)
             AND (?4 IS NULL OR s.conversation = ?4)
         ORDER BY s.key DESC LIMIT ?3"
    );
    all(
        connection,
        query,
        params![
            filter.state.map(TaskState::as_str),
            filter.project,
            row::limit(filter.limit),
            filter.conversation.as_ref().map(ConversationId::as_str),
        ],
        row::session,
    )
}

/// Inserts a session with its first message and its first mode.
pub(crate) fn create(turn: &Turn<'_>, new: &NewSession) -> Result<Session, Failure> {
    let connection = turn.connection;
    let now = turn.now.as_millis();
    apply_grounds(turn, &new.grounds)?;
    let parent = new
        .parent
        .as_ref()
        .map(|parent| active_parent(connection, parent))
        .transpose()?;
    let id = SessionId::random();
    let key: Option<i64> = first(
        connection,
        "INSERT INTO session
             (id, task, parent, mode, state, project, conversation, created_at, last_activity)
         VALUES (?1, ?2, ?3, ?4, 'active', ?5, ?6, ?7, ?7) RETURNING key",
        params![
            id.as_str(),
            TaskId::random().as_str(),
            parent,
            new.mode.as_str(),
            new.project,
            new.conversation.as_ref().map(ConversationId::as_str),
            now
        ],
        |row| row.get(0),
    )?;
    let key = key.ok_or_else(|| missing(connection, &id))?;
    if let Some(message) = &new.message {
        insert_message(turn, key, Role::User, message)?;
    }
    run(
        connection,
        "INSERT INTO mode_change (session, to_mode, at) VALUES (?1, ?2, ?3)",
        params![key, new.mode.as_str(), now],
    )?;
    done(turn, &id)
}

/// Changes the mode if nobody else did meanwhile.
pub(crate) fn switch(turn: &Turn<'_>, change: &ModeSwitch) -> Result<Session, Failure> {
    let connection = turn.connection;
    let key = active(connection, &change.session)?;
    apply_grounds(turn, &change.grounds)?;
    let changed = run(
        connection,
        "UPDATE session SET mode = ?3 WHERE key = ?1 AND mode = ?2",
        params![key, change.from.as_str(), change.to.as_str()],
    )?;
    if changed == 0 {
        let query = "SELECT mode FROM session WHERE key = ?1";
        let actual = first(connection, query, params![key], |row| row::mode(row, 0))?;
        let actual = actual.ok_or_else(|| missing(connection, &change.session))?;
        return Err(Failure::Refused(Error::Conflict {
            session: change.session.clone(),
            expected: change.from.clone(),
            actual,
        }));
    }
    run(
        connection,
        "INSERT INTO mode_change (session, from_mode, to_mode, reason, at)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            key,
            change.from.as_str(),
            change.to.as_str(),
            change.reason.as_deref().map(without_secrets).as_deref(),
            turn.now.as_millis()
        ],
    )?;
    done(turn, &change.session)
}

/// Ends a task, once.
pub(crate) fn finish(
    turn: &Turn<'_>,
    id: &SessionId,
    state: TaskState,
    result: Option<&str>,
) -> Result<Session, Failure> {
    if state == TaskState::Active {
        return Err(Failure::Refused(Error::NotAnEnd { state }));
    }
    let key = active(turn.connection, id)?;
    let result = result.map(without_secrets);
    run(
        turn.connection,
        "UPDATE session SET state = ?2, result = ?3, finished_at = ?4 WHERE key = ?1",
        params![key, state.as_str(), result.as_deref(), turn.now.as_millis()],
    )?;
    done(turn, id)
}

/// Adds to the conversation of an active task.
pub(crate) fn add_message(
    turn: &Turn<'_>,
    id: &SessionId,
    role: Role,
    content: &str,
) -> Result<(), Failure> {
    let key = active(turn.connection, id)?;
    insert_message(turn, key, role, content)?;
    mark_active(turn.connection, id, turn.now)
}

/// Activity at `at`, for the session and for all above it: who waits for a child is not idle.
pub(crate) fn mark_active(
    connection: Link<'_>,
    id: &SessionId,
    at: Timestamp,
) -> Result<(), Failure> {
    run(
        connection,
        "WITH RECURSIVE line (key, parent) AS (
             SELECT key, parent FROM session WHERE id = ?1
             UNION
             SELECT s.key, s.parent FROM line JOIN session s ON s.key = line.parent
         )
         UPDATE session SET last_activity = ?2
         WHERE key IN (SELECT key FROM line) AND last_activity < ?2",
        params![id.as_str(), at.as_millis()],
    )?;
    Ok(())
}

/// Why there is no such session: it never was, or it expired.
pub(crate) fn missing(connection: Link<'_>, id: &SessionId) -> Failure {
    let subject = MissingSubject::Session(id.clone());
    match is_tombstone(connection, id) {
        Ok(true) => Error::Expired(subject).into(),
        Ok(false) => Error::NotFound(subject).into(),
        Err(failure) => failure,
    }
}

/// The key of a session whose task can still change.
fn active(connection: Link<'_>, id: &SessionId) -> Result<i64, Failure> {
    let query = "SELECT key, state, expired_at IS NULL FROM session WHERE id = ?1";
    let found = first(connection, query, params![id.as_str()], |row| {
        Ok((row.get(0)?, row::state(row, 1)?, row.get(2)?))
    })?;
    match found {
        Some((key, TaskState::Active, true)) => Ok(key),
        Some((_, TaskState::Active, false)) => {
            Err(Error::Expired(MissingSubject::Session(id.clone())).into())
        }
        Some((_, state, _)) => Err(Failure::Refused(Error::Finished {
            session: id.clone(),
            state,
        })),
        None => Err(missing(connection, id)),
    }
}

fn active_parent(connection: Link<'_>, parent: &TaskId) -> Result<i64, Failure> {
    let query = "SELECT key, state, expired_at IS NULL FROM session WHERE task = ?1";
    let found = first(connection, query, params![parent.as_str()], |row| {
        Ok((row.get(0)?, row::state(row, 1)?, row.get(2)?))
    })?;
    match found {
        Some((key, TaskState::Active, true)) => Ok(key),
        Some((_, TaskState::Active, false)) => {
            Err(Error::Expired(MissingSubject::Task(parent.clone())).into())
        }
        Some((_, state, _)) => Err(Failure::Refused(Error::ParentFinished {
            parent: parent.clone(),
            state,
        })),
        None => {
            let subject = MissingSubject::Task(parent.clone());
            Err(match is_tombstone_of_task(connection, parent)? {
                true => Error::Expired(subject).into(),
                false => Error::NotFound(subject).into(),
            })
        }
    }
}

fn insert_message(turn: &Turn<'_>, key: i64, role: Role, content: &str) -> Result<(), Failure> {
    run(
        turn.connection,
        "INSERT INTO message (session, role, content, at) VALUES (?1, ?2, ?3, ?4)",
        params![
            key,
            role.as_str(),
            without_secrets(content).as_ref(),
            turn.now.as_millis()
        ],
    )?;
    Ok(())
}

/// The session after a change, which counts as activity.
fn done(turn: &Turn<'_>, id: &SessionId) -> Result<Session, Failure> {
    turn.changed(id.as_str());
    mark_active(turn.connection, id, turn.now)?;
    find(turn.connection, id)?.ok_or_else(|| missing(turn.connection, id))
}
