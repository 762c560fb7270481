//! Empty files that lie over hidden ones inside the wall, and tell which of them a command has opened.
//!
//! A program finds such a file empty and says nothing, so that a model would take it for the truth. Without them the
//! hidden files are empty all the same.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::fs::{Mode, OFlags};

/// More files than this are covered without a word.
const MOST: usize = 200;
/// The directory of the covers is named after the command's record.
pub(crate) const ENDING: &str = "hidden";

/// The covers of one command.
#[derive(Debug)]
pub(crate) struct Covers {
    directory: PathBuf,
    watch: OwnedFd,
    /// Hidden files by the number of their watch.
    hidden: BTreeMap<i32, PathBuf>,
    /// What lies over a hidden file.
    by_file: BTreeMap<PathBuf, PathBuf>,
}

impl Covers {
    /// Makes one for each hidden file; `None` if there is none.
    pub(crate) fn make(record: &Path, hidden: &[PathBuf]) -> io::Result<Option<Self>> {
        let is_file = |path: &&PathBuf| path.metadata().is_ok_and(|it| it.is_file());
        let mut files = hidden.iter().filter(is_file).take(MOST).peekable();
        if files.peek().is_none() {
            return Ok(None);
        }
        let directory = record.with_extension(ENDING);
        // The record is ours now, so what lies here is of a clerk that was killed.
        drop(fs::remove_dir_all(&directory));
        DirBuilder::new().mode(0o700).create(&directory)?;
        let flags = CreateFlags::NONBLOCK | CreateFlags::CLOEXEC;
        let mut covers = Self {
            directory,
            watch: inotify::init(flags)?,
            hidden: BTreeMap::new(),
            by_file: BTreeMap::new(),
        };
        for (number, file) in files.enumerate() {
            let cover = covers.directory.join(number.to_string());
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
            drop(rustix::fs::open(&cover, flags, Mode::from_raw_mode(0o444))?);
            let watched = inotify::add_watch(&covers.watch, &cover, WatchFlags::OPEN)?;
            covers.hidden.insert(watched, file.clone());
            covers.by_file.insert(file.clone(), cover);
        }
        Ok(Some(covers))
    }

    pub(crate) const fn by_file(&self) -> &BTreeMap<PathBuf, PathBuf> {
        &self.by_file
    }

    /// The hidden files that were opened since the last time.
    pub(crate) fn opened(&mut self) -> Vec<PathBuf> {
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(&self.watch, &mut buffer);
        let mut opened = Vec::new();
        while let Ok(event) = events.next() {
            opened.extend(self.hidden.remove(&event.wd()));
        }
        opened
    }
}

impl Drop for Covers {
    fn drop(&mut self) {
        // What is left is removed by the next command.
        drop(fs::remove_dir_all(&self.directory));
    }
}
