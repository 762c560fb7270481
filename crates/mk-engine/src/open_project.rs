//! A project in memory: its modes as the files have them now, and a watch on those files; its playbook and symbols.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use mk_policy::{
    Catalogue, Diagnostic, Layer, LoadedFile, Policy, Position, Severity, Source, assemble_prompt,
    load_modes,
};
use mk_project::{Identity, Ignored, RulesFolders, Watched, Watcher, read_text, rules_for};
use mk_types::{AbsPath, ModeSlug};

use crate::playbook::Shelf;
use crate::server::ProjectServers;
use crate::settings::Folders;
use crate::symbol::Symbols;

/// The largest mode file seen in the wild has 267 KB.
pub(crate) const LARGEST_MODE_FILE: u64 = 1024 * 1024;

/// One project and its modes.
#[derive(Debug)]
pub(crate) struct OpenProject {
    root: AbsPath,
    /// What the root was when the project was opened.
    identity: Option<Identity>,
    folders: Folders,
    state: RwLock<State>,
    /// Held while files are read, so that an older reading never replaces a newer one.
    reloading: Mutex<()>,
    watcher: Mutex<Option<Watcher>>,
    pub(crate) playbook: Shelf,
    pub(crate) symbols: Symbols,
    pub(crate) servers: ProjectServers,
}

#[derive(Debug)]
struct State {
    catalogue: Arc<Catalogue>,
    ignored: Arc<Ignored>,
    /// The last readable content of each mode file, by its name in diagnostics.
    last_good: HashMap<String, LoadedFile>,
}

impl OpenProject {
    /// A project of which nothing has been read: it has no modes and hides every file until [`Self::reload`].
    pub(crate) fn new(root: AbsPath, folders: Folders) -> Self {
        let state = State {
            catalogue: Arc::default(),
            ignored: Arc::new(Ignored::Everything),
            last_good: HashMap::new(),
        };
        Self {
            identity: Identity::of(root.as_path()),
            root,
            folders,
            state: RwLock::new(state),
            reloading: Mutex::default(),
            watcher: Mutex::default(),
            playbook: Shelf::default(),
            symbols: Symbols::default(),
            servers: ProjectServers::default(),
        }
    }

    pub(crate) fn root(&self) -> &AbsPath {
        &self.root
    }

    pub(crate) fn identity(&self) -> Option<Identity> {
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
        Arc::clone(
            &self
                .state
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .catalogue,
        )
    }

    pub(crate) fn ignored(&self) -> Arc<Ignored> {
        Arc::clone(
            &self
                .state
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .ignored,
        )
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

    /// Reads the files as they are now.
    pub(crate) fn reload(&self, policy: &Policy) {
        let _reloading = self
            .reloading
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let last_good = self
            .state
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .last_good
            .clone();
        let state = load_state(&self.root, &self.folders, last_good, policy);
        for found in state
            .catalogue
            .diagnostics()
            .iter()
            .filter(|found| found.severity == Severity::Error)
        {
            tracing::warn!("{found}");
        }
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = state;
    }

    pub(crate) fn watch(&self, changed: impl Fn() + Send + 'static) {
        let project = |name: &str| self.root.as_path().join(name);
        let mut watched = Watched::default();
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
        watched
            .files
            .extend([".rooignore", "AGENTS.md", "AGENT.md", "AGENTS.local.md"].map(project));
        watched
            .files
            .extend([".roorules", ".clinerules"].map(project));
        watched
            .folders
            .extend([".roo", ".kilocode", ".bob"].map(project));
        for folder in rules_folders(&self.folders).0 {
            watched.folders.extend(rules_below(&folder));
        }
        *self.watcher.lock().unwrap_or_else(PoisonError::into_inner) =
            Watcher::start(watched, changed);
    }
}

fn rules_folders(folders: &Folders) -> RulesFolders {
    let roo = folders.home.as_ref().map(|home| home.join(".roo"));
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
fn mode_files(root: &AbsPath, folders: &Folders) -> Vec<(PathBuf, String, Source)> {
    let project = mk_clients::PROJECT_MODE_FILES
        .map(|name| (root.as_path().join(name), name.to_owned(), Source::Project));
    project
        .into_iter()
        .chain(global_mode_files(folders))
        .collect()
}

fn global_mode_files(folders: &Folders) -> impl Iterator<Item = (PathBuf, String, Source)> {
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
        (path, name, Source::Global)
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
pub(crate) fn global_layers(folders: &Folders) -> impl Iterator<Item = Layer> {
    global_mode_files(folders).filter_map(|(path, file, source)| {
        let loaded = match read_text(&path, LARGEST_MODE_FILE) {
            Ok(None) => return None,
            Ok(Some(text)) => load_modes(&file, &text),
            Err(error) => unreadable(&file, &error),
        };
        Some(Layer {
            source,
            file,
            loaded,
        })
    })
}

fn load_state(
    root: &AbsPath,
    folders: &Folders,
    mut last_good: HashMap<String, LoadedFile>,
    policy: &Policy,
) -> State {
    let mut layers = Vec::new();
    for (path, file, source) in mode_files(root, folders) {
        let loaded = match read_text(&path, LARGEST_MODE_FILE) {
            Ok(None) => {
                last_good.remove(&file);
                continue;
            }
            Ok(Some(text)) => load_modes(&file, &text),
            Err(error) => unreadable(&file, &error),
        };
        let loaded = keep_last_good(&file, loaded, &mut last_good);
        layers.push(Layer {
            source,
            file,
            loaded,
        });
    }
    State {
        catalogue: Arc::new(Catalogue::build(layers, policy)),
        ignored: Arc::new(Ignored::load(root)),
        last_good,
    }
}

pub(crate) fn unreadable(file: &str, error: &mk_project::Error) -> LoadedFile {
    let cause = std::error::Error::source(error)
        .map(|cause| format!(": {cause}"))
        .unwrap_or_default();
    let diagnostic = Diagnostic {
        severity: Severity::Error,
        file: file.to_owned(),
        position: Position::START,
        subject: None,
        message: format!("{error}{cause}"),
        hint: error.hint().map(str::to_owned),
    };
    LoadedFile {
        diagnostics: vec![diagnostic],
        ..LoadedFile::default()
    }
}

/// A file that says nothing about modes, perhaps because it is being saved, leaves the modes it had.
fn keep_last_good(
    file: &str,
    loaded: LoadedFile,
    last_good: &mut HashMap<String, LoadedFile>,
) -> LoadedFile {
    // Text that is valid but no mode file at all is not a decision to have no modes either.
    let says_nothing = loaded.modes.is_empty()
        && loaded.broken.is_empty()
        && loaded
            .diagnostics
            .iter()
            .any(|found| found.severity == Severity::Error);
    if loaded.readable && !says_nothing {
        last_good.insert(file.to_owned(), loaded.clone());
        return loaded;
    }
    let Some(earlier) = last_good.get(file) else {
        return loaded;
    };
    let mut kept = LoadedFile {
        diagnostics: loaded.diagnostics,
        ..earlier.clone()
    };
    for found in &mut kept.diagnostics {
        found.hint = Some("the modes of the last readable version stay in force".to_owned());
    }
    kept
}
