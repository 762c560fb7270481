//! The language servers of a project: found and started when a question needs one, ended with the process.

mod patience;
mod seen;

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, SystemTime};

use mk_lsp::{
    AttributedAnswer, DiskChange, Health, InstallPlan, KnownServer, Limits, ServerError,
    ServerOptions, ServerStatus, Servers,
};
use mk_types::{AbsPath, ProjectPath, lock};

use crate::error::Error;
use crate::open_project::OpenProject;
use crate::project_info::LanguageServerInfo;
use crate::settings::{Folders, ServerSettings};
use crate::{Caller, Engine};
use patience::{ServerPace, patience_with, wait_for};
use seen::SeenFiles;

/// A project's servers, none before the first question.
#[derive(Debug, Default)]
pub(crate) struct ProjectServers {
    /// Languages whose servers were waited for in vain.
    slow: Mutex<BTreeSet<String>>,
    settings: ServerSettings,
    servers: OnceLock<Servers>,
    seen: Mutex<SeenFiles>,
    /// The last time somebody asked for a restart, by language, as it was when we looked.
    asked: Mutex<BTreeMap<String, Option<SystemTime>>>,
}

/// The folder that servers are installed into.
fn tools(folders: &Folders) -> PathBuf {
    folders.state.join("servers")
}

/// Touched to have a language's server restarted, in whichever process it runs.
fn restart_file(folders: &Folders, language: &str) -> PathBuf {
    folders.state.join("servers/restart").join(language)
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).ok()?.modified().ok()
}

impl OpenProject {
    pub(crate) fn with_servers(mut self, settings: ServerSettings) -> Self {
        self.servers.settings = settings;
        self
    }

    pub(crate) fn servers(&self) -> &Servers {
        self.servers.servers.get_or_init(|| {
            // Servers answer with real names, and a project may be reached by a link.
            let real = std::fs::canonicalize(self.root().as_path()).ok();
            let real = real.and_then(|path| AbsPath::new(&path));
            let settings = &self.servers.settings;
            let options = ServerOptions {
                search_path: self.folders().search_path.clone(),
                tools: tools(self.folders()),
                project_code: settings.project_code,
                custom: settings.custom.clone(),
                limits: Limits::default(),
                launcher: settings.launcher.clone(),
            };
            Servers::new(real.unwrap_or_else(|| self.root().clone()), options)
        })
    }

    /// Asks a language's server, and gives up after a while; it goes on with what it was doing.
    ///
    /// A server that dies meanwhile is replaced once: it may have died before the question came.
    pub(crate) async fn ask_server<T, F>(
        self: &Arc<Self>,
        language: &str,
        patience: Duration,
        ask: impl Fn() -> F,
    ) -> Result<AttributedAnswer<T>, ServerError>
    where
        F: Future<Output = Result<AttributedAnswer<T>, ServerError>>,
    {
        if self.restart_was_asked(language) {
            self.servers().stop(language).await?;
        }
        // Without a server nobody needs to know what has changed.
        if self.servers().is_installed(language) {
            self.look_again().await;
        }
        let patience = patience_with(self.pace(language), patience);
        let answering = async {
            match ask().await {
                Err(ServerError::Crashed { .. }) => ask().await,
                answered => answered,
            }
        };
        let is_starting = || self.health(language) == Some(Health::Starting);
        let answered = wait_for(answering, patience, is_starting).await;
        self.note_pace(language, answered.is_ok());
        answered.unwrap_or_else(|waited| {
            let status = self.servers().status();
            let status = status.iter().find(|status| status.language == language);
            Err(ServerError::Timeout {
                server: status
                    .and_then(|status| status.server.clone())
                    .unwrap_or_else(|| language.to_owned()),
                doing: status.map_or_else(|| "starting".to_owned(), doing),
                seconds: waited.as_secs(),
            })
        })
    }

    /// Who has waited for a server that is not ready in vain waits hardly again until it is.
    fn pace(&self, language: &str) -> ServerPace {
        let was_slow = lock(&self.servers.slow).contains(language);
        match self.health(language) {
            Some(Health::Starting) if was_slow => ServerPace::NotStarted,
            Some(Health::Ready) => ServerPace::Unknown,
            _ if was_slow => ServerPace::Slow,
            _ => ServerPace::Unknown,
        }
    }

    fn health(&self, language: &str) -> Option<Health> {
        let status = self.servers.servers.get().map(Servers::status);
        let mut status = status.unwrap_or_default().into_iter();
        let status = status.find(|status| status.language == language);
        status.map(|status| status.health)
    }

    fn note_pace(&self, language: &str, is_answered: bool) {
        let mut slow = lock(&self.servers.slow);
        if is_answered {
            slow.remove(language);
        } else {
            slow.insert(language.to_owned());
        }
    }

    /// The languages whose servers would answer at once.
    pub(crate) fn ready_languages(&self) -> Vec<String> {
        let servers = self.servers.servers.get();
        let status = servers.map(Servers::status).unwrap_or_default();
        let ready = status.into_iter().filter(|it| it.health == Health::Ready);
        ready.map(|status| status.language).collect()
    }

    /// A server that is not ready yet, and what it is doing.
    pub(crate) fn busy_server(&self) -> Option<String> {
        let servers = self.servers.servers.get()?;
        let is_busy = |status: &ServerStatus| {
            matches!(status.health, Health::Starting | Health::Indexing { .. })
        };
        let status = servers.status().into_iter().find(is_busy)?;
        let name = status.server.as_ref().unwrap_or(&status.language);
        Some(format!("{name}: {}", doing(&status)))
    }

    fn restart_was_asked(&self, language: &str) -> bool {
        let now = modified(&restart_file(self.folders(), language));
        let mut asked = lock(&self.servers.asked);
        let before = asked.insert(language.to_owned(), now);
        before.is_some_and(|before| before != now)
    }

    /// Tells the servers that run which files are not as they were.
    pub(crate) fn tell_servers(&self, paths: impl Iterator<Item = ProjectPath>) {
        let Some(servers) = self.servers.servers.get() else {
            return;
        };
        let mut seen = self.seen();
        let changes: Vec<DiskChange> = paths.map(|path| seen.note(self.root(), path)).collect();
        servers.files_changed(&changes);
    }

    /// Tells the servers that run what others have done to the files.
    async fn look_again(self: &Arc<Self>) {
        let project = Arc::clone(self);
        let looked = tokio::task::spawn_blocking(move || {
            let servers = project.servers();
            let mut seen = project.seen();
            let changes = seen.look(project.root(), &|path| servers.language_of(path).is_some());
            if !changes.is_empty() {
                servers.files_changed(&changes);
            }
        });
        if let Err(error) = looked.await {
            tracing::warn!(%error, "changes of files were not told to the language servers");
        }
    }

    /// Lets the next question be about the files as they are, whatever that costs: its answer is going to be written.
    pub(crate) fn hurry(&self) {
        self.seen().hurry();
    }

    fn seen(&self) -> MutexGuard<'_, SeenFiles> {
        let seen = &self.servers.seen;
        lock(seen)
    }
}

fn doing(status: &ServerStatus) -> String {
    match &status.health {
        Health::Indexing { percent, title } => {
            let percent = percent.map(|percent| format!(" ({percent} %)"));
            format!("{title}{}", percent.unwrap_or_default())
        }
        Health::Ready => "busy".to_owned(),
        health => health.as_str().to_owned(),
    }
}

/// What can be done with language servers.
#[derive(Debug, Clone, Copy)]
pub struct LanguageServers<'a> {
    engine: &'a Engine,
}

impl LanguageServers<'_> {
    /// Every server that is known, whether it is installed, and how it is doing in this project; looks at disk.
    pub fn list(&self, project: &AbsPath) -> Vec<KnownServer> {
        self.engine.open(project).servers().list()
    }

    /// Restarts a language's server; its name and its process.
    pub async fn restart(
        &self,
        caller: &Caller,
        language: &str,
    ) -> Result<AttributedAnswer<u32>, Error> {
        let in_force = self.engine.in_force(caller, None)?;
        let project = self.engine.open(&in_force.project);
        Ok(project.servers().restart(language).await?)
    }

    /// How a language's servers can be installed, the preferred one first.
    pub fn install_plans(
        &self,
        project: &AbsPath,
        language: &str,
    ) -> Result<Vec<InstallPlan>, Error> {
        Ok(self
            .engine
            .open(project)
            .servers()
            .install_plans(language)?)
    }

    /// Makes every process restart a language's server before its next request; the language's name.
    pub fn ask_for_restart(
        &self,
        project: &AbsPath,
        language: &str,
    ) -> Result<std::io::Result<String>, Error> {
        let project = self.engine.open(project);
        let language = project.servers().language_called(language)?.to_owned();
        let file = restart_file(&self.engine.inner.folders, &language);
        Ok(touch(&file).map(|()| language))
    }
}

impl Engine {
    pub fn language_servers(&self) -> LanguageServers<'_> {
        LanguageServers { engine: self }
    }

    /// The servers that are installed for languages, whatever people call these; looks at disk.
    pub(crate) fn servers_for(
        &self,
        project: &AbsPath,
        languages: &[&str],
    ) -> Vec<LanguageServerInfo> {
        let project = self.open(project);
        let servers = project.servers();
        let called = |name: &&str| servers.language_called(name).ok();
        let spoken: BTreeSet<&str> = languages.iter().filter_map(called).collect();
        let known = servers.list().into_iter();
        let installed =
            known.filter(|it| it.program.is_some() && spoken.contains(it.language.as_str()));
        let shown = installed.map(|server| LanguageServerInfo {
            health: server
                .status
                .as_ref()
                .map_or(&Health::Stopped, |status| &status.health)
                .as_str(),
            language: server.language,
            name: server.name,
        });
        shown.collect()
    }

    /// How the languages stand for which there is a server, by their names; looks at disk.
    pub(crate) fn server_states(&self, project: &AbsPath) -> BTreeMap<String, &'static str> {
        let mut states = BTreeMap::new();
        for server in self.language_servers().list(project) {
            match (server.status, server.program) {
                (Some(status), _) => {
                    states.insert(server.language, status.health.as_str());
                }
                (None, Some(_)) => {
                    let stopped = Health::Stopped.as_str();
                    states.entry(server.language).or_insert(stopped);
                }
                (None, None) => {}
            }
        }
        states
    }

    /// The same, beside the runtime.
    pub(crate) async fn server_states_beside(
        &self,
        project: AbsPath,
    ) -> BTreeMap<String, &'static str> {
        let engine = self.clone();
        let states = tokio::task::spawn_blocking(move || engine.server_states(&project));
        states.await.unwrap_or_default()
    }
}

fn touch(file: &Path) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    // Writing, not opening, is what is sure to change its time.
    std::fs::File::create(file)?.write_all(b"restart\n")
}
