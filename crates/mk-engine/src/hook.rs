//! What an agent's hook is answered: the verdict on a call of one of the agent's own tools, and the mode's instructions.
//!
//! It only tightens: to let pass is to say nothing. It never waits for a person: the face does, and asks again.

mod call;
mod canary;
mod context;
mod elsewhere;
mod fallback;
mod interpreter;
mod permit;
mod proxy;
mod repeated;
mod rule;
mod search;
mod shown;

use std::path::PathBuf;
use std::sync::Arc;

use mk_clients::{
    HookDecision, HookEvent, HookMoment, HookVerdict, ToolUse, is_canary, walled_line,
};
use mk_policy::{DecidingRule, Decision, Group, Mode, Request, evaluate};
use mk_store::{NewDecision, Ruling};
use mk_types::{AbsPath, DecisionId, ModeSlug};

use crate::approval::{ApprovalRequest, ApprovedAct, RequestState};
use crate::conversation::{HeldConversation, Seat};
use crate::error::Error;
use crate::next_step::{NextStep, model_hint};
use crate::{Engine, OwnTool};

pub use proxy::RuledCall;
use rule::HookRuling;

/// The hooks of agents.
#[derive(Debug, Clone, Copy)]
pub struct Hooks<'a> {
    engine: &'a Engine,
}

/// What came of an event.
#[derive(Debug)]
pub enum HookOutcome {
    Decided(HookVerdict),
    /// A person has to agree first. If nobody does in time, the verdict is the answer.
    Waits(ApprovalRequest, HookVerdict),
    /// Nothing holds the conversation, but a project below it has a mode and decides about this call. An engine that
    /// was started in that project has to be asked.
    Elsewhere(AbsPath),
}

impl HookOutcome {
    /// What to answer if no one else is asked.
    pub fn verdict(self) -> HookVerdict {
        match self {
            Self::Decided(verdict) | Self::Waits(_, verdict) => verdict,
            Self::Elsewhere(_) => HookVerdict::pass(),
        }
    }
}

/// What the operator has set, besides the engine's settings.
#[derive(Debug, Clone, Default)]
pub struct HookSettings {
    /// The configured mode, if the configuration names one.
    pub mode: Option<ModeSlug>,
    pub shell: AgentShell,
}

/// Whether an agent's shell leads every line through `exec`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AgentShell {
    #[default]
    Open,
    /// It does: a line that cannot be read is held by the kernel.
    Walled,
    /// It does not, but the hook may put `exec` of this program in front of a line that cannot be read.
    Rewritten(PathBuf),
}

/// The rule of a call that a person has agreed to.
const APPROVED: &str = "approved";

/// How one call was judged.
#[derive(Debug)]
struct JudgedCall {
    ruling: Ruling,
    rule: &'static str,
    reason: String,
    hint: Option<String>,
    /// The mode of a project around or inside this one, if that has decided.
    by: Option<Arc<Mode>>,
}

impl Engine {
    pub fn hooks(&self) -> Hooks<'_> {
        Hooks { engine: self }
    }
}

impl Hooks<'_> {
    /// Answers an event of a conversation.
    pub async fn answer(
        &self,
        event: &HookEvent,
        seat: &Seat,
        settings: &HookSettings,
    ) -> Result<HookOutcome, Error> {
        if matches!(event.moment, HookMoment::Other) {
            return Ok(HookOutcome::Decided(HookVerdict::pass()));
        }
        if let HookMoment::BeforeTool(tool) = &event.moment
            && is_canary(tool)
        {
            return self.try_out(tool, seat, settings);
        }
        let conversations = self.engine.conversations();
        let conversation = conversations.open(seat).await?;
        let Some(held) = conversations.held(&conversation, settings.mode.as_ref())? else {
            return self.answer_elsewhere(event, &conversation).await;
        };
        let context = self.news(event, &held).await?;
        let mut hooked = match &event.moment {
            HookMoment::BeforeTool(tool) => {
                self.before(event, tool, &held, &settings.shell).await?
            }
            HookMoment::Permission(tool) => {
                self.foresee(event, tool, &held, &settings.shell).await?
            }
            _ => HookOutcome::Decided(HookVerdict::pass()),
        };
        if let HookOutcome::Decided(verdict) | HookOutcome::Waits(_, verdict) = &mut hooked {
            verdict.context = context;
        }
        Ok(hooked)
    }

    /// The verdict on a call.
    async fn before(
        &self,
        event: &HookEvent,
        tool: &ToolUse,
        held: &HeldConversation,
        shell: &AgentShell,
    ) -> Result<HookOutcome, Error> {
        // Our server decides about its own, under the same mode.
        if self.own(tool).is_some() {
            return Ok(HookOutcome::Decided(HookVerdict::pass()));
        }
        if let Some((judged, verdict)) = self.repeated(tool, held)? {
            self.record(tool, held, &judged).await?;
            return Ok(HookOutcome::Decided(verdict));
        }
        let judged = self.judge(event, tool, held, shell);
        let (judged, verdict) = match judged.ruling {
            Ruling::Unproven => match walled(tool, shell) {
                Some(verdict) => (judged.held_by_the_kernel(), verdict),
                None => (judged, HookVerdict::pass()),
            },
            _ => (judged, HookVerdict::pass()),
        };
        match judged.ruling {
            Ruling::Allow => {
                self.allow(event, tool, held, &judged).await?;
                Ok(HookOutcome::Decided(verdict))
            }
            // No permit: it would outlive the pause.
            Ruling::Paused => {
                self.record(tool, held, &judged).await?;
                Ok(HookOutcome::Decided(verdict))
            }
            Ruling::Deny => self.deny(tool, held, &judged).await,
            Ruling::Ask | Ruling::Unproven => self.ask(event, tool, held, judged).await,
        }
    }

    /// The verdict on a call that comes again: only a denial is said now, and no approval is used up.
    async fn foresee(
        &self,
        event: &HookEvent,
        tool: &ToolUse,
        held: &HeldConversation,
        shell: &AgentShell,
    ) -> Result<HookOutcome, Error> {
        if self.own(tool).is_some() {
            return Ok(HookOutcome::Decided(HookVerdict::pass()));
        }
        let judged = self.judge(event, tool, held, shell);
        if judged.ruling != Ruling::Deny {
            return Ok(HookOutcome::Decided(HookVerdict::pass()));
        }
        self.deny(tool, held, &judged).await
    }

    async fn deny(
        &self,
        tool: &ToolUse,
        held: &HeldConversation,
        judged: &JudgedCall,
    ) -> Result<HookOutcome, Error> {
        let id = self.record(tool, held, judged).await?;
        let verdict = HookVerdict::deny(denial(judged, &id));
        Ok(HookOutcome::Decided(verdict))
    }

    /// Stores the request, or uses up the approval that has come since.
    async fn ask(
        &self,
        event: &HookEvent,
        tool: &ToolUse,
        held: &HeldConversation,
        judged: JudgedCall,
    ) -> Result<HookOutcome, Error> {
        let (name, reason) = (&tool.name, &judged.reason);
        let subject = format!(
            "Let the agent use {name} on {}? {reason}",
            call::target(tool)
        );
        let act = ApprovedAct::Hook {
            conversation: held.conversation.id.clone(),
            tool: tool.name.clone(),
            input: tool.input.to_string(),
        };
        let directory = call::directory(event, tool, &held.conversation.root.path);
        let plan = act.plan_shown_as(self.shown(&directory, tool));
        let conversation = Some(&held.conversation.id);
        let asked = self.engine.ask_once(conversation, None, &subject, &plan);
        match asked.await? {
            RequestState::Granted(approval) => {
                let reason = format!("A person has approved it ({approval})");
                let judged = JudgedCall::of(Ruling::Allow, APPROVED, reason);
                self.allow(event, tool, held, &judged).await?;
                Ok(HookOutcome::Decided(HookVerdict::pass()))
            }
            RequestState::Open(approval) => {
                let id = &approval.id;
                let hint = NextStep::Approve(id.clone()).for_model().into_owned();
                let judged = JudgedCall {
                    reason: format!("{} It needs approval ({id}).", judged.reason),
                    hint: Some(hint),
                    ..judged
                };
                let decision = self.record(tool, held, &judged).await?;
                let verdict = HookVerdict::deny(denial(&judged, &decision));
                Ok(HookOutcome::Waits(approval, verdict))
            }
        }
    }

    /// Whether it is one that every mode has.
    fn is_always_ours(&self, tool: &ToolUse) -> bool {
        self.own(tool).is_some_and(|own| own.group.is_none())
    }

    fn own(&self, tool: &ToolUse) -> Option<&OwnTool> {
        let mcp = tool.mcp.as_ref()?;
        let mut own = self.engine.inner.own_tools.iter();
        own.find(|it| mcp.server == mk_clients::SERVER && it.name == mcp.tool)
    }

    /// Decides about a call under every mode that holds the conversation; the strictest answer counts.
    fn judge(
        &self,
        event: &HookEvent,
        tool: &ToolUse,
        held: &HeldConversation,
        shell: &AgentShell,
    ) -> JudgedCall {
        let ground = match self.ground(held) {
            Ok(ground) => ground,
            Err(error) => return JudgedCall::undecided(&error),
        };
        let is_paused = ground.modes.is_empty();
        // In a walled shell, what is typed into a program later is inside, too.
        if *shell != AgentShell::Walled
            && !is_paused
            && let Some(judged) = interpreter::refuse(event.client, tool, held)
        {
            return judged;
        }
        let Some(calls) = self.calls(event, tool, &held.conversation.root.path) else {
            let reason = format!("Tool '{}' is available in every mode", tool.name);
            return JudgedCall::of(Ruling::Allow, "always-available", reason);
        };
        let strictest = match self.rule(&ground, calls) {
            Ok(strictest) => strictest,
            Err(error) => return JudgedCall::undecided(&error),
        };
        let judged = match &strictest {
            Some(ruling) if !is_paused || !ruling.evaluation.is_allowed() => {
                self.word(ruling, held)
            }
            _ if is_paused => JudgedCall::of(
                Ruling::Paused,
                "paused",
                "A person has paused enforcement in this project".to_owned(),
            ),
            _ => JudgedCall {
                hint: Some("name the file or command".to_owned()),
                ..JudgedCall::of(
                    Ruling::Deny,
                    "target-unknown",
                    "The call does not say what it would touch.".to_owned(),
                )
            },
        };
        match judged.ruling {
            Ruling::Allow | Ruling::Paused => {
                let directory = call::directory(event, tool, &held.conversation.root.path);
                let refused = self.refuse_search(tool, &directory, &ground);
                refused.unwrap_or(judged)
            }
            _ => judged,
        }
    }

    /// Puts an evaluation into words that a model can act on.
    fn word(&self, ruling: &HookRuling, held: &HeldConversation) -> JudgedCall {
        let HookRuling {
            evaluation,
            request,
            by,
        } = ruling;
        let ruling = match evaluation.decision {
            Decision::Allow => Ruling::Allow,
            Decision::Unproven => Ruling::Unproven,
            Decision::Ask => Ruling::Ask,
            Decision::Deny => Ruling::Deny,
        };
        let by_mode = by.as_ref().map(|it| &it.mode);
        let judged = |hint| JudgedCall {
            ruling,
            rule: evaluation.rule.as_str(),
            reason: evaluation.sentence(by_mode.unwrap_or(&held.mode)),
            hint,
            by: by_mode.cloned(),
        };
        if let Some(root) = by.as_ref().and_then(|it| it.inside.clone()) {
            let step = NextStep::ChangeModeOf(root);
            return judged(Some(step.for_model().into_owned()));
        }
        let mut hint = model_hint(evaluation);
        let is_command =
            request.call.command.is_some() && evaluation.rule == DecidingRule::GroupDisabled;
        if is_command && held.mode.enables(Group::Read) {
            // Some products read with nothing but their shell.
            let own = hint.map(|hint| format!("{hint}; ")).unwrap_or_default();
            hint = Some(format!(
                "{own}to look at files, use a tool that reads, such as Modekeeper's read_file"
            ));
        }
        if ruling == Ruling::Deny
            && let Some(mode) = self.would_allow(request, held)
        {
            let own = hint.map(|hint| format!("{hint}; ")).unwrap_or_default();
            hint = Some(format!(
                "{own}'{mode}' mode allows this: ask the user to run `modekeeper mode {mode}`"
            ));
        }
        judged(hint)
    }

    /// The first mode of the project that allows the call.
    fn would_allow(&self, request: &Request, held: &HeldConversation) -> Option<ModeSlug> {
        let root = &held.conversation.root.path;
        let catalogue = self.engine.modes().catalogue_at(root);
        let policy = self.engine.policy();
        catalogue
            .visible()
            .find(|mode| evaluate(policy, mode, request).is_allowed())
            .map(|mode| mode.slug.clone())
    }

    async fn record(
        &self,
        tool: &ToolUse,
        held: &HeldConversation,
        judged: &JudgedCall,
    ) -> Result<DecisionId, Error> {
        let decision = self.decision(tool, held, judged);
        Ok(self.engine.inner.store.append_decision(decision).await?)
    }

    /// What is recorded of a call.
    fn decision(
        &self,
        tool: &ToolUse,
        held: &HeldConversation,
        judged: &JudgedCall,
    ) -> NewDecision {
        let modes = [&held.mode].into_iter().chain(&held.ceilings);
        let modes = modes.chain(&judged.by);
        NewDecision {
            conversation: Some(held.conversation.id.clone()),
            client: held.conversation.client.name.clone(),
            project: Some(held.project.id.clone()),
            mode: judged.by.as_ref().unwrap_or(&held.mode).slug.clone(),
            tool: tool.name.clone(),
            target: call::target(tool),
            ruling: judged.ruling,
            rule: judged.rule.to_owned(),
            reason: judged.reason.clone(),
            hint: judged.hint.clone(),
            policy_hash: self.engine.inner.fingerprints.of(modes),
            input: tool.input.to_string(),
            tool_use: tool.id.clone(),
        }
    }
}

impl JudgedCall {
    fn of(ruling: Ruling, rule: &'static str, reason: String) -> Self {
        Self {
            ruling,
            rule,
            reason,
            hint: None,
            by: None,
        }
    }

    /// What a project around or inside this one says cannot be found out.
    fn undecided(error: &Error) -> Self {
        Self {
            hint: error.next_step().map(|step| step.for_model().into_owned()),
            ..Self::of(Ruling::Deny, "nested-project", format!("{error}."))
        }
    }

    fn held_by_the_kernel(self) -> Self {
        Self {
            ruling: Ruling::Allow,
            rule: "walled",
            reason: format!("The kernel holds it. {}", self.reason),
            hint: None,
            by: None,
        }
    }
}

/// The verdict that lets a line run inside the wall; `None` where it cannot be led there.
fn walled(tool: &ToolUse, shell: &AgentShell) -> Option<HookVerdict> {
    match shell {
        AgentShell::Open => None,
        AgentShell::Walled => Some(HookVerdict::pass()),
        AgentShell::Rewritten(program) => {
            let input = tool.with_commands(&|line| walled_line(program, line))?;
            if input == tool.input {
                return Some(HookVerdict::pass());
            }
            Some(HookVerdict {
                decision: HookDecision::Rewrite { input },
                context: None,
            })
        }
    }
}

/// What the model reads.
fn denial(judged: &JudgedCall, id: &DecisionId) -> String {
    let hint = judged.hint.as_ref();
    let hint = hint
        .map(|hint| format!(" Hint: {hint}."))
        .unwrap_or_default();
    format!("{}{hint} (Modekeeper, {id})", judged.reason)
}
