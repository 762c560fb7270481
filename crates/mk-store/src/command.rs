//! Permits of single commands, taken once, and the records of what commands did.

use mk_types::{
    AbsPath, CommandId, ConversationId, DecisionId, ModeSlug, PermitId, ProjectId, Timestamp,
};

use crate::error::{Error, Failure};
use crate::link::{Link, Row, params};
use crate::model::{
    CommandFilter, CommandPermit, CommandRecord, NewCommandPermit, NewCommandRecord,
};
use crate::row::{all, first, limit, optional, parsed, run};
use crate::writer::Turn;
use crate::{NewDecision, Store, decision, project};

macro_rules! select_permit {
    ($rest:literal) => {
        concat!(
            "SELECT id, conversation, directory, line_hash, mode, rights, created_at, expires_at,
                    taken_at
             FROM permit ",
            $rest
        )
    };
}

macro_rules! select_command {
    ($rest:literal) => {
        concat!(
            "SELECT id, permit, conversation, project, mode, argv_hash, first_word, exit_code,
                    refusals, written, guests, started_at, ended_at
             FROM command ",
            $rest
        )
    };
}

impl Store {
    /// Stores a permit that is good for one command.
    pub async fn store_permit(&self, new: NewCommandPermit) -> Result<CommandPermit, Error> {
        self.write(move |turn| insert(turn, &new)).await
    }

    /// Records that a call may pass, together with permits for its lines: all of it, or nothing.
    pub async fn append_decision_with(
        &self,
        decision: NewDecision,
        permits: Vec<NewCommandPermit>,
    ) -> Result<(), Error> {
        self.write(move |turn| {
            decision::append(turn.connection, &DecisionId::random(), turn.now, &decision)?;
            turn.seal_later();
            permits
                .iter()
                .try_for_each(|permit| insert(turn, permit).map(drop))
        })
        .await
    }

    /// The permits for a line in a directory that can still be taken, oldest first: those of one
    /// conversation, or of all. Of several the caller takes the narrowest.
    pub fn permits_for(
        &self,
        conversation: Option<&ConversationId>,
        directory: &AbsPath,
        line_hash: &str,
    ) -> Result<Vec<CommandPermit>, Error> {
        let shared = &self.inner.shared;
        let now = shared.clock.now();
        let query = select_permit!(
            "WHERE line_hash = ?1 AND directory = ?2 AND taken_at IS NULL AND expires_at > ?3
                 AND (?4 IS NULL OR conversation = ?4)
             ORDER BY key"
        );
        shared.read(|connection| {
            all(
                connection,
                query,
                params![
                    line_hash,
                    directory.as_str(),
                    now.as_millis(),
                    conversation.map(ConversationId::as_str)
                ],
                read_permit,
            )
        })
    }

    /// Takes a permit: `Some` for one caller only, and never after it has expired.
    pub async fn take_permit(&self, id: &PermitId) -> Result<Option<CommandPermit>, Error> {
        let id = id.clone();
        self.write(move |turn| take(turn, &id)).await
    }

    /// Records what a command did.
    pub async fn record_command(&self, new: NewCommandRecord) -> Result<CommandRecord, Error> {
        self.write(move |turn| record(turn, &new)).await
    }

    pub fn command(&self, id: &CommandId) -> Result<Option<CommandRecord>, Error> {
        let query = select_command!("WHERE id = ?1");
        let shared = &self.inner.shared;
        shared.read(|connection| first(connection, query, params![id.as_str()], read_command))
    }

    /// What was recorded of the command that took this permit.
    pub fn command_of_permit(&self, id: &PermitId) -> Result<Option<CommandRecord>, Error> {
        let query = select_command!("WHERE permit = ?1");
        let shared = &self.inner.shared;
        shared.read(|connection| first(connection, query, params![id.as_str()], read_command))
    }

    /// Records of commands, newest first.
    pub fn commands(&self, filter: &CommandFilter) -> Result<Vec<CommandRecord>, Error> {
        let query = select_command!(
            "WHERE (?1 IS NULL OR conversation = ?1) AND (?2 IS NULL OR project = ?2)
             ORDER BY key DESC LIMIT ?3"
        );
        let shared = &self.inner.shared;
        shared.read(|connection| {
            all(
                connection,
                query,
                params![
                    filter.conversation.as_ref().map(ConversationId::as_str),
                    filter.project.as_ref().map(ProjectId::as_str),
                    limit(filter.limit)
                ],
                read_command,
            )
        })
    }

    /// The records of commands that ended after this one, oldest first. An unknown id is an empty answer: what it names
    /// was removed.
    pub fn commands_after(
        &self,
        id: Option<&CommandId>,
        filter: &CommandFilter,
    ) -> Result<Vec<CommandRecord>, Error> {
        let query = select_command!(
            "WHERE key > CASE WHEN ?1 IS NULL THEN 0 ELSE (SELECT c.key FROM command c WHERE c.id = ?1) END
                 AND (?2 IS NULL OR conversation = ?2) AND (?3 IS NULL OR project = ?3)
             ORDER BY key LIMIT ?4"
        );
        let shared = &self.inner.shared;
        shared.read(|connection| {
            all(
                connection,
                query,
                params![
                    id.map(CommandId::as_str),
                    filter.conversation.as_ref().map(ConversationId::as_str),
                    filter.project.as_ref().map(ProjectId::as_str),
                    limit(filter.limit)
                ],
                read_command,
            )
        })
    }
}

fn insert(turn: &Turn<'_>, new: &NewCommandPermit) -> Result<CommandPermit, Failure> {
    let id = PermitId::random();
    turn.changed(&new.line_hash);
    run(
        turn.connection,
        "INSERT INTO permit
             (id, conversation, directory, line_hash, mode, rights, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            id.as_str(),
            new.conversation.as_str(),
            new.directory.as_str(),
            new.line_hash,
            new.mode.as_str(),
            new.rights,
            turn.now.as_millis(),
            new.expires_at.as_millis()
        ],
    )?;
    Ok(CommandPermit {
        id,
        conversation: new.conversation.clone(),
        directory: new.directory.clone(),
        line_hash: new.line_hash.clone(),
        mode: new.mode.clone(),
        rights: new.rights.clone(),
        created_at: turn.now,
        expires_at: new.expires_at,
        taken_at: None,
    })
}

fn take(turn: &Turn<'_>, id: &PermitId) -> Result<Option<CommandPermit>, Failure> {
    turn.changed(id.as_str());
    let changed = run(
        turn.connection,
        "UPDATE permit SET taken_at = ?2 WHERE id = ?1 AND taken_at IS NULL AND expires_at > ?2",
        params![id.as_str(), turn.now.as_millis()],
    )?;
    match changed {
        0 => Ok(None),
        _ => find_permit(turn.connection, id),
    }
}

fn find_permit(connection: Link<'_>, id: &PermitId) -> Result<Option<CommandPermit>, Failure> {
    let query = select_permit!("WHERE id = ?1");
    first(connection, query, params![id.as_str()], read_permit)
}

fn record(turn: &Turn<'_>, new: &NewCommandRecord) -> Result<CommandRecord, Failure> {
    let id = CommandId::random();
    run(
        turn.connection,
        "INSERT INTO command (id, permit, conversation, project, mode, argv_hash, first_word,
             exit_code, refusals, written, guests, started_at, ended_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            id.as_str(),
            new.permit.as_ref().map(PermitId::as_str),
            new.conversation.as_ref().map(ConversationId::as_str),
            new.project.as_ref().map(ProjectId::as_str),
            new.mode.as_str(),
            new.argv_hash,
            new.first_word,
            new.exit_code,
            new.refusals,
            new.written,
            new.guests,
            new.started_at.as_millis(),
            turn.now.as_millis()
        ],
    )?;
    let new = new.clone();
    Ok(CommandRecord {
        id,
        permit: new.permit,
        conversation: new.conversation,
        project: new.project,
        mode: new.mode,
        argv_hash: new.argv_hash,
        first_word: new.first_word,
        exit_code: new.exit_code,
        refusals: new.refusals,
        written: new.written,
        guests: new.guests,
        started_at: new.started_at,
        ended_at: turn.now,
    })
}

fn read_permit(row: &Row<'_>) -> Result<CommandPermit, Failure> {
    Ok(CommandPermit {
        id: parsed(row, 0, PermitId::parse)?,
        conversation: parsed(row, 1, ConversationId::parse)?,
        directory: parsed(row, 2, project::absolute)?,
        line_hash: row.get(3)?,
        mode: parsed(row, 4, ModeSlug::parse)?,
        rights: row.get(5)?,
        created_at: Timestamp::from_millis(row.get(6)?),
        expires_at: Timestamp::from_millis(row.get(7)?),
        taken_at: row.get::<Option<i64>>(8)?.map(Timestamp::from_millis),
    })
}

fn read_command(row: &Row<'_>) -> Result<CommandRecord, Failure> {
    Ok(CommandRecord {
        id: parsed(row, 0, CommandId::parse)?,
        permit: optional(row, 1, PermitId::parse)?,
        conversation: optional(row, 2, ConversationId::parse)?,
        project: optional(row, 3, ProjectId::parse)?,
        mode: parsed(row, 4, ModeSlug::parse)?,
        argv_hash: row.get(5)?,
        first_word: row.get(6)?,
        exit_code: row.get(7)?,
        refusals: row.get(8)?,
        written: row.get(9)?,
        guests: row.get(10)?,
        started_at: Timestamp::from_millis(row.get(11)?),
        ended_at: Timestamp::from_millis(row.get(12)?),
    })
}
