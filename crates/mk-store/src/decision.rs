//! Decisions: appended and never changed. A hook waits for its record; a server queues it.

use std::borrow::Cow;
use std::collections::VecDeque;

use mk_types::{ConversationId, DecisionId, ModeSlug, ProjectId, Timestamp, without_secrets};

use crate::Store;
use crate::error::{Error, Failure};
use crate::link::{Link, Row, SqlValue, params};
use crate::model::{DecisionFilter, DecisionRecord, NewDecision, Ruling};
use crate::row::{all, first, limit, optional, parsed, run, signed, unsigned, word};
use crate::writer::QueuedJob;

/// Bytes of a call's arguments that are kept; the rest is cut.
const LONGEST_INPUT: usize = 16 * 1024;
/// Bytes of any other text that are kept.
const LONGEST_TEXT: usize = 4 * 1024;

macro_rules! select_decision {
    ($rest:literal) => {
        concat!(
            "SELECT id, at, conversation, client, project, mode, tool, target, verdict, rule,
                    reason, hint, policy_hash, input, input_length, tool_use
             FROM decision ",
            $rest
        )
    };
}

impl Store {
    /// Queues a decision and returns at once; it is on disk within about a second, and before
    /// [`Store::flush`] or [`Store::close`] return. Until then it cannot be read.
    pub fn record_decision(&self, decision: NewDecision) -> DecisionId {
        let id = DecisionId::random();
        match self.start() {
            Ok(()) => self.inner.shared.queue_decision(id.clone(), decision),
            Err(error) => tracing::warn!(%error, "a decision is not recorded"),
        }
        id
    }

    /// Appends a decision; it is on disk when this resolves.
    pub async fn append_decision(&self, decision: NewDecision) -> Result<DecisionId, Error> {
        self.write(move |turn| {
            let id = DecisionId::random();
            append(turn.connection, &id, turn.now, &decision)?;
            turn.seal_later();
            Ok(id)
        })
        .await
    }

    pub fn decision(&self, id: &DecisionId) -> Result<Option<DecisionRecord>, Error> {
        let query = select_decision!("WHERE id = ?1");
        let shared = &self.inner.shared;
        shared.read(|connection| first(connection, query, params![id.as_str()], read))
    }

    /// Decisions, newest first.
    pub fn decisions(&self, filter: &DecisionFilter) -> Result<Vec<DecisionRecord>, Error> {
        let shared = &self.inner.shared;
        shared.read(|connection| list(connection, filter))
    }

    /// Decisions recorded after `id`, oldest first; `None` is the beginning. An unknown id is an
    /// empty answer: what it names was removed or never was.
    pub fn decisions_after(
        &self,
        id: Option<&DecisionId>,
        filter: &DecisionFilter,
    ) -> Result<Vec<DecisionRecord>, Error> {
        let shared = &self.inner.shared;
        shared.read(|connection| after(connection, id, filter))
    }
}

macro_rules! insert_decision {
    ($rest:literal) => {
        concat!(
            "INSERT INTO decision (id, at, conversation, client, project, mode, tool, target,
                 verdict, rule, reason, hint, policy_hash, input, input_length, tool_use) VALUES ",
            $rest
        )
    };
}

/// Columns of a row, and rows of a statement.
const COLUMNS: usize = 16;
const ROWS: usize = 100;

/// Inserts what is queued: where each statement is a journey, many rows with one.
pub(crate) fn append_all(
    connection: Link<'_>,
    queued: &VecDeque<QueuedJob>,
) -> Result<(), Failure> {
    if matches!(connection, Link::Sqlite(_)) {
        let mut rows = queued.iter();
        return rows.try_for_each(|it| append(connection, &it.id, it.at, &it.decision));
    }
    let kept: Vec<_> = queued.iter().map(|it| kept(&it.decision)).collect();
    let rows: Vec<_> = queued
        .iter()
        .zip(&kept)
        .map(|(it, kept)| values(&it.id, it.at, kept))
        .collect();
    for rows in rows.chunks(ROWS) {
        // Again after a commit that nobody heard of: once is enough.
        let places = places(rows.len());
        let insert = insert_decision!("");
        let statement = format!("{insert}{places} ON CONFLICT (id) DO NOTHING");
        run(connection, &statement, rows.as_flattened())?;
    }
    Ok(())
}

/// `(?1, … ?16), (?17, …` for so many rows.
fn places(rows: usize) -> String {
    let row = |row: usize| {
        let numbers = (1..=COLUMNS).map(|column| format!("?{}", row * COLUMNS + column));
        format!("({})", numbers.collect::<Vec<_>>().join(", "))
    };
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}

/// Inserts one row.
pub(crate) fn append(
    connection: Link<'_>,
    id: &DecisionId,
    at: Timestamp,
    decision: &NewDecision,
) -> Result<(), Failure> {
    let statement =
        insert_decision!("(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)");
    run(connection, statement, &values(id, at, &kept(decision)))?;
    Ok(())
}

/// The texts of a decision that agents write, as they are kept: cut, and without credentials.
struct KeptTexts<'a> {
    decision: &'a NewDecision,
    target: Cow<'a, str>,
    reason: Cow<'a, str>,
    hint: Option<Cow<'a, str>>,
    input: Cow<'a, str>,
    input_length: usize,
}

fn kept(decision: &NewDecision) -> KeptTexts<'_> {
    // A credential at the place where a text is cut is seen whole before.
    let seen = |text, longest| without_secrets(cut(text, longest + LONGEST_TEXT));
    let input = seen(&decision.input, LONGEST_INPUT);
    let unseen = decision.input.len() - cut(&decision.input, LONGEST_INPUT + LONGEST_TEXT).len();
    KeptTexts {
        decision,
        target: seen(&decision.target, LONGEST_TEXT),
        reason: seen(&decision.reason, LONGEST_TEXT),
        hint: decision.hint.as_deref().map(|it| seen(it, LONGEST_TEXT)),
        input_length: input.len() + unseen,
        input,
    }
}

fn values<'a>(
    id: &'a DecisionId,
    at: Timestamp,
    kept: &'a KeptTexts<'a>,
) -> [SqlValue<'a>; COLUMNS] {
    let decision = kept.decision;
    let text = |text: &'a str| SqlValue::Text(Some(cut(text, LONGEST_TEXT)));
    let optional = |text: Option<&'a str>| SqlValue::Text(text.map(|it| cut(it, LONGEST_TEXT)));
    [
        SqlValue::Text(Some(id.as_str())),
        SqlValue::Number(Some(at.as_millis())),
        SqlValue::Text(decision.conversation.as_ref().map(ConversationId::as_str)),
        text(&decision.client),
        SqlValue::Text(decision.project.as_ref().map(ProjectId::as_str)),
        SqlValue::Text(Some(decision.mode.as_str())),
        text(&decision.tool),
        text(&kept.target),
        SqlValue::Text(Some(decision.ruling.as_str())),
        text(&decision.rule),
        text(&kept.reason),
        optional(kept.hint.as_deref()),
        text(&decision.policy_hash),
        SqlValue::Text(Some(cut(&kept.input, LONGEST_INPUT))),
        SqlValue::Number(Some(signed(kept.input_length as u64))),
        optional(decision.tool_use.as_deref()),
    ]
}

fn cut(text: &str, longest: usize) -> &str {
    let end = text.floor_char_boundary(longest);
    text.get(..end).unwrap_or(text)
}

fn list(connection: Link<'_>, filter: &DecisionFilter) -> Result<Vec<DecisionRecord>, Failure> {
    let query = select_decision!(
        "WHERE (?1 IS NULL OR conversation = ?1) AND (?2 IS NULL OR project = ?2)
             AND (?3 IS NULL OR client = ?3) AND (?4 IS NULL OR mode = ?4)
             AND (?5 IS NULL OR tool = ?5) AND (?6 IS NULL OR verdict = ?6)
             AND (?7 IS NULL OR tool_use = ?7) AND at >= ?8
             AND (?10 IS NULL OR key < (SELECT key FROM decision WHERE id = ?10))
         ORDER BY key DESC LIMIT ?9"
    );
    select(connection, query, filter, None)
}

fn after(
    connection: Link<'_>,
    id: Option<&DecisionId>,
    filter: &DecisionFilter,
) -> Result<Vec<DecisionRecord>, Failure> {
    let key = match id {
        None => 0,
        Some(id) => {
            let query = "SELECT key FROM decision WHERE id = ?1";
            match first(connection, query, params![id.as_str()], |row| row.get(0))? {
                Some(key) => key,
                None => return Ok(Vec::new()),
            }
        }
    };
    let query = select_decision!(
        "WHERE (?1 IS NULL OR conversation = ?1) AND (?2 IS NULL OR project = ?2)
             AND (?3 IS NULL OR client = ?3) AND (?4 IS NULL OR mode = ?4)
             AND (?5 IS NULL OR tool = ?5) AND (?6 IS NULL OR verdict = ?6)
             AND (?7 IS NULL OR tool_use = ?7) AND at >= ?8 AND key > ?10
         ORDER BY key LIMIT ?9"
    );
    select(connection, query, filter, Some(key))
}

fn select(
    connection: Link<'_>,
    query: &str,
    filter: &DecisionFilter,
    after: Option<i64>,
) -> Result<Vec<DecisionRecord>, Failure> {
    let since = filter.since.map_or(i64::MIN, Timestamp::as_millis);
    let last = match after {
        Some(_) => SqlValue::Number(after),
        None => SqlValue::Text(filter.before.as_ref().map(DecisionId::as_str)),
    };
    let parameters = [
        SqlValue::Text(filter.conversation.as_ref().map(ConversationId::as_str)),
        SqlValue::Text(filter.project.as_ref().map(ProjectId::as_str)),
        SqlValue::Text(filter.client.as_deref()),
        SqlValue::Text(filter.mode.as_ref().map(ModeSlug::as_str)),
        SqlValue::Text(filter.tool.as_deref()),
        SqlValue::Text(filter.ruling.map(Ruling::as_str)),
        SqlValue::Text(filter.tool_use.as_deref()),
        SqlValue::Number(Some(since)),
        SqlValue::Number(Some(limit(filter.limit))),
        last,
    ];
    all(connection, query, &parameters, read)
}

fn read(row: &Row<'_>) -> Result<DecisionRecord, Failure> {
    Ok(DecisionRecord {
        id: parsed(row, 0, DecisionId::parse)?,
        at: Timestamp::from_millis(row.get(1)?),
        conversation: optional(row, 2, ConversationId::parse)?,
        client: row.get(3)?,
        project: optional(row, 4, ProjectId::parse)?,
        mode: parsed(row, 5, ModeSlug::parse)?,
        tool: row.get(6)?,
        target: row.get(7)?,
        ruling: word(row, 8, Ruling::parse)?,
        rule: row.get(9)?,
        reason: row.get(10)?,
        hint: row.get(11)?,
        policy_hash: row.get(12)?,
        input: row.get(13)?,
        input_length: unsigned(row.get(14)?),
        tool_use: row.get(15)?,
    })
}
