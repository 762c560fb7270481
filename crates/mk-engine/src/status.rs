//! What a dashboard shows first: the project, its index, its memories, and which tools have been used.

use std::collections::BTreeMap;

use mk_symbols::IndexState;
use mk_types::AbsPath;

use crate::error::Error;
use crate::symbol::IndexStatus;
use crate::{Caller, Engine, ProjectStanding};

/// What the engine is doing for a caller.
#[derive(Debug, Clone)]
pub struct EngineStatus {
    /// `None` as long as nobody has said which.
    pub project: Option<AbsPath>,
    /// `None` before the first question about symbols.
    pub index: Option<IndexStatus>,
    /// Languages that have a server, and how it is doing.
    pub language_servers: BTreeMap<String, &'static str>,
    pub n_memories: usize,
    pub tool_usage: BTreeMap<&'static str, u64>,
}

/// Something that a project's questions may be waiting for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    pub what: String,
    /// So many of so many.
    pub done: Option<(usize, usize)>,
}

impl Engine {
    /// What is being done for a project that is not ready yet: its index, or a language server.
    pub fn work(&self, project: &AbsPath) -> Option<Work> {
        let index = self.index_status(project).map(|index| index.progress);
        if let Some(progress) = index.filter(|progress| progress.state == IndexState::Parsing) {
            return Some(Work {
                what: "Indexing files".to_owned(),
                done: Some((progress.files_done, progress.files_total)),
            });
        }
        let what = self.open(project).busy_server()?;
        Some(Work { what, done: None })
    }

    pub async fn status(&self, caller: &Caller) -> Result<EngineStatus, Error> {
        let figures = self.tool_figures();
        let tool_usage = figures.iter().map(|(tool, it)| (*tool, it.calls)).collect();
        if caller.standing == ProjectStanding::Nowhere {
            return Ok(EngineStatus {
                project: None,
                index: None,
                language_servers: BTreeMap::new(),
                n_memories: 0,
                tool_usage,
            });
        }
        Ok(EngineStatus {
            project: Some(self.project_of(&caller.project)),
            index: self.index_status(&caller.project),
            language_servers: self.server_states_beside(caller.project.clone()).await,
            n_memories: self
                .project(caller)
                .memories()
                .list_for_operator()
                .await?
                .len(),
            tool_usage,
        })
    }
}
