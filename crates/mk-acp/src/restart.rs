//! Agents that read their rules at their start only: a switch that changes them needs a new process, which loads the
//! session again. The editor notices nothing of it.

use std::sync::Arc;
use std::time::Duration;

use mk_clients::acp_load_name;
use serde_json::{Value, json};

use crate::error::Error;
use crate::names;
use crate::proxy::{Core, ENDING, ProxySide};

/// How long an agent may take to start and to load one session.
const PATIENCE: Duration = Duration::from_secs(60);

impl Core {
    /// Starts the agent again if the rules that it was started with are not those of the mode in force, as it is now in
    /// its file. Not while a turn runs: until then the proxy alone holds the new mode.
    pub(crate) async fn start_again_if_stale(self: &Arc<Self>, session: &str) -> Result<(), Error> {
        if !self.habits().restarts {
            return Ok(());
        }
        let place = self.with_session(session, |it| (it.seat.directory.clone(), it.mode.clone()));
        let Some((directory, wanted)) = place else {
            return Ok(());
        };
        let catalogue = self.engine.modes().catalogue_at(&directory);
        // A mode that is gone allows nothing, whatever the agent's rules say.
        let Some(mode) = catalogue.get(wanted.as_str()) else {
            return Ok(());
        };
        let rights = mode.rights();
        let is_current = {
            let state = self.lock();
            let is_busy = state.sessions.values().any(|it| it.turns > 0);
            is_busy || state.started_with.as_ref() == Some(&rights)
        };
        if is_current {
            return Ok(());
        }
        let agent = (self.launch)(Some(mode))?;
        self.let_go().await;
        self.attach(agent);
        self.lock().started_with = Some(rights);
        if tokio::time::timeout(PATIENCE, self.bring_back())
            .await
            .is_err()
        {
            tracing::warn!("the agent does not load its sessions again");
        }
        Ok(())
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
            match self.bring_back_session(&session, params).await {
                Ok(()) => {
                    // It may tell the past after its answer; this it answers when that is done.
                    self.with_session(&session, |it| it.inner.current = None);
                    self.pin(&session).await;
                }
                Err(()) => tracing::warn!(session, "the agent does not load this session again"),
            }
            self.with_session(&session, |it| {
                it.quiet = false;
                it.loading = false;
            });
        }
    }

    /// Loads a session; one without a past cannot be loaded, and is begun again under the name that the editor knows.
    async fn bring_back_session(
        self: &Arc<Self>,
        session: &str,
        mut params: Value,
    ) -> Result<(), ()> {
        let past = self.with_session(session, |it| it.past);
        if past != Some(0) {
            let mut params = params.clone();
            params["sessionId"] = Value::from(session);
            self.name_for_load(session);
            let loaded = self.request(ProxySide::Agent, "session/load", &params);
            if loaded.await.is_ok() {
                return Ok(());
            }
            self.tell_lost_past(session).await;
        }
        if let Some(entries) = params.as_object_mut() {
            entries.remove("sessionId");
        }
        let result = self
            .request(ProxySide::Agent, "session/new", &params)
            .await?;
        let own = result["sessionId"].as_str().ok_or(())?;
        self.lock().aliases.set(session, own);
        if let Err(error) = names::remember(&self.options.names, session, own) {
            tracing::warn!(%error, "this session cannot be loaded after the proxy has ended");
        }
        Ok(())
    }

    /// Sees to it that the agent is asked for a session by a name under which it finds its past.
    pub(crate) fn name_for_load(&self, session: &str) {
        let kept = names::recall(&self.options.names, session);
        let mut state = self.lock();
        if let Some(own) = kept {
            state.aliases.set(session, &own);
        }
        let own = state.aliases.of(session);
        if let Some(name) = acp_load_name(state.client, &own) {
            state.aliases.set(session, &name);
        }
    }

    async fn tell_lost_past(&self, session: &str) {
        let text = "\nThe agent was started again for another mode, and did not load this session: it does not know what \
                    was said before.\n";
        let update = json!({
            "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text },
        });
        self.update(session, &update).await;
    }
}
