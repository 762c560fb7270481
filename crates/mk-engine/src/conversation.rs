//! Conversations as the engine sees them: which one an agent's event belongs to, and the mode that holds it.
//!
//! A conversation's root is fixed when it is opened. A later working directory only says where relative paths begin.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mk_policy::{Mode, Switching, widens};
use mk_project::{is_project, linked_worktrees};
use mk_store::{
    AgentSession, Conversation, ConversationGrounds, NewConversation, ProcessIdentity, Project,
    ProjectGrounds, RootDirectory,
};
use mk_types::{AbsPath, ModeSlug};

use crate::error::Error;
use crate::place::real;
use crate::worktree::main_worktree;
use crate::{Caller, Engine, mode};

/// How long a conversation counts as live after its last event.
pub(crate) const LIVE: Duration = Duration::from_secs(24 * 3600);
/// How old the note of a conversation's last event may become before it is written again.
const NOTE: Duration = Duration::from_secs(60);
/// An agent that starts an agent that starts an agent …: more than this is refused.
const DEEPEST: usize = 16;

/// Who speaks, and from where.
#[derive(Debug, Clone)]
pub struct Seat {
    pub client: AgentSession,
    /// The session that started this one inside the same client.
    pub parent: Option<String>,
    /// Where the agent works.
    pub directory: AbsPath,
    /// The client's own process.
    pub process: Option<ProcessIdentity>,
    /// The processes above it, nearest first.
    pub above: Vec<ProcessIdentity>,
}

/// A conversation and what holds it.
#[derive(Debug, Clone)]
pub struct HeldConversation {
    pub conversation: Conversation,
    pub project: Project,
    pub mode: Arc<Mode>,
    /// Modes that hold it besides its own: those of the agents that started this one. Nothing may do more than each.
    pub ceilings: Vec<Arc<Mode>>,
}

impl HeldConversation {
    /// What a change of mode compares, and the mode that takes the conversation along if it is another.
    pub(crate) fn grounds(&self, to: Option<&ModeSlug>) -> ConversationGrounds {
        ConversationGrounds {
            id: self.conversation.id.clone(),
            mode: self.conversation.mode.clone(),
            to: to.filter(|to| **to != self.mode.slug).cloned(),
        }
    }
}

/// The conversations of agents.
#[derive(Debug, Clone, Copy)]
pub struct Conversations<'a> {
    pub(crate) engine: &'a Engine,
}

impl Engine {
    pub fn conversations(&self) -> Conversations<'_> {
        Conversations { engine: self }
    }
}

impl Conversations<'_> {
    /// The conversation of an agent's event, opened if this is its first.
    pub async fn open(&self, seat: &Seat) -> Result<Conversation, Error> {
        let store = &self.engine.inner.store;
        if let Some(found) = store.conversation_of_client(&seat.client)? {
            check_root(&found.root)?;
            let moved = seat.process.is_some() && seat.process != found.process;
            let age = self.engine.inner.clock.now().since(found.last_active);
            if moved || age > NOTE || found.ended_at.is_some() {
                store.touch_conversation(&found.id, seat.process).await?;
            }
            return Ok(found);
        }
        let path = self.engine.policy_root(&seat.directory);
        let root = root_at(&path)?;
        let project = store
            .open_project(&self.engine.project_root(&root.path)?)
            .await?;
        let new = NewConversation {
            client: seat.client.clone(),
            project: project.id,
            root,
            mode: None,
            parent: self.parent(seat)?.map(|parent| parent.id),
            process: seat.process,
        };
        Ok(store.open_conversation(new).await?)
    }

    /// The conversation that a new one is below: its client's, or that of an agent above it in the tree of processes.
    fn parent(&self, seat: &Seat) -> Result<Option<Conversation>, Error> {
        let store = &self.engine.inner.store;
        if let Some(session) = &seat.parent {
            let client = AgentSession {
                name: seat.client.name.clone(),
                session: session.clone(),
            };
            if let Some(found) = store.conversation_of_client(&client)? {
                return Ok(Some(found));
            }
        }
        self.of_nearest(&seat.above)
    }

    /// The conversation of the first of these processes that has one.
    pub(crate) fn of_nearest(
        &self,
        processes: &[ProcessIdentity],
    ) -> Result<Option<Conversation>, Error> {
        let store = &self.engine.inner.store;
        let mut found = store.conversations_of_processes(processes)?;
        for process in processes {
            let here = found.extract_if(.., |it| it.process == Some(*process));
            if let Some(narrowest) = self.narrowest(here.collect())? {
                return Ok(Some(narrowest));
            }
        }
        Ok(None)
    }

    /// Of several conversations in one process, the one with the narrowest mode.
    fn narrowest(&self, found: Vec<Conversation>) -> Result<Option<Conversation>, Error> {
        let mut narrowest: Option<(Conversation, Option<Arc<Mode>>)> = None;
        for conversation in found {
            let mode = self.held(&conversation, None)?.map(|held| held.mode);
            let narrower = match (&narrowest, &mode) {
                (None, _) | (Some((_, None)), Some(_)) => true,
                (Some((_, Some(before))), Some(mode)) => !widens(before, mode),
                (Some(_), None) => false,
            };
            if narrower {
                narrowest = Some((conversation, mode));
            }
        }
        Ok(narrowest.map(|(conversation, _)| conversation))
    }

    /// What holds a conversation; `None` where neither a person nor the configuration has set a mode.
    ///
    /// 1. A subagent has its parent's mode.
    /// 2. The conversation's own mode.
    /// 3. The project's mode, set by a person.
    /// 4. The configured mode.
    ///
    /// Besides, it is held by the modes of the agents that started it.
    pub fn held(
        &self,
        conversation: &Conversation,
        configured: Option<&ModeSlug>,
    ) -> Result<Option<HeldConversation>, Error> {
        self.held_below(conversation, configured, DEEPEST)
    }

    fn held_below(
        &self,
        conversation: &Conversation,
        configured: Option<&ModeSlug>,
        depth: usize,
    ) -> Result<Option<HeldConversation>, Error> {
        let store = &self.engine.inner.store;
        let Some(depth) = depth.checked_sub(1) else {
            return Err(denied(
                "Too many agents were started by one another",
                "end some of them",
            ));
        };
        let parent = match &conversation.parent {
            Some(id) => store.conversation(id)?,
            None => None,
        };
        let above = match &parent {
            Some(parent) => self.held_below(parent, configured, depth)?,
            None => None,
        };
        let project = store.project(&conversation.project)?;
        let project = project.ok_or_else(|| gone("the project of this conversation"))?;
        let same_client = parent
            .as_ref()
            .is_some_and(|parent| parent.client.name == conversation.client.name);
        if let Some(above) = above.clone().filter(|_| same_client) {
            return Ok(Some(HeldConversation {
                conversation: conversation.clone(),
                project,
                ..above
            }));
        }
        let slug = conversation.mode.as_ref().or(project.mode.as_ref());
        let slug = slug.or(configured);
        let root = &conversation.root.path;
        let own = slug.map(|slug| self.engine.mode_in(root, slug));
        let own = own.transpose()?;
        let (mut modes, ceilings) = (Vec::new(), above);
        modes.extend(own);
        if let Some(above) = ceilings {
            modes.push(above.mode);
            modes.extend(above.ceilings);
        }
        let mut modes = modes.into_iter();
        Ok(modes.next().map(|mode| HeldConversation {
            conversation: conversation.clone(),
            project,
            mode,
            ceilings: modes.collect(),
        }))
    }
}

impl Engine {
    /// The directory whose modes, ignore rules and patterns hold for work in this one.
    ///
    /// 1. The nearest one that a person has set a mode for, from the project upwards.
    /// 2. The project.
    pub(crate) fn policy_root(&self, directory: &AbsPath) -> AbsPath {
        let project = self.own_root(directory);
        let found = self.nearest_above(&project).ok().and_then(|it| it.found);
        found.map_or(project, |project| project.root)
    }

    /// A mode of the project with this root. What a linked worktree does not have, because its branch or an untracked
    /// file leaves it out, is the main one's; what a directory inside a project does not have is that project's. What is
    /// broken there is not.
    pub(crate) fn mode_in(&self, root: &AbsPath, slug: &ModeSlug) -> Result<Arc<Mode>, Error> {
        let catalogue = self.modes().catalogue_at(root);
        mode::find_in_force(&catalogue, slug).or_else(|error| {
            if catalogue.why_broken(slug.as_str()).is_some() {
                return Err(error);
            }
            if let Some(around) = self.root_around(root)? {
                return mode::find_in_force(&self.open_at(&around).catalogue(), slug);
            }
            match self.project_root(root)? {
                main if main == *root => Err(error),
                main => mode::find_in_force(&self.modes().catalogue_at(&main), slug),
            }
        })
    }

    /// The project whose mode, set by a person, holds for work in this directory: around it, else around the main
    /// worktree of its repository.
    pub(crate) fn nearest_set(&self, directory: &AbsPath) -> Result<ProjectGrounds, Error> {
        let project = self.own_root(directory);
        let own = self.nearest_above(&project)?;
        if own.found.is_some() {
            return Ok(own);
        }
        match main_worktree(&project) {
            Some(main) => self.nearest_above(&main),
            None => Ok(own),
        }
    }

    /// The linked worktrees that have the mode of this project: around them, no other is set.
    pub(crate) fn held_worktrees(&self, root: &AbsPath) -> Result<Vec<AbsPath>, Error> {
        let mut held = Vec::new();
        for worktree in linked_worktrees(root) {
            if self.nearest_above(&worktree)?.found.is_none() {
                held.push(worktree);
            }
        }
        Ok(held)
    }

    pub(crate) fn nearest_above(&self, project: &AbsPath) -> Result<ProjectGrounds, Error> {
        let upwards = project.as_path().ancestors().filter_map(AbsPath::new);
        let among: Vec<AbsPath> = upwards.collect();
        let found = self.inner.store.nearest_set(&among)?.map(Box::new);
        Ok(ProjectGrounds { among, found })
    }

    /// The root under which a project is known that has this policy root: worktrees of a repository are one project,
    /// unless a person has set a mode for this one before it was one.
    pub(crate) fn project_root(&self, root: &AbsPath) -> Result<AbsPath, Error> {
        let own = self.inner.store.project_at(root)?;
        if own.is_some_and(|project| project.mode.is_some()) {
            return Ok(root.clone());
        }
        Ok(main_worktree(root).unwrap_or_else(|| root.clone()))
    }

    /// What is kept about the project that has this policy root.
    pub(crate) fn project_with(&self, root: &AbsPath) -> Result<Option<Project>, Error> {
        let root = self.project_root(root)?;
        Ok(self.inner.store.project_at(&root)?)
    }

    /// The directory that a person means who sets something here: a project of its own, whatever is set above it.
    pub(crate) fn root_to_set(&self, directory: &AbsPath) -> AbsPath {
        let project = self.own_root(directory);
        if is_project(project.as_path()) {
            return main_worktree(&project).unwrap_or(project);
        }
        self.policy_root(directory)
    }

    /// The project around a directory; the store is not asked.
    pub(crate) fn own_root(&self, directory: &AbsPath) -> AbsPath {
        let real = AbsPath::new(&real(directory.as_path()));
        self.project_of(real.as_ref().unwrap_or(directory))
    }

    /// How freely the caller changes modes, in the project it works in.
    pub fn switching_for(&self, caller: &Caller) -> Result<Switching, Error> {
        let set = self.nearest_set(&caller.project)?;
        Ok(self.switching_in(set.found.as_deref()))
    }

    /// How freely agents change modes here: a project's own word only tightens the configuration's.
    pub(crate) fn switching_in(&self, project: Option<&Project>) -> Switching {
        let own = project.and_then(|project| project.switching.as_deref());
        let own = own.map(|word| Switching::parse(word).unwrap_or(Switching::Locked));
        let strictness = |rule: &Switching| match rule {
            Switching::Free => 0,
            Switching::AskToWiden => 1,
            Switching::Locked => 2,
        };
        let configured = self.settings().switching;
        own.into_iter()
            .chain([configured])
            .max_by_key(strictness)
            .unwrap_or(configured)
    }
}

pub(crate) fn root_at(path: &AbsPath) -> Result<RootDirectory, Error> {
    let (device, inode) =
        identity(path.as_path()).ok_or_else(|| gone(&format!("the project directory {path}")))?;
    Ok(RootDirectory {
        path: path.clone(),
        device,
        inode,
    })
}

/// A directory that was moved away and made again is another one, and nobody has decided about it.
pub(crate) fn check_root(root: &RootDirectory) -> Result<(), Error> {
    if identity(root.path.as_path()) == Some((root.device, root.inode)) {
        return Ok(());
    }
    Err(denied(
        &format!(
            "The project directory {} is not the one this conversation began in",
            root.path
        ),
        "start a new conversation in the project",
    ))
}

fn denied(message: &str, hint: &'static str) -> Error {
    Error::Denied {
        rule: None,
        message: message.to_owned(),
        hint: Some(hint.into()),
    }
}

fn gone(what: &str) -> Error {
    denied(&format!("Cannot find {what}"), "start a new conversation")
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// Without inodes a path stands for itself.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<(u64, u64)> {
    path.is_dir().then_some((0, 0))
}
