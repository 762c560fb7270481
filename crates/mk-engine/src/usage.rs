//! Figures: how often and how fast tools are called, what was decided, how people answer.
//!
//! Calls are counted in memory since the process began; decisions and approvals come from the store.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use mk_store::{ApprovalFigures, DecisionCount, NewDecision, Ruling};
use mk_types::{AbsPath, ProjectId, Timestamp, lock};

use crate::authorize::ToolRequest;
use crate::check::CheckedCall;
use crate::client_name::shown_name;
use crate::error::Error;
use crate::next_step::NextStep;
use crate::{Actor, Caller, Engine};

/// Upper bounds of the classes that latencies are counted in, in microseconds; one more class has no bound.
pub const LATENCY_BOUNDS: [u64; 10] = [
    50, 100, 250, 500, 1_000, 5_000, 25_000, 100_000, 1_000_000, 10_000_000,
];
/// What decisions about our own tools name as their client where it does not say what it is called.
const OWN_CLIENT: &str = "mcp";
/// Longest target in a list of decisions.
const LONGEST_TARGET: usize = 200;

pub(crate) type UsageSender = BTreeMap<&'static str, ToolFigures>;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcomes {
    Answered,
    /// A mode or a person said no.
    Refused,
    Failed,
}

/// What is known of one tool's calls.
#[derive(Debug, Clone, Default)]
pub struct ToolFigures {
    pub calls: u64,
    pub refused: u64,
    pub failed: u64,
    pub total: Duration,
    /// Calls by latency, see [`LATENCY_BOUNDS`].
    pub classes: [u64; LATENCY_BOUNDS.len() + 1],
}

impl ToolFigures {
    /// The latency that this share of calls did not exceed, as the upper bound of its class.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let wanted = (self.calls as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (class, count) in self.classes.iter().enumerate() {
            seen += count;
            if seen >= wanted && seen > 0 {
                let last = LATENCY_BOUNDS.len() - 1;
                return Some(Duration::from_micros(LATENCY_BOUNDS[class.min(last)]));
            }
        }
        None
    }
}

/// One call, for those who trace.
#[derive(Debug, Clone)]
pub struct CallSpan {
    pub tool: &'static str,
    pub ended: Timestamp,
    pub time: Duration,
    pub outcome: Outcomes,
}

/// Calls that are kept for a trace at most, until they are taken.
const MOST_SPANS: usize = 4096;

/// Calls since they were last taken; `None` while nobody traces.
#[derive(Debug, Default)]
pub(crate) struct Spans(Mutex<Option<VecDeque<CallSpan>>>);

impl Spans {
    fn lock(&self) -> MutexGuard<'_, Option<VecDeque<CallSpan>>> {
        lock(&self.0)
    }
}

/// What was decided and answered in a stretch of time.
#[derive(Debug, Clone)]
pub struct UsageReport {
    pub decisions: Vec<DecisionCount>,
    pub approvals: ApprovalFigures,
}

/// The figures of an engine.
#[derive(Debug, Clone, Copy)]
pub struct UsageOf<'a> {
    engine: &'a Engine,
}

impl Engine {
    pub fn usage(&self) -> UsageOf<'_> {
        UsageOf { engine: self }
    }

    pub fn tool_figures(&self) -> BTreeMap<&'static str, ToolFigures> {
        self.usage().lock().clone()
    }

    /// Queues the record of a decision about one of our own tools.
    pub(crate) fn note(&self, caller: &Caller, request: &ToolRequest<'_>, checked: &CheckedCall) {
        // What a person looks at themselves is no agent's call.
        if caller.actor == Actor::Operator {
            return;
        }
        let CheckedCall {
            in_force,
            evaluation,
            ..
        } = checked;
        let ruling = match evaluation.decision {
            mk_policy::Decision::Allow => Ruling::Allow,
            mk_policy::Decision::Unproven => Ruling::Unproven,
            mk_policy::Decision::Ask => Ruling::Ask,
            mk_policy::Decision::Deny => Ruling::Deny,
        };
        let call = &request.call;
        let target = match &call.command {
            Some(line) => line.clone(),
            None => call.paths.join(", "),
        };
        let decider = in_force.decider();
        let layer = in_force.decided_by.as_ref().map(|it| &it.mode);
        let hint = match layer {
            Some(_) => checked.next_step(),
            None => NextStep::of(evaluation),
        };
        let hint = hint.filter(|_| !evaluation.is_allowed());
        self.inner.store.record_decision(NewDecision {
            conversation: caller.conversation.id.clone(),
            client: caller
                .client
                .as_deref()
                .map_or_else(|| OWN_CLIENT.to_owned(), shown_name),
            project: self.known_project(&in_force.project),
            mode: decider.slug.clone(),
            tool: call.tool.clone(),
            target: target.chars().take(LONGEST_TARGET).collect(),
            ruling,
            rule: evaluation.rule.as_str().to_owned(),
            reason: evaluation.sentence(decider),
            hint: hint.map(|step| step.for_model().into_owned()),
            policy_hash: self.inner.fingerprints.of(in_force.modes().chain(layer)),
            input: serde_json::to_string(request.arguments).unwrap_or_default(),
            tool_use: None,
        });
    }

    /// The id of a project; one that was never stored gets one, so that its log finds what was decided in it.
    fn known_project(&self, root: &AbsPath) -> Option<ProjectId> {
        let store = &self.inner.store;
        let root = self.project_root(root).ok()?;
        if let Some(found) = store.project_at(&root).ok()? {
            return Some(found.id);
        }
        let mut new = lock(&self.inner.new_projects);
        if let Some(id) = new.get(&root) {
            return Some(id.clone());
        }
        let id = ProjectId::random();
        store.open_project_soon(&root, &id).ok()?;
        new.insert(root, id.clone());
        Some(id)
    }
}

impl UsageOf<'_> {
    fn lock(&self) -> MutexGuard<'_, UsageSender> {
        lock(&self.engine.inner.usage)
    }

    /// Counts a call of a tool.
    pub fn count(&self, tool: &'static str, time: Duration, outcome: Outcomes) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let class = LATENCY_BOUNDS.partition_point(|bound| *bound < micros);
        if let Some(spans) = self.engine.inner.spans.lock().as_mut() {
            if spans.len() == MOST_SPANS {
                spans.pop_front();
            }
            spans.push_back(CallSpan {
                tool,
                ended: self.engine.inner.clock.now(),
                time,
                outcome,
            });
        }
        let mut usage = self.lock();
        let figures = usage.entry(tool).or_default();
        figures.calls += 1;
        figures.total += time;
        if let Some(count) = figures.classes.get_mut(class) {
            *count += 1;
        }
        match outcome {
            Outcomes::Answered => {}
            Outcomes::Refused => figures.refused += 1,
            Outcomes::Failed => figures.failed += 1,
        }
    }

    /// Keeps every call from now on, for a trace.
    pub fn trace(&self) {
        self.engine.inner.spans.lock().get_or_insert_default();
    }

    /// The calls since this was last asked.
    pub fn take_spans(&self) -> Vec<CallSpan> {
        let mut spans = self.engine.inner.spans.lock();
        spans
            .as_mut()
            .map(|spans| spans.drain(..).collect())
            .unwrap_or_default()
    }

    /// What was decided and answered since then, in stretches of time.
    pub fn report(&self, since: Timestamp, stretch: Duration) -> Result<UsageReport, Error> {
        let store = &self.engine.inner.store;
        Ok(UsageReport {
            decisions: store.count_decisions(since, stretch)?,
            approvals: store.count_approvals(since)?,
        })
    }
}
