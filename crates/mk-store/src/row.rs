//! From rows to values: every column is checked, because another program may have written it.

use std::time::Duration;

use mk_types::{ApprovalId, ConversationId, ModeSlug, SessionId, TaskId, Timestamp};
use rusqlite::types::Type;

use crate::error::Failure;
use crate::link::{Link, Row, SqlValue};
use crate::model::{
    Approval, ApprovalState, Role, Session, StoredMessage, StoredModeChange, StoredPlan, TaskState,
};

/// How long a question waits, and how long its answer then waits to be used.
pub(crate) const APPROVAL_LIFE: Duration = Duration::from_secs(600);

/// The columns that [`session`] reads; `s` is the session, `p` its parent.
macro_rules! select_session {
    ($rest:literal) => {
        concat!(
            "SELECT s.id, s.task, s.mode, s.state, p.task, s.project, s.created_at,
                    s.last_activity, s.finished_at, s.result, s.conversation,
                    s.expired_at
             FROM session s LEFT JOIN session p ON p.key = s.parent ",
            $rest
        )
    };
}
pub(crate) use select_session;

pub(crate) fn session(row: &Row<'_>) -> Result<Session, Failure> {
    Ok(Session {
        id: parsed(row, 0, SessionId::parse)?,
        task: parsed(row, 1, TaskId::parse)?,
        mode: parsed(row, 2, ModeSlug::parse)?,
        state: word(row, 3, TaskState::parse)?,
        parent: optional(row, 4, TaskId::parse)?,
        project: row.get(5)?,
        conversation: optional(row, 10, ConversationId::parse)?,
        created_at: Timestamp::from_millis(row.get(6)?),
        last_activity: Timestamp::from_millis(row.get(7)?),
        finished_at: row.get::<Option<i64>>(8)?.map(Timestamp::from_millis),
        expired_at: row.get::<Option<i64>>(11)?.map(Timestamp::from_millis),
        result: row.get(9)?,
    })
}

/// The columns that [`approval`] reads; `a` is the approval, `s` its session.
macro_rules! select_approval {
    ($rest:literal) => {
        concat!(
            "SELECT a.id, s.id, a.kind, a.subject, a.payload, a.state, a.created_at,
                    a.decided_at, a.decided_by, a.conversation, a.plan_hash, a.plan, a.expires_at
             FROM approval a LEFT JOIN session s ON s.key = a.session ",
            $rest
        )
    };
}
pub(crate) use select_approval;

pub(crate) fn approval(row: &Row<'_>) -> Result<Approval, Failure> {
    let created_at = Timestamp::from_millis(row.get(6)?);
    let expires_at: Option<i64> = row.get(12)?;
    let hash: Option<String> = row.get(10)?;
    let text: Option<String> = row.get(11)?;
    Ok(Approval {
        id: parsed(row, 0, ApprovalId::parse)?,
        session: optional(row, 1, SessionId::parse)?,
        kind: row.get(2)?,
        subject: row.get(3)?,
        payload: row.get(4)?,
        state: word(row, 5, ApprovalState::parse)?,
        created_at,
        // Programs of version 1 write none.
        expires_at: expires_at.map_or(created_at.after(APPROVAL_LIFE), Timestamp::from_millis),
        conversation: optional(row, 9, ConversationId::parse)?,
        plan: hash
            .zip(text)
            .map(|(hash, text)| Box::new(StoredPlan { hash, text })),
        decided_at: row.get::<Option<i64>>(7)?.map(Timestamp::from_millis),
        decided_by: row.get(8)?,
    })
}

/// role, content, at
pub(crate) fn message(row: &Row<'_>) -> Result<StoredMessage, Failure> {
    Ok(StoredMessage {
        role: word(row, 0, Role::parse)?,
        content: row.get(1)?,
        at: Timestamp::from_millis(row.get(2)?),
    })
}

/// from, to, reason, at
pub(crate) fn mode_change(row: &Row<'_>) -> Result<StoredModeChange, Failure> {
    Ok(StoredModeChange {
        from: optional(row, 0, ModeSlug::parse)?,
        to: parsed(row, 1, ModeSlug::parse)?,
        reason: row.get(2)?,
        at: Timestamp::from_millis(row.get(3)?),
    })
}

/// The first row of a query, if there is one.
pub(crate) fn first<T>(
    connection: Link<'_>,
    query: &str,
    parameters: &[SqlValue<'_>],
    read: impl FnOnce(&Row<'_>) -> Result<T, Failure>,
) -> Result<Option<T>, Failure> {
    connection.first(query, parameters, read)
}

/// All rows of a query.
pub(crate) fn all<T>(
    connection: Link<'_>,
    query: &str,
    parameters: &[SqlValue<'_>],
    mut read: impl FnMut(&Row<'_>) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    let mut found = Vec::new();
    connection.each(query, parameters, |row| {
        found.push(read(row)?);
        Ok(())
    })?;
    Ok(found)
}

/// Runs a statement and tells how many rows it changed.
pub(crate) fn run(
    connection: Link<'_>,
    statement: &str,
    parameters: &[SqlValue<'_>],
) -> Result<usize, Failure> {
    connection.run(statement, parameters)
}

/// The one column of [`parsed`] rows that hold nothing but a task id.
pub(crate) fn task(row: &Row<'_>) -> Result<TaskId, Failure> {
    parsed(row, 0, TaskId::parse)
}

/// The same for a session id.
pub(crate) fn session_id(row: &Row<'_>) -> Result<SessionId, Failure> {
    parsed(row, 0, SessionId::parse)
}

pub(crate) fn state(row: &Row<'_>, index: usize) -> Result<TaskState, Failure> {
    word(row, index, TaskState::parse)
}

pub(crate) fn mode(row: &Row<'_>, index: usize) -> Result<ModeSlug, Failure> {
    parsed(row, index, ModeSlug::parse)
}

pub(crate) fn parsed<T, E: std::error::Error + Send + Sync + 'static>(
    row: &Row<'_>,
    index: usize,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, Failure> {
    let text = row
        .text(index)?
        .ok_or_else(|| unreadable(index, MissingColumn))?;
    parse(text).map_err(|source| unreadable(index, source))
}

pub(crate) fn optional<T, E: std::error::Error + Send + Sync + 'static>(
    row: &Row<'_>,
    index: usize,
    parse: impl FnOnce(&str) -> Result<T, E>,
) -> Result<Option<T>, Failure> {
    row.text(index)?
        .map(parse)
        .transpose()
        .map_err(|source| unreadable(index, source))
}

/// SQLite's integers have a sign; device and inode numbers and ticks do not. The bits are kept.
pub(crate) const fn signed(number: u64) -> i64 {
    number.cast_signed()
}

pub(crate) const fn unsigned(number: i64) -> u64 {
    number.cast_unsigned()
}

/// "No limit" in both databases: SQLite's negative one is an error in PostgreSQL.
pub(crate) fn limit(limit: Option<usize>) -> i64 {
    let limit = limit.map(i64::try_from);
    limit.and_then(Result::ok).unwrap_or(i64::MAX)
}

/// A word outside of its list; the schema's checks admit none.
#[derive(Debug, thiserror::Error)]
#[error("unexpected value `{0}` in this column")]
struct UnknownWord(String);

/// A column without a value that has to have one.
#[derive(Debug, thiserror::Error)]
#[error("there is no value in this column")]
struct MissingColumn;

pub(crate) fn word<T>(
    row: &Row<'_>,
    index: usize,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Failure> {
    parsed(row, index, |text| {
        parse(text).ok_or_else(|| UnknownWord(text.to_owned()))
    })
}

fn unreadable(index: usize, source: impl std::error::Error + Send + Sync + 'static) -> Failure {
    rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(source)).into()
}
