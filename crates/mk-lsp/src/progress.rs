//! Whether a server has seen the whole project yet, as far as it lets us know.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::table::WarmSign;

/// How long after the start, or after the first document, a server may take to announce its work.
const ANNOUNCEMENT: Duration = Duration::from_secs(2);
/// A server that should tell when it is done, but does not, counts like the others after this long.
const WORD_AWAITED: Duration = Duration::from_secs(20);
/// Work of which nothing was heard for this long has been forgotten by the server.
const FORGOTTEN: Duration = Duration::from_secs(30);
/// One that says when it is done says within this time that it begins again.
const SECOND_THOUGHTS: Duration = Duration::from_millis(500);
const MOST_TASKS: usize = 256;

/// What a server is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Warmth {
    Warm,
    /// It reads the project; `until` is when to look again though nothing was heard.
    Busy {
        percent: Option<u8>,
        title: String,
        until: Instant,
    },
}

/// What a server has told about its work.
#[derive(Debug)]
pub(crate) struct ServerProgress {
    warm: WarmSign,
    /// The start, or the first document if that came later.
    since: Instant,
    announced: bool,
    /// What it said itself about being done.
    done: Option<bool>,
    /// When it was told of files that have come or gone or say how the others are read: it may begin again.
    restructured: Option<Instant>,
    /// Why it cannot see the project at all.
    complaint: Option<String>,
    tasks: BTreeMap<String, ServerTask>,
}

#[derive(Debug)]
struct ServerTask {
    title: String,
    percent: Option<u8>,
    heard: Instant,
}

#[derive(Deserialize)]
struct ProgressReport {
    token: Value,
    value: ReportValue,
}

#[derive(Deserialize)]
struct ReportValue {
    kind: String,
    title: Option<String>,
    percentage: Option<f64>,
}

#[derive(Deserialize)]
struct ProgressStatus {
    quiescent: bool,
    #[serde(default)]
    health: String,
    message: Option<String>,
}

impl ServerProgress {
    pub(crate) fn new(warm: WarmSign, now: Instant) -> Self {
        Self {
            warm,
            since: now,
            announced: false,
            done: None,
            restructured: None,
            complaint: None,
            tasks: BTreeMap::new(),
        }
    }

    /// Some servers begin with the first document they are shown.
    pub(crate) fn first_document(&mut self, now: Instant) {
        self.since = now;
    }

    /// More than the text of a file has changed.
    pub(crate) fn restructured(&mut self, now: Instant) {
        self.restructured = Some(now);
    }

    /// Takes in a `$/progress`.
    pub(crate) fn report(&mut self, params: &RawValue, now: Instant) {
        let Ok(report) = serde_json::from_str::<ProgressReport>(params.get()) else {
            return;
        };
        let token = report.token.to_string();
        let percent = report.value.percentage.map(|percent| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is between 0 and 100"
            )]
            let percent = percent.clamp(0.0, 100.0) as u8;
            percent
        });
        self.announced = true;
        match report.value.kind.as_str() {
            "begin" if self.tasks.len() < MOST_TASKS => {
                let title = report.value.title.unwrap_or_default();
                let task = ServerTask {
                    title: title.chars().take(80).collect(),
                    percent,
                    heard: now,
                };
                self.tasks.insert(token, task);
            }
            "report" => {
                if let Some(task) = self.tasks.get_mut(&token) {
                    task.heard = now;
                    task.percent = percent.or(task.percent);
                }
            }
            "end" => drop(self.tasks.remove(&token)),
            _ => {}
        }
    }

    /// Takes in an `experimental/serverStatus`.
    pub(crate) fn status(&mut self, params: &RawValue) {
        if let Ok(status) = serde_json::from_str::<ProgressStatus>(params.get()) {
            self.done = Some(status.quiescent);
            let message = status.message.unwrap_or_default();
            self.complaint = (status.health == "error").then_some(message);
        }
    }

    /// Takes in that it could not read the project.
    pub(crate) fn complain(&mut self, reason: String) {
        self.complaint = Some(reason);
    }

    /// What it could not read has changed; it complains again if that does not help.
    pub(crate) fn hope(&mut self) {
        self.complaint = None;
    }

    /// Why its answers about the project would be wrong, if it says so itself.
    pub(crate) fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    /// Takes in a line of its log.
    pub(crate) fn log(&mut self, line: &str) {
        if let WarmSign::Log(text) = &self.warm
            && line.contains(text)
        {
            self.done = Some(true);
        }
    }

    pub(crate) fn warmth(&self, now: Instant) -> Warmth {
        let alive = |task: &&ServerTask| now < task.heard + FORGOTTEN;
        let task = self.tasks.values().find(alive);
        let busy = |until| Warmth::Busy {
            percent: task.and_then(|task| task.percent),
            title: task.map(|task| task.title.clone()).unwrap_or_default(),
            until,
        };
        // It will not get further.
        if self.complaint.is_some() && self.warm != WarmSign::Status {
            return Warmth::Warm;
        }
        let second_thoughts = self.restructured.map(|at| at + SECOND_THOUGHTS);
        match (&self.warm, self.done) {
            (WarmSign::Status, Some(true)) => match second_thoughts {
                Some(until) if now < until => busy(until),
                _ => Warmth::Warm,
            },
            (WarmSign::Status, Some(false)) => busy(now + FORGOTTEN),
            (WarmSign::Status | WarmSign::Log(_), None) if now < self.since + WORD_AWAITED => {
                busy(self.since + WORD_AWAITED)
            }
            (WarmSign::Progress, _) if !self.announced && now < self.since + ANNOUNCEMENT => {
                busy(self.since + ANNOUNCEMENT)
            }
            _ => task.map_or(Warmth::Warm, |task| busy(task.heard + FORGOTTEN)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_complains_is_not_waited_for_until_it_may_have_reason_to_hope() {
        let now = Instant::now();
        let mut progress = ServerProgress::new(WarmSign::Progress, now);
        let is_busy = |progress: &ServerProgress| progress.warmth(now) != Warmth::Warm;
        assert!(is_busy(&progress));
        progress.complain("no module".to_owned());
        assert_eq!(progress.complaint(), Some("no module"));
        assert!(!is_busy(&progress));
        progress.hope();
        assert_eq!(progress.complaint(), None);
        assert!(is_busy(&progress));
    }
}
