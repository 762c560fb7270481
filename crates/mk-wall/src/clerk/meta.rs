//! Modes, owners and times of files. The floor holds none of them, so the clerk never lets such a call go on: it
//! makes the change itself on what it has pinned, or answers with an error.

use std::os::fd::AsFd as _;

use rustix::fs::{AtFlags, FileType, Gid, Mode, Timespec, Timestamps, UTIME_NOW, Uid};
use rustix::io::Errno;

use super::place::{self, AskedPath, FollowLink, LostPlace, PinnedPlace};
use super::process::WaitingThread;
use super::zone::Zone;
use super::{Clerk, ClerkAnswer, DONE, answer, fail, int, uint};
use crate::door::Call;
use crate::report::RefusedOperation;
use crate::rights::Right;
use crate::sys::Notification;

/// What is to be changed.
#[derive(Debug, Clone)]
enum MetadataChange {
    Mode(u32),
    Owner(u32, u32),
    Times(Timestamps),
}

/// How the file is named.
#[derive(Debug, Clone, Copy)]
struct NamedFile {
    dirfd: i32,
    /// Zero for the descriptor itself.
    path: u64,
    flags: AtFlags,
}

impl Clerk {
    pub(super) fn change_metadata(&mut self, name: Call, call: &Notification) -> ClerkAnswer {
        let Some((named, operation)) = naming(name, call) else {
            return fail(Errno::NOSYS);
        };
        let change = match change(name, call) {
            Ok(change) => change,
            Err(errno) => return fail(errno),
        };
        let place = match self.find_named(call, named) {
            Ok(place) => place,
            Err(LostPlace::Elsewhere | LostPlace::Winding) => return fail(Errno::PERM),
            Err(LostPlace::Error(errno)) => return fail(errno),
        };
        let Some(object) = &place.object else {
            return fail(Errno::NOENT);
        };
        // What has no name any more, and what never had one, belongs to those who hold it.
        let nameless = is_deleted(&place) || !place.path.has_root() || is_anonymous(&place);
        if !nameless && !self.may_change(&place) {
            return self.refuse(operation, &place.path);
        }
        if !nameless && !self.links_are_harmless(&place) {
            return self.refuse(RefusedOperation::WriteLinked, &place.path);
        }
        if !self.is_served(call) {
            return fail(Errno::PERM);
        }
        if self.zone(&place.path) == Zone::Project(Right::Edit)
            && object.kind == FileType::RegularFile
            && object.links > 0
            && let Err(errno) = self.keep(&place)
        {
            return fail(errno);
        }
        apply(&place, change)
    }

    fn find_named(&self, call: &Notification, named: NamedFile) -> Result<PinnedPlace, LostPlace> {
        let caller = WaitingThread { tid: call.tid };
        if named.path == 0 {
            if named.dirfd < 0 {
                return Err(LostPlace::Error(Errno::BADF));
            }
            let place = place::by_descriptor(caller.pin(&format!("fd/{}", named.dirfd))?)?;
            return if self.is_waiting(call) {
                Ok(place)
            } else {
                Err(LostPlace::Error(Errno::INTR))
            };
        }
        let path = caller.path(named.path)?;
        if path.is_empty() && !named.flags.contains(AtFlags::EMPTY_PATH) {
            return Err(LostPlace::Error(Errno::NOENT));
        }
        let follow = if named.flags.contains(AtFlags::SYMLINK_NOFOLLOW) {
            FollowLink::No
        } else {
            FollowLink::Yes
        };
        self.find(call, AskedPath::new(named.dirfd, &path, follow))
    }
}

/// Without a name any more. Some file systems count no names at all, so that the kernel has to say it, too.
fn is_deleted(place: &PinnedPlace) -> bool {
    let is_unlinked = place.object.as_ref().is_some_and(|it| it.links == 0);
    let path = place.path.as_os_str().as_encoded_bytes();
    is_unlinked && path.ends_with(b" (deleted)")
}

/// Memory files.
fn is_anonymous(place: &PinnedPlace) -> bool {
    ["/memfd:", "/dev/zero (deleted)"].iter().any(|prefix| {
        place
            .path
            .as_os_str()
            .as_encoded_bytes()
            .starts_with(prefix.as_bytes())
    })
}

fn naming(name: Call, call: &Notification) -> Option<(NamedFile, RefusedOperation)> {
    let args = call.args;
    let at = |arg: usize| AtFlags::from_bits_retain(uint(args[arg]));
    let named = |dirfd, path, flags| NamedFile { dirfd, path, flags };
    let plain = named(libc::AT_FDCWD, args[0], AtFlags::empty());
    let descriptor = named(int(args[0]), 0, AtFlags::empty());
    Some(match name {
        Call::Chmod => (plain, RefusedOperation::ChangeMode),
        Call::Fchmod => (descriptor, RefusedOperation::ChangeMode),
        Call::Fchmodat => (
            named(int(args[0]), args[1], AtFlags::empty()),
            RefusedOperation::ChangeMode,
        ),
        Call::Fchmodat2 => (
            named(int(args[0]), args[1], at(3)),
            RefusedOperation::ChangeMode,
        ),
        Call::Chown => (plain, RefusedOperation::ChangeOwner),
        Call::Lchown => (
            named(libc::AT_FDCWD, args[0], AtFlags::SYMLINK_NOFOLLOW),
            RefusedOperation::ChangeOwner,
        ),
        Call::Fchown => (descriptor, RefusedOperation::ChangeOwner),
        Call::Fchownat => (
            named(int(args[0]), args[1], at(4)),
            RefusedOperation::ChangeOwner,
        ),
        Call::Utime | Call::Utimes => (plain, RefusedOperation::ChangeTime),
        Call::Futimesat => (
            named(int(args[0]), args[1], AtFlags::empty()),
            RefusedOperation::ChangeTime,
        ),
        Call::Utimensat => (
            named(int(args[0]), args[1], at(3)),
            RefusedOperation::ChangeTime,
        ),
        _ => return None,
    })
}

fn change(name: Call, call: &Notification) -> Result<MetadataChange, Errno> {
    let args = call.args;
    let caller = WaitingThread { tid: call.tid };
    Ok(match name {
        Call::Chmod | Call::Fchmod => MetadataChange::Mode(uint(args[1])),
        Call::Fchmodat | Call::Fchmodat2 => MetadataChange::Mode(uint(args[2])),
        Call::Chown | Call::Lchown | Call::Fchown => {
            MetadataChange::Owner(uint(args[1]), uint(args[2]))
        }
        Call::Fchownat => MetadataChange::Owner(uint(args[2]), uint(args[3])),
        Call::Utime => MetadataChange::Times(seconds(caller, args[1])?),
        Call::Utimes => MetadataChange::Times(microseconds(caller, args[1])?),
        Call::Futimesat => MetadataChange::Times(microseconds(caller, args[2])?),
        _ => MetadataChange::Times(nanoseconds(caller, args[2])?),
    })
}

/// Reads `N` numbers; a missing pointer means «now».
fn numbers<const N: usize>(caller: WaitingThread, address: u64) -> Result<Option<[i64; N]>, Errno> {
    if address == 0 {
        return Ok(None);
    }
    let bytes = caller.memory(address, N * 8);
    let mut values = [0; N];
    for (value, chunk) in values.iter_mut().zip(bytes.chunks(8)) {
        *value = i64::from_ne_bytes(chunk.try_into().map_err(|_| Errno::FAULT)?);
    }
    if bytes.len() == N * 8 {
        Ok(Some(values))
    } else {
        Err(Errno::FAULT)
    }
}

const fn times(access: (i64, i64), modification: (i64, i64)) -> Timestamps {
    Timestamps {
        last_access: Timespec {
            tv_sec: access.0,
            tv_nsec: access.1,
        },
        last_modification: Timespec {
            tv_sec: modification.0,
            tv_nsec: modification.1,
        },
    }
}

const NOW: Timestamps = times((0, UTIME_NOW), (0, UTIME_NOW));

fn seconds(caller: WaitingThread, address: u64) -> Result<Timestamps, Errno> {
    let read = numbers::<2>(caller, address)?;
    Ok(read.map_or(NOW, |[access, modification]| {
        times((access, 0), (modification, 0))
    }))
}

fn microseconds(caller: WaitingThread, address: u64) -> Result<Timestamps, Errno> {
    let read = numbers::<4>(caller, address)?;
    Ok(
        read.map_or(NOW, |[access, access_part, modification, part]| {
            let nano = |micro: i64| micro.saturating_mul(1000);
            times((access, nano(access_part)), (modification, nano(part)))
        }),
    )
}

fn nanoseconds(caller: WaitingThread, address: u64) -> Result<Timestamps, Errno> {
    let read = numbers::<4>(caller, address)?;
    Ok(
        read.map_or(NOW, |[access, access_part, modification, part]| {
            times((access, access_part), (modification, part))
        }),
    )
}

/// Makes the change on the pinned object.
fn apply(place: &PinnedPlace, change: MetadataChange) -> ClerkAnswer {
    let Some(object) = &place.object else {
        return fail(Errno::NOENT);
    };
    // A link has no mode of its own, and its owner and times mean nothing to anyone.
    if object.kind == FileType::Symlink {
        return DONE;
    }
    let own_path = place::own_path(object.fd.as_fd());
    answer(match change {
        // Bits that make a program run as its owner never come from inside.
        MetadataChange::Mode(mode) => {
            rustix::fs::chmod(own_path, Mode::from_raw_mode(mode & 0o1777))
        }
        MetadataChange::Owner(user, group) => {
            let some = |id: u32| (id != u32::MAX).then_some(id);
            rustix::fs::chownat(
                rustix::fs::CWD,
                own_path,
                some(user).map(Uid::from_raw),
                some(group).map(Gid::from_raw),
                AtFlags::empty(),
            )
        }
        MetadataChange::Times(times) => {
            rustix::fs::utimensat(rustix::fs::CWD, own_path, &times, AtFlags::empty())
        }
    })
}
