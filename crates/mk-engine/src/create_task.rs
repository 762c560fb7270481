//! `create_task`: a new task in a mode, as a step from the mode in force or from its parent's.

use mk_policy::Mode;
use mk_store::{ModeGrounds, NewSession, Session, TaskState};
use mk_types::{AbsPath, SessionId};

use crate::approval::{ApprovedAct, Outcome};
use crate::conversation::HeldConversation;
use crate::error::Error;
use crate::governing::GoverningTask;
use crate::missing::{ConflictingChange, MissingThing};
use crate::switch_mode::{LeftMode, MOST_TRIES, ModeStep};
use crate::task::{Task, Tasks};
use crate::{Caller, Engine};

/// A task to create.
#[derive(Debug, Clone)]
pub struct NewTask {
    pub mode: String,
    pub message: Option<String>,
    pub parent: Option<String>,
}

/// What is to be created.
struct TaskCreation<'a> {
    project: &'a AbsPath,
    mode: &'a Mode,
    parent: Option<&'a SessionId>,
}

/// A mode that a new task comes from, and the task whose mode it is.
struct TaskOrigin {
    left: LeftMode,
    task: Option<SessionId>,
}

impl Tasks<'_> {
    /// Creates a task in a mode, or asks first where the configuration wants it.
    pub async fn create(self, caller: &Caller, new: NewTask) -> Result<Outcome<Task>, Error> {
        for _ in 0..MOST_TRIES {
            if let Some(outcome) = self.engine.try_create(caller, &new).await? {
                return Ok(outcome);
            }
        }
        Err(Error::Conflict(ConflictingChange::Mode))
    }
}

impl Engine {
    /// One try; `None` if a person has changed the mode meanwhile, so that everything is decided again.
    async fn try_create(
        &self,
        caller: &Caller,
        new: &NewTask,
    ) -> Result<Option<Outcome<Task>>, Error> {
        let set = self.nearest_set(&caller.project)?;
        let parent = new.parent.as_deref();
        let parent = parent.map(|id| self.parent(id)).transpose()?;
        if let Some(parent) = &parent {
            caller.may_change(parent)?;
        }
        let project = match &parent {
            Some(parent) => self.session_project(caller, parent),
            None => caller.project.clone(),
        };
        let within = Caller {
            project,
            ..caller.clone()
        };
        let mode = self.modes().get(&within, "mode_slug", &new.mode)?;
        let held = self.held_caller(caller)?;
        let origins = self.origins(caller, &within, parent.as_ref(), held.as_ref())?;
        let tasks = origins
            .iter()
            .filter_map(|it| Some((it.task.clone()?, it.left.slug.clone())));
        let grounds = ModeGrounds {
            project: Some(set),
            conversation: held.map(|held| held.grounds(Some(&mode.slug))),
            tasks: tasks.collect(),
        };
        let session = parent.as_ref().map(|parent| &parent.id);
        let creation = TaskCreation {
            project: &within.project,
            mode: &mode,
            parent: session,
        };
        let governed = self.govern_creation(caller, &creation, origins);
        if let Some(outcome) = governed.await? {
            return Ok(Some(outcome));
        }
        let created = self.inner.store.create(NewSession {
            conversation: caller.conversation.id.clone(),
            mode: mode.slug.clone(),
            parent: parent.as_ref().map(|parent| parent.task.clone()),
            project: within.project.as_str().to_owned(),
            message: new.message.clone(),
            grounds,
        });
        match created.await {
            Ok(session) => Ok(Some(Outcome::Done(Task {
                session,
                mode: Some(mode),
            }))),
            Err(mk_store::Error::Overtaken) => Ok(None),
            Err(error) => Err(self.about(session, error)),
        }
    }

    /// Applies the rules of every mode that the task comes from.
    async fn govern_creation(
        &self,
        caller: &Caller,
        creation: &TaskCreation<'_>,
        origins: Vec<TaskOrigin>,
    ) -> Result<Option<Outcome<Task>>, Error> {
        let steps: Vec<ModeStep<'_>> = origins
            .into_iter()
            .map(|origin| ModeStep {
                from: origin.left,
                to: creation.mode,
                session: creation.parent,
                tool: "create_task",
                reason: None,
            })
            .collect();
        for step in &steps {
            step.allow_hand_over(caller)?;
        }
        // One question at most: an answer to the first would be used up before the second is asked.
        for step in strictest(&steps) {
            let act = ApprovedAct::Create {
                project: creation.project.clone(),
                from: step.from.slug.clone(),
                mode: creation.mode.slug.clone(),
                parent: creation.parent.cloned(),
            };
            if let Some(outcome) = self.govern(caller, step, &act).await? {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }

    /// Where a new task comes from: its parent's mode, and the mode in force, unless the parent is all the caller has;
    /// and the mode that holds the agent.
    fn origins(
        &self,
        caller: &Caller,
        within: &Caller,
        parent: Option<&Session>,
        held: Option<&HeldConversation>,
    ) -> Result<Vec<TaskOrigin>, Error> {
        let mut origins = Vec::new();
        if let Some(parent) = parent {
            let left = LeftMode::named(&parent.mode, &self.modes().catalogue(within));
            let task = Some(parent.id.clone());
            origins.push(TaskOrigin { left, task });
        }
        if parent.is_none() || caller.conversation.id.is_some() {
            let governing = self.governing(caller)?;
            let (slug, home) = self.mode_without_session(caller, &governing, held)?;
            let left = LeftMode::named(&slug, &self.modes().catalogue_at(&home));
            let task = match governing {
                GoverningTask::Live(session) | GoverningTask::Ended(session) => Some(session.id),
                GoverningTask::Nothing => None,
            };
            origins.push(TaskOrigin { left, task });
        }
        origins.extend(held.map(|held| TaskOrigin {
            left: LeftMode::of(&held.mode),
            task: None,
        }));
        Ok(origins)
    }

    fn parent(&self, id: &str) -> Result<Session, Error> {
        let id = self.named_session("parent_session_id", id)?;
        match self.live_session(&id) {
            Ok(session) if session.state == TaskState::Active => Ok(session),
            Ok(session) => {
                let message = format!("Parent task of session {id} is already {}", session.state);
                Err(Error::invalid("parent_session_id", message))
            }
            Err(Error::NotFound(_)) => Err(Error::NotFound(MissingThing::ParentSession(id))),
            Err(error) => Err(error),
        }
    }
}

/// The steps that can be refused without asking, and of those that widen the first.
fn strictest<'a, 'b>(steps: &'a [ModeStep<'b>]) -> impl Iterator<Item = &'a ModeStep<'b>> {
    let widening = steps.iter().filter(|step| step.widens()).take(1);
    steps.iter().filter(|step| !step.widens()).chain(widening)
}
