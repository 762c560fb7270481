//! Agents that read their rules at their start only: a switch that changes them needs a new process, which loads the
//! session again. The editor notices nothing of it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::proxy::{Core, ENDING, ProxySide};

/// How long an agent may take to start and to load one session.
const PATIENCE: Duration = Duration::from_secs(60);

impl Core {
    /// Starts the agent again if the rules that it was started with are not those of the mode in force. Not while a turn
    /// runs: until then the proxy alone holds the new mode.
    pub(crate) async fn start_again_if_stale(self: &Arc<Self>, session: &str) {
        if !self.habits().restarts {
            return;
        }
        let (wanted, started_in, is_busy) = {
            let state = self.lock();
            let Some(mode) = state.sessions.get(session).map(|it| it.mode.clone()) else {
                return;
            };
            let is_busy = state.sessions.values().any(|it| it.turns > 0);
            (mode, state.started_in.clone(), is_busy)
        };
        if started_in.as_ref() == Some(&wanted) || is_busy {
            return;
        }
        let directory = self.with_session(session, |it| it.seat.directory.clone());
        let catalogue = directory.map(|directory| self.engine.modes().catalogue_at(&directory));
        let mode = catalogue.and_then(|catalogue| catalogue.get(wanted.as_str()).cloned());
        let Some(mode) = mode else { return };
        let agent = match (self.launch)(Some(&mode)) {
            Ok(agent) => agent,
            Err(error) => {
                tracing::warn!(%error, "the agent cannot be started again; its rules are those of another mode");
                return;
            }
        };
        self.let_go().await;
        self.attach(agent);
        self.lock().started_in = Some(wanted);
        if tokio::time::timeout(PATIENCE, self.bring_back())
            .await
            .is_err()
        {
            tracing::warn!("the agent does not load its sessions again");
        }
    }

    /// Lets the agent end by itself, so that it keeps what its sessions have said.
    async fn let_go(&self) {
        let process = {
            let mut state = self.lock();
            // Its end is ours, and not the end of the conversation.
            state.generation += 1;
            state.agent = None;
            state.process.take()
        };
        if let Some(mut process) = process {
            process.end(ENDING).await;
        }
    }

    async fn bring_back(self: &Arc<Self>) {
        let (initialize, sessions) = {
            let state = self.lock();
            let sessions = state.sessions.iter();
            let mut sessions: Vec<(String, Option<Value>)> = sessions
                .map(|(id, it)| {
                    let params = it.opened_with.as_ref();
                    (
                        id.clone(),
                        params.and_then(|raw| serde_json::from_str(raw.get()).ok()),
                    )
                })
                .collect();
            sessions.sort_by(|left, right| left.0.cmp(&right.0));
            (state.initialize.clone(), sessions)
        };
        let initialize = initialize.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
        let Some(initialize) = initialize else { return };
        if self
            .request(ProxySide::Agent, "initialize", &initialize)
            .await
            .is_err()
        {
            return;
        }
        for (session, params) in sessions {
            let mut params = params.unwrap_or_default();
            if params.get("mcpServers").is_none() {
                params["mcpServers"] = Value::Array(Vec::new());
            }
            self.with_session(&session, |it| {
                it.quiet = true;
                it.loading = true;
            });
            let back = self.bring_back_session(&session, params).await;
            self.with_session(&session, |it| {
                it.quiet = false;
                it.loading = false;
            });
            match back {
                Ok(result) => {
                    self.with_session(&session, |it| {
                        it.inner.current =
                            result["modes"]["currentModeId"].as_str().map(str::to_owned);
                    });
                    self.pin(&session).await;
                }
                Err(()) => tracing::warn!(session, "the agent does not load this session again"),
            }
        }
    }

    /// Loads a session; one without a past cannot be loaded, and is begun again under the name that the editor knows.
    async fn bring_back_session(
        self: &Arc<Self>,
        session: &str,
        mut params: Value,
    ) -> Result<Value, ()> {
        let past = self.with_session(session, |it| it.past);
        if past != Some(0) {
            params["sessionId"] = Value::from(session);
            return self
                .request(ProxySide::Agent, "session/load", &params)
                .await;
        }
        let result = self
            .request(ProxySide::Agent, "session/new", &params)
            .await?;
        let own = result["sessionId"].as_str().ok_or(())?;
        self.lock().aliases.set(session, own);
        Ok(result)
    }
}
