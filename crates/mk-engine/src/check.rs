//! Which mode is in force for a call, and what it says.

use std::sync::Arc;

use mk_policy::{
    DecidingRule, Decision, Evaluation, Group, Mode, Permit, Request, Switching, evaluate,
};
use mk_project::IgnoredFiles;
use mk_store::{Session, StoreReach};
use mk_types::{AbsPath, ModeSlug, ProjectPath, SessionId, ToolCall};

use crate::ceiling::{Ceiling, CeilingOrigin};
use crate::conversation::HeldConversation;
use crate::error::Error;
use crate::governing::GoverningTask;
use crate::layer::{CallPlace, DecidingLayer, ignored_with};
use crate::next_step::NextStep;
use crate::target::TargetResolver;
use crate::{Actor, Caller, Engine, ProjectStanding, mode};

/// The mode that governs a call, and what bounds it.
#[derive(Debug, Clone)]
pub struct InForce {
    pub mode: Arc<Mode>,
    /// Modes that nothing on the caller's endpoint may exceed.
    pub ceilings: Vec<Arc<Mode>>,
    /// Which of them endpoints and credentials set; the others hold the agent.
    pub(crate) caps: Vec<Ceiling>,
    /// The live task that is used by the call.
    pub session: Option<SessionId>,
    pub project: AbsPath,
    /// Where relative paths begin.
    pub directory: ProjectPath,
    pub standing: ProjectStanding,
    pub(crate) knowledge: Knowledge,
    /// The project around or inside this one whose own mode has decided about the call.
    pub(crate) decided_by: Option<DecidingLayer>,
}

/// How well the store is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Knowledge {
    Current,
    /// As it was before the database was lost: a person may have narrowed the mode since.
    Past,
}

impl InForce {
    /// Who decides about a group: of all modes that must allow a call, the one that allows least of it.
    ///
    /// One that does not enable the group comes first, then one that restricts it; a ceiling before the mode.
    pub fn decides(&self, group: Group) -> &Mode {
        let width = |mode: &Mode| match (mode.enables(group), mode.restriction(group)) {
            (false, _) => 0,
            (true, Some(_)) => 1,
            (true, None) => 2,
        };
        let modes = self.ceilings.iter().chain(std::iter::once(&self.mode));
        modes.min_by_key(|mode| width(mode)).unwrap_or(&self.mode)
    }

    /// The ceiling that takes something from the mode, if one does.
    pub fn capped_at(&self) -> Option<&ModeSlug> {
        let takes = |ceiling: &&Arc<Mode>| mk_policy::widens(ceiling, &self.mode);
        self.ceilings
            .iter()
            .find(takes)
            .map(|ceiling| &ceiling.slug)
    }

    /// Whether the database is out of reach, so that only reading is allowed.
    pub fn is_detached(&self) -> bool {
        self.knowledge == Knowledge::Past
    }

    /// Every mode that must allow a call.
    pub(crate) fn modes(&self) -> impl Iterator<Item = &Arc<Mode>> {
        std::iter::once(&self.mode).chain(&self.ceilings)
    }

    /// The mode that a decision is explained by.
    pub(crate) fn decider(&self) -> &Arc<Mode> {
        let layer = self.decided_by.as_ref();
        layer.map_or(&self.mode, |layer| &layer.mode)
    }
}

/// A call that was looked at.
#[derive(Debug)]
pub struct CheckedCall {
    pub in_force: InForce,
    pub request: Request,
    pub evaluation: Evaluation,
}

impl Engine {
    /// The mode in force.
    ///
    /// 1. The mode of the session that the call names; one that has ended decides nothing any more, and is refused.
    /// 2. The mode of the conversation, see [`Engine::governing`].
    /// 3. What [`Engine::mode_without_session`] lists.
    ///
    /// What holds the agent's own conversation is a ceiling over all of it. So is, where modes are not switched freely,
    /// the conversation's mode over a task of another one: an id that has come here from elsewhere only narrows.
    pub(crate) fn in_force(
        &self,
        caller: &Caller,
        session: Option<&SessionId>,
    ) -> Result<InForce, Error> {
        let reach = self.inner.store.reach();
        let governing = match session {
            Some(id) => GoverningTask::Live(self.active_session(id)?),
            None => self.governing(caller)?,
        };
        let held = self.held_caller(caller)?;
        let beside = self.mode_beside(caller, &governing, held.as_ref())?;
        let (slug, home) = self.mode_without_session(caller, &governing, held.as_ref())?;
        let session = match governing {
            GoverningTask::Live(session) => Some(session),
            GoverningTask::Ended(_) | GoverningTask::Nothing => None,
        };
        let own = self.project_of(&caller.project);
        let project = match &session {
            Some(_) => self.project_of(&home),
            None => own.clone(),
        };
        caller.may_enter(&project)?;
        let catalogue = self.open(&project).catalogue();
        let mode = mode::find(&catalogue, &slug).or_else(|_| {
            // A mode that stays in force after its task may be one of another project.
            self.mode_in(&self.project_of(&home), &slug)
        })?;
        let (standing, directory) = if project == own {
            (caller.standing, self.beginning(&project, &caller.project))
        } else {
            (ProjectStanding::InProject, ProjectPath::root())
        };
        let ceilings = caller.ceilings.iter();
        let ceilings = ceilings.flat_map(|ceiling| ceiling.modes(&catalogue));
        // What holds the agent holds its tasks with us, too.
        let held = held.map(|held| (held.mode, held.ceilings));
        let (held, outer) = held.unzip();
        let held = held.filter(|held| !Arc::ptr_eq(held, &mode));
        let ceilings = ceilings
            .chain(held)
            .chain(outer.into_iter().flatten())
            .chain(beside);
        let knowledge = self.knowledge(reach);
        let past = (knowledge == Knowledge::Past).then(|| Arc::new(mode.read_only()));
        // What has expired decides, but is not used: using it would revive it.
        let is_used = |session: &Session| !self.is_expired(session, self.inner.clock.now());
        Ok(InForce {
            mode,
            standing,
            ceilings: ceilings.chain(past).collect(),
            caps: caller.ceilings.clone(),
            session: session.filter(is_used).map(|session| session.id),
            project,
            directory,
            knowledge,
            decided_by: None,
        })
    }

    /// The mode of the caller's own conversation, where the task that a call names belongs to another.
    fn mode_beside(
        &self,
        caller: &Caller,
        named: &GoverningTask,
        held: Option<&HeldConversation>,
    ) -> Result<Option<Arc<Mode>>, Error> {
        let conversation = &caller.conversation;
        let GoverningTask::Live(task) = named else {
            return Ok(None);
        };
        if caller.actor == Actor::Operator
            || conversation.tasks.contains(&task.id)
            || task.conversation == conversation.id
            || self.switching_for(caller)? == Switching::Free
        {
            return Ok(None);
        }
        let own = self.governing(caller)?;
        let (slug, home) = self.mode_without_session(caller, &own, held)?;
        let catalogue = self.open(&self.project_of(&home)).catalogue();
        mode::find(&catalogue, &slug).map(Some)
    }

    /// What the answers since are worth. A database that was lost and found again meanwhile may have given none of them.
    pub(crate) fn knowledge(&self, since: StoreReach) -> Knowledge {
        let reach = self.inner.store.reach();
        match reach.is_lost() || reach != since {
            true => Knowledge::Past,
            false => Knowledge::Current,
        }
    }

    /// Decides about a call and remembers the answer's grounds. Projects around and inside the one in force hold what
    /// touches them, too.
    pub(crate) fn check(&self, in_force: InForce, call: ToolCall) -> Result<CheckedCall, Error> {
        let layers = self.layers(&in_force.project, &in_force.mode.slug)?;
        let open = self.open(&in_force.project);
        let ignored = ignored_with(open.root(), &open.ignored(), &layers);
        let mut checked = self.look(in_force, call, &ignored);
        let in_force = &checked.in_force;
        let place = CallPlace {
            root: &in_force.project,
            directory: &in_force.directory,
        };
        for ruling in self.rule_layers(&layers, place, &checked.request)? {
            if ruling.evaluation.decision > checked.evaluation.decision {
                checked.evaluation = ruling.evaluation;
                checked.in_force.decided_by = Some(ruling.by);
            }
        }
        Ok(checked)
    }

    /// Decides by the modes that are in force, and nothing else.
    pub(crate) fn look(
        &self,
        in_force: InForce,
        call: ToolCall,
        ignored: &IgnoredFiles,
    ) -> CheckedCall {
        let project = self.open(&in_force.project);
        let targets = TargetResolver::new(project.root(), in_force.directory.clone(), ignored)
            .beside(project.state_folder())
            .of_user(self.inner.folders.home.as_deref());
        let request = self.policy().request(call, |raw| targets.target(raw));
        let evaluation = in_force
            .modes()
            .map(|mode| evaluate(self.policy(), mode, &request))
            // Of equals the first, which is the mode's own.
            .reduce(|first, other| {
                if other.decision > first.decision {
                    other
                } else {
                    first
                }
            });
        let evaluation =
            evaluation.unwrap_or_else(|| evaluate(self.policy(), &in_force.mode, &request));
        CheckedCall {
            in_force,
            request,
            evaluation,
        }
    }

    /// Tools that the mode in force can never allow, for lists that leave them out.
    pub fn could_allow(&self, in_force: &InForce, tool: &str) -> bool {
        in_force
            .modes()
            .all(|mode| mk_policy::could_allow(self.policy(), mode, tool))
    }

    pub(crate) fn session_project(&self, caller: &Caller, session: &Session) -> AbsPath {
        let project = AbsPath::new(std::path::Path::new(&session.project));
        self.project_of(project.as_ref().unwrap_or(&caller.project))
    }
}

impl CheckedCall {
    /// What to do instead, if it is not allowed.
    pub fn next_step(&self) -> Option<NextStep> {
        next_step(&self.evaluation, &self.in_force)
    }

    /// The permit, or the refusal in the contract's words.
    pub fn permit(self) -> Result<Permit, Error> {
        let Self {
            in_force,
            request,
            evaluation,
        } = self;
        let slug = in_force.mode.slug.clone();
        let session = in_force.session.clone();
        match Permit::from_evaluation(&evaluation, request, session, slug) {
            Some(permit) => Ok(permit),
            None => Err(refusal(&evaluation, &in_force)),
        }
    }
}

pub(crate) fn refusal(evaluation: &Evaluation, in_force: &InForce) -> Error {
    Error::Denied {
        rule: Some(evaluation.rule),
        message: evaluation.sentence(in_force.decider()),
        hint: next_step(evaluation, in_force),
    }
}

/// What to do instead. Where a ceiling holds the mode down, switching does not help.
fn next_step(evaluation: &Evaluation, in_force: &InForce) -> Option<NextStep> {
    if in_force.is_detached() && !evaluation.is_allowed() {
        let hint = "the server cannot reach its database: only reading is allowed until it is back";
        return Some(hint.into());
    }
    if evaluation.held_back.is_some() {
        return NextStep::of(evaluation);
    }
    let layer = in_force.decided_by.as_ref();
    if let Some(root) = layer.and_then(|it| it.inside.as_ref()) {
        return Some(NextStep::ChangeModeOf(root.clone()));
    }
    let by_mode = matches!(
        evaluation.rule,
        DecidingRule::GroupDisabled
            | DecidingRule::FilePattern
            | DecidingRule::TargetUnknown
            | DecidingRule::CommandPattern
            | DecidingRule::CommandDeny
            | DecidingRule::CommandWrite
            | DecidingRule::CommandRead
            | DecidingRule::McpFilter
    );
    let limits = |ceiling: &&Arc<Mode>| {
        let limits = |group| !ceiling.enables(group) || ceiling.restriction(group).is_some();
        evaluation.group.is_some_and(limits)
    };
    let ceiling = in_force.ceilings.iter().find(limits);
    match ceiling.filter(|_| by_mode && evaluation.decision == Decision::Deny) {
        Some(ceiling) => {
            let slug = &ceiling.slug;
            let mut caps = in_force.caps.iter();
            let cap = caps.find(|cap| cap.slug() == slug);
            let hint = match cap.map(Ceiling::origin) {
                Some(CeilingOrigin::Endpoint) => format!(
                    "this endpoint is capped at '{slug}': ask the user to allow more where the server is started"
                ),
                Some(CeilingOrigin::Token) => format!(
                    "this token is capped at '{slug}': ask the user for one with a wider `--mode`, or for an operator's without one"
                ),
                None => format!("'{slug}' holds this agent, too: ask the user to change the mode"),
            };
            Some(hint.into())
        }
        None if evaluation.is_allowed() => None,
        None => NextStep::of(evaluation),
    }
}
