//! The floor: a Landlock ruleset that is never wider than the mode. What it refuses is refused whatever the clerk does.
//!
//! It is laid before the fork and stepped on after it. Nothing here is best effort: every right that the version has
//! is handled, and a rule that cannot be added is an error.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, Scope,
};
use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::error::Error;
use crate::{hide, sys};

/// Devices that only swallow or give.
const PLAIN_DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];
const TERMINALS: [&str; 3] = ["/dev/tty", "/dev/ptmx", "/dev/pts"];

/// From this version on the floor holds `truncate`.
const HOLDS_TRUNCATE: i32 = 3;
/// From this version on signals and abstract sockets stay inside.
const HAS_SCOPES: i32 = 6;

/// The version to build for: the kernel's, or less where a test asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(i32);

impl Version {
    pub(crate) fn of_kernel(at_most: Option<i32>) -> Result<Self, Error> {
        let version = sys::landlock_version().map_err(why_none)?;
        Ok(Self(at_most.map_or(version, |limit| limit.min(version))))
    }

    pub(crate) const fn number(self) -> i32 {
        self.0
    }

    pub(crate) const fn holds_truncate(self) -> bool {
        self.0 >= HOLDS_TRUNCATE
    }

    pub(crate) const fn has_scopes(self) -> bool {
        self.0 >= HAS_SCOPES
    }

    fn abi(self) -> ABI {
        ABI::from(self.0)
    }
}

/// Not built in, off at boot and forbidden by a container have different ways out.
pub(crate) fn why_none(error: io::Error) -> Error {
    match Errno::from_io_error(&error) {
        Some(Errno::NOSYS) => Error::NoLandlock,
        Some(Errno::OPNOTSUPP) => Error::LandlockOff,
        Some(Errno::PERM | Errno::ACCESS) => Error::LandlockForbidden,
        _ => Error::LandlockUnknown(error),
    }
}

/// What the floor is made of.
#[derive(Debug)]
pub(crate) struct LandlockFloor<'a> {
    pub(crate) version: Version,
    pub(crate) trees: &'a [PathBuf],
    /// Trees of the repository, in which git makes files and directories only.
    pub(crate) repository: &'a [PathBuf],
    /// Existing files that may be written, where no clerk answers.
    pub(crate) files: &'a [PathBuf],
    /// What may not be read; empty where a mount namespace hides it.
    pub(crate) hidden: &'a [PathBuf],
    /// What may be read below hidden directories.
    pub(crate) shown: &'a [PathBuf],
}

impl LandlockFloor<'_> {
    /// Builds the ruleset, and tells how many rules it has. It restricts nothing before [`step_on`].
    pub(crate) fn lay(&self) -> Result<(RulesetCreated, u32), Error> {
        let abi = self.version.abi();
        let writes = AccessFs::from_write(abi);
        let mut ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(writes)
            .map_err(cannot)?;
        if !self.hidden.is_empty() {
            ruleset = ruleset.handle_access(AccessFs::ReadFile).map_err(cannot)?;
        }
        if self.version.has_scopes() {
            ruleset = ruleset.scope(Scope::from_all(abi)).map_err(cannot)?;
        }
        let mut created = ruleset.create().map_err(cannot)?;
        let read = if self.hidden.is_empty() {
            BitFlags::EMPTY
        } else {
            BitFlags::from(AccessFs::ReadFile)
        };
        // A device node in a tree would be a way to the disk behind it.
        let tree =
            (writes & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev)) | read;
        let file = writes & (AccessFs::WriteFile | AccessFs::Truncate);
        let terminal = (writes & (AccessFs::WriteFile | AccessFs::IoctlDev)) | read;
        let mut readable = hide::readable(self.hidden)?;
        if !self.hidden.is_empty() {
            readable.extend_from_slice(self.shown);
        }
        // Git outside of the wall writes through a link that it finds among its logs.
        let files_only = tree & !(AccessFs::MakeSym | AccessFs::MakeSock | AccessFs::MakeFifo);
        let trees = self.trees.iter().map(|path| (path.as_path(), tree));
        let repository = self.repository.iter();
        let repository = repository.map(|path| (path.as_path(), files_only));
        let files = self.files.iter().map(|path| (path.as_path(), file | read));
        let plain = PLAIN_DEVICES.map(|path| (Path::new(path), file | read));
        let terminals = TERMINALS.map(|path| (Path::new(path), terminal));
        let readable = readable
            .iter()
            .map(|path| (path.as_path(), AccessFs::ReadFile.into()));
        let mut count = 0;
        for (path, access) in trees.chain(repository) {
            created = grant(created, path, open_plainly(path)?, access)?;
            count += 1;
        }
        for (path, access) in files.chain(plain).chain(terminals).chain(readable) {
            created = grant(created, path, open(path)?, access)?;
            count += 1;
        }
        Ok((created, count))
    }
}

fn cannot(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Floor(Box::new(error))
}

/// Adds one rule. What is not there needs none.
fn grant(
    created: RulesetCreated,
    path: &Path,
    object: Option<OwnedFd>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, Error> {
    let Some(object) = object else {
        return Ok(created);
    };
    let stat = rustix::fs::fstat(&object).map_err(|errno| unopened(path, errno))?;
    let is_dir = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir();
    let of_files = AccessFs::from_file(ABI::V9);
    let access = if is_dir { access } else { access & of_files };
    if access.is_empty() {
        return Ok(created);
    }
    created
        .add_rule(PathBeneath::new(object.as_fd(), access))
        .map_err(cannot)
}

fn open(path: &Path) -> Result<Option<OwnedFd>, Error> {
    opened(
        path,
        rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()),
    )
}

/// The same without links on the way: another command may have put one there since the path was looked at.
fn open_plainly(path: &Path) -> Result<Option<OwnedFd>, Error> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let resolve = ResolveFlags::NO_SYMLINKS;
    let found = rustix::fs::openat2(rustix::fs::CWD, path, flags, Mode::empty(), resolve);
    opened(path, found)
}

fn opened(path: &Path, found: Result<OwnedFd, Errno>) -> Result<Option<OwnedFd>, Error> {
    match found {
        Ok(object) => Ok(Some(object)),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::LOOP) => Ok(None),
        Err(errno) => Err(unopened(path, errno)),
    }
}

fn unopened(path: &Path, errno: Errno) -> Error {
    Error::FloorPath {
        path: path.to_owned(),
        source: errno.into(),
    }
}

/// Restricts this thread and what it becomes. Only ever called in a forked child.
pub(crate) fn step_on(created: RulesetCreated) -> io::Result<()> {
    let status = created.restrict_self().map_err(io::Error::other)?;
    if status.ruleset == landlock::RulesetStatus::FullyEnforced && status.no_new_privs {
        Ok(())
    } else {
        Err(io::Error::other("the kernel did not enforce the floor"))
    }
}
