//! Keeps the agent in the one of its own modes that asks most, by whichever setter it has.

use std::sync::Arc;
use std::time::Duration;

use mk_clients::AcpHabits;
use serde_json::{Value, json};

use crate::proxy::{Core, ProxySide};
use crate::session::AgentSelector;

/// How long an agent may take to change its own mode.
const PATIENCE: Duration = Duration::from_secs(10);

/// The mode of its own that an agent should be in, if it is not.
pub(crate) fn wanted(habits: &AcpHabits, inner: &AgentSelector) -> Option<String> {
    let known = |id: &&&str| inner.available.iter().any(|it| it == **id);
    let asking = habits.asking.iter().find(known)?;
    (inner.current.as_deref() != Some(*asking)).then(|| (*asking).to_owned())
}

/// Whether it has gone where it may not be. A mode in which it plans is left with a plan, or by a person's switch.
pub(crate) fn has_left(habits: &AcpHabits, inner: &AgentSelector) -> bool {
    !is_planning(habits, inner) && wanted(habits, inner).is_some()
}

fn is_planning(habits: &AcpHabits, inner: &AgentSelector) -> bool {
    let current = inner.current.as_deref();
    current.is_some_and(|current| habits.planning.contains(&current))
}

impl Core {
    /// Takes the agent out of its own planning: a person has chosen what it may do.
    pub(crate) fn end_planning(self: &Arc<Self>, session: &str) {
        let habits = self.habits();
        let plans = self.with_session(session, |it| is_planning(&habits, &it.inner));
        if plans == Some(true) {
            self.start_pinning(session);
        }
    }

    /// Pins one session now, and tells whether the agent does as it was told. An agent without modes has nothing to pin.
    pub(crate) async fn pin(self: &Arc<Self>, session: &str) -> bool {
        let habits = self.habits();
        let Some(inner) = self.with_session(session, |it| it.inner.clone()) else {
            return true;
        };
        let mut done = true;
        if let Some(mode) = wanted(&habits, &inner) {
            // Now, so that a change which the agent tells of meanwhile is not taken for the one before.
            self.with_session(session, |it| it.inner.current = Some(mode.clone()));
            done = self.pin_mode(session, &inner, &mode).await;
            if !done {
                self.with_session(session, |it| it.inner.current = None);
                tracing::warn!(
                    session,
                    mode,
                    "the agent does not go into its mode that asks most"
                );
            }
        }
        for (option, tight) in habits.hidden {
            let is_loose = |(name, now): &(String, String)| name == option && now != tight;
            if inner.loose.iter().any(is_loose) {
                done &= self.set_agent_option(session, option, tight).await.is_ok();
            }
        }
        done
    }

    async fn pin_mode(self: &Arc<Self>, session: &str, inner: &AgentSelector, mode: &str) -> bool {
        let by_mode = async {
            let params = json!({ "sessionId": session, "modeId": mode });
            self.ask_agent("session/set_mode", &params).await.is_ok()
        };
        let by_option = async {
            let option = inner.option.as_deref().unwrap_or(crate::shown::OPTION);
            self.set_agent_option(session, option, mode).await.is_ok()
        };
        match inner.has_modes {
            true => by_mode.await || by_option.await,
            false => by_option.await || by_mode.await,
        }
    }

    async fn set_agent_option(
        self: &Arc<Self>,
        session: &str,
        option: &str,
        value: &str,
    ) -> Result<Value, ()> {
        let params = json!({ "sessionId": session, "configId": option, "value": value });
        self.ask_agent("session/set_config_option", &params).await
    }

    /// A request of ours to the agent. No answer in time is a failure.
    pub(crate) async fn ask_agent(
        self: &Arc<Self>,
        method: &str,
        params: &Value,
    ) -> Result<Value, ()> {
        let answer = self.request(ProxySide::Agent, method, params);
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(answer) => answer,
            Err(_) => Err(()),
        }
    }
}
