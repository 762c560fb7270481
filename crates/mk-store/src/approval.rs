//! Approval requests: asked, decided once, used once.

use mk_types::{ApprovalId, ConversationId, Timestamp};

use crate::Store;
use crate::error::{Error, Failure, MissingSubject};
use crate::link::{Link, params};
use crate::model::{Approval, ApprovalState, ApprovalVerdict, NewApproval};
use crate::row::{self, APPROVAL_LIFE, all, first, run, select_approval};
use crate::session;
use crate::writer::Turn;

impl Store {
    pub fn approval(&self, id: &ApprovalId) -> Result<Option<Approval>, Error> {
        let shared = &self.inner.shared;
        shared.read(|connection| find(connection, id))
    }

    /// Requests that can still be answered, oldest first.
    pub fn pending_approvals(&self) -> Result<Vec<Approval>, Error> {
        let shared = &self.inner.shared;
        let now = shared.clock.now();
        shared.read(|connection| pending(connection, now))
    }

    /// The same request of the same conversation, by kind, payload and plan, that is granted and
    /// unused, or else pending; never an expired one.
    pub fn open_approval(&self, request: &NewApproval) -> Result<Option<Approval>, Error> {
        let shared = &self.inner.shared;
        let now = shared.clock.now();
        shared.read(|connection| open(connection, request, now))
    }

    /// Stores a request.
    pub async fn ask(&self, request: NewApproval) -> Result<Approval, Error> {
        self.write(move |turn| ask(turn, &request)).await
    }

    /// Answers a request, once.
    pub async fn decide(
        &self,
        id: &ApprovalId,
        verdict: ApprovalVerdict,
        by: &str,
    ) -> Result<Approval, Error> {
        let (id, by) = (id.clone(), by.to_owned());
        self.write(move |turn| decide(turn, &id, verdict, &by))
            .await
    }

    /// Uses a granted approval up: it is good for one act.
    pub async fn consume(&self, id: &ApprovalId) -> Result<Approval, Error> {
        let id = id.clone();
        self.write(move |turn| consume(turn, &id)).await
    }
}

pub(crate) fn find(connection: Link<'_>, id: &ApprovalId) -> Result<Option<Approval>, Failure> {
    let query = select_approval!("WHERE a.id = ?1");
    first(connection, query, params![id.as_str()], row::approval)
}

/// Those that can still be answered, in the order in which they were asked.
pub(crate) fn pending(connection: Link<'_>, now: Timestamp) -> Result<Vec<Approval>, Failure> {
    let query = select_approval!("WHERE a.state = 'pending' ORDER BY a.key");
    let mut approvals = all(connection, query, params![], row::approval)?;
    approvals.retain(|approval| approval.expires_at > now);
    Ok(approvals)
}

/// Of the questions with exactly this kind, payload, plan and conversation that can still lead to
/// the act: a granted one if there is one, else the oldest that waits.
pub(crate) fn open(
    connection: Link<'_>,
    question: &NewApproval,
    now: Timestamp,
) -> Result<Option<Approval>, Failure> {
    let query = select_approval!(
        "WHERE a.state IN ('granted', 'pending') AND a.kind = ?1 AND a.payload = ?2
             AND a.conversation IS NOT DISTINCT FROM ?3
             AND a.plan_hash IS NOT DISTINCT FROM ?4
         ORDER BY a.state, a.key"
    );
    let found = all(
        connection,
        query,
        params![
            question.kind,
            question.payload,
            question.conversation.as_ref().map(ConversationId::as_str),
            question.plan.as_ref().map(|plan| &plan.hash),
        ],
        row::approval,
    )?;
    Ok(found.into_iter().find(|approval| approval.expires_at > now))
}

pub(crate) fn ask(turn: &Turn<'_>, question: &NewApproval) -> Result<Approval, Failure> {
    let connection = turn.connection;
    let session: Option<i64> = match &question.session {
        None => None,
        Some(id) => {
            let query = "SELECT key FROM session WHERE id = ?1";
            let key = first(connection, query, params![id.as_str()], |row| row.get(0))?;
            Some(key.ok_or_else(|| session::missing(connection, id))?)
        }
    };
    let id = ApprovalId::random();
    run(
        connection,
        "INSERT INTO approval (id, session, kind, subject, payload, state, created_at,
             conversation, plan_hash, plan, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, 'pending', ?6, ?7, ?8, ?9, ?10)",
        params![
            id.as_str(),
            session,
            question.kind,
            question.subject,
            question.payload,
            turn.now.as_millis(),
            question.conversation.as_ref().map(ConversationId::as_str),
            question.plan.as_ref().map(|plan| &plan.hash),
            question.plan.as_ref().map(|plan| &plan.text),
            turn.now.after(APPROVAL_LIFE).as_millis(),
        ],
    )?;
    existing(connection, &id)
}

pub(crate) fn decide(
    turn: &Turn<'_>,
    id: &ApprovalId,
    verdict: ApprovalVerdict,
    by: &str,
) -> Result<Approval, Failure> {
    unexpired(turn, id)?;
    turn.changed(id.as_str());
    let changed = run(
        turn.connection,
        "UPDATE approval SET state = ?2, decided_at = ?3, decided_by = ?4, expires_at = ?5
         WHERE id = ?1 AND state = 'pending'",
        params![
            id.as_str(),
            verdict.state().as_str(),
            turn.now.as_millis(),
            by,
            turn.now.after(APPROVAL_LIFE).as_millis(),
        ],
    )?;
    let approval = existing(turn.connection, id)?;
    if changed == 0 {
        let (id, state) = (approval.id, approval.state);
        return Err(Failure::Refused(Error::AlreadyDecided { id, state }));
    }
    Ok(approval)
}

pub(crate) fn consume(turn: &Turn<'_>, id: &ApprovalId) -> Result<Approval, Failure> {
    let approval = unexpired(turn, id)?;
    turn.changed(id.as_str());
    if approval.state != ApprovalState::Granted {
        let (id, state) = (approval.id, approval.state);
        return Err(Failure::Refused(Error::NotGranted { id, state }));
    }
    run(
        turn.connection,
        "UPDATE approval SET state = 'used' WHERE id = ?1",
        params![id.as_str()],
    )?;
    existing(turn.connection, id)
}

/// The approval, unless it waited too long for its answer or for its use.
fn unexpired(turn: &Turn<'_>, id: &ApprovalId) -> Result<Approval, Failure> {
    let approval = existing(turn.connection, id)?;
    let waits = matches!(
        approval.state,
        ApprovalState::Pending | ApprovalState::Granted
    );
    if waits && approval.expires_at <= turn.now {
        return Err(Failure::Refused(Error::Expired(MissingSubject::Approval(
            id.clone(),
        ))));
    }
    Ok(approval)
}

fn existing(connection: Link<'_>, id: &ApprovalId) -> Result<Approval, Failure> {
    find(connection, id)?
        .ok_or_else(|| Failure::Refused(Error::NotFound(MissingSubject::Approval(id.clone()))))
}
