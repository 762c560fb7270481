//! `create_task`: a new task in a mode, as a step from the mode in force or from its parent's.

use std::sync::Arc;

use mk_store::{NewSession, Session, TaskState};

use crate::approval::{ApprovedAct, Outcome};
use crate::conversation::HeldConversation;
use crate::error::Error;
use crate::switch_mode::{LeftMode, ModeStep};
use crate::task::{Task, Tasks};
use crate::{Caller, Engine};

/// A task to create.
#[derive(Debug, Clone)]
pub struct NewTask {
    pub mode: String,
    pub message: Option<String>,
    pub parent: Option<String>,
}

impl Tasks<'_> {
    /// Creates a task in a mode, or asks first where the configuration wants it.
    pub async fn create(self, caller: &Caller, new: NewTask) -> Result<Outcome<Task>, Error> {
        let engine = self.engine;
        let parent = new.parent.as_deref();
        let parent = parent.map(|id| engine.parent(id)).transpose()?;
        let project = match &parent {
            Some(parent) => engine.session_project(caller, parent),
            None => caller.project.clone(),
        };
        let within = Caller {
            project,
            ..caller.clone()
        };
        let mode = engine.modes().get(&within, "mode_slug", &new.mode)?;
        let session = parent.as_ref().map(|parent| &parent.id);
        let held = engine.held_caller(caller)?;
        let origins = engine.origins(caller, &within, parent.as_ref(), held.as_ref())?;
        let steps: Vec<ModeStep<'_>> = origins
            .into_iter()
            .map(|from| ModeStep {
                from,
                to: &mode,
                session,
                tool: "create_task",
            })
            .collect();
        for step in &steps {
            step.allow_hand_over(caller)?;
        }
        // One question at most: an answer to the first would be used up before the second is asked.
        for step in strictest(&steps) {
            let act = ApprovedAct::Create {
                project: within.project.clone(),
                from: step.from.slug.clone(),
                mode: mode.slug.clone(),
                parent: session.cloned(),
            };
            if let Some(outcome) = engine.govern(caller, step, &act).await? {
                return Ok(outcome);
            }
        }
        let created = engine.inner.store.create(NewSession {
            conversation: caller.conversation.id.clone(),
            mode: mode.slug.clone(),
            parent: parent.as_ref().map(|parent| parent.task.clone()),
            project: within.project.as_str().to_owned(),
            message: new.message,
        });
        let session = created
            .await
            .map_err(|error| engine.about(session, error))?;
        engine.follow(held, &mode.slug).await?;
        Ok(Outcome::Done(Task {
            session,
            mode: Some(mode),
        }))
    }
}

impl Engine {
    /// Where a new task comes from: its parent's mode, and the mode in force, unless the parent is all the caller has;
    /// and the mode that holds the agent.
    fn origins(
        &self,
        caller: &Caller,
        within: &Caller,
        parent: Option<&Session>,
        held: Option<&HeldConversation>,
    ) -> Result<Vec<LeftMode>, Error> {
        let mut origins = Vec::new();
        if let Some(parent) = parent {
            let catalogue = self.modes().catalogue(within);
            origins.push(LeftMode {
                mode: catalogue.get(parent.mode.as_str()).cloned(),
                slug: parent.mode.clone(),
            });
        }
        if parent.is_none() || !caller.conversation.tasks.is_empty() {
            let governing = self.governing(caller)?;
            let (slug, home) = self.mode_without_session(caller, &governing, held)?;
            let catalogue = self.modes().catalogue_at(&home);
            origins.push(LeftMode {
                mode: catalogue.get(slug.as_str()).cloned(),
                slug,
            });
        }
        origins.extend(held.map(|held| LeftMode {
            slug: held.mode.slug.clone(),
            mode: Some(Arc::clone(&held.mode)),
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
            Err(Error::NotFound { what, .. }) => Err(Error::not_found(what, "Parent session", &id)),
            Err(error) => Err(error),
        }
    }
}

/// The steps that can be refused without asking, and of those that widen the first.
fn strictest<'a, 'b>(steps: &'a [ModeStep<'b>]) -> impl Iterator<Item = &'a ModeStep<'b>> {
    let widening = steps.iter().filter(|step| step.widens()).take(1);
    steps.iter().filter(|step| !step.widens()).chain(widening)
}
