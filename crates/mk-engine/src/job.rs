//! Commands that our own tool runs: each is a process of `modekeeper exec` with a permit for one line, which holds it.
//!
//! What a command prints is kept in memory, the beginning and the end of it. A command ends with the call that waits for
//! it, with the engine, and with this process.

mod output;
mod process;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mk_policy::{Decision, Mode};
use mk_store::NewCommandPermit;
use mk_types::{AbsPath, ConversationId, lock};

use crate::approval::{ApprovalPlan, Outcome, RequestState};
use crate::authorize::ToolRequest;
use crate::check::{CheckedCall, InForce};
use crate::code_error::{CodeError, CodeKind};
use crate::command::{line_hash, rights_of};
use crate::error::Error;
use crate::next_step::NextStep;
use crate::project::ProjectHandle;

pub use output::OutputPart;
pub use process::JobState;
use process::{CommandJob, JobLaunch};

/// Commands of one engine at one time, those that have ended and can be read included.
const MOST_JOBS: usize = 32;
/// From storing a permit to the process that uses it.
const PERMIT: Duration = Duration::from_secs(60);

/// How commands are started; `None` where `run_command` is not offered.
#[derive(Debug, Clone, Default)]
pub enum CommandRunner {
    #[default]
    Nothing,
    /// This program's `exec` holds them.
    Walled(PathBuf),
    /// Nothing holds them; the operator has agreed to that. What cannot be read needs approval.
    Open,
}

/// A command to run.
#[derive(Debug, Clone)]
pub struct JobCommand {
    pub line: String,
    /// Relative to the project; its root if there is none.
    pub directory: Option<String>,
    pub time_limit: Duration,
    pub wait: JobWait,
}

/// Whether the call waits for the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobWait {
    ForEnd,
    /// It goes on in the background and is read and ended by its id.
    No,
}

/// A command and a part of what it printed.
#[derive(Debug, Clone)]
pub struct CommandOutput {
    pub id: String,
    pub line: String,
    pub state: JobState,
    pub output: OutputPart,
}

/// All commands of an engine.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    by_id: Mutex<BTreeMap<u64, Arc<CommandJob>>>,
}

impl Jobs {
    /// Ends every command.
    pub(crate) fn end_all(&self) {
        let jobs = lock(&self.by_id);
        for job in jobs.values() {
            job.end();
        }
    }

    /// Adds a command; the oldest that has ended makes room.
    fn add(&self, job: &Arc<CommandJob>) -> Result<u64, Error> {
        let mut jobs = lock(&self.by_id);
        if jobs.len() >= MOST_JOBS {
            let ended = jobs
                .iter()
                .find(|(_, job)| job.state() != JobState::Running);
            let Some(oldest) = ended.map(|(number, _)| *number) else {
                job.end();
                let error = CodeError::new(
                    CodeKind::InvalidArguments,
                    format!("{MOST_JOBS} commands are running already"),
                );
                return Err(error.with_hint(NextStep::EndCommand).into());
            };
            jobs.remove(&oldest);
        }
        let number = jobs.keys().last().map_or(1, |last| last + 1);
        jobs.insert(number, Arc::clone(job));
        Ok(number)
    }
}

/// The commands of a caller in its project.
#[derive(Debug, Clone)]
pub struct ProjectCommands<'a> {
    project: ProjectHandle<'a>,
}

impl<'a> ProjectHandle<'a> {
    pub fn commands(self) -> ProjectCommands<'a> {
        ProjectCommands { project: self }
    }
}

/// Ends a command whose call was given up.
struct EndOnDrop(Option<Arc<CommandJob>>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        if let Some(job) = &self.0 {
            job.end();
        }
    }
}

impl ProjectCommands<'_> {
    /// Runs a line, as the mode in force allows it.
    pub async fn run(
        self,
        request: ToolRequest<'_>,
        command: JobCommand,
    ) -> Result<Outcome<CommandOutput>, Error> {
        let engine = self.project.engine;
        let runner = &engine.settings().commands;
        let checked = self.project.judge(&request)?;
        let is_held = matches!(runner, CommandRunner::Walled(_));
        let passes = match checked.evaluation.decision {
            Decision::Allow => true,
            Decision::Unproven => is_held,
            Decision::Ask | Decision::Deny => false,
        };
        if !passes && let Some(question) = self.ask(&checked, &request, &command).await? {
            return Ok(Outcome::NeedsApproval(question));
        }
        let in_force = checked.in_force;
        let directory = directory(&in_force, command.directory.as_deref())?;
        let launch = match runner {
            CommandRunner::Nothing => return Err(not_offered()),
            CommandRunner::Open => JobLaunch::open(&command, &directory),
            CommandRunner::Walled(program) => {
                let permit = self.permit(&in_force, &command, &directory).await?;
                let state = &engine.inner.folders.state;
                JobLaunch::walled(program, &permit, &command, &directory, state)
            }
        };
        let whose = self.whose(&in_force);
        let job = CommandJob::start(launch, command.line.clone(), whose).map_err(|error| {
            CodeError::new(
                CodeKind::InvalidArguments,
                format!("the command did not start: {error}"),
            )
        })?;
        let number = engine.inner.jobs.add(&job)?;
        if command.wait == JobWait::ForEnd {
            let mut guard = EndOnDrop(Some(Arc::clone(&job)));
            job.ended().await;
            guard.0 = None;
        }
        Ok(Outcome::Done(shown(number, &job, None)))
    }

    /// Asks a person about a line; `None` once they have agreed.
    async fn ask(
        &self,
        checked: &CheckedCall,
        request: &ToolRequest<'_>,
        command: &JobCommand,
    ) -> Result<Option<crate::ApprovalRequest>, Error> {
        let reason = checked.evaluation.sentence(&checked.in_force.mode);
        let subject = format!("Let the agent run this command? {reason}");
        let act = serde_json::json!({ "run": request.arguments });
        let plan = ApprovalPlan::new(&act, command.line.clone());
        let asked = self.project.engine.ask_once(
            self.project.caller.conversation.id.as_ref(),
            checked.in_force.session.as_ref(),
            &subject,
            &plan,
        );
        Ok(match asked.await? {
            RequestState::Open(question) => Some(question),
            RequestState::Granted(_) => None,
        })
    }

    /// A permit for this line: `exec` takes its modes from the store and nothing from its arguments.
    async fn permit(
        &self,
        in_force: &InForce,
        command: &JobCommand,
        directory: &AbsPath,
    ) -> Result<mk_types::PermitId, Error> {
        let engine = self.project.engine;
        let conversation = self.project.caller.conversation.id.clone();
        let modes: Vec<Arc<Mode>> = in_force.modes().cloned().collect();
        let permit = engine.inner.store.store_permit(NewCommandPermit {
            conversation: conversation.unwrap_or_else(ConversationId::random),
            directory: directory.clone(),
            line_hash: line_hash(&command.line),
            mode: in_force.mode.slug.clone(),
            rights: rights_of(&modes, &in_force.project),
            expires_at: engine.inner.clock.now().after(PERMIT),
        });
        Ok(permit.await?.id)
    }

    /// The caller's commands, oldest first, without their output.
    pub fn list(&self) -> Result<Vec<CommandOutput>, Error> {
        let whose = self.whose(&self.project.in_force()?);
        let jobs = &self.project.engine.inner.jobs.by_id;
        let jobs = lock(jobs);
        let own = jobs.iter().filter(|(_, job)| job.whose == whose);
        Ok(own.map(|(number, job)| shown(*number, job, None)).collect())
    }

    /// What a command printed, from a byte on.
    pub fn read(&self, id: &str, from: u64) -> Result<CommandOutput, Error> {
        let (number, job) = self.find(id)?;
        Ok(shown(number, &job, Some(from)))
    }

    /// Ends a command, and waits until it has.
    pub async fn end(&self, id: &str) -> Result<CommandOutput, Error> {
        let (number, job) = self.find(id)?;
        job.end();
        job.ended().await;
        Ok(shown(number, &job, None))
    }

    fn find(&self, id: &str) -> Result<(u64, Arc<CommandJob>), Error> {
        let whose = self.whose(&self.project.in_force()?);
        let number: Option<u64> = id.strip_prefix(PREFIX).and_then(|it| it.parse().ok());
        let jobs = &self.project.engine.inner.jobs.by_id;
        let jobs = lock(jobs);
        let found = number.and_then(|number| Some((number, jobs.get(&number)?)));
        let found = found.filter(|(_, job)| job.whose == whose);
        found
            .map(|(number, job)| (number, Arc::clone(job)))
            .ok_or_else(|| {
                let message = format!("There is no command {id}");
                let error = CodeError::new(CodeKind::InvalidArguments, message);
                error.with_hint(NextStep::ListCommands).into()
            })
    }

    /// Nobody sees the commands of another conversation or project.
    fn whose(&self, in_force: &InForce) -> String {
        let conversation = self.project.caller.conversation.id.as_ref();
        let conversation = conversation.map(ConversationId::as_str).unwrap_or_default();
        format!("{conversation} {}", in_force.project)
    }
}

const PREFIX: &str = "job-";

fn shown(number: u64, job: &CommandJob, from: Option<u64>) -> CommandOutput {
    CommandOutput {
        id: format!("{PREFIX}{number}"),
        line: job.line.clone(),
        state: job.state(),
        output: job.output.part(from),
    }
}

/// A directory of the project, as it really is, named from where relative paths begin.
fn directory(in_force: &InForce, named: Option<&str>) -> Result<AbsPath, Error> {
    let wrong = || {
        let message = format!(
            "There is no directory {} in the project",
            named.unwrap_or(".")
        );
        let error = CodeError::new(CodeKind::FileNotFound, message);
        Error::from(error.with_hint("name a directory below the project's root"))
    };
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let root = real(in_force.project.as_path()).ok_or_else(wrong)?;
    let beginning = in_force.directory.under(&in_force.project);
    let directory = real(&beginning.join(named.unwrap_or_default())).ok_or_else(wrong)?;
    if !directory.is_dir() || !directory.starts_with(&root) {
        return Err(wrong());
    }
    AbsPath::new(&directory).ok_or_else(wrong)
}

fn not_offered() -> Error {
    Error::Denied {
        rule: None,
        message: "Commands are not run here because no wall holds them".to_owned(),
        hint: Some(NextStep::RunDoctor),
    }
}
