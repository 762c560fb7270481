//! The targets of one call, resolved on disk: links followed, hidden files and hooks marked, as long as there is time.

use std::cell::OnceCell;
use std::fs::{DirEntry, File};
use std::io::ErrorKind;
use std::path::Path;

use mk_policy::{Form, NameExtent, PathAccess, RawTarget, ResolvedTarget};
use mk_project::{IgnoredFiles, hooks_directory, resolve_in};
use mk_types::{AbsPath, PathError, ProjectPath};

use crate::allowance::CpuAllowance;
use crate::place::real;

/// Where commands inside the wall write down what they make under names that their mode does not allow.
pub const GUESTS: &str = "guests";

/// Resolves the targets of one evaluation.
#[derive(Debug)]
pub(crate) struct TargetResolver<'a> {
    root: &'a AbsPath,
    directory: ProjectPath,
    ignored: &'a IgnoredFiles,
    allowance: CpuAllowance,
    /// Looked up when something is to be written.
    hooks: OnceCell<Option<ProjectPath>>,
    /// Where [`GUESTS`] is, if that counts.
    state: Option<&'a Path>,
    /// Looked up when something is to be run.
    has_guests: OnceCell<bool>,
    /// What a shell puts in the place of `~`.
    home: Option<&'a Path>,
}

/// Whether a command runs, or has left something. Its clerk holds the record's lock for as long as it lives; of one that
/// was killed, what it wrote down lies there until a sweep.
fn may_have_guests(record: &DirEntry) -> bool {
    if record.file_type().is_ok_and(|it| it.is_dir()) {
        return false;
    }
    let Ok(file) = File::open(record.path()) else {
        // Gone meanwhile, or not to be read: then it counts.
        return record.path().exists();
    };
    let is_alive = file.try_lock_shared().is_err();
    is_alive || file.metadata().is_ok_and(|it| it.len() > 0)
}

impl<'a> TargetResolver<'a> {
    /// `directory` is where relative paths begin.
    pub(crate) fn new(
        root: &'a AbsPath,
        directory: ProjectPath,
        ignored: &'a IgnoredFiles,
    ) -> Self {
        Self {
            root,
            directory,
            ignored,
            allowance: CpuAllowance::start(),
            hooks: OnceCell::new(),
            state: None,
            has_guests: OnceCell::new(),
            home: None,
        }
    }

    /// Knows what `~` stands for: a project lies in the home of most people.
    pub(crate) fn of_user(mut self, home: Option<&'a Path>) -> Self {
        self.home = home;
        self
    }

    /// Counts what commands that run inside the wall now may have put there as not the project's.
    pub(crate) fn beside(mut self, state: &'a Path) -> Self {
        self.state = Some(state);
        self
    }

    fn has_guests(&self) -> bool {
        let Some(state) = self.state else {
            return false;
        };
        *self.has_guests.get_or_init(|| {
            match std::fs::read_dir(state.join(GUESTS)) {
                // No command has run yet.
                Err(error) if error.kind() == ErrorKind::NotFound => false,
                // What cannot be read may be there.
                Err(_) => true,
                Ok(mut records) => {
                    records.any(|record| record.map_or(true, |it| may_have_guests(&it)))
                }
            }
        })
    }

    /// `None` once the time for the evaluation is over.
    pub(crate) fn target(&self, raw: RawTarget) -> Option<ResolvedTarget> {
        let raw = self.without_tilde(raw);
        let mut target = self
            .allowance
            .permits(|| resolve_in(self.root, &self.directory, self.ignored, raw))?;
        let may_change = matches!(target.raw.access, PathAccess::Write | PathAccess::Mention);
        target.is_hook = may_change && self.is_hook(&target);
        if target.raw.access == PathAccess::Run && self.has_guests() {
            target.path = Err(PathError::Escapes(target.raw.path.clone()));
        }
        Some(target)
    }

    /// The target by its whole name, if it is one of the project or may be.
    fn without_tilde(&self, raw: RawTarget) -> RawTarget {
        let (Some(home), Some(rest)) = (self.home, raw.path.strip_prefix("~/")) else {
            return raw;
        };
        let whole = real(home).join(rest);
        if raw.form != Form::Pattern && !whole.starts_with(self.root.as_path()) {
            return raw;
        }
        match whole.to_str() {
            Some(whole) => RawTarget {
                path: whole.to_owned(),
                ..raw
            },
            None => raw,
        }
    }

    fn is_hook(&self, target: &ResolvedTarget) -> bool {
        let hooks = self.hooks.get_or_init(|| hooks_directory(self.root));
        let (Some(hooks), Ok(path)) = (hooks, &target.path) else {
            return false;
        };
        let is_below = |path: &ProjectPath, directory: &ProjectPath| {
            let rest = path.as_str().strip_prefix(directory.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        is_below(path, hooks) || target.raw.extent == NameExtent::Below && is_below(hooks, path)
    }
}
