//! Tasks and the sessions that carry them: listing, asking after, ending. `create_task` and `switch_mode` have files
//! of their own.

use std::sync::Arc;
use std::time::Duration;

use mk_policy::Mode;
use mk_store::{Role, Session, SessionFilter, StoredMessage, StoredModeChange, TaskState};
use mk_types::{SessionId, TaskId, Timestamp};

use crate::error::Error;
use crate::governing::GoverningTask;
use crate::missing::MissingThing;
use crate::open_projects::Glances;
use crate::{Caller, Engine};

/// A task and its mode as they are now.
#[derive(Debug, Clone)]
pub struct Task {
    pub session: Session,
    /// Missing when the mode's file no longer defines it.
    pub mode: Option<Arc<Mode>>,
}

impl Task {
    /// The mode's display name; its slug where the mode is gone.
    pub fn mode_name(&self) -> &str {
        self.mode
            .as_ref()
            .map_or(self.session.mode.as_str(), |mode| &mode.name)
    }
}

/// A task as a list shows it.
#[derive(Debug, Clone)]
pub struct ListedTask {
    pub task: Task,
    /// The first line of its first message.
    pub title: Option<String>,
    pub idle: Duration,
    pub is_expired: bool,
}

/// What to tell about a task beside itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct TaskQuery {
    pub messages: bool,
    pub hierarchy: bool,
}

/// A task and its surroundings.
#[derive(Debug)]
pub struct TaskDetails {
    pub task: Task,
    /// Whether it can no longer be used, because it was idle for too long.
    pub is_expired: bool,
    pub age: Duration,
    /// Before this very look at it.
    pub idle: Duration,
    pub messages: Vec<StoredMessage>,
    pub mode_changes: Vec<StoredModeChange>,
    pub children: Vec<TaskId>,
}

/// What can be done with tasks.
#[derive(Debug, Clone, Copy)]
pub struct Tasks<'a> {
    pub(crate) engine: &'a Engine,
}

impl Engine {
    pub fn tasks(&self) -> Tasks<'_> {
        Tasks { engine: self }
    }
}

impl Tasks<'_> {
    /// What there is to know about a task. Asking counts as activity, but the answer shows the time before.
    pub fn info(
        self,
        caller: &Caller,
        session: &str,
        query: TaskQuery,
    ) -> Result<TaskDetails, Error> {
        let details = self.peek(session, query)?;
        caller.may_see(&details.task.session)?;
        if details.is_expired {
            return Err(self.engine.expired(&details.task.session.id));
        }
        self.engine.inner.store.touch(&details.task.session.id);
        Ok(details)
    }

    /// The same without counting as activity: a person who looks does not keep a task alive, and may look at one
    /// that has expired.
    pub fn peek(self, session: &str, query: TaskQuery) -> Result<TaskDetails, Error> {
        let id = self.session_id("session_id", session)?;
        let session = self.engine.known_session(&id)?;
        let now = self.engine.inner.clock.now();
        let is_expired = self.engine.is_expired(&session, now);
        let (age, idle) = (
            now.since(session.created_at),
            now.since(session.last_activity),
        );
        let store = &self.engine.inner.store;
        let messages = if query.messages {
            store.messages(&id)?
        } else {
            Vec::new()
        };
        let mode_changes = store.mode_changes(&id)?;
        let children = if query.hierarchy {
            store.children(&session.task)?
        } else {
            Vec::new()
        };
        Ok(TaskDetails {
            task: self.engine.with_mode(session, &mut Glances::default()),
            is_expired,
            age,
            idle,
            messages,
            mode_changes,
            children,
        })
    }

    /// Ends a task.
    pub async fn complete(
        self,
        caller: &Caller,
        session: &str,
        state: TaskState,
        result: Option<String>,
    ) -> Result<Task, Error> {
        let id = self.session_id("session_id", session)?;
        caller.may_change(&self.engine.active_session(&id)?)?;
        let finished = self.engine.inner.store.finish(&id, state, result).await;
        let session = finished.map_err(|error| self.engine.about(Some(&id), error))?;
        self.engine.return_to(caller, &session.mode).await?;
        Ok(self.engine.with_mode(session, &mut Glances::default()))
    }

    /// Tasks, newest first. A filter for active ones leaves out what has expired.
    pub fn list(self, filter: &SessionFilter) -> Result<Vec<ListedTask>, Error> {
        let now = self.engine.inner.clock.now();
        let store = &self.engine.inner.store;
        let wanted = |session: &Session| {
            filter.state != Some(TaskState::Active) || !self.engine.is_expired(session, now)
        };
        let mut asked = filter.clone();
        let found = loop {
            let mut sessions = store.sessions(&asked)?;
            let n_found = sessions.len();
            sessions.retain(wanted);
            // The store does not know which ones have expired, so it may have to give more than are wanted.
            match (asked.limit, filter.limit) {
                (Some(limit), Some(wanted)) if n_found >= limit && sessions.len() < wanted => {
                    asked.limit = limit.checked_mul(8);
                }
                _ => break sessions,
            }
        };
        let mut glances = Glances::default();
        let limit = filter.limit.unwrap_or(usize::MAX);
        let mut listed = Vec::new();
        for session in found.into_iter().take(limit) {
            listed.push(ListedTask {
                title: store.title(&session.id)?,
                idle: now.since(session.last_activity),
                is_expired: self.engine.is_expired(&session, now),
                task: self.engine.with_mode(session, &mut glances),
            });
        }
        Ok(listed)
    }

    /// Adds to the conversation of a task, so that its history is one wherever it was spoken.
    pub async fn add_message(
        self,
        session: &str,
        role: Role,
        content: String,
    ) -> Result<(), Error> {
        let id = self.session_id("session_id", session)?;
        self.engine.active_session(&id)?;
        if content.trim().is_empty() {
            return Err(Error::invalid("content", "The message is empty".to_owned()));
        }
        let added = self
            .engine
            .inner
            .store
            .add_message(&id, role, content)
            .await;
        added.map_err(|error| self.engine.about(Some(&id), error))
    }

    /// The session that a caller means: by its own id, or by its task's.
    pub fn session_id(self, parameter: &'static str, text: &str) -> Result<SessionId, Error> {
        self.engine.named_session(parameter, text)
    }

    /// The task that `current` means in a conversation: the innermost that has not ended, else the last one.
    pub fn current(self, caller: &Caller) -> Result<Option<SessionId>, Error> {
        Ok(match self.engine.governing(caller)? {
            GoverningTask::Live(session) => Some(session.id),
            GoverningTask::Ended(_) | GoverningTask::Nothing => {
                caller.conversation.tasks.last().cloned()
            }
        })
    }

    /// Notes that a session was used.
    pub fn touch(self, session: &SessionId) {
        self.engine.inner.store.touch(session);
    }
}

impl Engine {
    /// What the store says of a session, in the words of the contract.
    pub(crate) fn about(&self, session: Option<&SessionId>, error: mk_store::Error) -> Error {
        match (session, error) {
            (Some(session), mk_store::Error::Expired(_)) => self.expired(session),
            (_, error) => error.into(),
        }
    }

    pub(crate) fn expired(&self, session: &SessionId) -> Error {
        Error::Expired {
            session: session.clone(),
            timeout: self.settings().session_timeout,
        }
    }

    /// The session that `parameter` names: by its own id, or by its task's.
    pub(crate) fn named_session(
        &self,
        parameter: &'static str,
        text: &str,
    ) -> Result<SessionId, Error> {
        if let Ok(task) = TaskId::parse(text) {
            let found = self.inner.store.session_of_task(&task)?;
            let found = found.ok_or(Error::NotFound(MissingThing::Task(task)))?;
            return Ok(found.id);
        }
        SessionId::parse(text)
            .map_err(|error| Error::invalid(parameter, format!("Invalid {parameter}: {error}")))
    }

    /// A session that exists and has not expired.
    pub(crate) fn live_session(&self, id: &SessionId) -> Result<Session, Error> {
        let session = self.known_session(id)?;
        if self.is_expired(&session, self.inner.clock.now()) {
            return Err(self.expired(id));
        }
        Ok(session)
    }

    /// A session that can be read, expired or not.
    fn known_session(&self, id: &SessionId) -> Result<Session, Error> {
        match self.inner.store.session(id)? {
            Some(session) => Ok(session),
            None if self.inner.store.is_tombstone(id)? => Err(self.expired(id)),
            None => Err(Error::NotFound(MissingThing::Session(id.clone()))),
        }
    }

    pub(crate) fn active_session(&self, id: &SessionId) -> Result<Session, Error> {
        let session = self.live_session(id)?;
        if session.state != TaskState::Active {
            let message = format!("Task of session {id} is already {}", session.state);
            return Err(Error::invalid("session_id", message));
        }
        Ok(session)
    }

    pub(crate) fn with_mode(&self, session: Session, glances: &mut Glances) -> Task {
        let mode = self.mode_of(&session, glances);
        Task { session, mode }
    }

    /// Only what is active can expire: a finished task keeps answering.
    pub(crate) fn is_expired(&self, session: &Session, now: Timestamp) -> bool {
        session.state == TaskState::Active
            && (session.expired_at.is_some()
                || now.since(session.last_activity) > self.settings().session_timeout)
    }
}
