//! Credentials: made, found by the hash of their secret, used up or revoked.

use mk_types::{CredentialId, ModeSlug, Timestamp};

use crate::Store;
use crate::error::{Error, Failure};
use crate::link::{Row, params};
use crate::model::{AccessRole, Credential, CredentialKind, NewCredential};
use crate::row::{all, first, optional, parsed, run, word};
use crate::writer::Turn;

macro_rules! select_credential {
    ($rest:literal) => {
        concat!(
            "SELECT id, kind, name, role, mode, projects, created_at, expires_at, revoked_at
             FROM credential ",
            $rest
        )
    };
}

impl Store {
    pub async fn create_credential(&self, new: NewCredential) -> Result<Credential, Error> {
        self.write(move |turn| create(turn, &new)).await
    }

    /// The credential with this secret's hash, good or not.
    pub fn credential(&self, hash: &str) -> Result<Option<Credential>, Error> {
        let query = select_credential!("WHERE hash = ?1");
        let shared = &self.inner.shared;
        shared.read(|connection| first(connection, query, params![hash], read))
    }

    /// The same by its own id.
    pub fn credential_by_id(&self, id: &CredentialId) -> Result<Option<Credential>, Error> {
        let query = select_credential!("WHERE id = ?1");
        let shared = &self.inner.shared;
        shared.read(|connection| first(connection, query, params![id.as_str()], read))
    }

    /// Those of a kind, newest first.
    pub fn credentials(&self, kind: CredentialKind) -> Result<Vec<Credential>, Error> {
        let query = select_credential!("WHERE kind = ?1 ORDER BY key DESC");
        let shared = &self.inner.shared;
        shared.read(|connection| all(connection, query, params![kind.as_str()], read))
    }

    /// Uses a link up and makes a session with its role; `None` if the link is unknown, used or too old.
    pub async fn redeem_link(
        &self,
        link: String,
        session: NewCredential,
    ) -> Result<Option<Credential>, Error> {
        self.write(move |turn| {
            let query = select_credential!("WHERE hash = ?1 AND kind = 'link'");
            let found = first(turn.connection, query, params![&link], read)?;
            let Some(found) = found.filter(|found| found.is_good(turn.now)) else {
                return Ok(None);
            };
            end(turn, &found.id)?;
            let session = NewCredential {
                role: found.role,
                mode: found.mode,
                projects: found.projects,
                ..session
            };
            create(turn, &session).map(Some)
        })
        .await
    }

    /// Makes a session that ends with the token it is opened with; `None` if that is not good any more.
    pub async fn open_session(
        &self,
        token: &CredentialId,
        session: NewCredential,
    ) -> Result<Option<Credential>, Error> {
        let token = token.clone();
        self.write(move |turn| {
            let query = select_credential!("WHERE id = ?1 AND kind = 'token'");
            let found = first(turn.connection, query, params![token.as_str()], read)?;
            if !found.is_some_and(|found| found.is_good(turn.now)) {
                return Ok(None);
            }
            let session = NewCredential {
                name: format!("{}{}", session.name, opened_with(&token)),
                ..session
            };
            create(turn, &session).map(Some)
        })
        .await
    }

    /// Ends a credential, and the sessions that were opened with it; tells whether it was good until now.
    pub async fn revoke_credential(&self, id: &CredentialId) -> Result<bool, Error> {
        let id = id.clone();
        self.write(move |turn| {
            let query = select_credential!("WHERE kind = 'session' AND revoked_at IS NULL");
            for session in all(turn.connection, query, params![], read)? {
                if session.name.ends_with(&opened_with(&id)) {
                    end(turn, &session.id)?;
                }
            }
            end(turn, &id)
        })
        .await
    }
}

/// How the name of a session ends that a token has opened.
fn opened_with(token: &CredentialId) -> String {
    format!(" with {token}")
}

fn create(turn: &Turn<'_>, new: &NewCredential) -> Result<Credential, Failure> {
    let id = CredentialId::random();
    turn.changed(&new.hash);
    run(
        turn.connection,
        "INSERT INTO credential (id, kind, hash, name, role, mode, projects, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            id.as_str(),
            new.kind.as_str(),
            new.hash,
            new.name,
            new.role.as_str(),
            new.mode.as_ref().map(ModeSlug::as_str),
            new.projects.join("\n"),
            turn.now.as_millis(),
            new.expires_at.map(Timestamp::as_millis),
        ],
    )?;
    Ok(Credential {
        id,
        kind: new.kind,
        name: new.name.clone(),
        role: new.role,
        mode: new.mode.clone(),
        projects: new.projects.clone(),
        created_at: turn.now,
        expires_at: new.expires_at,
        revoked_at: None,
    })
}

fn end(turn: &Turn<'_>, id: &CredentialId) -> Result<bool, Failure> {
    turn.changed(id.as_str());
    let changed = run(
        turn.connection,
        "UPDATE credential SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL
             AND (expires_at IS NULL OR expires_at > ?2)",
        params![id.as_str(), turn.now.as_millis()],
    )?;
    Ok(changed > 0)
}

fn read(row: &Row<'_>) -> Result<Credential, Failure> {
    let projects: String = row.get(5)?;
    let time = |index| -> Result<Option<Timestamp>, Failure> {
        Ok(row.get::<Option<i64>>(index)?.map(Timestamp::from_millis))
    };
    Ok(Credential {
        id: parsed(row, 0, CredentialId::parse)?,
        kind: word(row, 1, CredentialKind::parse)?,
        name: row.get(2)?,
        role: word(row, 3, AccessRole::parse)?,
        mode: optional(row, 4, ModeSlug::parse)?,
        projects: projects.lines().map(str::to_owned).collect(),
        created_at: Timestamp::from_millis(row.get(6)?),
        expires_at: time(7)?,
        revoked_at: time(8)?,
    })
}
