//! What the routes share, and `GET /server/info`.

use std::sync::{Arc, Mutex};

use axum::Json;
use axum::extract::State;
use mk_engine::{
    AccessRole, Actor, Caller, CallerConversation, Ceiling, Engine, Error, OthersTasks,
    ProjectStanding, StartDirectory,
};
use mk_types::{AbsPath, lock};
use serde_json::{Value, json};

use crate::events::EventStreams;
use crate::gate::RequestSender;
use crate::machine::Machine;

/// The directory that was activated over plain HTTP, which is one conversation; those over MCP have their own.
#[derive(Debug, Clone, Default)]
pub struct ActiveDirectory(Arc<Mutex<Option<AbsPath>>>);

impl ActiveDirectory {
    fn get(&self) -> Option<AbsPath> {
        lock(&self.0).clone()
    }

    pub(crate) fn set(&self, directory: AbsPath) {
        *lock(&self.0) = Some(directory);
    }
}

/// The state of the web face. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Web {
    pub engine: Engine,
    pub version: &'static str,
    /// Where calls work that name no task, until a project is activated.
    pub start: StartDirectory,
    pub active: ActiveDirectory,
    /// The families of tools that are offered.
    pub toolsets: Vec<mk_tools::Toolset>,
    /// `None` where calls are not limited.
    pub limiter: Option<mk_tools::Limiter>,
    /// What nothing on this server may exceed.
    pub ceiling: Option<Ceiling>,
    pub events: EventStreams,
    pub machine: Machine,
}

impl Web {
    pub(crate) fn offers(&self, family: mk_tools::Toolset) -> bool {
        self.toolsets.contains(&family)
    }

    pub(crate) fn caller(&self, actor: Actor) -> Caller {
        let (project, standing) = match self.active.get() {
            Some(project) => (project, ProjectStanding::InProject),
            None => (self.start.folder().clone(), self.start.standing()),
        };
        Caller {
            project,
            standing,
            ceilings: self.ceiling.iter().cloned().collect(),
            conversation: CallerConversation::default(),
            mode: None,
            agent: None,
            client: None,
            roots: Vec::new(),
            within: Vec::new(),
            others: OthersTasks::default(),
            actor,
        }
    }
}

impl Web {
    /// An agent over plain HTTP, within what its credential allows.
    pub(crate) fn agent(&self, who: &RequestSender) -> Result<Caller, Error> {
        let limits = who.limits();
        let mut caller = self.caller(Actor::Agent);
        for mode in &limits.modes {
            let ceiling = self.engine.modes().ceiling(mode.as_str())?;
            caller.ceilings.push(ceiling.of_token());
        }
        caller.conversation.id = limits.conversation();
        caller.others = limits.others;
        caller.agent = limits.agent;
        caller.within = limits.projects;
        Ok(caller)
    }

    /// Who uses a route of the dashboard that stands for a tool: a person as they are, anyone else where the tool
    /// itself could be allowed.
    pub(crate) fn steward(&self, who: &RequestSender, tool: &str) -> Result<Caller, Error> {
        let agent = self.agent(who)?;
        let in_force = self.engine.project(&agent).in_force()?;
        let is_person = who
            .principal
            .as_ref()
            .is_some_and(|it| it.may(AccessRole::Operator) && it.limits().modes.is_empty());
        if !is_person && !self.engine.could_allow(&in_force, tool) {
            let mode = &in_force.mode.slug;
            return Err(Error::Denied {
                rule: None,
                message: format!(
                    "`{tool}` is not allowed in '{mode}' mode, or not with this token"
                ),
                hint: Some(
                    "open the page with `modekeeper dashboard`, or use another token".into(),
                ),
            });
        }
        Ok(self.caller(Actor::Operator))
    }
}

pub(crate) async fn info(State(web): State<Web>) -> Json<Value> {
    Json(json!({
        "name": "modekeeper",
        "version": web.version,
        "protocol_version": "2025-11-25",
        "capabilities": { "tools": true, "prompts": true, "resources": true, "logging": true },
    }))
}
