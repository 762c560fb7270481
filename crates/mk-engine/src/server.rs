//! The language servers that a project could use.

use mk_symbols::server::{KnownServer, Limits, ProjectCode, ServerOptions, Servers};
use mk_types::AbsPath;

use crate::Engine;

impl Engine {
    /// The servers for these languages that are installed; looks at disk.
    pub fn installed_servers(&self, project: &AbsPath, languages: &[&str]) -> Vec<KnownServer> {
        let folders = &self.inner.folders;
        let options = ServerOptions {
            search_path: folders.search_path.clone(),
            tools: folders.state.join("servers"),
            project_code: ProjectCode::Avoid,
            custom: Vec::new(),
            limits: Limits::default(),
        };
        let spoken = |server: &KnownServer| {
            let mut languages = languages.iter();
            server.program.is_some()
                && languages.any(|it| it.eq_ignore_ascii_case(&server.language))
        };
        let mut servers = Servers::new(project.clone(), options).list();
        servers.retain(spoken);
        servers
    }
}
