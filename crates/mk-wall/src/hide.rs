//! Hidden reads. Where a mount namespace is allowed, something empty is mounted over each hidden path; elsewhere
//! Landlock, which cannot subtract, is given every neighbour on the way to it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags};
use rustix::thread::UnshareFlags;

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

/// Covers every hidden path in a namespace of this process's own; a file with what `covers` has for it.
pub(crate) fn in_namespace(
    hidden: &[PathBuf],
    covers: &BTreeMap<PathBuf, PathBuf>,
) -> Result<(), Errno> {
    enter()?;
    // What is mounted here must not appear outside.
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    rustix::mount::mount_change("/", private)?;
    for path in hidden.iter().chain(&raw_devices()) {
        let Ok(metadata) = path.symlink_metadata() else {
            continue;
        };
        if metadata.is_dir() {
            let nothing = c"mode=000,size=4k";
            let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
            rustix::mount::mount("none", path, "tmpfs", flags, nothing)?;
        } else {
            let nothing = Path::new("/dev/null");
            let cover = covers.get(path).map_or(nothing, PathBuf::as_path);
            rustix::mount::mount_bind(cover, path)?;
        }
    }
    Ok(())
}

/// Disks and memory as devices: a root would read there what is hidden as a file.
fn raw_devices() -> Vec<PathBuf> {
    use std::os::unix::fs::FileTypeExt as _;
    const MEMORY: [&str; 3] = ["/dev/mem", "/dev/kmem", "/dev/port"];
    if !rustix::process::geteuid().is_root() {
        return Vec::new();
    }
    let mut found: Vec<PathBuf> = MEMORY.iter().map(PathBuf::from).collect();
    let mut waiting = vec![PathBuf::from("/dev")];
    while let Some(directory) = waiting.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_block_device() => found.push(entry.path()),
                Ok(kind) if kind.is_dir() => waiting.push(entry.path()),
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
    use rustix::fs::{Mode, OFlags};
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(file, text.as_bytes()).map(|_| ())
}
