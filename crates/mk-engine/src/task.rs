//! Tasks and the sessions that carry them: creating, switching, asking after, ending.

use std::sync::Arc;
use std::time::Duration;

use mk_policy::{Mode, Switching, widens};
use mk_store::{Message, ModeChange, NewSession, Session, SessionFilter, Switch, TaskState};
use mk_types::{ModeSlug, SessionId, TaskId, Timestamp};

use crate::approval::{Act, Asked, Outcome};
use crate::error::{Error, Missing};
use crate::open_projects::Glances;
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

/// What can be done with tasks.
#[derive(Debug, Clone, Copy)]
pub struct Tasks<'a> {
    engine: &'a Engine,
}

impl Engine {
    pub fn tasks(&self) -> Tasks<'_> {
        Tasks { engine: self }
    }
}

impl Tasks<'_> {
    /// Creates a task in a mode, or asks first where the configuration wants it.
    pub async fn create(self, caller: &Caller, new: NewTask) -> Result<Outcome<Task>, Error> {
        let parent = new
            .parent
            .as_deref()
            .map(|id| self.engine.parent(id))
            .transpose()?;
        let project = match &parent {
            Some(parent) => self.engine.session_project(caller, parent),
            None => caller.project.clone(),
        };
        let within = Caller {
            project,
            ..caller.clone()
        };
        let mode = self.engine.modes().get(&within, "mode_slug", &new.mode)?;
        let from = match &parent {
            Some(parent) => parent.mode.clone(),
            None => match self.engine.current_session(caller)? {
                Some(current) => current.mode,
                None => self.engine.mode_without_task(caller).clone(),
            },
        };
        let session = parent.as_ref().map(|parent| &parent.id);
        let act = Act::Create {
            project: within.project.clone(),
            from: from.clone(),
            mode: mode.slug.clone(),
            parent: session.cloned(),
        };
        let step = Step {
            from_mode: self
                .engine
                .modes()
                .catalogue(&within)
                .get(from.as_str())
                .cloned(),
            from,
            to: &mode,
            session,
            tool: "create_task",
        };
        if parent.is_some() {
            step.allow_hand_over(caller)?;
        }
        if let Some(outcome) = self.engine.govern(caller, &step, &act).await? {
            return Ok(outcome);
        }
        let created = self.engine.inner.store.create(NewSession {
            conversation: None,
            mode: mode.slug.clone(),
            parent: parent.as_ref().map(|parent| parent.task.clone()),
            project: within.project.as_str().to_owned(),
            message: new.message,
        });
        let session = created
            .await
            .map_err(|error| self.engine.about(session, error))?;
        Ok(Outcome::Done(Task {
            session,
            mode: Some(mode),
        }))
    }

    /// Puts a session into another mode, or asks first where the configuration wants it.
    pub async fn switch_mode(
        self,
        caller: &Caller,
        session: &str,
        to: &str,
        reason: Option<String>,
    ) -> Result<Outcome<Switched>, Error> {
        let id = parse_session(session, "session_id")?;
        for _ in 0..MOST_TRIES {
            let reason = reason.clone();
            if let Some(outcome) = self.engine.try_switch(caller, &id, to, reason).await? {
                return Ok(outcome);
            }
        }
        Err(Error::Conflict {
            message: format!("Session {id} is being switched by others"),
        })
    }

    /// What there is to know about a task. Asking counts as activity, but the answer shows the time before.
    pub fn info(self, session: &str, query: TaskQuery) -> Result<TaskDetails, Error> {
        let details = self.peek(session, query)?;
        self.engine.inner.store.touch(&details.task.session.id);
        Ok(details)
    }

    /// The same without counting as activity: a person who looks does not keep a task alive.
    pub fn peek(self, session: &str, query: TaskQuery) -> Result<TaskDetails, Error> {
        let id = parse_session(session, "session_id")?;
        let session = self.engine.live_session(&id)?;
        let now = self.engine.inner.clock.now();
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
        session: &str,
        state: TaskState,
        result: Option<String>,
    ) -> Result<Task, Error> {
        let id = parse_session(session, "session_id")?;
        self.engine.active_session(&id)?;
        let finished = self.engine.inner.store.finish(&id, state, result).await;
        let session = finished.map_err(|error| self.engine.about(Some(&id), error))?;
        Ok(self.engine.with_mode(session, &mut Glances::default()))
    }

    /// Tasks, newest first; expired ones that no sweep has removed yet are left out.
    pub fn list(self, filter: &SessionFilter) -> Result<Vec<Task>, Error> {
        let now = self.engine.inner.clock.now();
        let mut asked = filter.clone();
        let live = loop {
            let mut sessions = self.engine.inner.store.sessions(&asked)?;
            let n_found = sessions.len();
            sessions.retain(|session| !self.engine.is_expired(session, now));
            // The store does not know which ones have expired, so it may have to give more than are wanted.
            match (asked.limit, filter.limit) {
                (Some(limit), Some(wanted)) if n_found >= limit && sessions.len() < wanted => {
                    asked.limit = limit.checked_mul(8);
                }
                _ => break sessions,
            }
        };
        let mut glances = Glances::default();
        let wanted = filter.limit.unwrap_or(usize::MAX);
        Ok(live
            .into_iter()
            .take(wanted)
            .map(|session| self.engine.with_mode(session, &mut glances))
            .collect())
    }

    /// Reads a session's id as a caller sent it.
    pub fn session_id(self, text: &str) -> Result<SessionId, Error> {
        parse_session(text, "session_id")
    }

    /// Notes that a session was used.
    pub fn touch(self, session: &SessionId) {
        self.engine.inner.store.touch(session);
    }
}

impl Engine {
    /// One try; `None` if somebody else has switched the session meanwhile, so that all is to be decided anew.
    async fn try_switch(
        &self,
        caller: &Caller,
        id: &SessionId,
        to: &str,
        reason: Option<String>,
    ) -> Result<Option<Outcome<Switched>>, Error> {
        let session = self.active_session(id)?;
        let within = Caller {
            project: self.session_project(caller, &session),
            ..caller.clone()
        };
        let to = self.modes().get(&within, "new_mode_slug", to)?;
        let from = session.mode;
        let act = Act::Switch {
            session: id.clone(),
            from: from.clone(),
            to: to.slug.clone(),
        };
        let step = Step {
            from_mode: self.modes().catalogue(&within).get(from.as_str()).cloned(),
            from: from.clone(),
            to: &to,
            session: Some(id),
            tool: "switch_mode",
        };
        step.allow_hand_over(caller)?;
        if let Some(outcome) = self.govern(caller, &step, &act).await? {
            return Ok(Some(outcome));
        }
        let change = Switch {
            session: id.clone(),
            from: from.clone(),
            to: to.slug.clone(),
            reason: reason.clone(),
        };
        let session = match self.inner.store.switch(change).await {
            Ok(session) => session,
            Err(mk_store::Error::Conflict { .. }) => return Ok(None),
            Err(error) => return Err(self.about(Some(id), error)),
        };
        self.announce(Change::Switched {
            session: session.id.clone(),
        });
        Ok(Some(Outcome::Done(Switched {
            session,
            mode: to,
            old_mode: from,
            reason,
        })))
    }

    /// What the store says of a session, in the words of the contract.
    pub(crate) fn about(&self, session: Option<&SessionId>, error: mk_store::Error) -> Error {
        match (session, error) {
            (Some(session), mk_store::Error::Expired(_)) => self.expired(session),
            (_, error) => error.into(),
        }
    }

    fn expired(&self, session: &SessionId) -> Error {
        Error::Expired {
            session: session.clone(),
            timeout: self.settings().session_timeout,
        }
    }

    /// A session that exists and has not expired.
    pub(crate) fn live_session(&self, id: &SessionId) -> Result<Session, Error> {
        match self.inner.store.session(id)? {
            Some(session) if !self.is_expired(&session, self.inner.clock.now()) => Ok(session),
            Some(_) => Err(self.expired(id)),
            None if self.inner.store.is_tombstone(id)? => Err(self.expired(id)),
            None => Err(Error::not_found(Missing::Task, "Session", id)),
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
            Err(Error::NotFound { what, .. }) => Err(Error::not_found(what, "Parent session", &id)),
            Err(error) => Err(error),
        }
    }

    fn with_mode(&self, session: Session, glances: &mut Glances) -> Task {
        let mode = self.mode_of(&session, glances);
        Task { session, mode }
    }

    fn is_expired(&self, session: &Session, now: Timestamp) -> bool {
        now.since(session.last_activity) > self.settings().session_timeout
    }

    /// Applies `switching`: `None` lets the change happen now.
    async fn govern<T>(
        &self,
        caller: &Caller,
        step: &Step<'_>,
        act: &Act,
    ) -> Result<Option<Outcome<T>>, Error> {
        let (from, to) = (&step.from, &step.to.slug);
        if caller.actor == Actor::Operator {
            return Ok(None);
        }
        let root = self.policy_root(&caller.project);
        let project = self.inner.store.project_at(&root)?;
        match self.switching_in(project.as_ref()) {
            Switching::Free => Ok(None),
            Switching::Locked if from == to => Ok(None),
            Switching::Locked => Err(Error::Denied {
                rule: None,
                message: format!(
                    "Tool '{}' cannot be used in '{from}' mode. Switching is locked by configuration.",
                    step.tool
                ),
                hint: Some("ask the user to change the mode".to_owned()),
            }),
            Switching::AskToWiden if !step.widens() => Ok(None),
            Switching::AskToWiden => {
                let subject = format!("Let the agent change from '{from}' to '{to}' mode?");
                Ok(match self.ask_once(step.session, &subject, act).await? {
                    Asked::Granted(_) => None,
                    Asked::Open(question) => Some(Outcome::NeedsApproval(question)),
                })
            }
        }
    }
}

/// A change of mode that is to be decided.
struct Step<'a> {
    from: ModeSlug,
    /// Missing when the mode's file no longer defines it.
    from_mode: Option<Arc<Mode>>,
    to: &'a Mode,
    session: Option<&'a SessionId>,
    tool: &'static str,
}

impl Step<'_> {
    /// Whether it gives rights; from a mode that is gone, nobody can tell, so it does.
    fn widens(&self) -> bool {
        self.from_mode
            .as_ref()
            .is_none_or(|from| widens(from, self.to))
    }

    /// Applies the mode's own `switchTo`. One that is gone says nothing: its task allows no call, and to leave it
    /// is the way out.
    fn allow_hand_over(&self, caller: &Caller) -> Result<(), Error> {
        let to = &self.to.slug;
        let Some(from) = &self.from_mode else {
            return Ok(());
        };
        let stays = from.slug == *to;
        if stays || caller.actor == Actor::Operator || from.may_switch_to(to) {
            return Ok(());
        }
        let allowed = from.switch_to.as_deref().unwrap_or_default().join(", ");
        Err(Error::Denied {
            rule: None,
            message: format!(
                "Tool '{}' cannot be used in '{}' mode for '{to}'. It may hand over to: {allowed}.",
                self.tool, from.slug
            ),
            hint: None,
        })
    }
}

fn parse_session(text: &str, parameter: &'static str) -> Result<SessionId, Error> {
    SessionId::parse(text)
        .map_err(|error| Error::invalid(parameter, format!("Invalid {parameter}: {error}")))
}
