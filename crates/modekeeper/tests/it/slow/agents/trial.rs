//! What an agent tries in one turn, and what came of each try: on the disk, and for the model.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mk_testkit::model::{ScriptedModel, Step};

use crate::support::wait_within;

/// Longest that a subagent takes.
const CHILD: Duration = Duration::from_secs(120);

/// One thing that the model asks for.
#[derive(Debug)]
pub(in crate::slow) struct Trial {
    pub(in crate::slow) mode: &'static str,
    pub(in crate::slow) what: &'static str,
    pub(in crate::slow) step: Step,
    pub(in crate::slow) trace: Trace,
    /// The script of the subagent that tries it; its results say why it was refused.
    pub(in crate::slow) child: Option<String>,
}

/// How it shows that a try had its effect.
#[derive(Debug, Clone)]
pub(in crate::slow) enum Trace {
    /// The file is there.
    Made(PathBuf),
    /// The file is gone.
    Gone(PathBuf),
    /// The file has these words.
    Has(PathBuf, &'static str),
    /// The model was given these words.
    Heard(&'static str),
    /// Only prepares the next try.
    Nothing,
}

/// What a script says when it has begun; no line has the word.
pub(super) const BEGUN: &str = "begun-4711";

/// A line that cannot be read: it says that it runs, then makes a file.
pub(super) fn script(name: &str) -> String {
    format!("python3 -c \"print('begun-%d' % 4711, flush=True); open('{name}', 'w')\"")
}

/// What came of a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::slow) enum Outcome {
    Happened,
    /// Nothing happened, and the model was told why by us.
    Refused,
    /// The line ran, the kernel refused its effect, and the model was told so by us.
    Walled,
    /// Nothing happened, and the model has no reason of ours.
    Nothing,
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Happened => "done",
            Self::Refused => "refused",
            Self::Walled => "ran in the wall",
            Self::Nothing => "refused without our reason",
        })
    }
}

impl Trace {
    /// Whether the disk shows it now; `None` where only the model can tell.
    fn on_disk(&self) -> Option<bool> {
        match self {
            Self::Made(path) => Some(path.exists()),
            Self::Gone(path) => Some(!path.exists()),
            Self::Has(path, words) => {
                let text = std::fs::read_to_string(path).unwrap_or_default();
                Some(text.contains(words))
            }
            Self::Heard(_) | Self::Nothing => None,
        }
    }

    fn happened(&self, on_disk: Option<bool>, result: &str) -> bool {
        match (on_disk, self) {
            (Some(happened), _) => happened,
            (None, Self::Heard(words)) => result.contains(words),
            (None, _) => true,
        }
    }
}

/// The disk after each try: looked at when the agent asks what to do next, and at the end of the turn.
#[derive(Debug, Clone)]
pub(in crate::slow) struct Looks {
    model: ScriptedModel,
    seen: Arc<Mutex<Vec<Option<bool>>>>,
}

impl Looks {
    pub(in crate::slow) fn new(model: &ScriptedModel) -> Self {
        Self {
            model: model.clone(),
            seen: Arc::default(),
        }
    }

    /// The steps of these trials, each with a look at what the one before has done.
    pub(in crate::slow) fn steps(&self, trials: &mut [Trial], mut between: Between) -> Vec<Step> {
        let mut before: Option<(Trace, Option<String>)> = None;
        let mut steps = Vec::new();
        for (at, trial) in trials.iter_mut().enumerate() {
            let step = std::mem::replace(&mut trial.step, Step::new(&[], serde_json::Value::Null));
            let last = before.replace((trial.trace.clone(), trial.child.clone()));
            let mut act = between(at);
            let looks = self.clone();
            steps.push(step.after(move || {
                // An agent may send a request again.
                if let Some((trace, child)) = &last {
                    looks.look(at, trace, child.as_deref());
                }
                if let Some(act) = act.take() {
                    act();
                }
            }));
        }
        steps
    }

    fn look(&self, at: usize, trace: &Trace, child: Option<&str>) {
        if let Some(child) = child {
            // Some products let a subagent work in the background.
            let ended = || self.model.heard(child).ended.then_some(());
            wait_within(CHILD, child, ended);
        }
        let mut seen = self.seen.lock().unwrap();
        if seen.len() < at {
            seen.push(trace.on_disk());
        }
    }

    /// What came of each trial.
    pub(in crate::slow) fn outcomes(&self, trials: &[Trial], results: &[String]) -> Vec<Outcome> {
        if let Some(last) = trials.last() {
            self.look(trials.len(), &last.trace, last.child.as_deref());
        }
        let seen = self.seen.lock().unwrap().clone();
        assert_eq!(seen.len(), trials.len(), "{results:#?}");
        let judged = trials.iter().zip(seen).zip(results);
        judged
            .map(|((trial, on_disk), result)| {
                let own = trial.child.as_ref().map(|child| self.model.heard(child));
                let own = own.map(|heard| heard.results.concat());
                let result = own.as_ref().unwrap_or(result);
                if trial.trace.happened(on_disk, result) {
                    Outcome::Happened
                } else if result.contains(BEGUN) && result.contains("modekeeper: ") {
                    Outcome::Walled
                } else if is_ours(result) {
                    Outcome::Refused
                } else {
                    Outcome::Nothing
                }
            })
            .collect()
    }
}

/// What a person does before a trial, by its place in the turn.
pub(in crate::slow) type Between = Box<dyn FnMut(usize) -> Option<Box<dyn FnOnce() + Send>>>;

/// Whether a text is a refusal of ours: of the hook, of the plugin, or of our server.
fn is_ours(text: &str) -> bool {
    ["Modekeeper", "modekeeper", "' mode"]
        .iter()
        .any(|words| text.contains(words))
}
