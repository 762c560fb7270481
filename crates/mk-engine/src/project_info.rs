//! What a project is made of, and what applies in it.

use mk_project::inspect;
use mk_types::{AbsPath, ModeSlug, ProjectPath};

use crate::authorize::{AllowedCall, ToolRequest};
use crate::error::Error;
use crate::memory::MemoryInfo;
use crate::project::ProjectHandle;
use crate::symbol::IndexStatus;
use crate::workspace::Workspace;

/// A project in figures and names.
#[derive(Debug, Clone)]
pub struct ProjectInfo {
    pub root: AbsPath,
    pub n_files: usize,
    pub bytes: u64,
    /// The largest first.
    pub languages: Vec<LanguageFiles>,
    pub git: Option<GitHead>,
    pub manifests: Vec<ProjectPath>,
    pub modes: Vec<ModeSlug>,
    pub memories: Vec<MemoryInfo>,
    pub language_servers: Vec<LanguageServerInfo>,
    /// `None` before the first question about symbols.
    pub index: Option<IndexStatus>,
    pub mode_in_force: ModeSlug,
}

#[derive(Debug, Clone)]
pub struct LanguageFiles {
    pub name: &'static str,
    pub n_files: usize,
    pub bytes: u64,
}

#[derive(Debug, Clone)]
pub struct GitHead {
    pub branch: Option<String>,
    pub head: Option<String>,
}

/// A language server that is installed.
#[derive(Debug, Clone)]
pub struct LanguageServerInfo {
    pub language: String,
    pub name: String,
    pub health: &'static str,
}

impl ProjectHandle<'_> {
    pub async fn info(self, request: ToolRequest<'_>) -> Result<ProjectInfo, Error> {
        let AllowedCall { in_force, .. } = self.allow(&request)?;
        let engine = self.engine.clone();
        let look = move |workspace: &Workspace| {
            let readable = |path: &_| workspace.readable(path);
            let root = workspace.root.root();
            let facts = inspect(root, &readable, workspace.cancel());
            let memories = workspace.memories()?.list(None)?;
            let languages: Vec<&str> = facts.languages.iter().map(|it| it.name).collect();
            let servers = engine.servers_for(root, &languages);
            Ok((facts, memories, servers))
        };
        let (facts, memories, language_servers) = self.engine.on_disk(&in_force, look).await?;
        let catalogue = self.engine.open(&in_force.project).catalogue();
        let language = |share: mk_project::LanguageShare| LanguageFiles {
            name: share.name,
            n_files: share.n_files,
            bytes: share.bytes,
        };
        Ok(ProjectInfo {
            n_files: facts.n_files,
            bytes: facts.bytes,
            languages: facts.languages.into_iter().map(language).collect(),
            git: facts.git.map(|git| GitHead {
                branch: git.branch,
                head: git.head,
            }),
            manifests: facts.manifests,
            modes: catalogue.visible().map(|mode| mode.slug.clone()).collect(),
            memories: memories.into_iter().map(MemoryInfo::from).collect(),
            language_servers,
            index: self.engine.index_status(&in_force.project),
            mode_in_force: in_force.mode.slug.clone(),
            root: in_force.project,
        })
    }

    /// The names of the memories that a newcomer should read first.
    pub async fn memory_names(self, request: ToolRequest<'_>) -> Result<Vec<String>, Error> {
        let memories = self.memories().list(request, None).await?;
        Ok(memories.into_iter().map(|memory| memory.name).collect())
    }
}
