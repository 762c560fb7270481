//! On whose behalf a call comes, and where it starts: what a face knows that the engine cannot find out.

use mk_store::Session;
use mk_types::{AbsPath, ConversationId, ModeSlug, SessionId};

use crate::agent::AgentLink;
use crate::ceiling::Ceiling;
use crate::error::Error;

/// Where calls work as long as no task, connection or activation says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StartDirectory {
    /// A person has named the project.
    Named(AbsPath),
    /// The project around the working directory; what a client says it works in comes first.
    Found(AbsPath),
    /// The working directory is nobody's project, as when a desktop starts a server: no file is touched from here.
    Nowhere(AbsPath),
}

impl StartDirectory {
    pub fn folder(&self) -> &AbsPath {
        match self {
            Self::Named(folder) | Self::Found(folder) | Self::Nowhere(folder) => folder,
        }
    }

    pub fn standing(&self) -> ProjectStanding {
        match self {
            Self::Named(_) | Self::Found(_) => ProjectStanding::InProject,
            Self::Nowhere(_) => ProjectStanding::Nowhere,
        }
    }
}

/// Whether the caller's folder is a project that files may be touched in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectStanding {
    InProject,
    Nowhere,
}

/// On whose behalf a call comes: what a face knows of the connection it came on.
#[derive(Debug, Clone)]
pub struct Caller {
    pub project: AbsPath,
    pub standing: ProjectStanding,
    /// The ceilings of the endpoint and of its server: nothing there may do more.
    pub ceilings: Vec<Ceiling>,
    pub conversation: CallerConversation,
    /// The mode of calls that no task governs, where one is set for this caller, as a command's permit does.
    pub mode: Option<ModeSlug>,
    /// The agent that the caller's process was started by, where that is known.
    pub agent: Option<AgentLink>,
    /// What the client calls itself. For people to read: any client can take any name, and nothing is decided by it.
    pub client: Option<String>,
    /// Folders that the client says it works in.
    pub roots: Vec<AbsPath>,
    /// Projects that its credential is for; empty for all.
    pub within: Vec<AbsPath>,
    /// What its credential lets it do with tasks of others.
    pub others: OthersTasks,
    pub actor: Actor,
}

/// What a caller may do with tasks that it has not created.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum OthersTasks {
    /// A caller who knows the id of a task works on it.
    Change,
    /// The same, except for tasks that were created with a credential.
    #[default]
    ChangeUnclaimed,
    Look,
}

impl Caller {
    /// Refuses a project that the caller's credential is not for.
    pub(crate) fn may_enter(&self, project: &AbsPath) -> Result<(), Error> {
        let covers = |root: &AbsPath| project.as_path().starts_with(root.as_path());
        if self.within.is_empty() || self.within.iter().any(covers) {
            return Ok(());
        }
        Err(Error::Denied {
            rule: None,
            message: format!("This token is not for the project {project}"),
            hint: Some("ask the user for a token that is for this project".into()),
        })
    }

    /// Refuses a task of a project that the caller's credential is not for.
    pub(crate) fn may_see(&self, session: &Session) -> Result<(), Error> {
        match AbsPath::new(std::path::Path::new(&session.project)) {
            Some(project) => self.may_enter(&project),
            None if self.within.is_empty() => Ok(()),
            // It cannot be told whether it is one of those that the credential is for.
            None => Err(Error::Denied {
                rule: None,
                message: format!("This token is not for the project {}", session.project),
                hint: None,
            }),
        }
    }

    /// Refuses to change a task that the caller's credential only shows.
    pub(crate) fn may_change(&self, session: &Session) -> Result<(), Error> {
        self.may_see(session)?;
        let claimed = session.conversation.as_ref();
        let is_claimed = claimed.is_some_and(ConversationId::is_of_credential);
        let refusal = match self.others {
            _ if self.actor == Actor::Operator || self.owns(session) => return Ok(()),
            OthersTasks::Change => return Ok(()),
            OthersTasks::ChangeUnclaimed if !is_claimed => return Ok(()),
            OthersTasks::ChangeUnclaimed => "was created with a token, which changes it",
            OthersTasks::Look => "can be looked at with this token, but not changed",
        };
        Err(Error::Denied {
            rule: None,
            message: format!("Session {} {refusal}", session.id),
            hint: Some(
                "create a task of your own, or ask the user for a token of an operator without a highest mode"
                    .into(),
            ),
        })
    }

    fn owns(&self, session: &Session) -> bool {
        let conversation = &self.conversation;
        conversation.tasks.contains(&session.id)
            || (conversation.id.is_some() && conversation.id == session.conversation)
    }

    /// A caller in a project, without ceilings and in no task.
    pub fn in_project(project: AbsPath, actor: Actor) -> Self {
        Self {
            project,
            standing: ProjectStanding::InProject,
            ceilings: Vec::new(),
            conversation: CallerConversation::default(),
            mode: None,
            agent: None,
            client: None,
            roots: Vec::new(),
            within: Vec::new(),
            others: OthersTasks::default(),
            actor,
        }
    }
}

/// Who acts: limits on changing modes are for agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    Agent,
    /// The person at the command line.
    Operator,
}

/// What a face knows of the conversation that a call belongs to.
///
/// A connection up to 2025-11-25 is one, an agent's own session for hooks and ACP; a face without connections has
/// none, and there the session that a call names is all there is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallerConversation {
    /// Tells it from all others: what a person approved in one is not approved in another.
    pub id: Option<ConversationId>,
    /// Its tasks, the innermost last. Those that have ended stay, because they decide what comes after them.
    pub tasks: Vec<SessionId>,
}

impl CallerConversation {
    /// Adds a task as the innermost, unless it is there already.
    pub fn enter(&mut self, task: SessionId) {
        if !self.tasks.contains(&task) {
            self.tasks.push(task);
        }
    }
}
