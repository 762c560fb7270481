//! What a command may do, as data: the mode's answer for every path, and the few things around it.
//!
//! The wall is given this and knows neither modes nor sessions. Paths are absolute and have no links in them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Everything the wall needs to hold one command.
#[derive(Debug)]
pub struct Rights {
    /// The mode's slug, for messages.
    pub mode: String,
    pub root: PathBuf,
    pub edit: EditRights,
    /// Directories in which everything may be written; the kernel alone holds them.
    pub trees: Vec<PathBuf>,
    /// Temporary directories in which a command may make files and change what it made.
    pub own_dirs: Vec<PathBuf>,
    pub git: Git,
    pub network: Network,
    /// UNIX sockets outside of trees that may be connected to.
    pub sockets: Vec<PathBuf>,
    /// What may not be read.
    pub hidden: Vec<PathBuf>,
    /// Directories that may be read although they lie below a hidden one.
    pub shown: Vec<PathBuf>,
    pub env_set: BTreeMap<OsString, OsString>,
    /// Names of variables to drop; `*` at either end stands for anything.
    pub env_drop: Vec<String>,
    pub time_limit: Option<Duration>,
    pub background: Background,
    pub links: Links,
    pub require: Require,
    /// The directory where names of guests are written before they are made.
    pub records: Option<PathBuf>,
    /// Keeps what a file was before its first change.
    pub journal: Option<PreImageJournal>,
    pub kernel: Kernel,
}

impl Rights {
    /// A mode that edits nothing and has no network.
    pub fn nothing(mode: &str, root: PathBuf) -> Self {
        Self {
            mode: mode.to_owned(),
            root,
            edit: EditRights::Nothing,
            trees: Vec::new(),
            own_dirs: Vec::new(),
            git: Git::Shut,
            network: Network::Own,
            sockets: Vec::new(),
            hidden: Vec::new(),
            shown: Vec::new(),
            env_set: BTreeMap::new(),
            env_drop: Vec::new(),
            time_limit: None,
            background: Background::End,
            links: Links::Strict,
            require: Require::Full,
            records: None,
            journal: None,
            kernel: Kernel::default(),
        }
    }
}

/// What the mode says about one path of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// May be made, changed and deleted.
    Edit,
    /// May not be changed; a new file of this name may exist while the command runs.
    Guest,
    /// May not even be made for a moment: protected, hidden.
    Shut,
}

/// What a mode may edit.
pub enum EditRights {
    Nothing,
    Matching {
        /// What messages call it, as `\.md$`; `None` where only protected files are shut.
        label: Option<String>,
        /// Decides about a path relative to the root, with `/` between names.
        decides: Box<dyn Fn(&str) -> Right + Send>,
    },
}

impl fmt::Debug for EditRights {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => formatter.write_str("Nothing"),
            Self::Matching { label, .. } => formatter
                .debug_struct("Matching")
                .field("label", label)
                .finish_non_exhaustive(),
        }
    }
}

/// What a project file is before its first change.
#[derive(Debug)]
pub enum FileBeforeChange<'a> {
    /// It is not there.
    Missing,
    /// Its content.
    File(&'a File),
    /// A link, with its target.
    Link(&'a Path),
}

/// Takes what a project file was; an error refuses the change.
pub struct PreImageJournal(pub Box<KeepPreImage>);

/// Writes one pre-image.
type KeepPreImage = dyn FnMut(&Path, FileBeforeChange<'_>) -> io::Result<()> + Send;

impl fmt::Debug for PreImageJournal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Journal")
    }
}

/// Whether a command may change the project's own repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Git {
    Shut,
    /// Objects, references and the exact names that git itself writes; never configuration or hooks.
    Local,
}

/// What a command may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Network {
    Off,
    /// TCP to loopback ports that this command opened itself.
    Own,
    /// TCP and UDP; of this machine only its own ports.
    On,
}

/// What happens to processes that outlive the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// They are ended with it.
    End,
    /// They go on, held as before.
    Keep,
}

/// Whether files with several names may be written in trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    Strict,
    Loose,
}

/// What must hold, or the command is not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Require {
    /// Floor, doors and clerk.
    Full,
    /// The floor and the doors; what the clerk would decide is refused.
    Floor,
}

/// A weaker kernel than the one that runs, for tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kernel {
    /// Use no more of Landlock than this version has.
    pub abi: Option<i32>,
}
