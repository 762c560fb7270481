//! The use cases: modes, tasks, switching, approvals, decisions. Tools and faces call these and nothing below.
//!
//! Knows no wire format: what it returns is not `Serialize`, and what it refuses is an [`Error`] that each face words.

mod activate;
mod approval;
mod authorize;
mod backup;
mod check;
mod code_error;
mod command;
mod conversation;
mod decision;
mod error;
mod exact;
mod file;
mod hook;
mod lint;
mod memory;
mod mode;
mod open_project;
mod open_projects;
mod playbook;
mod project;
mod project_mode;
mod server;
mod settings;
mod status;
mod symbol;
mod task;
mod workspace;
mod worktree;

use std::sync::{Arc, Mutex, OnceLock};

use mk_policy::Policy;
use mk_store::Store;
use mk_types::{AbsPath, Clock, ModeSlug, SessionId};
use tokio::sync::broadcast;

pub use approval::{Approvals, Outcome};
pub use authorize::Granted;
pub use check::{Checked, InForce};
pub use code_error::{CodeError, CodeKind};
pub use command::{CommandLimits, FileRight, Refused};
pub use conversation::{Conversations, Held, Seat};
pub use decision::{Decisions, Explanation};
pub use error::{Error, Missing};
pub use exact::{Diagnosed, Noted};
pub use hook::{HookSettings, Hooked, Hooks};
pub use lint::lint_file;
pub use memory::Memory;
pub use mk_store::{
    Approval, ApprovalState, Conversation, Decision, DecisionFilter, Message, ModeChange, Ruling,
    SessionFilter, TaskState, Verdict,
};
pub use mode::Modes;
pub use project::ProjectHandle;
pub use project_mode::{Standpoint, Whom};
pub use settings::{Folders, ServerSettings, Settings};
pub use status::{Status, Work};
pub use symbol::{IndexStatus, Rename, RenamedFile};
pub use task::{NewTask, Switched, Task, TaskDetails, TaskQuery, Tasks};
pub use workspace::Workspace;

/// Everything a process does for its clients. Cheap to clone; all clones are one engine.
#[derive(Debug, Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    settings: Settings,
    folders: Folders,
    clock: Clock,
    store: Store,
    own_tools: OwnTools,
    policy: OnceLock<Policy>,
    projects: open_projects::OpenProjects,
    changes: broadcast::Sender<Change>,
    seen: Mutex<file::Seen>,
    active_project: Mutex<Option<AbsPath>>,
    usage: Mutex<status::Usage>,
}

/// One of our own tools, which the engine is told of because it must not know them.
#[derive(Debug, Clone, Copy)]
pub struct OwnTool {
    pub name: &'static str,
    /// `None` for tools that every mode has.
    pub group: Option<mk_policy::Group>,
    /// Arguments that name paths.
    pub paths: &'static [&'static str],
    /// Arguments that hold a patch.
    pub patches: &'static [&'static str],
    /// Arguments that hold a shell line.
    pub commands: &'static [&'static str],
    pub reach: mk_policy::Reach,
}

pub type OwnTools = Vec<OwnTool>;

/// Something that listeners may want to look at again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Modes or rules of a project have changed.
    Modes { project: AbsPath },
    /// A session has changed its mode.
    Switched { session: SessionId },
}

/// Where calls work as long as no task, connection or activation says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// A person has named the project.
    Named(AbsPath),
    /// The project around the working directory; what a client says it works in comes first.
    Found(AbsPath),
    /// The working directory is nobody's project, as when a desktop starts a server: no file is touched from here.
    Nowhere(AbsPath),
}

impl Start {
    pub fn folder(&self) -> &AbsPath {
        match self {
            Self::Named(folder) | Self::Found(folder) | Self::Nowhere(folder) => folder,
        }
    }

    pub fn standing(&self) -> Standing {
        match self {
            Self::Named(_) | Self::Found(_) => Standing::InProject,
            Self::Nowhere(_) => Standing::Nowhere,
        }
    }
}

/// Whether the caller's folder is a project that files may be touched in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    InProject,
    Nowhere,
}

/// On whose behalf a call comes: what a face knows of the connection it came on.
#[derive(Debug, Clone)]
pub struct Caller {
    pub project: AbsPath,
    pub standing: Standing,
    /// The mode of the endpoint: nothing on it may do more.
    pub bound: Option<ModeSlug>,
    /// The task this connection created or switched last, where connections mean something.
    pub current: Option<SessionId>,
    /// Folders that the client says it works in.
    pub roots: Vec<AbsPath>,
    pub actor: Actor,
}

impl Caller {
    /// Somebody who works in a project, on no endpoint and on no task.
    pub fn in_project(project: AbsPath, actor: Actor) -> Self {
        Self {
            project,
            standing: Standing::InProject,
            bound: None,
            current: None,
            roots: Vec::new(),
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

/// Whether projects are watched for changes: a server does, a command that answers once does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watching {
    On,
    Off,
}

/// What an engine is made of.
#[derive(Debug)]
pub struct Parts {
    pub settings: Settings,
    pub folders: Folders,
    pub clock: Clock,
    pub store: Store,
    pub own_tools: OwnTools,
}

impl Engine {
    /// Opens nothing and reads nothing: everything is loaded when it is first needed.
    pub fn new(parts: Parts) -> Self {
        let Parts {
            settings,
            folders,
            clock,
            store,
            own_tools,
        } = parts;
        let inner = Inner {
            settings,
            folders,
            clock,
            store,
            own_tools,
            policy: OnceLock::new(),
            projects: open_projects::OpenProjects::default(),
            changes: broadcast::channel(64).0,
            seen: Mutex::default(),
            active_project: Mutex::default(),
            usage: Mutex::default(),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub fn policy(&self) -> &Policy {
        self.inner.policy.get_or_init(|| {
            let owned = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
            let mut policy = Policy::shipped();
            for (_, row) in mk_clients::all_tools() {
                policy.tools.join(row.name, client_tool(row));
            }
            for tool in &self.inner.own_tools {
                let shape = mk_policy::ToolShape {
                    group: tool.group,
                    paths: owned(tool.paths),
                    patches: owned(tool.patches),
                    commands: owned(tool.commands),
                    reach: tool.reach,
                    ..Default::default()
                };
                policy.tools.add(tool.name, shape);
            }
            policy
        })
    }

    /// Changes from now on.
    pub fn changes(&self) -> broadcast::Receiver<Change> {
        self.inner.changes.subscribe()
    }

    /// Removes sessions that nobody has used for long; call it every [`Settings::cleanup_interval`].
    pub async fn sweep(&self) -> Result<usize, Error> {
        let settings = &self.inner.settings;
        let swept = self
            .inner
            .store
            .sweep(settings.session_timeout, settings.keep_tombstones)
            .await?;
        Ok(swept.sessions)
    }

    /// Puts everything that was acknowledged or noted on disk.
    pub fn close(&self) {
        self.inner.store.close();
    }

    fn announce(&self, change: Change) {
        // Nobody listening is fine.
        drop(self.inner.changes.send(change));
    }
}

/// A client's tool in the policy's words.
fn client_tool(row: &mk_clients::ToolRow) -> mk_policy::ToolShape {
    let owned = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
    mk_policy::ToolShape {
        group: row.group.name().and_then(mk_policy::Group::parse),
        paths: owned(row.paths),
        patches: owned(row.patches),
        commands: owned(row.commands),
        directories: row.cwd.map(str::to_owned).into_iter().collect(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests;
