//! Where a path leads: pinned first, judged by what was pinned, never by the string that was asked for.
//!
//! Everything a caller names is opened without being used (`O_PATH`). The answer's path is what the kernel says about
//! that descriptor, and the call is then made on the descriptor; what the caller swaps meanwhile does not matter.

use std::ffi::{CStr, OsStr, OsString};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, Statx, StatxFlags};
use rustix::io::Errno;

use super::magic;
use super::process::{ProcessRoot, WaitingThread};

/// What a path names, held in place.
#[derive(Debug)]
pub(crate) struct PinnedPlace {
    /// The directory the last name is in; `None` if the path names an object by descriptor or through a link.
    pub(crate) parent: Option<OwnedFd>,
    pub(crate) name: OsString,
    /// What is there now.
    pub(crate) object: Option<PinnedObject>,
    /// The real path of the object, or of the name it would get.
    pub(crate) path: PathBuf,
}

/// A pinned file system object.
#[derive(Debug)]
pub(crate) struct PinnedObject {
    pub(crate) fd: OwnedFd,
    pub(crate) kind: FileType,
    pub(crate) links: u32,
    pub(crate) key: ObjectKey,
}

/// Which object it is. The time of its birth tells a reused inode from the one we knew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ObjectKey {
    device: (u32, u32),
    inode: u64,
    born: (i64, u32),
}

impl ObjectKey {
    /// Of what is at a path now, a link itself.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        SeenObject::at(path).ok().map(|it| it.key)
    }

    /// Of what a descriptor holds.
    pub(crate) fn of(fd: BorrowedFd<'_>) -> Result<Self, Errno> {
        PinnedObject::stat(fd).map(|stat| Self::in_stat(&stat))
    }

    fn in_stat(stat: &Statx) -> Self {
        Self {
            device: (stat.stx_dev_major, stat.stx_dev_minor),
            inode: stat.stx_ino,
            born: (stat.stx_btime.tv_sec, stat.stx_btime.tv_nsec),
        }
    }

    /// As one word, for records.
    pub(crate) fn to_text(self) -> String {
        let Self {
            device,
            inode,
            born,
        } = self;
        format!("{}:{}:{inode}:{}.{}", device.0, device.1, born.0, born.1)
    }
}

/// What was seen at a path without being pinned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeenObject {
    pub(crate) key: ObjectKey,
    pub(crate) kind: FileType,
    pub(crate) links: u32,
}

impl SeenObject {
    /// A link itself, not where it leads.
    pub(crate) fn at(path: &Path) -> Result<Self, Errno> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        let stat = rustix::fs::statx(rustix::fs::CWD, path, AtFlags::SYMLINK_NOFOLLOW, wanted)?;
        Ok(Self {
            key: ObjectKey::in_stat(&stat),
            kind: FileType::from_raw_mode(stat.stx_mode.into()),
            links: stat.stx_nlink,
        })
    }
}

/// Whether the last name's link is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FollowLink {
    Yes,
    No,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LostPlace {
    /// Another root, a pipe, a device: not ours to judge. Only the floor can allow it.
    Elsewhere,
    /// Through links that only lead somewhere in another process: the floor would not see a file's other names.
    Winding,
    Error(Errno),
}

impl From<Errno> for LostPlace {
    fn from(errno: Errno) -> Self {
        Self::Error(errno)
    }
}

/// What was asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AskedPath<'a> {
    pub(crate) dirfd: i32,
    pub(crate) path: &'a CStr,
    pub(crate) follow: FollowLink,
    /// The caller's own demands on the way, for `openat2`.
    pub(crate) resolve: ResolveFlags,
}

impl<'a> AskedPath<'a> {
    pub(crate) const fn new(dirfd: i32, path: &'a CStr, follow: FollowLink) -> Self {
        Self {
            dirfd,
            path,
            follow,
            resolve: ResolveFlags::empty(),
        }
    }
}

/// Who names a path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathCaller<'a> {
    pub(crate) thread: WaitingThread,
    /// What every caller takes for `/`; `None` if this one has to be looked at.
    pub(crate) shared_root: Option<BorrowedFd<'a>>,
    /// The root it must have.
    pub(crate) root: ProcessRoot,
}

/// Where a path begins.
enum BaseDirectory<'a> {
    Shared(BorrowedFd<'a>),
    Pinned(OwnedFd),
}

impl BaseDirectory<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Shared(fd) => *fd,
            Self::Pinned(fd) => fd.as_fd(),
        }
    }
}

impl<'a> PathCaller<'a> {
    /// The directory a path begins in, and the rest of the path.
    fn base<'b>(self, asked: AskedPath<'b>) -> Result<(BaseDirectory<'a>, &'b [u8]), Errno> {
        let bytes = asked.path.to_bytes();
        let pin = |what: &str| self.thread.pin(what).map(BaseDirectory::Pinned);
        if bytes.starts_with(b"/") && asked.resolve.is_empty() {
            let start = bytes.iter().position(|byte| *byte != b'/');
            let relative = start.map_or(&b"."[..], |at| &bytes[at..]);
            let root = self.shared_root.map(BaseDirectory::Shared);
            return Ok((root.map_or_else(|| pin("root"), Ok)?, relative));
        }
        if asked.dirfd == libc::AT_FDCWD {
            return Ok((pin("cwd")?, bytes));
        }
        Ok((pin(&format!("fd/{}", asked.dirfd))?, bytes))
    }
}

/// Pins what a caller names.
pub(crate) fn find(caller: PathCaller<'_>, asked: AskedPath<'_>) -> Result<PinnedPlace, LostPlace> {
    if caller.shared_root.is_none() && caller.thread.root()? != caller.root {
        return Err(LostPlace::Elsewhere);
    }
    find_below(caller, asked, MOST_LINKS)
}

fn find_below(
    caller: PathCaller<'_>,
    asked: AskedPath<'_>,
    links: u32,
) -> Result<PinnedPlace, LostPlace> {
    let bytes = asked.path.to_bytes();
    if asked.resolve.is_empty()
        && let Some((link, rest)) = magic::split(bytes)
    {
        let ends_there = rest.is_empty() && asked.follow == FollowLink::Yes;
        if ends_there || !rest.is_empty() {
            return through(caller.thread, &link, rest, asked);
        }
    }
    let (base, relative) = caller.base(asked)?;
    if relative.is_empty() {
        return match base {
            BaseDirectory::Pinned(fd) => by_descriptor(fd),
            // An absolute path has a name.
            BaseDirectory::Shared(_) => Err(LostPlace::Error(Errno::NOENT)),
        };
    }
    if let Some(place) = directly(base.as_fd(), relative, asked)? {
        return place.outside_of_proc();
    }
    let found = open_on_the_way(base.as_fd(), relative, asked);
    let found = match found {
        Ok(fd) => Some(PinnedObject::of(fd)?),
        Err(Errno::NOENT) => None,
        // A link of `/proc` leads to where no path leads, and would lead us to our own descriptors.
        Err(Errno::LOOP) => {
            let target = last_link(base.as_fd(), relative);
            return match target {
                Some(target) if links > 0 && asked.follow == FollowLink::Yes => {
                    let path = &target;
                    find_below(caller, AskedPath { path, ..asked }, links - 1)
                }
                _ => Err(LostPlace::Winding),
            };
        }
        Err(errno) => return Err(errno.into()),
    };
    locate(base.as_fd(), relative, found, asked)
}

/// What a path names if its last name is one, and is no link that has to be followed: the directory is pinned and the
/// name looked up in it, with a third of the calls that the general way takes.
fn directly(
    base: BorrowedFd<'_>,
    relative: &[u8],
    asked: AskedPath<'_>,
) -> Result<Option<PinnedPlace>, LostPlace> {
    let (directory, name) = split(relative);
    let is_plain = !matches!(name, b"." | b".." | b"") && !relative.ends_with(b"/");
    if !is_plain || !asked.resolve.is_empty() {
        return Ok(None);
    }
    let parent = open_directory(base, directory, asked.resolve)?;
    let name = OsStr::from_bytes(name);
    let object = match entry(parent.as_fd(), name) {
        Ok(object) => Some(object),
        Err(Errno::NOENT) => None,
        Err(errno) => return Err(errno.into()),
    };
    let follows = asked.follow == FollowLink::Yes;
    if follows && object.as_ref().map(|it| it.kind) == Some(FileType::Symlink) {
        return Ok(None);
    }
    let path = match &object {
        Some(object) if follows => path_of(object.fd.as_fd())?,
        _ => path_of(parent.as_fd())?.join(name),
    };
    Ok(Some(PinnedPlace {
        parent: Some(parent),
        name: name.to_owned(),
        object,
        path,
    }))
}

/// Puts together what was found and the directory it is in.
fn locate(
    base: BorrowedFd<'_>,
    relative: &[u8],
    found: Option<PinnedObject>,
    asked: AskedPath<'_>,
) -> Result<PinnedPlace, LostPlace> {
    let (directory, name) = split(relative);
    let names_itself = matches!(name, b"." | b".." | b"");
    match found {
        Some(object) if asked.follow == FollowLink::Yes || names_itself => {
            let path = path_of(object.fd.as_fd())?;
            let place = PinnedPlace {
                parent: None,
                name: OsString::new(),
                object: Some(object),
                path,
            };
            place.outside_of_proc()
        }
        None if names_itself => Err(Errno::NOENT.into()),
        object => {
            let parent = open_directory(base, directory, asked.resolve)?;
            let mut path = path_of(parent.as_fd())?;
            path.push(OsStr::from_bytes(name));
            // A link on the way may have been swapped meanwhile: what is judged must lie in the directory that is used.
            let object = match entry(parent.as_fd(), OsStr::from_bytes(name)) {
                Ok(found) if asked.follow == FollowLink::No => Some(found),
                Err(Errno::NOENT) => None,
                Ok(_) => object,
                Err(errno) => return Err(errno.into()),
            };
            let place = PinnedPlace {
                parent: Some(parent),
                name: OsString::from_vec(name.to_vec()),
                object,
                path,
            };
            place.outside_of_proc()
        }
    }
}

/// More links than this from one to the next are a loop.
const MOST_LINKS: u32 = 8;

/// Where the last name of a path leads, if it is a link to one of `/proc`'s.
fn last_link(base: BorrowedFd<'_>, path: &[u8]) -> Option<std::ffi::CString> {
    let (directory, name) = split(path);
    let parent = open_directory(base, directory, ResolveFlags::empty()).ok()?;
    let target = rustix::fs::readlinkat(&parent, name, Vec::new()).ok()?;
    magic::split(target.as_bytes()).is_some().then_some(target)
}

/// What a link of `/proc` holds open, and what is below it.
fn through(
    caller: WaitingThread,
    link: &magic::MagicLink,
    rest: &[u8],
    asked: AskedPath<'_>,
) -> Result<PinnedPlace, LostPlace> {
    let process = match link.process {
        magic::LinkOwner::Itself => caller,
        magic::LinkOwner::Number(tid) => WaitingThread { tid },
    };
    let is_caller = process.tid == caller.tid || process.process()? == caller.process()?;
    let held = process.pin(&link.what)?;
    let object = PinnedObject::of(held)?;
    let is_file = matches!(object.kind, FileType::RegularFile | FileType::Directory);
    if !is_file {
        return Err(LostPlace::Elsewhere);
    }
    // We may look where the caller may not.
    if !is_caller {
        return Err(LostPlace::Winding);
    }
    if rest.is_empty() {
        return by_descriptor(object.fd)?.outside_of_proc();
    }
    below(object.fd.as_fd(), rest, asked)
}

/// What a path without links of `/proc` names below a directory.
fn below(
    base: BorrowedFd<'_>,
    relative: &[u8],
    asked: AskedPath<'_>,
) -> Result<PinnedPlace, LostPlace> {
    let found = match open_on_the_way(base, relative, asked) {
        Ok(fd) => Some(PinnedObject::of(fd)?),
        Err(Errno::NOENT) => None,
        Err(Errno::LOOP) => return Err(LostPlace::Winding),
        Err(errno) => return Err(errno.into()),
    };
    locate(base, relative, found, asked)
}

/// The place of a descriptor itself.
pub(crate) fn by_descriptor(fd: OwnedFd) -> Result<PinnedPlace, LostPlace> {
    let object = PinnedObject::of(fd)?;
    let path = path_of(object.fd.as_fd())?;
    Ok(PinnedPlace {
        parent: None,
        name: OsString::new(),
        object: Some(object),
        path,
    })
}

fn open_on_the_way(
    base: BorrowedFd<'_>,
    path: &[u8],
    asked: AskedPath<'_>,
) -> Result<OwnedFd, Errno> {
    let mut flags = OFlags::PATH | OFlags::CLOEXEC;
    if asked.follow == FollowLink::No {
        flags |= OFlags::NOFOLLOW;
    }
    let resolve = asked.resolve | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(base, path, flags, Mode::empty(), resolve)
}

fn open_directory(
    base: BorrowedFd<'_>,
    path: &[u8],
    resolve: ResolveFlags,
) -> Result<OwnedFd, LostPlace> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::DIRECTORY;
    let resolve = resolve | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(base, path, flags, Mode::empty(), resolve) {
        Ok(fd) => Ok(fd),
        Err(Errno::LOOP) => Err(LostPlace::Winding),
        Err(errno) => Err(errno.into()),
    }
}

/// Directory and last name; slashes at the end do not count.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    let length = path.iter().rposition(|byte| *byte != b'/');
    let path = length.map_or(path, |last| &path[..=last]);
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..=at], &path[at + 1..]),
        None => (b".", path),
    }
}

/// What the kernel calls a descriptor.
pub(crate) fn path_of(fd: BorrowedFd<'_>) -> Result<PathBuf, Errno> {
    let link = own_path(fd);
    let target = rustix::fs::readlinkat(rustix::fs::CWD, link, Vec::new())?;
    Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
}

/// A path that leads to what one of our own descriptors holds.
pub(crate) fn own_path(fd: BorrowedFd<'_>) -> String {
    format!("/proc/self/fd/{}", fd.as_raw_fd())
}

impl PinnedPlace {
    fn outside_of_proc(self) -> Result<Self, LostPlace> {
        // What `/proc/self` is for the caller is not what it is for us.
        let is_virtual = ["/proc", "/sys"].iter().any(|it| self.path.starts_with(it));
        let is_device = self.path.starts_with("/dev") && !self.path.starts_with("/dev/shm");
        if is_virtual || is_device {
            Err(LostPlace::Elsewhere)
        } else {
            Ok(self)
        }
    }

    /// Directory and name, if the path had them.
    pub(crate) fn entry(&self) -> Option<(BorrowedFd<'_>, &OsStr)> {
        let parent = self.parent.as_ref()?;
        Some((parent.as_fd(), &self.name))
    }
}

impl PinnedObject {
    pub(crate) fn of(fd: OwnedFd) -> Result<Self, Errno> {
        let stat = Self::stat(fd.as_fd())?;
        Ok(Self {
            fd,
            kind: FileType::from_raw_mode(stat.stx_mode.into()),
            links: stat.stx_nlink,
            key: ObjectKey::in_stat(&stat),
        })
    }

    fn stat(fd: BorrowedFd<'_>) -> Result<Statx, Errno> {
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        rustix::fs::statx(fd, "", AtFlags::EMPTY_PATH, wanted)
    }

    /// Several names lead to it, so its path says nothing about what else would change.
    pub(crate) fn has_other_names(&self) -> bool {
        self.kind == FileType::RegularFile && self.links > 1
    }
}

/// Pins an entry that has just been made.
pub(crate) fn entry(parent: BorrowedFd<'_>, name: &OsStr) -> Result<PinnedObject, Errno> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    PinnedObject::of(rustix::fs::openat(parent, name, flags, Mode::empty())?)
}

/// Where a path of the caller's own text would lead from `directory`, by its names only. `None` if it goes up again
/// after a name, which may be a link by then.
pub(crate) fn lexically(directory: &Path, target: &Path) -> Option<PathBuf> {
    let mut path = directory.to_owned();
    let mut has_name = false;
    for component in target.components() {
        match component {
            std::path::Component::RootDir | std::path::Component::Prefix(_) => {
                path = PathBuf::from("/");
            }
            std::path::Component::ParentDir if has_name => return None,
            std::path::Component::ParentDir => {
                path.pop();
            }
            std::path::Component::Normal(name) => {
                has_name = true;
                path.push(name);
            }
            std::path::Component::CurDir => {}
        }
    }
    Some(path)
}
