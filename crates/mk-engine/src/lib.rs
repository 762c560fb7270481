//! The use cases: modes, tasks, switching, approvals, decisions. Tools and faces call these and nothing below.
//!
//! Knows no wire format: what it returns is not `Serialize`, and what it refuses is an [`Error`] that each face words.

mod access;
mod activate;
mod agent;
mod allowance;
mod approval;
mod authorize;
mod backup;
mod caller;
mod ceiling;
mod check;
mod client_name;
mod code_error;
mod command;
mod command_ledger;
mod conversation;
mod create_task;
mod decision;
mod draft;
mod edit;
mod edit_symbol;
mod error;
mod exact;
mod file;
mod fingerprint;
mod governing;
mod hook;
mod job;
mod layer;
mod lint;
mod memory;
mod missing;
mod mode;
mod nearest;
mod next_step;
mod open_project;
mod open_projects;
mod operator_file;
mod place;
mod plan;
mod playbook;
mod project;
mod project_info;
mod project_mode;
mod remembered;
mod replay;
mod scope;
mod server;
mod settings;
mod status;
mod store_file;
mod structure;
mod switch_mode;
mod symbol;
mod symbols;
mod target;
mod task;
mod told;
mod trust;
mod usage;
mod visible;
mod workspace;
mod worktree;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use mk_policy::{Catalogue, Policy};
use mk_store::Store;
use mk_types::{AbsPath, Clock, ProjectId, SessionId};
use tokio::sync::broadcast;

pub use access::{AgentLimits, Credentials, NewToken, Principal, session_secret};
pub use agent::AgentLink;
pub use approval::{
    ApprovalRequest, Approvals, DrivenByApproval, DrivenOutcome, FaceAnswer, Outcome,
};
pub use authorize::ToolRequest;
pub use backup::{BackedUpFile, BackupInfo, ProjectBackups};
pub use caller::{Actor, Caller, CallerConversation, OthersTasks, ProjectStanding, StartDirectory};
pub use ceiling::Ceiling;
pub use check::{CheckedCall, InForce};
pub use code_error::{CodeError, CodeKind, ErrorSubject};
pub use command::{
    CommandAsked, CommandEffects, CommandHold, CommandLimits, CommandRecords, EditGrant, FileRight,
    LineRefused, RecordedCommand, RefusedAct, Waiver, line_hash,
};
pub use command_ledger::{CommandJournals, CommandLedger};
pub use conversation::{Conversations, HeldConversation, Seat};
pub use create_task::NewTask;
pub use decision::{Decisions, Explanation};
pub use draft::{Draft, DraftMode, PatternUse, RightsChange};
pub use edit::{FileChange, FileChanges};
pub use edit_symbol::{EditRun, SymbolChange, SymbolEdited, SymbolRenamed, SyntaxProblem};
pub use error::Error;
pub use file::{
    DirectoryEntry, DirectoryListing, EntryType, FileExcerpt, FoundFiles, ListingDepth,
    MatchedLine, MatchesInFile, PlannedReplacement, ProjectFiles, ReplaceScope, ReplacedFiles,
    SearchKind, TextMatches, TextReplacement, TextSearch,
};
pub use hook::{AgentShell, HookOutcome, HookSettings, Hooks, RuledCall};
pub use job::{
    CommandOutput, CommandRunner, JobCommand, JobState, JobWait, OutputPart, ProjectCommands,
};
pub use lint::lint_file;
pub use memory::{MemoryInfo, ProjectMemories};
pub use missing::{ConflictingChange, MissingThing};
pub use mk_clients::OWN_MODE_FILE;
pub use mk_lsp::{CustomServer, InstallPlan, KnownServer, ProjectCode, WallLauncher};
pub use mk_project::{CommandJournal, FileBefore, is_project, policy_root, prune_backups};
pub use mk_store::{
    AccessRole, AgentSession, ApprovalFigures, ApprovalState, ApprovalVerdict, AuditedChange,
    ChainCheck, CloseOutcome, CommandFilter, Conversation, Credential, CredentialKind,
    DecisionCount, DecisionFilter, DecisionRecord, NewAct, PostgresUrl, ProcessIdentity,
    RecoveredStore, Role, Ruling, SessionFilter, StoreLocation, StoredMessage, StoredModeChange,
    TaskState,
};
pub use mode::Modes;
pub use next_step::NextStep;
pub use operator_file::{read_operator_file, write_operator_file};
pub use plan::PlanAccepted;
pub use playbook::{
    AgentAssignment, AgentDefinition, AgentIntroduction, AgentProfile, AppliedRule, BundledFile,
    Checklist, ChecklistItem, ChosenAgent, ConfigSuggestion, ContextShare, DomainChecklist,
    GeneratedChecklists, KeywordMode, MatchedTrigger, ModeRule, ModeSkill, Phase, PlaybookConfig,
    PlaybookLayer, PlaybookProblems, PlaybookResource, PlaybookResourceBody, PlaybookResourceInfo,
    PlaybookRule, PlaybookScore, PlaybookScores, PlaybookShare, PreparedAgent, PreparedAgents,
    ProjectPlaybook, PromptMode, PromptRequest, ResolvedModel, RuleFileMatch, RuleLineMatch,
    RuleReason, RuleVerbosity, Skill, SkillFiles, SkillRecommendation, SpecialistAdvice,
    TaskAnalysis, TriggerReason, WorkMode, WorkingMode,
};
pub use project::ProjectHandle;
pub use project_info::{GitHead, LanguageFiles, LanguageServerInfo, ProjectInfo};
pub use project_mode::{Standpoint, SwitchAudience};
pub use replay::{ReplayModes, ReplayedDecision};
pub use scope::{ScopeOutcome, SignedGrant, mode_scope, role_scope, whole_scope};
pub use server::LanguageServers;
pub use settings::{Folders, ServerSettings, Settings};
pub use status::{EngineStatus, Work};
pub use store_file::{Recovery, StoreFile, check_decisions, reach_store};
pub use structure::{StructureReplaced, StructureReplacement};
pub use switch_mode::SwitchedMode;
pub use symbol::IndexStatus;
pub use symbols::{
    AnswerDetail, ContextLine, DefinitionQuery, DefinitionText, Exactness, FileOutline,
    FileProblem, FileProblems, FoundDefinition, IndexContents, IndexProgress, OutlineEntry,
    ProjectMap, ProjectSymbols, SymbolAnswer, SymbolQuery, SymbolReference, symbol_kinds,
};
pub use target::GUESTS;
pub use task::{ListedTask, Task, TaskDetails, TaskQuery, Tasks};
pub use trust::UntrustedMode;
pub use usage::{CallSpan, LATENCY_BOUNDS, Outcomes, ToolFigures, UsageOf, UsageReport};
pub use workspace::Workspace;

/// How long an orderly end waits for edits under way.
const LONGEST_EDIT: std::time::Duration = std::time::Duration::from_millis(900);

/// Everything a process does for its clients. Cheap to clone; all clones are one engine.
#[derive(Debug, Clone)]
pub struct Engine {
    inner: Arc<EngineInner>,
}

#[derive(Debug)]
struct EngineInner {
    settings: Settings,
    folders: Folders,
    clock: Clock,
    store: Store,
    own_tools: OwnTools,
    policy: OnceLock<Policy>,
    /// Builtin and global modes as they were when a ceiling was first asked for.
    operator_modes: OnceLock<Arc<Catalogue>>,
    projects: open_projects::OpenProjects,
    changes: broadcast::Sender<EngineChange>,
    /// Rings when a person has decided in this process.
    decided: tokio::sync::Notify,
    remembered: Mutex<remembered::RememberedRevisions>,
    told: Mutex<told::ToldParts>,
    places: place::ProjectPlaces,
    /// Ids of projects that are being stored.
    new_projects: Mutex<HashMap<AbsPath, ProjectId>>,
    usage: Mutex<usage::UsageSender>,
    spans: usage::Spans,
    fingerprints: fingerprint::Fingerprints,
    client_names: Mutex<client_name::ClientNames>,
    jobs: job::Jobs,
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
    /// Arguments that name the directory in which it runs.
    pub directories: &'static [&'static str],
    pub reach: mk_policy::ToolReach,
}

pub type OwnTools = Vec<OwnTool>;

/// Something that listeners may want to look at again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineChange {
    /// Modes or rules of a project have changed.
    Modes { project: AbsPath },
    /// A session has changed its mode.
    Switched { session: SessionId },
}

/// Whether projects are watched for changes: a server does, a command that answers once does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectWatching {
    On,
    Off,
}

/// What an engine is made of.
#[derive(Debug)]
pub struct EngineParts {
    pub settings: Settings,
    pub folders: Folders,
    pub clock: Clock,
    pub store: StoreLocation,
    pub own_tools: OwnTools,
}

impl Engine {
    /// Opens nothing and reads nothing: everything is loaded when it is first needed.
    pub fn new(parts: EngineParts) -> Self {
        let (location, clock) = (parts.store.clone(), parts.clock.clone());
        let store = match parts.settings.watching {
            // Who watches serves: others wait for the thread that reads.
            ProjectWatching::On => Store::for_server(location, clock),
            ProjectWatching::Off => Store::for_a_moment(location, clock),
        };
        Self::on(store, parts)
    }

    /// The same for a process that does one thing at a time, as a hook does.
    pub fn alone(parts: EngineParts) -> Self {
        let store = Store::alone(parts.store.clone(), parts.clock.clone());
        Self::on(store, parts)
    }

    /// The same for `exec`, which only notes what has happened: its last notes may be missing after a power failure.
    pub fn for_notes(parts: EngineParts) -> Self {
        let store = Store::for_notes(parts.store.clone(), parts.clock.clone());
        Self::on(store, parts)
    }

    /// On a store that is open already.
    fn on(store: Store, parts: EngineParts) -> Self {
        // Not in the store's own directory, because that is what gets lost.
        let store = match &parts.folders.config {
            Some(config) => store.marking_projects_in(config.join("held")),
            None => store,
        };
        let EngineParts {
            settings,
            folders,
            clock,
            store: location,
            own_tools,
        } = parts;
        // Where several servers share a database, its clock is everybody's.
        let clock = match &location {
            StoreLocation::Postgres(_) => store.clock(),
            StoreLocation::File(_) | StoreLocation::Memory => clock,
        };
        let inner = EngineInner {
            settings,
            folders,
            clock,
            store,
            own_tools,
            policy: OnceLock::new(),
            operator_modes: OnceLock::new(),
            projects: open_projects::OpenProjects::default(),
            changes: broadcast::channel(64).0,
            decided: tokio::sync::Notify::new(),
            remembered: Mutex::default(),
            told: Mutex::default(),
            places: place::ProjectPlaces::default(),
            new_projects: Mutex::default(),
            usage: Mutex::default(),
            spans: usage::Spans::default(),
            fingerprints: fingerprint::Fingerprints::default(),
            client_names: Mutex::default(),
            jobs: job::Jobs::default(),
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
            let folders = &self.inner.folders;
            let own = [Some(&folders.state), folders.config.as_ref()];
            for folder in own.into_iter().flatten().filter(|it| it.is_absolute()) {
                let path = folder.to_string_lossy();
                policy
                    .secrets
                    .add_directory(&path, "Modekeeper's own state");
            }
            for (_, row) in mk_clients::all_tools() {
                policy.tools.join(row.name, client_tool(row));
            }
            for tool in &self.inner.own_tools {
                let shape = mk_policy::ToolShape {
                    group: tool.group,
                    paths: owned(tool.paths),
                    patches: owned(tool.patches),
                    commands: owned(tool.commands),
                    directories: owned(tool.directories),
                    reach: tool.reach,
                    ..Default::default()
                };
                policy.tools.add(tool.name, shape);
            }
            policy
        })
    }

    /// Writes queued decisions now.
    pub fn flush(&self) {
        self.inner.store.flush();
    }

    /// A number that changes whenever anybody, here or in another process, has written something.
    pub fn version(&self) -> Result<i64, Error> {
        Ok(self.inner.store.data_version()?)
    }

    /// Changes from now on.
    pub fn changes(&self) -> broadcast::Receiver<EngineChange> {
        self.inner.changes.subscribe()
    }

    /// Lets idle tasks expire and removes what is older than `retention`; call it every
    /// [`Settings::cleanup_interval`]. Tells how many expired.
    pub async fn sweep(&self) -> Result<usize, Error> {
        let settings = &self.inner.settings;
        let keep = mk_store::Retention {
            timeout: settings.session_timeout,
            retention: settings.retention,
            tombstones: settings.keep_tombstones,
        };
        Ok(self.inner.store.sweep(keep).await?.expired)
    }

    /// Puts everything that was acknowledged or noted on disk; tells whether all of it is there.
    pub fn close(&self) -> CloseOutcome {
        self.inner.jobs.end_all();
        // What is cut off here is finished by the next process that changes the project.
        let edits = mk_project::wait_for_edits(LONGEST_EDIT);
        match self.inner.store.close() {
            CloseOutcome::Complete if edits => CloseOutcome::Complete,
            _ => CloseOutcome::CutOff,
        }
    }

    fn announce(&self, change: EngineChange) {
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
