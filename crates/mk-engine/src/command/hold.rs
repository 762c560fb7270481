//! Which modes hold a command, by whom it was started: the conversation of the agent above it, else the project's mode.
//!
//! A permit that a hook has stored for the line spares the second look at it. It never widens: it counts only under the
//! policy that it was given under, and the modes that hold now are what the wall is built from.

use std::sync::Arc;

use mk_policy::Mode;
use mk_store::{AgentSession, CommandPermit, Conversation, ProcessIdentity};
use mk_types::{AbsPath, ConversationId, ModeSlug, PermitId, ProjectId};
use serde_json::{Value, json};

use super::CommandLimits;
use crate::conversation::{HeldConversation, check_root};
use crate::error::Error;
use crate::layer::{ProjectLayer, ignored_with};
use crate::next_step::NextStep;
use crate::place::real;
use crate::{Engine, mode};

/// A command that is about to start, as its environment and the kernel describe it.
#[derive(Debug)]
pub struct CommandAsked<'a> {
    /// What clients tell their children about their session.
    pub sessions: &'a [AgentSession],
    /// The processes above the command, nearest first.
    pub above: &'a [ProcessIdentity],
    pub directory: &'a AbsPath,
    /// Where the project is if no conversation says so.
    pub project: &'a AbsPath,
    /// The hash of the line.
    pub line_hash: &'a str,
    /// The mode that the operator's configuration names.
    pub configured: Option<&'a ModeSlug>,
    /// A mode that only narrows.
    pub narrowed: Option<&'a ModeSlug>,
    /// The permit that our own server has stored for this command; it then says what holds.
    pub permit: Option<&'a PermitId>,
}

/// What our own server writes into a permit: which modes hold, and where.
pub(crate) fn rights_of(modes: &[Arc<Mode>], root: &AbsPath) -> String {
    let modes: Vec<&str> = modes.iter().map(|mode| mode.slug.as_str()).collect();
    json!({ "modes": modes, "root": root.as_str() }).to_string()
}

/// What the hook writes into the permit of a line that a person has agreed to, as it stands.
pub(crate) fn approved(policy: &str) -> String {
    format!("approved {policy}")
}

/// What holds a command.
#[derive(Debug)]
pub struct CommandHold {
    pub limits: CommandLimits,
    pub conversation: Option<ConversationId>,
    pub project: Option<ProjectId>,
    /// The permit that was used up, if the hook has judged the line already.
    pub permit: Option<PermitId>,
    pub waiver: Waiver,
}

/// Why a command need not be held, the strongest reason first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiver {
    /// A person has suspended enforcement here.
    Paused,
    /// A person has agreed to this very line: it does what they have read, and the wall would refuse that.
    Approved,
    /// Neither a person nor the configuration has set a mode here.
    NoMode,
    /// It must be held.
    None,
}

/// What one of several ways says about a command.
struct HoldStanding {
    modes: Vec<Arc<Mode>>,
    root: AbsPath,
    held: Option<HeldConversation>,
    project: Option<mk_store::Project>,
    conversation: Option<Conversation>,
    is_set: bool,
}

/// A permit that was used up.
struct TakenPermit {
    id: PermitId,
    is_approved: bool,
}

impl Engine {
    /// Finds what holds a command, and uses up its permit.
    pub async fn hold_command(&self, asked: &CommandAsked<'_>) -> Result<CommandHold, Error> {
        let standing = match asked.permit {
            Some(id) => self.permitted(id, asked).await?,
            None => self.standing_of(asked)?,
        };
        let open = self.open(&standing.root);
        let in_force = standing.modes.first().map(|mode| &mode.slug);
        let in_force = in_force.unwrap_or(&self.settings().default_mode);
        let layers = self.layers(&standing.root, in_force)?;
        let permit = match (asked.permit, &standing.held) {
            (Some(id), _) => Some(TakenPermit {
                id: id.clone(),
                is_approved: false,
            }),
            (None, Some(held)) => self.take_permit(held, asked, &layers).await?,
            (None, None) => None,
        };
        let directory = real_root(asked.directory);
        let mut is_held_here = false;
        for layer in layers.iter().filter(|it| it.holds_in(directory.as_path())) {
            layer.known_mode()?;
            is_held_here |= !layer.is_paused();
        }
        let mut modes = Vec::new();
        if let Some(slug) = asked.narrowed {
            modes.push(mode::find(&open.catalogue(), slug)?);
        }
        modes.extend(standing.modes);
        let now = self.inner.clock.now();
        let project = standing.project;
        let paused = project.as_ref().and_then(|it| it.paused_until);
        let is_paused = paused.is_some_and(|until| until > now);
        // A project inside the paused one is held by its own mode.
        let waiver = if is_paused && !is_held_here {
            Waiver::Paused
        } else if permit.as_ref().is_some_and(|it| it.is_approved) {
            Waiver::Approved
        } else if !standing.is_set && !is_held_here {
            Waiver::NoMode
        } else {
            Waiver::None
        };
        Ok(CommandHold {
            limits: CommandLimits {
                engine: self.clone(),
                modes,
                ignored: ignored_with(open.root(), &open.ignored(), &layers),
                layers,
                root: standing.root,
                directory,
            },
            conversation: standing.conversation.map(|it| it.id),
            project: project.map(|it| it.id),
            permit: permit.map(|it| it.id),
            waiver,
        })
    }

    /// What a permit of our own server says. It is good for one line in one directory.
    async fn permitted(
        &self,
        id: &PermitId,
        asked: &CommandAsked<'_>,
    ) -> Result<HoldStanding, Error> {
        let denied = || Error::Denied {
            rule: None,
            message: format!("The permit {id} is used, expired, or for another command"),
            hint: Some(NextStep::RunAgain),
        };
        let store = &self.inner.store;
        let permit = store.take_permit(id).await?.ok_or_else(denied)?;
        if permit.line_hash != asked.line_hash || permit.directory != *asked.directory {
            return Err(denied());
        }
        let rights: Value = serde_json::from_str(&permit.rights).unwrap_or_default();
        let root = rights["root"]
            .as_str()
            .and_then(|it| AbsPath::new(it.as_ref()));
        let root = root.ok_or_else(denied)?;
        let slugs = rights["modes"].as_array().ok_or_else(denied)?;
        let mut modes = Vec::new();
        for slug in slugs {
            let slug = slug.as_str().and_then(|it| ModeSlug::parse(it).ok());
            modes.push(self.mode_in(&root, &slug.ok_or_else(denied)?)?);
        }
        if modes.is_empty() {
            return Err(denied());
        }
        Ok(HoldStanding {
            modes,
            project: self.project_with(&root)?,
            root,
            held: None,
            conversation: store.conversation(&permit.conversation)?,
            is_set: true,
        })
    }

    /// 1. The conversation that the client's session variable names, or that its process belongs to; of several in one
    ///    process the narrowest.
    /// 2. The project's mode, set by a person.
    /// 3. The configured mode, or the default one.
    fn standing_of(&self, asked: &CommandAsked<'_>) -> Result<HoldStanding, Error> {
        if let Some(conversation) = self.conversation_of_command(asked)? {
            check_root(&conversation.root)?;
            let held = self.conversations().held(&conversation, asked.configured)?;
            if let Some(held) = held {
                let modes = [&held.mode].into_iter().chain(&held.ceilings);
                return Ok(HoldStanding {
                    modes: modes.cloned().collect(),
                    root: conversation.root.path.clone(),
                    project: Some(held.project.clone()),
                    held: Some(held),
                    conversation: Some(conversation),
                    is_set: true,
                });
            }
        }
        let root = self.policy_root(asked.project);
        let project = self.project_with(&root)?;
        let own = project.as_ref().and_then(|project| project.mode.as_ref());
        let slug = own.or(asked.configured);
        let is_set = slug.is_some();
        let slug = slug.unwrap_or(&self.settings().default_mode);
        let found = self.mode_in(&root, slug)?;
        Ok(HoldStanding {
            modes: vec![found],
            root,
            held: None,
            project,
            conversation: None,
            is_set,
        })
    }

    fn conversation_of_command(
        &self,
        asked: &CommandAsked<'_>,
    ) -> Result<Option<Conversation>, Error> {
        let store = &self.inner.store;
        for client in asked.sessions {
            if let Some(found) = store.conversation_of_client(client)? {
                return Ok(Some(found));
            }
        }
        self.conversations().of_nearest(asked.above)
    }

    /// Under what a line in a directory was judged: the modes of the conversation, and those of projects around and
    /// inside its own.
    pub(crate) fn permit_policy(
        &self,
        held: &HeldConversation,
        layers: &[ProjectLayer],
        directory: &AbsPath,
    ) -> String {
        let directory = real(directory.as_path());
        let own = self.inner.fingerprints.of_held(held);
        let layers = layers.iter().map(|layer| layer.policy_in(&directory));
        layers.fold(own, |policy, layer| policy + &layer)
    }

    /// Of several permits for one line the narrowest; those of another policy do not count.
    async fn take_permit(
        &self,
        held: &HeldConversation,
        asked: &CommandAsked<'_>,
        layers: &[ProjectLayer],
    ) -> Result<Option<TakenPermit>, Error> {
        let store = &self.inner.store;
        let conversation = Some(&held.conversation.id);
        let found = store.permits_for(conversation, asked.directory, asked.line_hash)?;
        let policy = self.permit_policy(held, layers, asked.directory);
        let with_approval = approved(&policy);
        for CommandPermit { id, rights, .. } in found {
            let is_approved = rights == with_approval;
            // Another process may have been faster.
            if (is_approved || rights == policy) && store.take_permit(&id).await?.is_some() {
                return Ok(Some(TakenPermit { id, is_approved }));
            }
        }
        Ok(None)
    }
}

/// What a directory leads to.
fn real_root(directory: &AbsPath) -> AbsPath {
    AbsPath::new(&real(directory.as_path())).unwrap_or_else(|| directory.clone())
}
