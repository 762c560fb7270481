//! What a project's agents remember: Markdown files that a person can read and edit.
//!
//! Memories are not project paths and a mode's file limits do not bind them; writing one takes a permit all the same.
//! What Serena has left in `.serena/memories` is used in place. All working trees of a repository share the memories of
//! the main one.

mod folder;
mod name;
mod nearest;
mod reference;

use std::path::Path;
use std::sync::Arc;

use globset::GlobMatcher;
use mk_clients::{SERENA_DIRECTORY, SERENA_MEMORIES};
use mk_policy::Permit;
use mk_types::{AbsPath, Timestamp};

use crate::error::Error;
use crate::ignored::IgnoredFiles;
use crate::inspect::main_worktree;
use crate::replace::Replacement;
use folder::{Folder, MemoryDirectory};
pub use name::MemoryName;

/// As much as an agent can be expected to read at once.
const LARGEST: usize = 256 * 1024;
const OWN: &str = ".modekeeper/memories";
const GLOBAL: &str = "global/";

/// Whether tools may change a memory. A person with an editor always may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryAccess {
    Writable,
    ReadOnly,
}

/// A memory as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    pub name: MemoryName,
    /// In bytes.
    pub size: u64,
    pub modified: Timestamp,
    pub access: MemoryAccess,
}

/// What writing a memory did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryWrite {
    Created,
    Replaced,
}

/// The memories of a project, and those that all projects of a user share: `global/…`.
#[derive(Debug)]
pub struct Memories {
    project: Folder,
    global: Option<Folder>,
    read_only: Vec<GlobMatcher>,
    /// What hides files of the project from tools, and so its memories.
    ignored: Vec<Arc<IgnoredFiles>>,
}

impl Memories {
    /// The memories of the project at `root`. `read_only` are globs for whole names in which `*` also matches `/`, and
    /// capital letters do not count, because on some disks they do not.
    pub fn of(root: &AbsPath, global: Option<&Path>, read_only: &[String]) -> Result<Self, Error> {
        let home = main_worktree(root);
        let is_folder = |folder: &str| {
            let entry = home.as_path().join(folder).symlink_metadata();
            entry.is_ok_and(|entry| entry.is_dir())
        };
        // Serena's are used if they are there; through a link they would be some other project's.
        let below = if is_folder(SERENA_DIRECTORY) && is_folder(SERENA_MEMORIES) {
            SERENA_MEMORIES
        } else {
            OWN
        };
        let compile = |pattern: &String| {
            let built = mk_types::name_glob(pattern).map_err(|error| Error::BadPattern {
                pattern: pattern.clone(),
                reason: error.to_string(),
            });
            Ok(built?.compile_matcher())
        };
        Ok(Self {
            project: Folder::in_project(&home, below),
            global: global.and_then(AbsPath::new).map(Folder::own),
            read_only: read_only
                .iter()
                .map(compile)
                .collect::<Result<_, Error>>()?,
            ignored: Vec::new(),
        })
    }

    /// Leaves out the project's memories whose files are hidden: by `ignored`, as tools see the project, and by the ignore
    /// file of the main working tree, where the memories are.
    #[must_use]
    pub fn hiding(mut self, ignored: Arc<IgnoredFiles>) -> Self {
        let home = IgnoredFiles::load(self.project.anchor());
        self.ignored = vec![ignored, Arc::new(home)];
        self
    }

    fn is_hidden(&self, below: &str) -> bool {
        let file = self.project.file(below);
        self.ignored.iter().any(|ignored| match &file {
            Ok(path) => ignored.hides(path),
            Err(_) => true,
        })
    }

    /// All memories, or those of a topic, by name.
    pub fn list(&self, topic: Option<&str>) -> Result<Vec<Memory>, Error> {
        let topic = topic.unwrap_or_default().trim();
        let topic = topic.strip_prefix("mem:").unwrap_or(topic);
        let topic = topic.trim_end_matches('/');
        let is_wanted = |name: &str| {
            topic.is_empty()
                || name
                    .strip_prefix(topic)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let mut memories = Vec::new();
        for (folder, prefix) in self.folders() {
            for file in folder.list()? {
                // A name under `global/` in the project's folder would be another memory's.
                let is_hidden = prefix.is_empty()
                    && (file.name.starts_with(GLOBAL) || self.is_hidden(&file.name));
                let text = format!("{prefix}{}", file.name);
                let Ok(name) = MemoryName::parse(&text) else {
                    continue;
                };
                if !is_hidden && name.as_str() == text && is_wanted(&text) {
                    memories.push(Memory {
                        access: self.access(&name),
                        name,
                        size: file.size,
                        modified: file.modified,
                    });
                }
            }
        }
        memories.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(memories)
    }

    pub fn read(&self, name: &MemoryName) -> Result<String, Error> {
        match self.place(name) {
            Some((folder, below)) => match folder.open()? {
                Some(store) => store.read(below)?.ok_or_else(|| self.missing(name)),
                None => Err(self.missing(name)),
            },
            None => Err(self.missing(name)),
        }
    }

    /// Writes a whole memory, over an existing one if there is one.
    pub fn write(
        &self,
        permit: Permit,
        name: &MemoryName,
        content: &str,
    ) -> Result<MemoryWrite, Error> {
        drop(permit);
        self.refuse_read_only(name)?;
        let (folder, below) = self.place_to_write(name)?;
        let store = folder.create()?;
        let _lock = store.lock()?;
        let existed = store.holds(below)?;
        store.replace(below, checked(name, content)?)?;
        Ok(if existed {
            MemoryWrite::Replaced
        } else {
            MemoryWrite::Created
        })
    }

    pub fn delete(&self, permit: Permit, name: &MemoryName) -> Result<(), Error> {
        drop(permit);
        self.refuse_read_only(name)?;
        let (store, below) = self.existing(name)?;
        let _lock = store.lock()?;
        if !store.holds(below)? {
            return Err(self.missing(name));
        }
        store.remove(below)
    }

    /// Gives a memory another name, also between the project's and the global ones, and rewrites the references to it
    /// in all memories that may be changed. Answers how many references there were.
    pub fn rename(
        &self,
        permit: Permit,
        from: &MemoryName,
        to: &MemoryName,
    ) -> Result<usize, Error> {
        drop(permit);
        self.refuse_read_only(from)?;
        self.refuse_read_only(to)?;
        let (source, old) = self.existing(from)?;
        let (folder, new) = self.place_to_write(to)?;
        let target = folder.create()?;
        let _locks = self.lock_all()?;
        let content = source.read(old)?.ok_or_else(|| self.missing(from))?;
        if from == to {
            return Ok(0);
        }
        if !target.create(new, &content)? {
            return Err(Error::MemoryExists {
                name: to.as_str().to_owned(),
            });
        }
        source.remove(old)?;
        self.rewrite_references(from, to)
    }

    /// Replaces text in a memory; answers how many places changed.
    pub fn edit(
        &self,
        permit: Permit,
        name: &MemoryName,
        replacement: &Replacement,
    ) -> Result<usize, Error> {
        drop(permit);
        self.refuse_read_only(name)?;
        let (store, below) = self.existing(name)?;
        let _lock = store.lock()?;
        let content = store.read(below)?.ok_or_else(|| self.missing(name))?;
        let (changed, count) = replacement.apply(&store.path(below)?, &content)?;
        store.replace(below, checked(name, &changed)?)?;
        Ok(count)
    }

    /// The memories that reference others are few and small: all of them are read.
    fn rewrite_references(&self, from: &MemoryName, to: &MemoryName) -> Result<usize, Error> {
        let mut total = 0;
        for memory in self.list(None)? {
            if memory.access == MemoryAccess::ReadOnly {
                continue;
            }
            let (store, below) = self.existing(&memory.name)?;
            // One that cannot be read, or has gone since, has no references that we could follow.
            let Ok(Some(content)) = store.read(below) else {
                continue;
            };
            let (changed, count) = reference::rewrite(&content, from.as_str(), to.as_str());
            if count > 0 {
                match store.replace(below, &changed) {
                    Ok(()) => total += count,
                    Err(error) => {
                        tracing::warn!(%error, memory = memory.name.as_str(), "a reference was not rewritten");
                    }
                }
            }
        }
        Ok(total)
    }

    fn folders(&self) -> impl Iterator<Item = (&Folder, &'static str)> {
        let global = self.global.iter().map(|folder| (folder, GLOBAL));
        [(&self.project, "")].into_iter().chain(global)
    }

    /// Always in the same order, so that two renames never wait for each other.
    fn lock_all(&self) -> Result<Vec<std::fs::File>, Error> {
        let mut locks = Vec::new();
        let mut locked = Vec::new();
        for (folder, _) in self.folders() {
            if let Some(store) = folder.open()? {
                // Both names may lead to one folder, which would wait for itself.
                let identity = store.identity()?;
                if !locked.contains(&identity) {
                    locks.push(store.lock()?);
                    locked.push(identity);
                }
            }
        }
        Ok(locks)
    }

    /// The folder a name belongs to, and what it is called there.
    fn place<'a>(&self, name: &'a MemoryName) -> Option<(&Folder, &'a str)> {
        match name.as_str().strip_prefix(GLOBAL) {
            Some(below) => Some((self.global.as_ref()?, below)),
            None if self.is_hidden(name.as_str()) => None,
            None => Some((&self.project, name.as_str())),
        }
    }

    fn place_to_write<'a>(&self, name: &'a MemoryName) -> Result<(&Folder, &'a str), Error> {
        self.place(name).ok_or_else(|| Error::BadMemoryName {
            name: name.as_str().to_owned(),
            reason: match name.as_str().starts_with(GLOBAL) {
                true => "there is no directory for global memories",
                false => "`.rooignore` hides its file",
            },
        })
    }

    fn existing<'a>(&self, name: &'a MemoryName) -> Result<(MemoryDirectory, &'a str), Error> {
        let (folder, below) = self.place(name).ok_or_else(|| self.missing(name))?;
        let store = folder.open()?.ok_or_else(|| self.missing(name))?;
        Ok((store, below))
    }

    fn access(&self, name: &MemoryName) -> MemoryAccess {
        if self
            .read_only
            .iter()
            .any(|glob| glob.is_match(name.as_str()))
        {
            MemoryAccess::ReadOnly
        } else {
            MemoryAccess::Writable
        }
    }

    fn refuse_read_only(&self, name: &MemoryName) -> Result<(), Error> {
        match self.access(name) {
            MemoryAccess::Writable => Ok(()),
            MemoryAccess::ReadOnly => Err(Error::ReadOnlyMemory {
                name: name.as_str().to_owned(),
            }),
        }
    }

    fn missing(&self, name: &MemoryName) -> Error {
        let memories = self.list(None).unwrap_or_default();
        let names = memories.iter().map(|memory| memory.name.as_str());
        Error::NoMemory {
            name: name.as_str().to_owned(),
            nearest: nearest::nearest(name.as_str(), names),
        }
    }
}

fn checked<'a>(name: &MemoryName, content: &'a str) -> Result<&'a str, Error> {
    if content.len() > LARGEST {
        return Err(Error::TooLarge {
            path: name.as_str().into(),
            size: content.len() as u64,
            limit: LARGEST as u64,
        });
    }
    Ok(content)
}
