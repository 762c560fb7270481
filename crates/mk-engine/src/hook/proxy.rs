//! What a proxy in front of an agent asks for besides: a decision without news for the model, and a look at what an
//! agent has done without asking.

use std::sync::Arc;

use mk_clients::{HookEvent, HookMoment, HookVerdict, ToolUse};
use mk_policy::Mode;
use mk_store::{DecisionFilter, Ruling};
use mk_types::{AbsPath, ConversationId, ModeSlug};

use super::{HookOutcome, HookSettings, Hooks, JudgedCall};
use crate::conversation::{Conversations, HeldConversation, Seat};
use crate::error::Error;
use crate::mode;
use crate::next_step::NextStep;

/// A decision, and the mode under which it was made.
#[derive(Debug)]
pub struct RuledCall {
    pub hooked: HookOutcome,
    pub mode: Arc<Mode>,
    /// It is one of our own tools that every mode has: nobody need be asked about it.
    pub is_always_ours: bool,
}

impl Hooks<'_> {
    /// Decides about a call that an agent has told a proxy of. The model hears nothing through this.
    pub async fn decide(
        &self,
        event: &HookEvent,
        seat: &Seat,
        settings: &HookSettings,
    ) -> Result<RuledCall, Error> {
        let held = self.held(seat, settings).await?;
        let hooked = match &event.moment {
            HookMoment::BeforeTool(tool) => {
                self.before(event, tool, &held, &settings.shell).await?
            }
            _ => HookOutcome::Decided(HookVerdict::pass()),
        };
        let is_always_ours = match &event.moment {
            HookMoment::BeforeTool(tool) => self.is_always_ours(tool),
            _ => false,
        };
        Ok(RuledCall {
            hooked,
            mode: held.mode,
            is_always_ours,
        })
    }

    /// Looks at a call that was made without asking. If the mode does not let it pass and nobody has decided about it,
    /// it is recorded, and the answer says why.
    pub async fn observe(
        &self,
        event: &HookEvent,
        tool: &ToolUse,
        seat: &Seat,
        settings: &HookSettings,
    ) -> Result<Option<String>, Error> {
        let held = self.held(seat, settings).await?;
        if self.own(tool).is_some() || self.is_decided(tool, &held)? {
            return Ok(None);
        }
        let judged = self.judge(event, tool, &held, &settings.shell);
        if matches!(judged.ruling, Ruling::Allow | Ruling::Paused) {
            return Ok(None);
        }
        let judged = JudgedCall {
            rule: "unasked",
            reason: format!("The agent did this without asking. {}", judged.reason),
            ..judged
        };
        self.record(tool, &held, &judged).await?;
        Ok(Some(judged.reason))
    }

    async fn held(&self, seat: &Seat, settings: &HookSettings) -> Result<HeldConversation, Error> {
        let conversations = self.engine.conversations();
        let conversation = conversations.open(seat).await?;
        let held = conversations.held(&conversation, settings.mode.as_ref())?;
        held.ok_or_else(|| Error::Denied {
            rule: None,
            message: "This conversation is in no mode".to_owned(),
            hint: Some(NextStep::SetMode),
        })
    }

    fn is_decided(&self, tool: &ToolUse, held: &HeldConversation) -> Result<bool, Error> {
        let Some(id) = &tool.id else { return Ok(false) };
        let filter = DecisionFilter {
            conversation: Some(held.conversation.id.clone()),
            tool_use: Some(id.clone()),
            limit: Some(1),
            ..Default::default()
        };
        Ok(!self.engine.inner.store.decisions(&filter)?.is_empty())
    }
}

impl Conversations<'_> {
    /// The conversation of an agent behind a proxy: opened, and from now on in a mode of its own. That is the one it
    /// had, or `inherited`, or the one that holds in its project.
    pub async fn sit(
        &self,
        seat: &Seat,
        settings: &HookSettings,
        inherited: Option<&ModeSlug>,
    ) -> Result<(ConversationId, ModeSlug), Error> {
        let conversation = self.open(seat).await?;
        if let Some(mode) = conversation.mode {
            return Ok((conversation.id, mode));
        }
        let slug = match inherited {
            Some(slug) => slug.clone(),
            None => self.mode_at(&seat.directory, settings)?,
        };
        let store = &self.engine.inner.store;
        let id = &conversation.id;
        if store.follow_conversation(id, None, slug.clone()).await? {
            return Ok((conversation.id, slug));
        }
        // A person has set one meanwhile.
        let set = self.mode_in_force(id)?;
        Ok((conversation.id, set.unwrap_or(slug)))
    }

    /// Puts a conversation that is in one mode into another; if a person has set one meanwhile, that stays. Tells which
    /// it is in.
    pub async fn follow(
        &self,
        id: &ConversationId,
        from: ModeSlug,
        to: ModeSlug,
    ) -> Result<ModeSlug, Error> {
        if from == to {
            return Ok(to);
        }
        let store = &self.engine.inner.store;
        if let Some(conversation) = store.conversation(id)? {
            let catalogue = self.engine.modes().catalogue_at(&conversation.root.path);
            mode::find(&catalogue, &to)?;
        }
        if store
            .follow_conversation(id, Some(from.clone()), to.clone())
            .await?
        {
            return Ok(to);
        }
        Ok(self.mode_in_force(id)?.unwrap_or(from))
    }

    /// The mode that a new conversation in this directory begins in.
    pub fn mode_at(&self, directory: &AbsPath, settings: &HookSettings) -> Result<ModeSlug, Error> {
        let root = self.engine.policy_root(directory);
        let project = self.engine.project_with(&root)?;
        let slug = project.and_then(|project| project.mode);
        let slug = slug.or_else(|| settings.mode.clone());
        Ok(slug.unwrap_or_else(|| self.engine.settings().default_mode.clone()))
    }

    /// The mode that a conversation is in now, set by a person, an agent or a proxy.
    pub fn mode_in_force(&self, id: &ConversationId) -> Result<Option<ModeSlug>, Error> {
        let found = self.engine.inner.store.conversation(id)?;
        Ok(found.and_then(|conversation| conversation.mode))
    }

    /// What a model is told about a mode of the project around a directory.
    pub fn instructions(&self, directory: &AbsPath, slug: &ModeSlug) -> Result<String, Error> {
        let root = self.engine.policy_root(directory);
        let mode = self.engine.mode_in(&root, slug)?;
        Ok(self.engine.hooks().instructions(&root, &mode))
    }

    /// Ends a conversation: what its process starts is no longer below it.
    pub async fn end(&self, id: &ConversationId) -> Result<(), Error> {
        Ok(self.engine.inner.store.end_conversation(id).await?)
    }

    /// Notes that the model has been told about a mode.
    pub async fn tell(&self, id: &ConversationId, slug: &ModeSlug) -> Result<(), Error> {
        let store = &self.engine.inner.store;
        Ok(store.tell_conversation(id, slug).await?)
    }
}
