//! What a person sets for a project or one conversation: the mode, and a pause. Only faces of a person call these.

use std::sync::Arc;
use std::time::Duration;

use mk_policy::{Mode, Switching};
use mk_store::{Conversation, ModeReach, NewProjectMode, Project, SetProjectMode};
use mk_types::{AbsPath, ConversationId, ModeSlug, Timestamp};

use crate::conversation::{Conversations, LIVE};
use crate::error::Error;
use crate::missing::MissingThing;
use crate::{EngineChange, mode};

/// Whom a project's new mode reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchAudience {
    /// Every conversation of the project, those that run now included.
    Everyone,
    /// Conversations that begin later.
    NewOnes,
}

/// A project as a person has set it, and its live conversations.
#[derive(Debug)]
pub struct Standpoint {
    pub root: AbsPath,
    /// `None` if nothing was ever set.
    pub project: Option<Project>,
    /// Projects inside it with a mode of their own, which holds what touches them besides.
    pub nested: Vec<Project>,
    pub conversations: Vec<Conversation>,
}

impl Conversations<'_> {
    /// What is set for the project around a directory.
    pub fn standpoint(&self, directory: &AbsPath) -> Result<Standpoint, Error> {
        let store = &self.engine.inner.store;
        let root = self.engine.policy_root(directory);
        let mut project = self.engine.project_with(&root)?;
        let now = self.engine.inner.clock.now();
        if let Some(project) = &mut project {
            project.paused_until = project.paused_until.filter(|until| *until > now);
        }
        let since = self.live_since();
        let conversations = match &project {
            Some(project) => store.live_conversations(&project.id, since)?,
            None => Vec::new(),
        };
        Ok(Standpoint {
            nested: store.set_below(&root)?,
            root,
            project,
            conversations,
        })
    }

    /// Why no call can be decided here, if no file defines the mode that holds any more.
    pub fn missing_mode(&self, here: &Standpoint, configured: Option<&ModeSlug>) -> Option<Error> {
        let own = here.project.as_ref().and_then(|it| it.mode.as_ref());
        self.engine.mode_in(&here.root, own.or(configured)?).err()
    }

    pub fn get(&self, id: &ConversationId) -> Result<Option<Conversation>, Error> {
        Ok(self.engine.inner.store.conversation(id)?)
    }

    /// Whether a conversation of an agent whose process is known may be running.
    pub fn is_any_agent_running(&self) -> Result<bool, Error> {
        let since = self.live_since();
        // Rounded down, so that the store is asked the same for a while.
        let hour = since.as_millis().div_euclid(3_600_000) * 3_600_000;
        let store = &self.engine.inner.store;
        let last = store.last_agent_active(Timestamp::from_millis(hour))?;
        Ok(last.is_some_and(|last| last >= since))
    }

    /// The live conversations of every project, the latest first, each with its project.
    pub fn live_everywhere(&self) -> Result<Vec<(Conversation, Option<Project>)>, Error> {
        let store = &self.engine.inner.store;
        let mut found = Vec::new();
        for conversation in store.conversations_since(self.live_since())? {
            if conversation.ended_at.is_none() {
                let project = store.project(&conversation.project)?;
                found.push((conversation, project));
            }
        }
        Ok(found)
    }

    /// Sets the mode of a project. A person's act: it counts as the approval to widen. Agents there ask before they
    /// widen what was set, unless a person has decided otherwise.
    pub async fn set_project_mode(
        &self,
        directory: &AbsPath,
        slug: &ModeSlug,
        whom: SwitchAudience,
    ) -> Result<(Project, Arc<Mode>), Error> {
        let root = self.engine.root_to_set(directory);
        let mode = mode::find(&self.engine.modes().catalogue_at(&root), slug)?;
        let reach = match whom {
            SwitchAudience::Everyone => ModeReach::AllActiveSince(self.live_since()),
            SwitchAudience::NewOnes => ModeReach::NewConversations,
        };
        let project = self.hold_project(root, slug, reach).await?;
        Ok((project, mode))
    }

    /// Sets a project up to hold agents: in the mode given, else in the one it has, else in the default one. Agents
    /// there ask before they widen it, as in [`Self::set_project_mode`].
    pub async fn set_up(
        &self,
        directory: &AbsPath,
        mode: Option<ModeSlug>,
    ) -> Result<ModeSlug, Error> {
        let store = &self.engine.inner.store;
        let root = self.engine.root_to_set(directory);
        let project = store.project_at(&root)?;
        let default = || self.engine.settings().default_mode.clone();
        // A person who names a mode sets it for every conversation, as in `set_project_mode`.
        let reach = match &mode {
            Some(_) => ModeReach::AllActiveSince(self.live_since()),
            None => ModeReach::NewConversations,
        };
        let catalogue = self.engine.modes().catalogue_at(&root);
        let slug = mode
            .or_else(|| project.and_then(|project| project.mode))
            .unwrap_or_else(default);
        mode::find_in_force(&catalogue, &slug)?;
        self.hold_project(root, &slug, reach).await?;
        Ok(slug)
    }

    /// Takes the mode back that [`Self::set_project_mode`] would replace, never that of a project around it. A person's
    /// act: the configuration decides again, and where it names no mode, hooks let every call pass. Gives the project as
    /// it was.
    pub async fn unset_project_mode(&self, directory: &AbsPath) -> Result<Option<Project>, Error> {
        let store = &self.engine.inner.store;
        // A linked worktree may have a mode from before it was one, which holds there and not the main one's.
        let is_set = |project: &Project| project.mode.is_some();
        let own = store.project_at(&self.engine.own_root(directory))?;
        let found = match own.filter(is_set) {
            Some(own) => Some(own),
            None => store.project_at(&self.engine.root_to_set(directory))?,
        };
        let Some(before) = found.filter(is_set) else {
            return Ok(None);
        };
        store.unset_project_mode(&before.root).await?;
        self.engine.open(&before.root).reload(self.engine);
        Ok(Some(before))
    }

    /// Refuses a directory that no mode can be set for, such as a home.
    pub fn may_be_set(&self, directory: &AbsPath) -> Result<(), Error> {
        self.require_project(&self.engine.root_to_set(directory))
    }

    fn require_project(&self, root: &AbsPath) -> Result<(), Error> {
        if self.engine.open(root).is_never_a_project() {
            let message = format!("{root} is not a project: run this in a project's directory");
            return Err(Error::invalid("project", message));
        }
        Ok(())
    }

    /// Everything that a person's act changes, at once.
    async fn hold_project(
        &self,
        root: AbsPath,
        slug: &ModeSlug,
        reach: ModeReach,
    ) -> Result<Project, Error> {
        self.require_project(&root)?;
        let set = self.engine.inner.store.set_project_mode(NewProjectMode {
            worktrees: self.engine.held_worktrees(&root)?,
            root,
            mode: slug.clone(),
            reach,
            switching: Some(Switching::AskToWiden.as_str().to_owned()),
            reason: "set for the project by a person".to_owned(),
        });
        let SetProjectMode { project, switched } = set.await?;
        for session in switched {
            self.engine.announce(EngineChange::Switched { session });
        }
        // From now on a wider text waits for trust: what the modes may do today is what it is compared with.
        self.engine.open(&project.root).reload(self.engine);
        Ok(project)
    }

    /// Sets the mode of one conversation.
    pub async fn set_mode(
        &self,
        id: &ConversationId,
        slug: &ModeSlug,
    ) -> Result<(Conversation, Arc<Mode>), Error> {
        let store = &self.engine.inner.store;
        let found = store.conversation(id)?;
        let missing = || Error::NotFound(MissingThing::Conversation(id.clone()));
        let found = found.ok_or_else(missing)?;
        let catalogue = self.engine.modes().catalogue_at(&found.root.path);
        let mode = mode::find(&catalogue, slug)?;
        let conversation = store.set_conversation_mode(id, Some(slug.clone())).await?;
        Ok((conversation, mode))
    }

    /// Suspends enforcement in a project for a while; `None` resumes it.
    pub async fn pause(
        &self,
        directory: &AbsPath,
        time: Option<Duration>,
    ) -> Result<Project, Error> {
        let store = &self.engine.inner.store;
        let root = self.engine.policy_root(directory);
        let root = self.engine.project_root(&root)?;
        let project = store.open_project(&root).await?;
        let until = time.map(|time| self.engine.inner.clock.now().after(time));
        Ok(store.pause_project(&project.id, until).await?)
    }

    fn live_since(&self) -> Timestamp {
        self.engine.inner.clock.now().before(LIVE)
    }
}
