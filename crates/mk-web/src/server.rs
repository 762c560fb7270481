//! What the routes share, and `GET /server/info`.

use axum::Json;
use axum::extract::State;
use mk_engine::{Actor, Caller, CallerConversation, Ceiling, Engine, Standing, Start};
use serde_json::{Value, json};

/// The state of the web face. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Web {
    pub engine: Engine,
    pub version: &'static str,
    /// Where calls work that name no task, until a project is activated.
    pub start: Start,
    /// The families of tools that are offered.
    pub toolsets: Vec<mk_tools::Toolset>,
    /// `None` where calls are not limited.
    pub limiter: Option<mk_tools::Limiter>,
    /// What nothing on this server may exceed.
    pub ceiling: Option<Ceiling>,
}

impl Web {
    pub(crate) fn offers(&self, tool: &mk_tools::Tool) -> bool {
        self.toolsets.contains(&tool.toolset)
    }

    pub(crate) fn caller(&self, actor: Actor) -> Caller {
        let (project, standing) = match self.engine.active_project() {
            Some(project) => (project, Standing::InProject),
            None => (self.start.folder().clone(), self.start.standing()),
        };
        Caller {
            project,
            standing,
            ceilings: self.ceiling.iter().cloned().collect(),
            conversation: CallerConversation::default(),
            mode: None,
            roots: Vec::new(),
            actor,
        }
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
