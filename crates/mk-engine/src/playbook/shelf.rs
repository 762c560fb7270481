//! The playbooks of open projects: opened when first asked for, read again when their files change.

use std::sync::{Arc, Mutex};

use mk_clients::{PLAYBOOK_CONFIG_FILES, PLAYBOOK_DIRECTORY, WRITTEN, WrittenBase, WrittenShape};
use mk_playbook::{Playbook, Sources, UserFolders};
use mk_project::{WatchedPaths, Watcher};
use mk_types::{AbsPath, Timestamp, lock};

use crate::error::Error;
use crate::settings::Folders;
use crate::{Caller, Engine, EngineChange, ProjectStanding, ProjectWatching};

/// Instructions may appear in any folder, and a whole project is too much to watch.
const LOOK_AGAIN_MILLIS: i64 = 10_000;

/// A project's playbook, opened when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct PlaybookShelf(Mutex<Option<OpenedPlaybook>>);

#[derive(Debug)]
struct OpenedPlaybook {
    playbook: Arc<Playbook>,
    looked: Timestamp,
    _watcher: Option<Watcher>,
}

impl Engine {
    /// The playbook of the caller's project; without a project, what the user and we have.
    pub(super) fn playbook(&self, caller: &Caller) -> Result<Arc<Playbook>, Error> {
        let (project, standing) = self.whereabouts(caller)?;
        if standing == ProjectStanding::Nowhere {
            let sources = sources(&self.inner.folders, None);
            return Ok(Arc::new(Playbook::open(sources)));
        }
        let project = self.open(&project);
        let mut opened = lock(&project.playbook.0);
        let now = self.inner.clock.now();
        if let Some(opened) = opened.as_mut() {
            if now.as_millis() - opened.looked.as_millis() > LOOK_AGAIN_MILLIS {
                opened.looked = now;
                opened.playbook.invalidate();
            }
            return Ok(Arc::clone(&opened.playbook));
        }
        let sources = sources(&self.inner.folders, Some(project.root().clone()));
        let playbook = Arc::new(Playbook::open(sources));
        *opened = Some(OpenedPlaybook {
            _watcher: self.watch_playbook(project.root(), &playbook),
            playbook: Arc::clone(&playbook),
            looked: now,
        });
        Ok(playbook)
    }

    /// The playbook of another directory, which the caller may look into.
    pub(super) fn playbook_of(&self, root: AbsPath) -> Playbook {
        Playbook::open(sources(&self.inner.folders, Some(root)))
    }

    fn watch_playbook(&self, root: &AbsPath, playbook: &Arc<Playbook>) -> Option<Watcher> {
        if self.inner.settings.watching == ProjectWatching::Off {
            return None;
        }
        let mut watched = WatchedPaths::default();
        for row in WRITTEN {
            let base = match row.base {
                WrittenBase::Home => self.inner.folders.home.as_deref(),
                WrittenBase::Project | WrittenBase::AnyDirectory => Some(root.as_path()),
            };
            let Some(path) = base.map(|base| base.join(row.path)) else {
                continue;
            };
            match row.shape {
                WrittenShape::File => watched.files.push(path),
                WrittenShape::Directory(_) => watched.folders.push(path),
                // Named after a mode: found when the playbook looks again.
                WrittenShape::OfMode(_) => {}
            }
        }
        watched
            .folders
            .push(root.as_path().join(PLAYBOOK_DIRECTORY));
        watched
            .files
            .extend(PLAYBOOK_CONFIG_FILES.map(|file| root.as_path().join(file)));
        if let Some(config) = &self.inner.folders.config {
            let own = ["rules", "agents", "skills", "checklists"];
            watched
                .folders
                .extend(own.map(|folder| config.join(folder)));
        }
        let (engine, playbook) = (Arc::downgrade(&self.inner), Arc::downgrade(playbook));
        let project = root.clone();
        Watcher::start(watched, move || {
            let (Some(inner), Some(playbook)) = (engine.upgrade(), playbook.upgrade()) else {
                return;
            };
            playbook.invalidate();
            Self { inner }.announce(EngineChange::Modes {
                project: project.clone(),
            });
        })
    }
}

fn sources(folders: &Folders, project: Option<AbsPath>) -> Sources {
    Sources {
        user: UserFolders {
            config: folders.config.as_deref().and_then(AbsPath::new),
            home: folders.home.as_deref().and_then(AbsPath::new),
        },
        project,
    }
}
