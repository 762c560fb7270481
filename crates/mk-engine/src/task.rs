//! Tasks and the sessions that carry them: creating, switching, asking after, ending.

use std::sync::Arc;
use std::time::Duration;

use mk_policy::{Mode, Switching, widens};
use mk_store::{Message, ModeChange, NewSession, Session, SessionFilter, Switch, TaskState};
use mk_types::{ModeSlug, SessionId, TaskId, Timestamp};

use crate::approval::{Act, Outcome};
use crate::error::{Error, Missing};
use crate::{Actor, Caller, Change, Engine};

/// How often a switch is tried again when others switch the same session.
const MOST_TRIES: usize = 8;

/// A task to create.
#[derive(Debug, Clone)]
pub struct NewTask {
    pub mode: String,
    pub message: Option<String>,
    pub parent: Option<String>,
}

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
    pub age: Duration,
    /// Before this very look at it.
    pub idle: Duration,
    pub messages: Vec<Message>,
    pub mode_changes: Vec<ModeChange>,
    pub children: Vec<TaskId>,
}

/// A change of mode that has happened.
#[derive(Debug, Clone)]
pub struct Switched {
    pub session: Session,
    pub mode: Arc<Mode>,
    pub old_mode: ModeSlug,
    pub reason: Option<String>,
}

impl Engine {
    /// Creates a task in a mode, or asks first where the configuration wants it.
    pub async fn create_task(&self, caller: &Caller, new: NewTask) -> Result<Outcome<Task>, Error> {
        let parent = new
            .parent
            .as_deref()
            .map(|id| self.parent(id))
            .transpose()?;
        let project = match &parent {
            Some(parent) => self.session_project(caller, parent),
            None => caller.project.clone(),
        };
        let within = Caller {
            project,
            ..caller.clone()
        };
        let mode = self.mode(&within, "mode_slug", &new.mode)?;
        let from = match &parent {
            Some(parent) => self.in_force_for(&within, parent)?.mode,
            None => self.in_force(&within, None)?.mode,
        };
        if parent.is_some() {
            allow_switch_to(caller, &from, &mode.slug, "create_task")?;
        }
        let session = parent.as_ref().map(|parent| &parent.id);
        let act = Act::Create {
            project: within.project.clone(),
            mode: mode.slug.clone(),
            parent: session.cloned(),
        };
        let widening = Widening {
            from: &from,
            to: &mode,
            session,
            tool: "create_task",
        };
        if let Some(outcome) = self.govern(caller, widening, &act).await? {
            return Ok(outcome);
        }
        let session = self
            .inner
            .store
            .create(NewSession {
                mode: mode.slug.clone(),
                parent: parent.map(|parent| parent.task),
                project: within.project.as_str().to_owned(),
                message: new.message,
            })
            .await?;
        Ok(Outcome::Done(Task {
            session,
            mode: Some(mode),
        }))
    }

    /// Puts a session into another mode, or asks first where the configuration wants it.
    pub async fn switch_mode(
        &self,
        caller: &Caller,
        session: &str,
        to: &str,
        reason: Option<String>,
    ) -> Result<Outcome<Switched>, Error> {
        let id = parse_session(session, "session_id")?;
        let session = self.active_session(&id)?;
        let within = Caller {
            project: self.session_project(caller, &session),
            ..caller.clone()
        };
        let to = self.mode(&within, "new_mode_slug", to)?;
        let from = self.in_force_for(&within, &session)?.mode;
        allow_switch_to(caller, &from, &to.slug, "switch_mode")?;
        let act = Act::Switch {
            session: id.clone(),
            from: from.slug.clone(),
            to: to.slug.clone(),
        };
        let widening = Widening {
            from: &from,
            to: &to,
            session: Some(&id),
            tool: "switch_mode",
        };
        if let Some(outcome) = self.govern(caller, widening, &act).await? {
            return Ok(outcome);
        }
        let change = Switch {
            session: id,
            from: from.slug.clone(),
            to: to.slug.clone(),
            reason,
        };
        self.perform_switch(change, to).await.map(Outcome::Done)
    }

    /// What there is to know about a task. Asking counts as activity, but the answer shows the time before.
    pub fn task(&self, session: &str, query: TaskQuery) -> Result<TaskDetails, Error> {
        let details = self.peek(session, query)?;
        self.inner.store.touch(&details.task.session.id);
        Ok(details)
    }

    /// The same without counting as activity: a person who looks does not keep a task alive.
    pub fn peek(&self, session: &str, query: TaskQuery) -> Result<TaskDetails, Error> {
        let id = parse_session(session, "session_id")?;
        let session = self.live_session(&id)?;
        let now = self.inner.clock.now();
        let (age, idle) = (
            now.since(session.created_at),
            now.since(session.last_activity),
        );
        let store = &self.inner.store;
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
            task: self.with_mode(session),
            age,
            idle,
            messages,
            mode_changes,
            children,
        })
    }

    /// Ends a task.
    pub async fn complete_task(
        &self,
        session: &str,
        state: TaskState,
        result: Option<String>,
    ) -> Result<Task, Error> {
        let id = parse_session(session, "session_id")?;
        self.active_session(&id)?;
        let session = self.inner.store.finish(&id, state, result).await?;
        Ok(self.with_mode(session))
    }

    /// Tasks, newest first; expired ones that no sweep has removed yet are left out.
    pub fn tasks(&self, filter: &SessionFilter) -> Result<Vec<Task>, Error> {
        let now = self.inner.clock.now();
        let sessions = self.inner.store.sessions(filter)?;
        let live = sessions
            .into_iter()
            .filter(|session| !self.is_expired(session, now));
        Ok(live.map(|session| self.with_mode(session)).collect())
    }

    /// Reads a session's id as a caller sent it.
    pub fn session_id(&self, text: &str) -> Result<SessionId, Error> {
        parse_session(text, "session_id")
    }

    /// Notes that a session was used.
    pub fn touch(&self, session: &SessionId) {
        self.inner.store.touch(session);
    }

    async fn perform_switch(&self, mut change: Switch, mode: Arc<Mode>) -> Result<Switched, Error> {
        for _ in 0..MOST_TRIES {
            match self.inner.store.switch(change.clone()).await {
                Ok(session) => {
                    self.announce(Change::Switched {
                        session: session.id.clone(),
                    });
                    let Switch { from, reason, .. } = change;
                    return Ok(Switched {
                        session,
                        mode,
                        old_mode: from,
                        reason,
                    });
                }
                // Free switching has nothing to decide anew; under approval the ground has moved.
                Err(mk_store::Error::Conflict { actual, .. })
                    if self.settings().switching == Switching::Free =>
                {
                    change.from = actual;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Conflict {
            message: format!("Session {} is being switched by others", change.session),
        })
    }

    /// A session that exists and has not expired.
    pub(crate) fn live_session(&self, id: &SessionId) -> Result<Session, Error> {
        let timeout = self.settings().session_timeout;
        match self.inner.store.session(id)? {
            Some(session) if !self.is_expired(&session, self.inner.clock.now()) => Ok(session),
            Some(_) => Err(Error::Expired {
                session: id.clone(),
                timeout,
            }),
            None if self.inner.store.is_tombstone(id)? => Err(Error::Expired {
                session: id.clone(),
                timeout,
            }),
            None => Err(Error::NotFound {
                what: Missing::Task,
                message: format!("Session not found: {id}"),
            }),
        }
    }

    fn active_session(&self, id: &SessionId) -> Result<Session, Error> {
        let session = self.live_session(id)?;
        if session.state != TaskState::Active {
            let message = format!("Task of session {id} is already {}", session.state);
            return Err(Error::invalid("session_id", message));
        }
        Ok(session)
    }

    fn parent(&self, id: &str) -> Result<Session, Error> {
        let id = parse_session(id, "parent_session_id")?;
        match self.live_session(&id) {
            Ok(session) if session.state == TaskState::Active => Ok(session),
            Ok(session) => {
                let message = format!("Parent task of session {id} is already {}", session.state);
                Err(Error::invalid("parent_session_id", message))
            }
            Err(Error::NotFound { what, .. }) => Err(Error::NotFound {
                what,
                message: format!("Parent session not found: {id}"),
            }),
            Err(error) => Err(error),
        }
    }

    fn with_mode(&self, session: Session) -> Task {
        let root = mk_types::AbsPath::new(std::path::Path::new(&session.project));
        let mode = root.and_then(|root| {
            self.project(&root)
                .catalogue()
                .get(session.mode.as_str())
                .cloned()
        });
        Task { session, mode }
    }

    fn is_expired(&self, session: &Session, now: Timestamp) -> bool {
        now.since(session.last_activity) > self.settings().session_timeout
    }

    /// Applies `switching`: `None` lets the change happen now.
    async fn govern<T>(
        &self,
        caller: &Caller,
        change: Widening<'_>,
        act: &Act,
    ) -> Result<Option<Outcome<T>>, Error> {
        let Widening {
            from,
            to,
            session,
            tool,
        } = change;
        match self.settings().switching {
            _ if caller.actor == Actor::Operator => Ok(None),
            Switching::Free => Ok(None),
            Switching::Locked if from.slug == to.slug => Ok(None),
            Switching::Locked => Err(Error::Denied {
                rule: None,
                message: format!(
                    "Tool '{tool}' cannot be used in '{}' mode. Switching is locked by configuration.",
                    from.slug
                ),
                hint: Some("ask the user to change the mode".to_owned()),
            }),
            Switching::AskToWiden if !widens(from, to) => Ok(None),
            Switching::AskToWiden => {
                let subject = format!(
                    "Let the agent change from '{}' to '{}' mode?",
                    from.slug, to.slug
                );
                self.ask_once(session, &subject, act).await
            }
        }
    }
}

/// A change of mode to be governed.
struct Widening<'a> {
    from: &'a Mode,
    to: &'a Mode,
    session: Option<&'a SessionId>,
    tool: &'static str,
}

fn allow_switch_to(caller: &Caller, from: &Mode, to: &ModeSlug, tool: &str) -> Result<(), Error> {
    if caller.actor == Actor::Operator || from.may_switch_to(to) {
        return Ok(());
    }
    let allowed = from.switch_to.as_deref().unwrap_or_default().join(", ");
    Err(Error::Denied {
        rule: None,
        message: format!(
            "Tool '{tool}' cannot be used in '{}' mode for '{to}'. It may hand over to: {allowed}.",
            from.slug
        ),
        hint: None,
    })
}

fn parse_session(text: &str, parameter: &'static str) -> Result<SessionId, Error> {
    SessionId::parse(text)
        .map_err(|error| Error::invalid(parameter, format!("Invalid {parameter}: {error}")))
}
