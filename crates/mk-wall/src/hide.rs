//! Hidden reads. Where a mount namespace is allowed, something empty is mounted over each hidden path; elsewhere
//! Landlock, which cannot subtract, is given every neighbour on the way to it.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags};
use rustix::thread::UnshareFlags;

use crate::clerk::own_path;
use crate::error::Error;
use crate::sys;

/// A rule costs 6 to 8 µs; beyond this, starting a command would take longer than the command.
const MOST_SIBLINGS: usize = 5_000;

/// What remains readable when `hidden` is not: everything but the directories on the way, whose entries are named.
pub(crate) fn readable(hidden: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut on_the_way: BTreeSet<&Path> = BTreeSet::new();
    for path in hidden {
        on_the_way.extend(path.ancestors().skip(1));
    }
    let mut named = Vec::new();
    for directory in &on_the_way {
        let Ok(entries) = std::fs::read_dir(directory) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            // A link is no file of its own: its target is named where it lies.
            let is_link = entry.file_type().is_ok_and(|it| it.is_symlink());
            if is_link || hidden.contains(&path) || on_the_way.contains(path.as_path()) {
                continue;
            }
            named.push(path);
            if named.len() > MOST_SIBLINGS {
                return Err(Error::TooManySiblings {
                    path: (*directory).to_owned(),
                    count: named.len(),
                    limit: MOST_SIBLINGS,
                });
            }
        }
    }
    Ok(named)
}

/// What is hidden, and how.
#[derive(Debug)]
pub(crate) struct HiddenPaths {
    pub(crate) paths: Vec<PathBuf>,
    /// What lies over hidden files.
    pub(crate) covers: BTreeMap<PathBuf, PathBuf>,
    /// What stays visible below hidden directories; those above others come first.
    pub(crate) shown: Vec<PathBuf>,
}

/// Covers every hidden path in a namespace of this process's own.
pub(crate) fn in_namespace(hidden: &HiddenPaths) -> Result<(), Errno> {
    enter()?;
    // What is mounted here must not appear outside.
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", private)?;
    for path in hidden.paths.iter().chain(&raw_devices()) {
        let Ok(metadata) = path.symlink_metadata() else {
            continue;
        };
        if metadata.is_dir() {
            cover_directory(path, &hidden.shown)?;
        } else {
            let nothing = Path::new("/dev/null");
            let cover = hidden.covers.get(path).map_or(nothing, PathBuf::as_path);
            rustix::mount::mount_bind(cover, path)?;
        }
    }
    Ok(())
}

/// Mounts something empty over a directory, and into it what stays visible.
fn cover_directory(directory: &Path, shown: &[PathBuf]) -> Result<(), Errno> {
    let below = shown
        .iter()
        .filter(|path| path.starts_with(directory) && *path != directory);
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let kept: Vec<(&PathBuf, OwnedFd)> = below
        .filter_map(|path| Some((path, rustix::fs::open(path, flags, Mode::empty()).ok()?)))
        .collect();
    // It can be passed through where something is in it, and not be listed.
    let nothing = if kept.is_empty() {
        c"mode=000,size=4k"
    } else {
        c"mode=111,size=4k"
    };
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    rustix::mount::mount("none", directory, "tmpfs", flags, nothing)?;
    for (path, original) in kept {
        let mut builder = std::fs::DirBuilder::new();
        let made = builder.recursive(true).create(path);
        made.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        rustix::mount::mount_bind(own_path(original.as_fd()), path)?;
    }
    Ok(())
}

/// Disks and memory as devices: a root would read there what is hidden as a file.
fn raw_devices() -> Vec<PathBuf> {
    use std::os::unix::fs::FileTypeExt as _;
    const MEMORY: [&str; 3] = ["/dev/mem", "/dev/kmem", "/dev/port"];
    /// File systems of their own, in which no disk is.
    const WITHOUT_DISKS: [&str; 4] = ["/dev/pts", "/dev/shm", "/dev/mqueue", "/dev/hugepages"];
    if !rustix::process::geteuid().is_root() {
        return Vec::new();
    }
    let is_without_disks = |path: &Path| WITHOUT_DISKS.iter().any(|it| path == Path::new(it));
    let mut found: Vec<PathBuf> = MEMORY.iter().map(PathBuf::from).collect();
    let mut waiting = vec![PathBuf::from("/dev")];
    while let Some(directory) = waiting.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_block_device() => found.push(entry.path()),
                Ok(kind) if kind.is_dir() && !is_without_disks(&entry.path()) => {
                    waiting.push(entry.path());
                }
                _ => {}
            }
        }
    }
    found
}

/// A mount namespace, as root directly, else in a user namespace in which we stay who we are.
fn enter() -> Result<(), Errno> {
    let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
    if user.is_root() && sys::unshare(UnshareFlags::NEWNS).is_ok() {
        return Ok(());
    }
    sys::unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
    write("/proc/self/setgroups", "deny")?;
    write(
        "/proc/self/uid_map",
        &format!("{user} {user} 1", user = user.as_raw()),
    )?;
    write(
        "/proc/self/gid_map",
        &format!("{group} {group} 1", group = group.as_raw()),
    )
}

fn write(path: &str, text: &str) -> Result<(), Errno> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(file, text.as_bytes()).map(|_| ())
}
