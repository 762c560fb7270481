//! A project in memory: its modes as the files have them now, and a watch on those files; its playbook and symbols.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};

use mk_clients::{
    AGENTS_FILES, HOME_RULES_DIRECTORY, IGNORE_FILE, LOCAL_AGENTS_FILE, RULES_DIRECTORIES,
    RULES_FILES,
};
use mk_policy::{
    Catalogue, Diagnostic, DocumentPosition, LoadedFile, Mode, ModeLayer, ModeSource, Policy,
    Severity, assemble_prompt, load_modes,
};
use mk_project::{
    DirectoryIdentity, IgnoredFiles, RulesFolders, WatchedPaths, Watcher, read_text, rules_for,
};
use mk_types::{AbsPath, ModeSlug, lock, read_lock, write_lock};

use crate::Engine;
use crate::playbook::PlaybookShelf;
use crate::server::ProjectServers;
use crate::settings::Folders;
use crate::symbol::Symbols;
use crate::trust::{LastGoodFiles, UntrustedMode, is_obscured};

/// The largest mode file seen in the wild has 1.4 MB.
pub(crate) const LARGEST_MODE_FILE: u64 = 16 * 1024 * 1024;

/// One project and its modes.
#[derive(Debug)]
pub(crate) struct OpenProject {
    root: AbsPath,
    /// What the root was when the project was opened.
    identity: Option<DirectoryIdentity>,
    folders: Folders,
    state: RwLock<OpenState>,
    /// Held while files are read, so that an older reading never replaces a newer one.
    reloading: Mutex<()>,
    watcher: Mutex<Option<Watcher>>,
    pub(crate) playbook: PlaybookShelf,
    pub(crate) symbols: Symbols,
    pub(crate) servers: ProjectServers,
}

#[derive(Debug)]
struct OpenState {
    catalogue: Arc<Catalogue>,
    ignored: Arc<IgnoredFiles>,
    /// The last content of each mode file that was good as a whole.
    last_good: LastGoodFiles,
    /// Each mode as it was in force last, those that are broken or gone by now included.
    in_force: Vec<Arc<Mode>>,
    /// Modes that are held to less than their files say.
    untrusted: Vec<UntrustedMode>,
}

impl OpenProject {
    /// A project of which nothing has been read: it has no modes and hides every file until [`Self::reload`].
    pub(crate) fn new(root: AbsPath, folders: Folders) -> Self {
        let state = OpenState {
            catalogue: Arc::default(),
            ignored: Arc::new(IgnoredFiles::Everything),
            last_good: LastGoodFiles::new(),
            in_force: Vec::new(),
            untrusted: Vec::new(),
        };
        Self {
            identity: DirectoryIdentity::of(root.as_path()),
            root,
            folders,
            state: RwLock::new(state),
            reloading: Mutex::default(),
            watcher: Mutex::default(),
            playbook: PlaybookShelf::default(),
            symbols: Symbols::default(),
            servers: ProjectServers::default(),
        }
    }

    pub(crate) fn root(&self) -> &AbsPath {
        &self.root
    }

    /// Whether its root is never a project: `/`, or the home.
    pub(crate) fn is_never_a_project(&self) -> bool {
        let root = self.root.as_path();
        let home = self.folders.home.as_deref();
        let home = home.and_then(|home| std::fs::canonicalize(home).ok());
        root.parent().is_none() || home.is_some_and(|home| home == root)
    }

    pub(crate) fn identity(&self) -> Option<DirectoryIdentity> {
        self.identity
    }

    pub(crate) fn folders(&self) -> &Folders {
        &self.folders
    }

    /// Where we keep what can be made again.
    pub(crate) fn state_folder(&self) -> &Path {
        &self.folders.state
    }

    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&read_lock(&self.state).catalogue)
    }

    pub(crate) fn ignored(&self) -> Arc<IgnoredFiles> {
        Arc::clone(&read_lock(&self.state).ignored)
    }

    /// The system prompt of a mode, with the rules files as they are on disk now.
    pub(crate) fn system_prompt(&self, slug: &ModeSlug) -> Option<String> {
        let catalogue = self.catalogue();
        let mode = catalogue.get(slug.as_str())?;
        let mut rules = rules_for(
            &self.root,
            slug,
            &rules_folders(&self.folders),
            &self.ignored(),
        );
        let embedded = mode
            .rules_files
            .iter()
            .map(|(path, text)| mk_policy::RulesSection {
                title: format!("From {path}"),
                text: text.clone(),
            });
        rules.extend(embedded);
        Some(assemble_prompt(mode, &catalogue, &rules))
    }

    /// The modes that the files define as they are now, each with its file.
    pub(crate) fn written(&self) -> Vec<(String, ModeSlug)> {
        let files = mode_files(&self.root, &self.folders).into_iter();
        let modes = files.filter_map(|(path, file, _)| {
            let (_, loaded) = load_file(&path, &file)?;
            let slugs = loaded.modes.into_iter().map(|mode| mode.slug.value);
            Some(slugs.map(move |slug| (file.clone(), slug)))
        });
        modes.flatten().collect()
    }

    /// Modes that wait for a person's trust.
    pub(crate) fn untrusted(&self) -> Vec<UntrustedMode> {
        let state = read_lock(&self.state);
        state.untrusted.clone()
    }

    /// Reads the files as they are now.
    pub(crate) fn reload(&self, engine: &Engine) {
        let _reloading = lock(&self.reloading);
        let (last_good, before) = {
            let state = read_lock(&self.state);
            (state.last_good.clone(), state.in_force.clone())
        };
        let mut state = load_state(&self.root, &self.folders, last_good, engine);
        if let Some(catalogue) = Arc::get_mut(&mut state.catalogue) {
            state.untrusted = engine.hold_untrusted(&self.root, catalogue, &before);
        }
        // What was in force before a file broke is what the modes are held to when it is readable again.
        let is_seen = |mode: &Arc<Mode>| {
            let now = state.catalogue.get(mode.slug.as_str());
            now.is_some_and(|now| !is_obscured(now))
        };
        let earlier = before.into_iter().filter(|mode| !is_seen(mode));
        let modes = state.catalogue.modes().iter();
        let modes = modes.filter(|mode| !is_obscured(mode)).cloned();
        state.in_force = modes.chain(earlier).collect();
        for found in state
            .catalogue
            .diagnostics()
            .iter()
            .filter(|found| found.severity == Severity::Error)
        {
            tracing::warn!("{found}");
        }
        *write_lock(&self.state) = state;
    }

    pub(crate) fn watch(&self, changed: impl Fn() + Send + 'static) {
        let project = |name: &str| self.root.as_path().join(name);
        let mut watched = WatchedPaths::default();
        for (path, _, _) in mode_files(&self.root, &self.folders) {
            // Editors' storage folders come and go; only those that exist are worth a watch.
            // Our own may be made at any time: the first global mode is seen although its directory is new, too.
            let is_own = path.file_name().is_some_and(|name| name == "modes.yaml");
            if is_own
                || path.starts_with(self.root.as_path())
                || path.parent().is_some_and(Path::is_dir)
            {
                watched.files.push(path);
            }
        }
        let single = [IGNORE_FILE, LOCAL_AGENTS_FILE].into_iter();
        let files = single.chain(AGENTS_FILES).chain(RULES_FILES);
        watched.files.extend(files.map(project));
        watched.folders.extend(RULES_DIRECTORIES.map(project));
        for folder in rules_folders(&self.folders).0 {
            watched.folders.extend(rules_below(&folder));
        }
        *lock(&self.watcher) = Watcher::start(watched, changed);
    }
}

fn rules_folders(folders: &Folders) -> RulesFolders {
    let roo = folders
        .home
        .as_ref()
        .map(|home| home.join(HOME_RULES_DIRECTORY));
    RulesFolders(roo.into_iter().chain(folders.config.clone()).collect())
}

/// The rules that a global folder has now. Not the whole folder: people keep other things there, even our database.
fn rules_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let of_modes = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("rules-"))
        .map(|entry| entry.path());
    let all = folder.is_dir().then(|| folder.join("rules"));
    all.into_iter().chain(of_modes).collect()
}

/// Mode files, strongest first: path, name in diagnostics, source.
fn mode_files(root: &AbsPath, folders: &Folders) -> Vec<(PathBuf, String, ModeSource)> {
    let project = mk_clients::PROJECT_MODE_FILES.map(|name| {
        (
            root.as_path().join(name),
            name.to_owned(),
            ModeSource::Project,
        )
    });
    project
        .into_iter()
        .chain(global_mode_files(folders))
        .collect()
}

fn global_mode_files(folders: &Folders) -> impl Iterator<Item = (PathBuf, String, ModeSource)> {
    let own = [&folders.config, &folders.roo_config]
        .into_iter()
        .flatten()
        .map(|folder| folder.join("modes.yaml"));
    let editors = folders
        .home
        .as_deref()
        .map(mk_clients::global_mode_files)
        .unwrap_or_default();
    own.chain(editors).map(|path| {
        let name = shorten(&path, folders.home.as_deref());
        (path, name, ModeSource::Global)
    })
}

/// `~/…` where it applies: diagnostics are read by people.
fn shorten(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

/// The modes that no project has a say in: builtin and global.
pub(crate) fn operator_catalogue(folders: &Folders, policy: &Policy) -> Catalogue {
    Catalogue::build(global_layers(folders).collect(), policy)
}

/// The global mode files that are there, strongest first.
pub(crate) fn global_layers(folders: &Folders) -> impl Iterator<Item = ModeLayer> {
    global_mode_files(folders).filter_map(|(path, file, source)| {
        let (_, loaded) = load_file(&path, &file)?;
        Some(ModeLayer {
            source,
            file,
            loaded,
        })
    })
}

/// A mode file with its text, if there is one. A link that leads nowhere is a file that cannot be read.
fn load_file(path: &Path, file: &str) -> Option<(Option<String>, LoadedFile)> {
    // Most are not there, and below something that is no directory there is nothing either.
    let is_missing = |error: std::io::Error| {
        matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
    };
    if std::fs::symlink_metadata(path).is_err_and(is_missing) {
        return None;
    }
    match read_text(path, LARGEST_MODE_FILE) {
        Ok(None) => Some((None, not_there(path, file))),
        Ok(Some(text)) => {
            let loaded = load_modes(file, &text);
            Some((Some(text), loaded))
        }
        Err(error) => Some((None, unreadable(file, &error))),
    }
}

fn load_state(
    root: &AbsPath,
    folders: &Folders,
    mut last_good: LastGoodFiles,
    engine: &Engine,
) -> OpenState {
    let mut layers = Vec::new();
    for (path, file, source) in mode_files(root, folders) {
        let Some((text, loaded)) = load_file(&path, &file) else {
            if let Some(Some(last)) = last_good.remove(&path)
                && engine.forget_text(&path, &last)
            {
                last_good.insert(path, None);
            }
            continue;
        };
        let loaded = engine.with_last_good(&path, text.as_deref(), loaded, &mut last_good);
        layers.push(ModeLayer {
            source,
            file,
            loaded,
        });
    }
    OpenState {
        catalogue: Arc::new(Catalogue::build(layers, engine.policy())),
        ignored: Arc::new(IgnoredFiles::load(root)),
        last_good,
        in_force: Vec::new(),
        untrusted: Vec::new(),
    }
}

/// What is known of a file that is not there.
pub(crate) fn not_there(path: &Path, file: &str) -> LoadedFile {
    let kind = std::io::ErrorKind::NotFound;
    let error = mk_project::Error::Read {
        path: path.to_owned(),
        source: std::io::Error::new(kind, "No such file or directory"),
    };
    unreadable(file, &error)
}

pub(crate) fn unreadable(file: &str, error: &mk_project::Error) -> LoadedFile {
    let cause = std::error::Error::source(error)
        .map(|cause| format!(": {cause}"))
        .unwrap_or_default();
    let diagnostic = Diagnostic {
        severity: Severity::Error,
        file: file.to_owned(),
        position: DocumentPosition::START,
        subject: None,
        message: format!("{error}{cause}"),
        hint: error.hint().map(str::to_owned),
    };
    LoadedFile {
        diagnostics: vec![diagnostic],
        ..LoadedFile::default()
    }
}
