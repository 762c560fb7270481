//! `session/request_permission` of the agent: answered where the mode decides, passed on where a person must, rejected
//! where the mode forbids.

use std::sync::Arc;

use mk_clients::{
    AcpCall, ClientToolGroup, HookDecision, HookEvent, HookMoment, ToolUse, acp_tool_use,
};
use mk_engine::{HookOutcome, RuledCall, Seat};
use mk_policy::{AutoApprove, Mode};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::ask::chosen;
use crate::error::{RequestRefusal, refusal};
use crate::grant::ModeRights;
use crate::message::{self, Id, RawObject};
use crate::plan::ProposedPlan;
use crate::proxy::{Core, PassedOn, ProxySide};

/// How often a call that needs approval is tried again; each time a person has agreed to something.
const MOST_REQUESTS: usize = 4;

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PermissionOutcome {
    /// The mode allows it, and a person need not be asked, or has been.
    Allow,
    /// The mode allows it; a person decides. Why, in a few words.
    Person(String),
    Deny(String),
}

impl Core {
    /// An agent asks whether it may.
    pub(crate) async fn permission(
        self: Arc<Self>,
        id: Id,
        line: Vec<u8>,
        params: Option<Box<RawValue>>,
    ) {
        let mut params = RawObject::read(params.as_deref()).unwrap_or_default();
        let session = params.text("sessionId").unwrap_or_default();
        let tool_call = params.value("toolCall").filter(Value::is_object);
        let tool_call = tool_call.unwrap_or_else(|| json!({}));
        let options = match params.value("options") {
            Some(Value::Array(options)) => options,
            _ => Vec::new(),
        };
        let call_id = tool_call["toolCallId"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let call = self.with_session(&session, |it| {
            it.calls.ask(&call_id);
            it.calls.join(&call_id, &tool_call)
        });
        let Some(call) = call else {
            // A session that nobody has opened is in no mode.
            return self.choose(&id, reject(&options)).await;
        };
        if call.kind.as_deref() == Some("switch_mode") {
            let asked = (call, tool_call);
            return self.leave_plan(&id, &session, asked, &options).await;
        }
        let tool = acp_tool_use(self.lock().client, &call);
        // Before it is judged: what changes meanwhile makes it worth nothing.
        let rights = self.rights_in(&session);
        let outcome = self.judge(&session, tool.clone(), Some(&tool_call)).await;
        match (outcome, allow(&options)) {
            (PermissionOutcome::Deny(reason), _) => {
                self.tell_refusal(&session, &call, &reason).await;
                return self.choose(&id, reject(&options)).await;
            }
            (PermissionOutcome::Allow, Some(option)) => {
                self.grant(&session, &tool, rights.as_ref());
                return self.choose(&id, Some(option)).await;
            }
            // None of the options means «this once»: a person has to look.
            (PermissionOutcome::Allow, None) => {}
            (PermissionOutcome::Person(why), _) => {
                let title = call.title.as_deref().unwrap_or("The agent asks");
                let mut tool_call = tool_call;
                tool_call["title"] = json!(format!("{title} ({why})"));
                params.set("toolCall", &tool_call);
            }
        }
        let passed_on = PassedOn {
            session,
            options,
            call,
            tool,
            rights,
        };
        self.pass_on(id, line, params, passed_on).await;
    }

    /// Decides about a call, and asks a person where the policy wants it.
    pub(crate) async fn judge(
        self: &Arc<Self>,
        session: &str,
        tool: ToolUse,
        shown: Option<&Value>,
    ) -> PermissionOutcome {
        let Some(seat) = self.with_session(session, |it| it.seat.clone()) else {
            return PermissionOutcome::Deny(format!("Session not found: {session}"));
        };
        let group = tool.group();
        let event = self.permission_event(session, &seat, tool);
        let mut has_agreed = false;
        for _ in 0..MOST_REQUESTS {
            let hooks = self.engine.hooks();
            let ruled = hooks.decide(&event, &seat, &self.options.settings).await;
            let RuledCall {
                hooked,
                mode,
                is_always_ours,
            } = match ruled {
                Ok(ruled) => ruled,
                Err(error) => return PermissionOutcome::Deny(refusal(&error).1),
            };
            match hooked {
                HookOutcome::Decided(verdict) => match verdict.decision {
                    HookDecision::Deny { reason } => return PermissionOutcome::Deny(reason),
                    HookDecision::Pass if has_agreed || is_always_ours => {
                        return PermissionOutcome::Allow;
                    }
                    HookDecision::Pass => return automatic(&mode, group),
                    HookDecision::Rewrite { .. } => {
                        return PermissionOutcome::Deny(
                            "The call would have to be changed".to_owned(),
                        );
                    }
                },
                HookOutcome::Elsewhere(root) => {
                    let reason = format!("The project in '{root}' decides about this call");
                    return PermissionOutcome::Deny(reason);
                }
                HookOutcome::Waits(request, verdict) => {
                    // Another task may be showing it already; its answer is recorded either way.
                    let agreed = match self.begin_asking(session, &request.id) {
                        true => self.ask_person(session, &request, shown).await,
                        false => self.is_agreed(&request.id).await,
                    };
                    if !agreed {
                        return PermissionOutcome::Deny(match verdict.decision {
                            HookDecision::Deny { reason } => reason,
                            _ => "The user declined".to_owned(),
                        });
                    }
                    has_agreed = true;
                }
            }
        }
        PermissionOutcome::Deny("It needs approval again and again".to_owned())
    }

    /// Decides once more about a call that a person has agreed to, if what is in force is no longer what it was.
    pub(crate) async fn judge_again(
        self: &Arc<Self>,
        session: &str,
        tool: &ToolUse,
        before: Option<&ModeRights>,
    ) -> Result<(), String> {
        let now = self.rights_in(session);
        if now.is_some() && now.as_ref() == before {
            return Ok(());
        }
        match self.judge(session, tool.clone(), None).await {
            PermissionOutcome::Deny(reason) => Err(reason),
            PermissionOutcome::Allow | PermissionOutcome::Person(_) => Ok(()),
        }
    }

    fn permission_event(&self, session: &str, seat: &Seat, tool: ToolUse) -> HookEvent {
        HookEvent {
            client: self.event_client(),
            name: "permission".to_owned(),
            conversation: Some(session.to_owned()),
            agent: None,
            parent: None,
            cwd: Some(seat.directory.as_path().to_owned()),
            moment: HookMoment::BeforeTool(tool),
        }
    }

    async fn is_agreed(&self, id: &mk_types::ApprovalId) -> bool {
        let answer = self.engine.approvals().wait(id).await;
        matches!(answer, Ok(Some(mk_engine::ApprovalVerdict::Granted)))
    }

    /// Passes the agent's question on. «Always» is left out where only we would be asked again: the agent remembers it
    /// over every switch of the mode.
    async fn pass_on(
        self: &Arc<Self>,
        id: Id,
        line: Vec<u8>,
        mut params: RawObject,
        passed_on: PassedOn,
    ) {
        let mut passed_on = passed_on;
        if !self.habits().hook {
            let once = |option: &Value| option["kind"] == "allow_once";
            if passed_on.options.iter().any(once) {
                passed_on
                    .options
                    .retain(|option| option["kind"] != "allow_always");
                params.set("options", &passed_on.options);
            }
        }
        let line = message::with(&line, "params", &params).unwrap_or(line);
        let is_new = {
            let mut state = self.lock();
            let is_new = !state.passed_on.contains_key(&id);
            if is_new {
                state.passed_on.insert(id.clone(), passed_on);
            }
            is_new
        };
        if is_new {
            return self.to_editor(line).await;
        }
        // The answer to the first would count for both.
        let text = "Another request with this id is still open";
        let refusal = RequestRefusal::InvalidParams;
        self.refuse(ProxySide::Agent, &id, refusal, text).await;
    }

    /// A person has answered what was passed on. Anything but one of the options is a no. If the mode has changed
    /// meanwhile, the new one decides, too.
    pub(crate) async fn person_chose(
        self: &Arc<Self>,
        id: &Id,
        passed_on: PassedOn,
        result: Option<&RawValue>,
    ) {
        let answer = result.and_then(|result| serde_json::from_str::<Value>(result.get()).ok());
        let answer = answer.unwrap_or_default();
        let PassedOn {
            session,
            options,
            call,
            tool,
            rights,
        } = passed_on;
        let picked = chosen(&answer)
            .and_then(|chosen| options.iter().find(|option| option["optionId"] == chosen));
        let is_cancelled = answer["outcome"]["outcome"] == "cancelled";
        match picked {
            Some(option) => {
                if is_allowing(option) {
                    let judged = self.judge_again(&session, &tool, rights.as_ref()).await;
                    if let Err(reason) = judged {
                        self.tell_refusal(&session, &call, &reason).await;
                        return self.choose(id, reject(&options)).await;
                    }
                    self.grant(&session, &tool, self.rights_in(&session).as_ref());
                }
                // As the editor wrote it, with what else it says.
                self.to_agent(message::response(id, &answer)).await;
            }
            None if is_cancelled => self.to_agent(message::response(id, &answer)).await,
            None => self.choose(id, reject(&options)).await,
        }
    }

    /// Answers the agent with one of its options; without one, the question is cancelled, which is a no as well.
    async fn choose(&self, id: &Id, option: Option<&Value>) {
        let outcome = match option {
            Some(option) => json!({ "outcome": "selected", "optionId": option["optionId"] }),
            None => json!({ "outcome": "cancelled" }),
        };
        self.to_agent(message::response(id, &json!({ "outcome": outcome })))
            .await;
    }

    /// Claude's own way out of a plan, led to our modes.
    async fn leave_plan(
        self: &Arc<Self>,
        id: &Id,
        session: &str,
        (call, tool_call): (AcpCall, Value),
        options: &[Value],
    ) {
        let content = tool_call
            .get("content")
            .filter(|content| content.as_array().is_some_and(|it| !it.is_empty()));
        let plan = call
            .raw_input
            .as_ref()
            .and_then(|input| input["plan"].as_str());
        let plan = ProposedPlan {
            text: plan.unwrap_or_default().to_owned(),
            call: call.id.clone(),
            title: call
                .title
                .clone()
                .unwrap_or_else(|| "Ready for implementation".to_owned()),
        };
        match self.ask_plan(session, &plan, content).await {
            // Its own mode stays the one that asks most, so the choice that keeps asking is taken.
            Some(_) => {
                self.choose(id, allow(options).or_else(|| any_allowing(options)))
                    .await;
            }
            None => self.choose(id, reject(options)).await,
        }
    }

    /// Says why a call was refused: to the person at once, to the model with its next prompt, unless a hook has told it.
    pub(crate) async fn tell_refusal(&self, session: &str, call: &AcpCall, reason: &str) {
        let title = call.title.clone().unwrap_or_else(|| call.id.clone());
        let text = format!("Modekeeper refused «{title}»: {reason}");
        let message = json!({
            "sessionUpdate": "agent_message_chunk",
            "content": { "type": "text", "text": format!("\n{text}\n") },
        });
        self.update(session, &message).await;
        self.with_session(session, |it| it.unheard.push(format!("{title}: {reason}")));
    }
}

/// What the mode says about asking a person.
fn automatic(mode: &Mode, group: Option<ClientToolGroup>) -> PermissionOutcome {
    let is_reading = matches!(
        group,
        Some(ClientToolGroup::Read | ClientToolGroup::Harmless)
    );
    match mode.auto_approve.unwrap_or(AutoApprove::None) {
        AutoApprove::All => PermissionOutcome::Allow,
        AutoApprove::Read if is_reading => PermissionOutcome::Allow,
        AutoApprove::Read => PermissionOutcome::Person(format!(
            "'{}' mode asks before anything but reading",
            mode.slug
        )),
        AutoApprove::None => {
            PermissionOutcome::Person(format!("'{}' mode asks before every action", mode.slug))
        }
    }
}

/// Words in an option's id or name that say that more than this one call is meant.
const MORE_THAN_ONCE: &[&str] = &[
    "always",
    "session",
    "auto",
    "updates",
    "all",
    "forever",
    "remember",
    "again",
    "permanently",
    "project",
    "workspace",
];

/// The option that allows this one call: by its kind, and by an id that means no more than that.
pub(crate) fn allow(options: &[Value]) -> Option<&Value> {
    options.iter().find(|option| {
        let texts = ["optionId", "name"].map(|key| option[key].as_str().unwrap_or_default());
        option["kind"] == "allow_once" && !texts.into_iter().any(means_more)
    })
}

/// Whether one of a text's words means more than this once. `allowAlways` has two words.
fn means_more(text: &str) -> bool {
    let mut spaced = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(letter.to_ascii_lowercase());
    }
    let whole = text.to_lowercase();
    let words = |text: &str| {
        let mut words = text.split(|it: char| !it.is_alphanumeric());
        words.any(|word| MORE_THAN_ONCE.contains(&word))
    };
    words(&spaced) || words(&whole)
}

fn any_allowing(options: &[Value]) -> Option<&Value> {
    options.iter().find(|option| is_allowing(option))
}

fn is_allowing(option: &Value) -> bool {
    matches!(option["kind"].as_str(), Some("allow_once" | "allow_always"))
}

/// The option that refuses this one call; one that also ends the turn only if there is no other.
pub(crate) fn reject(options: &[Value]) -> Option<&Value> {
    let of_kind = |kind: &'static str| options.iter().filter(move |option| option["kind"] == kind);
    let ends_turn = |option: &&Value| {
        let id = option["optionId"].as_str().unwrap_or_default();
        id.contains("cancel") || id.contains("abort")
    };
    of_kind("reject_once")
        .find(|option| !ends_turn(option))
        .or_else(|| of_kind("reject_once").next())
        .or_else(|| of_kind("reject_always").next())
}
